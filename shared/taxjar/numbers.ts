/** JSON numbers of TaxJar's interface as exact decimal strings: no amount passes through floating point. */

export type Json = null | boolean | string | readonly Json[] | { readonly [name: string]: Json };

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;
const parseWith = JSON.parse as (text: string, reviver: Reviver) => Json;

/** Parses JSON with every number as its source text. Throws `SyntaxError`. Node 20 has no source text, and shortens it. */
export const parseJson = (text: string): Json =>
  parseWith(text, (_key, value, context) => (typeof value === 'number' ? (context?.source ?? String(value)) : value));

/** A decimal string that is written as a JSON number. */
export class Decimal {
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
export const zero = decimal('0.0');
