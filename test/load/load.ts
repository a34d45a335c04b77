/**
 * `npm run load`: a steady load, an overload, and the way back, against the service itself on this machine.
 *
 *   --calculations N --creates N   in a second (2000 and 300)
 *   --seconds N                    of the steady load (60); the overload takes half of that
 *   --times N                      how much more the overload is (3); 1 leaves it out
 *   --workers N                    processes that serve (2)
 *
 * Prints a line of JSON for each phase. It measures and judges nothing: a shared machine decides too.
 */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { windowMs } from '../../shared/accounts/rate-limiter.ts';
import { type Rate, sendAtRate } from './arrivals.ts';
import { openConnection } from './connection.ts';
import { readOptions } from './options.ts';
import { type ProcessorUse, processorUse } from './processor-use.ts';
import { requestsFor } from './requests.ts';
import { startService } from './service.ts';
import type { Tally } from './tally.ts';

const connectionCount = 64;
const warmUpSeconds = 5;
const recoverySeconds = 5;
/** What the account may send, in steady loads: a service that caught its breath is asked more for a moment. */
const headroom = 1.2;
/** An answer that takes longer is not back to normal. */
const slowMs = 250;

const options = readOptions(process.argv.slice(2));
const steady: Rate = { calculations: options.calculations, creates: options.creates };
const overloaded: Rate = {
  calculations: steady.calculations * options.times,
  creates: steady.creates * options.times,
};
const perWindow = Math.ceil(((steady.calculations + steady.creates) * windowMs * headroom) / 1000);

const service = await startService(options.workers, perWindow);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void service.stop().then(() => process.exit(1)));
const connections = Array.from({ length: connectionCount }, () => openConnection(service.port, service.host));
const generator = { connections, requestOf: requestsFor(service.apiKey) };

type Phase = { readonly phase: string; readonly rate: Rate; readonly seconds: number };

const coresOf = (before: ProcessorUse, after: ProcessorUse, seconds: number) =>
  Object.fromEntries(
    Object.entries(after).map(([who, used]) => [
      who,
      Number(((used - before[who as keyof ProcessorUse]) / seconds).toFixed(2)),
    ]),
  );

const run = async ({ phase, rate, seconds }: Phase, more: (tally: Tally) => object = () => ({})): Promise<void> => {
  const before = processorUse(service.processes);
  const tally = await sendAtRate(generator, rate, seconds);
  const { unanswered, elapsedMs } = tally.end();
  const statuses = tally.statuses();
  const perSecond = (count: number) => Math.round((count * 1000) / elapsedMs);
  console.log(
    JSON.stringify({
      phase,
      asked_per_second: rate,
      answered_per_second: perSecond(Object.values(statuses).reduce((sum, count) => sum + count, 0)),
      served_per_second: perSecond(tally.good()),
      statuses,
      unanswered,
      calculation_ms: tally.latencies('calculation'),
      create_ms: tally.latencies('create'),
      ...more(tally),
      // Of the cores, how many each has kept busy. What others on the machine take shows in the load alone.
      cores: coresOf(before, processorUse(service.processes), elapsedMs / 1000),
      load_average: Number(loadavg()[0]?.toFixed(2)),
    }),
  );
};

/** The limit's windows end with every tenth second: an overload that ends with one leaves nothing used of the next. */
const untilWindowEnds = () => sleep(windowMs - (Date.now() % windowMs));

try {
  await run({ phase: 'warm-up', rate: steady, seconds: Math.min(options.seconds, warmUpSeconds) });
  if (options.times > 1) await untilWindowEnds();
  await run({ phase: 'steady', rate: steady, seconds: options.seconds });
  if (options.times > 1) {
    await untilWindowEnds();
    const windows = Math.max(1, Math.round((options.seconds * 1000) / 2 / windowMs));
    await run({ phase: 'overload', rate: overloaded, seconds: (windows * windowMs) / 1000 });
    await run({ phase: 'afterwards', rate: steady, seconds: recoverySeconds }, (tally) => ({
      refused_until_ms: Math.round(tally.troubledUntilMs()),
      back_to_normal_ms: Math.round(tally.troubledUntilMs(slowMs)),
    }));
  }
} finally {
  for (const connection of connections) connection.close();
  await service.stop();
}
process.exit();
