/**
 * Converts a decimal string to minor units: `toMinor('19.9', 2)` is 1990n. Throws for text that is not a decimal or has
 * too many decimals: the adapter must round as its shop does.
 */
export const toMinor = (text: string, exponent: number): bigint => {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (!whole || /[^0]/.test(fraction.slice(exponent)))
    throw new RangeError(`"${text}" is not an amount with at most ${exponent} decimals, such as "19.90".`);
  const minor = BigInt(whole + fraction.slice(0, exponent).padEnd(exponent, '0'));
  return sign ? -minor : minor;
};

/** Converts minor units to a decimal string: `toDecimal(1990n, 2)` is `"19.90"`. */
export const toDecimal = (minor: bigint, exponent: number): string => {
  const digits = String(minor < 0n ? -minor : minor).padStart(exponent + 1, '0');
  const at = digits.length - exponent;
  return `${minor < 0n ? '-' : ''}${digits.slice(0, at)}${exponent ? `.${digits.slice(at)}` : ''}`;
};

/** Returns the number of decimals of Levy's amounts in a currency. */
export const getDecimals = (amount: string): number => amount.split('.')[1]?.length ?? 0;

/** Divides by a positive divisor and rounds half away from zero. */
export const divide = (dividend: bigint, divisor: bigint): bigint =>
  dividend < 0n ? -divide(-dividend, divisor) : (2n * dividend + divisor) / (2n * divisor);

/** Distributes a total in proportion to weights with cumulative rounding, so the parts add up to it. */
export const distribute = (total: bigint, weights: readonly bigint[]): bigint[] => {
  const sum = weights.reduce((all, weight) => all + weight, 0n);
  let weighed = 0n;
  let given = 0n;
  return weights.map((weight) => {
    weighed += weight;
    const part = sum === 0n ? 0n : divide(total * weighed, sum) - given;
    given += part;
    return part;
  });
};
