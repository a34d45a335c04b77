import { allocate } from '../money/allocate.ts';

/** The indexes of the lines that are shipped. Fees are not shipped, unless there are only fees. */
export const shippedLines = (count: number, isFee: (index: number) => boolean): number[] => {
  const shipped: number[] = [];
  for (let index = 0; index < count; index += 1) if (!isFee(index)) shipped.push(index);
  return shipped.length > 0 ? shipped : Array.from({ length: count }, (_, index) => index);
};

/**
 * Allocate a shipping charge to the shipped lines by net amount, equally where all are zero. Amounts are minor units, and
 * the shares sum to the charge (interface decisions 2).
 */
export const shareShipping = (
  shipping: bigint,
  nets: readonly bigint[],
  isFee: (index: number) => boolean,
): bigint[] => {
  const shipped = shippedLines(nets.length, isFee);
  const parts = allocate(
    shipping,
    shipped.map((index) => nets[index] as bigint),
  );
  const shares = new Array<bigint>(nets.length).fill(0n);
  for (const [position, index] of shipped.entries()) shares[index] = parts[position] as bigint;
  return shares;
};
