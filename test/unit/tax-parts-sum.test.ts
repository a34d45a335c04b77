import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { summaryOf, totalsOf, writerFor } from '../../shared/calculations/figures.ts';
import type { Effect, JurisdictionType, PlainEffect, Release, Rule } from '../../shared/content/release.ts';
import { decimal } from '../../shared/money/decimal.ts';
import { calculateTax } from '../../shared/tax/calculate.ts';
import type { TaxDocument, TaxedDocument, TaxedLine, TaxLine } from '../../shared/tax/document.ts';
import { cents, lineOf, placeOf, productOf, releaseOf, rule } from '../support/builders.ts';

// Amounts and rates as a test writes them; the oracle reads these, the code reads what the builders make of them.
type Named = { readonly code: string; readonly type: JurisdictionType; readonly rate: string };
type Effects = Readonly<Record<string, Effect | null>>;
type State = {
  readonly jurisdictions: readonly [Named, ...Named[]];
  readonly effects: Effects;
  readonly shipping: Policy;
};
type Policy = 'follows_goods' | 'exempt_if_stated' | 'always_taxable';
type Line = {
  readonly state: number;
  readonly goods: string;
  readonly quantity: string;
  readonly amount: bigint;
  readonly discountPercent: number;
  readonly thirdPartyPercent: number;
  readonly use: 'business' | 'personal' | null;
};
type Sale = {
  readonly states: readonly State[];
  readonly lines: readonly Line[];
  readonly discountPercent: number;
  readonly thirdPartyPercent: number;
  readonly shipping: bigint | null;
  readonly isStated: boolean;
  readonly rounding: 'line' | 'invoice';
};

const goods = ['GENERAL', 'CLOTHING.APPAREL', 'FOOD.GROCERY', 'JEWELRY.FINE_JEWELRY', 'SOFTWARE.SAAS'];
const types: readonly JurisdictionType[] = ['state', 'county', 'city', 'district'];

const rate = fc.oneof(
  { weight: 1, arbitrary: fc.constant('0') },
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 2_000 }).map((basis) => `0.${String(basis).padStart(4, '0')}`) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 20_000_000 }).map((fine) => `0.${String(fine).padStart(8, '0')}`) },
);
const threshold = fc.constantFrom('0', '10', '110', '110.00', '175', '99.99', '0.335', '1000');
const plain: fc.Arbitrary<PlainEffect> = fc.oneof(
  fc.constant<PlainEffect>({ type: 'taxable' }),
  fc.constant<PlainEffect>({ type: 'exempt' }),
  rate.map((text) => ({ type: 'rate', rate: text }) as const),
);
const effect: fc.Arbitrary<Effect> = fc.oneof(
  plain,
  fc.record({ type: fc.constant('threshold_cliff' as const), amount: threshold, inclusive: fc.boolean() }),
  fc.record({ type: fc.constant('threshold_excess' as const), amount: threshold }),
  fc.record({ type: fc.constant('threshold_rate' as const), amount: threshold, rate }),
  fc.record({ type: fc.constant('use_split' as const), business: plain, personal: plain }),
);
const state = fc.record({
  jurisdictions: fc.tuple(rate, fc.array(fc.tuple(fc.constantFrom(...types.slice(1)), rate), { maxLength: 5 })),
  effects: fc.dictionary(fc.constantFrom(...goods.flatMap((code) => types.map((type) => `${code} ${type}`))), effect),
  shipping: fc.constantFrom<Policy>('follows_goods', 'exempt_if_stated', 'always_taxable'),
});
const states: fc.Arbitrary<State[]> = fc.array(state, { minLength: 1, maxLength: 3 }).map((drawn) =>
  drawn.map(({ jurisdictions: [own, local], ...others }, index) => ({
    ...others,
    jurisdictions: [
      { code: `US-X${index}`, type: 'state', rate: own },
      ...local.map(([type, text], position) => ({ code: `US-X${index}-${position}`, type, rate: text })),
    ],
  })),
);
const percent = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 100 }));
const line: fc.Arbitrary<Line> = fc.record({
  state: fc.nat(2),
  goods: fc.constantFrom(...goods),
  quantity: fc.constantFrom('1', '2', '3', '2.5', '7', '0.333', '1000'),
  amount: fc.oneof(
    fc.bigInt({ min: 0n, max: 300n }),
    fc.bigInt({ min: 0n, max: 10_000_000n }),
    fc.bigInt({ min: 0n, max: 10n ** 16n }),
    fc.constantFrom(11_000n, 17_500n, 22_000n, 35_000n, 52_500n, 27_500n, 9_999n),
  ),
  discountPercent: percent,
  thirdPartyPercent: percent,
  use: fc.constantFrom('business', 'personal', null),
});
const sale: fc.Arbitrary<Sale> = fc.record({
  states,
  lines: fc.array(line, { minLength: 1, maxLength: 30 }),
  discountPercent: percent,
  thirdPartyPercent: percent,
  shipping: fc.option(fc.oneof(fc.bigInt({ min: 0n, max: 50n }), fc.bigInt({ min: 0n, max: 100_000n })), { nil: null }),
  isStated: fc.boolean(),
  rounding: fc.constantFrom('line', 'invoice'),
});

const rulesOf = (effects: Effects): Rule[] =>
  Object.entries(effects).flatMap(([key, drawn], index) => {
    const [code, type] = key.split(' ') as [string, JurisdictionType];
    return drawn ? [rule(`rule-${index}`, [code], drawn, { levels: [type] })] : [];
  });
const contentOf = ({ jurisdictions, effects, shipping }: State): Release =>
  releaseOf({ of: jurisdictions, rules: rulesOf(effects), shipping });

const share = (amount: bigint, percentage: number) => (amount * BigInt(percentage)) / 100n;
const total = (amounts: readonly bigint[]) => amounts.reduce((one, other) => one + other, 0n);
const ownDiscount = ({ amount, discountPercent }: Line) => share(amount, discountPercent);
const ownCoupon = (drawn: Line) => share(drawn.amount - ownDiscount(drawn), drawn.thirdPartyPercent);

const documentDiscounts = ({ lines, discountPercent, thirdPartyPercent }: Sale) => {
  const left = total(lines.map((drawn) => drawn.amount - ownDiscount(drawn) - ownCoupon(drawn)));
  const discount = share(left, discountPercent);
  return { discount, thirdPartyDiscount: share(left - discount, thirdPartyPercent) };
};

const stateOf = ({ states: all }: Sale, drawn: Line): State => all[drawn.state % all.length] as State;

const deliveryOf = ({ isStated }: Sale) => `SHIPPING.DELIVERY${isStated ? '._SEPARATELY_STATED' : ''}`;

const documentOf = (drawn: Sale, others: Partial<TaxDocument> = {}): TaxDocument => {
  const places = drawn.states.map((one) => placeOf(contentOf(one)));
  const lines = drawn.lines.map(
    (one): TaxLine => ({
      ...lineOf(places[one.state % places.length] as (typeof places)[number], { ptc: one.goods, use: one.use }),
      quantity: decimal(one.quantity),
      amount: one.amount,
      discount: ownDiscount(one),
      thirdPartyDiscount: ownCoupon(one),
    }),
  );
  return {
    day: '2026-10-08',
    currency: 'USD',
    exponent: 2,
    rounding: drawn.rounding,
    taxIncluded: false,
    passOnGeneralExcise: false,
    ...documentDiscounts(drawn),
    lines,
    shipping: drawn.shipping === null ? null : { amount: drawn.shipping, product: productOf(deliveryOf(drawn)) },
    ...others,
  };
};

// The oracle, in decimal.js and dollars. It knows the rules of the interface decisions, and none of the code.
const Exact = Decimal.clone({ precision: 80, defaults: true, rounding: Decimal.ROUND_HALF_UP });
const dollars = (minor: bigint) => new Exact(String(minor)).div(100);
const toCents = (amount: Decimal) => BigInt(amount.times(100).toFixed(0, Decimal.ROUND_HALF_UP));

/** Largest remainder, unit by unit: who has the least of what is due to him gets the next one. */
const spread = (amount: bigint, weights: readonly bigint[]): bigint[] => {
  const all = total(weights);
  const shares = all === 0n ? weights.map(() => 1n) : weights;
  const due = shares.map((weight) => new Exact(String(amount)).times(String(weight)));
  const divisor = String(total(shares));
  const parts = due.map((one) => BigInt(one.divToInt(divisor).toFixed()));
  const open = due.map((one, index) => ({ rest: one.mod(divisor), index }));
  open.sort((one, other) => other.rest.comparedTo(one.rest) || one.index - other.index);
  for (const { index } of open.slice(0, Number(amount - total(parts)))) parts[index] = (parts[index] as bigint) + 1n;
  return parts;
};

const netsOf = (drawn: Sale): bigint[] => {
  const own = drawn.lines.map((one) => one.amount - ownDiscount(one));
  const spreadDiscount = spread(documentDiscounts(drawn).discount, own);
  return own.map((amount, index) => amount - (spreadDiscount[index] as bigint));
};

type Taxed = { readonly base: Decimal; readonly rate: string; readonly isFollowed: boolean };
const untaxed: Taxed = { base: new Exact(0), rate: '0', isFollowed: false };

/** What one jurisdiction taxes of a line, at which rate, and whether shipping of a free item would be taxed too. */
const taxedBy = ({ type, rate: general }: Named, { effects }: State, drawn: Line, net: bigint): Taxed => {
  const base = dollars(net);
  const perUnit = base.div(drawn.quantity);
  const found = effects[`${drawn.goods} ${type}`] ?? ({ type: 'taxable' } as const);
  if (type === 'state' && new Exact(general).isZero() && found.type !== 'rate') return untaxed;
  const chosen = found.type === 'use_split' ? (drawn.use === 'business' ? found.business : found.personal) : found;
  switch (chosen.type) {
    case 'taxable':
      return { base, rate: general, isFollowed: true };
    case 'rate':
      return { base, rate: chosen.rate, isFollowed: true };
    case 'threshold_rate':
      return { base, rate: perUnit.greaterThan(chosen.amount) ? chosen.rate : general, isFollowed: true };
    case 'threshold_cliff': {
      const isFree = perUnit.lessThan(chosen.amount) || (chosen.inclusive && perUnit.equals(chosen.amount));
      return isFree ? untaxed : { base, rate: general, isFollowed: true };
    }
    case 'threshold_excess': {
      const free = new Exact(chosen.amount).times(drawn.quantity).toDecimalPlaces(2, Decimal.ROUND_HALF_UP);
      const above = base.minus(free);
      return above.greaterThan(0) ? { base: above, rate: general, isFollowed: true } : untaxed;
    }
    default:
      return untaxed;
  }
};

const lineExact = (drawn: Sale, index: number, net: bigint): Decimal => {
  const one = drawn.lines[index] as Line;
  const where = stateOf(drawn, one);
  return where.jurisdictions
    .map((named) => taxedBy(named, where, one, net))
    .reduce((sum, { base, rate: text }) => sum.plus(base.times(text)), new Exact(0));
};

/** The exact tax of the shipping, state by state. */
const shippingExact = (drawn: Sale, nets: readonly bigint[]): Map<State, Decimal> => {
  const shares = spread(drawn.shipping ?? 0n, nets);
  const sums = new Map<State, Decimal>();
  for (const [index, one] of drawn.lines.entries()) {
    const where = stateOf(drawn, one);
    const own = dollars(shares[index] as bigint);
    for (const named of where.jurisdictions) {
      const isZeroState = named.type === 'state' && new Exact(named.rate).isZero();
      const taxed = taxedBy(named, where, one, nets[index] as bigint);
      const follows = () => {
        if (isZeroState || !taxed.isFollowed) return new Exact(0);
        const net = dollars(nets[index] as bigint);
        const part = net.isZero() ? own : own.times(taxed.base).div(net).toDecimalPlaces(2, Decimal.ROUND_HALF_UP);
        return part.times(taxed.rate);
      };
      const isExempt = where.shipping === 'exempt_if_stated' && drawn.isStated;
      const tax = where.shipping === 'always_taxable' ? own.times(named.rate) : isExempt ? new Exact(0) : follows();
      sums.set(where, (sums.get(where) ?? new Exact(0)).plus(tax));
    }
  }
  return sums;
};

const chargesOf = ({ lines, shipping }: TaxedDocument) => (shipping ? [...lines, shipping] : lines);
const runs = { numRuns: 600 };

describe('the parts always sum', () => {
  it('rows = line tax, and taxable + exempt = net, in every line and in the shipping', () => {
    fc.assert(
      fc.property(sale, (drawn) => {
        const taxed = calculateTax(documentOf(drawn));
        for (const { rows, tax, taxable, exempt, net } of chargesOf(taxed)) {
          expect(total(rows.map((row) => row.tax))).toBe(tax);
          expect(taxable + exempt).toBe(net);
          expect(rows.length).toBeGreaterThan(0);
        }
        for (const [index, { rows, net }] of taxed.lines.entries()) {
          expect(rows).toHaveLength(stateOf(drawn, drawn.lines[index] as Line).jurisdictions.length);
          for (const row of rows) expect(row.taxable + row.exempt).toBe(net);
        }
      }),
      runs,
    );
  });

  it('discounts over the lines = discounts of the lines and of the document, and the net is the amount without them', () => {
    fc.assert(
      fc.property(sale, (drawn) => {
        const { lines } = calculateTax(documentOf(drawn));
        const { discount, thirdPartyDiscount } = documentDiscounts(drawn);
        expect(total(lines.map((one) => one.discount))).toBe(total(drawn.lines.map(ownDiscount)) + discount);
        expect(total(lines.map((one) => one.thirdPartyDiscount))).toBe(
          total(drawn.lines.map(ownCoupon)) + thirdPartyDiscount,
        );
        for (const [index, one] of lines.entries())
          expect(one.net).toBe((drawn.lines[index] as Line).amount - one.discount);
        expect(lines.map(({ net }) => net)).toEqual(netsOf(drawn));
      }),
      runs,
    );
  });

  it.each([false, true])(
    'lines + shipping = document tax = summary, and total = subtotal - discounts + shipping (+ tax): included %s',
    (taxIncluded) => {
      fc.assert(
        fc.property(sale, (drawn) => {
          const document = documentOf(drawn, { taxIncluded });
          const taxed = calculateTax(document);
          const totals = totalsOf(
            document.lines.map(({ amount }) => amount),
            taxed,
            taxIncluded,
          );
          const tax = total(chargesOf(taxed).map((charge) => charge.tax));
          const summary = summaryOf(taxed, writerFor(2));
          expect(totals.tax).toBe(tax);
          expect(total(summary.map((row) => cents(row.tax_amount)))).toBe(tax);
          expect(new Set(summary.map((row) => `${row.jurisdiction_code} ${row.rate}`)).size).toBe(summary.length);
          const { subtotal, discount, thirdPartyDiscount, shipping } = totals;
          expect(subtotal).toBe(total(drawn.lines.map(({ amount }) => amount)));
          expect(shipping).toBe(drawn.shipping ?? 0n);
          expect(totals.total).toBe(subtotal - discount - thirdPartyDiscount + shipping + (taxIncluded ? 0n : tax));
          expect(totals.taxable + totals.exempt + (taxIncluded ? tax : 0n)).toBe(subtotal - discount + shipping);
          expect(totals.total).toBeGreaterThanOrEqual(0n);
        }),
        { numRuns: 300 },
      );
    },
  );

  it('nothing is ever negative', () => {
    fc.assert(
      fc.property(sale, fc.boolean(), (drawn, taxIncluded) => {
        for (const charge of chargesOf(calculateTax(documentOf(drawn, { taxIncluded })))) {
          const { net, tax, taxable, exempt } = charge;
          const rows = charge.rows.flatMap((row) => [row.tax, row.taxable, row.exempt]);
          for (const amount of [net, tax, taxable, exempt, ...rows]) expect(amount).toBeGreaterThanOrEqual(0n);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('gives the same answer to the same document, to the last row', () => {
    fc.assert(
      fc.property(sale, (drawn) => {
        const shown = (taxed: TaxedDocument) => chargesOf(taxed).map(({ treatments: _, ...figures }) => figures);
        expect(shown(calculateTax(documentOf(drawn)))).toEqual(shown(calculateTax(documentOf(drawn))));
      }),
      { numRuns: 150 },
    );
  });
});

const oneSale: Sale = {
  states: [{ jurisdictions: [{ code: 'US-X0', type: 'state', rate: '0.06' }], effects: {}, shipping: 'follows_goods' }],
  lines: [],
  discountPercent: 0,
  thirdPartyPercent: 0,
  shipping: null,
  isStated: false,
  rounding: 'invoice',
};

describe('the tax of random documents', () => {
  it('by line: each line is the sum of its exact taxes, rounded once', () => {
    fc.assert(
      fc.property(sale, (drawn) => {
        const { lines, shipping } = calculateTax(documentOf(drawn, { rounding: 'line' }));
        const nets = netsOf(drawn);
        expect(lines.map(({ tax }) => tax)).toEqual(nets.map((net, index) => toCents(lineExact(drawn, index, net))));
        const shared = [...shippingExact(drawn, nets).values()].reduce((sum, one) => sum.plus(one), new Exact(0));
        expect(shipping?.tax ?? 0n).toBe(toCents(shared));
      }),
      { numRuns: 1000 },
    );
  });

  it('by line: each row is its exact tax, less than a cent more or less', () => {
    fc.assert(
      fc.property(sale, (drawn) => {
        const { lines } = calculateTax(documentOf(drawn, { rounding: 'line' }));
        for (const [index, { rows, net }] of lines.entries()) {
          const one = drawn.lines[index] as Line;
          const where = stateOf(drawn, one);
          for (const [position, row] of rows.entries()) {
            const { base, rate: text } = taxedBy(where.jurisdictions[position] as Named, where, one, net);
            expect(row.taxable).toBe(toCents(base));
            expect(dollars(row.tax).minus(base.times(text)).abs().lessThan(0.01)).toBe(true);
          }
        }
      }),
      runs,
    );
  });

  it('by invoice: the tax of each state is the sum of its exact taxes, rounded once', () => {
    fc.assert(
      fc.property(sale, (drawn) => {
        const taxed = calculateTax(documentOf(drawn, { rounding: 'invoice' }));
        const nets = netsOf(drawn);
        const shared = shippingExact(drawn, nets);
        for (const where of drawn.states) {
          const exact = nets.reduce(
            (sum, net, index) =>
              stateOf(drawn, drawn.lines[index] as Line) === where ? sum.plus(lineExact(drawn, index, net)) : sum,
            shared.get(where) ?? new Exact(0),
          );
          const codes = new Set(where.jurisdictions.map(({ code }) => code));
          const rows = chargesOf(taxed).flatMap((charge) =>
            charge.rows.filter((row) => codes.has(row.jurisdiction.code)),
          );
          expect(total(rows.map((row) => row.tax))).toBe(toCents(exact));
        }
      }),
      runs,
    );
  });

  it('by invoice: no line is a whole cent away from its exact tax', () => {
    fc.assert(
      fc.property(sale, (drawn) => {
        const { lines } = calculateTax(documentOf(drawn, { rounding: 'invoice' }));
        for (const [index, { net, tax }] of lines.entries())
          expect(
            dollars(tax)
              .minus(lineExact(drawn, index, net))
              .abs()
              .lessThan(0.01),
          ).toBe(true);
      }),
      runs,
    );
  });

  it('by invoice: cents go to lines first, and then to rows: 1.0 and 1.2 cents of tax are a cent each', () => {
    const of = [
      { code: 'US-XX', type: 'state', rate: '0.025' },
      { code: 'US-XX-1', type: 'county', rate: '0.025' },
    ] as const;
    const place = placeOf(releaseOf({ of }));
    const document = {
      ...documentOf(oneSale),
      lines: [lineOf(place, { amount: '0.20' }), lineOf(place, { amount: '0.24' })],
    };
    // By rows alone the second line, with the larger remainders, would get both.
    expect(calculateTax(document).lines.map(({ tax, rows }) => [tax, rows.map((row) => row.tax)])).toEqual([
      [1n, [1n, 0n]],
      [1n, [1n, 0n]],
    ]);
  });

  it('does not depend on the order of the jurisdictions', () => {
    fc.assert(
      fc.property(sale, fc.boolean(), (drawn, taxIncluded) => {
        const document = documentOf(drawn, { rounding: 'line', taxIncluded });
        const reversed = document.lines.map((one) => ({
          ...one,
          place: { ...one.place, jurisdictions: one.place.jurisdictions.toReversed() },
        }));
        const figures = ({ lines, shipping }: TaxedDocument) =>
          [...lines, ...(shipping ? [shipping] : [])].map(({ tax, taxable, exempt }) => ({ tax, taxable, exempt }));
        expect(figures(calculateTax({ ...document, lines: reversed }))).toEqual(figures(calculateTax(document)));
      }),
      { numRuns: 300 },
    );
  });

  it('by line: a line is taxed the same whatever is sold with it', () => {
    fc.assert(
      fc.property(sale, fc.boolean(), (drawn, taxIncluded) => {
        const alone = { rounding: 'line', taxIncluded, discount: 0n, thirdPartyDiscount: 0n, shipping: null } as const;
        const document = documentOf(drawn, alone);
        // That no net gives a price is told with the place of its line.
        const figures = ({ treatments: _, inexact, ...others }: TaxedLine) => ({
          ...others,
          inexact: inexact && { ...inexact, charges: inexact.charges.length },
        });
        const together = calculateTax(document).lines.map(figures);
        expect(
          document.lines.map((one) => figures(calculateTax({ ...document, lines: [one] }).lines[0] as TaxedLine)),
        ).toEqual(together);
      }),
      { numRuns: 200 },
    );
  });

  it('a third-party discount lowers no base and no tax', () => {
    fc.assert(
      fc.property(sale, (drawn) => {
        const document = documentOf(drawn);
        const without = {
          ...document,
          thirdPartyDiscount: 0n,
          lines: document.lines.map((one) => ({ ...one, thirdPartyDiscount: 0n })),
        };
        const figures = (taxed: TaxedDocument) =>
          chargesOf(taxed).map(({ net, tax, taxable }) => ({ net, tax, taxable }));
        expect(figures(calculateTax(document))).toEqual(figures(calculateTax(without)));
      }),
      { numRuns: 300 },
    );
  });
});
