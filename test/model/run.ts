import fc from 'fast-check';
import { advanceClock, now } from '../../shared/config/clock.ts';
import { type Both, type Model, newBook, same, type World } from './book.ts';
import { createCredit } from './commands/create-credit.ts';
import { createSale } from './commands/create-sale.ts';
import { close, readFilings, settle } from './commands/filings.ts';
import { list } from './commands/list.ts';
import { read } from './commands/read.ts';
import { redaction } from './commands/redact.ts';
import { advance, repeat, sweep } from './commands/time.ts';
import { annul, finalize, update } from './commands/update.ts';
import { newScene } from './scene.ts';
import { frequencies, termsOf, zones } from './terms.ts';
import { untilStart } from './world/clock.ts';
import { draftHours } from './world/world.ts';

// One of the same likelihood each, so those that a ledger lives on stand here several times.
const commands = [
  ...[createSale, createSale, createSale, createSale],
  ...[createCredit, createCredit, createCredit, createCredit, createCredit],
  ...[update, update, update, finalize, finalize, finalize, annul, annul],
  ...[read, read, list, list, repeat, repeat, advance, sweep],
  ...[close, close, settle, settle, readFilings, redaction],
];

const commandsMax = 40;
const shrinkMsMax = 30_000;
/** To read all items again takes a third of the time of a run. */
const verifyEvery = 4;

const replayed = process.env['MODEL_REPLAY'];
const seeded = Number(process.env['MODEL_SEED'] ?? Number.NaN);

type Failure = Pick<fc.RunDetails<unknown>, 'seed' | 'counterexamplePath' | 'counterexample'>;

/** The one command that repeats a failure: the seed, the way to the smallest run that failed, and which of it ran. */
const commandOf = (file: string, { seed, counterexamplePath, counterexample }: Failure): string => {
  const ran = /replayPath="([^"]*)"/.exec(String((counterexample as readonly unknown[] | null)?.[0]))?.[1] ?? '';
  return `MODEL_SEED=${seed} MODEL_REPLAY='${counterexamplePath} ${ran}' npx vitest run --config test/vitest.config.ts${file.includes('.long.') ? ' --mode long' : ''} ${file}`;
};

/** Whether one run is repeated, which meets what it meets. */
export const isRepeating = replayed !== undefined;

const parameters = (numRuns: number) => {
  const [path, replayPath] = replayed?.split(' ') ?? [];
  return {
    run: { numRuns, ...(Number.isNaN(seeded) ? {} : { seed: seeded }), ...(path && { path, endOnFailure: true }) },
    commands: replayPath ? { replayPath } : {},
  };
};

const newModel = ([first, second]: Both, nowMs = now()): Model => ({
  nowMs,
  books: [newBook(first, nowMs), newBook(second, nowMs)],
});

/**
 * Run a ledger and its model side by side through sequences of commands, and throw the shortest one after which they
 * differ, with the command that repeats it.
 */
export const runModel = async (
  file: string,
  numRuns: number,
  newWorld: (terms: Both) => Promise<World>,
): Promise<void> => {
  const { run, commands: replay } = parameters(numRuns);
  const sequences = fc.commands(commands, { maxCommands: commandsMax, size: 'medium', ...replay });
  let failedAt = Number.POSITIVE_INFINITY;
  let runs = 0;
  const accounts = [zones, frequencies, zones, frequencies] as const;
  const property = fc.asyncProperty(sequences, ...accounts, async (sequence, ...drawn) => {
    // What is shorter then must do: a few runs have thousands of shorter ones.
    if (performance.now() > failedAt + shrinkMsMax) return;
    try {
      advanceClock(untilStart(now()));
      const [zone, frequency, otherZone, otherFrequency] = drawn;
      const first = termsOf(zone, frequency, draftHours[0], now());
      const both = [first, termsOf(otherZone, otherFrequency, draftHours[1], now())] as const;
      const world = await newWorld(both);
      const begun = await newScene(newModel(both), world);
      await fc.asyncModelRun(() => begun, sequence);
      const isVerified = runs++ % verifyEvery === 0 || isRepeating || failedAt < Number.POSITIVE_INFINITY;
      if (isVerified) same(await world.verify(), [], 'What the items break');
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
    `Run ${at} fails, after ${numShrinks} shrinks:${counterexample}\n${cause}\n\nRepeat it with\n  ${commandOf(file, details)}`,
    { cause: errorInstance },
  );
};
