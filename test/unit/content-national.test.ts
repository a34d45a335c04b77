/** Every state, product and address: warnings about unknown content, treatments by state, and cases from public reports. */
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../shared/accounts/account.ts';
import { calculate } from '../../shared/calculations/calculate.ts';
import { shippingList } from '../../shared/calculations/charges.ts';
import type { CalculationInput } from '../../shared/calculations/request.ts';
import { builtInReleaseFor, builtInReleases } from '../../shared/catalog/built-in.ts';
import zipStates from '../../shared/catalog/location/zip-states.json' with { type: 'json' };
import type { Confidence } from '../../shared/catalog/release-values.ts';
import { findRates, type RatesQuery } from '../../shared/rates/rates.ts';
import productTaxCodes from '../../shared/vocabulary/product-tax-codes.json' with { type: 'json' };
import cases from '../fixtures/public-cases.json' with { type: 'json' };
import { ask, refusal, warningCodes } from '../support/builders.ts';
import { localRates, treatments } from '../support/facts.ts';
import { town, withLocals } from '../support/local-content.ts';

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

describe('the treatment of products by state, typed by hand from the law', () => {
  const asked = (state: string, product_tax_code: string, tax_date = '2026-09-15') =>
    ask({ to: { state }, tax_date, line_items: [{ product_tax_code }] });
  const taxOn = (state: string, code: string, day?: string) => asked(state, code, day).tax_amount;

  // content-worked-cases.test.ts has more goods that the definitions of the Streamlined agreement count as food.
  it.each(treatments)('$topic: $codes have in $states a tax of $tax', ({ states, codes, tax, established }) => {
    const wrong: string[] = [];
    for (const state of states)
      for (const code of codes) {
        const outcome = asked(state, code);
        const other = tax === 'general' ? 'GENERAL' : tax.replace('as ', '');
        if (outcome.tax_amount !== (/^\d/.test(tax) ? tax : taxOn(state, other)))
          wrong.push(`${state} ${code}: ${outcome.tax_amount}`);
        const isEstablished = !warningCodes(outcome).includes('taxability_not_established');
        if (isEstablished !== (established === 'yes')) wrong.push(`${state} ${code}: established ${isEstablished}`);
      }
    expect(wrong).toEqual([]);
  });

  describe('states without a general tax', () => {
    it.each([
      ['NH', 'FOOD.PREPARED_FOOD'],
      ['NH', 'LODGING.HOTEL_ROOMS'],
      ['NH', 'RENTALS.VEHICLE_RENTAL'],
      ['MT', 'FOOD.PREPARED_FOOD'],
      ['MT', 'LODGING.HOTEL_ROOMS'],
      ['DE', 'LODGING.HOTEL_ROOMS'],
      ['OR', 'LODGING.HOTEL_ROOMS'],
    ])('in %s, %s are subject to a different tax, with a warning', (state, code) => {
      const outcome = asked(state, code);
      expect(outcome.tax_amount).toBe('0.00');
      expect(warningCodes(outcome)).toContain('content_unconfirmed');
    });
    it.each(['DE', 'NH', 'OR'])('%s: goods need no warning', (state) =>
      expect(asked(state, 'HOME.FURNITURE').warnings).toEqual([]),
    );
    it('in Montana have no warning for goods in a ZIP without a resort', () => {
      const line_items = [{ product_tax_code: 'HOME.FURNITURE' }];
      expect(ask({ to: { state: 'MT', postal_code: '59601' }, line_items }).warnings).toEqual([]);
      expect(warningCodes(ask({ to: { state: 'MT' }, line_items }))).toEqual(['local_rates_missing']);
    });
  });

  describe('partly known holidays', () => {
    it.each([
      ['CT', '2026-08-20'],
      ['FL', '2026-08-10'],
      ['IA', '2026-08-08'],
      ['MD', '2026-08-12'],
      ['MO', '2026-08-08'],
      ['NM', '2026-08-01'],
      ['OH', '2026-08-08'],
      ['TX', '2026-08-08'],
      ['VA', '2026-08-08'],
      ['WV', '2026-08-01'],
    ])('in %s on %s leave art supplies taxed, with a warning on that day only', (state, day) => {
      expect(taxOn(state, 'SCHOOL.SCHOOL_ART_SUPPLIES', day)).toBe(taxOn(state, 'GENERAL'));
      const aboutRules = (tax_date?: string) =>
        asked(state, 'SCHOOL.SCHOOL_ART_SUPPLIES', tax_date).warnings.filter(({ message }) =>
          message.includes(', rule '),
        );
      expect(aboutRules(day).map(({ code }) => code)).toContain('content_unconfirmed');
      expect(aboutRules()).toEqual([]);
    });
  });
});

describe('content levels', () => {
  /** The goods that local taxes apply to, with a local test tax of 1%. Amounts are typed by hand. */

  const taxIn = (state: string, product_tax_code: string) =>
    ask(
      { to: town(state), line_items: [{ product_tax_code }] },
      withLocals(state, [`US-${state}-LOCAL`, 'county', '0.01']),
    );

  describe('groceries at 100.00 where a county taxes 1 %', () => {
    it('have a warning in SC, because the kinds of local taxes differ and an import omits them', () =>
      expect(warningCodes(taxIn('SC', 'FOOD.GROCERY'))).toContain('taxability_not_established'));
    it('have a warning in CO, because the treatment in places without a rule is not established', () =>
      expect(warningCodes(taxIn('CO', 'FOOD.GROCERY'))).toContain('taxability_not_established'));
    it.each(['AZ', 'IL', 'LA'])('have a warning in %s, because localities differ', (state) =>
      expect(warningCodes(taxIn(state, 'FOOD.GROCERY'))).toContain('content_unconfirmed'),
    );
    it.each(['AL', 'AR', 'GA', 'KS', 'MO', 'NC', 'OK', 'SD', 'TN', 'UT'])('have no warning in %s', (state) =>
      expect(taxIn(state, 'FOOD.GROCERY').warnings.filter(({ message }) => message.includes(', rule '))).toEqual([]),
    );
  });

  it('have no single-article row for a shipping line in Tennessee', () => {
    const line = { product_tax_code: 'SHIPPING.DELIVERY', unit_price: '2000.00' };
    const { line_items } = ask(
      { to: town('TN'), line_items: [line] },
      withLocals('TN', ['US-TN-DAVIDSON', 'county', '0.0275']),
    );
    expect(line_items[0]?.taxes.map(({ jurisdiction_code }) => jurisdiction_code)).toEqual(['US-TN', 'US-TN-DAVIDSON']);
  });
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

const now = Date.parse('2026-11-26T12:00:00Z');
const settings = defaultSettings('2026-10-08');

const accepted = <Value>(result: { ok: true; value: Value } | { ok: false; problems: readonly unknown[] }): Value => {
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
};

/** The actual result, in the fields of an accepted result. */
const getAnswer = (request: CalculationInput) => {
  const outcome = accepted(calculate(request, { settings, releaseFor: builtInReleaseFor, now }, []));
  return {
    tax: outcome.tax_amount,
    shipping_taxable: shippingList(outcome.shipping)[0]?.taxable_amount,
    warnings: outcome.warnings.map(({ code }): string => code),
    coverage: outcome.line_items[0]?.address_resolution.coverage,
    parts: [] as readonly object[],
  };
};
const readRates = async (query: RatesQuery): Promise<ReturnType<typeof getAnswer> & { combined?: string | null }> => {
  const content = { loadContent: async () => builtInReleaseFor, now: () => now };
  const rates = accepted(await findRates({ ...query, date: '2026-11-20' }, settings, content));
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
