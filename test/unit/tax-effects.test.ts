import { describe, expect, it } from 'vitest';
import type { Effect, Release, Rule } from '../../shared/catalog/release.ts';
import { calculateTax } from '../../shared/tax/calculate.ts';
import type { Place, TaxDocument, TaxedCharge, TaxLine } from '../../shared/tax/document.ts';
import { countsToward } from '../../shared/tax/effects/base.ts';
import { always, buildDocument, buildPlace, getLine, getRelease, placeAt, rule, taxLine } from '../support/builders.ts';
import { readEffect, taxedEffects } from '../support/facts.ts';

const written = (minor: bigint) => (Number(minor) / 100).toFixed(2);
/** Rows as `taxable exempt rate tax reason`. */
const shown = ({ rows }: Pick<TaxedCharge, 'rows'>) =>
  rows.map(({ taxable, exempt, rate, tax, reason }) =>
    [written(taxable), written(exempt), rate, written(tax), reason].join(' '),
  );
const listUncertainties = ({ treatments }: Pick<TaxedCharge, 'treatments'>) =>
  treatments.flatMap(({ uncertainties }) => uncertainties.map(({ code }) => code));
const listTaxes = (document: TaxDocument) => calculateTax(document).lines.map(({ tax }) => tax);

const local = { levels: ['county'] } as const;
const under = (effect: Effect, ptc = 'GENERAL') => placeAt([], { rules: [rule('one', [ptc], effect)] });

describe('effects', () => {
  it.each(taxedEffects)('applies $effect in addition to 6 %: $quantity for $price less $discount', (row) => {
    const { quantity, price: amount, discount } = row;
    const line = getLine(under(readEffect(row.effect)), { quantity, amount, discount });
    for (const rounding of ['line', 'invoice'] as const)
      expect(shown(taxLine(line, { rounding }))).toEqual([
        [row.taxable, row.exempt, row.rate, row.tax, row.reason].join(' '),
      ]);
  });

  it("applies an effect to the price less a third-party discount if the state's rules require it", () => {
    const coupons = [{ ...always, policy: 'reduces_price' as const }];
    const line = getLine(placeAt([], { settings: { coupons } }), { amount: '100.00', thirdPartyDiscount: '10.00' });
    expect(taxLine(line)).toMatchObject({ net: 9000n, thirdPartyDiscount: 1000n, tax: 540n });
  });

  it("leaves the full price as the local base and the line's base for an effect on the state tax only", () => {
    const cliff = rule('state', ['GENERAL'], { type: 'threshold_cliff', amount: '110', inclusive: false });
    const line = taxLine(
      getLine(placeAt(['0.04', '0.0375'], { rules: [{ ...cliff, levels: ['state'] }] }), { amount: '109.99' }),
    );
    expect(shown(line)).toEqual(['0.00 109.99 0.04 0.00 product_exempt', '109.99 0.00 0.0375 4.12 standard_rated']);
    expect(line).toMatchObject({ tax: 412n, taxable: 10_999n, exempt: 0n });
  });

  it('does not round an effect with a tax cap by a table, even at the rate of the table', () => {
    const brackets = [{ jurisdiction: 'US-XX', rate: '0.05', steps: ['0.10', '0.17', '0.34'], nothing_below: null }];
    const rules = [rule('most', ['GENERAL'], { type: 'tax_cap', rate: '0.05', amount: '500' })];
    const place = placeAt([], { rules, rounding: { method: 'bracket', brackets } });
    expect(['30000.00', '1.11'].map((amount) => taxLine(getLine(place, { amount })).tax)).toEqual([50_000n, 6n]);
  });
});

describe('a limit on the tax of all jurisdictions', () => {
  const place = placeAt(['0.06', '0.01', '0.005'], {
    rules: [
      rule(
        'boats',
        ['GENERAL'],
        { type: 'tax_cap', rate: '0.06', amount: '18000', total: true },
        { levels: ['state'] },
      ),
      rule('surtax', ['GENERAL'], { type: 'base_cap', amount: '5000' }, local),
    ],
  });
  const taxesOn = (amount: string, taxIncluded = false) => {
    const { net, rows } = taxLine(getLine(place, { amount }), { taxIncluded });
    return [net, rows.map(({ tax }) => written(tax))];
  };

  it("reduces the state's tax so that all taxes together stay at the limit, with the tax on top or included", () => {
    expect(taxesOn('1000000.00')).toEqual([100_000_000n, ['17925.00', '50.00', '25.00']]);
    expect(taxesOn('1018000.00', true)[1]).toEqual(['17925.00', '50.00', '25.00']);
    expect(taxesOn('298000.00')).toEqual([29_800_000n, ['17880.00', '50.00', '25.00']]);
    expect(taxesOn('1000.00')).toEqual([100_000n, ['60.00', '10.00', '5.00']]);
  });

  it('collects nothing anywhere if the tax of all jurisdictions on the goods is above an amount', () => {
    const boats = rule('boats', ['GENERAL'], { type: 'collected_up_to', amount: '20000' });
    const here = placeAt(['0.05', '0.04', '0.01'], { rules: [boats], shipping: 'follows_goods' });
    const shipping = { amount: 10_000n, product: getLine(here, { ptc: 'SHIPPING.DELIVERY' }).product };
    const taxesOf = (amount: string) =>
      calculateTax(buildDocument([getLine(here, { amount })], { shipping })).lines.map(({ rows }) =>
        rows.map(({ tax }) => written(tax)),
      );
    expect(taxesOf('200000.00')).toEqual([
      ['10000.00', '8000.00', '2000.00'],
      ['5.00', '4.00', '1.00'],
    ]);
    expect(taxesOf('200000.01')).toEqual([
      ['0.00', '0.00', '0.00'],
      ['0.00', '0.00', '0.00'],
    ]);
  });

  it('never charges a negative state tax if the local taxes exceed the limit', () => {
    const localities = placeAt(['0.06', '0.9'], { rules: place.release?.rules.slice(0, 1) ?? [] });
    expect(taxLine(getLine(localities, { amount: '30000.00' })).rows.map(({ tax }) => written(tax))).toEqual([
      '0.00',
      '27000.00',
    ]);
  });
});

describe('taxes split by use', () => {
  const business: Effect = { type: 'rate', rate: '0.01' };
  const known = under({ type: 'use_split', business, personal: { type: 'taxable' } }, 'SOFTWARE');
  const threeWays = under(
    { type: 'use_split', business, personal: { type: 'exempt' }, unknown: { type: 'taxable' } },
    'SOFTWARE',
  );

  it.each([
    { place: known, use: 'business', ptc: 'SOFTWARE.SAAS', tax: 100n, codes: [] },
    { place: known, use: 'personal', ptc: 'SOFTWARE.SAAS', tax: 600n, codes: [] },
    { place: known, use: null, ptc: 'SOFTWARE.SAAS', tax: 600n, codes: ['taxability_assumed'] },
    { place: known, use: null, ptc: 'SOFTWARE.SAAS._BUSINESS_USE', tax: 100n, codes: [] },
    { place: known, use: 'business', ptc: 'SOFTWARE.SAAS._PERSONAL_USE', tax: 600n, codes: [] },
    { place: threeWays, use: 'personal', ptc: 'SOFTWARE.SAAS', tax: 0n, codes: [] },
    { place: threeWays, use: null, ptc: 'SOFTWARE.SAAS', tax: 600n, codes: ['taxability_assumed'] },
  ] as const)('taxes $ptc at $tax cents if the use of the buyer is $use', (one) => {
    const line = taxLine(getLine(one.place, { ptc: one.ptc, use: one.use }));
    expect([line.tax, listUncertainties(line)]).toEqual([one.tax, one.codes]);
  });
});

describe('price bands in a separate jurisdiction', () => {
  // Tennessee: 7%, a local tax on the first 1,600 of an article, and an additional state tax on the part from 1,600 to
  // 3,200.
  const week = { from: '2026-07-31', to: '2026-08-02' };
  const single = { jurisdictions: ['US-XX-SINGLE'], confidence: 'medium' } as const;
  const { release } = placeAt(['0.07', '0.0275'], {
    rules: [
      rule('goods', ['GENERAL', 'HOME', 'HOME.FURNITURE', 'SOFTWARE'], { type: 'taxable' }, { levels: ['state'] }),
      rule('local', ['HOME'], { type: 'base_cap', amount: '1600' }, local),
      rule('drugs', ['HEALTH.DRUGS'], { type: 'exempt' }),
      rule('article', ['HOME', 'HEALTH'], { type: 'band', above: '1600', to: '3200', rate: '0.0275' }, single),
      rule('week', ['HOME.APPLIANCES'], { type: 'holiday', amount: null, inclusive: false }, week),
      rule('delivery', ['SHIPPING'], { type: 'follows_goods' }),
    ],
  });
  const base = release as Release;
  const article = { code: 'US-XX-SINGLE', name: 'Single article', type: 'state', tax_type: 'sales' } as const;
  const tennessee: Release = { ...base, jurisdictions: [...base.jurisdictions, article] };
  const sofa = (amount: string, others: Pick<Partial<TaxLine>, 'collectionExemption'> = {}) =>
    taxLine(getLine(buildPlace(tennessee), { ptc: 'HOME.FURNITURE', amount, ...others }));

  it('taxes an article at 2,000.00 with 140.00 state tax, 44.00 county tax, and 11.00 on 400.00', () => {
    const line = sofa('2000.00');
    expect(shown(line)).toEqual([
      '2000.00 0.00 0.07 140.00 standard_rated',
      '1600.00 400.00 0.0275 44.00 taxable_basis_reduced',
      '400.00 1600.00 0.0275 11.00 portion_standard_rated',
    ]);
    expect(line).toMatchObject({ tax: 19_500n, taxable: 200_000n, exempt: 0n });
    expect(listUncertainties(line)).toEqual(['content_unconfirmed']);
    expect(['1600.00', '5000.00'].map((amount) => sofa(amount).rows[2]?.taxable)).toEqual([undefined, 160_000n]);
  });

  it.each([
    { ptc: 'GENERAL', day: '2026-10-08', rows: 2, because: 'no rule with a band applies to it' },
    { ptc: 'HEALTH.DRUGS', day: '2026-10-08', rows: 2, because: 'it is exempt by a more specific rule' },
    { ptc: 'HEALTH.DIAPERS', day: '2026-10-08', rows: 3, because: 'the band applies to its family' },
    { ptc: 'HOME.APPLIANCES', day: '2026-08-01', rows: 2, because: 'it is a holiday' },
    { ptc: 'HOME.APPLIANCES', day: '2026-08-03', rows: 3, because: 'the holiday is over' },
    { ptc: 'SHIPPING.DELIVERY', day: '2026-10-08', rows: 2, because: 'a delivery without goods has no band' },
    { ptc: 'HOME.FURNITURE', day: '1999-12-31', rows: 1, because: 'nothing is established for that day' },
  ])('returns $rows rows for $ptc at 2,000.00 on $day: $because', ({ ptc, day, rows }) => {
    expect(taxLine(getLine(buildPlace(tennessee), { ptc, amount: '2000.00' }), { day }).rows).toHaveLength(rows);
  });

  it('returns no row for an exempt buyer, and no uncertainty about other goods', () => {
    const exempt = sofa('2000.00', { collectionExemption: 'customer_exempt' });
    expect(exempt.rows.map(({ reason }) => reason)).toEqual(['customer_exempt', 'customer_exempt']);
    expect(listUncertainties(taxLine(getLine(buildPlace(tennessee))))).toEqual(['taxability_not_established']);
  });

  it('does not apply to a jurisdiction whose rate is not established', () => {
    const ended = { ...always, jurisdiction: 'US-XX-SINGLE', rate: '0.01', to: '2001-01-01' };
    const place = buildPlace({ ...tennessee, rates: [...tennessee.rates, ended] });
    expect(shown(taxLine(getLine(place)))).toEqual(['0.00 100.00 0 0.00 not_supported']);
  });
});

describe('fees', () => {
  const ptc = 'FEES.RETAIL_DELIVERY_FEE';
  const feeAt = (order_minimum: string | null, rate = '0.06', amount = '0.50') =>
    placeAt([rate, '0.005'], {
      rules: [
        rule('fee', [ptc], { type: 'flat_fee', amount, order_minimum }, { levels: ['state'] }),
        rule('no-fee', [ptc], { type: 'exempt' }, local),
        rule('clothes', ['CLOTHING.APPAREL'], { type: 'exempt' }),
        rule('half', ['SERVICES'], { type: 'base_percent', percent: '0.5' }),
      ],
    });
  const minnesota = feeAt('100');
  const fee = (place = minnesota, quantity = '1') => getLine(place, { ptc, amount: '0', quantity });
  const goods = (amount: string) => getLine(minnesota, { amount });
  const elsewhere = buildPlace(getRelease({ of: [{ code: 'US-YY', type: 'state', rate: '0.06' }] }));

  it("charges 0.50 on the fee's line, without a rate and outside every taxable base", () => {
    const [line] = calculateTax(buildDocument([fee(), goods('100.00')])).lines;
    expect(line && shown(line)).toEqual(['0.00 0.00 0 0.50 standard_rated']);
  });

  it.each<[bigint, TaxLine[], string, TaxLine?]>([
    [0n, [goods('99.99')], 'a cent below the minimum'],
    [50n, [goods('60.00'), goods('40.00')], 'the lines are added up'],
    [0n, [getLine(minnesota, { amount: '120.00', discount: '20.01' })], 'after the discount'],
    [50n, [getLine(minnesota, { amount: '100.00', thirdPartyDiscount: '50.00' })], 'not after a coupon'],
    [0n, [getLine(minnesota, { ptc: 'CLOTHING.APPAREL', amount: '500.00' })], 'exempt goods are ignored'],
    [0n, [getLine(minnesota, { ptc: 'SERVICES.REPAIR', amount: '199.98' })], 'only taxed lines count'],
    [0n, [getLine(minnesota, { collectionExemption: 'customer_exempt' })], 'an exempt buyer is ignored'],
    [0n, [getLine(elsewhere)], 'the goods are in a different state'],
    [0n, [], 'there are no goods'],
    [150n, [goods('100.00')], 'three deliveries', fee(minnesota, '3')],
    [50n, [], 'a fee without a minimum is always due', fee(feeAt(null))],
    [50n, [getLine(feeAt(null, '0'))], 'a state without the tax may have the fee', fee(feeAt(null, '0'))],
    [28n, [], 'it is rounded separately, half up', fee(feeAt(null, '0.06', '0.275'))],
    [25n, [], 'half of one', fee(feeAt(null), '0.5')],
    [0n, [], 'an exempt buyer', { ...fee(feeAt(null)), collectionExemption: 'customer_exempt' }],
  ])('charges a fee of $0 cents: $2', (tax, lines, _, line = fee()) => {
    for (const rounding of ['line', 'invoice'] as const)
      expect(listTaxes(buildDocument([line, ...lines], { rounding }))[0]).toBe(tax);
  });

  it.each([
    ['taxable goods count', 'GENERAL', true, true],
    ['exempt goods do not', 'GENERAL', false, false],
    ['exempt goods of a code that always counts do', 'CLOTHING.APPAREL', false, true],
    ['taxable goods of a code that never counts do not', 'FOOD.CANDY', true, false],
    ['goods of a code that begins alike are other goods', 'FOODS', true, true],
  ])('applies an order minimum: %s toward it', (_, path, isTaxed, counts) => {
    const base = { also: ['CLOTHING', 'FOOD.GROCERY'], never: ['FOOD'], shipping: true };
    expect(countsToward(base, path, isTaxed)).toBe(counts);
    expect(countsToward(base, 'FOOD.GROCERY', isTaxed)).toBe(false);
  });

  it('charges a fee once per order, and only if the order has goods that count', () => {
    const base = { also: [], never: [], shipping: false };
    const effect = { type: 'flat_fee', amount: '0.275', order_minimum: null, once_per: 'order', base } as const;
    const place = placeAt([], {
      rules: [rule('fee', [ptc], effect), rule('clothes', ['CLOTHING'], { type: 'exempt' })],
    });
    const due = getLine(place, { ptc, amount: '0', quantity: '3' });
    expect(listTaxes(buildDocument([due, getLine(place, { amount: '0.01' }), due]))).toEqual([28n, 0n, 0n]);
    expect(listTaxes(buildDocument([due, getLine(place, { ptc: 'CLOTHING.APPAREL' })]))).toEqual([0n, 0n]);
  });

  it('excludes a fee from other taxes, and allocates no shipping to it', () => {
    // The exact tax is 6.5% of 100.10, which is 6.5065.
    for (const rounding of ['line', 'invoice'] as const)
      expect(listTaxes(buildDocument([fee(), goods('100.10')], { rounding }))).toEqual([50n, 651n]);
    const { product } = getLine(minnesota, { ptc: 'SHIPPING.DELIVERY' });
    const { lines } = calculateTax(buildDocument([fee(), goods('0')], { shipping: { amount: 1000n, product } }));
    expect(lines[2]).toMatchObject({ taxable: 1000n, exempt: 0n, tax: 65n });
  });

  it.each([
    ['a price is used as sent, and nothing is added', { amount: '0.60' }, false, [0n, 650n], 60n],
    ['a price reduced to zero counts as a price', { amount: '0.50', discount: '0.50' }, false, [0n, 650n], 0n],
    ['it is extracted from a price that includes it', { amount: '0.50' }, true, [50n, 650n], 0n],
    ['it leaves the rest of a price that includes it', { amount: '0.60' }, true, [50n, 650n], 10n],
  ])('%s', (_, price, taxIncluded, taxes, exempt) => {
    const lines = [getLine(minnesota, { ptc, ...price }), goods(taxIncluded ? '106.50' : '100.00')];
    for (const rounding of ['line', 'invoice'] as const) {
      const taxed = calculateTax(buildDocument(lines, { taxIncluded, rounding })).lines;
      expect(taxed.map(({ tax }) => tax)).toEqual(taxes);
      const reason = taxIncluded ? 'standard_rated' : 'not_subject_to_tax';
      expect(taxed[0]).toMatchObject({ taxable: 0n, exempt, inexact: null, rows: [{ rate: '0', reason }] });
    }
  });
});

describe('tax holidays', () => {
  const week = { from: '2026-08-16', to: '2026-08-22' };
  const holiday = (amount: string | null, inclusive = false): Effect => ({ type: 'holiday', amount, inclusive });
  const at = (rules: readonly Rule[], amount: string, day = '2026-08-18', quantity = '1') =>
    taxLine(getLine(placeAt([], { rules }), { ptc: 'CLOTHING.FOOTWEAR', amount, quantity }), { day });

  it.each([
    ['2026-08-18', '1', '99.99', 'product_exempt_holiday', 'week'],
    ['2026-08-18', '1', '100.00', 'standard_rated', 'luxury'],
    ['2026-08-18', '3', '299.97', 'product_exempt_holiday', 'week'],
    ['2026-08-18', '0.5', '50.00', 'standard_rated', 'luxury'],
  ])('applies rule $4 on $0 to quantity $1 for $2 in total: $3', (day, quantity, amount, reason, ruleId) => {
    const luxury = rule('luxury', ['CLOTHING'], { type: 'threshold_rate', amount: '1000', rate: '0.0775' });
    const line = at([luxury, rule('week', ['CLOTHING'], holiday('100'), week)], amount, day, quantity);
    expect(line.rows).toMatchObject([{ reason, ruleId }]);
    expect(line.treatments.map((treatment) => treatment.ruleId)).toEqual([ruleId]);
  });

  it.each([
    { effect: holiday('100', true), amount: '100.00', reason: 'product_exempt_holiday' },
    { effect: holiday('100', true), amount: '100.01', reason: 'standard_rated' },
    { effect: holiday(null), amount: '99999.00', reason: 'product_exempt_holiday' },
  ])('applies $effect to $amount: $reason', ({ effect, amount, reason }) => {
    expect(at([rule('week', ['CLOTHING'], effect, week)], amount).rows).toMatchObject([{ reason }]);
  });

  it.each([
    ['business', 'standard_rated'],
    ['personal', 'product_exempt_holiday'],
    [null, 'product_exempt_holiday'],
  ] as const)('applies a holiday for personal use only, with a buyer of use $0: $1', (use, reason) => {
    const rules = [
      rule('goods', ['CLOTHING'], { type: 'taxable' }),
      rule('week', ['CLOTHING'], { type: 'holiday', amount: null, inclusive: false, personal_use: true }, week),
    ];
    const line = taxLine(getLine(placeAt([], { rules }), { ptc: 'CLOTHING.FOOTWEAR', use }), { day: '2026-08-18' });
    expect(line.rows).toMatchObject([{ reason, ruleId: reason === 'standard_rated' ? 'goods' : 'week' }]);
  });

  it.each([
    [null, '99.99', ['taxability_assumed']],
    ['personal', '99.99', []],
    ['business', '99.99', []],
    [null, '100.00', []],
  ] as const)('reports $2 for a personal-use holiday if the use is $0 and the price is $1', (use, amount, expected) => {
    const rules = [
      rule('goods', ['CLOTHING'], { type: 'taxable' }),
      rule('week', ['CLOTHING'], { type: 'holiday', amount: '100', inclusive: false, personal_use: true }, week),
    ];
    const sold = getLine(placeAt([], { rules }), { ptc: 'CLOTHING.FOOTWEAR', use, amount });
    expect(listUncertainties(taxLine(sold, { day: '2026-08-18' }))).toEqual(expected);
  });

  it('exempts nothing above its limit, so other rules apply', () => {
    const rules = [
      rule('goods', ['CLOTHING'], { type: 'threshold_excess', amount: '175' }),
      rule('wide', ['CLOTHING'], holiday('200'), week),
      rule('narrow', ['CLOTHING.FOOTWEAR'], holiday('100'), week),
    ];
    const ids = ['99.99', '100.00', '199.99', '200.00'].map((amount) => at(rules, amount).rows[0]?.ruleId);
    expect(ids).toEqual(['narrow', 'wide', 'wide', 'goods']);
    expect(shown(at(rules, '200.00'))).toEqual(['25.00 175.00 0.06 1.50 portion_product_exempt']);
  });

  it('reports the uncertainty of the holiday once, and above its limit also the uncertainty of the deciding rule', () => {
    const uncertain = { confidence: 'medium' } as const;
    const unconfirmed = rule('week', ['CLOTHING'], holiday('100'), { ...week, ...uncertain, note: 'week' });
    const goods = rule('goods', ['CLOTHING'], { type: 'taxable' }, { ...uncertain, note: 'goods' });
    const notes = (amount: string) =>
      at([goods, unconfirmed], amount).treatments.flatMap(({ uncertainties }) =>
        uncertainties.map(({ message }) => message.match(/: (\w+) /)?.[1]),
      );
    expect([notes('99.99'), notes('100.00')]).toEqual([['week'], ['week', 'goods']]);
    const alone = [rule('week', ['CLOTHING'], holiday('100'), week)];
    expect(listUncertainties(at(alone, '99.99'))).toEqual([]);
    expect(listUncertainties(at(alone, '100.00'))).toEqual(['taxability_not_established']);
  });
});

describe('the rate on food for home use', () => {
  const georgia = (rules: readonly Rule[] = []): Place => {
    const interstate = { rate: '0.01', food_rate: '0.005' };
    const rates = [
      { ...always, jurisdiction: 'US-XX', rate: '0.04', food_rate: '0' },
      { ...always, jurisdiction: 'US-XX-1', rate: '0.03', food_rate: '0.02', interstate },
    ];
    return placeAt(['0', '0'], { rates, rules });
  };
  const foodRule = (effect: Effect) => [rule('groceries', ['FOOD.GROCERY'], effect)];
  const general = ['0.04 standard_rated', '0.03 standard_rated'];
  const food = ['0 zero_rated', '0.02 reduced_rated'];

  it.each<[string, boolean, Rule[], string[]]>([
    ['FOOD.GROCERY', false, [], food],
    ['FOOD.GROCERY._HEATED', false, [], general],
    ['FOOD.GROCERY._UTENSILS_PROVIDED', false, [], general],
    ['FOOD.GROCERY._SUPPLEMENT_FACTS', false, [], general],
    ['FOOD.CANDY', false, [], general],
    ['FOOD.GROCERY', false, foodRule({ type: 'taxable' }), food],
    ['FOOD.GROCERY', false, foodRule({ type: 'exempt' }), ['0 product_exempt', '0.02 product_exempt']],
    ['FOOD.GROCERY', false, foodRule({ type: 'rate', rate: '0.025' }), ['0.025 reduced_rated', '0.025 reduced_rated']],
    ['GENERAL', true, [], ['0.04 standard_rated', '0.01 standard_rated']],
    ['FOOD.GROCERY', true, [], ['0 zero_rated', '0.005 reduced_rated']],
  ])('taxes %s, interstate %s, by the rules %o: %o', (ptc, isInterstate, rules, rows) => {
    const line = taxLine(getLine({ ...georgia(rules), isInterstate }, { ptc }));
    expect(line.rows.map(({ rate, reason }) => `${rate} ${reason}`)).toEqual(rows);
  });
});

describe('documents in another currency', () => {
  const inEuro = { currency: 'EUR' };
  const fee: Effect = { type: 'flat_fee', amount: '0.50', order_minimum: null };
  const limited: Effect = { type: 'holiday', amount: '110', inclusive: false };
  const unlimited: Effect = { type: 'holiday', amount: null, inclusive: false };
  const split: Effect = { type: 'use_split', business: { type: 'exempt' }, personal: { type: 'taxable' } };
  const known = new Set(taxedEffects.map(({ effect }) => effect));
  const effects = [...[...known].map(readEffect), fee, limited, unlimited, split];

  it.each(effects)(
    'taxes a document the same if the effect has no amount, and otherwise reports an uncertainty: $type',
    (effect) => {
      const line = getLine(under(effect), { use: 'personal' });
      const [taxed, known] = [taxLine(line, inEuro), taxLine(line)];
      const isInMoney = 'above' in effect || ('amount' in effect && effect.amount !== null);
      if (!isInMoney) {
        expect(shown(taxed)).toEqual(shown(known));
        expect(listUncertainties(taxed)).toEqual(listUncertainties(known));
        return;
      }
      expect(shown(taxed).map((row) => row.replace(/ 0\S* 0\.00/, ''))).toEqual(['0.00 100.00 not_supported']);
      expect(taxed.treatments[0]?.uncertainties).toMatchObject([
        { code: 'not_covered', message: expect.stringMatching(/USD.*EUR/) },
      ]);
      expect(listUncertainties(known)).not.toContain('not_covered');
      const exempt = taxLine({ ...line, collectionExemption: 'customer_exempt' }, inEuro);
      expect([exempt.rows[0]?.reason, listUncertainties(exempt)]).toEqual(['customer_exempt', []]);
    },
  );

  it('rounds half up despite a mandatory table in dollars, and reports an uncertainty', () => {
    const brackets = [{ jurisdiction: 'US-XX', rate: '0.06', steps: ['0.10', '0.17'], nothing_below: null }];
    const rules = [rule('one', ['GENERAL'], { type: 'taxable' })];
    const line = getLine(placeAt([], { rules, rounding: { method: 'bracket', brackets } }), { amount: '0.51' });
    expect(taxLine(line).tax).toBe(2n);
    expect([taxLine(line, inEuro).tax, listUncertainties(taxLine(line, inEuro))]).toEqual([
      3n,
      ['content_unconfirmed'],
    ]);
  });
});
