/**
 * `npm run load`: runs a steady load, an overload and the recovery against the service on this machine. Prints a line
 * of JSON for each phase, without comparing it to a target.
 */
import { existsSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { windowMs } from '../../../shared/accounts/rate-limiter.ts';
import { processorMs } from '../../support/child-process.ts';
import { readNumber } from '../../support/seeded.ts';
import { getSummary, type Rate, type Sending, sendAtRate, troubledUntilMs } from './send-at-rate.ts';
import { startService } from './service.ts';

const toSeconds = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + processorMs(pid) / 1000, 0);

/** Returns the CPU seconds so far of this process, the serving processes, and the emulator process. */
const processorUse = (serving: readonly number[]) => {
  const path = `/proc/${process.pid}/task/${process.pid}/children`;
  const children = existsSync(path) ? readFileSync(path, 'latin1').trim().split(' ').map(Number) : [];
  const database = toSeconds(children.filter((pid) => !serving.includes(pid)));
  return { generator: toSeconds([process.pid]), service: toSeconds(serving), database };
};

const warmUpSeconds = 5;
const recoverySeconds = 5;
/** The account's limit in steady loads, which leaves room for the extra requests after a slow moment. */
const headroom = 1.2;
/** A slower response does not count as recovered. */
const slowMs = 250;

const whole = (name: string, least: number) => (text: string) => readNumber(name, text, { least });

type Options = Readonly<Record<'calculations' | 'creates' | 'seconds' | 'times' | 'workers', number>>;
const program = new Command('load')
  .description('Send a steady load and an overload to the service on this machine, and print latencies and statuses.')
  .option('--calculations <n>', 'calculations per second', whole('calculations', 0), 2000)
  .option('--creates <n>', 'creates per second', whole('creates', 0), 300)
  .option('--seconds <n>', 'duration of the steady load; the overload takes half of that', whole('seconds', 1), 60)
  .option('--times <n>', 'the overload in multiples of the steady load; 1 omits it', whole('times', 1), 3)
  .option('--workers <n>', 'processes that serve', whole('workers', 1), 2)
  .parse();
const { calculations, creates, seconds, times, workers } = program.opts<Options>();
if (calculations + creates === 0) program.error('Pass --calculations or --creates above 0.');
const steady: Rate = { calculations, creates };
const overloaded: Rate = { calculations: calculations * times, creates: creates * times };
const perWindow = Math.ceil(((calculations + creates) * windowMs * headroom) / 1000);

const service = await startService(workers, perWindow);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void service.stop().then(() => process.exit(1)));

const run = async (phase: string, rate: Rate, duration: number, more: (sending: Sending) => object = () => ({})) => {
  const before = processorUse(service.processes);
  const sending = await sendAtRate(service.url, service.apiKey, rate, duration);
  const after = processorUse(service.processes);
  const listCores = (who: keyof typeof after) =>
    Number((((after[who] - before[who]) * 1000) / sending.elapsedMs).toFixed(2));
  console.log(
    JSON.stringify({
      phase,
      asked_per_second: rate,
      ...getSummary(sending),
      ...more(sending),
      // Average number of cores used by each. Other processes are visible only in the load average.
      cores: { generator: listCores('generator'), service: listCores('service'), database: listCores('database') },
      load_average: Number(loadavg()[0]?.toFixed(2)),
    }),
  );
};

/** Waits for the end of a rate limit window, so that an overload uses none of the next window. */
const untilWindowEnds = () => sleep(windowMs - (Date.now() % windowMs));

try {
  await run('warm-up', steady, Math.min(seconds, warmUpSeconds));
  if (times > 1) await untilWindowEnds();
  await run('steady', steady, seconds);
  if (times > 1) {
    await untilWindowEnds();
    const windows = Math.max(1, Math.round((seconds * 1000) / 2 / windowMs));
    await run('overload', overloaded, (windows * windowMs) / 1000);
    await run('afterwards', steady, recoverySeconds, (sending) => ({
      refused_until_ms: troubledUntilMs(sending),
      back_to_normal_ms: troubledUntilMs(sending, slowMs),
    }));
  }
} finally {
  await service.stop();
}
process.exit();
