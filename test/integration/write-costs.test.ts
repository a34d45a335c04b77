import { expect, inject, it } from 'vitest';
import { databaseFigures } from '../../shared/cli/bench/database-use.ts';
import { measuresOf } from '../../shared/cli/cost/usage.ts';
import { newCaller } from '../support/api.ts';

// DynamoDB Local counts the indexes of a transaction twice.
it.runIf(inject('emulator') === 'memory')(
  'each operation makes the documented calls, with the read units and about the write units of `npm run cost`',
  async () => {
    const figures = await databaseFigures((await newCaller()).key, inject('emulator'));
    expect(Object.fromEntries(figures.map(({ of, calls, read_units }) => [of, [calls, read_units]]))).toEqual({
      ...{ calculation: [1, 1], 'create draft': [2, 1], 'create finalized': [2, 1] },
      ...{ finalize: [2, 2], credit: [2, 2], void: [2, 2], get: [1, 1], list: [1, expect.any(Number)] },
    });
    // The table of `npm run cost` is for other content, with four jurisdictions.
    const { steps } = measuresOf(3);
    const ratios = figures.flatMap(({ of, write_units }) =>
      Object.entries(steps).flatMap(([name, { writes }]) => (name === of ? Number(write_units) / Number(writes) : [])),
    );
    expect(ratios).toHaveLength(4);
    for (const ratio of ratios) expect(ratio > 0.75 && ratio < 1.25).toBe(true);
  },
);
