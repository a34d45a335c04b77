/** The model's own arithmetic: minor units as BigInt. It shares nothing with the service's, so that both must be right. */

const decimals: Readonly<Record<string, number>> = { USD: 2, EUR: 2, JPY: 0, KWD: 3 };

export const decimalsOf = (currency: string): number => {
  const known = decimals[currency];
  if (known === undefined) throw new Error(`The model does not know ${currency}.`);
  return known;
};

/** A quotient of two whole numbers that are not negative, half up. */
export const halfUp = (dividend: bigint, divisor: bigint): bigint => (2n * dividend + divisor) / (2n * divisor);

const partsOf = (text: string) => {
  const [whole = '', fraction = ''] = text.split('.');
  return { digits: BigInt(whole + fraction), scale: BigInt(fraction.length) };
};

/** The product of decimals in minor units of a currency, half up; of one, itself. */
export const minor = (currency: string, ...factors: readonly string[]): bigint => {
  const parts = factors.map(partsOf);
  const product = parts.reduce((all, { digits }) => all * digits, 1n);
  const scale = parts.reduce((all, part) => all + part.scale, 0n);
  return halfUp(product * 10n ** BigInt(decimalsOf(currency)), 10n ** scale);
};

/** Minor units as answers write them. */
export const written = (currency: string, amount: bigint): string => {
  const places = decimalsOf(currency);
  const digits = (amount < 0n ? -amount : amount).toString().padStart(places + 1, '0');
  const sign = amount < 0n ? '-' : '';
  return places === 0 ? sign + digits : `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`;
};

export const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, amount) => all + amount, 0n);
export const least = (one: bigint, other: bigint): bigint => (one < other ? one : other);

/**
 * Whether a part is its share of a whole: by largest remainder each of the rows that it consists of is off by less than
 * a minor unit, either way.
 */
export const isShare = (part: bigint, whole: bigint, weight: bigint, weights: bigint, rows = 1): boolean => {
  if (weights === 0n) return part === 0n;
  const difference = part * weights - whole * weight;
  return (difference < 0n ? -difference : difference) < weights * BigInt(rows);
};
