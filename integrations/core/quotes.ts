import { createHash } from 'node:crypto';
import { type Levy, LevyUnavailable, type Schemas } from '../../shared/client/client.ts';
import type { Document } from './document.ts';

export type Calculation = Schemas['Calculation'];

/** Why Levy has no tax: it refused the document, or did not answer in time. */
export type NoTaxReason = 'refused' | 'unavailable';
export type Quote =
  | {
      readonly ok: true;
      readonly calculation: Calculation;
      /** Messages of the warnings after which the tax can be too low. */
      readonly warnings: readonly string[];
      /** Whether Levy has the content of the state of the address. */
      readonly isCovered: boolean;
    }
  | { readonly ok: false; readonly reason: NoTaxReason; readonly detail: string };

/** What a shopper reads when the shop does not go on without a tax of Levy. */
export const noTaxMessage = (reason: NoTaxReason): string =>
  reason === 'unavailable'
    ? 'The sales tax cannot be calculated at the moment. Try again in a minute.'
    : 'The sales tax cannot be calculated. Check the state and the ZIP code of the shipping address.';

export type QuoteOptions = {
  readonly levy: Levy;
  /** Milliseconds that one call waits at most, and all calls with the same `scope` together. Default: 1,000. */
  readonly timeoutMs?: number;
  /** Milliseconds without calls after Levy was unavailable, so that not every line and shopper waits. Default: 5,000. */
  readonly pauseMs?: number;
  /** Calculations that are kept. Default: 1,000. */
  readonly maxEntries?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
};

/**
 * Calculate the tax of a document. `scope` is an object of one checkout request, such as the HTTP request: its calls share
 * one time limit. Never throws for an outage.
 */
export type GetQuote = (document: Document, scope?: object) => Promise<Quote>;

const taxWarnings: readonly string[] = [
  ...['not_covered', 'local_rates_missing', 'taxability_not_established', 'registrations_missing'],
];

const quoted = (calculation: Calculation): Quote => {
  const { warnings } = calculation;
  const messages = warnings.filter(({ code }) => taxWarnings.includes(code)).map(({ message }) => message);
  const isCovered = !warnings.some(({ code }) => code === 'not_covered');
  return { ok: true, calculation, warnings: messages, isCovered };
};

/** What the log of a shop says about the warnings of a cart or an order. */
export const warningText = (reference: string, messages: readonly string[]): string =>
  `Levy warns about ${reference}: ${messages.join(' ')}`;

const keptMs = 10 * 60_000;
// Timers can end a moment early, and no call ends in less.
const leastMs = 10;
const dayMs = 24 * 60 * 60_000;
// Without a right to calculate, every call fails alike.
const accountStatuses: readonly number[] = [401, 403];

/** The same document gives the same text: `documentOf` writes the fields in one order. */
export const digestOf = (value: object): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');

const unavailable = (detail: string): Quote => ({ ok: false, reason: 'unavailable', detail });

/** A call that another request began has the time limit of that one. A quote that has ended is in time. */
const within = (quote: Promise<Quote>, ms: number): Promise<Quote> =>
  new Promise((resolve, reject) => {
    const late = unavailable('No response in the time that is left of this request.');
    const timer = setTimeout(() => resolve(late), Math.max(ms, 0));
    quote.then(resolve, reject).finally(() => clearTimeout(timer));
  });

type Entry = { readonly quote: Promise<Quote>; readonly until: number };

/**
 * A cache of calculations with single flight. Successes and refusals are kept for ten minutes, but not past midnight UTC,
 * when rates change. After an outage, all documents without a kept calculation are `unavailable` for `pauseMs`.
 */
export const createQuotes = ({
  levy,
  timeoutMs = 1000,
  pauseMs = 5000,
  maxEntries = 1000,
  now = Date.now,
}: QuoteOptions): GetQuote => {
  const entries = new Map<string, Entry>();
  const waited = new WeakMap<object, number>();
  let pause: { readonly until: number; readonly detail: string } | null = null;

  const fail = (detail: string): Quote => {
    pause = { until: now() + pauseMs, detail };
    return unavailable(detail);
  };
  const calculate = async (document: Document, limitMs: number): Promise<Quote> => {
    try {
      const result = await levy.post('/calculations', { body: document, timeoutMs: limitMs, maxTries: 1 });
      if (result.ok) return quoted(result.data);
      const { code, detail, status } = result.refusal;
      if (accountStatuses.includes(status)) return fail(`${code}: ${detail}`);
      if (status === 409) return unavailable(`${code}: ${detail}`);
      return { ok: false, reason: 'refused', detail: `${code}: ${detail}` };
    } catch (error) {
      if (!(error instanceof LevyUnavailable)) throw error;
      return fail(error.message);
    }
  };
  const keep = (key: string, quote: Promise<Quote>) => {
    const until = Math.min(now() + keptMs, (Math.floor(now() / dayMs) + 1) * dayMs);
    entries.set(key, { quote, until });
    for (const oldest of entries.keys()) {
      if (entries.size <= maxEntries) break;
      entries.delete(oldest);
    }
    const drop = () => entries.get(key)?.quote === quote && entries.delete(key);
    quote.then((result) => !result.ok && result.reason === 'unavailable' && drop(), drop);
  };
  const spend = async (scope: object, quote: Promise<Quote>): Promise<Quote> => {
    const start = performance.now();
    try {
      return await quote;
    } finally {
      waited.set(scope, (waited.get(scope) ?? 0) + performance.now() - start);
    }
  };

  return (document, scope = {}) => {
    const leftMs = Math.floor(timeoutMs - (waited.get(scope) ?? 0));
    const key = digestOf(document);
    const entry = entries.get(key);
    if (entry && entry.until > now()) {
      // Written again, it is the newest.
      entries.delete(key);
      entries.set(key, entry);
      return spend(scope, within(entry.quote, leftMs));
    }
    if (pause && pause.until > now()) return Promise.resolve(unavailable(`Not tried again yet. ${pause.detail}`));
    if (leftMs < leastMs) return Promise.resolve(unavailable(`The calls of this request took ${timeoutMs} ms.`));
    const quote = calculate(document, leftMs);
    keep(key, quote);
    return spend(scope, quote);
  };
};
