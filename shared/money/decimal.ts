import { assert } from '../base/assert.ts';

/** An exact decimal: `units` times ten to the power of minus `scale`. Fixed-point on BigInt, exact and fast. */
export type Decimal = { readonly units: bigint; readonly scale: number };

/** The largest numbers in a request. The schema enforces them. */
export const digits = { integer: 12, fraction: 10 } as const;
export const decimalPattern = new RegExp(`^\\d{1,${digits.integer}}(\\.\\d{1,${digits.fraction}})?$`);
/** May be negative. */
export const signedDecimalPattern = new RegExp(`^-?${decimalPattern.source.slice(1)}`);

/** Reads a decimal string that the schema has accepted, which may be negative. */
export const decimal = (text: string): Decimal => {
  const point = text.indexOf('.');
  if (point < 0) return { units: BigInt(text), scale: 0 };
  return { units: BigInt(text.slice(0, point) + text.slice(point + 1)), scale: text.length - point - 1 };
};

const powers = Array.from({ length: 64 }, (_, exponent) => 10n ** BigInt(exponent));

/** Ten to the power of `exponent`, from 0 to 63: more than any product of two request decimals needs. */
export const powerOfTen = (exponent: number): bigint => {
  const power = powers[exponent];
  assert(power !== undefined, 'the exponent is within the range that the schema allows');
  return power;
};

/** Divide and round half up (SSUTA section 324). Both are non-negative. */
export const divideHalfUp = (dividend: bigint, divisor: bigint): bigint => (2n * dividend + divisor) / (2n * divisor);

/** The same value in units of `10^-scale`, rounded half up where the scale is smaller. */
export const rescale = ({ units, scale }: Decimal, to: number): bigint =>
  to >= scale ? units * powerOfTen(to - scale) : divideHalfUp(units, powerOfTen(scale - to));

/**
 * The exact product of two decimals, rounded once, half up, to units of `10^-scale`. A negative one is rounded as its
 * amount is.
 */
export const multiply = (left: Decimal, right: Decimal, scale: number): bigint => {
  const units = left.units * right.units;
  const of = left.scale + right.scale;
  return units < 0n ? -rescale({ units: -units, scale: of }, scale) : rescale({ units, scale: of }, scale);
};

/** An exact decimal as text without superfluous zeros: `5.7`. `units` are not negative. */
export const decimalText = ({ units, scale }: Decimal): string => {
  const padded = units.toString().padStart(scale + 1, '0');
  const [whole, fraction] = [padded.slice(0, padded.length - scale), padded.slice(padded.length - scale)];
  const kept = fraction.replace(/0+$/, '');
  return kept === '' ? whole : `${whole}.${kept}`;
};
