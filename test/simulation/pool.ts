import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Patch } from './platform.ts';

/**
 * A seeded bug, with the kind of schedules that can detect it: all schedules, filings, redactions, or varied accounts.
 * `start` is the seed of the first schedule that detected it.
 */
type Mutant = {
  readonly kind: 'ledger' | 'filings' | 'redactions' | 'varied';
  readonly start: number;
  readonly patches: readonly Patch[];
};

/** Reads patches: lines that begin with `-` are replaced by the following ones that begin with `+`. */
const readPatches = (lines: readonly string[]): readonly Patch[] => {
  const patches: { readonly find: string[]; readonly replace: string[] }[] = [];
  lines.forEach((line, at) => {
    const isFound = line.startsWith('-');
    if (isFound && !lines[at - 1]?.startsWith('-')) patches.push({ find: [], replace: [] });
    patches.at(-1)?.[isFound ? 'find' : 'replace'].push(line.slice(1));
  });
  return patches.map(({ find, replace }) => ({ find: find.join('\n'), replace: replace.join('\n') }));
};

const [, ...blocks] = readFileSync(new URL('mutants.diff', import.meta.url), 'utf8')
  .trimEnd()
  .split(/\n\n# /);

/** Seeded bugs by name, each a change of the service's source, which the simulation must detect. */
export const mutants: Readonly<Record<string, Mutant>> = Object.fromEntries(
  blocks.map((block) => {
    const [title = '', ...lines] = block.split('\n');
    const [kinds = '', name] = title.split(': ');
    const [kind, start] = kinds.split(' ') as [Mutant['kind'], string];
    return [name, { kind, start: Number(start), patches: readPatches(lines) }];
  }),
);

/** Schedules whose seed is a multiple of this are longer, and mostly about filings. */
export const filingsEvery = 20;
/** Operators redact transactions in schedules whose seed is a multiple of this. */
export const redactionsEvery = 3;

/**
 * The first seed of the varied schedules, which have the same interval as the schedules about filings. Varied schedules
 * have accounts in different time zones, changing registrations, several currencies, and redactions of customers.
 */
export const variedFirst = filingsEvery / 2;

/** The task of a worker process. */
export type Order = {
  /** The seeds of the schedules, from `from` (inclusive) to `from + count` (exclusive), in steps. */
  readonly from: number;
  readonly count: number;
  readonly step: number;
  /** The seeded bug, whose first violation ends the work; `null` for none. */
  readonly mutant: string | null;
  readonly traced: boolean;
  /** Takes additional turns of the event loop before each database call. */
  readonly dawdles: boolean;
  /** Interrupts filings at every `step`th database call, instead of schedules. */
  readonly atEveryCall: boolean;
};

export type Report = {
  readonly schedules: number;
  readonly requests: number;
  readonly calls: number;
  readonly faults: Readonly<Record<string, number>>;
};

type Violated = { readonly seed: number; readonly violations: readonly string[] };

/** A message of a worker. The report is the last one. */
export type Message =
  | ({ readonly kind: 'violated' } & Violated)
  | { readonly kind: 'trace'; readonly seed: number; readonly trace: readonly string[] }
  | { readonly kind: 'done'; readonly report: Report };

/** The results of all workers. */
type Outcome = Report & {
  readonly violations: readonly Violated[];
  readonly traces: ReadonlyMap<number, readonly string[]>;
};

const worker = fileURLToPath(new URL('worker.ts', import.meta.url));

const runWorker = async (order: Order, onMessage: (message: Message) => void): Promise<void> => {
  const child = fork(worker, [JSON.stringify(order)], { execArgv: [], env: { ...process.env, NODE_OPTIONS: '' } });
  const endChild = () => void child.kill();
  process.once('exit', endChild);
  let isDone = false;
  child.on('message', (message: Message) => {
    isDone ||= message.kind === 'done';
    onMessage(message);
  });
  const [code] = await once(child, 'close');
  process.removeListener('exit', endChild);
  if (code !== 0 || !isDone) throw new Error(`A worker of the simulation ended with ${code}.`);
};

const added = (reports: readonly Report[]): Report => {
  const total = { schedules: 0, requests: 0, calls: 0, faults: {} as Record<string, number> };
  for (const { faults, ...report } of reports) {
    for (const name of Object.keys(report) as (keyof typeof report)[]) total[name] += report[name];
    for (const [fault, times] of Object.entries(faults)) total.faults[fault] = (total.faults[fault] ?? 0) + times;
  }
  return total;
};

/** Runs the schedules of a range of seeds in several processes. */
export const runSchedules = async (
  wanted: Pick<Order, 'from' | 'count'> & Partial<Order> & { readonly workers?: number; readonly every?: number },
): Promise<Outcome> => {
  const {
    workers = 1,
    every = 1,
    from,
    count,
    mutant = null,
    traced = false,
    dawdles = false,
    atEveryCall = false,
  } = wanted;
  const violations: Violated[] = [];
  const traces = new Map<number, readonly string[]>();
  const reports: Report[] = [];
  const listen = (message: Message) => {
    if (message.kind === 'violated') violations.push(message);
    else if (message.kind === 'trace') traces.set(message.seed, message.trace);
    else reports.push(message.report);
  };
  const orders = Array.from({ length: workers }, (_, at) => {
    const range = { from: from + at * every, count: count - at * every, step: workers * every };
    return { ...range, mutant, traced, dawdles, atEveryCall };
  });
  await Promise.all(orders.map((order) => runWorker(order, listen)));
  return { ...added(reports), violations: violations.sort((a, b) => a.seed - b.seed), traces };
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

const schedulesMax = 5000;

/**
 * Returns the seeds of the schedules that can detect a bug: schedules about filings, with redactions, varied schedules,
 * or all.
 */
const seedsFor = (mutant: string): { readonly first: number; readonly every: number } => {
  const { kind } = mutants[mutant] ?? {};
  if (kind === 'varied') return { first: variedFirst, every: filingsEvery };
  // Only schedules about filings move entries.
  const ofRedactions = kind === 'redactions' ? redactionsEvery : 1;
  const ofFilings = kind === 'filings' || (ofRedactions > 1 && /entr/.test(mutant)) ? filingsEvery : 1;
  return { first: ofRedactions * ofFilings, every: ofRedactions * ofFilings };
};

/**
 * Runs up to 5,000 schedules that can detect a seeded bug, until one has a violation. Starts at the schedule that
 * detected the bug when this was written; the earlier schedules come last.
 */
export const search = async (mutant: string): Promise<Outcome> => {
  const { first, every } = seedsFor(mutant);
  const { start = first } = mutants[mutant] ?? {};
  const later = await runSchedules({ from: start, count: schedulesMax * every - start + first, every, mutant });
  return later.violations.length > 0 ? later : runSchedules({ from: first, count: start - first, every, mutant });
};
