import { assert } from '../base/assert.ts';

/** Returns the sum of amounts. */
export const sum = (amounts: readonly bigint[]): bigint => {
  let total = 0n;
  for (const amount of amounts) total += amount;
  return total;
};

/**
 * Splits a total over weights by largest remainder: the parts always sum to the total.
 *
 * Each part is its exact proportion rounded down. The remaining units go, one each, to the parts with the largest
 * remainders; on a tie, the earlier part wins. If all weights are zero, the parts are equal. Throws if there is a total
 * but no weights.
 */
export const allocate = (total: bigint, weights: readonly bigint[]): bigint[] => {
  assert(weights.length > 0 || total === 0n, 'an amount has no weight to be allocated to');
  assert(total >= 0n, 'a total to allocate is negative');
  if (weights.length === 1) return [total];
  const all = sum(weights);
  if (all === 0n && weights.length > 0)
    return allocate(
      total,
      weights.map(() => 1n),
    );
  const parts = weights.map((weight) => (total * weight) / all);
  const remainders = weights.map((weight) => (total * weight) % all);
  return distributeRemainder(parts, remainders, total - sum(parts));
};

/** Adds the `remaining` units, one each, to the parts with the largest remainders. Changes `parts` in place. */
export const distributeRemainder = (parts: bigint[], remainders: readonly bigint[], remaining: bigint): bigint[] => {
  if (remaining === 0n) return parts;
  assert(remaining <= BigInt(parts.length), 'more than one unit remains for a part');
  if (remaining === 1n) {
    let best = 0;
    for (let i = 1; i < remainders.length; i++) if ((remainders[i] as bigint) > (remainders[best] as bigint)) best = i;
    parts[best] = (parts[best] as bigint) + 1n;
    return parts;
  }
  const order = remainders.map((remainder, index) => ({ remainder, index }));
  order.sort((left, right) =>
    left.remainder === right.remainder ? left.index - right.index : left.remainder < right.remainder ? 1 : -1,
  );
  for (const { index } of order.slice(0, Number(remaining))) parts[index] = (parts[index] as bigint) + 1n;
  return parts;
};
