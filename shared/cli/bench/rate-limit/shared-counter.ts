import type { Taken, TakeRequests } from '../../../accounts/rate-limiter.ts';

/** Runs something at a virtual time, in milliseconds. */
export type At = (time: number, run: () => void) => void;

type Network = {
  readonly now: () => number;
  readonly at: At;
  /** From 0 to 1, as `Math.random`. */
  readonly random: () => number;
  /** How often a reply is lost after the write was made; the client then sends the write once more, as the SDK does. */
  readonly lostReplies: number;
};

// A call within a region; one of a hundred takes ten times as long.
const latencyMs = (random: () => number): number => (4 + 4 * random()) * (random() < 0.01 ? 10 : 1);

/** A counter in memory that does what the conditional ADD of the store does, some virtual milliseconds away. */
export const sharedCounter = ({ now, at, random, lostReplies }: Network) => {
  const windows = new Map<string, number>();
  const counter = { writes: 0 };

  const write = (window: string, amount: number, limit: number): Taken => {
    counter.writes += 1;
    const used = windows.get(window);
    const taken = used === undefined || used <= limit - amount;
    if (taken) windows.set(window, (used ?? 0) + amount);
    return { taken, used: windows.get(window) ?? 0 };
  };

  const take: TakeRequests = (account, windowStart, amount, limit, index) =>
    new Promise((reply) => {
      const send = () => {
        const latency = latencyMs(random);
        at(now() + latency / 2, () => {
          const taken = write(`${account} ${windowStart} ${index}`, amount, limit);
          at(now() + latency / 2, () => (random() < lostReplies ? send() : reply(taken)));
        });
      };
      send();
    });

  return { take, counter };
};
