import { describe, expect, it } from 'vitest';
import { builtInReleases } from '../../shared/catalog/built-in.ts';
import { inForce } from '../../shared/catalog/effective.ts';
import { ask, warningCodes } from '../support/builders.ts';
import { stateTreatments } from '../support/facts.ts';
import { builtIn } from '../support/local-content.ts';
import { onlyShipping } from '../support/sales.ts';

describe('content values', () => {
  /** Amounts from the content notes, typed by hand and independent of how the releases were built. */

  const rateOn = (state: string, day: string): string | undefined => {
    const { rates, established_from } = builtIn(state);
    return inForce(
      rates.filter(({ jurisdiction }) => jurisdiction === `US-${state}`),
      day,
      established_from,
    )[0]?.rate;
  };
  const policyOn = (state: string, setting: 'shipping' | 'coupons', day = '2026-11-20'): string[] => {
    const { settings, established_from } = builtIn(state);
    return inForce<(typeof settings)['shipping' | 'coupons'][number]>(settings[setting], day, established_from).map(
      ({ policy }) => policy,
    );
  };
  const states = (text: string) => text.split(' ');

  describe('state rates', () => {
    const withoutTax = ['AK', 'DE', 'MT', 'NH', 'OR'].map((state) => ({ state, rate: '0' }));
    it.each([...stateTreatments, ...withoutTax])('$state', ({ state, rate }) =>
      expect(rateOn(state, '2026-11-20')).toBe(rate),
    );

    // The last day of a rate and the first day of the next one; `-` is unknown.
    it.each([
      ['DC', '2018-09-30 -, 2026-09-30 0.06, 2026-10-01 0.07'],
      ['SD', '2016-05-31 -, 2016-06-01 0.045, 2023-06-30 0.045, 2023-07-01 0.042, 2027-06-30 0.042, 2027-07-01 0.045'],
      ['LA', '2018-06-30 -, 2018-07-01 0.0445, 2024-12-31 0.0445, 2025-01-01 0.05, 2029-12-31 0.05, 2030-01-01 0.0475'],
      ['MS', '2021-12-31 -, 2022-01-01 0.07'],
      ['NJ', '2016-06-01 0.07, 2016-06-02 -, 2017-12-31 -, 2018-01-01 0.06625'],
      ['MI', '2021-12-31 -, 2022-01-01 0.06'],
      ['NM', '2022-06-30 0.05125, 2022-07-01 0.05, 2023-06-30 0.05, 2023-07-01 0.04875'],
    ])('%s: %s', (state, text) => {
      const found = text.split(', ').map((pair) => `${pair.slice(0, 10)} ${rateOn(state, pair.slice(0, 10)) ?? '-'}`);
      expect(found.join(', ')).toBe(text);
    });

    it('cites the act and a second list for the new rate of the District', () =>
      expect(builtIn('DC').rates.at(-1)).toMatchObject({ confidence: 'medium-high' }));

    it('cites a statute or a tax department for every state rate, not a secondary table', () => {
      for (const { rates, sources, state } of builtInReleases())
        for (const { source } of rates) expect(sources[source], state).not.toMatch(/^Tax Foundation/);
    });
  });

  describe('settings', () => {
    it.each([
      ...states('NY PA LA').map((state) => [state, '2026-11-20', ['any_taxable']] as const),
      ['HI', '2026-11-20', ['always_taxable']],
      ['NJ', '2026-11-20', ['follows_goods']],
      ['KS', '2023-06-30', ['follows_goods']],
      ['KS', '2023-07-01', ['exempt_unless_included']],
      ['MI', '2023-04-25', ['follows_goods']],
      ['MI', '2023-04-26', ['exempt_unless_included']],
    ] as const)('have the shipping policy of %s on %s', (state, day, policies) =>
      expect(policyOn(state, 'shipping', day)).toEqual(policies),
    );

    it('let a third-party coupon reduce the taxable price in five states, confirmed in most of them', () => {
      const of = builtInReleases().map(({ state }) => state.slice(3));
      expect(of).toHaveLength(55);
      for (const state of of) {
        const policy = states('CT MA MO PA TX').includes(state) ? 'reduces_price' : 'full_price';
        expect(policyOn(state, 'coupons'), state).toEqual([policy]);
      }
      const uncertain = of.filter((state) =>
        builtIn(state).settings.coupons.some(({ confidence }) => confidence === 'medium' || confidence === 'low'),
      );
      expect(uncertain.toSorted()).toEqual(states('AK AL CO DC FL HI ID LA MD MS NM PR SC'));
    });

    const cents = (state: string, index: number, part: number) => {
      const { policy } = builtIn(state).settings.rounding[0] ?? {};
      if (policy?.method !== 'bracket') throw new Error(`${state} has no bracket`);
      return policy.brackets[index]?.steps.filter((step) => part > Math.round(Number(step) * 100)).length;
    };
    // Cents above a dollar, and their tax. Maryland: each started 16 2/3 cents. Allegheny County: a cent from 51 cents
    // on.
    it.each([
      ['PA', 0, '0 0, 10 0, 11 1, 17 1, 18 2, 34 2, 35 3, 50 3, 51 4, 67 4, 68 5, 84 5, 85 6, 99 6'],
      ['PA', 1, '50 0, 51 1'],
      ['MD', 0, '0 0, 1 1, 16 1, 17 2, 33 2, 34 3, 50 3, 51 4, 66 4, 67 5, 83 5, 84 6'],
    ])('use the bracket of %s, %i: %s', (state, index, text) => {
      const found = text
        .split(', ')
        .map((pair) => `${pair.split(' ')[0]} ${cents(state, index, Number.parseInt(pair, 10))}`);
      expect(found.join(', ')).toBe(text);
    });
  });

  describe('rules', () => {
    const rule = (id: string) => builtIn(id.slice(0, 2).toUpperCase()).rules.find((candidate) => candidate.id === id);

    // The other rules are tested by the tax that they calculate.
    it.each([
      ['ct-jewelry', { type: 'threshold_rate', amount: '5000', rate: '0.0775' }],
      ['sc-groceries-capital-projects', { type: 'exempt' }],
      ['nv-handling', { type: 'follows_goods' }],
      ['va-handling', { type: 'follows_goods' }],
      ['az-large-items-phoenix-2026', { type: 'tiered_rate', amount: '14338', rate: '0.02' }],
      ['az-large-items-apache-junction', { type: 'tiered_rate', amount: '2000', rate: '0.014' }],
      ['az-large-items-glendale', { type: 'threshold_rate', amount: '5000', rate: '0.022' }],
      ['fl-boats', { type: 'tax_cap', rate: '0.06', amount: '18000' }],
      ['nj-boats', { type: 'tax_cap', rate: '0.033125', amount: '20000' }],
      ['ny-vessels', { type: 'base_cap', amount: '230000' }],
    ])('%s', (id, effect) => expect(rule(id)?.effect).toEqual(effect));

    it('start the grocery exemption of Oklahoma on its first day', () =>
      expect(rule('ok-groceries')?.from).toBe('2024-08-29'));

    it('include shipping in the limits of Rhode Island and of the Texas holidays only', () => {
      const ids = builtInReleases().flatMap(({ rules }) =>
        rules.flatMap(({ id, threshold_includes_shipping }) => (threshold_includes_shipping ? [id] : [])),
      );
      const goods = ['clothing', 'disaster-supplies', 'school-supplies'].map((kind) => `tx-holiday-${kind}`);
      expect(new Set(ids.map((id) => id.replace(/-2027$/, '')))).toEqual(new Set(['ri-clothing', ...goods]));
      expect(ids).toHaveLength(7);
    });

    it.each([
      ['CO', '2022-06-30 -, 2022-07-01 0.27, 2023-07-01 0.28, 2024-07-01 0.29, 2025-06-30 0.29, 2025-07-01 0.28'],
      ['MN', '2024-06-30 -, 2024-07-01 0.50'],
    ])('set the retail delivery fee of %s: %s', (state, text) => {
      const { rules, established_from } = builtIn(state);
      const feeOn = (day: string) =>
        inForce(rules, day, established_from).flatMap(({ effect }) =>
          effect.type === 'flat_fee' ? [effect.amount] : [],
        );
      const found = text.split(', ').map((pair) => `${pair.slice(0, 10)} ${feeOn(pair.slice(0, 10)).join() || '-'}`);
      expect(found.join(', ')).toBe(text);
    });

    it('have no delivery fee in other states', () => {
      const withFee = builtInReleases().filter(({ rules }) => rules.some(({ effect }) => effect.type === 'flat_fee'));
      expect(withFee.map(({ state }) => state)).toEqual(['US-CO', 'US-MN']);
    });
  });
});

describe('content by state and product', () => {
  /** The content notes' table by state (4.1, with its corrections, and 4.3), typed by hand and sent as client requests. */

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
    it('is listed for all 47 states with a sales tax', () =>
      expect(new Set(cells.map(({ state }) => state)).size).toBe(47));

    it.each(stateTreatments)('in $state on general $goods', ({ state, goods }) =>
      expect(asked(state, 'GENERAL').tax_amount).toBe(goods),
    );

    it.each(cells.filter(({ kind }) => kind in codes))(
      'in $state on $kind is $cell of $goods',
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
      'in $state on separately stated shipping of taxed goods is $cell',
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
      const policies = builtIn(state).settings.sourcing.map(({ policy }) => policy);
      expect(policies).toEqual([state === 'CA' ? 'mixed' : origin.includes(state) ? 'origin' : 'destination']);
    });
  });
});
