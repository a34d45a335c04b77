import { type RateLimiter, rateLimiter, type TakeRequests, windowMs } from '../../shared/accounts/rate-limiter.ts';
import { seeded } from './seeded.ts';

/**
 * Arrival pattern. `even`: random times and instances. `uneven`: most requests go to a few instances. `bursty`: all
 * requests of a second arrive in its first fifth. `moving`: the load moves from one half of the instances to the other
 * half in the middle of a window.
 */
type Arrival = 'even' | 'uneven' | 'bursty' | 'moving';

type Request = { readonly time: number; readonly instance: number };

type Demand = {
  readonly instances: number;
  /** Average number of requests per window. */
  readonly demand: number;
  readonly windows: number;
  readonly arrival: Arrival;
};

const secondMs = 1000;
const burstMs = 200;

const pickInstance = (arrival: Arrival, time: number, instances: number, random: () => number): number => {
  if (arrival === 'uneven') return Math.floor(instances * random() ** 3);
  if (arrival !== 'moving' || instances === 1) return Math.floor(instances * random());
  const half = Math.ceil(instances / 2);
  return Math.floor(half * random()) + (time % windowMs < windowMs / 2 ? 0 : instances - half);
};

const getTime = (arrival: Arrival, time: number): number =>
  arrival === 'bursty' ? time - (time % secondMs) + ((time % secondMs) * burstMs) / secondMs : time;

/** Yields requests from `start` on in chronological order, with exponentially distributed gaps. */
const arrivals = (start: number, load: Demand, random: () => number): Request[] => {
  const { instances, demand, windows, arrival } = load;
  const requests: Request[] = [];
  for (let time = start; ; ) {
    time -= (Math.log(1 - random()) * windowMs) / demand;
    if (time >= start + windows * windowMs) return requests;
    requests.push({ time: getTime(arrival, time), instance: pickInstance(arrival, time, instances, random) });
  }
};

export type Scene = Demand & {
  readonly limit: number;
  /** Whether all instances are new at the start of each window, with no measured load. */
  readonly cold: boolean;
  readonly lostResponses?: number;
  readonly seed?: number;
};

type SimulationResult = {
  /** The counts by window. */
  readonly requested: readonly number[];
  readonly admitted: readonly number[];
  readonly writesPerRequest: number;
};

const start = 1_800_000_000_000;

type Event = { readonly time: number; readonly run: () => void };

/** Runs events in the order of their virtual times. Awaits the effects of an event before the next one. */
const clock = () => {
  const events: Event[] = [];
  let time = start;
  const at: At = (due, run) => {
    let index = events.length;
    // Sorted latest first, because almost all new events are due soon.
    while (index > 0 && (events[index - 1] as Event).time <= due) index -= 1;
    events.splice(index, 0, { time: due, run });
  };
  const run = async (): Promise<void> => {
    for (let event = events.pop(); event; event = events.pop()) {
      time = event.time;
      event.run();
      await new Promise(setImmediate);
    }
  };
  return { at, run, now: () => time };
};

export const unexpected = (error: unknown): never => {
  throw error;
};

/** Sends requests to instances that share a counter, in virtual time. Deterministic for a seed. */
export const simulate = async (scene: Scene): Promise<SimulationResult> => {
  const random = seeded(scene.seed ?? 7);
  const { at, run, now } = clock();
  const counter = sharedCounter();
  const take = delayed(counter.take, { now, at, random, lostResponses: scene.lostResponses ?? 0 });
  const [requested, admitted] = [new Array<number>(scene.windows).fill(0), new Array<number>(scene.windows).fill(0)];
  const instances = new Map<string, RateLimiter>();

  const send = async (instance: number): Promise<void> => {
    const window = Math.floor((now() - start) / windowMs);
    const name = `${instance} ${scene.cold ? window : ''}`;
    const limiter = instances.get(name) ?? rateLimiter(take, unexpected, Math.floor(seeded(1 + instance)() * 1e9));
    instances.set(name, limiter);
    requested[window] = (requested[window] ?? 0) + 1;
    const response = await limiter.admit('account', scene.limit, now());
    if (response.admitted) admitted[window] = (admitted[window] ?? 0) + 1;
  };

  // The last request is added first, because the clock sorts the latest event first.
  const requests = arrivals(start, scene, random);
  const responses: Promise<void>[] = [];
  for (const { time, instance } of requests.toReversed()) at(time, () => responses.push(send(instance)));
  await run();
  await Promise.all(responses);
  return { requested, admitted, writesPerRequest: counter.amounts.length / requests.length };
};

/** The lowest percentage of the possible requests that any window admitted. */
export const usablePercent = ({ requested, admitted }: SimulationResult, limit: number): number =>
  100 * Math.min(...requested.map((count, window) => (admitted[window] ?? 0) / Math.min(count, limit)));

/** Schedules a callback at a virtual time in milliseconds. */
type At = (time: number, run: () => void) => void;

type Network = {
  readonly now: () => number;
  readonly at: At;
  /** Returns a number like `Math.random`. */
  readonly random: () => number;
  /** Probability that a response is lost after the write succeeded; the client then retries, as the SDK does. */
  readonly lostResponses: number;
};

// Latency within a region; 1 % of the calls take ten times as long.
const latencyMs = (random: () => number): number => (4 + 4 * random()) * (random() < 0.01 ? 10 : 1);

/** Counts requests in memory, like the store's conditional ADD. Lists the amounts and the parts of all calls. */
export const sharedCounter = () => {
  const windows = new Map<string, number>();
  const [used, limits] = [new Map<number, number>(), new Map<number, number>()];
  const amounts: number[] = [];
  const asked: number[] = [];
  const take: TakeRequests = async (account, windowStart, amount, limit, part = 0) => {
    amounts.push(amount);
    asked.push(part);
    limits.set(part, limit);
    const window = `${account} ${windowStart} ${part}`;
    const before = windows.get(window) ?? used.get(part);
    const taken = before === undefined || before <= limit - amount;
    if (taken) windows.set(window, (before ?? 0) + amount);
    return { taken, used: windows.get(window) ?? before ?? 0 };
  };
  return { take, amounts, asked, used, limits };
};

/** Adds virtual network latency to a counter. */
const delayed =
  (take: TakeRequests, { now, at, random, lostResponses }: Network): TakeRequests =>
  (...sent) =>
    new Promise((response) => {
      const send = () => {
        const latency = latencyMs(random);
        at(now() + latency / 2, async () => {
          const taken = await take(...sent);
          at(now() + latency / 2, () => (random() < lostResponses ? send() : response(taken)));
        });
      };
      send();
    });
