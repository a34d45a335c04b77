import { describe, expect, it } from 'vitest';
import type { Effect, ShippingPolicy } from '../../shared/catalog/release.ts';
import type { JurisdictionType } from '../../shared/catalog/release-values.ts';
import { decimal, multiply } from '../../shared/money/decimal.ts';
import { assess } from '../../shared/tax/assessment.ts';
import { calculateTax } from '../../shared/tax/calculate.ts';
import type { Place, TaxDocument, TaxedDocument, TaxLine } from '../../shared/tax/document.ts';
import { roundSum } from '../../shared/tax/rounding.ts';
import {
  ask,
  buildDocument,
  buildPlace,
  getLine,
  getProduct,
  getRelease,
  placeAt,
  rule,
  taxLine,
} from '../support/builders.ts';
import { type Draw, drawFrom, getEffect } from '../support/random-orders.ts';
import { shippingCharges } from '../support/sales.ts';
import {
  type Fraction,
  fraction,
  getExpected,
  getSum,
  isNear,
  minus,
  nearest,
  type Sold,
  spread,
  times,
  total,
  whole,
} from '../support/tax-oracle.ts';

describe('the statutory tables of a state', () => {
  const harrisburg = { state: 'PA', postal_code: '17101' };
  const philadelphia = { state: 'PA', postal_code: '19103' };
  const baltimore = { state: 'MD', postal_code: '21201' };

  /** The last cent of each step of a table, starting with no tax. */
  type Table = readonly number[];
  const lookUp = (table: Table, part: number) => table.findIndex((last) => part <= last);
  const overDollars = (table: Table, amount: number) => Math.floor(amount / 100) * 6 + lookUp(table, amount % 100);

  // 61 Pa. Code section 31.2, as printed: no tax up to 10 cents; 1 cent from 11 to 17; and so on. Above a dollar: 6% of
  // each dollar plus the bracket of the remaining cents.
  const pennsylvania = [10, 17, 34, 50, 67, 84, 100];
  // Md. Code, Tax-Gen. sections 11-104 and 11-301. Amounts below a dollar, and the excess over whole dollars, have
  // separate tables.
  const belowADollar = [19, 20, 33, 50, 66, 83, 99];
  const excess = [0, 16, 33, 50, 66, 83, 99];

  it.each([
    ['Pennsylvania', harrisburg, 'US-PA', (cents: number) => overDollars(pennsylvania, cents)],
    [
      'Maryland',
      baltimore,
      'US-MD',
      (cents: number) => (cents < 100 ? lookUp(belowADollar, cents) : overDollars(excess, cents)),
    ],
    // One cent per dollar, and one more from .51.
    [
      'Allegheny County',
      { state: 'PA', postal_code: '15222' },
      'US-PA-00-003',
      (cents: number) => Math.floor((cents + 49) / 100),
    ],
  ])('tax every cent from 0.00 to 3.00 in %s as printed', (_, to, code, expected) => {
    for (let cents = 0; cents <= 300; cents += 1) {
      const { line_items } = ask({ to, line_items: [{ unit_price: (cents / 100).toFixed(2) }] });
      const row = line_items[0]?.taxes.find(({ jurisdiction_code }) => jurisdiction_code === code);
      expect([cents, row?.tax_amount]).toEqual([cents, (expected(cents) / 100).toFixed(2)]);
    }
  });

  const line = (address: object, unit_price = '0.51') => ({ unit_price, customer: { address } });
  const clothing = { ...line(harrisburg, '50.00'), product_tax_code: 'CLOTHING.APPAREL' };
  const software = { unit_price: '0.50', product_tax_code: 'SOFTWARE.SAAS' };
  it.each([
    ['the invoice as a whole', [line(harrisburg), line(harrisburg)], null, ['0.03', '0.03']],
    ['its shipping: 1.02 in total', [line(harrisburg)], { amount: '0.51' }, ['0.03', '0.03']],
    ['only taxed lines', [line(harrisburg), clothing], null, ['0.04', '0.00']],
    ['each jurisdiction: 10 cents plus 3 in Philadelphia', [line(philadelphia, '1.51')], null, ['0.13']],
    ['each state', [line(harrisburg), line(baltimore), line(harrisburg)], null, ['0.03', '0.04', '0.03']],
    [
      'not a different rate: 3% of 0.50 is 1.5 cents',
      [{ ...software, customer: { address: baltimore, use: 'business' as const } }],
      null,
      ['0.02'],
    ],
  ])("apply to %s, whatever the account's rounding", (_, line_items, shipping, taxes) => {
    for (const rounding of ['line', 'invoice'] as const) {
      const outcome = ask({ line_items, shipping }, { settings: { rounding } });
      const charges = [...outcome.line_items, ...shippingCharges(outcome.shipping)];
      expect(charges.map(({ tax_amount }) => tax_amount)).toEqual(taxes);
    }
  });
});

describe('exact tax', () => {
  // Rates in hundred-millionths, split over the jurisdictions of a place. Each rate has amounts in cents whose exact
  // tax ends in half a cent.
  const splits = [
    [6_000_000n],
    [6_250_000n],
    [6_625_000n],
    [4_000_000n, 4_500_000n, 375_000n],
    [6_875_000n, 150_000n, 500_000n, 500_000n, 750_000n, 250_000n],
    [7_000_000n, 2_750_000n],
    [2_900_000n, 1_000_000n],
    [12_500_000n],
    [1n, 4_999_999n],
    [500_000n],
  ];
  const unit = 100_000_000n;

  const firstTie = (rate: bigint): bigint => {
    for (let amount = 1n; amount < unit; amount += 1n) if ((amount * rate) % unit === unit / 2n) return amount;
    throw new Error('this rate has no ties');
  };
  const getPeriod = (rate: bigint): bigint => {
    let [a, b] = [unit, rate];
    while (b > 0n) [a, b] = [b, a % b];
    return unit / a;
  };
  const placeWith = (rates: readonly bigint[]) => placeAt(rates.map((rate) => `0.${String(rate).padStart(8, '0')}`));

  describe('exact half cents', () => {
    it('are rounded up in 200,000 cases, and the parts add up to the total', () => {
      let wrong = 0;
      for (const rates of splits) {
        const rate = total(rates);
        const period = getPeriod(rate);
        let amount = firstTie(rate);
        const { treatments } = taxLine(getLine(placeWith(rates)));
        const quantity = { units: 1n, scale: 0 };
        for (let tie = 0; tie < 20_000; tie += 1, amount += period) {
          const base = { net: amount, goods: amount, shipping: 0n, quantity, exponent: 2, isPriced: true, order: 0n };
          const taxes = roundSum(treatments.map((treatment) => assess(treatment, base)));
          if (total(taxes) !== (amount * rate + unit / 2n) / unit || (amount * rate) % unit !== unit / 2n) wrong += 1;
        }
      }
      expect(wrong).toBe(0);
    });

    it.each(['line', 'invoice'] as const)(
      'are rounded up in 20,000 cases in documents of a thousand lines, rounded by %s',
      (rounding) => {
        let wrong = 0;
        for (const rates of splits) {
          const rate = total(rates);
          const place = placeWith(rates);
          let amount = firstTie(rate);
          for (let document = 0; document < 2; document += 1) {
            const lines = Array.from({ length: 1000 }, () => {
              amount += getPeriod(rate);
              return { ...getLine(place), amount };
            });
            const taxed = calculateTax(buildDocument(lines, { rounding })).lines;
            const sum = (total(lines.map((line) => line.amount)) * rate + unit / 2n) / unit;
            if (rounding === 'invoice' && total(taxed.map(({ tax }) => tax)) !== sum) wrong += 1;
            for (const [index, { tax, rows }] of taxed.entries()) {
              const up = ((lines[index]?.amount ?? 0n) * rate + unit / 2n) / unit;
              if (rounding === 'line' ? tax !== up : tax !== up && tax !== up - 1n) wrong += 1;
              if (total(rows.map((row) => row.tax)) !== tax) wrong += 1;
            }
          }
        }
        expect(wrong).toBe(0);
      },
    );
  });

  const draw = drawFrom(324);
  const text = (integer: number, decimals: number) => {
    const fractional = draw.below(decimals + 1);
    const digits = Array.from({ length: fractional }, () => draw.below(10)).join('');
    return `${draw.digits(integer)}${fractional > 0 ? `.${digits}` : ''}`;
  };
  const rateText = () =>
    `0.${Array.from({ length: 1 + draw.below(8) }, (_, index) => (index === 0 ? draw.below(4) : draw.below(10))).join('')}`;
  /** A place of one to four jurisdictions, each with a different effect on all goods. */
  const wideJurisdictions = () =>
    Array.from({ length: 1 + draw.below(4) }, (_, position) => ({
      code: `US-XX-${position}`,
      type: position === 0 ? ('state' as const) : ('county' as const),
      // The state rate is above zero, because a state without the tax taxes nothing.
      rate: position === 0 ? `0.${1 + draw.below(9)}${draw.below(10_000_000)}` : rateText(),
      effect: getEffect(draw, text(9, 2), rateText),
    }));

  describe('wide numbers', () => {
    it('are exact to the cent in every row, in 20,000 calculations with 9 digits, 6 decimals and rates of 8 decimals', () => {
      let wrong = 0;
      for (let document = 0; document < 200; document += 1) {
        const own = wideJurisdictions();
        const [state, ...local] = own as [(typeof own)[number], ...typeof own];
        const rules = own.map(({ code, effect }) => rule(code, ['GENERAL'], effect, { jurisdictions: [code] }));
        const place = buildPlace(getRelease({ of: [state, ...local], rules }));
        const sold = Array.from({ length: 100 }, () => ({ quantity: text(9, 6), price: text(9, 6) }));
        const lines = sold.map(({ quantity, price }) => ({
          ...getLine(place),
          quantity: decimal(quantity),
          amount: multiply(decimal(quantity), decimal(price), 2),
        }));
        for (const [index, line] of calculateTax(buildDocument(lines)).lines.entries()) {
          const { quantity, price } = sold[index] as (typeof sold)[number];
          const net = nearest(times(times(fraction(quantity), fraction(price)), whole(100n)));
          const expected = own.map(({ effect, rate }) => getExpected(effect, rate, { net, quantity }));
          const isRight =
            line.net === net &&
            line.tax === nearest(getSum(expected.map(({ exact }) => exact))) &&
            total(line.rows.map(({ tax }) => tax)) === line.tax &&
            line.rows.every((row, position) => {
              const wanted = expected[position];
              const isBase = row.taxable === wanted?.taxable && row.exempt === net - row.taxable;
              return isBase && isNear(row.tax, wanted.exact);
            });
          if (!isRight) wrong += 1;
        }
      }
      expect(wrong).toBe(0);
    });
  });
});

describe('tax allocation', () => {
  const goods = ['CLOTHING.APPAREL', 'SOFTWARE.SAAS'];
  const policies: readonly ShippingPolicy[] = ['follows_goods', 'exempt_if_stated', 'always_taxable'];
  const rates = ['0', '0.005', '0.0275', '0.06', '0.0725', '0.08875', '0.12345678'];
  const quantities = ['1', '1', '2', '3', '2.5', '0.333', '1000'];

  type Taxing = { readonly code: string; readonly type: JurisdictionType; readonly rate: string };
  type State = {
    /** Each has a separate effect on each kind of goods. */
    readonly taxing: readonly (Taxing & { readonly effects: readonly Effect[] })[];
    readonly policy: ShippingPolicy;
    readonly place: Place;
  };
  type Line = { readonly state: State; readonly kind: number; readonly quantity: string; readonly line: TaxLine };
  type Sale = { readonly lines: readonly Line[]; readonly isStated: boolean; readonly document: TaxDocument };

  const stateFrom = (draw: Draw, code: string): State => {
    const { of, below } = draw;
    const taxing = Array.from({ length: 1 + below(5) }, (_, index) => ({
      code: `${code}-${index}`,
      type: index === 0 ? 'state' : of<JurisdictionType>(['county', 'city', 'district']),
      rate: of(rates),
      effects: goods.map(() => getEffect(draw)),
    }));
    const rules = taxing.flatMap(({ code: jurisdiction, effects }) =>
      effects.map((effect, kind) =>
        rule(`${jurisdiction} ${kind}`, [goods[kind] ?? ''], effect, { jurisdictions: [jurisdiction] }),
      ),
    );
    const policy = of(policies);
    const [first, ...others] = taxing as [(typeof taxing)[number], ...typeof taxing];
    return { taxing, policy, place: buildPlace(getRelease({ of: [first, ...others], rules, shipping: policy })) };
  };

  const lineFrom = ({ of, oneIn, digits, below }: Draw, state: State): Line => {
    const quantity = of(quantities);
    const amount = oneIn(3) ? of([9999n, 10_000n, 11_000n, 17_500n, 22_000n, 35_000n]) : digits(of([3, 7, 16]));
    const discount = oneIn(3) ? (amount * BigInt(below(101))) / 100n : 0n;
    const kind = below(goods.length);
    const line = getLine(state.place, { ptc: goods[kind] ?? '', quantity, use: of(['business', 'personal', null]) });
    return {
      state,
      kind,
      quantity,
      line: { ...line, amount, discount, thirdPartyDiscount: oneIn(4) ? (amount - discount) / 3n : 0n },
    };
  };

  const saleFrom = (seed: number): Sale => {
    const draw = drawFrom(seed);
    const { of, oneIn, below, digits } = draw;
    const states = Array.from({ length: 1 + below(3) }, (_, index) => stateFrom(draw, `US-X${index}`));
    const lines = Array.from({ length: 1 + below(8) }, () => lineFrom(draw, of(states)));
    const left = total(lines.map(({ line }) => line.amount - line.discount - line.thirdPartyDiscount));
    const isStated = oneIn(2);
    const product = getProduct(`SHIPPING.DELIVERY${isStated ? '._SEPARATELY_STATED' : ''}`);
    const document = buildDocument(
      lines.map(({ line }) => line),
      {
        discount: oneIn(3) ? (left * BigInt(below(101))) / 200n : 0n,
        thirdPartyDiscount: oneIn(6) ? left / 4n : 0n,
        shipping: oneIn(2) ? { amount: digits(5), product } : null,
      },
    );
    return { lines, isStated, document };
  };

  const nothing = { taxable: 0n, exact: whole(0n) };
  const isWithoutTax = ({ type, rate }: Taxing) => type === 'state' && rate === '0';

  /** The tax of each jurisdiction on a line, and on the line's share of the shipping. */
  const listParts = ({ lines, isStated }: Sale, nets: readonly bigint[], shares: readonly bigint[]) =>
    lines.map(({ state, kind, quantity, line }, index) =>
      state.taxing.map((jurisdiction) => {
        const effect = jurisdiction.effects[kind] as Effect;
        const share = shares[index] ?? 0n;
        const sold: Sold = { net: nets[index] ?? 0n, quantity, use: line.use };
        // A state without the tax has only rates that a rule sets, and does not tax shipping.
        const isFree = isWithoutTax(jurisdiction) && !['rate', 'band', 'tax_cap'].includes(effect.type);
        const own = isFree ? nothing : getExpected(effect, jurisdiction.rate, sold);
        const getShipping = (): Fraction => {
          if (state.policy === 'always_taxable') return timesRate(share, jurisdiction.rate);
          if (isWithoutTax(jurisdiction) || (state.policy === 'exempt_if_stated' && isStated)) return whole(0n);
          // Above an exempt amount, the same part of the shipping is taxed; otherwise shipping is the last part of the
          // price.
          if (effect.type === 'threshold_excess')
            return timesRate(sold.net > 0n ? nearest([share * own.taxable, sold.net]) : 0n, jurisdiction.rate);
          return minus(getExpected(effect, jurisdiction.rate, { ...sold, shipping: share }).exact, own.exact);
        };
        return { ...own, shipping: getShipping() };
      }),
    );
  const timesRate = (amount: bigint, rate: string): Fraction => {
    const [units, scale] = fraction(rate);
    return [amount * units, scale];
  };

  const listNets = ({ lines, document }: Sale): bigint[] => {
    const own = lines.map(({ line }) => line.amount - line.discount);
    const shared = spread(document.discount, own);
    return own.map((amount, index) => amount - (shared[index] ?? 0n));
  };

  const sales = (count: number, check: (sale: Sale) => void) => {
    for (let seed = 1; seed <= count; seed += 1) {
      const sale = saleFrom(seed);
      try {
        check(sale);
      } catch (error) {
        throw new Error(`The sale of seed ${seed}: ${error}`);
      }
    }
  };
  describe('the tax of random sales with every effect', () => {
    it('is exact in each row, line and state, and nets and discounts sum', () =>
      sales(2000, (sale) => {
        const { document } = sale;
        const nets = listNets(sale);
        const parts = listParts(
          sale,
          nets,
          document.lines.slice(document.lineItems).flatMap(({ amount }) => spread(amount, nets)),
        );
        const byLine = calculateTax(document).lines;
        const goods = byLine.slice(0, document.lineItems);
        expect(goods.map(({ net }) => net)).toEqual(nets);
        const coupons = document.lines.map(({ thirdPartyDiscount }) => thirdPartyDiscount);
        expect(total(byLine.map((line) => line.thirdPartyDiscount))).toBe(total(coupons) + document.thirdPartyDiscount);
        const exacts = parts.map((rows) => getSum(rows.map(({ exact }) => exact)));
        expect(goods.map(({ tax }) => tax)).toEqual(exacts.map(nearest));
        expect(byLine[document.lineItems]?.tax ?? 0n).toBe(
          nearest(getSum(parts.flat().map(({ shipping }) => shipping))),
        );
        for (const [index, { rows }] of goods.entries()) {
          expect(rows.map(({ taxable }) => taxable)).toEqual(parts[index]?.map(({ taxable }) => taxable));
          expect(rows.every(({ tax }, row) => isNear(tax, parts[index]?.[row]?.exact ?? whole(-1n)))).toBe(true);
        }
        const byInvoice = calculateTax({ ...document, rounding: 'invoice' }).lines;
        expect(exacts.every((exact, index) => isNear(byInvoice[index]?.tax ?? -1n, exact))).toBe(true);
        for (const state of new Set(sale.lines.map((line) => line.state))) {
          const rows = byInvoice.flatMap((charge) => charge.rows);
          const own = rows.filter(({ jurisdiction }) => state.taxing.some(({ code }) => code === jurisdiction.code));
          const exact = parts.flatMap((jurisdictions, index) =>
            sale.lines[index]?.state === state ? jurisdictions.flatMap((part) => [part.exact, part.shipping]) : [],
          );
          expect(total(own.map(({ tax }) => tax))).toBe(nearest(getSum(exact)));
        }
      }));

    const getFigures = (taxed: TaxedDocument) =>
      taxed.lines.map(({ net, tax, taxable, exempt }) => ({ net, tax, taxable, exempt }));

    it.each([false, true])(
      'does not depend on the order or presence of other jurisdictions and lines: included %s',
      (taxIncluded) =>
        sales(150, (sale) => {
          const document = { ...sale.document, taxIncluded };
          const reversed = document.lines.map((line) => ({
            ...line,
            place: { ...line.place, jurisdictions: line.place.jurisdictions.toReversed() },
          }));
          expect(getFigures(calculateTax({ ...document, lines: reversed }))).toEqual(
            getFigures(calculateTax(document)),
          );
          const goods = document.lines.slice(0, document.lineItems);
          const alone = { ...document, discount: 0n, thirdPartyDiscount: 0n, lines: goods };
          expect(goods.flatMap((line) => getFigures(calculateTax({ ...alone, lines: [line] })))).toEqual(
            getFigures(calculateTax(alone)),
          );
        }),
    );

    it('does not depend on third-party discounts', () =>
      sales(300, ({ document }) => {
        const lines = document.lines.map((line) => ({ ...line, thirdPartyDiscount: 0n }));
        const without = { ...document, thirdPartyDiscount: 0n, lines };
        expect(getFigures(calculateTax(document))).toEqual(getFigures(calculateTax(without)));
      }));
  });

  it('allocates the cents of an invoice to lines first and then to rows: 1.0 and 1.2 cents of tax become a cent each', () => {
    const place = placeAt(['0.025', '0.025']);
    const lines = [getLine(place, { amount: '0.20' }), getLine(place, { amount: '0.24' })];
    const taxed = calculateTax(buildDocument(lines, { rounding: 'invoice' })).lines;
    // If cents were allocated by row only, the second line with the larger remainders would get both.
    expect(taxed.map(({ rows }) => rows.map((row) => row.tax))).toEqual([
      [1n, 0n],
      [1n, 0n],
    ]);
  });
});
