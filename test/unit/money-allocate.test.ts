import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allocate } from '../../shared/money/allocate.ts';

const Exact = Decimal.clone({ precision: 80, defaults: true });

const weights = fc.array(
  fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 12n }), fc.bigInt({ min: 0n, max: 10n ** 18n })),
  {
    minLength: 1,
    maxLength: 40,
  },
);
const total = fc.oneof(fc.bigInt({ min: 0n, max: 50n }), fc.bigInt({ min: 0n, max: 10n ** 20n }));
const sum = (amounts: readonly bigint[]) => amounts.reduce((one, other) => one + other, 0n);

describe('allocating by largest remainder', () => {
  it('always gives out the total, all of it and no more', () => {
    fc.assert(
      fc.property(total, weights, (amount, shares) => {
        expect(sum(allocate(amount, shares))).toBe(amount);
      }),
      { numRuns: 3000 },
    );
  });

  it('is never a whole unit away from the exact proportion, and never negative', () => {
    fc.assert(
      fc.property(total, weights, (amount, shares) => {
        const all = sum(shares);
        for (const [index, part] of allocate(amount, shares).entries()) {
          const exact =
            all === 0n
              ? new Exact(String(amount)).div(shares.length)
              : new Exact(String(amount)).times(String(shares[index])).div(String(all));
          expect(new Exact(String(part)).minus(exact).abs().lessThan(1)).toBe(true);
          expect(part).toBeGreaterThanOrEqual(0n);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('gives nothing to a weight of zero, as long as another weighs something', () => {
    fc.assert(
      fc.property(total, weights, (amount, shares) => {
        fc.pre(sum(shares) > 0n);
        for (const [index, part] of allocate(amount, shares).entries()) if (shares[index] === 0n) expect(part).toBe(0n);
      }),
    );
  });

  it('gives a unit to a larger remainder before a smaller one', () => {
    fc.assert(
      fc.property(total, weights, (amount, shares) => {
        const all = sum(shares);
        fc.pre(all > 0n);
        const rows = allocate(amount, shares).map((part, index) => ({
          isToppedUp: part > (amount * (shares[index] as bigint)) / all,
          remainder: (amount * (shares[index] as bigint)) % all,
        }));
        const lowestTopped = rows.filter((row) => row.isToppedUp).map((row) => row.remainder);
        const highestLeft = rows.filter((row) => !row.isToppedUp).map((row) => row.remainder);
        for (const topped of lowestTopped) for (const left of highestLeft) expect(topped).toBeGreaterThanOrEqual(left);
      }),
    );
  });

  it.each([
    { total: 10n, weights: [1n, 1n, 1n], parts: [4n, 3n, 3n], because: 'the first of equal remainders wins the unit' },
    { total: 11n, weights: [1n, 1n, 1n], parts: [4n, 4n, 3n], because: 'two units go to the first two of a tie' },
    { total: 1n, weights: [1n, 2n, 2n], parts: [0n, 1n, 0n], because: 'the earlier of two largest remainders wins' },
    {
      total: 3n,
      weights: [2n, 1n, 2n, 1n],
      parts: [1n, 1n, 1n, 0n],
      because: 'a tie is settled by position, not by weight',
    },
    {
      total: 5n,
      weights: [1n, 2n, 7n],
      parts: [1n, 1n, 3n],
      because: 'remainders of .5, .0 and .5: the first, not the last',
    },
    { total: 100n, weights: [2n, 1n], parts: [67n, 33n], because: '66.67 has the larger remainder' },
    { total: 100n, weights: [1n, 2n], parts: [33n, 67n], because: 'the larger remainder wins wherever it stands' },
    { total: 5n, weights: [0n, 0n], parts: [3n, 2n], because: 'weights of zero share equally' },
    { total: 7n, weights: [0n], parts: [7n], because: 'one takes all, whatever it weighs' },
    { total: 0n, weights: [3n, 4n], parts: [0n, 0n], because: 'nothing is shared as nothing' },
    { total: 0n, weights: [], parts: [], because: 'nothing may be shared with nobody' },
  ])('shares $total by $weights as $parts: $because', ({ total: amount, weights: shares, parts }) => {
    expect(allocate(amount, shares)).toEqual(parts);
  });

  it('refuses an amount without weights, and a negative amount', () => {
    expect(() => allocate(1n, [])).toThrow('at least one');
    expect(() => allocate(-1n, [1n, 1n])).toThrow('negative');
  });
});
