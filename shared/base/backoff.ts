import { setTimeout as sleep } from 'node:timers/promises';

/** Clock, sleep and randomness for retries, in milliseconds; tests replace them. */
export type Time = {
  /** A monotonic clock. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
  /** From 0 to below 1. */
  readonly random: () => number;
};

export const realTime: Time = { now: () => performance.now(), sleep, random: () => Math.random() };

/** The upper bounds of the first pause and of any pause. */
type Pauses = { readonly firstMs: number; readonly mostMs: number };

/** The pause before a retry, counted from 0: exponential backoff with full jitter. */
export const pauseBefore = (retry: number, { firstMs, mostMs }: Pauses, { random }: Pick<Time, 'random'>): number =>
  random() * Math.min(mostMs, firstMs * 2 ** retry);
