import { describe, expect, it } from 'vitest';
import type { Effect, Release, Rule } from '../../shared/catalog/release.ts';
import type { Rate } from '../../shared/catalog/release-values.ts';
import { calculateTax } from '../../shared/tax/calculate.ts';
import type { TaxDocument, TaxedCharge } from '../../shared/tax/document.ts';
import { countsToward } from '../../shared/tax/effects/base.ts';
import { documentOf, lineOf, placeOf, productOf, releaseOf, rule, taxLine } from '../support/builders.ts';

const written = (minor: bigint) => (Number(minor) / 100).toFixed(2);
/** Rows as `code taxable exempt rate tax reason`. */
const shown = ({ rows }: Pick<TaxedCharge, 'rows'>) =>
  rows.map((row) =>
    [row.jurisdiction.code, written(row.taxable), written(row.exempt), row.rate, written(row.tax), row.reason].join(
      ' ',
    ),
  );
const listUncertainties = ({ treatments }: Pick<TaxedCharge, 'treatments'>) =>
  treatments.flatMap(({ uncertainties }) => uncertainties.map(({ code }) => code));

const withCounty = (state: string, county: string, rules: readonly Rule[]) =>
  placeOf(
    releaseOf({
      of: [
        { code: 'US-XX', type: 'state', rate: state },
        { code: 'US-XX-1', type: 'county', rate: county },
      ],
      rules,
    }),
  );
const local = { levels: ['county', 'city', 'district'] } as const;

describe('a cap on the base', () => {
  const florida = withCounty('0.06', '0.01', [
    rule('goods', ['GENERAL'], { type: 'taxable' }),
    rule('services', ['SERVICES.CLEANING'], { type: 'taxable' }),
    rule('surtax', ['MOTOR_VEHICLES'], { type: 'base_cap', amount: '5000' }, local),
  ]);
  const arkansas = withCounty('0.065', '0.03', [
    rule('boats', ['WATERCRAFT.BOATS'], { type: 'base_cap', amount: '2500.00' }, local),
  ]);

  it.each([
    { of: florida, ptc: 'MOTOR_VEHICLES.AUTOMOBILES', amount: '12000.00', taxed: '5000.00 7000.00', tax: 77_000n },
    { of: florida, ptc: 'SERVICES.CLEANING', amount: '6000.00', taxed: '6000.00 0.00', tax: 42_000n },
    { of: arkansas, ptc: 'WATERCRAFT.BOATS', amount: '30000.00', taxed: '2500.00 27500.00', tax: 202_500n },
    { of: arkansas, ptc: 'HOME.FURNITURE', amount: '3000.00', taxed: '3000.00 0.00', tax: 28_500n },
  ])('$ptc at $amount: the county taxes $taxed, $tax cents in all', ({ of, ptc, amount, taxed, tax }) => {
    const line = taxLine(lineOf(of, { ptc, amount }));
    expect(line.tax).toBe(tax);
    expect(shown(line)[1]).toContain(`US-XX-1 ${taxed} `);
    expect(line).toMatchObject({ taxable: line.net, exempt: 0n });
  });

  it('is measured after a discount, not after a coupon: 5,100.00 less 100.01 is 4,999.99', () => {
    const car = { ptc: 'MOTOR_VEHICLES.AUTOMOBILES', amount: '5100.00' };
    const [, row] = taxLine(lineOf(florida, { ...car, discount: '100.01' })).rows;
    expect(row).toMatchObject({ taxable: 499_999n, exempt: 0n, reason: 'standard_rated' });
    const [, other] = taxLine(lineOf(florida, { ...car, thirdPartyDiscount: '100.01' })).rows;
    expect(other).toMatchObject({ taxable: 500_000n, exempt: 10_000n });
  });
});

describe('a band', () => {
  // Tennessee: 7 %, a local tax on the first 1,600 of an article, and the state's own on what lies up to 3,200.
  const always = { from: '2000-01-01', to: null, source: 'test', confidence: 'high' } as const;
  const base = releaseOf({
    of: [
      { code: 'US-TN', type: 'state', rate: '0.07' },
      { code: 'US-TN-1', type: 'county', rate: '0.0275' },
    ],
    rules: [
      rule('goods', ['GENERAL', 'HOME', 'HOME.FURNITURE', 'SOFTWARE'], { type: 'taxable' }, { levels: ['state'] }),
      rule('local', ['HOME'], { type: 'base_cap', amount: '1600' }, local),
      rule('drugs', ['HEALTH.DRUGS'], { type: 'exempt' }),
      rule(
        'article',
        ['HOME', 'HEALTH'],
        { type: 'band', above: '1600', to: '3200', rate: '0.0275' },
        { jurisdictions: ['US-TN-SINGLE'], confidence: 'medium' },
      ),
      rule(
        'week',
        ['HOME.APPLIANCES'],
        { type: 'holiday', amount: null, inclusive: false },
        { from: '2026-07-31', to: '2026-08-02' },
      ),
    ],
  });
  const single = { code: 'US-TN-SINGLE', name: 'Single article', type: 'state', tax_type: 'sales' } as const;
  const tennessee: Release = { ...base, jurisdictions: [...base.jurisdictions, single] };
  const nashville = placeOf(tennessee);
  const sofa = (amount: string, quantity = '1') =>
    taxLine(lineOf(nashville, { ptc: 'HOME.FURNITURE', amount, quantity }));

  it('an article of 2,000.00: 140.00 of the state, 44.00 of the county, and 11.00 on 400.00', () => {
    const line = sofa('2000.00');
    expect(shown(line)).toEqual([
      'US-TN 2000.00 0.00 0.07 140.00 standard_rated',
      'US-TN-1 1600.00 400.00 0.0275 44.00 taxable_basis_reduced',
      'US-TN-SINGLE 400.00 1600.00 0.0275 11.00 portion_standard_rated',
    ]);
    expect(line).toMatchObject({ tax: 19_500n, taxable: 200_000n, exempt: 0n });
  });

  it.each([
    { quantity: '1', amount: '1600.00', taxed: undefined, because: 'nothing lies above 1,600, so there is no row' },
    { quantity: '1', amount: '1600.01', taxed: 1n, because: 'a cent above' },
    { quantity: '1', amount: '3199.99', taxed: 159_999n, because: 'a cent below the end' },
    { quantity: '1', amount: '3200.00', taxed: 160_000n, because: 'at the end' },
    { quantity: '1', amount: '5000.00', taxed: 160_000n, because: 'above the end nothing more' },
    { quantity: '3', amount: '4800.00', taxed: undefined, because: 'each is at 1,600' },
    { quantity: '3', amount: '4800.03', taxed: 3n, because: 'each is a cent above' },
    { quantity: '0.5', amount: '1000.00', taxed: 20_000n, because: 'half an article of 2,000' },
  ])('$quantity at $amount together: $taxed cents in the band, $because', ({ quantity, amount, taxed }) => {
    expect(sofa(amount, quantity).rows[2]?.taxable).toBe(taxed);
  });

  it.each([
    { ptc: 'GENERAL', day: '2026-10-08', rows: 2, because: 'no rule with a band names it' },
    { ptc: 'HEALTH.DRUGS', day: '2026-10-08', rows: 2, because: 'it is exempt by a rule that names it more closely' },
    { ptc: 'HEALTH.DIAPERS', day: '2026-10-08', rows: 3, because: 'the band names its family' },
    { ptc: 'HOME.APPLIANCES', day: '2026-08-01', rows: 2, because: 'it is a holiday' },
    { ptc: 'HOME.APPLIANCES', day: '2026-08-03', rows: 3, because: 'the holiday is over' },
    { ptc: 'HOME.FURNITURE', day: '1999-12-31', rows: 1, because: 'nothing is established of that day' },
  ])('$ptc at 2,000.00 on $day has $rows rows: $because', ({ ptc, day, rows }) => {
    expect(taxLine(lineOf(nashville, { ptc, amount: '2000.00' }), { day }).rows).toHaveLength(rows);
  });

  it('a buyer who is exempt has no row of it either', () => {
    const line = taxLine(
      lineOf(nashville, { ptc: 'HOME.FURNITURE', amount: '2000.00', collectionExemption: 'customer_exempt' }),
    );
    expect(line.rows.map(({ reason }) => reason)).toEqual(['customer_exempt', 'customer_exempt']);
  });

  it('has uncertainties where its rule is unconfirmed, and none for goods that it does not name', () => {
    expect(listUncertainties(sofa('2000.00'))).toEqual(['content_unconfirmed']);
    expect(listUncertainties(taxLine(lineOf(nashville)))).toEqual(['taxability_not_established']);
  });

  it('a jurisdiction with a rate that is not established is not taken for one that is there for a band', () => {
    const rates: Rate[] = [{ ...always, jurisdiction: 'US-TN-SINGLE', rate: '0.01', to: '2001-01-01' }];
    const place = placeOf({ ...tennessee, rates: [...tennessee.rates, ...rates] });
    expect(shown(taxLine(lineOf(place)))).toEqual(['US-TN 0.00 100.00 0 0.00 not_supported']);
  });

  it('a band in a jurisdiction with a rate has the untaxed rest, and a lower rate as a reduced one', () => {
    const place = placeOf(
      releaseOf({ rules: [rule('band', ['HOME'], { type: 'band', above: '10', to: '20', rate: '0.03' })] }),
    );
    const at = (amount: string) => shown(taxLine(lineOf(place, { ptc: 'HOME.FURNITURE', amount })));
    expect(at('10.00')).toEqual(['US-XX 0.00 10.00 0.06 0.00 product_exempt']);
    expect(at('30.00')).toEqual(['US-XX 10.00 20.00 0.03 0.30 portion_reduced_rated']);
  });
});

describe('a second rate on the rest of a large item', () => {
  const phoenix = (rate = '0.02') =>
    placeOf(
      releaseOf({
        of: [
          { code: 'US-AZ', type: 'state', rate: '0.056' },
          { code: 'US-AZ-PX', type: 'city', rate: '0.028' },
        ],
        rules: [
          rule('large', ['GENERAL'], { type: 'tiered_rate', amount: '14338', rate }, { levels: ['city'] }),
          rule('freight', ['SHIPPING'], { type: 'follows_goods' }),
        ],
      }),
    );
  const cityRow = (amount: string, quantity = '1', rate = '0.02') =>
    shown(taxLine(lineOf(phoenix(rate), { amount, quantity })))[1];

  it.each([
    ['20000.00', '1', '20000.00 0.00 0.028 514.70 portion_reduced_rated', '401.464 and 113.24'],
    ['14338.00', '1', '14338.00 0.00 0.028 401.46 standard_rated', 'at the limit nothing is above it'],
    ['14338.01', '1', '14338.01 0.00 0.028 401.46 portion_reduced_rated', 'a cent at 2.0 %'],
    ['28676.00', '2', '28676.00 0.00 0.028 802.93 standard_rated', 'two units have twice the limit'],
    ['40000.00', '2', '40000.00 0.00 0.028 1029.41 portion_reduced_rated', 'twice 514.704'],
  ])('%s for %s: %s, %s', (amount, quantity, row) => expect(cityRow(amount, quantity)).toBe(`US-AZ-PX ${row}`));

  it('may be the higher one, or zero', () => {
    expect(cityRow('20000.00', '1', '0.03')).toBe('US-AZ-PX 20000.00 0.00 0.028 571.32 portion_standard_rated');
    expect(cityRow('20000.00', '1', '0')).toBe('US-AZ-PX 20000.00 0.00 0.028 401.46 portion_reduced_rated');
  });

  it('falls on shipping that follows the goods, as on the last part of their price', () => {
    const shipping = { amount: 10_000n, product: productOf('SHIPPING.DELIVERY') };
    const {
      lines,
      shipping: [delivery],
    } = calculateTax(documentOf([lineOf(phoenix(), { amount: '14288.00' })], { shipping }));
    // 50.00 below the limit at 2.8 %, and 50.00 above it at 2.0 %.
    expect(lines[0]?.rows[1]?.exact).toBe(400_064n * 10n ** 5n * 10n ** 2n);
    expect(delivery?.rows[1]).toMatchObject({ taxable: 10_000n, tax: 240n });
  });

  it('is extracted exactly from a price that includes it', () => {
    const line = taxLine(lineOf(phoenix(), { amount: '21634.70' }), { taxIncluded: true });
    expect(line).toMatchObject({ taxable: 2_000_000n, tax: 163_470n, inexact: null });
  });
});

describe('a cap on the tax', () => {
  const carolina = (rounding: Release['settings']['rounding'][number]['policy'] = { method: 'half_up' }) =>
    placeOf(
      releaseOf({
        of: [
          { code: 'US-SC', type: 'state', rate: '0.06' },
          { code: 'US-SC-1', type: 'county', rate: '0.01' },
        ],
        rules: [
          rule('most', ['WATERCRAFT.BOATS'], { type: 'tax_cap', rate: '0.05', amount: '500' }, { levels: ['state'] }),
          rule('none', ['WATERCRAFT.BOATS'], { type: 'exempt' }, local),
        ],
        rounding,
      }),
    );
  const boat = (amount: string, quantity = '1', others: Partial<TaxDocument> = {}) =>
    taxLine(lineOf(carolina(), { ptc: 'WATERCRAFT.BOATS', amount, quantity }), others);

  it('a boat of 30,000.00 keeps its base and its rate, and is taxed 500.00 instead of 1,500.00', () => {
    expect(shown(boat('30000.00'))).toEqual([
      'US-SC 30000.00 0.00 0.05 500.00 reduced_rated',
      'US-SC-1 0.00 30000.00 0.01 0.00 product_exempt',
    ]);
  });

  it.each([
    { quantity: '1', amount: '9999.89', tax: 49_999n, because: '499.9945 is below the cap' },
    { quantity: '1', amount: '9999.99', tax: 50_000n, because: '499.9995 is rounded up' },
    { quantity: '1', amount: '10000.00', tax: 50_000n, because: 'at the cap' },
    { quantity: '1', amount: '10000.20', tax: 50_000n, because: '500.01 is a cent above' },
    { quantity: '3', amount: '29999.80', tax: 149_999n, because: 'each is below' },
    { quantity: '3', amount: '60000.00', tax: 150_000n, because: 'each is at the cap' },
    { quantity: '2', amount: '10400.00', tax: 52_000n, because: 'each is 5,200.00, and so below the cap' },
    { quantity: '0.5', amount: '10000.00', tax: 25_000n, because: 'half a unit has half the cap' },
  ])('$quantity at $amount together: $tax cents, $because', ({ quantity, amount, tax }) => {
    for (const rounding of ['line', 'invoice'] as const) expect(boat(amount, quantity, { rounding }).tax).toBe(tax);
  });

  it('a cap beside other lines on an invoice is the same', () => {
    const lines = [
      lineOf(carolina(), { ptc: 'WATERCRAFT.BOATS', amount: '30000.00' }),
      lineOf(carolina(), { amount: '0.50' }),
    ];
    const taxed = calculateTax(documentOf(lines, { rounding: 'invoice' })).lines;
    expect(taxed.map(({ tax }) => tax)).toEqual([50_000n, 4n]);
  });

  it('is no table’s to round, even at the rate of one', () => {
    const steps = ['0.10', '0.17', '0.34', '0.50', '0.67'];
    const rounding = {
      method: 'bracket',
      brackets: [{ jurisdiction: 'US-SC', rate: '0.05', steps, nothing_below: null }],
    };
    const place = carolina(rounding as Parameters<typeof carolina>[0]);
    expect(taxLine(lineOf(place, { ptc: 'WATERCRAFT.BOATS', amount: '30000.00' })).tax).toBe(50_000n);
    expect(taxLine(lineOf(place, { ptc: 'WATERCRAFT.BOATS', amount: '1.11' })).tax).toBe(6n);
  });
});

describe('a part of the price', () => {
  const texas = placeOf(
    releaseOf({
      of: [
        { code: 'US-TX', type: 'state', rate: '0.0625' },
        { code: 'US-TX-1', type: 'city', rate: '0.02' },
      ],
      rules: [rule('data', ['SERVICES.DATA_PROCESSING'], { type: 'base_percent', percent: '0.8' })],
    }),
  );

  it.each([
    { amount: '1000.00', taxed: 80_000n, tax: 6600n, because: '8.25 % of 800.00' },
    { amount: '0.01', taxed: 1n, tax: 0n, because: '0.8 of a cent is a cent' },
    { amount: '0.02', taxed: 2n, tax: 0n, because: '1.6 cents are two' },
    { amount: '0.03', taxed: 2n, tax: 0n, because: '2.4 cents are two' },
    { amount: '99.99', taxed: 7999n, tax: 660n, because: '79.992 is 79.99, of which 6.599175 is tax' },
  ])('80 % of $amount: $taxed cents are taxed, $because', ({ amount, taxed, tax }) => {
    const line = taxLine(lineOf(texas, { ptc: 'SERVICES.DATA_PROCESSING', amount }));
    expect(line).toMatchObject({ taxable: taxed, exempt: line.net - taxed, tax });
    for (const { reason } of line.rows)
      expect(reason).toBe(taxed === line.net ? 'standard_rated' : 'taxable_basis_reduced');
  });
});

describe('a fee', () => {
  const ptc = 'FEES.RETAIL_DELIVERY_FEE';
  const feeOf = (order_minimum: string | null, rate = '0.06', amount = '0.50') =>
    placeOf(
      releaseOf({
        of: [
          { code: 'US-MN', type: 'state', rate },
          { code: 'US-MN-1', type: 'city', rate: '0.005' },
        ],
        rules: [
          rule('fee', [ptc], { type: 'flat_fee', amount, order_minimum }, { levels: ['state'] }),
          rule('no-fee', [ptc], { type: 'exempt' }, local),
          rule('clothes', ['CLOTHING.APPAREL'], { type: 'exempt' }),
          rule('half', ['SERVICES'], { type: 'base_percent', percent: '0.5' }),
        ],
      }),
    );
  const minnesota = feeOf('100');
  const fee = (place = minnesota, quantity = '1') => lineOf(place, { ptc, amount: '0', quantity });
  const feeTax = (goods: Parameters<typeof documentOf>[0], others: Partial<TaxDocument> = {}, line = fee()) =>
    calculateTax(documentOf([line, ...goods], others)).lines[0]?.tax;
  const goods = (amount: string) => lineOf(minnesota, { amount });

  it('is 0.50 on its own line, at no rate and on no base', () => {
    const [line] = calculateTax(documentOf([fee(), goods('100.00')])).lines;
    expect(line && shown(line)).toEqual(['US-MN 0.00 0.00 0 0.50 standard_rated']);
    expect(line?.tax).toBe(50n);
  });

  it.each([
    [0n, [goods('99.99')], 'a cent below the minimum'],
    [50n, [goods('100.00')], 'at the minimum'],
    [50n, [goods('60.00'), goods('40.00')], 'the lines count together'],
    [0n, [lineOf(minnesota, { amount: '120.00', discount: '20.01' })], 'after the discount'],
    [50n, [lineOf(minnesota, { amount: '100.00', thirdPartyDiscount: '50.00' })], 'not after a coupon'],
    [0n, [lineOf(minnesota, { ptc: 'CLOTHING.APPAREL', amount: '500.00' })], 'exempt goods do not count'],
    [0n, [lineOf(minnesota, { ptc: 'SERVICES.REPAIR', amount: '199.98' })], 'only what is taxed counts'],
    [0n, [lineOf(minnesota, { collectionExemption: 'customer_exempt' })], 'a buyer who is exempt does not count'],
    [0n, [lineOf(placeOf(releaseOf()))], 'goods for another state do not count'],
    [0n, [], 'there are no goods'],
  ])('$0 cents: $2', (tax, lines) => {
    for (const rounding of ['line', 'invoice'] as const) expect(feeTax(lines, { rounding })).toBe(tax);
  });

  it.each([
    ['taxable goods count', 'GENERAL', true, true],
    ['exempt goods do not', 'GENERAL', false, false],
    ['exempt goods of a code that always counts do', 'CLOTHING.APPAREL', false, true],
    ['taxable goods of a code that never counts do not', 'FOOD.CANDY', true, false],
    ['goods of a code that begins alike are other goods', 'FOODS', true, true],
  ])('%s toward it', (_, path, isTaxed, counts) => {
    const base = { also: ['CLOTHING', 'FOOD.GROCERY'], never: ['FOOD'], shipping: true };
    expect(countsToward(base, path, isTaxed)).toBe(counts);
    expect(countsToward(base, 'FOOD.GROCERY', isTaxed)).toBe(false);
  });

  it('may be due once for an order, and only if the order has goods that count', () => {
    const base = { also: [], never: [], shipping: false };
    const effect = { type: 'flat_fee', amount: '0.275', order_minimum: null, once_per: 'order', base } as const;
    const rules = [rule('fee', [ptc], effect), rule('clothes', ['CLOTHING.APPAREL'], { type: 'exempt' })];
    const place = placeOf(releaseOf({ rules }));
    const due = lineOf(place, { ptc, amount: '0', quantity: '3' });
    expect(feeTax([lineOf(place, { amount: '0.01' })], {}, due)).toBe(28n);
    expect(feeTax([lineOf(place, { ptc: 'CLOTHING.APPAREL' })], {}, due)).toBe(0n);
  });

  it.each([
    { line: fee(minnesota, '3'), tax: 150n, because: 'three deliveries' },
    { line: fee(feeOf(null)), tax: 50n, because: 'a fee without a minimum is always due' },
    { line: fee(feeOf('100', '0')), tax: 50n, because: 'a state without the tax may have the fee' },
    { line: fee(feeOf(null, '0.06', '0.275')), tax: 28n, because: 'a fee is rounded by itself, half up' },
    { line: fee(feeOf(null), '0.5'), tax: 25n, because: 'half of one' },
    {
      line: { ...fee(feeOf(null)), collectionExemption: 'customer_exempt' as const },
      tax: 0n,
      because: 'an exempt buyer',
    },
  ])('$tax cents: $because', ({ line, tax }) => {
    expect(feeTax([lineOf(line.place, { amount: '100.00' })], {}, line)).toBe(tax);
  });

  it('is no part of other taxes: fee and goods sum, on a line and on an invoice', () => {
    for (const rounding of ['line', 'invoice'] as const) {
      const taxed = calculateTax(documentOf([fee(), goods('100.10')], { rounding }));
      // 6.5 % of 100.10 is 6.5065.
      expect(taxed.lines.map(({ tax }) => tax)).toEqual([50n, 651n]);
    }
  });

  it('has no share of the shipping, even among goods of no price', () => {
    const { shipping } = calculateTax(
      documentOf([fee(), lineOf(minnesota, { amount: '0' })], {
        shipping: { amount: 1000n, product: lineOf(minnesota, { ptc: 'SHIPPING.DELIVERY' }).product },
      }),
    );
    expect(shipping).toMatchObject([{ taxable: 1000n, exempt: 0n, tax: 65n }]);
  });

  it.each([
    { line: { amount: '0.50' }, because: 'it is the fee' },
    { line: { amount: '0.60' }, because: 'for every amount' },
    { line: { amount: '0.50', discount: '0.50' }, because: 'also where a discount takes it all' },
  ])('a fee with a price, $line.amount, is what the seller states: nothing is added, $because', ({ line }) => {
    for (const rounding of ['line', 'invoice'] as const) {
      const priced = lineOf(minnesota, { ptc, ...line });
      const taxed = calculateTax(documentOf([priced, goods('100.00')], { rounding })).lines;
      expect(taxed.map(({ tax }) => tax)).toEqual([0n, 650n]);
      expect(taxed[0]).toMatchObject({ taxable: 0n, exempt: priced.amount - priced.discount, inexact: null });
      expect(taxed[0]?.rows.map(({ rate, reason }) => [rate, reason])).toEqual([['0', 'not_subject_to_tax']]);
    }
  });

  it.each([
    ['0.50', 0n],
    ['0.60', 10n],
  ])('a fee in a price that includes it, %s, is extracted, and leaves %d cents', (amount, exempt) => {
    for (const rounding of ['line', 'invoice'] as const) {
      const lines = [lineOf(minnesota, { ptc, amount }), goods('106.50')];
      const taxed = calculateTax(documentOf(lines, { taxIncluded: true, rounding })).lines;
      expect(taxed.map(({ tax }) => tax)).toEqual([50n, 650n]);
      expect(taxed[0]).toMatchObject({ taxable: 0n, exempt, inexact: null });
    }
  });
});

describe('a holiday', () => {
  const week = { from: '2026-08-16', to: '2026-08-22' };
  const holiday = (amount: string | null, inclusive = false): Effect => ({ type: 'holiday', amount, inclusive });
  const connecticut = placeOf(
    releaseOf({
      of: [{ code: 'US-CT', type: 'state', rate: '0.0635' }],
      rules: [
        rule('luxury', ['CLOTHING'], { type: 'threshold_rate', amount: '1000', rate: '0.0775' }),
        rule('tax-free-week', ['CLOTHING'], holiday('100'), week),
      ],
    }),
  );
  const on = (day: string, amount: string, quantity = '1', place = connecticut) =>
    taxLine(lineOf(place, { ptc: 'CLOTHING.FOOTWEAR', amount, quantity }), { day });

  it.each([
    ['2026-08-18', '1', '99.99', '0.00 99.99 0.0635 0.00 product_exempt_holiday', 'tax-free-week'],
    ['2026-08-18', '1', '100.00', '100.00 0.00 0.0635 6.35 standard_rated', 'luxury'],
    ['2026-08-18', '1', '1000.00', '1000.00 0.00 0.0635 63.50 standard_rated', 'luxury'],
    ['2026-08-18', '1', '1000.01', '1000.01 0.00 0.0775 77.50 standard_rated', 'luxury'],
    ['2026-08-18', '3', '299.97', '0.00 299.97 0.0635 0.00 product_exempt_holiday', 'tax-free-week'],
    ['2026-08-18', '3', '300.00', '300.00 0.00 0.0635 19.05 standard_rated', 'luxury'],
    ['2026-08-18', '0.5', '50.00', '50.00 0.00 0.0635 3.18 standard_rated', 'luxury'],
    ['2026-08-18', '0.5', '49.99', '0.00 49.99 0.0635 0.00 product_exempt_holiday', 'tax-free-week'],
    ['2026-08-15', '1', '99.99', '99.99 0.00 0.0635 6.35 standard_rated', 'luxury'],
    ['2026-08-16', '1', '99.99', '0.00 99.99 0.0635 0.00 product_exempt_holiday', 'tax-free-week'],
    ['2026-08-22', '1', '99.99', '0.00 99.99 0.0635 0.00 product_exempt_holiday', 'tax-free-week'],
    ['2026-08-23', '1', '99.99', '99.99 0.00 0.0635 6.35 standard_rated', 'luxury'],
  ])('%s, %s at %s together: %s by %s', (day, quantity, amount, row, id) => {
    const line = on(day, amount, quantity);
    expect(shown(line)).toEqual([`US-CT ${row}`]);
    expect(line.rows[0]?.ruleId).toBe(id);
    expect(line.treatments.map(({ ruleId }) => ruleId)).toEqual([id]);
  });

  it.each([
    { effect: holiday('100', true), amount: '100.00', reason: 'product_exempt_holiday' },
    { effect: holiday('100', true), amount: '100.01', reason: 'standard_rated' },
    { effect: holiday(null), amount: '99999.00', reason: 'product_exempt_holiday' },
  ])('$effect, $amount: $reason', ({ effect, amount, reason }) => {
    const place = placeOf(releaseOf({ rules: [rule('week', ['CLOTHING'], effect, week)] }));
    expect(on('2026-08-18', amount, '1', place).rows).toMatchObject([{ reason }]);
  });

  it('Massachusetts above the limit of its holiday still leaves 175 of each garment free', () => {
    const place = placeOf(
      releaseOf({
        of: [{ code: 'US-MA', type: 'state', rate: '0.0625' }],
        rules: [
          rule('excess', ['CLOTHING.APPAREL', 'CLOTHING.FOOTWEAR'], { type: 'threshold_excess', amount: '175' }),
          rule('weekend', ['CLOTHING.APPAREL', 'CLOTHING.FOOTWEAR'], holiday('2500', true), week),
        ],
      }),
    );
    expect(shown(on('2026-08-18', '2500.00', '1', place))).toEqual([
      'US-MA 0.00 2500.00 0.0625 0.00 product_exempt_holiday',
    ]);
    expect(shown(on('2026-08-18', '2500.01', '1', place))).toEqual([
      'US-MA 2325.01 175.00 0.0625 145.31 portion_product_exempt',
    ]);
  });

  it('another holiday may apply above the limit of one, and above both the rule', () => {
    const place = placeOf(
      releaseOf({
        rules: [
          rule('goods', ['CLOTHING'], { type: 'taxable' }),
          rule('wide', ['CLOTHING'], holiday('200'), week),
          rule('narrow', ['CLOTHING.FOOTWEAR'], holiday('100'), week),
        ],
      }),
    );
    const rules = ['99.99', '100.00', '199.99', '200.00'].map(
      (amount) => on('2026-08-18', amount, '1', place).rows[0]?.ruleId,
    );
    expect(rules).toEqual(['narrow', 'wide', 'wide', 'goods']);
  });

  it("has its uncertainty below its limit, and above it the deciding rule's as well, each once", () => {
    const uncertain = { confidence: 'medium' } as const;
    const place = placeOf(
      releaseOf({
        rules: [
          rule('goods', ['CLOTHING'], { type: 'taxable' }, { ...uncertain, note: 'goods' }),
          rule('week', ['CLOTHING'], holiday('100'), { ...week, ...uncertain, note: 'week' }),
        ],
      }),
    );
    const messages = (amount: string) =>
      on('2026-08-18', amount, '1', place).treatments.flatMap(({ uncertainties }) =>
        uncertainties.map(({ message }) => message.match(/: (\w+) /)?.[1]),
      );
    expect(messages('99.99')).toEqual(['week']);
    expect(messages('100.00')).toEqual(['week', 'goods']);
    const unnamed = placeOf(releaseOf({ rules: [rule('week', ['CLOTHING'], holiday('100'), week)] }));
    expect(listUncertainties(on('2026-08-18', '99.99', '1', unnamed))).toEqual([]);
    expect(listUncertainties(on('2026-08-18', '100.00', '1', unnamed))).toEqual(['taxability_not_established']);
  });
});

describe('a rule that names jurisdictions', () => {
  // New York City: the city and the transport district leave clothing below 110 free, as the state does; Albany does not.
  const cliff: Effect = { type: 'threshold_cliff', amount: '110', inclusive: false };
  const newYork = releaseOf({
    of: [
      { code: 'US-NY', type: 'state', rate: '0.04' },
      { code: 'US-NY-NYC', type: 'city', rate: '0.045' },
      { code: 'US-NY-MCTD', type: 'district', rate: '0.00375' },
      { code: 'US-NY-ALBANY', type: 'county', rate: '0.04' },
    ],
    rules: [
      rule('local-clothing', ['CLOTHING.APPAREL'], { type: 'taxable' }, local),
      rule('state-clothing', ['CLOTHING.APPAREL'], cliff, { levels: ['state'] }),
      rule('city-clothing', ['CLOTHING.APPAREL'], cliff, { jurisdictions: ['US-NY-NYC', 'US-NY-MCTD'] }),
    ],
  });
  const at = (codes: readonly string[], amount: string, quantity = '1') =>
    taxLine(
      lineOf(
        placeOf(
          newYork,
          newYork.jurisdictions.filter(({ code }) => codes.includes(code)),
        ),
        { ptc: 'CLOTHING.APPAREL', amount, quantity },
      ),
    );
  const city = ['US-NY', 'US-NY-NYC', 'US-NY-MCTD'];
  const albany = ['US-NY', 'US-NY-ALBANY'];

  it.each([
    { place: city, amount: '109.99', quantity: '1', tax: 0n },
    { place: city, amount: '110.00', quantity: '1', tax: 976n },
    { place: city, amount: '150.00', quantity: '1', tax: 1331n },
    { place: city, amount: '50.00', quantity: '2', tax: 0n },
    { place: albany, amount: '109.99', quantity: '1', tax: 440n },
    { place: albany, amount: '110.00', quantity: '1', tax: 880n },
  ])('clothing, $quantity at $amount in $place: $tax cents', ({ place, amount, quantity, tax }) => {
    expect(at(place, amount, quantity).tax).toBe(tax);
  });

  it('is more specific than one for a type, and less than more attributes', () => {
    const rules = [
      rule('named', ['CLOTHING.APPAREL'], { type: 'exempt' }, { jurisdictions: ['US-XX'] }),
      rule('type', ['CLOTHING.APPAREL'], { type: 'taxable' }, { levels: ['state'], from: '2026-01-01' }),
      rule('fur', ['CLOTHING.APPAREL'], { type: 'taxable' }, { attributes: { any: ['_FUR'], none: [] } }),
    ];
    for (const order of [rules, rules.toReversed()]) {
      const place = placeOf(releaseOf({ rules: order }));
      expect(taxLine(lineOf(place, { ptc: 'CLOTHING.APPAREL' })).rows[0]?.ruleId).toBe('named');
      expect(taxLine(lineOf(place, { ptc: 'CLOTHING.APPAREL._FUR' })).rows[0]?.ruleId).toBe('fur');
    }
  });

  it('binds none of another type, where it names both', () => {
    const rules = [
      rule('both', ['GENERAL'], { type: 'exempt' }, { jurisdictions: ['US-XX'], levels: ['county'] }),
      rule('null', ['GENERAL'], { type: 'taxable' }, { jurisdictions: null }),
    ];
    expect(taxLine(lineOf(placeOf(releaseOf({ rules })))).rows[0]?.ruleId).toBe('null');
  });
});

describe('the rate on food for home use', () => {
  const always = { from: '2000-01-01', to: null, source: 'test', confidence: 'high' } as const;
  const georgia = (rules: readonly Rule[] = []) => {
    const release = releaseOf({
      of: [
        { code: 'US-GA', type: 'state', rate: '0' },
        { code: 'US-GA-1', type: 'county', rate: '0' },
      ],
      rules,
    });
    return {
      ...release,
      rates: [
        { ...always, jurisdiction: 'US-GA', rate: '0.04', food_rate: '0' },
        {
          ...always,
          jurisdiction: 'US-GA-1',
          rate: '0.03',
          food_rate: '0.02',
          interstate: { rate: '0.01', food_rate: '0.005' },
        },
      ],
    };
  };
  const at = (ptc: string, isInterstate = false, rules: readonly Rule[] = []) =>
    shown(taxLine(lineOf({ ...placeOf(georgia(rules)), isInterstate }, { ptc })));

  it.each([
    { ptc: 'FOOD.GROCERY', rows: ['0 0.00 zero_rated', '0.02 2.00 reduced_rated'] },
    { ptc: 'FOOD.GROCERY._HEATED', rows: ['0.04 4.00 standard_rated', '0.03 3.00 standard_rated'] },
    { ptc: 'FOOD.GROCERY._UTENSILS_PROVIDED', rows: ['0.04 4.00 standard_rated', '0.03 3.00 standard_rated'] },
    { ptc: 'FOOD.GROCERY._SUPPLEMENT_FACTS', rows: ['0.04 4.00 standard_rated', '0.03 3.00 standard_rated'] },
    { ptc: 'FOOD.CANDY', rows: ['0.04 4.00 standard_rated', '0.03 3.00 standard_rated'] },
    { ptc: 'GENERAL', rows: ['0.04 4.00 standard_rated', '0.03 3.00 standard_rated'] },
  ])('$ptc: $rows', ({ ptc, rows }) => {
    expect(at(ptc).map((row) => row.split(' ').slice(3).join(' '))).toEqual(rows);
  });

  it.each<[string, Effect, string[]]>([
    ['taxable is at the rate of food', { type: 'taxable' }, ['0 0.00 zero_rated', '0.02 2.00 reduced_rated']],
    ['exempt is exempt', { type: 'exempt' }, ['0 0.00 product_exempt', '0.02 0.00 product_exempt']],
    [
      'a rate of the rule’s own wins',
      { type: 'rate', rate: '0.025' },
      ['0.025 2.50 reduced_rated', '0.025 2.50 reduced_rated'],
    ],
  ])('%s', (_, effect, rows) => {
    const rules = [rule('groceries', ['FOOD.GROCERY'], effect)];
    expect(at('FOOD.GROCERY', false, rules).map((row) => row.split(' ').slice(3).join(' '))).toEqual(rows);
  });

  it('food from another state has the interstate rate, where the content has one', () => {
    expect(at('GENERAL', true)).toEqual([
      'US-GA 100.00 0.00 0.04 4.00 standard_rated',
      'US-GA-1 100.00 0.00 0.01 1.00 standard_rated',
    ]);
    expect(at('FOOD.GROCERY', true)).toEqual([
      'US-GA 100.00 0.00 0 0.00 zero_rated',
      'US-GA-1 100.00 0.00 0.005 0.50 reduced_rated',
    ]);
  });
});

describe('a document in another currency', () => {
  const amounts: Effect[] = [
    { type: 'threshold_cliff', amount: '110', inclusive: false },
    { type: 'threshold_excess', amount: '110' },
    { type: 'threshold_rate', amount: '110', rate: '0.10' },
    { type: 'base_cap', amount: '110' },
    { type: 'tiered_rate', amount: '110', rate: '0.10' },
    { type: 'band', above: '10', to: '110', rate: '0.10' },
    { type: 'tax_cap', amount: '110', rate: '0.10' },
    { type: 'flat_fee', amount: '0.50', order_minimum: null },
    { type: 'holiday', amount: '110', inclusive: false },
  ];
  const inEuro = { currency: 'EUR' };
  const under = (effect: Effect) => placeOf(releaseOf({ rules: [rule('one', ['GENERAL'], effect)] }));

  it.each(amounts)('is not compared with an amount in dollars, with an uncertainty: $type', (effect) => {
    const line = taxLine(lineOf(under(effect)), inEuro);
    expect(line.rows).toMatchObject([{ tax: 0n, taxable: 0n, exempt: 10_000n, reason: 'not_supported' }]);
    expect(line.treatments[0]?.uncertainties).toMatchObject([
      { code: 'not_covered', message: expect.stringMatching(/USD.*EUR/) },
    ]);
    expect(listUncertainties(taxLine(lineOf(under(effect))))).not.toContain('not_covered');
  });

  it.each<Effect>([
    { type: 'taxable' },
    { type: 'rate', rate: '0.10' },
    { type: 'base_percent', percent: '0.8' },
    { type: 'holiday', amount: null, inclusive: false },
    { type: 'use_split', business: { type: 'exempt' }, personal: { type: 'taxable' } },
  ])('is taxed alike where no amount matters: $type', (effect) => {
    const line = lineOf(under(effect), { use: 'personal' });
    expect(shown(taxLine(line, inEuro))).toEqual(shown(taxLine(line)));
    expect(listUncertainties(taxLine(line, inEuro))).toEqual([]);
  });

  it('has no uncertainty for a buyer from whom nothing is collected', () => {
    const line = taxLine(lineOf(under(amounts[0] as Effect), { collectionExemption: 'customer_exempt' }), inEuro);
    expect(line.rows).toMatchObject([{ reason: 'customer_exempt' }]);
    expect(listUncertainties(line)).toEqual([]);
  });

  it('is rounded half up where a table in dollars is mandatory, with an uncertainty', () => {
    const brackets = [{ jurisdiction: 'US-XX', rate: '0.06', steps: ['0.10', '0.17'], nothing_below: null }];
    const rules = [rule('one', ['GENERAL'], { type: 'taxable' })];
    const place = placeOf(releaseOf({ rules, rounding: { method: 'bracket', brackets } }));
    expect(taxLine(lineOf(place, { amount: '0.51' })).tax).toBe(2n);
    const line = taxLine(lineOf(place, { amount: '0.51' }), inEuro);
    expect([line.tax, listUncertainties(line)]).toEqual([3n, ['content_unconfirmed']]);
  });
});
