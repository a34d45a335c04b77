/** Properties of every state, product and address: a response that relies on unknown content has a warning. */
import { describe, expect, it } from 'vitest';
import { builtInReleases } from '../../shared/catalog/built-in.ts';
import zipStates from '../../shared/catalog/location/zip-states.json' with { type: 'json' };
import type { Confidence } from '../../shared/catalog/release-values.ts';
import productTaxCodes from '../../shared/vocabulary/product-tax-codes.json' with { type: 'json' };
import { ask, refusal } from '../support/builders.ts';
import { localRates } from '../support/facts.ts';
import { town, withLocals } from '../support/local-content.ts';

const isUncertain = (confidence: Confidence | undefined) => confidence === 'medium' || confidence === 'low';
/** Ten codes per document, so that the whole country takes a second instead of a minute. */
/** Levy adds a state's delivery fee, so it is sent without a price. */
const priceOf = (code: string, price: string) => (code === 'FEES.RETAIL_DELIVERY_FEE' ? '0.00' : price);

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
        unit_price: priceOf(product_tax_code, '120.00'),
      }));
      // Expensive goods for a business, with a delivery, to cover the other side of each threshold and of each rule on
      // the buyer's use.
      const dear = codes.map((product_tax_code) => ({
        product_tax_code,
        unit_price: priceOf(product_tax_code, '30000.00'),
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
  const confidenceOf = (ruleId: string): Confidence | undefined =>
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
          const confidence = rule_id === null ? undefined : confidenceOf(rule_id);
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

  it('never taxes nontaxable goods or gift cards', () => {
    for (const code of ['NONTAXABLE', 'FEES.GIFT_CARDS'])
      expect(ask({ to: { state }, line_items: [{ product_tax_code: code }] }).tax_amount).toBe('0.00');
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

describe('a ZIP near a local tax', () => {
  const taxAt = (state: string, postal_code: string, ambiguous_address: 'warn' | 'highest_rate') =>
    ask({ to: { state, postal_code }, tax_date: '2026-11-20' }, { settings: { ambiguous_address } });

  it.each(localRates('certain ZIP'))('$to is $percent percent: $note', ({ to, percent }) => {
    for (const policy of ['warn', 'highest_rate'] as const) {
      const { tax_amount, line_items } = taxAt(to.state, to.postal_code ?? '', policy);
      expect(tax_amount).toBe(percent.toFixed(2));
      expect(line_items[0]?.address_resolution).toMatchObject({ ambiguous: false, coverage: 'complete' });
    }
  });

  it.each(['23695', '23697', '23700'])('in VA %s has a warning, because its county is unknown', (zip) =>
    expect(taxAt('VA', zip, 'warn').warnings.map(({ code }) => code)).toContain('local_rates_missing'),
  );

  it.each([
    { state: 'PA', zip: '15005', low: '6.00', high: '7.00' },
    { state: 'VA', zip: '20119', low: '5.30', high: '6.00' },
    { state: 'VA', zip: '22546', low: '5.30', high: '6.00' },
    { state: 'VA', zip: '24343', low: '5.30', high: '6.30' },
    // Two percent of the residents of Emporia's ZIP are in Southampton County.
    { state: 'VA', zip: '23847', low: '5.30', high: '6.00' },
    ...['59937', '59068', '59030', '59081', '59866', '59755', '59912'].map((zip) => {
      return { state: 'MT', zip, low: '0.00', high: '3.00' };
    }),
    ...['59716', '59758'].map((zip) => ({ state: 'MT', zip, low: '0.00', high: '4.00' })),
  ])('in $state $zip could be taxed at more than $low, with a warning', ({ state, zip, low, high }) => {
    for (const [policy, tax] of [
      ['warn', low],
      ['highest_rate', high],
    ] as const) {
      const { tax_amount, line_items, warnings } = taxAt(state, zip, policy);
      expect(tax_amount).toBe(tax);
      expect(line_items[0]?.address_resolution.ambiguous).toBe(true);
      expect(warnings.map(({ code }) => code)).toContain('address_ambiguous');
    }
  });

  it('in a Montana resort area has a tax on meals but not on groceries', () => {
    const highest = (product_tax_code: string) =>
      ask(
        { to: { state: 'MT', postal_code: '59937' }, line_items: [{ product_tax_code }] },
        { settings: { ambiguous_address: 'highest_rate' } },
      ).tax_amount;
    expect(highest('FOOD.GROCERY')).toBe('0.00');
    expect(highest('FOOD.PREPARED_FOOD')).toBe('3.00');
  });
});
