import type { Taken, TakeRequests } from '../../shared/accounts/rate-limiter.ts';

/** Schedule a callback at a virtual time in milliseconds. */
export type At = (time: number, run: () => void) => void;

type Network = {
  readonly now: () => number;
  readonly at: At;
  /** From 0 to 1, as `Math.random`. */
  readonly random: () => number;
  /** Probability that a reply is lost after the write succeeded; the client then retries, as the SDK does. */
  readonly lostReplies: number;
};

// Latency within a region; 1 % of the calls take ten times as long.
const latencyMs = (random: () => number): number => (4 + 4 * random()) * (random() < 0.01 ? 10 : 1);

/** In-memory equivalent of the store's conditional ADD, with virtual network latency. */
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
