import { describe, expect, it } from 'vitest';
import type { Effect, Rule } from '../../shared/catalog/release.ts';
import { calculateTax } from '../../shared/tax/calculate.ts';
import { chooseRule } from '../../shared/tax/rule-choice.ts';
import { documentOf, jurisdiction, lineOf, placeOf, productOf, releaseOf, rule, taxLine } from '../support/builders.ts';

const taxable: Effect = { type: 'taxable' };
const exempt: Effect = { type: 'exempt' };
const undated = { from: null, to: null };

describe('the rule that decides', () => {
  const winner = (rules: readonly Rule[], ptc: string, day = '2026-10-08', type: 'state' | 'county' = 'state') =>
    chooseRule(releaseOf({ rules }), jurisdiction('US-XX', type), productOf(ptc), day)?.id;

  it.each<[string, Rule[], string, string | undefined]>([
    [
      'the most specific code wins, even over attributes, level and date',
      [
        rule('family', ['CLOTHING'], taxable, {
          attributes: { any: ['_ATHLETIC'], none: [] },
          levels: ['state'],
          from: '2026-01-01',
        }),
        rule('code', ['CLOTHING.APPAREL'], exempt),
      ],
      'CLOTHING.APPAREL._ATHLETIC',
      'code',
    ],
    [
      'the most specific of the codes of one rule counts',
      [
        rule('both', ['CLOTHING', 'CLOTHING.APPAREL'], taxable, { levels: ['state'] }),
        rule('code', ['CLOTHING.APPAREL'], exempt),
      ],
      'CLOTHING.APPAREL',
      'both',
    ],
    [
      'then the most attributes, even over level and date',
      [
        rule('plain', ['CLOTHING.APPAREL'], exempt, { levels: ['state'], from: '2026-01-01' }),
        rule('athletic', ['CLOTHING.APPAREL'], taxable, { attributes: { any: ['_ATHLETIC', '_FUR'], none: [] } }),
      ],
      'CLOTHING.APPAREL._ATHLETIC',
      'athletic',
    ],
    [
      'only attributes that the product carries count',
      [
        rule('many', ['CLOTHING.APPAREL'], exempt, {
          attributes: { any: ['_ATHLETIC', '_FUR', '_PROTECTIVE'], none: [] },
        }),
        rule('two', ['CLOTHING.APPAREL'], taxable, { attributes: { any: ['_ATHLETIC'], none: [] }, levels: ['state'] }),
      ],
      'CLOTHING.APPAREL._ATHLETIC',
      'two',
    ],
    [
      'then the rule for the level, even over the date',
      [
        rule('every-level', ['FOOD.GROCERY'], taxable, { from: '2026-01-01' }),
        rule('state-only', ['FOOD.GROCERY'], exempt, { levels: ['state'] }),
      ],
      'FOOD.GROCERY',
      'state-only',
    ],
    [
      'then the latest first day, in any position',
      [
        rule('newest', ['FOOD.GROCERY'], taxable, { from: '2025-07-01' }),
        rule('older', ['FOOD.GROCERY'], exempt, { from: '2020-01-01' }),
        rule('undated', ['FOOD.GROCERY'], exempt, undated),
      ],
      'FOOD.GROCERY',
      'newest',
    ],
    ['a family matches what lies below it', [rule('family', ['CLOTHING'], exempt)], 'CLOTHING.APPAREL', 'family'],
    [
      'the beginning of a name is no family',
      [rule('half-a-name', ['CLOTHING.APP'], exempt)],
      'CLOTHING.APPAREL',
      undefined,
    ],
    [
      'an attribute that a rule rules out keeps it away',
      [rule('not-fur', ['CLOTHING.APPAREL'], exempt, { attributes: { any: [], none: ['_FUR'] } })],
      'CLOTHING.APPAREL._ATHLETIC._FUR',
      undefined,
    ],
    [
      'a rule that asks for an attribute does not take a product without it',
      [rule('fur', ['CLOTHING.APPAREL'], exempt, { attributes: { any: ['_FUR'], none: [] } })],
      'CLOTHING.APPAREL',
      undefined,
    ],
    [
      'one of several attributes is enough',
      [rule('any', ['CLOTHING.APPAREL'], exempt, { attributes: { any: ['_FUR', '_ATHLETIC'], none: [] } })],
      'CLOTHING.APPAREL._FUR',
      'any',
    ],
    [
      'a rule that requires several attributes does not take a product with one of them',
      [rule('both', ['CLOTHING.APPAREL'], exempt, { attributes: { any: [], all: ['_ATHLETIC', '_FUR'], none: [] } })],
      'CLOTHING.APPAREL._FUR',
      undefined,
    ],
    [
      'a rule that requires two attributes precedes one that needs either',
      [
        rule('either', ['CLOTHING.APPAREL'], taxable, { attributes: { any: ['_FUR'], none: [] } }),
        rule('both', ['CLOTHING.APPAREL'], exempt, { attributes: { any: [], all: ['_ATHLETIC', '_FUR'], none: [] } }),
      ],
      'CLOTHING.APPAREL._ATHLETIC._FUR',
      'both',
    ],
    [
      'a rule of another level does not bind',
      [rule('local', ['GENERAL'], exempt, { levels: ['county', 'city'] })],
      'GENERAL',
      undefined,
    ],
  ])('%s', (_, rules, ptc, wins) => {
    expect(winner(rules, ptc)).toBe(wins);
    expect(winner(rules.toReversed(), ptc)).toBe(wins);
  });

  it.each([
    { day: '2026-06-30', wins: 'before', because: 'its last day is inclusive' },
    { day: '2026-07-01', wins: 'after', because: 'its first day is inclusive' },
    { day: '2026-12-31', wins: 'after', because: 'its last day is inclusive again' },
    { day: '2027-01-01', wins: undefined, because: 'it is over' },
    { day: '2025-12-31', wins: undefined, because: 'nothing has begun' },
    { day: '2026-01-01', wins: 'before', because: 'the very first day counts' },
  ])('the rule that decides on $day is $wins: $because', ({ day, wins }) => {
    const rules = [
      rule('before', ['GENERAL'], exempt, { from: '2026-01-01', to: '2026-06-30' }),
      rule('after', ['GENERAL'], taxable, { from: '2026-07-01', to: '2026-12-31' }),
    ];
    expect(winner(rules, 'GENERAL', day)).toBe(wins);
  });
});

describe('a rule for ZIPs', () => {
  const rules = [
    rule('city', ['CLOTHING'], exempt, {
      zips: [
        ['10001', '10292'],
        ['11004', '11005'],
      ],
    }),
    rule('locals', ['CLOTHING'], taxable, { levels: ['state', 'city'], from: '2026-06-01' }),
  ];
  const winnerAt = (zip5: string | null, among: readonly Rule[], type: 'state' | 'city' = 'city') =>
    chooseRule(
      releaseOf({ rules: among }),
      { ...jurisdiction('US-XX', type), zip5 },
      productOf('CLOTHING.APPAREL'),
      '2026-10-08',
    )?.id;

  it.each([
    { zip5: '10000', wins: 'locals', because: 'just below the range' },
    { zip5: '10001', wins: 'city', because: 'the first of it' },
    { zip5: '10292', wins: 'city', because: 'the last of it' },
    { zip5: '10293', wins: 'locals', because: 'just above it' },
    { zip5: '11005', wins: 'city', because: 'a second range' },
    { zip5: null, wins: 'locals', because: 'no ZIP is in none' },
  ])('binds in them alone, and is then more specific than levels: $zip5, $because', ({ zip5, wins }) => {
    for (const among of [rules, rules.toReversed()]) {
      expect(winnerAt(zip5, among)).toBe(wins);
      expect(winnerAt(zip5, among, 'state')).toBe(wins);
    }
  });

  it('is as specific as one for jurisdictions by code: of both the later decides', () => {
    const [zips = rule('', [], exempt)] = rules;
    const named = (from: string) => rule('named', ['CLOTHING'], taxable, { jurisdictions: ['US-XX'], from });
    expect(winnerAt('10001', [zips, named('2026-01-01')])).toBe('named');
    expect(winnerAt('10001', [named('1999-01-01'), zips])).toBe('city');
  });

  it('binds in its jurisdictions alone where it names some', () => {
    const both = [rule('both', ['CLOTHING'], exempt, { zips: [['10001', '10001']], jurisdictions: ['US-XX-1'] })];
    expect(winnerAt('10001', both)).toBeUndefined();
    expect(winnerAt('10001', [{ ...(both[0] as Rule), jurisdictions: ['US-XX'] }])).toBe('both');
  });
});

describe('a day whose general rate is not established', () => {
  const of = [
    { code: 'US-XX', type: 'state', rate: '0.04' },
    { code: 'US-XX-1', type: 'county', rate: '0.01' },
  ] as const;
  const dated = { from: '2025-09-01', to: null };
  const food = ['FOOD.GROCERY'];
  const known = releaseOf({ of: [...of] });
  const on = (day: string, rules: readonly Rule[], { isLocalKnown = true, isLocal = false } = {}) => {
    const rates = known.rates.map((one, index) => (index === 1 && isLocalKnown ? one : { ...one, from: null }));
    const place = placeOf({ ...known, rates, rules }, isLocal ? known.jurisdictions : [known.jurisdictions[0]]);
    return taxLine(lineOf(place, { ptc: 'FOOD.GROCERY' }), { day }).rows.map(
      ({ jurisdiction: { code }, rate, reason, tax }) => `${code} ${rate} ${reason} ${tax}`,
    );
  };
  const unanswered = ['US-XX 0 not_supported 0'];

  it.each<{ effect: Effect; row: string }>([
    { effect: { type: 'rate', rate: '0.02' }, row: '0.02 reduced_rated 200' },
    { effect: { type: 'rate', rate: '0.05' }, row: '0.05 standard_rated 500' },
    { effect: { type: 'rate', rate: '0' }, row: '0 zero_rated 0' },
    { effect: { type: 'tax_cap', rate: '0.03', amount: '1' }, row: '0.03 reduced_rated 100' },
    { effect: exempt, row: '0 product_exempt 0' },
  ])('is answered by a rule that needs none: $row', ({ effect, row }) => {
    const rules = [rule('food', food, effect, dated)];
    expect(on('2025-09-01', rules)).toEqual([`US-XX ${row}`]);
    expect(on('2025-08-31', rules)).toEqual(unanswered);
    expect(on('2025-09-01', [rule('food', food, effect, undated)])).toEqual(unanswered);
  });

  it.each<Effect>([
    taxable,
    { type: 'base_percent', percent: '0.5' },
    { type: 'threshold_excess', amount: '50' },
    { type: 'threshold_rate', amount: '50', rate: '0.05' },
    { type: 'holiday', amount: '50', inclusive: false },
  ])('is not answered by a rule that rests on it: $type', (effect) =>
    expect(on('2025-09-01', [rule('food', food, effect, dated)])).toEqual(unanswered),
  );

  it('is answered where each jurisdiction has its rate or such a rule, and else for none of them', () => {
    const own = rule('food', food, { type: 'rate', rate: '0.02' }, { ...dated, levels: ['state'] });
    const local = rule('local', food, exempt, { ...dated, levels: ['county'] });
    const both = { isLocal: true, isLocalKnown: true };
    const neither = { isLocal: true, isLocalKnown: false };
    expect(on('2025-09-01', [own], both)).toEqual(['US-XX 0.02 reduced_rated 200', 'US-XX-1 0.01 standard_rated 100']);
    expect(on('2025-09-01', [own], neither)).toEqual(unanswered);
    expect(on('2025-09-01', [{ ...own, from: null }], both)).toEqual(unanswered);
    expect(on('2025-09-01', [own, local], neither)).toEqual([
      'US-XX 0.02 reduced_rated 200',
      'US-XX-1 0 product_exempt 0',
    ]);
  });

  it('leaves the shipping of goods that are not covered without an answer, where it is exempt in the state', () => {
    const rates = known.rates.map((one, index) => (index === 1 ? one : { ...one, from: null }));
    const rules = [rule('shipping', ['SHIPPING'], exempt, { ...dated, levels: ['state'] })];
    const place = placeOf({ ...known, rates, rules });
    const shipping = { amount: 1000n, product: productOf('SHIPPING.DELIVERY') };
    const taxed = calculateTax(documentOf([lineOf(place)], { day: '2025-09-01', shipping }));
    expect(taxed.lines[0]?.tax).toBe(0n);
    expect(taxed.shipping[0]?.rows.map(({ reason, tax }) => [reason, tax])).toEqual([
      ['product_exempt', 0n],
      ['not_supported', 0n],
    ]);
  });
});

describe('the tax day', () => {
  const rates = [
    { from: '2018-10-01', to: '2026-09-30', rate: '0.06' },
    { from: '2026-10-01', to: null, rate: '0.07' },
  ].map((one) => ({ ...one, jurisdiction: 'US-XX', source: 'test', confidence: 'high' as const }));

  it.each([
    { day: '2018-09-30', rate: '0', tax: 0n, reason: 'not_supported', because: 'the first rate has not begun' },
    { day: '2018-10-01', rate: '0.06', tax: 600n, reason: 'standard_rated', because: 'a first day is inclusive' },
    { day: '2026-09-30', rate: '0.06', tax: 600n, reason: 'standard_rated', because: 'a last day is inclusive' },
    { day: '2026-10-01', rate: '0.07', tax: 700n, reason: 'standard_rated', because: 'the next rate begins' },
    { day: '2030-01-01', rate: '0.07', tax: 700n, reason: 'standard_rated', because: 'no last day is open' },
  ])('$day is taxed at $rate: $because', ({ day, rate, tax, reason }) => {
    const [row] = taxLine(lineOf(placeOf(releaseOf({ rates }))), { day }).rows;
    expect(row).toMatchObject({ rate, tax, reason });
  });

  const unknown = releaseOf().rates.map((one) => ({ ...one, from: null }));
  it.each([
    { day: '2025-12-31', tax: 0n, reason: 'not_supported', uncertainties: ['not_covered'] },
    { day: '2026-01-01', tax: 600n, reason: 'standard_rated', uncertainties: [] },
  ])('a rate whose first day is not established is $reason on $day', ({ day, tax, reason, uncertainties }) => {
    const release = releaseOf({ rates: unknown, rules: [rule('goods', ['GENERAL'], taxable)] });
    const line = taxLine(lineOf(placeOf(release)), { day });
    expect(line.rows).toMatchObject([{ tax, reason }]);
    expect(line.treatments.flatMap((treatment) => treatment.uncertainties.map(({ code }) => code))).toEqual(
      uncertainties,
    );
  });

  it('a local rate that is not established leaves the whole place without an answer, not with half of one', () => {
    const of = [
      { code: 'US-XX', type: 'state', rate: '0.06' },
      { code: 'US-XX-1', type: 'county', rate: '0.01' },
    ] as const;
    const known = releaseOf({ of: [...of] });
    const release = { ...known, rates: known.rates.map((one, index) => (index === 1 ? { ...one, from: null } : one)) };
    const { rows, tax, taxable: base, exempt: free } = taxLine(lineOf(placeOf(release)), { day: '2025-12-31' });
    expect({ tax, base, free }).toEqual({ tax: 0n, base: 0n, free: 10_000n });
    expect(rows.map(({ reason }) => reason)).toEqual(['not_supported']);
  });

  it.each([
    {
      day: '2025-12-31',
      reason: 'not_supported',
      ptc: 'FOOD.GROCERY',
      because: 'the rule that would decide may not have held',
    },
    { day: '2026-01-01', reason: 'product_exempt', ptc: 'FOOD.GROCERY', because: 'the rule counts from here' },
    { day: '2025-12-31', reason: 'standard_rated', ptc: 'GENERAL', because: 'the rule does not name the product' },
  ])(
    'with an established rate and an unestablished rule, $ptc is $reason on $day: $because',
    ({ day, ptc, reason }) => {
      const rules = [rule('groceries', ['FOOD.GROCERY'], exempt, undated), rule('goods', ['GENERAL'], taxable)];
      expect(taxLine(lineOf(placeOf(releaseOf({ rules })), { ptc }), { day }).rows).toMatchObject([{ reason }]);
    },
  );

  it('a rule that is over does not make an earlier day uncertain', () => {
    const rules = [
      rule('over', ['GENERAL'], exempt, { from: null, to: '2019-12-31' }),
      rule('goods', ['GENERAL'], taxable),
    ];
    expect(taxLine(lineOf(placeOf(releaseOf({ rules }))), { day: '2020-01-01' }).rows).toMatchObject([{ tax: 600n }]);
  });

  it.each([
    { day: '2026-12-31', reason: 'standard_rated' },
    { day: '2027-01-01', reason: 'not_supported' },
  ])('a release covers nothing after its last day: $day is $reason', ({ day, reason }) => {
    const place = placeOf(releaseOf({ established_to: '2026-12-31' }));
    expect(taxLine(lineOf(place), { day }).rows).toMatchObject([{ reason }]);
  });
});

describe('thresholds', () => {
  const under = (effect: Effect) => placeOf(releaseOf({ rules: [rule('threshold', ['CLOTHING.APPAREL'], effect)] }));
  const clothes = { ptc: 'CLOTHING.APPAREL' };

  it.each([
    { quantity: '1', amount: '109.99', tax: 0n, because: 'a cent below' },
    { quantity: '1', amount: '110.00', tax: 660n, because: 'at the amount the whole price is taxed' },
    { quantity: '1', amount: '110.01', tax: 660n, because: 'a cent above; 6.6006' },
    { quantity: '2', amount: '219.99', tax: 0n, because: 'each costs 109.995, which is less than 110' },
    { quantity: '2', amount: '220.00', tax: 1320n, because: 'each costs 110' },
    { quantity: '3', amount: '329.99', tax: 0n, because: 'a third of it is less than 110, rounded it is not' },
    { quantity: '0.5', amount: '55.00', tax: 330n, because: 'half a unit of 110' },
  ])('a cliff at 110, $quantity at $amount together: $tax cents, $because', ({ quantity, amount, tax }) => {
    const place = under({ type: 'threshold_cliff', amount: '110', inclusive: false });
    expect(taxLine(lineOf(place, { ...clothes, quantity, amount })).tax).toBe(tax);
  });

  it.each([
    { quantity: '1', amount: '100.00', tax: 0n, because: 'at the amount it is free' },
    { quantity: '1', amount: '100.01', tax: 600n, because: 'a cent above the whole price is taxed' },
    { quantity: '3', amount: '300.00', tax: 0n, because: 'each costs 100' },
    { quantity: '3', amount: '300.01', tax: 1800n, because: 'each costs a third of a cent more' },
  ])('an inclusive cliff at 100, $quantity at $amount together: $tax cents, $because', ({ quantity, amount, tax }) => {
    const place = under({ type: 'threshold_cliff', amount: '100.00', inclusive: true });
    const line = taxLine(lineOf(place, { ...clothes, quantity, amount }));
    expect(line.tax).toBe(tax);
    expect(line.rows[0]?.reason).toBe(tax > 0n ? 'standard_rated' : 'product_exempt');
  });

  it.each([
    ['1', '175.00', '0', 0n, 'product_exempt', 'at the amount nothing is left'],
    ['1', '175.01', '0', 1n, 'portion_product_exempt', 'a cent above is taxed'],
    ['1', '174.99', '0', 0n, 'product_exempt', 'a cent below'],
    ['2', '350.00', '0', 0n, 'product_exempt', 'each is free up to 175'],
    ['2', '410.00', '0', 6000n, 'portion_product_exempt', 'each is 30 above'],
    ['2.5', '437.50', '0', 0n, 'product_exempt', 'two and a half times 175'],
    ['2.5', '437.51', '0', 1n, 'portion_product_exempt', 'a cent above'],
    ['3', '600.00', '0', 7500n, 'portion_product_exempt', 'each is 25 above'],
    ['1', '205.00', '5.00', 2500n, 'portion_product_exempt', 'the discount comes first'],
    ['1', '205.00', '30.00', 0n, 'product_exempt', 'the discount leads to the amount'],
    ['1', '205.00', '100.00', 0n, 'product_exempt', 'the discount leads below it'],
  ])('the excess over 175, $0 at $1 less $2: $3 cents are taxed, $5', (quantity, amount, discount, taxed, reason) => {
    const place = under({ type: 'threshold_excess', amount: '175' });
    const line = taxLine(lineOf(place, { ...clothes, quantity, amount, discount }));
    expect(line).toMatchObject({ taxable: taxed, exempt: line.net - taxed });
    expect(line.rows).toMatchObject([{ taxable: taxed, reason }]);
  });

  it.each([
    { quantity: '1', amount: '1000.00', rate: '0.06' },
    { quantity: '1', amount: '1000.01', rate: '0.0775' },
    { quantity: '2', amount: '2000.01', rate: '0.0775' },
    { quantity: '3', amount: '3000.00', rate: '0.06' },
  ])('another rate on the whole price above 1,000 a unit: $quantity at $amount together at $rate', (priced) => {
    const place = under({ type: 'threshold_rate', amount: '1000', rate: '0.0775' });
    const line = taxLine(lineOf(place, { ...clothes, quantity: priced.quantity, amount: priced.amount }));
    expect(line.rows).toMatchObject([{ rate: priced.rate, taxable: line.net, exempt: 0n }]);
  });

  it.each<Effect>([
    { type: 'threshold_cliff', amount: '110', inclusive: false },
    { type: 'threshold_excess', amount: '110' },
    { type: 'threshold_rate', amount: '110', rate: '0.10' },
  ])('a discount of the document counts before the threshold, a third-party one does not: $type', (effect) => {
    const line = lineOf(under(effect), { ...clothes, amount: '120.00' });
    const without = taxLine(line).tax;
    expect(taxLine(line, { discount: 1001n }).tax).toBeLessThan(without);
    expect(taxLine(line, { discount: 1001n }).tax).toBe(
      taxLine(lineOf(under(effect), { ...clothes, amount: '109.99' })).tax,
    );
    expect(taxLine(line, { thirdPartyDiscount: 1001n }).tax).toBe(without);
    expect(taxLine({ ...line, thirdPartyDiscount: 1001n }).tax).toBe(without);
  });

  it('a cliff of the state only: the local tax applies to the whole price', () => {
    const release = releaseOf({
      of: [
        { code: 'US-XX', type: 'state', rate: '0.04' },
        { code: 'US-XX-1', type: 'county', rate: '0.0375' },
      ],
      rules: [
        rule(
          'state',
          ['CLOTHING.APPAREL'],
          { type: 'threshold_cliff', amount: '110', inclusive: false },
          { levels: ['state'] },
        ),
      ],
    });
    const rowsAt = (amount: string) => taxLine(lineOf(placeOf(release), { ...clothes, amount }));
    expect(rowsAt('109.99')).toMatchObject({
      tax: 412n,
      taxable: 10_999n,
      exempt: 0n,
      rows: [
        { tax: 0n, taxable: 0n, exempt: 10_999n, reason: 'product_exempt' },
        { tax: 412n, taxable: 10_999n, exempt: 0n, reason: 'standard_rated' },
      ],
    });
    expect(rowsAt('110.00')).toMatchObject({ tax: 853n, rows: [{ tax: 440n }, { tax: 413n }] });
  });
});

describe('effects of rules', () => {
  const ruled = (effect: Effect) => placeOf(releaseOf({ rules: [rule('one', ['SOFTWARE.SAAS'], effect)] }));

  it.each<{ effect: Effect; tax: bigint; rate: string; reason: string }>([
    { effect: { type: 'taxable' }, tax: 600n, rate: '0.06', reason: 'standard_rated' },
    { effect: { type: 'exempt' }, tax: 0n, rate: '0.06', reason: 'product_exempt' },
    { effect: { type: 'rate', rate: '0.01' }, tax: 100n, rate: '0.01', reason: 'reduced_rated' },
    { effect: { type: 'rate', rate: '0.06' }, tax: 600n, rate: '0.06', reason: 'standard_rated' },
    { effect: { type: 'rate', rate: '0.08' }, tax: 800n, rate: '0.08', reason: 'standard_rated' },
    { effect: { type: 'rate', rate: '0' }, tax: 0n, rate: '0', reason: 'zero_rated' },
    { effect: { type: 'other_tax', name: 'an excise' }, tax: 0n, rate: '0.06', reason: 'not_subject_to_tax' },
    { effect: { type: 'not_established', reason: 'No.' }, tax: 600n, rate: '0.06', reason: 'standard_rated' },
  ])('$effect makes $tax cents of 100.00, $reason at $rate', ({ effect, tax, rate, reason }) => {
    expect(taxLine(lineOf(ruled(effect), { ptc: 'SOFTWARE.SAAS' })).rows).toMatchObject([
      { tax, rate, reason, ruleId: 'one' },
    ]);
  });

  it.each([
    { use: 'business', ptc: 'SOFTWARE.SAAS', rate: '0.01', because: 'the use of the buyer decides' },
    { use: 'personal', ptc: 'SOFTWARE.SAAS', rate: '0.06', because: 'the use of the buyer decides' },
    { use: null, ptc: 'SOFTWARE.SAAS', rate: '0.06', because: 'a buyer without a use is personal' },
    { use: null, ptc: 'SOFTWARE.SAAS._BUSINESS_USE', rate: '0.01', because: 'the use of the product decides' },
    { use: 'business', ptc: 'SOFTWARE.SAAS._PERSONAL_USE', rate: '0.06', because: 'the use of the product decides' },
    { use: 'personal', ptc: 'SOFTWARE.SAAS._BUSINESS_USE', rate: '0.01', because: 'the use of the product decides' },
  ] as const)('a split by use taxes $ptc for a buyer of $use use at $rate: $because', ({ use, ptc, rate }) => {
    const place = ruled({
      type: 'use_split',
      business: { type: 'rate', rate: '0.01' },
      personal: { type: 'taxable' },
    });
    expect(taxLine(lineOf(place, { ptc, use })).rows).toMatchObject([{ rate }]);
  });

  const byUse: Effect = {
    type: 'use_split',
    business: { type: 'rate', rate: '0.01' },
    personal: { type: 'exempt' },
    unknown: { type: 'taxable' },
  };

  it.each([
    { use: 'business', tax: 100n, codes: [] },
    { use: 'personal', tax: 0n, codes: [] },
    { use: null, tax: 600n, codes: ['taxability_assumed'] },
  ] as const)('a split by use with an answer for unknown use makes $tax cents for $use use', ({ use, tax, codes }) => {
    const line = taxLine(lineOf(ruled(byUse), { ptc: 'SOFTWARE.SAAS', use }));
    const uncertainties = line.treatments.flatMap((one) => one.uncertainties.map(({ code }) => code));
    expect([line.tax, uncertainties]).toEqual([tax, codes]);
  });

  it.each<{ effect: Effect; code: string; says: string }>([
    { effect: { type: 'other_tax', name: 'boat excise, 5 %' }, code: 'other_tax_applies', says: 'boat excise, 5 %' },
    { effect: { type: 'not_established', reason: 'A list.' }, code: 'taxability_not_established', says: 'A list.' },
  ])('a rule with the effect $effect.type has the uncertainty $code', ({ effect, code, says }) => {
    const [uncertainty, ...others] =
      taxLine(lineOf(ruled(effect), { ptc: 'SOFTWARE.SAAS' })).treatments[0]?.uncertainties ?? [];
    expect([uncertainty?.code, others]).toEqual([code, []]);
    expect(uncertainty?.message).toContain(says);
  });

  it('a rule with an assumption has an uncertainty that says it', () => {
    const assuming = rule('one', ['GENERAL'], { type: 'taxable' }, { assumption: 'Assumed: no certificate.' });
    const line = taxLine(lineOf(placeOf(releaseOf({ rules: [assuming] }))));
    expect(line.treatments[0]?.uncertainties).toMatchObject([
      { code: 'taxability_assumed', message: expect.stringContaining('Assumed: no certificate.') },
    ]);
  });

  it('a product without the attribute that decides has an uncertainty that names it and both outcomes', () => {
    const rules = [
      rule('others', ['HEALTH.DRUGS'], { type: 'taxable' }),
      rule('prescribed', ['HEALTH.DRUGS'], { type: 'exempt' }, { attributes: { any: ['_PRESCRIPTION'], none: [] } }),
    ];
    const uncertaintiesFor = (ptc: string) =>
      taxLine(lineOf(placeOf(releaseOf({ rules })), { ptc })).treatments[0]?.uncertainties;
    expect(uncertaintiesFor('HEALTH.DRUGS')).toMatchObject([
      { code: 'taxability_assumed', message: expect.stringMatching(/is taxable.*With _PRESCRIPTION, it is exempt/) },
    ]);
    expect(uncertaintiesFor('HEALTH.DRUGS._PRESCRIPTION')).toEqual([]);
    expect(uncertaintiesFor('HEALTH.DRUGS._OVER_THE_COUNTER')).toEqual([]);
  });

  it('a product that no rule names is taxed as general goods, with an uncertainty', () => {
    const line = taxLine(lineOf(placeOf(releaseOf())));
    expect(line.rows).toMatchObject([{ tax: 600n, reason: 'standard_rated', ruleId: null }]);
    expect(line.treatments[0]?.uncertainties).toMatchObject([{ code: 'taxability_not_established' }]);
  });

  it('a place without a known jurisdiction has a row with the reason', () => {
    const line = taxLine(lineOf(placeOf(releaseOf(), [])));
    expect(line.rows).toMatchObject([{ tax: 0n, exempt: 10_000n, reason: 'not_supported' }]);
  });

  it('a state without the tax has a row with the reason, at no tax', () => {
    const release = releaseOf({ of: [{ code: 'US-XX', type: 'state', rate: '0' }] });
    expect(taxLine(lineOf(placeOf(release))).rows).toMatchObject([
      { tax: 0n, exempt: 10_000n, reason: 'not_subject_to_tax' },
    ]);
  });

  it.each(['customer_exempt', 'marketplace_collects', 'not_collecting'] as const)(
    'collectionExemption leaves a row for each jurisdiction with the reason %s',
    (collectionExemption) => {
      const release = releaseOf({
        of: [
          { code: 'US-XX', type: 'state', rate: '0.06' },
          { code: 'US-XX-1', type: 'city', rate: '0.01' },
        ],
      });
      const line = taxLine(lineOf(placeOf(release), { collectionExemption }));
      expect(line).toMatchObject({ tax: 0n, taxable: 0n, exempt: 10_000n });
      expect(line.rows.map(({ reason, exempt: free }) => [reason, free])).toEqual([
        [collectionExemption, 10_000n],
        [collectionExemption, 10_000n],
      ]);
    },
  );
});
