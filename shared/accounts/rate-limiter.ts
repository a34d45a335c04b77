/** What the shared counter answers: whether the amount was added, and what the window then stands at. */
export type Taken = { readonly taken: boolean; readonly used: number };

/**
 * Adds requests to one counter of the window of all instances together, if they fit under that counter's limit. Times are
 * in milliseconds. Without one it is the first.
 */
export type TakeRequests = (
  account: string,
  windowStart: number,
  amount: number,
  limit: number,
  counter?: number,
) => Promise<Taken>;

export type Admission = {
  readonly admitted: boolean;
  /** What is left of the window, as far as this instance knows. */
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly retryAfterSeconds: number;
};

export type RateLimiter = {
  /** May a request of this account pass? `limit` is per window, `time` in milliseconds since 1970. */
  readonly admit: (account: string, limit: number, time: number) => Promise<Admission>;
  /** What is left of the window, as far as this instance knows, without counting anything. */
  readonly remaining: (account: string, limit: number, time: number) => number;
};

export const windowMs = 10_000;
// How far ahead a lease looks: far for an account that uses little, where an idle instance's leftovers harm nobody; and
// near for one that needs all of its limit.
const [horizonMsMax, horizonMsMin] = [3000, 250];
// The instance's own load is that of about the last second.
const memoryMs = 1000;
const leaseMax = 250;
// One lease takes at most this part of what is left, so that the last requests go to whoever has them.
const roomShare = 20;
const accountsMax = 1000;
// An item is written 1,000 times a second at the most, and a request writes once at the most. So a counter stands for no
// more than this of a window, and a larger limit has several: it is the limit that says how many.
const counterRequestsMax = 10_000;
// How many counters a request asks before it is refused: not all of a hundred, one after the other.
const countersAsked = 3;
// A counter that failed is left alone, for longer each time: the request that tries again has to wait for it.
const [outageMsMin, outageMsMax] = [1000, 16_000];

/**
 * An account's window, as this instance knows it: what was used when its counter last answered, and our own leases.
 * `counter` may be any number; `asked` is how many counters it has been told of.
 */
type Window = {
  readonly start: number;
  counter: number;
  asked: number;
  used: number;
  tokens: number;
  waiting: number;
  pending?: Promise<void>;
};
/**
 * An account in this instance. `load` is its requests in about the last second, decaying since `loadTime`; `pace` is
 * what all instances together would use of a window, as the counter last had it.
 */
type Meter = { readonly counter: number; window: Window; load: number; loadTime: number; pace: number };

const openWindow = (start: number, counter: number): Window => ({
  start,
  counter,
  asked: 1,
  used: 0,
  tokens: 0,
  waiting: 0,
});

const countersOf = (limit: number): number => Math.max(1, Math.ceil(limit / counterRequestsMax));

/** The part of the limit that a window's counter stands for: all parts together are the limit. */
const partOf = (limit: number, { counter }: Window): number => {
  const counters = countersOf(limit);
  return Math.floor(limit / counters) + Number(counter % counters < limit % counters);
};

const startOf = (time: number): number => time - (time % windowMs);

// Where the limit was lowered below what is used, leases of before count for nothing. Of several counters the instance
// knows its own, and takes the others to be like it.
const left = (window: Window, limit: number): number => {
  const { used, tokens } = window;
  const part = partOf(limit, window);
  return used > part ? 0 : Math.min(limit, (part - used) * countersOf(limit) + tokens);
};

const admission = (admitted: boolean, window: Window, limit: number, time: number): Admission => ({
  admitted,
  remaining: left(window, limit),
  retryAfterSeconds: Math.max(1, Math.ceil((window.start + windowMs - time) / 1000)),
});

// Requests that wait are counted whole; those to come only as far as the instance's own load lets expect them.
const leaseOf = (window: Window, { load, pace }: Meter, limit: number, time: number): number => {
  const room = limit - window.used;
  const horizon = Math.max(horizonMsMin, horizonMsMax * (1 - pace / limit));
  const expected = 1 + ((load - 1) * Math.min(window.start + windowMs - time, horizon)) / memoryMs;
  return Math.min(room, Math.max(1, window.waiting, Math.floor(Math.min(leaseMax, expected, room / roomShare))));
};

// What is leased of the counter before is used up, or counts for nothing.
const askNext = (window: Window): void => {
  window.counter += 1;
  window.asked += 1;
  window.used = 0;
  window.tokens = 0;
};

const noteRequest = (meter: Meter, time: number): void => {
  const passedMs = Math.max(0, time - meter.loadTime);
  meter.load = meter.load * Math.exp(-passedMs / memoryMs) + 1;
  meter.loadTime = time;
  if (meter.window.start !== startOf(time)) meter.window = openWindow(startOf(time), meter.counter);
};

// The map keeps the order of use, so its first entry is the one to forget. Its tokens are lost, never handed out twice.
const meterOf = (meters: Map<string, Meter>, account: string, time: number, counter: number): Meter => {
  const newMeter = () => ({ counter, window: openWindow(startOf(time), counter), load: 0, loadTime: time, pace: 0 });
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
 * Limit each account's requests in a window of ten seconds, over all instances together (architecture decision 13).
 *
 * An instance leases requests from the shared counter, as many as it expects soon, and hands them out by itself; once
 * the window is used up it refuses without asking. So the limit is never exceeded, nearly all of it can be used, and most
 * requests cost no call. Where the counter fails, requests pass: a limit is not worth an outage.
 *
 * A limit of more than 1,000 requests a second has several counters, so that none is written more often than an item can
 * be; an instance begins with any of them (decision 0019).
 */
export const rateLimiter = (
  take: TakeRequests,
  onOutage: (error: unknown) => void,
  counter = Math.floor(Math.random() * 1e9),
): RateLimiter => {
  const meters = new Map<string, Meter>();
  // Of the counter, not of one account: what cannot be reached for one is not asked for the next.
  const outage = { since: Number.NEGATIVE_INFINITY, lasts: 0 };
  // Also where the clock was set back.
  const isOut = (time: number): boolean => Math.abs(time - outage.since) < outage.lasts;

  // For the window of the request, which another request may have closed meanwhile: never for the meter's own.
  const lease = async (account: string, meter: Meter, window: Window, limit: number, time: number): Promise<void> => {
    const { counter: asked } = window;
    const part = partOf(limit, window);
    const amount = leaseOf(window, meter, part, time);
    try {
      const { taken, used } = await take(account, window.start, amount, part, asked % countersOf(limit));
      outage.lasts = 0;
      if (window.counter === asked) window.used = Math.max(window.used, used);
      if (taken) window.tokens += amount;
      meter.pace = (used * windowMs) / Math.max(memoryMs, time - window.start);
    } catch (error) {
      onOutage(error);
      // Calls that were under way together fail together, and are one failure.
      if (isOut(time)) return;
      outage.lasts = Math.min(outageMsMax, Math.max(outageMsMin, 2 * outage.lasts));
      outage.since = time;
    }
  };

  const admit = async (account: string, limit: number, time: number): Promise<Admission> => {
    const meter = meterOf(meters, account, time, counter);
    noteRequest(meter, time);
    const { window } = meter;
    while (window.tokens === 0 || window.used > partOf(limit, window)) {
      if (window.used >= partOf(limit, window)) {
        if (window.asked >= Math.min(countersOf(limit), countersAsked)) return admission(false, window, limit, time);
        askNext(window);
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

  const remaining = (account: string, limit: number, time: number): number => {
    const window = meters.get(account)?.window;
    return window?.start === startOf(time) ? left(window, limit) : limit;
  };

  return { admit, remaining };
};
