import { AsyncLocalStorage } from 'node:async_hooks';
import type { Code } from '../base/error-codes.ts';
import type { Calculation } from '../calculations/response.ts';
import { minorDigits, parseAmount } from '../money/currency.ts';

/** The metric name of each cache. CloudWatch stores history under these names, so they must not change. */
const cacheMetrics = { ApiKey: 'KeyKept', Content: 'ContentKept' } as const;
type Cache = keyof typeof cacheMetrics;

/** The usage and result of one invocation, for its log line. */
export type Tally = {
  /** Database calls, and the capacity units reported for successful calls. */
  calls: number;
  units: number;
  account?: string;
  /** The code of a rejected request's first error. */
  code?: Code;
  /** Whether the request recorded a new transaction. */
  isRecorded?: boolean;
  /** A value is 1 for a cache hit, and 0 for a miss. */
  readonly caches: { [Name in (typeof cacheMetrics)[Cache]]?: 0 | 1 };
  /** The returned tax by state (`US-MN`), in dollars. */
  taxes?: readonly (readonly [state: string, tax: number])[];
};

const tallies = new AsyncLocalStorage<Tally>();

/** The tally of the current invocation. Lambda runs one invocation at a time, the local service many. */
export const tally = (): Tally | undefined => tallies.getStore();

export const tallied = async <Value>(run: () => Promise<Value>): Promise<readonly [Value, Tally]> => {
  const own: Tally = { calls: 0, units: 0, caches: {} };
  return [await tallies.run(own, run), own];
};

/** Records that the request wrote a new transaction instead of replaying an earlier response. */
export const recordCreation = (): void => {
  const own = tally();
  if (own) own.isRecorded = true;
};

const recordCache = (cache: Cache, isHit: 0 | 1): void => {
  const caches = tally()?.caches;
  if (caches) caches[cacheMetrics[cache]] = isHit;
};

/** Records a cache hit. A later miss in the same invocation overwrites it, so call this before the look-up. */
export const recordCacheHit = (cache: Cache): void => recordCache(cache, 1);

export const recordCacheMiss = (cache: Cache): void => recordCache(cache, 0);

export const recordRefusal = (code: Code): void => {
  const own = tally();
  if (own) own.code = code;
};

/** Removes the refusal of an inner operation from a request that succeeds without it. */
export const clearRefusal = (): void => {
  delete tally()?.code;
};

/** Runs an inner operation whose refusal and tax do not count as the request's. */
export const unrecorded = async <Value>(run: () => Promise<Value>): Promise<Value> => {
  const own = tally();
  const { code, taxes } = own ?? {};
  try {
    return await run();
  } finally {
    if (own) Object.assign(own, { code, taxes });
  }
};

const { AWS_LAMBDA_FUNCTION_NAME, LOG } = process.env;

/** Whether requests and schedule runs write log lines: always on Lambda, otherwise with `LOG=requests`. Tests change it. */
export const requestLines = { areOn: AWS_LAMBDA_FUNCTION_NAME !== undefined || LOG === 'requests' };

type Taxed = Pick<Calculation, 'type' | 'currency' | 'content_releases' | 'tax_summary'>;

/**
 * Records the returned tax by state (`US-MN`) for the metric `Tax`, in dollars. Other currencies are excluded, because
 * a sum across currencies is meaningless.
 *
 * The sum is exact and converted to a floating-point number at the end, the only type that CloudWatch stores.
 */
export const recordTax = ({ type, currency, content_releases, tax_summary }: Taxed): void => {
  const own = tally();
  if (!own || currency !== 'USD') return;
  const exponent = minorDigits(currency);
  own.taxes = Object.keys(content_releases).map((state) => {
    const rows = tax_summary.filter(({ jurisdiction_code }) => jurisdiction_code.startsWith(state));
    const minor = rows.reduce((sum, { tax_amount }) => sum + parseAmount(tax_amount, exponent), 0n);
    // The amounts of a credit are positive, so subtract them.
    return [state, Number(type === 'credit' ? -minor : minor) / 10 ** exponent];
  });
};
