/** Excel shows and keeps 15 significant digits; the others of a stored number are noise of its binary form. */
const significant = 15;

const rounded = (digits: string): bigint => {
  const dropped = digits.length - significant;
  if (dropped <= 0) return BigInt(digits || '0');
  const unit = 10n ** BigInt(dropped);
  return (BigInt(digits) + unit / 2n) / unit;
};

/**
 * A number as a workbook stores it, as plain decimal text: `9.9750000000000005E-2` is `0.09975`. It is rounded to 15
 * significant digits, as digits, so that no value is ever a floating-point number. `null` for text that is no number.
 */
export const decimalText = (text: string): string | null => {
  const parts = /^(?<sign>-?)(?<whole>\d+)(?:\.(?<decimals>\d*))?(?:[eE](?<exponent>[+-]?\d{1,2}))?$/.exec(
    text,
  )?.groups;
  if (!parts) return null;
  const { sign = '', whole = '', decimals = '', exponent = '0' } = parts;
  const digits = `${whole}${decimals}`.replace(/^0+/, '');
  const scale = Number(exponent) - decimals.length + Math.max(0, digits.length - significant);
  const shortened = rounded(digits).toString();
  const padded = scale >= 0 ? `${shortened}${'0'.repeat(scale)}` : shortened.padStart(1 - scale, '0');
  if (scale >= 0) return `${sign}${padded}`;
  const fraction = padded.slice(scale).replace(/0+$/, '');
  return `${sign}${padded.slice(0, scale)}${fraction === '' ? '' : `.${fraction}`}`;
};
