/** Returns with sales under a remote seller's election, taxed at 8 %. test/support/setup-api.ts replays the sales. */
import { expect, it } from 'vitest';
import { newCaller } from '../support/api.ts';
import { closedFiling, createFiler, soldOn } from '../support/filings.ts';
import { buildCreditRequest, made } from '../support/sales.ts';

const election = { from: '2026-01-01', to: '2026-09-30' };
const settings = {
  ship_from: { city: 'Detroit', state: 'MI', postal_code: '48226' },
  remote_seller_elections: [
    { state: 'TX', election: 'single_local_use_tax' as const, ...election },
    { state: 'AL', election: 'simplified_sellers_use_tax' as const, ...election },
  ],
};
const houston = { address: { city: 'Houston', state: 'TX', postal_code: '77002', country: 'US' } };
const birmingham = { address: { city: 'Birmingham', state: 'AL', postal_code: '35203', country: 'US' } };

type Total = { readonly jurisdiction_code: string; readonly taxable_amount: string; readonly tax_amount: string };
const listTaxes = (rows: readonly Total[]) =>
  rows.map(({ jurisdiction_code, taxable_amount, tax_amount }) => [jurisdiction_code, taxable_amount, tax_amount]);

it.each([
  [
    'TX',
    houston,
    [
      ['US-TX', '80.00', '5.00'],
      ['US-TX-SINGLE-LOCAL-USE', '80.00', '1.40'],
    ],
    // The rates are 6.25 % for the state, 1 % for Houston and 1 % for its transit district.
    ['8.25', ['US-TX', 'US-TX-01-35000', 'US-TX-63-METRO']],
  ],
  [
    'AL',
    birmingham,
    [['US-AL-SSUT', '80.00', '6.40']],
    // The rates are 4 % for the state, 2 % for Jefferson County and 4 % for Birmingham.
    ['10.00', ['US-AL', 'US-AL-00-073', 'US-AL-01-07000']],
  ],
] as const)(
  'reports remote sales in the return of %s by jurisdiction, less their credit',
  async (state, customer, totals, after) => {
    const filer = createFiler(await newCaller({ settings }));
    const sold = await soldOn(filer, '2026-09-10', '100.00', { customer });
    expect(sold.tax_amount).toBe('8.00');
    const line_items = [{ id: 'item_1', product_tax_code: 'GENERAL', quantity: '1', unit_price: '20.00' }];
    const credit = await made(filer.create(buildCreditRequest(sold, { tax_date: '2026-09-20', line_items })));
    expect(credit.tax_amount).toBe('1.60');
    const later = await soldOn(filer, '2026-10-01', '100.00', { customer });
    const codes = later.tax_summary.map(({ jurisdiction_code }) => jurisdiction_code);
    expect([later.tax_amount, codes]).toEqual(after);

    expect(listTaxes((await closedFiling(filer, state, '2026-09-30')).totals)).toEqual(totals);
    const october = await closedFiling(filer, state, '2026-10-31');
    expect(october.totals.map(({ jurisdiction_code }) => jurisdiction_code)).toEqual(after[1]);
  },
);
