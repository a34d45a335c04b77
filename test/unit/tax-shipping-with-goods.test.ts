import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Release, ShippingPolicy } from '../../shared/content/release.ts';
import type { Rounding } from '../../shared/content/release-values.ts';
import { calculateTax } from '../../shared/tax/calculate.ts';
import type { TaxDocument, TaxedDocument, TaxLine } from '../../shared/tax/document.ts';
import { ask, cents, documentOf, lineOf, placeOf, productOf, releaseOf, rule } from '../support/builders.ts';

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
    { goods: '99.04', shipping: '5.96', alone: [619n, 37n], together: [619n, 37n], because: '6.5625 is 6.56 already' },
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
          expect(total(rows.flatMap((row) => (row.jurisdiction.code.startsWith(`US-X${state}`) ? row.tax : [])))).toBe(
            expected[state],
          );
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
