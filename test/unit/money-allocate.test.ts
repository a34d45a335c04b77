import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allocate } from '../../shared/money/allocate.ts';

const Exact = Decimal.clone({ precision: 80, defaults: true });

const weights = fc.array(
  fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 12n }), fc.bigInt({ min: 0n, max: 10n ** 18n })),
  { minLength: 1, maxLength: 40 },
);
const total = fc.oneof(fc.bigInt({ min: 0n, max: 50n }), fc.bigInt({ min: 0n, max: 10n ** 20n }));
const sum = (amounts: readonly bigint[]) => amounts.reduce((left, right) => left + right, 0n);

describe('allocating by largest remainder', () => {
  it('always allocates exactly the total', () => {
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

  it('allocates nothing to a weight of zero, unless all weights are zero', () => {
    fc.assert(
      fc.property(total, weights, (amount, shares) => {
        fc.pre(sum(shares) > 0n);
        for (const [index, part] of allocate(amount, shares).entries()) if (shares[index] === 0n) expect(part).toBe(0n);
      }),
    );
  });

  it('allocates a unit to a larger remainder before a smaller one', () => {
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
    [10n, [1n, 1n, 1n], [4n, 3n, 3n], 'the first of equal remainders wins the unit'],
    [11n, [1n, 1n, 1n], [4n, 4n, 3n], 'two units go to the first two of a tie'],
    [1n, [1n, 2n, 2n], [0n, 1n, 0n], 'the earlier of two largest remainders wins'],
    [3n, [2n, 1n, 2n, 1n], [1n, 1n, 1n, 0n], 'a tie is settled by position, not by weight'],
    [5n, [1n, 2n, 7n], [1n, 1n, 3n], 'remainders of .5, .0 and .5: the first, not the last'],
    [100n, [2n, 1n], [67n, 33n], '66.67 has the larger remainder'],
    [100n, [1n, 2n], [33n, 67n], 'the larger remainder wins wherever it stands'],
    [5n, [0n, 0n], [3n, 2n], 'weights of zero share equally'],
    [7n, [0n], [7n], 'one takes all, whatever it weighs'],
    [0n, [3n, 4n], [0n, 0n], 'nothing is shared as nothing'],
    [0n, [], [], 'nothing may be shared with nobody'],
  ])('shares %s by %o as %o: %s', (amount, shares, parts) => {
    expect(allocate(amount, shares)).toEqual(parts);
  });

  it('refuses an amount without weights, and a negative amount', () => {
    expect(() => allocate(1n, [])).toThrow('at least one');
    expect(() => allocate(-1n, [1n, 1n])).toThrow('negative');
  });
});
