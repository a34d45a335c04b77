import { decimalText, digits } from '../money/decimal.ts';

/** Reads JSON numbers as exact decimal strings: no amount passes through floating point. */

export type Json = null | boolean | string | readonly Json[] | { readonly [name: string]: Json };

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;
const parseWith = JSON.parse as (text: string, reviver: Reviver) => Json;

/**
 * Parses JSON with every number as its source text. Throws `SyntaxError`. Node 20 does not provide the source text, so
 * the shortest text of the number is used.
 */
export const parseJson = (text: string): Json =>
  parseWith(text, (_key, value, context) => (typeof value === 'number' ? (context?.source ?? String(value)) : value));

/**
 * Rounds a result of a shop's floating-point arithmetic, such as 55.849999999999994 or 5.6e-17, to ten decimals, half
 * up. Returns other text unchanged.
 */
export const withoutNoise = (text: string): string => {
  const [, sign = '', whole, decimals = '', zeros = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e-(\d{1,2}))?$/i.exec(text) ?? [];
  const scale = decimals.length + Number(zeros);
  if (whole === undefined || (scale <= digits.fraction && zeros === '0')) return text;
  const all = `${whole}${decimals}`.padStart(scale + 1, '0');
  const kept =
    all.slice(0, all.length - scale) + all.slice(-scale).padEnd(digits.fraction, '0').slice(0, digits.fraction);
  const isUp = (all.slice(-scale)[digits.fraction] ?? '0') >= '5';
  return sign + decimalText({ units: BigInt(kept) + (isUp ? 1n : 0n), scale: digits.fraction });
};

/** A decimal string that is written as a JSON number. */
class Decimal {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toJSON(): unknown {
    const raw = (JSON as { rawJSON?: (text: string) => unknown }).rawJSON;
    return raw ? raw(this.text) : Number(this.text);
  }
}

export const decimal = (text: string): Decimal => new Decimal(text);
