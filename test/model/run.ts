import fc from 'fast-check';
import type { Registration } from '../../shared/accounts/account.ts';
import { advanceClock, now } from '../../shared/config/clock.ts';
import { buildTerm } from '../support/local-days.ts';
import { type Both, instant, type Model, newBook, same, type Terms, type World } from './book.ts';
import { createCredit, createSale } from './commands/create.ts';
import { advance, close, readFilings, redaction, repeat, settle, sweep } from './commands/filings.ts';
import { list, read } from './commands/read.ts';
import { annul, finalize, update } from './commands/update.ts';
import { type Side, write } from './requests.ts';
import { draftHours } from './world.ts';

const address = (state: string, city: string, postal_code: string) => ({ country: 'US', state, city, postal_code });
const line = (id: string, quantity: string, unit_price: string, more: object = {}) => ({
  id,
  product_tax_code: 'GENERAL',
  quantity,
  unit_price,
  ...more,
});

const sale = (more: object) => ({
  type: 'sale',
  status: 'finalized',
  customer: { address: address('MI', 'Detroit', '48226') },
  ...more,
});

const elsewhere = { customer: { address: address('IN', 'Indianapolis', '46204') } };

/** The initial state of a run, created by requests, so every command is applicable. */
const newScene = async (model: Model, real: World): Promise<{ model: Model; real: World }> => {
  // Sales of a past month, so it can be filed.
  const tax_date = instant(model.nowMs - 40 * 86_400_000).slice(0, 10);
  const create = (side: Side, body: object) => write(model, real, side, { path: '/transactions', body, headers: {} });
  const lines = [line('item_0', '3', '9.99', { discount_amount: '1.00' }), line('item_1', '1', '33.35', elsewhere)];
  await create(0, sale({ tax_date, line_items: lines, shipping: { amount: '7.95' } }));
  await create(1, sale({ tax_date, line_items: [line('item_0', '2', '50.00')], reference_id: 'r1' }));
  return { model, real };
};

// Commands are chosen with equal probability, so the most important ones are listed several times.
const commands = [
  ...[createSale, createSale, createSale, createSale],
  ...[createCredit, createCredit, createCredit, createCredit, createCredit],
  ...[update, update, update, finalize, finalize, finalize, annul, annul],
  ...[read, read, list, list, repeat, repeat, advance, sweep],
  ...[close, close, settle, settle, readFilings, redaction],
];

const commandsMax = 40;
const shrinkMsMax = 30_000;
/** Rereading all items takes a third of a run's time. */
const verifyEvery = 4;

const replayed = process.env['MODEL_REPLAY'];

type Failure = Pick<fc.RunDetails<unknown>, 'seed' | 'counterexamplePath' | 'counterexample'>;

/**
 * Formats the command that repeats a failure: the seed, the path to the smallest failing run, and the commands that
 * ran.
 */
const getCommand = (command: string, { seed, counterexamplePath, counterexample }: Failure): string => {
  const ran = /replayPath="([^"]*)"/.exec(String((counterexample as readonly unknown[] | null)?.[0]))?.[1] ?? '';
  return `MODEL_SEED=${seed} MODEL_REPLAY='${counterexamplePath} ${ran}' ${command}`;
};

/** Whether a single run is repeated, so coverage is not required. */
export const isRepeating = replayed !== undefined;

const parameters = (numRuns: number, seed = Number(process.env['MODEL_SEED'] ?? Number.NaN)) => {
  const [path, replayPath] = replayed?.split(' ') ?? [];
  return {
    run: { numRuns, ...(Number.isNaN(seed) ? {} : { seed }), ...(path && { path, endOnFailure: true }) },
    commands: replayPath ? { replayPath } : {},
  };
};

const newModel = ([first, second]: Both, nowMs = now()): Model => ({
  nowMs,
  books: [newBook(first, nowMs), newBook(second, nowMs)],
});

/** Frequencies of a state's returns, some with a change in the year in which a run begins. */
const histories: Readonly<Record<string, (year: number) => readonly Omit<Registration, 'state'>[]>> = {
  'by month': () => [buildTerm('month', '2020-01-01')],
  'by quarter': () => [buildTerm('quarter', '2020-01-01')],
  'by quarter, then by month': (year) => [
    buildTerm('quarter', '2020-01-01', `${year}-10-31`),
    buildTerm('month', `${year}-11-01`),
  ],
  'by year, then by quarter': (year) => [
    buildTerm('year', '2020-01-01', `${year}-09-30`),
    buildTerm('quarter', `${year}-10-01`),
  ],
};

const registrations = (history: string, year: number): Terms['registrations'] =>
  ['MI', 'IN'].flatMap((state) => (histories[history]?.(year) ?? []).map((one) => ({ state, ...one })));

/** The settings of an account, as a counterexample prints them. */
const zones = fc.constantFrom('UTC', 'UTC', 'America/New_York', 'Pacific/Kiritimati');
const frequencies = fc.constantFrom('all', 'all', ...Object.keys(histories));

/** The terms of an account with this draft lifetime, for a run that begins at an instant. */
const getTerms = (timeZone: string, history: string, draftHours: number, startMs: number): Terms => ({
  draftHours,
  timeZone,
  registrations: history === 'all' ? 'all' : registrations(history, new Date(startMs).getUTCFullYear()),
});

const start = '11-01T00:00:00.000Z';

/**
 * Returns the milliseconds to the next 1 November. Every run starts on 1 November, so it has the same month ends when
 * it is repeated alone.
 */
const untilStart = (nowMs: number): number => {
  const year = new Date(nowMs).getUTCFullYear();
  const [here, next] = [year, year + 1].map((one) => Date.parse(`${one}-${start}`)) as [number, number];
  return (here >= nowMs ? here : next) - nowMs;
};

/**
 * Runs a ledger and its model side by side through sequences of commands. Throws the shortest sequence after which they
 * differ, with the variables before `command` that repeat it.
 */
export const runModel = async (
  command: string,
  numRuns: number,
  newWorld: (terms: Both) => Promise<World>,
  seed?: number,
): Promise<void> => {
  const { run, commands: replay } = parameters(numRuns, seed);
  const sequences = fc.commands(commands, { maxCommands: commandsMax, size: 'medium', ...replay });
  let failedAt = Number.POSITIVE_INFINITY;
  let runs = 0;
  const accounts = [zones, frequencies, zones, frequencies] as const;
  const property = fc.asyncProperty(sequences, ...accounts, async (sequence, ...drawn) => {
    // After this time, keep the shortest sequence found: a few runs have thousands of shorter ones.
    if (performance.now() > failedAt + shrinkMsMax) return;
    try {
      advanceClock(untilStart(now()));
      const [zone, frequency, otherZone, otherFrequency] = drawn;
      const first = getTerms(zone, frequency, draftHours[0], now());
      const both = [first, getTerms(otherZone, otherFrequency, draftHours[1], now())] as const;
      const world = await newWorld(both);
      const begun = await newScene(newModel(both), world);
      await fc.asyncModelRun(() => begun, sequence);
      const isVerified = runs++ % verifyEvery === 0 || isRepeating || failedAt < Number.POSITIVE_INFINITY;
      if (isVerified || !world.isAlone) same(await world.verify(begun.model), [], 'What the items break');
    } catch (error) {
      failedAt = Math.min(failedAt, performance.now());
      throw error;
    }
  });
  const details = await fc.check(property, run);
  if (!details.failed) return;
  const { numRuns: at, numShrinks, counterexample, errorInstance } = details;
  const cause = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  throw new Error(
    `Run ${at} fails, after ${numShrinks} shrinks:${counterexample}\n${cause}\n\nRepeat it with\n  ${getCommand(command, details)}`,
    { cause: errorInstance },
  );
};
