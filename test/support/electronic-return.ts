import { expect } from 'vitest';
import type { Filer } from './filings.ts';
import type { ApiResponse } from './http.ts';

/** Reads electronic returns (Simplified Electronic Return, SST2015V01) independently of the service. */

export const xml = { Accept: 'application/xml' };

export const identity = {
  legal_name: 'A Shop LLC',
  tin: { type: 'FEIN', number: '123456789' },
  sst_id: 'S12345678',
  state_ids: { SD: '1234-5678' },
} as const;

/** Full members of the Agreement. */
export const memberPlaces = {
  AR: { city: 'Little Rock', state: 'AR', postal_code: '72201' },
  GA: { city: 'Atlanta', state: 'GA', postal_code: '30303' },
  IN: { city: 'Indianapolis', state: 'IN', postal_code: '46204' },
  KY: { city: 'Louisville', state: 'KY', postal_code: '40202' },
  MN: { city: 'Minneapolis', state: 'MN', postal_code: '55401' },
  NE: { city: 'Omaha', state: 'NE', postal_code: '68102' },
  SD: { city: 'Sioux Falls', state: 'SD', postal_code: '57104' },
  WV: { city: 'Charleston', state: 'WV', postal_code: '25301' },
} as const;

export const readReturn = (filer: Filer, id: string, parameters: Record<string, string> = {}): Promise<ApiResponse> =>
  filer.filing(id, parameters, xml);

/** The elements of a return in the order of the schema SST2015V01. `?` is optional, `*` repeats. */
const order =
  `ReturnType TotalSales ExemptionsDeductions ExemptionDeductionBreakout* TaxableSales StateTaxDueSalesInState
  StateTaxDueSalesOrigOutOfState StateTaxDueOwnPurchWithdraw StateTaxDueFoodDrug JurisdictionDetail* TotalTaxDue
  AmountDueOrRefund`.split(/\s+/);
const orderPattern = new RegExp(
  `^${order.map((name) => (name.endsWith('*') ? `(${name.slice(0, -1)} )*` : `${name} `)).join('')}$`,
);

export const getText = (xml: string, name: string): string =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '';
const listBlocks = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>\\n([\\s\\S]*?)\\n</${name}>`, 'g'))].map(([, inner = '']) => inner);

/** Reads a return as figures by element, by exemption type and by local code. */
export const figuresIn = (document: string): Record<string, string> => {
  const [body = ''] = listBlocks(document, 'SimplifiedElectronicReturn');
  const outer = body.replace(/<(ExemptionDeductionBreakout|JurisdictionDetail)>[\s\S]*?<\/\1>/g, '<$1>-</$1>');
  const names = [...outer.matchAll(/<([A-Za-z]+)>/g)].map(([, name]) => `${name} `).join('');
  expect(names).toMatch(orderPattern);
  return {
    ...Object.fromEntries([...outer.matchAll(/<([A-Za-z]+)>(-?\d+\.\d\d)</g)].map(([, name, value]) => [name, value])),
    ...Object.fromEntries(
      listBlocks(body, 'ExemptionDeductionBreakout').map((one) => [
        getText(one, 'ExemptionType'),
        getText(one, 'ExemptionAmount'),
      ]),
    ),
    ...Object.fromEntries(
      listBlocks(body, 'JurisdictionDetail').map((one) => [
        getText(one, 'JurisdictionCode'),
        `${getText(one, 'JurisTaxDueSalesInState')} ${getText(one, 'JurisTaxDueSalesOrigOutOfState')}`,
      ]),
    ),
  };
};
