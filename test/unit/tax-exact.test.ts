import { describe, expect, it } from 'vitest';
import type { Effect } from '../../shared/content/release.ts';
import { decimal, multiply } from '../../shared/money/decimal.ts';
import { assess } from '../../shared/tax/assessment.ts';
import { calculateTax } from '../../shared/tax/calculate.ts';
import { roundSum } from '../../shared/tax/rounding.ts';
import { documentOf, lineOf, placeOf, releaseOf, rule, taxLine } from '../support/builders.ts';
import { drawFrom } from '../support/random-orders.ts';
import { expectedOf, fraction, isNear, nearest, sumOf, times, total, whole } from '../support/tax-oracle.ts';

// Rates as whole numbers of hundred-millionths, split over the jurisdictions of a place. None shares all its factors with
// ten, so each has amounts in cents whose exact tax ends in half a cent.
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
const periodOf = (rate: bigint): bigint => {
  let [a, b] = [unit, rate];
  while (b > 0n) [a, b] = [b, a % b];
  return unit / a;
};
const written = (units: bigint) => `0.${String(units).padStart(8, '0')}`;

const placeAt = (rates: readonly bigint[]) => {
  const [state = 0n, ...local] = rates;
  return placeOf(
    releaseOf({
      of: [
        { code: 'US-XX', type: 'state', rate: written(state) },
        ...local.map((rate, index) => ({ code: `US-XX-${index}`, type: 'county' as const, rate: written(rate) })),
      ],
    }),
  );
};

describe('exact half cents', () => {
  it('200,000 of them are rounded up, and the parts are the whole', () => {
    let wrong = 0;
    for (const rates of splits) {
      const rate = total(rates);
      const period = periodOf(rate);
      let amount = firstTie(rate);
      const { treatments } = taxLine(lineOf(placeAt(rates)));
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
    '20,000 of them in documents of a thousand lines, rounded by %s',
    (rounding) => {
      let wrong = 0;
      for (const rates of splits) {
        const rate = total(rates);
        const place = placeAt(rates);
        let amount = firstTie(rate);
        for (let document = 0; document < 2; document += 1) {
          const lines = Array.from({ length: 1000 }, () => {
            amount += periodOf(rate);
            return { ...lineOf(place), amount };
          });
          const taxed = calculateTax(documentOf(lines, { rounding })).lines;
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
const wideEffect = (): Effect => {
  const amount = text(9, 2);
  return draw.of<() => Effect>([
    () => ({ type: 'taxable' }),
    () => ({ type: 'taxable' }),
    () => ({ type: 'exempt' }),
    () => ({ type: 'rate', rate: rateText() }),
    () => ({ type: 'threshold_cliff', amount, inclusive: draw.oneIn(2) }),
    () => ({ type: 'threshold_excess', amount }),
    () => ({ type: 'threshold_rate', amount, rate: rateText() }),
    () => ({ type: 'base_cap', amount }),
    () => ({ type: 'base_cap', amount, per: 'line' }),
    () => ({ type: 'tiered_rate', amount, rate: rateText() }),
    () => ({ type: 'band', above: amount, to: `1${amount.padStart(12, '0')}`, rate: rateText() }),
    () => ({ type: 'tax_cap', amount, rate: rateText() }),
    () => ({ type: 'base_percent', percent: rateText() }),
  ])();
};

/** A place of one to four jurisdictions, each with an effect of its own on all goods. */
const wideJurisdictions = () =>
  Array.from({ length: 1 + draw.below(4) }, (_, position) => ({
    code: `US-XX-${position}`,
    type: position === 0 ? ('state' as const) : ('county' as const),
    // The rate of a state is above zero: a state without the tax taxes nothing.
    rate: position === 0 ? `0.${1 + draw.below(9)}${draw.below(10_000_000)}` : rateText(),
    effect: wideEffect(),
  }));

describe('wide numbers', () => {
  it('20,000 calculations of up to 9 digits and 6 decimals, at rates of 8, are exact to the cent in every row', () => {
    let wrong = 0;
    for (let document = 0; document < 200; document += 1) {
      const own = wideJurisdictions();
      const [state, ...local] = own as [(typeof own)[number], ...typeof own];
      const rules = own.map(({ code, effect }) => rule(code, ['GENERAL'], effect, { jurisdictions: [code] }));
      const place = placeOf(releaseOf({ of: [state, ...local], rules }));
      const sold = Array.from({ length: 100 }, () => ({ quantity: text(9, 6), price: text(9, 6) }));
      const lines = sold.map(({ quantity, price }) => ({
        ...lineOf(place),
        quantity: decimal(quantity),
        amount: multiply(decimal(quantity), decimal(price), 2),
      }));
      for (const [index, line] of calculateTax(documentOf(lines)).lines.entries()) {
        const { quantity, price } = sold[index] as (typeof sold)[number];
        const net = nearest(times(times(fraction(quantity), fraction(price)), whole(100n)));
        const expected = own.map(({ effect, rate }) => expectedOf(effect, rate, { net, quantity }));
        const isRight =
          line.net === net &&
          line.tax === nearest(sumOf(expected.map(({ exact }) => exact))) &&
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
