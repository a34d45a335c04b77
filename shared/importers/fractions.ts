import { formatFraction, parseUnits, rateDecimals } from '../catalog/release-values.ts';

/**
 * The maximum is 25 %. Every combined sales tax is far below it, so a larger number is a percentage rather than a
 * fraction.
 */
const fractionMax = 25n * 10n ** BigInt(rateDecimals - 2);

/** Removes zeros at the end in a loop, because `/0+$/` takes quadratic time if many zeros precede a different digit. */
const withoutZeros = (decimals: string): string => {
  let end = decimals.length;
  while (decimals[end - 1] === '0') end -= 1;
  return decimals.slice(0, end);
};

const read = (text: string, decimalsMax: number): bigint | null => {
  // No rate has a thousands separator, so a comma is a decimal comma.
  const parts = /^(?<whole>\d{0,3})(?:[.,](?<decimals>\d*))?$/.exec(text)?.groups;
  if (!parts || !/\d/.test(text)) return null;
  // Spreadsheets can write any number of trailing zeros.
  const decimals = withoutZeros(parts['decimals'] ?? '');
  return decimals.length > decimalsMax ? null : parseUnits(`${parts['whole'] || '0'}.${decimals || '0'}`);
};

/** Reads a fraction as a file writes it (`0.0050`, `.005`, `0`); `null` if it is not a number up to 0.25. */
export const readFraction = (text: string): string | null => {
  const units = read(text, rateDecimals);
  return units === null || units > fractionMax ? null : formatFraction(units);
};

/** Reads a percentage (`6.8750`) as a fraction (`0.06875`); `null` if it is not a number up to 25. */
export const readPercent = (text: string): string | null => {
  const units = read(text.endsWith('%') ? text.slice(0, -1).trimEnd() : text, rateDecimals - 2);
  return units === null || units / 100n > fractionMax ? null : formatFraction(units / 100n);
};

/** Reads a fraction or a percentage. Up to 0.25, it is a fraction: no combined rate is as low as 0.25 %. */
export const readFractionOrPercent = (text: string): string | null => readFraction(text) ?? readPercent(text);
