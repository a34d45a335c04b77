import { expect, test } from 'vitest';
import { mutants } from './mutants.ts';
import { inWords, search } from './pool.ts';

test.for(Object.keys(mutants))(
  'finds within 5,000 schedules of its kind: %s',
  { timeout: 600_000 },
  async (mutant, { annotate }) => {
    const outcome = await search(mutant);
    await annotate(
      `${mutant}: ${outcome.violations[0] ? `found by schedule ${outcome.violations[0].seed}` : 'not found'}`,
    );
    expect(inWords(outcome, mutant)).not.toBe('');
  },
);
