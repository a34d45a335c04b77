import { createHash } from 'node:crypto';
import { type Levy, LevyUnavailable, type Schemas } from '../../shared/client/client.ts';
import { type FeeCarrier, withFeesOnCharges } from './delivery-fee.ts';
import { type Document, toDocument } from './document.ts';
import type { Cart } from './order.ts';
import { accountStatuses, getDetail, isAboutAddress } from './problem.ts';
import { shippingNotes } from './shipping.ts';

export type Calculation = Schemas['Calculation'];

/** Why there is no tax: Levy refused the address or another field of the document, or did not respond in time. */
export type NoTaxReason = 'address' | 'refused' | 'unavailable';
export type Quote =
  | {
      readonly ok: true;
      readonly calculation: Calculation;
      /** Messages for the shop's staff: why the tax may be incomplete, or which product settings to change. */
      readonly warnings: readonly string[];
      /** Whether Levy covers the rates and rules of the address. If not, the tax is zero. */
      readonly isCovered: boolean;
    }
  | { readonly ok: false; readonly reason: NoTaxReason; readonly detail: string };

const messages: Readonly<Record<NoTaxReason, string>> = {
  address: 'The sales tax cannot be calculated. Check the state and the ZIP code of the shipping address.',
  refused: 'The sales tax of this order cannot be calculated. Contact the shop.',
  unavailable: 'The sales tax cannot be calculated at the moment. Try again in a minute.',
};

/** Returns the message for the shopper if the shop cannot continue without a tax from Levy. The cause is logged. */
export const noTaxMessage = (reason: NoTaxReason): string => messages[reason];

/** Creates a filter of log messages, which returns whether a text is new. The oldest texts are evicted. */
export const createNewTexts = (maxTexts = 10_000) => {
  const known = new Set<string>();
  return (text: string): boolean => {
    if (known.has(text)) return false;
    known.add(text);
    for (const oldest of known) {
      if (known.size <= maxTexts) break;
      known.delete(oldest);
    }
    return true;
  };
};

/** Formats the log entry for the warnings of a quote. Log it once per order. */
export const warningText = (reference: string, messages: readonly string[]): string =>
  `Check the tax of order ${reference}: ${messages.join(' ')}`;

const loggedCodes: readonly string[] = [
  'not_covered',
  'local_rates_missing',
  'local_rates_approximate',
  'content_approximate',
  'taxability_not_established',
  'registrations_missing',
  'retail_delivery_fee_due',
];

/** Converts the calculation of a document to a quote. */
const toQuote = (calculation: Calculation, document: Document, feesOn: FeeCarrier): Quote => {
  const warnings = calculation.warnings.filter(({ code }) => loggedCodes.includes(code));
  return {
    ok: true,
    calculation: withFeesOnCharges(calculation, feesOn),
    warnings: [...new Set([...warnings.map(({ message }) => message), ...shippingNotes(document)])],
    isCovered: !warnings.some(({ code }) => code === 'not_covered'),
  };
};

export type QuoteOptions = {
  readonly levy: Levy;
  /** Time limit in milliseconds for one call, and for all calls with the same `scope` together. Default: 1,000. */
  readonly timeoutMs?: number;
  /** Pause in milliseconds after a failure (circuit breaker); a longer `Retry-After` overrides it. Default: 5,000. */
  readonly pauseMs?: number;
  /** Maximum number of cached calculations. Default: 1,000. */
  readonly maxEntries?: number;
  /** The charge whose tax includes retail delivery fees. The default is a line. */
  readonly feesOn?: FeeCarrier;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
};

/**
 * Calculates the tax of a document. `scope` is an object that represents one checkout request, such as the HTTP
 * request; its calls share one time limit. Never throws for an outage.
 */
export type GetQuote = (document: Document, scope?: object) => Promise<Quote>;

const keptMs = 10 * 60_000;
// Timers can fire slightly early, and no call completes faster than this.
const leastMs = 10;
// The tax day of an account begins at a quarter of an hour in all time zones.
const quarterMs = 15 * 60_000;

/** Equal documents produce equal strings, because `toDocument` writes the fields in a fixed order. */
export const computeDigest = (value: object): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex');

const unavailable = (detail: string): Quote => ({ ok: false, reason: 'unavailable', detail });

/**
 * Limits the wait for a quote, because a call started by a different request has that request's time limit. A completed
 * quote is always in time.
 */
const withTimeout = (quote: Promise<Quote>, ms: number): Promise<Quote> =>
  new Promise((resolve, reject) => {
    const late = unavailable('No response within the remaining time limit.');
    const timer = setTimeout(() => resolve(late), Math.max(ms, 0));
    quote.then(resolve, reject).finally(() => clearTimeout(timer));
  });

type Entry = { readonly quote: Promise<Quote>; readonly until: number };

/** Measures how long the calls of each scope have waited. Concurrent calls wait together. */
const trackWaits = () => {
  const waited = new WeakMap<object, { readonly ms: number; readonly until: number }>();
  const read = (scope: object) => waited.get(scope) ?? { ms: 0, until: 0 };
  return {
    getMs: (scope: object): number => read(scope).ms,
    track: async (scope: object, quote: Promise<Quote>): Promise<Quote> => {
      const start = performance.now();
      try {
        return await quote;
      } finally {
        const { ms, until } = read(scope);
        const end = performance.now();
        waited.set(scope, { ms: ms + end - Math.max(start, until), until: end });
      }
    },
  };
};

/**
 * Creates a cache of calculations with request coalescing. Successes and refusals are cached for ten minutes, but not
 * past midnight in any time zone, when rates change. After an outage, all documents without a cached calculation are
 * `unavailable` for `pauseMs`, or for the response's `Retry-After` if it is longer.
 */
export const createQuotes = ({
  levy,
  timeoutMs = 1000,
  pauseMs = 5000,
  maxEntries = 1000,
  feesOn = 'line',
  now = Date.now,
}: QuoteOptions): GetQuote => {
  const entries = new Map<string, Entry>();
  const waits = trackWaits();
  let pause: { readonly until: number; readonly detail: string } | null = null;

  const fail = (detail: string, retryAfterSeconds = 0): Quote => {
    const seconds = Math.max(pauseMs / 1000, retryAfterSeconds);
    const skipped = `Skipped: Levy failed less than ${seconds} s ago. Last error: ${detail}`;
    pause = { until: now() + seconds * 1000, detail: skipped };
    return unavailable(detail);
  };
  const calculate = async (document: Document, limitMs: number): Promise<Quote> => {
    try {
      const result = await levy.post('/calculations', { body: document, timeoutMs: limitMs, maxTries: 1 });
      if (result.ok) return toQuote(result.data, document, feesOn);
      const { refusal } = result;
      const detail = `${refusal.code}: ${getDetail(refusal, document.line_items)}`;
      if (accountStatuses.includes(refusal.status)) return fail(detail);
      // A conflict can be resolved immediately and does not affect other documents.
      if (refusal.status === 409) return unavailable(detail);
      return { ok: false, reason: isAboutAddress(refusal) ? 'address' : 'refused', detail };
    } catch (error) {
      if (!(error instanceof LevyUnavailable)) throw error;
      return fail(error.message, error.retryAfterSeconds ?? 0);
    }
  };
  const keep = (key: string, quote: Promise<Quote>) => {
    const until = Math.min(now() + keptMs, (Math.floor(now() / quarterMs) + 1) * quarterMs);
    entries.set(key, { quote, until });
    for (const oldest of entries.keys()) {
      if (entries.size <= maxEntries) break;
      entries.delete(oldest);
    }
    const drop = () => entries.get(key)?.quote === quote && entries.delete(key);
    quote.then((result) => !result.ok && result.reason === 'unavailable' && drop(), drop);
  };
  return (document, scope = {}) => {
    const leftMs = Math.floor(timeoutMs - waits.getMs(scope));
    const key = computeDigest(document);
    const entry = entries.get(key);
    if (entry && entry.until > now()) {
      // Reinserts the entry, so it becomes the newest.
      entries.delete(key);
      entries.set(key, entry);
      return waits.track(scope, withTimeout(entry.quote, leftMs));
    }
    if (pause && pause.until > now()) return Promise.resolve(unavailable(pause.detail));
    if (leftMs < leastMs)
      return Promise.resolve(unavailable(`The ${timeoutMs} ms time limit of this request is used up.`));
    const quote = calculate(document, leftMs);
    keep(key, quote);
    return waits.track(scope, quote);
  };
};

/** Levy's tax of a cart: `open` without an address or lines, `foreign` outside of the United States. */
export type CartTax = Quote | { readonly ok: false; readonly reason: 'open' | 'foreign'; readonly detail: string };

const gapReasons = {
  no_lines: 'open',
  no_address: 'open',
  incomplete_address: 'address',
  foreign_country: 'foreign',
} as const;

/** Returns the tax of a cart. Never throws for an outage. */
export const taxOfCart = async (quote: GetQuote, cart: Cart, scope?: object): Promise<CartTax> => {
  const documented = toDocument(cart);
  if (documented.ok) return quote(documented.document, scope);
  const { code, detail } = documented.gap;
  return { ok: false, reason: gapReasons[code], detail };
};
