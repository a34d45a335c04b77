import { assert } from '../base/assert.ts';

/** An exact decimal: `units` times ten to the power of minus `scale`. Fixed-point on BigInt, exact and fast. */
export type Decimal = { readonly units: bigint; readonly scale: number };

/** Limits for numbers in a request. The schema enforces them. */
export const digits = { integer: 12, fraction: 10 } as const;
export const decimalPattern = new RegExp(`^\\d{1,${digits.integer}}(\\.\\d{1,${digits.fraction}})?$`);
/** The pattern of a decimal that may be negative. */
export const signedDecimalPattern = new RegExp(`^-?${decimalPattern.source.slice(1)}`);

/** Parses a decimal string that the schema has accepted. It may be negative. */
export const decimal = (text: string): Decimal => {
  const point = text.indexOf('.');
  if (point < 0) return { units: BigInt(text), scale: 0 };
  return { units: BigInt(text.slice(0, point) + text.slice(point + 1)), scale: text.length - point - 1 };
};

const powers = Array.from({ length: 64 }, (_, exponent) => 10n ** BigInt(exponent));

/** Returns ten to the power of `exponent`, 0 to 63, which is enough for any product of two request decimals. */
export const powerOfTen = (exponent: number): bigint => {
  const power = powers[exponent];
  assert(power !== undefined, 'the exponent is outside the range that the schema allows');
  return power;
};

/** Divides and rounds half up (SSUTA section 324). Both operands must be non-negative. */
export const divideHalfUp = (dividend: bigint, divisor: bigint): bigint => (2n * dividend + divisor) / (2n * divisor);

/** Returns an amount without its sign. */
export const absolute = (amount: bigint): bigint => (amount < 0n ? -amount : amount);

/** Returns the value in units of `10^-to`, rounded half up if `to` is less than the scale. */
export const rescale = ({ units, scale }: Decimal, to: number): bigint =>
  to >= scale ? units * powerOfTen(to - scale) : divideHalfUp(units, powerOfTen(scale - to));

/** Returns the exact product of two decimals, rounded once to units of `10^-scale`, half away from zero. */
export const multiply = (left: Decimal, right: Decimal, scale: number): bigint => {
  const units = left.units * right.units;
  const exactScale = left.scale + right.scale;
  return units < 0n
    ? -rescale({ units: -units, scale: exactScale }, scale)
    : rescale({ units, scale: exactScale }, scale);
};

/** Formats an exact decimal without trailing zeros: `5.7`. `units` must not be negative. */
export const decimalText = ({ units, scale }: Decimal): string => {
  const padded = units.toString().padStart(scale + 1, '0');
  const [whole, fraction] = [padded.slice(0, padded.length - scale), padded.slice(padded.length - scale)];
  const kept = fraction.replace(/0+$/, '');
  return kept === '' ? whole : `${whole}.${kept}`;
};
