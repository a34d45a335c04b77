/**
 * Take the tax out of a gross amount: the net whose own tax, added to it, gives the gross.
 *
 * Searched, because caps and thresholds have no single rate. Net plus tax never falls as the net grows, so the smallest
 * net that reaches the gross is found by halving. Where rounding skips the gross, the tax is the difference.
 */
export const extractTax = (
  gross: bigint,
  taxOn: (net: bigint) => bigint,
): { readonly net: bigint; readonly tax: bigint } => {
  let low = 0n;
  let high = gross;
  while (low < high) {
    const middle = (low + high) / 2n;
    if (middle + taxOn(middle) >= gross) high = middle;
    else low = middle + 1n;
  }
  return { net: low, tax: gross - low };
};
