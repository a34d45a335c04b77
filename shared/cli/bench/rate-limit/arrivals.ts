import { windowMs } from '../../../accounts/rate-limiter.ts';

/**
 * How requests come. `even`: at random times, at random instances. `uneven`: most at a few instances. `bursty`: all of
 * each second within its first fifth. `moving`: in mid-window from one half of the instances to the other.
 */
export type Arrival = 'even' | 'uneven' | 'bursty' | 'moving';

export type Request = { readonly time: number; readonly instance: number };

export type Demand = {
  readonly instances: number;
  /** Requests in a window, on average. */
  readonly demand: number;
  readonly windows: number;
  readonly arrival: Arrival;
};

const secondMs = 1000;
const burstMs = 200;

const instanceOf = (arrival: Arrival, time: number, instances: number, random: () => number): number => {
  if (arrival === 'uneven') return Math.floor(instances * random() ** 3);
  if (arrival !== 'moving' || instances === 1) return Math.floor(instances * random());
  const half = Math.ceil(instances / 2);
  return Math.floor(half * random()) + (time % windowMs < windowMs / 2 ? 0 : instances - half);
};

const timeOf = (arrival: Arrival, time: number): number =>
  arrival === 'bursty' ? time - (time % secondMs) + ((time % secondMs) * burstMs) / secondMs : time;

/** The requests of some windows from `start` on, in their order: the pauses between them are exponential. */
export const arrivals = (start: number, asked: Demand, random: () => number): Request[] => {
  const { instances, demand, windows, arrival } = asked;
  const requests: Request[] = [];
  for (let time = start; ; ) {
    time -= (Math.log(1 - random()) * windowMs) / demand;
    if (time >= start + windows * windowMs) return requests;
    requests.push({ time: timeOf(arrival, time), instance: instanceOf(arrival, time, instances, random) });
  }
};
