import { assert } from '../base/assert.ts';
import { decimal, rescale } from './decimal.ts';

/**
 * Currencies (ISO 4217) by number of decimals: current ones, and withdrawn ones that past sales can have. Funds, metals
 * and test codes are excluded.
 */
const codesByDecimals: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF',
  2:
    'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF ' +
    'CHF CNY COP CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD ' +
    'HNL HRK HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK ' +
    'MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB ' +
    'SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH ' +
    'USD UYU UZS VES WST XCD XCG XDR XSU YER ZAR ZMW ZWG ZWL',
  3: 'BHD IQD JOD KWD LYD OMR TND',
};

const decimalsByCode: ReadonlyMap<string, number> = new Map(
  Object.entries(codesByDecimals).flatMap(([decimals, codes]) =>
    codes.split(' ').map((code) => [code, Number(decimals)] as const),
  ),
);

/** Whether a value is a currency code (ISO 4217, upper case). */
export const isCurrency = (code: unknown): code is string => decimalsByCode.has(code as string);

/** Returns the number of decimals of a currency: USD 2, JPY 0, KWD 3. */
export const minorDigits = (currency: string): number => decimalsByCode.get(currency) ?? 2;

/** Formats an amount in minor units with exactly the currency's decimals (`595n`, 2 -> `"5.95"`). */
export const formatAmount = (minor: bigint, exponent: number): string => {
  if (minor < 0n) return `-${formatAmount(-minor, exponent)}`;
  const text = minor.toString();
  if (exponent === 0) return text;
  const padded = text.length > exponent ? text : text.padStart(exponent + 1, '0');
  return `${padded.slice(0, -exponent)}.${padded.slice(-exponent)}`;
};

/**
 * Parses an amount to minor units. Throws if it has more decimals than the currency, because requests are checked
 * earlier.
 */
export const parseAmount = (text: string, exponent: number): bigint => {
  // Five times as fast as `split`. Credits of a sale with a thousand lines parse tens of thousands of amounts.
  const point = text.indexOf('.');
  const whole = point < 0 ? text : text.slice(0, point);
  const fraction = point < 0 ? '' : text.slice(point + 1);
  assert(fraction.length <= exponent, 'an amount has more decimals than its currency');
  return BigInt(whole + fraction.padEnd(exponent, '0'));
};

/** Returns the exact sum of decimal strings, with as many decimals as the longest: `['0.1', '0.25']` is `'0.35'`. */
export const getSum = (texts: readonly string[]): string => {
  const amounts = texts.map(decimal);
  const scale = Math.max(0, ...amounts.map((amount) => amount.scale));
  return formatAmount(
    amounts.reduce((sum, amount) => sum + rescale(amount, scale), 0n),
    scale,
  );
};

/** Returns whether an amount is zero. */
export const isZero = (amount: string): boolean => !/[1-9]/.test(amount);

/** Negates an amount. Zero has no sign. */
export const negative = (text: string): string => {
  if (isZero(text)) return text;
  return text.startsWith('-') ? text.slice(1) : `-${text}`;
};
