import { type RateLimiter, rateLimiter, windowMs } from '../../../accounts/rate-limiter.ts';
import { seeded } from '../random.ts';
import { arrivals, type Demand } from './arrivals.ts';
import { type At, sharedCounter } from './shared-counter.ts';

export type Scene = Demand & {
  readonly limit: number;
  /** Whether all instances are new at the start of each window, and know nothing of their load. */
  readonly cold: boolean;
  readonly lostReplies?: number;
  readonly seed?: number;
};

export type Seen = {
  /** By window. */
  readonly asked: readonly number[];
  readonly admitted: readonly number[];
  readonly writesPerRequest: number;
  /** What a request waits for the counter, on average. */
  readonly addedMs: number;
};

const start = 1_800_000_000_000;

type Event = { readonly time: number; readonly run: () => void };

/** Runs events in the order of their virtual times; what they set off in promises is done before the next one. */
const clock = () => {
  const events: Event[] = [];
  let time = start;
  const at: At = (due, run) => {
    let index = events.length;
    // The latest is first. Almost all new events are due soon.
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

const failed = (error: unknown): never => {
  throw error;
};

/** Send requests to instances that share a counter, all in virtual time; the same on every run. */
export const simulate = async (scene: Scene): Promise<Seen> => {
  const random = seeded(scene.seed ?? 7);
  const { at, run, now } = clock();
  const { take, counter } = sharedCounter({ now, at, random, lostReplies: scene.lostReplies ?? 0 });
  const [asked, admitted] = [new Array<number>(scene.windows).fill(0), new Array<number>(scene.windows).fill(0)];
  const instances = new Map<string, RateLimiter>();
  let waitedMs = 0;

  const send = async (instance: number): Promise<void> => {
    const [sentAt, window] = [now(), Math.floor((now() - start) / windowMs)];
    const name = `${instance} ${scene.cold ? window : ''}`;
    const limiter = instances.get(name) ?? rateLimiter(take, failed, Math.floor(seeded(1 + instance)() * 1e9));
    instances.set(name, limiter);
    asked[window] = (asked[window] ?? 0) + 1;
    const answer = await limiter.admit('account', scene.limit, sentAt);
    waitedMs += now() - sentAt;
    if (answer.admitted) admitted[window] = (admitted[window] ?? 0) + 1;
  };

  // From the last one, which the clock keeps first.
  const requests = arrivals(start, scene, random);
  const answers: Promise<void>[] = [];
  for (const { time, instance } of requests.toReversed()) at(time, () => answers.push(send(instance)));
  await run();
  await Promise.all(answers);
  return {
    asked,
    admitted,
    writesPerRequest: counter.writes / requests.length,
    addedMs: waitedMs / requests.length,
  };
};
