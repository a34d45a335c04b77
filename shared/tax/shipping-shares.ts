import { allocate } from '../money/allocate.ts';

/** The places of the lines that a shipping charge brings. A fee is not shipped, unless there is nothing else. */
export const shippedLines = (count: number, isFee: (index: number) => boolean): number[] => {
  const shipped: number[] = [];
  for (let index = 0; index < count; index += 1) if (!isFee(index)) shipped.push(index);
  return shipped.length > 0 ? shipped : Array.from({ length: count }, (_, index) => index);
};

/**
 * Share a shipping charge over the lines by net amount, equally where all of them are zero; nothing goes to a line that is
 * not shipped. All are minor units, and the shares sum to the charge (interface decisions 2).
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
