import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Effect, Release, ShippingPolicy } from '../../shared/catalog/release.ts';
import type { Rounding } from '../../shared/catalog/release-values.ts';
import { calculateTax } from '../../shared/tax/calculate.ts';
import type { TaxDocument, TaxedCharge, TaxedDocument, TaxLine } from '../../shared/tax/document.ts';
import { ask, cents, documentOf, lineOf, placeOf, productOf, releaseOf, rule } from '../support/builders.ts';

describe('tax shipping', () => {
  const clothesAreFree = rule('clothes', ['CLOTHING.APPAREL'], { type: 'exempt' });
  const following = placeOf(releaseOf({ rules: [clothesAreFree] }));
  const other = placeOf(releaseOf({ of: [{ code: 'US-YY', type: 'state', rate: '0.10' }] }));

  const taxable = (amount: string, place = following) => lineOf(place, { amount });
  const free = (amount: string, place = following) => lineOf(place, { amount, ptc: 'CLOTHING.APPAREL' });

  const ship = (amount: string, lines: readonly TaxLine[], ptc = 'SHIPPING.DELIVERY'): TaxedCharge => {
    const [shipping] = calculateTax(
      documentOf(lines, { shipping: { amount: cents(amount), product: productOf(ptc) } }),
    ).shipping;
    if (!shipping) throw new Error('no shipping came back');
    return shipping;
  };

  describe('shipping that follows the goods', () => {
    it.each([
      [1000n, [taxable('100.00')], 'the goods are taxed'],
      [0n, [free('100.00')], 'the goods are free'],
      [667n, [taxable('100.00'), free('50.00')], 'two thirds of the goods are taxed'],
      [667n, [free('50.00'), taxable('100.00')], 'the order does not matter'],
      [500n, [taxable('50.00'), free('50.00')], 'half of the goods'],
      [500n, [taxable('0'), free('0')], 'lines of zero share equally'],
      [0n, [taxable('0'), free('100.00')], 'a line of zero has no share beside others'],
      [
        500n,
        [lineOf(following, { amount: '100.00', discount: '50.00' }), free('50.00')],
        'shares go by the net, not by the price',
      ],
      [
        500n,
        [lineOf(following, { amount: '50.00', thirdPartyDiscount: '25.00' }), free('50.00')],
        'a third-party discount lowers no share',
      ],
    ])('$0 cents of a delivery of 10.00 are taxed: $2', (taxed, lines) => {
      const shipping = ship('10.00', lines);
      expect(shipping).toMatchObject({ net: 1000n, taxable: taxed, exempt: 1000n - taxed });
      expect(shipping.tax).toBe((taxed * 6n + 50n) / 100n);
    });

    it('has the exempt part as a separate row, so that the rows sum to the whole amount', () => {
      const { rows } = ship('10.00', [taxable('100.00'), free('50.00')]);
      expect(rows.map(({ reason, taxable: base, exempt, tax }) => ({ reason, base, exempt, tax }))).toEqual([
        { reason: 'standard_rated', base: 667n, exempt: 0n, tax: 40n },
        { reason: 'product_exempt', base: 0n, exempt: 333n, tax: 0n },
      ]);
    });

    it('is taxed where each line is delivered, in the place of each share', () => {
      const { rows, tax } = ship('10.00', [taxable('30.00'), taxable('10.00', other)]);
      expect(rows.map(({ jurisdiction, taxable: base, tax: own }) => [jurisdiction.code, base, own])).toEqual([
        ['US-XX', 750n, 45n],
        ['US-YY', 250n, 25n],
      ]);
      expect(tax).toBe(70n);
    });

    it('shares an odd cent to the line with the largest remainder, and to the first of equals', () => {
      const third = placeOf(releaseOf({ of: [{ code: 'US-ZZ', type: 'state', rate: '0.05' }] }));
      const { rows } = ship('10.00', [taxable('1.00'), taxable('1.00', other), taxable('1.00', third)]);
      expect(rows.map(({ taxable: base }) => base)).toEqual([334n, 333n, 333n]);
    });

    it('is not taxed for a buyer who is exempt, by lines', () => {
      const exemptLine: TaxLine = { ...taxable('50.00'), collectionExemption: 'customer_exempt' };
      expect(ship('10.00', [exemptLine, taxable('50.00')])).toMatchObject({ taxable: 500n, exempt: 500n, tax: 30n });
    });
  });

  describe('the shipping policy of a state', () => {
    it.each([
      { policy: 'exempt_if_stated', ptc: 'SHIPPING.DELIVERY._SEPARATELY_STATED', tax: 0n, because: 'it is stated' },
      { policy: 'exempt_if_stated', ptc: 'SHIPPING.DELIVERY', tax: 60n, because: 'unstated, it follows the goods' },
      {
        policy: 'follows_goods',
        ptc: 'SHIPPING.DELIVERY._SEPARATELY_STATED',
        tax: 60n,
        because: 'stating it changes nothing',
      },
      { policy: 'always_taxable', ptc: 'SHIPPING.DELIVERY._SEPARATELY_STATED', tax: 60n, because: 'it is taxed' },
    ] as const)('$policy, $ptc of 10.00 with taxed goods: $tax cents, $because', ({ policy, ptc, tax }) => {
      expect(ship('10.00', [taxable('100.00', placeOf(releaseOf({ shipping: policy })))], ptc).tax).toBe(tax);
    });

    it.each([
      { policy: 'exempt_if_stated', tax: 0n },
      { policy: 'follows_goods', tax: 0n },
      { policy: 'always_taxable', tax: 60n },
    ] as const)('$policy, delivery of free goods: $tax cents', ({ policy, tax }) => {
      expect(
        ship('10.00', [free('100.00', placeOf(releaseOf({ shipping: policy, rules: [clothesAreFree] })))]).tax,
      ).toBe(tax);
    });

    it('a rule that names the charge wins over the policy', () => {
      const rules = [rule('handling', ['SHIPPING.HANDLING'], { type: 'taxable' })];
      const place = placeOf(releaseOf({ shipping: 'exempt_if_stated', rules }));
      expect(ship('10.00', [taxable('100.00', place)], 'SHIPPING.HANDLING').rows).toMatchObject([
        { tax: 60n, ruleId: 'handling' },
      ]);
    });

    const dated = { to: null, source: 'test', confidence: 'high' } as const;
    const settings = {
      shipping: [
        { ...dated, policy: 'follows_goods', from: '2022-06-01', to: '2023-06-30' },
        { ...dated, policy: 'exempt_if_stated', from: '2023-07-01' },
      ],
    } as const;

    it.each([
      {
        day: '2022-05-31',
        tax: 0n,
        reason: 'not_supported',
        because: 'what applied before the first policy is not established',
      },
      { day: '2022-06-01', tax: 60n, reason: 'standard_rated', because: 'a first day is inclusive' },
      { day: '2023-06-30', tax: 60n, reason: 'standard_rated', because: 'a last day is inclusive' },
      { day: '2023-07-01', tax: 0n, reason: 'product_exempt', because: 'the next policy begins' },
    ])('a stated delivery of 10.00 on $day is $reason, $tax cents: $because', ({ day, tax, reason }) => {
      const [shipping] = calculateTax(
        documentOf([taxable('100.00', placeOf(releaseOf({ settings })))], {
          day,
          shipping: { amount: 1000n, product: productOf('SHIPPING.DELIVERY._SEPARATELY_STATED') },
        }),
      ).shipping;
      expect(shipping).toMatchObject({ tax, rows: [{ reason }] });
    });
  });

  describe('shipping that is taxed once anything is', () => {
    const jersey = (shipping: 'any_taxable' | 'follows_goods') =>
      placeOf(
        releaseOf({
          of: [{ code: 'US-NJ', type: 'state', rate: '0.06625' }],
          shipping,
          rules: [clothesAreFree, rule('sweets', ['FOOD.CANDY'], { type: 'rate', rate: '0.02' })],
        }),
      );

    it.each([
      { policy: 'any_taxable', goods: 663n, tax: 66n },
      { policy: 'follows_goods', goods: 663n, tax: 44n },
    ] as const)(
      '$policy: 100.00 taxable, 50.00 of exempt clothing and 10.00 of shipping are $goods and $tax cents',
      (one) => {
        const place = jersey(one.policy);
        const lines = [taxable('100.00', place), free('50.00', place)];
        expect(calculateTax(documentOf(lines)).lines.map(({ tax }) => tax)).toEqual([one.goods, 0n]);
        expect(ship('10.00', lines).tax).toBe(one.tax);
        expect(ship('10.00', lines.toReversed()).tax).toBe(one.tax);
      },
    );

    const place = jersey('any_taxable');
    const sweets = (amount: string) => lineOf(place, { ptc: 'FOOD.CANDY', amount });
    it.each([
      [[[0n, 1000n, 'product_exempt']], [free('50.00', place)], 'nothing is taxed'],
      [[[1000n, 0n, 'standard_rated']], [taxable('0.01', place), free('999.99', place)], 'a cent is'],
      [[[1000n, 0n, 'standard_rated']], [taxable('0', place), free('0', place)], 'it would be at any price'],
      [
        [
          [750n, 0n, 'standard_rated'],
          [250n, 0n, 'reduced_rated'],
        ],
        [taxable('30.00', place), sweets('10.00'), free('60.00', place)],
        'the rates of the taxed lines share it',
      ],
      [
        [
          [0n, 500n, 'customer_exempt'],
          [500n, 0n, 'standard_rated'],
        ],
        [taxable('50.00', place), lineOf(place, { amount: '50.00', collectionExemption: 'customer_exempt' })],
        'an exempt buyer’s share stays exempt',
      ],
    ])('10.00 comes to $0, because $2', (rows, lines) => {
      expect(ship('10.00', lines).rows.map((row) => [row.taxable, row.exempt, row.reason])).toEqual(rows);
    });

    it('is decided by each jurisdiction for what comes to it', () => {
      const release = releaseOf({
        of: [
          { code: 'US-XX', type: 'state', rate: '0.06' },
          { code: 'US-XX-1', type: 'city', rate: '0.01' },
          { code: 'US-XX-2', type: 'city', rate: '0.02' },
        ],
        shipping: 'any_taxable',
        rules: [clothesAreFree],
      });
      const inCity = (code: string) =>
        placeOf(
          release,
          release.jurisdictions.filter((one) => one.type === 'state' || one.code === code),
        );
      const { rows } = ship('10.00', [taxable('50.00', inCity('US-XX-1')), free('50.00', inCity('US-XX-2'))]);
      expect(rows.map((row) => [row.jurisdiction.code, row.taxable, row.exempt])).toEqual([
        ['US-XX', 1000n, 0n],
        ['US-XX-1', 500n, 0n],
        ['US-XX-2', 0n, 500n],
      ]);
    });

    it('taxes all of it where goods are taxed in part', () => {
      const parts = placeOf(
        releaseOf({
          shipping: 'any_taxable',
          rules: [rule('half', ['GENERAL'], { type: 'base_percent', percent: '0.5' })],
        }),
      );
      expect(ship('10.00', [taxable('100.00', parts)])).toMatchObject({
        taxable: 1000n,
        rows: [{ reason: 'standard_rated' }],
      });
    });

    it('is no more than follows where all that is sold is at a rate of zero', () => {
      const zero = placeOf(
        releaseOf({
          shipping: 'any_taxable',
          rules: [clothesAreFree, rule('zero', ['FOOD.GROCERY'], { type: 'rate', rate: '0' })],
        }),
      );
      const { rows } = ship('10.00', [lineOf(zero, { ptc: 'FOOD.GROCERY', amount: '50.00' }), free('50.00', zero)]);
      expect(rows.map((row) => [row.taxable, row.exempt, row.reason])).toEqual([
        [500n, 0n, 'zero_rated'],
        [0n, 500n, 'product_exempt'],
      ]);
    });
  });

  describe('shipping that counts in the price of the goods', () => {
    const included = { threshold_includes_shipping: true };
    const island = (others = included, shipping: 'follows_goods' | 'exempt_if_stated' = 'follows_goods') =>
      placeOf(
        releaseOf({
          of: [{ code: 'US-RI', type: 'state', rate: '0.07' }],
          shipping,
          rules: [rule('clothes', ['CLOTHING.APPAREL'], { type: 'threshold_excess', amount: '250' }, others)],
        }),
      );
    const suit = (amount: string, place = island(), quantity = '1') =>
      lineOf(place, { ptc: 'CLOTHING.APPAREL', amount, quantity });
    const both = (shipping: string, lines: readonly TaxLine[], ptc = 'SHIPPING.DELIVERY', day = '2026-10-08') => {
      const taxed = calculateTax(
        documentOf(lines, { day, shipping: { amount: cents(shipping), product: productOf(ptc) } }),
      );
      return [...taxed.lines, ...taxed.shipping].map((charge) => [charge.taxable, charge.tax]);
    };

    it.each([
      ['285.00', '20.00', [3500n, 245n], [2000n, 140n], '305.00 is 55.00 above 250'],
      ['240.00', '20.00', [0n, 0n], [1000n, 70n], 'the goods leave 10.00 over'],
      ['230.00', '20.00', [0n, 0n], [0n, 0n], 'together they are at the amount'],
      ['230.00', '20.01', [0n, 0n], [1n, 0n], 'together they are a cent above'],
      ['250.00', '0.00', [0n, 0n], [0n, 0n], 'there is nothing to deliver'],
    ])('a suit of %s and delivery of %s are taxed %s and %s, because %s', (amount, delivery, ...[goods, shipping]) => {
      expect(both(delivery, [suit(amount)])).toEqual([goods, shipping]);
    });

    it('counts each unit’s share: of three at 240.00 and 60.00 of delivery 10.00 each is taxed', () => {
      expect(both('60.00', [suit('720.00', island(), '3')])).toEqual([
        [0n, 0n],
        [3000n, 210n],
      ]);
      expect(both('20.00', [suit('142.50', island(), '0.5')])).toEqual([
        [1750n, 123n],
        [2000n, 140n],
      ]);
    });

    it('counts each line’s share: 285.00 beside other goods of 285.00 has half of the delivery', () => {
      expect(both('20.00', [suit('285.00'), lineOf(island(), { amount: '285.00' })])).toEqual([
        [3500n, 245n],
        [28_500n, 1995n],
        [2000n, 140n],
      ]);
    });

    it('is free where the delivery is exempt by itself', () => {
      const stated = 'SHIPPING.DELIVERY._SEPARATELY_STATED';
      expect(both('20.00', [suit('285.00', island(included, 'exempt_if_stated'))], stated)).toEqual([
        [3500n, 245n],
        [0n, 0n],
      ]);
    });

    it('delivery without the setting is taxed in the part in which the goods are', () => {
      expect(both('20.00', [suit('285.00', island({ threshold_includes_shipping: false }))])).toEqual([
        [3500n, 245n],
        [246n, 17n],
      ]);
    });

    const weekend = { from: '2026-08-07', to: '2026-08-09' };
    const texas = (others: object, effect: Effect = { type: 'holiday', amount: '100', inclusive: false }) =>
      placeOf(
        releaseOf({
          of: [{ code: 'US-TX', type: 'state', rate: '0.0625' }],
          rules: [
            rule('goods', ['CLOTHING'], { type: 'taxable' }),
            rule('weekend', ['CLOTHING'], effect, { ...weekend, ...others }),
          ],
        }),
      );

    it.each([
      { others: included, amount: '95.00', delivery: '10.00', tax: [594n, 63n], because: '105.00 is over 100' },
      { others: included, amount: '95.00', delivery: '5.00', tax: [594n, 31n], because: '100.00 is not below 100' },
      { others: included, amount: '95.00', delivery: '4.99', tax: [0n, 0n], because: '99.99 is below 100' },
      { others: {}, amount: '95.00', delivery: '10.00', tax: [0n, 0n], because: 'only the goods count' },
      { others: {}, amount: '100.00', delivery: '10.00', tax: [625n, 63n], because: 'the goods are at the limit' },
    ])(
      '$amount and $delivery of delivery on a holiday: $tax cents, because $because',
      ({ others, amount, delivery, tax }) => {
        const taxed = both(
          delivery,
          [lineOf(texas(others), { ptc: 'CLOTHING.APPAREL', amount })],
          undefined,
          '2026-08-08',
        );
        expect(taxed.map(([, one]) => one)).toEqual(tax);
      },
    );

    it('counts two at 95.00 and 10.00 of delivery as 100.00 each', () => {
      const two = lineOf(texas(included), { ptc: 'CLOTHING.APPAREL', amount: '190.00', quantity: '2' });
      expect(both('10.00', [two], undefined, '2026-08-08')).toEqual([
        [19_000n, 1188n],
        [1000n, 63n],
      ]);
      expect(both('9.99', [two], undefined, '2026-08-08')).toEqual([
        [0n, 0n],
        [0n, 0n],
      ]);
    });

    it.each<{ effect: Effect; taxed: bigint[][]; because: string }>([
      {
        effect: { type: 'threshold_cliff', amount: '100', inclusive: false },
        taxed: [
          [9500n, 594n],
          [1000n, 63n],
        ],
        because: 'the whole is taxed',
      },
      {
        effect: { type: 'threshold_rate', amount: '100', rate: '0.10' },
        taxed: [
          [9500n, 950n],
          [1000n, 100n],
        ],
        because: 'at the other rate',
      },
    ])('$effect at 95.00 and 10.00: $taxed, $because', ({ effect, taxed }) => {
      expect(
        both(
          '10.00',
          [lineOf(texas(included, effect), { ptc: 'CLOTHING.APPAREL', amount: '95.00' })],
          undefined,
          '2026-08-08',
        ),
      ).toEqual(taxed);
    });
  });
});

describe('tax shipping with goods', () => {
  const withGoods: Rounding = { method: 'half_up', shipping: 'with_goods' };
  const byItself: Rounding = { method: 'half_up' };

  const clothes = 'CLOTHING.APPAREL';
  const rules = [rule('goods', ['GENERAL'], { type: 'taxable' }), rule('clothes', [clothes], { type: 'exempt' })];
  const releaseIn = (code: string, rates: readonly string[], rounding: Rounding, shipping?: ShippingPolicy): Release =>
    releaseOf({
      of: [
        { code, type: 'state', rate: rates[0] ?? '0' },
        ...rates.slice(1).map((rate, index) => ({ code: `${code}-${index}`, type: 'city' as const, rate })),
      ],
      rules,
      rounding,
      ...(shipping ? { shipping } : {}),
    });
  const texas = (rounding: Rounding) => placeOf(releaseIn('US-TX', ['0.0625'], rounding));

  const tax = (
    lines: readonly TaxLine[],
    shipping: bigint,
    others: Partial<Omit<TaxDocument, 'shipping'>> = {},
  ): TaxedDocument =>
    calculateTax(
      documentOf(lines, { shipping: { amount: shipping, product: productOf('SHIPPING.DELIVERY') }, ...others }),
    );
  const taxesOf = ({ lines, shipping }: TaxedDocument): bigint[] => [
    ...lines.map((line) => line.tax),
    shipping[0]?.tax ?? 0n,
  ];

  describe('shipping that is rounded with its goods', () => {
    it.each([
      {
        goods: '99.00',
        shipping: '6.00',
        alone: [619n, 38n],
        together: [619n, 37n],
        because: '6.5625 is 6.56, not 6.57',
      },
      {
        goods: '99.04',
        shipping: '5.96',
        alone: [619n, 37n],
        together: [619n, 37n],
        because: '6.5625 is 6.56 already',
      },
      { goods: '0.03', shipping: '0.05', alone: [0n, 0n], together: [0n, 1n], because: '0.0050 is a cent' },
      { goods: '1.00', shipping: '0.08', alone: [6n, 1n], together: [6n, 1n], because: '0.0675 is 0.07' },
      {
        goods: '0',
        shipping: '6.00',
        alone: [0n, 38n],
        together: [0n, 38n],
        because: 'there is nothing to round it with',
      },
      { goods: '99.00', shipping: '0', alone: [619n, 0n], together: [619n, 0n], because: 'nothing owes nothing' },
    ])('jeans at $goods and delivery at $shipping in Texas: $together, because $because', (order) => {
      const { goods, shipping, alone, together } = order;
      const of = (rounding: Rounding) => taxesOf(tax([lineOf(texas(rounding), { amount: goods })], cents(shipping)));
      expect(of(byItself)).toEqual(alone);
      expect(of(withGoods)).toEqual(together);
    });

    it('leaves each of several lines its own rounding, and makes up for none of it', () => {
      const line = lineOf(texas(withGoods), { amount: '0.24' });
      expect(taxesOf(tax([line, line], 100n))).toEqual([2n, 2n, 6n]);
    });

    it('changes nothing where the account rounds by invoice, or where the prices include the tax', () => {
      const lines = (rounding: Rounding) => [
        lineOf(texas(rounding), { amount: '99.00' }),
        lineOf(texas(rounding), { amount: '0.24' }),
      ];
      for (const others of [{ rounding: 'invoice' }, { taxIncluded: true }] as const)
        expect(taxesOf(tax(lines(withGoods), 600n, others))).toEqual(taxesOf(tax(lines(byItself), 600n, others)));
    });

    it('is rounded in each state with the goods of that state', () => {
      const iowa = placeOf(releaseIn('US-IA', ['0.0625'], withGoods));
      const lines = [lineOf(texas(withGoods), { amount: '99.00' }), lineOf(iowa, { amount: '99.00' })];
      const taxed = tax(lines, 1200n);
      expect(taxesOf(taxed)).toEqual([619n, 619n, 74n]);
      expect(taxed.shipping[0]?.rows.map((row) => row.tax)).toEqual([37n, 37n]);
      const ohio = placeOf(releaseIn('US-OH', ['0.0625'], byItself));
      const mixed = tax([lineOf(texas(withGoods), { amount: '99.00' }), lineOf(ohio, { amount: '99.00' })], 1200n);
      expect(mixed.shipping[0]?.rows.map((row) => row.tax)).toEqual([37n, 38n]);
    });

    it('is rounded with its goods also beside a state of mandatory tables', () => {
      const steps = { jurisdiction: 'US-PA', rate: '0.0625', steps: ['0.10', '0.17', '0.34'], nothing_below: null };
      const tables = placeOf(releaseIn('US-PA', ['0.0625'], { method: 'bracket', brackets: [steps] }));
      const taxed = tax([lineOf(texas(withGoods), { amount: '99.00' }), lineOf(tables, { amount: '99.00' })], 1200n);
      expect(taxed.shipping[0]?.rows[0]).toMatchObject({ jurisdiction: { code: 'US-TX' }, taxable: 600n, tax: 37n });
    });

    it('is explained by both figures', () => {
      const release = releaseIn('US-TX', ['0.0625'], withGoods);
      const { explanation } = ask(
        {
          to: { state: 'TX', postal_code: '77002' },
          explain: true,
          line_items: [{ unit_price: '99.00' }],
          shipping: { amount: '6.00' },
        },
        { releaseFor: () => release },
      );
      const text = explanation?.find(({ step, pointer }) => step === 'rounding' && pointer === '/shipping')?.text;
      for (const figure of ['0.375', '6.5625', '6.56', '6.1875', '6.19', '0.37'])
        expect(text).toMatch(new RegExp(`\\b${figure.replace('.', '\\.')}\\b`));
    });
  });

  // The oracle: whole numbers of 10^-8 cents, and its own largest remainders. It calls nothing of the service.
  const unit = 100_000_000n;
  const nearest = (exact: bigint): bigint => (2n * exact + unit) / (2n * unit);
  const total = (amounts: readonly bigint[]) => amounts.reduce((left, right) => left + right, 0n);
  const shared = (amount: bigint, nets: readonly bigint[]): bigint[] => {
    const weights = total(nets) === 0n ? nets.map(() => 1n) : nets;
    const whole = total(weights);
    const parts = weights.map((weight, index) => ({
      index,
      part: (amount * weight) / whole,
      rest: (amount * weight) % whole,
    }));
    const left = Number(amount - total(parts.map(({ part }) => part)));
    const first = parts.toSorted((one, other) =>
      one.rest < other.rest ? 1 : one.rest > other.rest ? -1 : one.index - other.index,
    );
    return parts.map(({ index, part }) => part + (first.slice(0, left).some((one) => one.index === index) ? 1n : 0n));
  };

  type Drawn = { readonly state: 0 | 1; readonly isExempt: boolean; readonly amount: bigint };
  const amount = fc.oneof(fc.bigInt({ min: 0n, max: 300n }), fc.bigInt({ min: 0n, max: 50_000n }));
  const rates = fc.array(fc.bigInt({ min: 0n, max: 9_000_000n }), { minLength: 1, maxLength: 3 });
  const orders = fc.record({
    lines: fc.array(fc.record<Drawn>({ state: fc.constantFrom(0, 1), isExempt: fc.boolean(), amount }), {
      minLength: 1,
      maxLength: 6,
    }),
    shipping: amount,
    rates: fc.tuple(rates, rates),
    isSecondWithGoods: fc.boolean(),
  });
  const written = (rate: bigint) => `0.${String(rate).padStart(8, '0')}`;

  describe('the tax on shipping, with an independent oracle', () => {
    it('is that of goods and shipping together less that of the goods, in each state, and its parts sum', () => {
      fc.assert(
        fc.property(orders, ({ lines, shipping, rates: both, isSecondWithGoods }) => {
          const isWithGoods = [true, isSecondWithGoods];
          const places = both.map((own, index) =>
            placeOf(releaseIn(`US-X${index}`, own.map(written), isWithGoods[index] ? withGoods : byItself)),
          );
          const taxed = tax(
            lines.map((line) => ({
              ...lineOf(places[line.state] ?? texas(withGoods), { ptc: line.isExempt ? clothes : 'GENERAL' }),
              amount: line.amount,
            })),
            shipping,
          );
          const shares = shared(
            shipping,
            lines.map((line) => line.amount),
          );
          const rateOf = (line: Drawn) => (line.isExempt ? 0n : total(both[line.state]));
          const exactIn = (state: number, of: (line: Drawn, index: number) => bigint) =>
            total(lines.map((line, index) => (line.state === state ? of(line, index) * rateOf(line) : 0n)));
          const expected = [0, 1].map((state) => {
            const goods = exactIn(state, (line) => line.amount);
            const own = exactIn(state, (_, index) => shares[index] ?? 0n);
            return isWithGoods[state] ? nearest(goods + own) - nearest(goods) : nearest(own);
          });
          expect(taxed.lines.map((line) => line.tax)).toEqual(lines.map((line) => nearest(line.amount * rateOf(line))));
          const rows = taxed.shipping[0]?.rows ?? [];
          for (const state of [0, 1])
            expect(
              total(rows.flatMap((row) => (row.jurisdiction.code.startsWith(`US-X${state}`) ? row.tax : []))),
            ).toBe(expected[state]);
          expect(total(rows.map((row) => row.tax))).toBe(taxed.shipping[0]?.tax);
          expect(rows.every((row) => row.tax >= 0n && (row.tax === 0n || row.taxable > 0n))).toBe(true);
        }),
        { numRuns: 2000 },
      );
    });

    it('makes an order of one line one receipt: goods and delivery are rounded once', () => {
      fc.assert(
        fc.property(amount, amount, rates, (goods, shipping, own) => {
          const place = placeOf(releaseIn('US-X0', own.map(written), withGoods, 'always_taxable'));
          const taxed = tax([{ ...lineOf(place), amount: goods }], shipping);
          expect(total(taxesOf(taxed))).toBe(nearest((goods + shipping) * total(own)));
        }),
        { numRuns: 2000 },
      );
    });
  });
});
