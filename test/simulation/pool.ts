import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Order, Report, Told } from './order.ts';

const worker = fileURLToPath(new URL('worker.ts', import.meta.url));

/** What came of all workers together. */
export type Outcome = Report & {
  readonly violations: readonly { readonly seed: number; readonly violations: readonly string[] }[];
  readonly traces: ReadonlyMap<number, readonly string[]>;
};

// Of a service that does everything wrong, the first will do.
const violationsKept = 100;

type Listener = { readonly onProgress?: (schedules: number) => void };

// Each has a table of its own, where it has one at all.
let tables = 0;

const runWorker = async (order: Order, onTold: (told: Told) => void): Promise<void> => {
  const env = { ...process.env, NODE_OPTIONS: '', TABLE_TRANSACTIONS: `simulation-${process.pid}-${++tables}` };
  const child = spawn(process.execPath, [worker, JSON.stringify(order)], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const endChild = () => void child.kill();
  process.once('exit', endChild);
  let failure = '';
  child.stderr.on('data', (text) => {
    failure += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  let isDone = false;
  for await (const line of createInterface(child.stdout)) {
    const told = JSON.parse(line) as Told;
    isDone ||= told.kind === 'done';
    onTold(told);
  }
  const code = await ended;
  process.removeListener('exit', endChild);
  if (code !== 0 || !isDone) throw new Error(`A worker of the simulation ended with ${code}.\n${failure}`);
};

/** Run the schedules of some seeds in several processes, each of which takes every so many of them. */
export const runSchedules = async (
  asked: Pick<Order, 'from' | 'count'> & Partial<Order> & { readonly workers?: number; readonly every?: number },
  { onProgress = () => {} }: Listener = {},
): Promise<Outcome> => {
  const { workers = 1, every = 1, ...order } = asked;
  const violations: { seed: number; violations: readonly string[] }[] = [];
  const traces = new Map<number, readonly string[]>();
  const reports: Report[] = [];
  const done = new Map<number, number>();
  const listen = (at: number) => (told: Told) => {
    if (told.kind === 'violated' && violations.length < violationsKept) violations.push(told);
    if (told.kind === 'trace') traces.set(told.seed, told.trace);
    if (told.kind === 'done') reports.push(told);
    if (told.kind === 'progress')
      onProgress([...done.set(at, told.schedules).values()].reduce((sum, one) => sum + one, 0));
  };
  await Promise.all(
    Array.from({ length: workers }, (_, at) =>
      runWorker(
        {
          mutant: null,
          database: 'memory',
          endsAtFirst: false,
          traced: false,
          ...order,
          from: asked.from + at * every,
          count: asked.count - at * every,
          step: workers * every,
        },
        listen(at),
      ),
    ),
  );
  return { ...added(reports), violations: violations.sort((one, other) => one.seed - other.seed), traces };
};

const added = (reports: readonly Report[]): Report => {
  const total = (name: 'schedules' | 'requests' | 'calls' | 'violated') =>
    reports.reduce((sum, report) => sum + report[name], 0);
  const faults: Record<string, number> = {};
  for (const report of reports)
    for (const [fault, times] of Object.entries(report.faults)) faults[fault] = (faults[fault] ?? 0) + times;
  return {
    schedules: total('schedules'),
    requests: total('requests'),
    calls: total('calls'),
    violated: total('violated'),
    faults,
  };
};

/** What is said of a schedule that went wrong, with what replays it. */
export const inWords = ({ violations }: Pick<Outcome, 'violations'>, mutant: string | null = null): string =>
  violations
    .slice(0, 5)
    .map(({ seed, violations: words }) => {
      const named = mutant === null ? '' : ` --mutant '${mutant}'`;
      return `seed ${seed} (npm run simulate -- --seed ${seed}${named}):\n${words.slice(0, 5).join('\n')}`;
    })
    .join('\n\n');
