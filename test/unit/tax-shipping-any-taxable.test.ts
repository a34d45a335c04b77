import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calculateTax } from '../../shared/tax/calculate.ts';
import type { TaxDocument, TaxedDocument } from '../../shared/tax/document.ts';
import { documentOf, lineOf, placeOf, productOf, releaseOf, rule } from '../support/builders.ts';

/** New York: one shipping charge on a bill with taxable goods is taxable in whole (TB-ST-838). Rates in millionths. */
const stateRate = 40_000n;
const cityRate = 45_000n;
const districtRate = 3_750n;

const jurisdictions = [
  { code: 'US-NY', type: 'state', rate: '0.04' },
  { code: 'US-NY-01-51000', type: 'city', rate: '0.045' },
  { code: 'US-NY-63-MCTD', type: 'district', rate: '0.00375' },
] as const;
const cliff = { type: 'threshold_cliff', amount: '110', inclusive: false } as const;
// The state and the district exempt clothing below 110; this city taxes it. Groceries are exempt everywhere.
const rules = [
  rule('goods', ['GENERAL'], { type: 'taxable' }),
  rule('clothing', ['CLOTHING'], cliff),
  rule('clothing-city', ['CLOTHING'], { type: 'taxable' }, { levels: ['city'] }),
  rule('groceries', ['FOOD'], { type: 'exempt' }),
];
const stateOnly = placeOf(releaseOf({ of: [jurisdictions[0]], shipping: 'any_taxable', rules }));
const city = placeOf(releaseOf({ of: jurisdictions, shipping: 'any_taxable', rules }));

const codes = { goods: 'GENERAL', clothing: 'CLOTHING.APPAREL', groceries: 'FOOD.GROCERY' } as const;
type Goods = keyof typeof codes;
type Order = { readonly lines: readonly (readonly [Goods, bigint])[]; readonly shipping: bigint };

const tax = (place: typeof city, { lines, shipping }: Order, others: Partial<TaxDocument> = {}): TaxedDocument =>
  calculateTax(
    documentOf(
      lines.map(([goods, amount]) => ({ ...lineOf(place, { ptc: codes[goods] }), amount })),
      { shipping: { amount: shipping, product: productOf('SHIPPING.DELIVERY') }, ...others },
    ),
  );

const totalOf = ({ lines, shipping }: TaxedDocument) =>
  lines.reduce((sum, line) => sum + line.tax, 0n) + (shipping?.tax ?? 0n);

describe('one shipping charge for taxable and exempt goods in New York', () => {
  const order: Order = {
    lines: [
      ['goods', 200n],
      ['clothing', 10_000n],
    ],
    shipping: 1000n,
  };

  it('is taxed in whole: 2.00 taxable, 100.00 of exempt clothing and 10.00 of shipping owe the state 0.48', () => {
    const taxed = tax(stateOnly, order);
    expect(taxed.lines.map((line) => line.tax)).toEqual([8n, 0n]);
    expect(taxed.shipping).toMatchObject({ taxable: 1000n, exempt: 0n, tax: 40n });
    expect(totalOf(tax(stateOnly, order, { rounding: 'invoice' }))).toBe(48n);
  });

  it('is taken out of gross prices: 2.08, 100.00 and 10.40 contain the same 0.48', () => {
    const gross: Order = {
      lines: [
        ['goods', 208n],
        ['clothing', 10_000n],
      ],
      shipping: 1040n,
    };
    for (const rounding of ['line', 'invoice'] as const) {
      const taxed = tax(stateOnly, gross, { taxIncluded: true, rounding });
      expect([...taxed.lines, taxed.shipping].map((charge) => [charge?.taxable, charge?.exempt, charge?.tax])).toEqual([
        [200n, 0n, 8n],
        [0n, 10_000n, 0n],
        [1000n, 0n, 40n],
      ]);
    }
  });

  it.each<{ lines: Order['lines']; rows: readonly (readonly [string, bigint])[]; because: string }>([
    {
      lines: [['clothing', 10_000n]],
      rows: [
        ['US-NY', 0n],
        ['US-NY-01-51000', 1000n],
        ['US-NY-63-MCTD', 0n],
      ],
      because: 'only the city taxes the goods',
    },
    {
      lines: [
        ['clothing', 10_000n],
        ['goods', 1n],
      ],
      rows: [
        ['US-NY', 1000n],
        ['US-NY-01-51000', 1000n],
        ['US-NY-63-MCTD', 1000n],
      ],
      because: 'all tax a cent of other goods',
    },
    {
      lines: [
        ['clothing', 10_999n],
        ['groceries', 5000n],
      ],
      rows: [
        ['US-NY', 0n],
        ['US-NY-01-51000', 1000n],
        ['US-NY-63-MCTD', 0n],
      ],
      because: 'the clothing is below the limit',
    },
    {
      lines: [
        ['clothing', 11_000n],
        ['groceries', 5000n],
      ],
      rows: [
        ['US-NY', 1000n],
        ['US-NY-01-51000', 1000n],
        ['US-NY-63-MCTD', 1000n],
      ],
      because: 'the clothing is at the limit',
    },
    {
      lines: [
        ['groceries', 5000n],
        ['groceries', 1n],
      ],
      rows: [
        ['US-NY', 0n],
        ['US-NY-01-51000', 0n],
        ['US-NY-63-MCTD', 0n],
      ],
      because: 'nothing is taxed',
    },
  ])('is decided by each jurisdiction: $because', ({ lines, rows }) => {
    const { shipping } = tax(city, { lines, shipping: 1000n });
    const bases = Map.groupBy(shipping?.rows ?? [], ({ jurisdiction }) => jurisdiction.code);
    expect([...bases].map(([code, own]) => [code, own.reduce((sum, { taxable }) => sum + taxable, 0n)])).toEqual(rows);
  });
});

/** The law in plain numbers: what of one line and of the whole shipping each jurisdiction taxes. */
const taxesGoods = (goods: Goods, amount: bigint) => ({
  state: goods === 'goods' || (goods === 'clothing' && amount >= 11_000n),
  city: goods !== 'groceries',
});
const exactOf = (amount: bigint, by: { state: boolean; city: boolean }): bigint =>
  amount * ((by.state ? stateRate + districtRate : 0n) + (by.city ? cityRate : 0n));
const toCents = (exact: bigint): bigint => (exact + 500_000n) / 1_000_000n;

const OrderOf = fc.record({
  lines: fc.array(
    fc.tuple(fc.constantFrom<Goods>('goods', 'clothing', 'groceries'), fc.bigInt({ min: 1n, max: 30_000n })),
    { minLength: 1, maxLength: 6 },
  ),
  shipping: fc.bigInt({ min: 0n, max: 3000n }),
});

describe('an order in a New York city', () => {
  it('owes on its shipping what all jurisdictions take that tax any line, by line and by invoice', () => {
    fc.assert(
      fc.property(OrderOf, ({ lines, shipping }) => {
        const by = lines.map(([goods, amount]) => taxesGoods(goods, amount));
        const shippingBy = { state: by.some(({ state }) => state), city: by.some((one) => one.city) };
        const exacts = lines.map(([, amount], index) => exactOf(amount, by[index] ?? shippingBy));
        const exactShipping = exactOf(shipping, shippingBy);
        const taxed = tax(city, { lines, shipping });
        expect(taxed.lines.map((line) => line.tax)).toEqual(exacts.map(toCents));
        expect(taxed.shipping?.tax).toBe(toCents(exactShipping));
        const onInvoice = tax(city, { lines, shipping }, { rounding: 'invoice' });
        expect(totalOf(onInvoice)).toBe(toCents(exacts.reduce((sum, exact) => sum + exact, exactShipping)));
      }),
    );
  });

  it('has in its gross prices the tax that its nets have by themselves, or says that it is inexact', () => {
    fc.assert(
      fc.property(OrderOf, fc.constantFrom('line', 'invoice'), ({ lines, shipping }, rounding) => {
        const taxed = tax(city, { lines, shipping }, { taxIncluded: true, rounding });
        const charges = [...taxed.lines, ...(taxed.shipping ? [taxed.shipping] : [])];
        const nets = charges.map(({ taxable, exempt }) => taxable + exempt);
        const grosses = [...lines.map(([, amount]) => amount), shipping];
        expect(charges.map(({ tax: own }, index) => (nets[index] ?? 0n) + own)).toEqual(grosses);
        if (charges.some(({ inexact }) => inexact)) return;
        const by = lines.map(([goods], index) => taxesGoods(goods, nets[index] ?? 0n));
        // A line whose price is all tax has nothing that could be taxed.
        const taxing = by.filter((_, index) => (nets[index] ?? 0n) > 0n);
        const shippingBy = { state: taxing.some(({ state }) => state), city: taxing.some((one) => one.city) };
        const exacts = nets.map((net, index) => exactOf(net, by[index] ?? shippingBy));
        const expected = exacts.reduce((sum, exact) => sum + exact, 0n);
        if (rounding === 'invoice') expect(totalOf(taxed)).toBe(toCents(expected));
        else expect(charges.map((charge) => charge.tax)).toEqual(exacts.map(toCents));
      }),
    );
  });
});
