import { expect, type TestContext, test } from 'vitest';
import { filingMutants } from './filing-mutants.ts';
import { ledgerMutants } from './ledger-mutants.ts';
import { filingsEvery, redactionsEvery } from './order.ts';
import { inWords, runSchedules } from './pool.ts';
import { redactionMutants } from './redaction-mutants.ts';

const timeout = 600_000;

/** Where to start with a bug that few schedules find. If the schedules change, the search continues from there. */
const starts: Readonly<Record<string, number>> = {
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
  'entry that a filing moves passed over': 73_860,
  'entry moved back as it was before its redaction': 15_960,
};

/** Run schedules of the service with a seeded bug until one has a violation. */
const find = async (mutant: string, every: number, { annotate }: TestContext): Promise<string> => {
  const from = starts[mutant] ?? every;
  const outcome = await runSchedules({ from, count: 5000 * every - from + every, every, mutant, endsAtFirst: true });
  const [{ seed } = { seed: null }] = outcome.violations;
  await annotate(seed === null ? `${mutant}: not found` : `${mutant}: found by schedule ${seed}`);
  return inWords(outcome, mutant);
};

test.for(Object.keys(ledgerMutants))('finds within 5,000 schedules: %s', { timeout }, async (mutant, context) => {
  expect(await find(mutant, 1, context)).not.toBe('');
});

test.for(Object.keys(filingMutants))(
  'finds within 5,000 schedules about filings: %s',
  { timeout },
  async (mutant, context) => {
    expect(await find(mutant, filingsEvery, context)).not.toBe('');
  },
);

// Entries are moved by filings.
const everyOf = (mutant: string) => redactionsEvery * (/entr/.test(mutant) ? filingsEvery : 1);

test.for(Object.keys(redactionMutants))(
  'finds within 5,000 schedules with redactions: %s',
  { timeout },
  async (mutant, context) => {
    expect(await find(mutant, everyOf(mutant), context)).not.toBe('');
  },
);
