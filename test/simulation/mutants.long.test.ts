import { describe, expect, type TestContext, test } from 'vitest';
import { filingMutants } from './filing-mutants.ts';
import { ledgerMutants } from './ledger-mutants.ts';
import { inWords, runSchedules } from './pool.ts';
import { filingsEvery } from './schedule-kinds.ts';

const patience = 600_000;

/** Run schedules on a service with a bug until one of them goes wrong, and say which. */
const find = async (mutant: string, every: number, { annotate }: TestContext): Promise<string> => {
  const outcome = await runSchedules({ from: every, count: 5000 * every, every, mutant, endsAtFirst: true });
  const [{ seed } = { seed: null }] = outcome.violations;
  await annotate(seed === null ? `${mutant}: not found` : `${mutant}: found by schedule ${seed}`);
  return inWords(outcome, mutant);
};

describe('a ledger with a bug', () => {
  test.for(Object.keys(ledgerMutants))(
    'is found out within 5,000 schedules: %s',
    { timeout: patience },
    async (mutant, context) => {
      expect(await find(mutant, 1, context)).not.toBe('');
    },
  );

  test.for(Object.keys(filingMutants))(
    'is found out within 5,000 schedules about filings: %s',
    { timeout: patience },
    async (mutant, context) => {
      expect(await find(mutant, filingsEvery, context)).not.toBe('');
    },
  );
});
