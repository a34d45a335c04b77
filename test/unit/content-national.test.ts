/** Every state, product and address: warnings about unknown content, treatments by state, and cases from public reports. */
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../shared/accounts/account.ts';
import type { CalculationInput } from '../../shared/calculations/request.ts';
import { builtInReleases } from '../../shared/catalog/built-in.ts';
import zipStates from '../../shared/catalog/location/zip-states.json' with { type: 'json' };
import type { Confidence } from '../../shared/catalog/release-values.ts';
import type { RatesQuery } from '../../shared/rates/rates.ts';
import productTaxCodes from '../../shared/vocabulary/product-tax-codes.json' with { type: 'json' };
import cases from '../fixtures/public-cases.json' with { type: 'json' };
import { ask, askRates, type NewRequest, refusal, warningCodes } from '../support/builders.ts';
import { treatments } from '../support/facts.ts';
import { town, withLocals } from '../support/local-content.ts';
import { shippingCharges } from '../support/sales.ts';

const isUncertain = (confidence: Confidence | undefined) => confidence === 'medium' || confidence === 'low';
/** Ten codes per document, so that the whole country takes a second instead of a minute. */
/** Levy adds a state's delivery fee, so it is sent without a price. */
const getPrice = (code: string, price: string) => (code === 'FEES.RETAIL_DELIVERY_FEE' ? '0.00' : price);

const batches = Array.from({ length: Math.ceil(productTaxCodes.length / 10) }, (_, index) =>
  productTaxCodes.slice(index * 10, index * 10 + 10).map(({ code }) => code),
);

const states = builtInReleases().map((release) => [release.state.slice(3), release] as const);
const days = ['2026-03-01', '2026-08-08', '2026-11-20'];

describe.each(states)('%s', (state, release) => {
  // The state alone, and the state with local taxes from an import.
  const around = withLocals(
    state,
    [`${release.state}-A`, 'county', '0.01'],
    [`${release.state}-B`, 'city', '0.02'],
    [`${release.state}-C`, 'district', '0.005'],
  );
  const asked = (tax_date: string) =>
    batches.flatMap((codes) => {
      const line_items = codes.map((product_tax_code) => ({
        product_tax_code,
        unit_price: getPrice(product_tax_code, '120.00'),
      }));
      // Expensive goods for a business, with a delivery, to cover the other side of each threshold and of each rule on
      // the buyer's use.
      const dear = codes.map((product_tax_code) => ({
        product_tax_code,
        unit_price: getPrice(product_tax_code, '30000.00'),
      }));
      return [
        ask({ to: { state }, tax_date, line_items }),
        ask({ to: town(state), tax_date, line_items }, around),
        ask({
          customer: { address: { state }, use: 'business' },
          tax_date,
          line_items: [...dear, { product_tax_code: 'GENERAL' }],
          shipping: { amount: '10.37' },
        }),
      ];
    });
  const getConfidence = (ruleId: string): Confidence | undefined =>
    ruleId === `${state.toLowerCase()}-shipping`
      ? release.settings.shipping.at(-1)?.confidence
      : release.rules.find(({ id }) => id === ruleId)?.confidence;

  it.each(days)('explains the tax on each product by rows, and warns about unconfirmed values, on %s', (day) => {
    for (const { line_items, shipping, warnings } of asked(day))
      for (const { product_tax_code, taxes } of [...line_items, ...[shipping ?? []].flat()]) {
        expect(taxes.length, `${product_tax_code}`).toBeGreaterThan(0);
        for (const { rule_id, taxability_reason, jurisdiction_name } of taxes) {
          const said = (code: string, text: string) =>
            warnings.some((warning) => warning.code === code && warning.message.startsWith(text));
          if (taxability_reason === 'not_subject_to_tax') continue;
          const confidence = rule_id === null ? undefined : getConfidence(rule_id);
          const what = `${rule_id} on ${product_tax_code} in ${jurisdiction_name}`;
          if (rule_id === null)
            expect(
              said('taxability_not_established', `${jurisdiction_name}: no rule for ${product_tax_code};`),
              what,
            ).toBe(true);
          else expect(confidence, what).toBeDefined();
          const isEstablished = release.rules.find(({ id }) => id === rule_id)?.effect.type !== 'not_established';
          const code = isEstablished ? 'content_unconfirmed' : 'taxability_not_established';
          if (isUncertain(confidence)) expect(said(code, `${release.name}, rule ${rule_id}:`), what).toBe(true);
        }
      }
  });
});

/** Addresses all over the country: two ZIPs of each ZIP3 in use, and every ZIP that crosses a border. */
const addresses = [
  ...Object.entries(zipStates.zip3).flatMap(([state, ranges]) =>
    ranges.split(' ').flatMap((range) => {
      const [low = '', high = low] = range.split('-');
      return Array.from({ length: Number(high) - Number(low) + 1 }, (_, index) =>
        String(Number(low) + index).padStart(3, '0'),
      ).flatMap((three) => [`${three}01`, `${three}50`].map((postal_code) => ({ state, postal_code })));
    }),
  ),
  ...Object.entries(zipStates.zip5).flatMap(([states, zips]) =>
    states.split(' ').flatMap((state) => zips.split(' ').map((postal_code) => ({ state, postal_code }))),
  ),
];

describe('every address of the country', () => {
  it('is in a sample of about two thousand', () => expect(addresses.length).toBeGreaterThan(1900));

  it('has a complete response, or a warning about what is missing', () => {
    for (const address of addresses) {
      if (refusal({ to: address }).length > 0) continue;
      const { line_items, warnings, tax_amount } = ask({ to: address });
      const { coverage, ambiguous } = line_items[0]?.address_resolution ?? {};
      const codes = new Set<string>(warnings.map(({ code }) => code));
      const where = `${address.state} ${address.postal_code}`;
      const uncertain = ['local_rates_missing', 'local_rates_approximate', 'content_approximate'];
      if (coverage === 'partial')
        expect(
          uncertain.some((code) => codes.has(code)),
          where,
        ).toBe(true);
      if (coverage === 'none') expect([tax_amount, codes.has('not_covered')], where).toEqual(['0.00', true]);
      if (ambiguous) expect(codes, where).toContain('address_ambiguous');
    }
  });

  it('is complete without a city and ZIP only in states without local taxes', () => {
    const complete = states
      .map(([state]) => state)
      .filter((state) => ask({ to: { state } }).line_items[0]?.address_resolution.coverage === 'complete');
    expect(complete).toEqual('AA AE AP CT DC DE IN KY MA MD ME MI NH NJ OR RI'.split(' '));
  });
});

// content-worked-cases.test.ts has more goods that the definitions of the Streamlined agreement count as food.
it.each(treatments)('$topic: by law, $codes have in $states a tax of $tax', ({ states, codes, tax, established }) => {
  const wrong: string[] = [];
  const asked = (state: string, product_tax_code: string) => ask({ to: { state }, line_items: [{ product_tax_code }] });
  for (const state of states)
    for (const code of codes) {
      const outcome = asked(state, code);
      const other = tax === 'general' ? 'GENERAL' : tax.replace('as ', '');
      if (outcome.tax_amount !== (/^\d/.test(tax) ? tax : asked(state, other).tax_amount))
        wrong.push(`${state} ${code}: ${outcome.tax_amount}`);
      const isEstablished = !warningCodes(outcome).includes('taxability_not_established');
      if (isEstablished !== (established === 'yes')) wrong.push(`${state} ${code}: established ${isEstablished}`);
    }
  expect(wrong).toEqual([]);
});

/** Cases from public bug reports, with the results that the states publish. */

type Answer = {
  readonly tax?: string;
  readonly shipping_taxable?: string;
  readonly warning?: string;
  readonly coverage_not?: string;
  readonly combined?: string;
  readonly part?: { readonly name: string; readonly rate: string };
};
type Case = {
  readonly id: string;
  readonly why: string;
  readonly source: string;
  readonly request: { readonly calculation?: CalculationInput; readonly rates?: RatesQuery };
  /** The accepted results; one of them is expected. */
  readonly accepted: readonly Answer[];
};

// Without a setting for tests, as in a new account.
const options = { today: '2026-11-26', settings: defaultSettings('2026-10-08') };

/** The actual result, in the fields of an accepted result. */
const getAnswer = (request: CalculationInput) => {
  const outcome = ask({ ...request, tax_date: request.tax_date ?? null } as NewRequest, options);
  return {
    tax: outcome.tax_amount,
    shipping_taxable: shippingCharges(outcome.shipping)[0]?.taxable_amount,
    warnings: outcome.warnings.map(({ code }): string => code),
    coverage: outcome.line_items[0]?.address_resolution.coverage,
    parts: [] as readonly object[],
  };
};
const readRates = async (query: RatesQuery): Promise<ReturnType<typeof getAnswer> & { combined?: string | null }> => {
  const rates = await askRates({ ...query, date: '2026-11-20' }, options);
  return {
    tax: '',
    shipping_taxable: undefined,
    combined: rates.combined_rate,
    warnings: rates.warnings.map(({ code }) => code),
    coverage: rates.address_resolution.coverage,
    parts: rates.jurisdictions.map(({ jurisdiction_name, rate }) => ({ name: jurisdiction_name, rate })),
  };
};

const isGiven = (
  { tax, shipping_taxable, warning, coverage_not, combined, part }: Answer,
  given: Awaited<ReturnType<typeof readRates>>,
): boolean =>
  (tax === undefined || tax === given.tax) &&
  (shipping_taxable === undefined || shipping_taxable === given.shipping_taxable) &&
  (warning === undefined || given.warnings.includes(warning)) &&
  (coverage_not === undefined || coverage_not !== given.coverage) &&
  (combined === undefined || combined === given.combined) &&
  (part === undefined || given.parts.some((one) => JSON.stringify(one) === JSON.stringify(part)));

describe('the public case', () => {
  it.each(cases as readonly Case[])('$id: $why ($source)', async ({ request: { calculation, rates }, accepted }) => {
    const given = calculation ? getAnswer(calculation) : await readRates(rates as RatesQuery);
    expect([accepted, accepted.some((answer) => isGiven(answer, given)) || given]).toEqual([accepted, true]);
  });
});
