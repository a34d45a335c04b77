// ISO 4217: what differs from two decimals.
const exponents: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    [
      'BIF',
      'CLP',
      'DJF',
      'GNF',
      'ISK',
      'JPY',
      'KMF',
      'KRW',
      'PYG',
      'RWF',
      'UGX',
      'UYI',
      'VND',
      'VUV',
      'XAF',
      'XOF',
      'XPF',
    ].map((code) => [code, 0]),
  ),
  ...Object.fromEntries(['CLF', 'UYW'].map((code) => [code, 4])),
  ...Object.fromEntries(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'].map((code) => [code, 3])),
};

let currencies: ReadonlySet<string> | undefined;

/** Whether a text is the code of a currency (ISO 4217, upper case). */
export const isCurrency = (code: string): boolean => {
  currencies ??= new Set(Intl.supportedValuesOf('currency'));
  return currencies.has(code);
};

/** How many decimals a currency's smallest unit has: USD 2, JPY 0, KWD 3. */
export const exponentOf = (currency: string): number =>
  Object.hasOwn(exponents, currency) ? (exponents[currency] as number) : 2;

/** An amount in minor units as the API writes it: exactly the currency's decimals (`595n`, 2 -> `"5.95"`). */
export const formatAmount = (minor: bigint, exponent: number): string => {
  if (minor < 0n) return `-${formatAmount(-minor, exponent)}`;
  const text = minor.toString();
  if (exponent === 0) return text;
  const padded = text.length > exponent ? text : text.padStart(exponent + 1, '0');
  return `${padded.slice(0, -exponent)}.${padded.slice(-exponent)}`;
};

/** Read an amount that `formatAmount` wrote, or a request's amount that has no more decimals than the currency. */
export const parseAmount = (text: string, exponent: number): bigint => {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(exponent, '0'));
};
