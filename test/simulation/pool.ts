import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { filingMutants, redactionMutants, variedMutants } from './mutants.ts';
import { filingsEvery, type Message, type Order, type Report, redactionsEvery, variedFirst } from './order.ts';

const worker = fileURLToPath(new URL('worker.ts', import.meta.url));

/** The results of all workers. */
type Outcome = Report & {
  readonly violations: readonly { readonly seed: number; readonly violations: readonly string[] }[];
  readonly traces: ReadonlyMap<number, readonly string[]>;
};

const violationsKept = 100;

type Listener = { readonly onProgress?: (schedules: number) => void };

const runWorker = async (order: Order, onMessage: (message: Message) => void): Promise<void> => {
  const env = { ...process.env, NODE_OPTIONS: '' };
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
    const message = JSON.parse(line) as Message;
    isDone ||= message.kind === 'done';
    onMessage(message);
  }
  const code = await ended;
  process.removeListener('exit', endChild);
  if (code !== 0 || !isDone) throw new Error(`A worker of the simulation ended with ${code}.\n${failure}`);
};

/** Runs the schedules of a range of seeds in several processes. */
export const runSchedules = async (
  wanted: Pick<Order, 'from' | 'count'> & Partial<Order> & { readonly workers?: number; readonly every?: number },
  { onProgress = () => {} }: Listener = {},
): Promise<Outcome> => {
  const { workers = 1, every = 1, ...order } = wanted;
  const violations: { seed: number; violations: readonly string[] }[] = [];
  const traces = new Map<number, readonly string[]>();
  const reports: Report[] = [];
  const done = new Map<number, number>();
  const listen = (at: number) => (message: Message) => {
    if (message.kind === 'violated' && violations.length < violationsKept) violations.push(message);
    if (message.kind === 'trace') traces.set(message.seed, message.trace);
    if (message.kind === 'done') reports.push(message.report);
    if (message.kind === 'progress')
      onProgress([...done.set(at, message.schedules).values()].reduce((sum, one) => sum + one, 0));
  };
  await Promise.all(
    Array.from({ length: workers }, (_, at) =>
      runWorker(
        {
          mutant: null,
          endsAtFirst: false,
          traced: false,
          ...order,
          from: wanted.from + at * every,
          count: wanted.count - at * every,
          step: workers * every,
        },
        listen(at),
      ),
    ),
  );
  return { ...added(reports), violations: violations.sort((a, b) => a.seed - b.seed), traces };
};

const added = (reports: readonly Report[]): Report => {
  const total = { schedules: 0, requests: 0, calls: 0, violated: 0, faults: {} as Record<string, number> };
  for (const { faults, ...report } of reports) {
    for (const name of Object.keys(report) as (keyof typeof report)[]) total[name] += report[name];
    for (const [fault, times] of Object.entries(faults)) total.faults[fault] = (total.faults[fault] ?? 0) + times;
  }
  return total;
};

/** The violations of the first schedules, each with the command that replays it. */
export const inWords = ({ violations }: Pick<Outcome, 'violations'>, mutant: string | null = null): string =>
  violations
    .slice(0, 5)
    .map(({ seed, violations: words }) => {
      const named = mutant === null ? '' : ` --mutant '${mutant}'`;
      return `seed ${seed} (npm run simulate -- --seed ${seed}${named}):\n${words.slice(0, 5).join('\n')}`;
    })
    .join('\n\n');

/** The start seed for bugs that few schedules detect. If the schedules change, the search continues from there. */
const starts: Readonly<Record<string, number>> = {
  'redacted draft credit recomputed with the data of its sale': 11_850,
  'sweep over a draft that was finalized': 480,
  'record that others are writing passed over': 1100,
  'calculated tax of a void credit not given back': 3880,
  'calculated tax of a credit taken from the recorded tax': 4760,
  'entry filed whatever became of its transaction': 47_900,
  'filing that two work on counted twice': 16_700,
  'return filed with exceptions that nobody acknowledged': 4800,
  'canceled period closed again by the schedule': 3660,
  'entries left by a redaction': 1080,
  'entries looked for among the open ones alone': 540,
  'entry that a filing moves passed over': 130_620,
  'entry moved back as it was before its redaction': 15_960,
  'closing day kept after a change of the time zone': 11_610,
  'jurisdictions added up over all currencies': 3790,
  'period closed by settings that changed meanwhile': 5790,
  'refund without tax left out of the return of its sale': 2810,
  'draft credit with the customer of a sale that is being redacted': 8970,
};

const schedulesMax = 5000;

/**
 * Returns the seeds of the schedules that can detect a bug: schedules about filings, with redactions, varied schedules,
 * or all.
 */
const seedsFor = (mutant: string): { readonly first: number; readonly every: number } => {
  if (mutant in variedMutants) return { first: variedFirst, every: filingsEvery };
  // Entries are moved by filings.
  const ofRedactions = mutant in redactionMutants ? redactionsEvery : 1;
  const ofFilings = mutant in filingMutants || (ofRedactions > 1 && /entr/.test(mutant)) ? filingsEvery : 1;
  return { first: ofRedactions * ofFilings, every: ofRedactions * ofFilings };
};

/** Runs up to 5,000 schedules that can detect a seeded bug, until one has a violation. */
export const search = (mutant: string, workers = 1): Promise<Outcome> => {
  const { first, every } = seedsFor(mutant);
  const from = starts[mutant] ?? first;
  const count = schedulesMax * every - from + first;
  return runSchedules({ from, count, every, workers, mutant, endsAtFirst: true });
};
