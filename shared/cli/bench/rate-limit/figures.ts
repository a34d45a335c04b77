import { type Figure, rounded } from '../figure.ts';
import type { Arrival } from './arrivals.ts';
import { type Seen, simulate } from './simulation.ts';

const limit = 2000;
const windows = 3;
const ordinary = ['even', 'uneven', 'bursty'] as const;

/** Of each window the part that was admitted of what could have been, the worst one, in percent. */
export const usablePercent = ({ asked, admitted }: Seen, ofLimit: number): number =>
  100 * Math.min(...asked.map((count, window) => (admitted[window] ?? 0) / Math.min(count, ofLimit)));

const runs = (instances: number, demand: number, kinds: readonly Arrival[]): Promise<Seen[]> =>
  Promise.all(
    kinds.flatMap((arrival) =>
      [false, true].map((cold) => simulate({ instances, demand: demand * limit, limit, windows, arrival, cold })),
    ),
  );

const worst = (seen: readonly Seen[]): number => Math.min(...seen.map((each) => usablePercent(each, limit)));

/**
 * What the rate limiter does in instances that share one counter, simulated: each row is the worst of requests that
 * come evenly, mostly to few instances, and in bursts, with warm and with cold instances; moving demand is by itself.
 */
export const rateLimitFigures = async (): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const instances of [1, 10, 40, 100])
    for (const demand of [0.5, 1, 5]) {
      const seen = await runs(instances, demand, ordinary);
      const moving = await runs(instances, demand, ['moving']);
      const writes = seen.map(({ writesPerRequest }) => writesPerRequest);
      figures.push({
        figure: 'rate_limit',
        of: `${instances} instances, ${demand} times the limit`,
        windows_over_limit: [...seen, ...moving].flatMap(({ admitted }) => admitted).filter((count) => count > limit)
          .length,
        usable_percent: rounded(worst(seen)),
        usable_moving_percent: rounded(worst(moving)),
        min_writes_per_request: rounded(Math.min(...writes)),
        max_writes_per_request: rounded(Math.max(...writes)),
        max_added_ms: rounded(Math.max(...seen.map(({ addedMs }) => addedMs))),
      });
    }
  return figures;
};
