import { setTimeout as sleep } from 'node:timers/promises';

/** Time as waiting needs it, so that a test can have one of its own; all in milliseconds. */
export type Time = {
  /** Of a clock that only goes forward. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
  /** From 0 to below 1. */
  readonly random: () => number;
};

export const realTime: Time = { now: () => performance.now(), sleep, random: () => Math.random() };

/** The longest that a first pause is, and any. */
export type Pauses = { readonly firstMs: number; readonly mostMs: number };

/**
 * How long to wait before a retry, counted from 0: anything from nothing to twice as long as before it at the most (full
 * jitter), so that those who met once do not meet again, and fewer and fewer come at once.
 */
export const pauseBefore = (retry: number, { firstMs, mostMs }: Pauses, { random }: Pick<Time, 'random'>): number =>
  random() * Math.min(mostMs, firstMs * 2 ** retry);
