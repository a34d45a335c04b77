/** The shared counter's reply: whether it added the amount, and the window's count afterwards. */
export type Taken = { readonly taken: boolean; readonly used: number };

/**
 * Adds requests to a counter that all instances share, if the sum stays within that counter's limit. Times are in
 * milliseconds. `counter` defaults to the first.
 */
export type TakeRequests = (
  account: string,
  windowStart: number,
  amount: number,
  limit: number,
  counter?: number,
) => Promise<Taken>;

type Admission = {
  readonly admitted: boolean;
  /** Remaining requests of the window, as last read by this instance. */
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly retryAfterSeconds: number;
};

export const windowMs = 10_000;
// How long a lease covers the expected load. It is long for an account far below its limit, because unused leases do no
// harm, and short for an account near its limit.
const [horizonMsMax, horizonMsMin] = [3000, 250];
// An instance measures its load over about the last second.
const memoryMs = 1000;
const leaseMax = 250;
// A lease takes at most 1/20 of the remaining requests, so some remain for other instances.
const roomShare = 20;
const accountsMax = 1000;
// DynamoDB writes an item at most 1,000 times a second, and a request writes at most once. So a counter covers at most
// this many requests of a window, and a larger limit is split over several counters.
const counterRequestsMax = 10_000;
// How many exhausted counters a request tries before it is refused. Trying all of up to a hundred would take too long.
const countersTriedMax = 3;
// Backoff after a counter failed, because a request that retries it could wait for the whole timeout.
const [outageMsMin, outageMsMax] = [1000, 16_000];

/**
 * An account's window in this instance: `used` as of the counter's last reply, and `tokens` of this instance's leases.
 * `counter` only increases; modulo the number of counters, it selects one. `tried` is how many counters this window has
 * tried since one had free requests.
 */
type Window = {
  readonly start: number;
  counter: number;
  tried: number;
  used: number;
  tokens: number;
  waiting: number;
  pending?: Promise<void>;
};
/**
 * An account in this instance. `load` is its requests in about the last second, decaying since `loadTime`; `pace` is
 * the projected use of a window by all instances, as of the counter's last reply.
 */
type Meter = { readonly counter: number; window: Window; load: number; loadTime: number; pace: number };

const openWindow = (start: number, counter: number): Window => ({
  start,
  counter,
  tried: 1,
  used: 0,
  tokens: 0,
  waiting: 0,
});

const countCounters = (limit: number): number => Math.max(1, Math.ceil(limit / counterRequestsMax));

/** The share of the limit that a window's counter covers. The shares of all counters sum to the limit. */
const counterLimit = (limit: number, { counter }: Window): number => {
  const counters = countCounters(limit);
  return Math.floor(limit / counters) + Number(counter % counters < limit % counters);
};

const toWindowStart = (time: number): number => time - (time % windowMs);

// Returns the remaining requests of a window; 0 if the limit was lowered below the current use. With several counters,
// the instance reads one and assumes that the others have the same use.
const left = (window: Window, limit: number): number => {
  const { used, tokens } = window;
  const part = counterLimit(limit, window);
  return used > part ? 0 : Math.min(limit, (part - used) * countCounters(limit) + tokens);
};

const admission = (admitted: boolean, window: Window, limit: number, time: number): Admission => ({
  admitted,
  remaining: left(window, limit),
  retryAfterSeconds: Math.max(1, Math.ceil((window.start + windowMs - time) / 1000)),
});

// A lease covers all waiting requests and the requests that the instance's load predicts.
const chooseLease = (window: Window, { load, pace }: Meter, limit: number, time: number): number => {
  const room = limit - window.used;
  const horizon = Math.max(horizonMsMin, horizonMsMax * (1 - pace / limit));
  const expected = 1 + ((load - 1) * Math.min(window.start + windowMs - time, horizon)) / memoryMs;
  return Math.min(room, Math.max(1, window.waiting, Math.floor(Math.min(leaseMax, expected, room / roomShare))));
};

// Leases from the previous counter are used up or void.
const tryNextCounter = (window: Window): void => {
  window.counter += 1;
  window.tried += 1;
  window.used = 0;
  window.tokens = 0;
};

const noteRequest = (meter: Meter, time: number): void => {
  const passedMs = Math.max(0, time - meter.loadTime);
  meter.load = meter.load * Math.exp(-passedMs / memoryMs) + 1;
  meter.loadTime = time;
  if (meter.window.start !== toWindowStart(time)) meter.window = openWindow(toWindowStart(time), meter.counter);
};

// The map is ordered by last use, so its first entry is evicted. The evicted tokens are lost, so none is used twice.
const findMeter = (meters: Map<string, Meter>, account: string, time: number, counter: number): Meter => {
  const newMeter = () => ({
    counter,
    window: openWindow(toWindowStart(time), counter),
    load: 0,
    loadTime: time,
    pace: 0,
  });
  const meter = meters.get(account) ?? newMeter();
  meters.delete(account);
  meters.set(account, meter);
  for (const oldest of meters.keys()) {
    if (meters.size <= accountsMax) break;
    meters.delete(oldest);
  }
  return meter;
};

/**
 * Limits each account's requests per window of ten seconds, across all instances.
 *
 * An instance leases as many requests from the shared counter as it expects soon, and admits requests from its lease.
 * Once the window is used up, it refuses without a call. So the limit is never exceeded, nearly all of it can be used,
 * and most requests need no call. If the counter fails, requests pass: availability is more important than the limit.
 *
 * A limit above 1,000 requests a second is split over several counters, because DynamoDB cannot write an item more
 * often. An instance starts with a random counter (infra/docs/scaling.md).
 */
export const rateLimiter = (
  take: TakeRequests,
  onOutage: (error: unknown) => void,
  counter = Math.floor(Math.random() * 1e9),
) => {
  const meters = new Map<string, Meter>();
  // All accounts share the outage: after a counter fails for one account, no counter is called for the others.
  const outage = { since: Number.NEGATIVE_INFINITY, lasts: 0 };
  // The absolute difference ends an outage even if the clock was set back.
  const isOut = (time: number): boolean => Math.abs(time - outage.since) < outage.lasts;

  // Uses the window of the request instead of `meter.window`, because a concurrent request may have replaced it.
  const lease = async (account: string, meter: Meter, window: Window, limit: number, time: number): Promise<void> => {
    const { counter } = window;
    const part = counterLimit(limit, window);
    const amount = chooseLease(window, meter, part, time);
    try {
      const { taken, used } = await take(account, window.start, amount, part, counter % countCounters(limit));
      outage.lasts = 0;
      if (window.counter === counter) window.used = Math.max(window.used, used);
      if (taken) {
        window.tokens += amount;
        window.tried = 1;
      }
      meter.pace = (used * windowMs) / Math.max(memoryMs, time - window.start);
    } catch (error) {
      onOutage(error);
      // Concurrent calls that fail together count as one failure.
      if (isOut(time)) return;
      outage.lasts = Math.min(outageMsMax, Math.max(outageMsMin, 2 * outage.lasts));
      outage.since = time;
    }
  };

  /**
   * Decides whether a request of this account is admitted. `limit` is per window, `time` in milliseconds since 1970.
   */
  const admit = async (account: string, limit: number, time: number): Promise<Admission> => {
    const meter = findMeter(meters, account, time, counter);
    noteRequest(meter, time);
    const { window } = meter;
    while (window.tokens === 0 || window.used > counterLimit(limit, window)) {
      if (window.used >= counterLimit(limit, window)) {
        if (window.tried >= Math.min(countCounters(limit), countersTriedMax))
          return admission(false, window, limit, time);
        tryNextCounter(window);
      }
      if (isOut(time)) return admission(true, window, limit, time);
      window.waiting += 1;
      window.pending ??= lease(account, meter, window, limit, time).finally(() => {
        delete window.pending;
      });
      await window.pending;
      window.waiting -= 1;
    }
    window.tokens -= 1;
    return admission(true, window, limit, time);
  };

  /** Returns the remaining requests of the window, as last read by this instance, without counting a request. */
  const remaining = (account: string, limit: number, time: number): number => {
    const window = meters.get(account)?.window;
    return window?.start === toWindowStart(time) ? left(window, limit) : limit;
  };

  return { admit, remaining };
};
export type RateLimiter = ReturnType<typeof rateLimiter>;
