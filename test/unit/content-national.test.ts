/** Every state, product and address: warnings about unknown content, treatments by state, and cases from public reports. */
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../shared/accounts/account.ts';
import type { CalculationInput } from '../../shared/calculations/request.ts';
import { builtInReleases } from '../../shared/catalog/built-in.ts';
import { inForce } from '../../shared/catalog/effective.ts';
import zipStates from '../../shared/catalog/location/zip-states.json' with { type: 'json' };
import type { Confidence } from '../../shared/catalog/release-values.ts';
import type { RatesQuery } from '../../shared/rates/rates.ts';
import productTaxCodes from '../../shared/vocabulary/product-tax-codes.json' with { type: 'json' };
import cases from '../fixtures/public-cases.json' with { type: 'json' };
import { ask, askRates, type NewRequest, refusal, warningCodes } from '../support/builders.ts';
import { readEffect, readings, stateTreatments, treatments } from '../support/facts.ts';
import { builtIn, town, withLocals } from '../support/local-content.ts';
import { onlyShipping, shippingCharges } from '../support/sales.ts';

const isUncertain = (confidence: Confidence | undefined) => confidence === 'medium' || confidence === 'low';
/** Levy adds a state's delivery fee, so it is sent without a price. */
const getPrice = (code: string, price: string) => (code === 'FEES.RETAIL_DELIVERY_FEE' ? '0.00' : price);

/** Ten codes per document, so that the whole country takes a second instead of a minute. */
const batches = Array.from({ length: Math.ceil(productTaxCodes.length / 10) }, (_, index) =>
  productTaxCodes.slice(index * 10, index * 10 + 10).map(({ code }) => code),
);

const states = builtInReleases().map((release) => [release.state.slice(3), release] as const);
const days = ['2026-03-01', '2026-08-08', '2026-11-20'];

describe.each(states)('%s', (state, release) => {
  // The state only, and the state with local taxes from an import.
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
      // Expensive goods for business use, with a delivery, cover the upper side of each threshold and each rule on the
      // buyer's use.
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
    const wrong: string[] = [];
    for (const { line_items, shipping, warnings } of asked(day))
      for (const { product_tax_code, taxes } of [...line_items, ...[shipping ?? []].flat()]) {
        if (taxes.length === 0) wrong.push(`no row: ${product_tax_code}`);
        for (const { rule_id, taxability_reason, jurisdiction_name } of taxes) {
          const said = (code: string, text: string) =>
            warnings.some((warning) => warning.code === code && warning.message.startsWith(text));
          if (taxability_reason === 'not_subject_to_tax') continue;
          const confidence = rule_id === null ? undefined : getConfidence(rule_id);
          const what = `${rule_id} on ${product_tax_code} in ${jurisdiction_name}`;
          if (rule_id === null) {
            if (!said('taxability_not_established', `${jurisdiction_name}: no rule for ${product_tax_code};`))
              wrong.push(`no warning: ${what}`);
          } else if (confidence === undefined) wrong.push(`no such rule: ${what}`);
          const isEstablished = release.rules.find(({ id }) => id === rule_id)?.effect.type !== 'not_established';
          const code = isEstablished ? 'content_unconfirmed' : 'taxability_not_established';
          if (isUncertain(confidence) && !said(code, `${release.name}, rule ${rule_id}:`))
            wrong.push(`no ${code}: ${what}`);
        }
      }
    expect(wrong).toEqual([]);
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

describe('addresses of the whole country', () => {
  it('samples about two thousand addresses', () => expect(addresses.length).toBeGreaterThan(1900));

  it('returns a complete response, or a warning about what is missing', () => {
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

  it('returns a complete response without a city and ZIP only in states without local taxes', () => {
    const complete = states
      .map(([state]) => state)
      .filter((state) => ask({ to: { state } }).line_items[0]?.address_resolution.coverage === 'complete');
    expect(complete).toEqual('AA AE AP CT DC DE IN KY MA MD ME MI NH NJ OR RI'.split(' '));
  });
});

// content-worked-cases.test.ts has more goods that the definitions of the Streamlined agreement count as food.
it.each(treatments)('$topic: taxes $codes in $states at $tax', ({ states, codes, tax, established }) => {
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

type ApiResponse = {
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
  readonly accepted: readonly ApiResponse[];
};

// The settings of a new account, without changes for tests.
const options = { today: '2026-11-26', settings: defaultSettings('2026-10-08') };

/** The actual result, in the fields of an accepted result. */
const getResponse = (request: CalculationInput) => {
  const outcome = ask({ ...request, tax_date: request.tax_date ?? null } as NewRequest, options);
  return {
    tax: outcome.tax_amount,
    shipping_taxable: shippingCharges(outcome.shipping)[0]?.taxable_amount,
    warnings: outcome.warnings.map(({ code }): string => code),
    coverage: outcome.line_items[0]?.address_resolution.coverage,
    parts: [] as readonly object[],
  };
};
const readRates = async (query: RatesQuery): Promise<ReturnType<typeof getResponse> & { combined?: string | null }> => {
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
  { tax, shipping_taxable, warning, coverage_not, combined, part }: ApiResponse,
  given: Awaited<ReturnType<typeof readRates>>,
): boolean =>
  (tax === undefined || tax === given.tax) &&
  (shipping_taxable === undefined || shipping_taxable === given.shipping_taxable) &&
  (warning === undefined || given.warnings.includes(warning)) &&
  (coverage_not === undefined || coverage_not !== given.coverage) &&
  (combined === undefined || combined === given.combined) &&
  (part === undefined || given.parts.some((one) => JSON.stringify(one) === JSON.stringify(part)));

it.each(cases as readonly Case[])(
  'calculates the public case $id: $why ($source)',
  async ({ request: { calculation, rates }, accepted }) => {
    const given = calculation ? getResponse(calculation) : await readRates(rates as RatesQuery);
    expect([accepted, accepted.some((response) => isGiven(response, given)) || given]).toEqual([accepted, true]);
  },
);

/** Values typed by hand from public sources, independent of how the releases were built. */
describe('content values', () => {
  type Dated = { readonly from: string | null; readonly to: string | null };
  const valuesOn = <Value extends Dated>(state: string, values: readonly Value[], day: string) =>
    inForce<Value>(values, day, builtIn(state).established_from);
  const getValue: Readonly<Record<string, (state: string, day: string) => string>> = {
    'state rate': (state, day) => {
      const ofState = builtIn(state).rates.filter(({ jurisdiction }) => jurisdiction === `US-${state}`);
      return valuesOn(state, ofState, day)[0]?.rate ?? '-';
    },
    'shipping policy': (state, day) =>
      valuesOn(state, builtIn(state).settings.shipping, day)
        .map(({ policy }) => policy)
        .join(),
    coupons: (state, day) =>
      valuesOn(state, builtIn(state).settings.coupons, day)
        .map(({ policy }) => policy)
        .join(),
    'retail delivery fee': (state, day) =>
      valuesOn(state, builtIn(state).rules, day)
        .flatMap(({ effect }) => (effect.type === 'flat_fee' ? [effect.amount] : []))
        .join() || '-',
  };
  const rule = (id: string) => builtIn(id.slice(0, 2).toUpperCase()).rules.find((candidate) => candidate.id === id);
  const states = (text: string) => text.split(' ');

  const withoutTax = states('AK DE MT NH OR').map((state) => ({ state, rate: '0' }));
  it.each([...stateTreatments, ...withoutTax])('contains the rate of $state', ({ state, rate }) =>
    expect(getValue['state rate']?.(state, '2026-11-20')).toBe(rate),
  );

  // The days around a change; `-` is unknown.
  it.each(['state rate', 'shipping policy', 'retail delivery fee'].flatMap(readings))(
    'contains the $topic of $text: $result',
    ({ topic, text: state, result }) => {
      const days = result.split(', ').map((pair) => pair.slice(0, 10));
      expect(days.map((day) => `${day} ${getValue[topic]?.(state, day)}`).join(', ')).toBe(result);
    },
  );

  // The other rules are tested by the tax that they calculate.
  it.each(readings('effect of a rule'))('contains the rule $text: $result', ({ text, result }) =>
    expect(rule(text)?.effect).toEqual(readEffect(result)),
  );

  it('warns about the new rate of the District, because the budget acts of 2026 could end it', () =>
    expect(builtIn('DC').rates.at(-1)).toMatchObject({ confidence: 'medium', note: expect.stringContaining('2026') }));

  it('cites a statute or a tax department for every state rate, not a secondary table', () => {
    for (const { rates, sources, state } of builtInReleases())
      for (const { source } of rates) expect(sources[source], state).not.toMatch(/^Tax Foundation/);
  });
  it('reduces the taxable price by a third-party coupon in five states, confirmed in most of them', () => {
    const all = builtInReleases().map(({ state }) => state.slice(3));
    expect(all).toHaveLength(55);
    for (const state of all) {
      const policy = states('CT MA MO PA TX').includes(state) ? 'reduces_price' : 'full_price';
      expect(getValue['coupons']?.(state, '2026-11-20'), state).toBe(policy);
    }
    const uncertain = all.filter((state) =>
      builtIn(state).settings.coupons.some(({ confidence }) => confidence === 'medium' || confidence === 'low'),
    );
    expect(uncertain.toSorted()).toEqual(states('AK AL CO DC FL HI ID LA MD MS NM PR SC'));
  });

  it('starts the grocery exemption of Oklahoma on its first day', () =>
    expect(rule('ok-groceries')?.from).toBe('2024-08-29'));

  it('includes shipping in the limits of Rhode Island and of the Texas holidays only', () => {
    const ids = builtInReleases().flatMap(({ rules }) =>
      rules.flatMap(({ id, threshold_includes_shipping }) => (threshold_includes_shipping ? [id] : [])),
    );
    const goods = ['clothing', 'disaster-supplies', 'school-supplies'].map((kind) => `tx-holiday-${kind}`);
    expect(new Set(ids.map((id) => id.replace(/-202[57]$/, '')))).toEqual(new Set(['ri-clothing', ...goods]));
    expect(ids).toHaveLength(10);
  });

  it('contains no delivery fee of other states', () => {
    const withFee = builtInReleases().filter(({ rules }) => rules.some(({ effect }) => effect.type === 'flat_fee'));
    expect(withFee.map(({ state }) => state)).toEqual(['US-CO', 'US-MN']);
  });
});

describe('content by state and product', () => {
  /** The treatment of goods by state, typed by hand and sent as client requests. */

  const cells = stateTreatments.flatMap(({ state, rate: _, goods, ...kinds }) =>
    Object.entries(kinds).map(([kind, cell]) => ({ state, goods, kind, cell })),
  );

  const codes: Readonly<Record<string, string>> = {
    clothing: 'CLOTHING.APPAREL',
    groceries: 'FOOD.GROCERY',
    candy: 'FOOD.CANDY',
    soft: 'BEVERAGES.SOFT_DRINKS',
    otc: 'HEALTH.DRUGS._OVER_THE_COUNTER',
    digital: 'DIGITAL.DIGITAL_AUDIO._PERMANENT_RIGHTS',
    saas: 'SOFTWARE.SAAS',
  };
  const asked = (state: string, product_tax_code: string, use: 'business' | 'personal' | null = null) =>
    ask({ customer: { address: { state }, use }, line_items: [{ product_tax_code }] });
  const expected = (goods: string, cell: string) => (cell === 'E' ? '0.00' : /^[T?]$/.test(cell) ? goods : cell);

  describe('the tax on 100.00 at the state rate', () => {
    it('lists the tax for all 47 states with a sales tax', () =>
      expect(new Set(cells.map(({ state }) => state)).size).toBe(47));

    it.each(stateTreatments)('taxes general goods at $goods in $state', ({ state, goods }) =>
      expect(asked(state, 'GENERAL').tax_amount).toBe(goods),
    );

    it.each(cells.filter(({ kind }) => kind in codes))(
      'taxes $kind at $cell of $goods in $state',
      ({ state, goods, kind, cell }) => {
        const [personal = '', business = personal, unknown = personal] = cell
          .split('/')
          .map((part) => expected(goods, part));
        const code = codes[kind] ?? '';
        expect(asked(state, code).tax_amount).toBe(unknown);
        expect(asked(state, code, 'personal').tax_amount).toBe(personal);
        expect(asked(state, code, 'business').tax_amount).toBe(business);
        const warned = warningCodes(asked(state, code));
        if (cell === '?') expect(warned).toContain('taxability_not_established');
        else expect(warned).not.toContain('taxability_not_established');
      },
    );

    it.each(cells.filter(({ kind }) => kind === 'shipping'))(
      'taxes separately stated shipping of taxed goods at $cell in $state',
      ({ state, cell }) => {
        const shippingTax = (product_tax_code: string) =>
          onlyShipping(
            ask({
              to: { state },
              line_items: [{ unit_price: '800.00' }],
              shipping: { amount: '800.00', product_tax_code },
            }).shipping,
          )?.tax_amount;
        // At 800.00 no tax ends in half a cent, which goods and shipping would share if rounded together.
        const goods = ask({ to: { state }, line_items: [{ unit_price: '800.00' }] }).tax_amount;
        expect(shippingTax('SHIPPING.DELIVERY')).toBe(cell === 'N' ? '0.00' : goods);
        if (cell === 'N') {
          expect(shippingTax('SHIPPING.DELIVERY._INCLUDED_IN_PRICE')).toBe(goods);
          return;
        }
        // Florida and Illinois exempt delivery charges that the buyer can avoid.
        if (cell === '-') {
          expect(shippingTax('SHIPPING.DELIVERY._SEPARATELY_STATED')).toBe(goods);
          expect(shippingTax('SHIPPING.DELIVERY._OPTIONAL_CHARGE._SEPARATELY_STATED')).toBe('0.00');
        } else expect(shippingTax('SHIPPING.DELIVERY._SEPARATELY_STATED')).toBe(expected(goods, cell));
      },
    );
  });

  describe('the sourcing of a sale within a state', () => {
    const origin = 'AZ IL MS MO OH PA TN TX UT VA'.split(' ');
    it.each(stateTreatments)('$state', ({ state }) => {
      const general = builtIn(state).settings.sourcing.filter(({ ptcs }) => !ptcs);
      expect(general.map(({ policy }) => policy)).toEqual([
        state === 'CA' ? 'mixed' : origin.includes(state) ? 'origin' : 'destination',
      ]);
    });

    const at = (city: string, letters: string, postal_code: string) => ({ city, state: letters, postal_code });
    const [cleveland, cincinnati] = [at('Cleveland', 'OH', '44114'), at('Cincinnati', 'OH', '45202')];
    const [saintLouis, kansasCity] = [at('St. Louis', 'MO', '63101'), at('Kansas City', 'MO', '64106')];
    const [philadelphia, harrisburg] = [at('Philadelphia', 'PA', '19102'), at('Harrisburg', 'PA', '17101')];
    const [houston, unincorporated] = [
      at('Houston', 'TX', '77002'),
      { ...at('Katy', 'TX', '77494'), county: 'Fort Bend' },
    ];
    const [albuquerque, santaFe] = [at('Albuquerque', 'NM', '87102'), at('Santa Fe', 'NM', '87501')];
    const [saltLakeCity, provo] = [at('Salt Lake City', 'UT', '84101'), at('Provo', 'UT', '84601')];
    // R.C. 5739.033 and 5739.034, Ohio's ST 2009-03; RSMo 144.069; 61 Pa. Code 60.16; Tex. Tax Code 321.203; NMSA
    // 7-1-14; Utah Code 59-12-213 and 59-12-215.
    it.each<[string, object, object, string]>([
      ['GENERAL', cleveland, cincinnati, '8.00'],
      ['DIGITAL.EBOOKS', cleveland, cincinnati, '8.00'],
      ['SERVICES.CLEANING._REAL_PROPERTY', cleveland, cincinnati, '7.80'],
      ['SOFTWARE.SAAS._BUSINESS_USE', cleveland, cincinnati, '7.80'],
      ['MOTOR_VEHICLES.AUTOMOBILES', cleveland, cincinnati, '7.80'],
      ['TELECOM.TELECOMMUNICATIONS', cleveland, cincinnati, '7.80'],
      ['RENTALS.EQUIPMENT_RENTAL', cleveland, cincinnati, '7.80'],
      ['MOTOR_VEHICLES.MOTORCYCLES', saintLouis, kansasCity, '8.98'],
      ['WATERCRAFT.BOATS', saintLouis, kansasCity, '8.98'],
      ['AIRCRAFT.AIRPLANES', saintLouis, kansasCity, '9.68'],
      ['GENERAL', philadelphia, harrisburg, '8.00'],
      ['MOTOR_VEHICLES.AUTOMOBILES', philadelphia, harrisburg, '6.00'],
      ['MOTOR_VEHICLES.AUTOMOBILES', harrisburg, philadelphia, '8.00'],
      ['GENERAL', unincorporated, houston, '6.25'],
      ['ENERGY.ELECTRICITY._COMMERCIAL', unincorporated, houston, '8.25'],
      ['ENERGY.NATURAL_GAS._COMMERCIAL', unincorporated, houston, '8.25'],
      ['TELECOM.TELECOMMUNICATIONS', unincorporated, houston, '8.25'],
      ['GENERAL', albuquerque, santaFe, '8.19'],
      ['SERVICES.PROFESSIONAL', albuquerque, santaFe, '7.63'],
      ['SERVICES.CLEANING', albuquerque, santaFe, '8.19'],
      ['MOTOR_VEHICLES.AUTOMOBILES', saltLakeCity, provo, '8.45'],
      ['TELECOM.TELECOMMUNICATIONS', saltLakeCity, provo, '7.45'],
    ])('taxes %s from %j to %j with %s', (product_tax_code, from, to, tax) => {
      const line_items = [{ product_tax_code, unit_price: '100.00' }, { product_tax_code: 'FEES.GIFT_CARDS' }];
      const outcome = ask({ to, ship_from: { address: from }, line_items });
      expect(outcome.tax_amount).toBe(tax);
    });

    it.each<[string, object, object, string]>([
      ['MOTOR_VEHICLES.AUTOMOBILES', cleveland, cincinnati, '7.80'],
      ['MOTOR_VEHICLES.TRAILERS', philadelphia, harrisburg, '6.00'],
      ['WATERCRAFT.BOATS', saintLouis, kansasCity, '8.98'],
      ['WATERCRAFT.BOATS', saintLouis, provo, '9.68'],
      ['GENERAL', saintLouis, kansasCity, '9.68'],
      ['LODGING.HOTEL_ROOMS', cleveland, cincinnati, '8.00'],
      ['SERVICES.CLEANING._REAL_PROPERTY', cleveland, cincinnati, '8.00'],
    ])('taxes %s that a buyer picks up at %j and takes to %j with %s', (product_tax_code, from, to, tax) => {
      const line_items = [{ product_tax_code, unit_price: '100.00', fulfillment: 'pickup' as const }];
      expect(ask({ to, ship_from: { address: from }, line_items }).tax_amount).toBe(tax);
    });
  });
});
