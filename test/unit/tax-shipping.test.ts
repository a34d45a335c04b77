import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Effect, Rule, ShippingPolicy } from '../../shared/catalog/release.ts';
import type { Rounding } from '../../shared/catalog/release-values.ts';
import { calculateTax } from '../../shared/tax/calculate.ts';
import type { Place, TaxDocument, TaxedCharge, TaxedDocument, TaxLine } from '../../shared/tax/document.ts';
import {
  always,
  ask,
  buildDocument,
  buildPlace,
  cents,
  getLine,
  getProduct,
  getRelease,
  placeAt,
  rule,
} from '../support/builders.ts';
import { shippingCharges } from '../support/sales.ts';
import { nearest, spread, total } from '../support/tax-oracle.ts';

const clothes = 'CLOTHING.APPAREL';
const clothesAreFree = rule('clothes', [clothes], { type: 'exempt' });
const stateAt = (code: string, rates: readonly string[], others: Parameters<typeof getRelease>[0] = {}) => {
  const [state = '0', ...cities] = rates;
  const local = cities.map((rate, index) => ({ code: `${code}-${index}`, type: 'city' as const, rate }));
  return buildPlace(getRelease({ of: [{ code, type: 'state', rate: state }, ...local], ...others }));
};

const following = placeAt([], { rules: [clothesAreFree] });
const elsewhere = stateAt('US-YY', ['0.10']);
const taxable = (amount: string, place = following) => getLine(place, { amount });
const free = (amount: string, place = following) => getLine(place, { amount, ptc: clothes });

const tax = (lines: readonly TaxLine[], amount: bigint, ptc = 'SHIPPING.DELIVERY', others: Partial<TaxDocument> = {}) =>
  calculateTax(buildDocument(lines, { shipping: { amount, product: getProduct(ptc) }, ...others }));
/** Returns the tax of a charge of 10.00. */
const ship = (lines: readonly TaxLine[], ptc?: string, day = '2026-10-08'): TaxedCharge =>
  tax(lines, 1000n, ptc, { day }).lines.at(-1) as TaxedCharge;
const shown = ({ rows }: TaxedCharge) =>
  rows.map((row) => `${row.jurisdiction.code} ${row.taxable} ${row.exempt} ${row.tax} ${row.reason}`);
const listTaxes = ({ lines }: TaxedDocument) => lines.map((charge) => charge.tax);

describe('shipping that follows the goods', () => {
  const discounted = getLine(following, { amount: '100.00', discount: '50.00' });
  const coupon = getLine(following, { amount: '50.00', thirdPartyDiscount: '25.00' });
  const exempt: TaxLine = { ...taxable('50.00'), collectionExemption: 'customer_exempt' };

  it.each([
    [1000n, [taxable('100.00')], 'the goods are taxed'],
    [0n, [free('100.00')], 'the goods are exempt'],
    [667n, [free('50.00'), taxable('100.00')], 'two thirds of the goods are taxed'],
    [500n, [taxable('0'), free('0')], 'lines of zero share equally'],
    [0n, [taxable('0'), free('100.00')], 'a line of zero has no share next to other lines'],
    [500n, [discounted, free('50.00')], 'shares depend on the net, not on the price'],
    [500n, [coupon, free('50.00')], 'a third-party discount does not reduce a share'],
    [500n, [exempt, taxable('50.00')], 'one of two buyers is exempt'],
  ])('taxes $0 of 1000 cents: $2', (taxed, lines) => {
    expect(ship(lines)).toMatchObject({
      net: 1000n,
      taxable: taxed,
      exempt: 1000n - taxed,
      tax: nearest([taxed * 6n, 100n]),
    });
  });

  const third = stateAt('US-ZZ', ['0.05']);
  const threeStates = [taxable('1.00'), taxable('1.00', elsewhere), taxable('1.00', third)];
  const [mixed, two] = [
    [taxable('100.00'), free('50.00')],
    [taxable('30.00'), taxable('10.00', elsewhere)],
  ];
  const taxed = (row: string) => `US-${row} standard_rated`;
  it.each([
    ['the exempt part has a separate row', mixed, [taxed('XX 667 0 40'), 'US-XX 0 333 0 product_exempt']],
    ['each share is taxed at its place', two, ['XX 750 0 45', 'YY 250 0 25'].map(taxed)],
    ['the first of equal shares gets a cent', threeStates, ['XX 334 0 20', 'YY 333 0 33', 'ZZ 333 0 17'].map(taxed)],
  ])('returns the expected rows: %s', (_, lines, rows) => expect(shown(ship(lines))).toEqual(rows));
});

describe('the shipping policy of a state', () => {
  const stated = '._SEPARATELY_STATED';
  const included = '._INCLUDED_IN_PRICE';
  const optional = '._OPTIONAL_CHARGE';

  const avoidable = {
    ...{ '': 45n, [stated]: 45n, [included]: 45n },
    ...{ [optional]: 0n, [`${optional}${stated}`]: 0n, [`${included}${optional}`]: 45n },
  };
  // 7.50 of the 10.00 belongs to the taxable goods, with a tax of 0.45.
  it.each<[ShippingPolicy, Readonly<Record<string, bigint>>, string[]]>([
    ['follows_goods', { '': 45n, [stated]: 45n }, []],
    ['any_taxable', { '': 60n, [stated]: 60n }, []],
    ['always_taxable', { '': 60n, [stated]: 60n }, []],
    ['exempt_unless_included', { '': 0n, [stated]: 0n, [included]: 45n }, []],
    ['taxable_unless_avoidable', avoidable, []],
  ])('%s taxes charges with these attributes: %o', (shipping, taxes, codes) => {
    const place = placeAt([], { shipping, rules: [clothesAreFree] });
    const lines = [taxable('30.00', place), free('10.00', place)];
    for (const [attributes, own] of Object.entries(taxes))
      expect([attributes, ship(lines, `SHIPPING.DELIVERY${attributes}`).tax]).toEqual([attributes, own]);
    const uncertainties = ship(lines).treatments.flatMap((treatment) => treatment.uncertainties);
    expect([...new Set(uncertainties.map(({ code }) => code))]).toEqual(codes);
    expect(ship([free('100.00', place)]).tax).toBe(shipping === 'always_taxable' ? 60n : 0n);
  });

  it('applies a rule for the charge before the policy', () => {
    const rules = [rule('handling', ['SHIPPING.HANDLING'], { type: 'taxable' })];
    const place = placeAt([], { shipping: 'exempt_unless_included', rules });
    expect(ship([taxable('100.00', place)], 'SHIPPING.HANDLING').rows).toMatchObject([
      { tax: 60n, ruleId: 'handling' },
    ]);
  });

  it.each([
    ['2022-05-31', 0n, 'not_supported', 'no policy is established before the first one'],
    ['2022-06-01', 60n, 'standard_rated', 'a first day is inclusive'],
    ['2023-06-30', 60n, 'standard_rated', 'a last day is inclusive'],
    ['2023-07-01', 0n, 'product_exempt', 'the next policy begins'],
  ])('charges $1 cents of tax on a stated delivery on $0 ($2): $3', (day, own, reason) => {
    const shipping = [
      { ...always, policy: 'follows_goods', from: '2022-06-01', to: '2023-06-30' },
      { ...always, policy: 'exempt_unless_included', from: '2023-07-01' },
    ] as const;
    const lines = [taxable('100.00', placeAt([], { settings: { shipping } }))];
    expect(ship(lines, `SHIPPING.DELIVERY${stated}`, day)).toMatchObject({ tax: own, rows: [{ reason }] });
  });
});

describe('shipping taxed if any goods are taxed', () => {
  const anyTaxable = (rates: readonly string[], rules: readonly Rule[] = []) =>
    placeAt(rates, { shipping: 'any_taxable', rules: [clothesAreFree, ...rules] });
  const place = anyTaxable(['0.06'], [rule('sweets', ['FOOD.CANDY'], { type: 'rate', rate: '0.02' })]);
  const sweets = (amount: string) => getLine(place, { ptc: 'FOOD.CANDY', amount });
  const exempt = getLine(place, { amount: '50.00', collectionExemption: 'customer_exempt' });
  const half = anyTaxable(['0.06'], [rule('half', ['GENERAL'], { type: 'base_percent', percent: '0.5' })]);
  const zero = anyTaxable(['0.06'], [rule('zero', ['FOOD.GROCERY'], { type: 'rate', rate: '0' })]);
  const groceries = getLine(zero, { ptc: 'FOOD.GROCERY', amount: '50.00' });
  const cities = anyTaxable(['0.06', '0.01', '0.02']);
  const inCity = (code: string): Place => {
    const own = cities.jurisdictions.filter((one) => one.type === 'state' || one.code === code);
    return { ...buildPlace(cities.release as NonNullable<Place['release']>, own) };
  };

  const twoCities = [taxable('50.00', inCity('US-XX-1')), free('50.00', inCity('US-XX-2'))];
  const all = ['US-XX 1000 0 60 standard_rated'];
  const byRate = ['US-XX 750 0 45 standard_rated', 'US-XX 250 0 5 reduced_rated'];
  const byBuyer = ['US-XX 0 1000 0 customer_exempt'];
  const untaxed = ['US-XX 0 500 0 product_exempt', 'US-XX 0 500 0 customer_exempt'];
  const byZero = ['US-XX 500 0 0 zero_rated', 'US-XX 0 500 0 product_exempt'];
  const byCity = [...all, 'US-XX-1 500 0 5 standard_rated', 'US-XX-2 0 500 0 product_exempt'];
  const rated = [taxable('30.00', place), sweets('10.00'), free('60.00', place)];
  it.each([
    [['US-XX 0 1000 0 product_exempt'], [free('50.00', place)], 'nothing is taxed'],
    [all, [taxable('0.01', place), free('999.99', place)], 'a cent is taxed'],
    [all, [taxable('0', place), free('0', place)], 'it would be taxed at any price'],
    [all, [taxable('100.00', half)], 'goods are partly taxed'],
    [byRate, rated, 'the rates of the taxed lines share it'],
    [all, [taxable('50.00', place), exempt], 'a certificate exempts only a part of the goods'],
    [byBuyer, [exempt, exempt], 'an exempt buyer stays exempt'],
    [untaxed, [free('50.00', place), exempt], 'nothing is taxed, and a certificate exempts a part'],
    [byZero, [groceries, free('50.00', zero)], 'a zero rate is no tax'],
    [byCity, twoCities, 'each jurisdiction decides for its share'],
  ])('charges $0 on 10.00, because $2', (rows, lines) => {
    expect(shown(ship(lines))).toEqual(rows);
  });
});

describe('shipping that counts toward the price of the goods', () => {
  const included = { threshold_includes_shipping: true };
  const excess: Effect = { type: 'threshold_excess', amount: '250' };
  const below: Effect = { type: 'holiday', amount: '100', inclusive: false };
  const cliff: Effect = { type: 'threshold_cliff', amount: '100', inclusive: false };
  const rate: Effect = { type: 'threshold_rate', amount: '100', rate: '0.10' };
  const placeWith = (effect: Effect, others: Partial<Rule> = included, shipping: ShippingPolicy = 'follows_goods') => {
    const days = { from: '2026-08-07', to: '2026-08-09' };
    const rules = [
      rule('goods', ['CLOTHING'], { type: 'taxable' }),
      rule('one', ['CLOTHING'], effect, { ...others, ...days }),
    ];
    return placeAt(['0.07'], { shipping, rules });
  };

  /** `quantity for price`, the delivery, and the taxed amount of both. */
  it.each<[Place, string, string, string, string]>([
    [placeWith(excess), '1 for 285.00', '20.00', '3500 2000', '305.00 is 55.00 above 250'],
    [placeWith(excess), '1 for 240.00', '20.00', '0 1000', 'the goods leave 10.00 over'],
    [placeWith(excess), '1 for 230.00', '20.00', '0 0', 'goods and delivery are at the amount'],
    [placeWith(excess), '1 for 230.00', '20.01', '0 1', 'goods and delivery are a cent above the amount'],
    [placeWith(excess), '1 for 250.00', '0.00', '0 0', 'there is nothing to deliver'],
    [placeWith(excess), '3 for 720.00', '60.00', '0 3000', 'each unit has its share'],
    [placeWith(excess), '0.5 for 142.50', '20.00', '1750 2000', 'half a unit has half the amount'],
    [placeWith(excess, {}), '1 for 285.00', '20.00', '3500 246', 'without the setting, it is taxed in proportion'],
    [placeWith(below), '1 for 95.00', '5.00', '9500 500', '100.00 is not below 100'],
    [placeWith(below), '1 for 95.00', '4.99', '0 0', '99.99 is below 100'],
    [placeWith(below, {}), '1 for 95.00', '10.00', '0 0', 'only the goods count'],
    [placeWith(below, {}), '1 for 100.00', '10.00', '10000 1000', 'the goods are at the limit'],
    [placeWith(below), '2 for 190.00', '10.00', '19000 1000', 'each has 5.00 of the delivery'],
    [placeWith(below), '2 for 190.00', '9.99', '0 0', 'each unit is below the limit'],
    [placeWith(cliff), '1 for 95.00', '10.00', '9500 1000', 'the whole amount is taxed'],
  ])('taxes clothing of $1 and delivery of $2 on $3, because $4', (place, sold, delivery, taxed) => {
    const [quantity = '', amount = ''] = sold.split(' for ');
    const line = getLine(place, { ptc: clothes, quantity, amount });
    const { lines } = tax([line], cents(delivery), undefined, { day: '2026-08-08' });
    expect(lines.map((charge) => charge.taxable).join(' ')).toBe(taxed);
  });

  it("counts each line's share toward the threshold, and exempts the shipping itself", () => {
    const suit = (place: Place) => getLine(place, { ptc: clothes, amount: '95.00' });
    const on = { day: '2026-08-08' };
    expect(listTaxes(tax([suit(placeWith(rate))], 1000n, undefined, on))).toEqual([950n, 100n]);
    const two = [suit(placeWith(cliff)), getLine(placeWith(cliff), { amount: '95.00' })];
    const [first, second] = tax(two, 900n, undefined, on).lines;
    expect([first?.taxable, second?.taxable]).toEqual([0n, 9500n]);
    const stated = placeWith(cliff, included, 'exempt_unless_included');
    expect(listTaxes(tax([suit(stated)], 1000n, 'SHIPPING.DELIVERY._SEPARATELY_STATED', on))).toEqual([665n, 0n]);
  });
});

describe('rounding of shipping with its goods', () => {
  const withGoods: Rounding = { method: 'half_up', shipping: 'with_goods' };
  const byItself: Rounding = { method: 'half_up' };
  const rules = [rule('goods', ['GENERAL'], { type: 'taxable' }), clothesAreFree];
  const placeIn = (code: string, rates: readonly string[], rounding: Rounding, shipping?: ShippingPolicy) =>
    stateAt(code, rates, { rules, rounding, ...(shipping ? { shipping } : {}) });
  const texas = (rounding: Rounding = withGoods) => placeIn('US-TX', ['0.0625'], rounding);

  it.each([
    ['99.00', 600n, [619n, 38n], [619n, 37n], '6.5625 is 6.56, not 6.57'],
    ['99.04', 596n, [619n, 37n], [619n, 37n], '6.5625 is 6.56 already'],
    ['0.03', 5n, [0n, 0n], [0n, 1n], '0.0050 is a cent'],
    ['0', 600n, [0n, 38n], [0n, 38n], 'there are no goods to round it with'],
  ])(
    'rounds goods of %s and delivery of %s cents to %o separately, %o together, because %s',
    (amount, delivery, apart, together) => {
      const taxes = (rounding: Rounding) => listTaxes(tax([getLine(texas(rounding), { amount })], delivery));
      expect([taxes(byItself), taxes(withGoods)]).toEqual([apart, together]);
    },
  );

  it('rounds each charge separately, even if a charge is also shipped to a state with mandatory tables', () => {
    const louisiana = { address: { state: 'LA', postal_code: '70112' } };
    const line_items = [{ unit_price: '10.00' }, { unit_price: '10.00', customer: louisiana }];
    const getTaxes = (amounts: readonly string[]) =>
      shippingCharges(
        ask({ to: { state: 'PA', postal_code: '19103' }, line_items, shipping: amounts.map((amount) => ({ amount })) })
          .shipping,
      ).map(({ taxes }) => taxes.flatMap((row) => (row.jurisdiction_code.startsWith('US-LA') ? row.tax_amount : [])));
    for (let dollars = 1; dollars <= 30; dollars += 1) {
      const amounts = [`${dollars}.${dollars + 10}`, `${dollars}.${dollars + 33}`];
      expect(getTaxes(amounts)).toEqual(amounts.flatMap((amount) => getTaxes([amount])));
    }
  });

  it('rounds shipping separately from its goods if the account rounds by invoice, or if prices include tax', () => {
    for (const others of [{ rounding: 'invoice' }, { taxIncluded: true }] as const) {
      const taxes = (rounding: Rounding) => {
        const lines = ['99.00', '0.24'].map((amount) => getLine(texas(rounding), { amount }));
        return listTaxes(tax(lines, 600n, undefined, others));
      };
      expect(taxes(withGoods)).toEqual(taxes(byItself));
    }
  });

  it('rounds shipping with its goods, even if the order also goes to a state with mandatory tables', () => {
    const steps = { jurisdiction: 'US-PA', rate: '0.0625', steps: ['0.10', '0.17', '0.34'], nothing_below: null };
    const tables = placeIn('US-PA', ['0.0625'], { method: 'bracket', brackets: [steps] });
    const { lines } = tax([getLine(texas(), { amount: '99.00' }), getLine(tables, { amount: '99.00' })], 1200n);
    expect(lines[2]?.rows).toMatchObject([
      { jurisdiction: { code: 'US-TX' }, taxable: 600n, tax: 37n },
      { jurisdiction: { code: 'US-PA' }, taxable: 600n, tax: 36n },
    ]);
  });

  it('explains the rounding with both amounts', () => {
    const request = { to: { state: 'TX', postal_code: '77002' }, explain: true, line_items: [{ unit_price: '99.00' }] };
    const release = texas().release ?? undefined;
    const { explanation } = ask({ ...request, shipping: { amount: '6.00' } }, { releaseFor: () => release });
    const text = explanation?.find(({ step, pointer }) => step === 'rounding' && pointer === '/shipping')?.text;
    for (const figure of ['0.375', '6.5625', '6.56', '6.1875', '6.19', '0.37'])
      expect(text).toMatch(new RegExp(`\\b${figure.replace('.', '\\.')}\\b`));
  });

  type Drawn = { readonly state: 0 | 1; readonly isExempt: boolean; readonly amount: bigint };
  const amount = fc.oneof(fc.bigInt({ min: 0n, max: 300n }), fc.bigInt({ min: 0n, max: 50_000n }));
  // The rates are in hundred-millionths.
  const rates = fc.array(fc.bigInt({ min: 0n, max: 9_000_000n }), { minLength: 1, maxLength: 3 });
  const line = fc.record<Drawn>({ state: fc.constantFrom(0, 1), isExempt: fc.boolean(), amount });
  const lines = fc.array(line, { minLength: 1, maxLength: 6 });
  const written = (rate: bigint) => `0.${String(rate).padStart(8, '0')}`;
  const round = (exact: bigint) => nearest([exact, 100_000_000n]);

  it('returns the tax on goods and shipping less the tax on the goods, per state, with parts that add up', () => {
    const check = (sold: Drawn[], shipping: bigint, both: readonly bigint[][], isSecondWithGoods: boolean) => {
      const isWithGoods = [true, isSecondWithGoods];
      const places = both.map((own, index) =>
        placeIn(`US-X${index}`, own.map(written), isWithGoods[index] ? withGoods : byItself),
      );
      const documentLines = sold.map(({ state, isExempt, amount: own }) => {
        const goods = getLine(places[state] as Place, { ptc: isExempt ? clothes : 'GENERAL' });
        return { ...goods, amount: own };
      });
      const taxed = tax(documentLines, shipping);
      const amounts = sold.map((one) => one.amount);
      const shares = spread(shipping, amounts);
      const getRate = ({ isExempt, state }: Drawn) => (isExempt ? 0n : total(both[state] ?? []));
      const exactIn = (state: number, sums: readonly bigint[]) =>
        total(sold.map((one, index) => (one.state === state ? (sums[index] ?? 0n) * getRate(one) : 0n)));
      const goods = taxed.lines.slice(0, sold.length);
      expect(goods.map((one) => one.tax)).toEqual(sold.map((one) => round(one.amount * getRate(one))));
      const { rows, tax: ofShipping } = taxed.lines.at(-1) as TaxedCharge;
      for (const state of [0, 1]) {
        const [sum, own] = [exactIn(state, amounts), exactIn(state, shares)];
        const ofState = rows.filter((row) => row.jurisdiction.code.startsWith(`US-X${state}`));
        expect(total(ofState.map((row) => row.tax))).toBe(
          isWithGoods[state] ? round(sum + own) - round(sum) : round(own),
        );
      }
      expect(total(rows.map((row) => row.tax))).toBe(ofShipping);
      expect(rows.every((row) => row.tax >= 0n && (row.tax === 0n || row.taxable > 0n))).toBe(true);
    };
    fc.assert(fc.property(lines, amount, fc.tuple(rates, rates), fc.boolean(), check), { numRuns: 2000 });
  });
});
