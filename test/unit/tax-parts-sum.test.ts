import { describe, expect, it } from 'vitest';
import type { Effect, ShippingPolicy } from '../../shared/content/release.ts';
import type { JurisdictionType } from '../../shared/content/release-values.ts';
import { calculateTax } from '../../shared/tax/calculate.ts';
import type { Place, TaxDocument, TaxedDocument, TaxLine } from '../../shared/tax/document.ts';
import { documentOf, lineOf, placeOf, productOf, releaseOf, rule } from '../support/builders.ts';
import { type Draw, drawFrom, effectOf } from '../support/random-orders.ts';
import {
  expectedOf,
  type Fraction,
  fraction,
  isNear,
  minus,
  nearest,
  type Sold,
  spread,
  sumOf,
  total,
  whole,
} from '../support/tax-oracle.ts';

const goods = ['CLOTHING.APPAREL', 'SOFTWARE.SAAS'];
const policies: readonly ShippingPolicy[] = ['follows_goods', 'exempt_if_stated', 'always_taxable'];
const rates = ['0', '0.005', '0.0275', '0.06', '0.0725', '0.08875', '0.12345678'];
const quantities = ['1', '1', '2', '3', '2.5', '0.333', '1000'];

type Taxing = { readonly code: string; readonly type: JurisdictionType; readonly rate: string };
type State = {
  /** Each has an effect of its own on each kind of goods. */
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
    effects: goods.map(() => effectOf(draw)),
  }));
  const rules = taxing.flatMap(({ code: jurisdiction, effects }) =>
    effects.map((effect, kind) =>
      rule(`${jurisdiction} ${kind}`, [goods[kind] ?? ''], effect, { jurisdictions: [jurisdiction] }),
    ),
  );
  const policy = of(policies);
  const [first, ...others] = taxing as [(typeof taxing)[number], ...typeof taxing];
  return { taxing, policy, place: placeOf(releaseOf({ of: [first, ...others], rules, shipping: policy })) };
};

const lineFrom = ({ of, oneIn, digits, below }: Draw, state: State): Line => {
  const quantity = of(quantities);
  const amount = oneIn(3) ? of([9999n, 10_000n, 11_000n, 17_500n, 22_000n, 35_000n]) : digits(of([3, 7, 16]));
  const discount = oneIn(3) ? (amount * BigInt(below(101))) / 100n : 0n;
  const kind = below(goods.length);
  const line = lineOf(state.place, { ptc: goods[kind] ?? '', quantity, use: of(['business', 'personal', null]) });
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
  const product = productOf(`SHIPPING.DELIVERY${isStated ? '._SEPARATELY_STATED' : ''}`);
  const document = documentOf(
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

/** The tax of each jurisdiction on a line, and on its share of the shipping. */
const partsOf = ({ lines, isStated }: Sale, nets: readonly bigint[], shares: readonly bigint[]) =>
  lines.map(({ state, kind, quantity, line }, index) =>
    state.taxing.map((jurisdiction) => {
      const effect = jurisdiction.effects[kind] as Effect;
      const share = shares[index] ?? 0n;
      const sold: Sold = { net: nets[index] ?? 0n, quantity, use: line.use };
      // A state without the tax has only the rates that a rule gives by itself, and taxes no shipping.
      const isFree = isWithoutTax(jurisdiction) && !['rate', 'band', 'tax_cap'].includes(effect.type);
      const own = isFree ? nothing : expectedOf(effect, jurisdiction.rate, sold);
      const shippingOf = (): Fraction => {
        if (state.policy === 'always_taxable') return timesRate(share, jurisdiction.rate);
        if (isWithoutTax(jurisdiction) || (state.policy === 'exempt_if_stated' && isStated)) return whole(0n);
        // Above an exempt amount, the same part of the shipping is taxed; else it is the last part of the price.
        if (effect.type === 'threshold_excess')
          return timesRate(sold.net > 0n ? nearest([share * own.taxable, sold.net]) : 0n, jurisdiction.rate);
        return minus(expectedOf(effect, jurisdiction.rate, { ...sold, shipping: share }).exact, own.exact);
      };
      return { ...own, shipping: shippingOf() };
    }),
  );
const timesRate = (amount: bigint, rate: string): Fraction => {
  const [units, scale] = fraction(rate);
  return [amount * units, scale];
};

const netsOf = ({ lines, document }: Sale): bigint[] => {
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
const chargesOf = ({ lines, shipping }: TaxedDocument) => [...lines, ...shipping];

describe('the tax of random sales with every effect', () => {
  it('is exact in each row, line and state, and nets and discounts sum', () =>
    sales(2000, (sale) => {
      const { document } = sale;
      const nets = netsOf(sale);
      const parts = partsOf(
        sale,
        nets,
        document.shipping.flatMap(({ amount }) => spread(amount, nets)),
      );
      const byLine = calculateTax(document);
      expect(byLine.lines.map(({ net }) => net)).toEqual(nets);
      const coupons = document.lines.map(({ thirdPartyDiscount }) => thirdPartyDiscount);
      expect(total(byLine.lines.map((line) => line.thirdPartyDiscount))).toBe(
        total(coupons) + document.thirdPartyDiscount,
      );
      const exacts = parts.map((rows) => sumOf(rows.map(({ exact }) => exact)));
      expect(byLine.lines.map(({ tax }) => tax)).toEqual(exacts.map(nearest));
      expect(byLine.shipping[0]?.tax ?? 0n).toBe(nearest(sumOf(parts.flat().map(({ shipping }) => shipping))));
      for (const [index, { rows }] of byLine.lines.entries()) {
        expect(rows.map(({ taxable }) => taxable)).toEqual(parts[index]?.map(({ taxable }) => taxable));
        expect(rows.every(({ tax }, row) => isNear(tax, parts[index]?.[row]?.exact ?? whole(-1n)))).toBe(true);
      }
      const byInvoice = calculateTax({ ...document, rounding: 'invoice' });
      expect(byInvoice.lines.every(({ tax }, index) => isNear(tax, exacts[index] as Fraction))).toBe(true);
      for (const state of new Set(sale.lines.map((line) => line.state))) {
        const rows = chargesOf(byInvoice).flatMap((charge) => charge.rows);
        const own = rows.filter(({ jurisdiction }) => state.taxing.some(({ code }) => code === jurisdiction.code));
        const exact = parts.flatMap((jurisdictions, index) =>
          sale.lines[index]?.state === state ? jurisdictions.flatMap((part) => [part.exact, part.shipping]) : [],
        );
        expect(total(own.map(({ tax }) => tax))).toBe(nearest(sumOf(exact)));
      }
    }));

  const figuresOf = (taxed: TaxedDocument) =>
    chargesOf(taxed).map(({ net, tax, taxable, exempt }) => ({ net, tax, taxable, exempt }));

  it.each([false, true])(
    'depends on neither order nor company of jurisdictions and lines: included %s',
    (taxIncluded) =>
      sales(150, (sale) => {
        const document = { ...sale.document, taxIncluded };
        const reversed = document.lines.map((line) => ({
          ...line,
          place: { ...line.place, jurisdictions: line.place.jurisdictions.toReversed() },
        }));
        expect(figuresOf(calculateTax({ ...document, lines: reversed }))).toEqual(figuresOf(calculateTax(document)));
        const alone = { ...document, discount: 0n, thirdPartyDiscount: 0n, shipping: [] };
        expect(document.lines.flatMap((line) => figuresOf(calculateTax({ ...alone, lines: [line] })))).toEqual(
          figuresOf(calculateTax(alone)),
        );
      }),
  );

  it('is the same with and without third-party discounts', () =>
    sales(300, ({ document }) => {
      const lines = document.lines.map((line) => ({ ...line, thirdPartyDiscount: 0n }));
      const without = { ...document, thirdPartyDiscount: 0n, lines };
      expect(figuresOf(calculateTax(document))).toEqual(figuresOf(calculateTax(without)));
    }));
});

it('allocates cents of an invoice to lines first, and then to rows: 1.0 and 1.2 cents of tax are a cent each', () => {
  const of = [
    { code: 'US-XX', type: 'state', rate: '0.025' },
    { code: 'US-XX-1', type: 'county', rate: '0.025' },
  ] as const;
  const place = placeOf(releaseOf({ of }));
  const lines = [lineOf(place, { amount: '0.20' }), lineOf(place, { amount: '0.24' })];
  // By rows alone the second line, with the larger remainders, would get both.
  expect(
    calculateTax(documentOf(lines, { rounding: 'invoice' })).lines.map(({ tax, rows }) => [
      tax,
      rows.map((row) => row.tax),
    ]),
  ).toEqual([
    [1n, [1n, 0n]],
    [1n, [1n, 0n]],
  ]);
});
