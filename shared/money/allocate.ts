import { assert } from '../assert.ts';

/**
 * Split a total over weights by largest remainder: the parts always sum to the total.
 *
 * Each part is its exact proportion rounded down, and the units left over go, one each, to the largest remainders; the
 * earlier one wins a tie. Weights that are all zero share equally. Nothing to share with is a bug.
 */
export const allocate = (total: bigint, weights: readonly bigint[]): bigint[] => {
  assert(weights.length > 0 || total === 0n, 'an amount is never allocated to nobody');
  assert(total >= 0n, 'a total to allocate is not negative');
  if (weights.length === 1) return [total];
  const sum = weights.reduce((one, other) => one + other, 0n);
  if (sum === 0n && weights.length > 0)
    return allocate(
      total,
      weights.map(() => 1n),
    );
  const parts = weights.map((weight) => (total * weight) / sum);
  const remainders = weights.map((weight) => (total * weight) % sum);
  return topUp(parts, remainders, total - parts.reduce((one, other) => one + other, 0n));
};

/** Give `left` units, one each, to the parts with the largest remainders. Writes into `parts`, which the caller made. */
export const topUp = (parts: bigint[], remainders: readonly bigint[], left: bigint): bigint[] => {
  if (left === 0n) return parts;
  assert(left <= BigInt(parts.length), 'fewer units are left over than there are parts');
  if (left === 1n) {
    let best = 0;
    for (let i = 1; i < remainders.length; i++) if ((remainders[i] as bigint) > (remainders[best] as bigint)) best = i;
    parts[best] = (parts[best] as bigint) + 1n;
    return parts;
  }
  const order = remainders.map((remainder, index) => ({ remainder, index }));
  order.sort((one, other) =>
    one.remainder === other.remainder ? one.index - other.index : one.remainder < other.remainder ? 1 : -1,
  );
  for (const { index } of order.slice(0, Number(left))) parts[index] = (parts[index] as bigint) + 1n;
  return parts;
};
