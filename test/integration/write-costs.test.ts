import { expect, inject, it } from 'vitest';
import { measuresOf } from '../bench/cost/usage.ts';
import { databaseFigures } from '../bench/database-use.ts';
import { newCaller } from '../support/api.ts';

// DynamoDB Local counts the indexes of a transaction twice.
it.runIf(inject('emulator') === 'memory')(
  'each operation makes the documented calls, takes one write unit per index row, and about the units in `npm run cost`',
  async () => {
    const figures = await databaseFigures((await newCaller()).key, inject('emulator'));
    expect(Object.fromEntries(figures.map(({ of, calls, read_units }) => [of, [calls, read_units]]))).toEqual({
      ...{ calculation: [1, 1], 'create draft': [2, 1], 'update draft': [3, 3], 'create finalized': [2, 1] },
      ...{ finalize: [2, 2], credit: [2, 2], void: [2, 2], get: [1, 1], list: [1, expect.any(Number)] },
    });
    const unitsOf = (of: string) => figures.find((figure) => figure['of'] === of) ?? { figure: '' };
    // By account, tax date, customer and reference; a draft also by deadline, a credit by parent and among credits.
    const rows = { 'create draft': 5, 'update draft': 4, finalize: 5, 'create finalized': 4, credit: 6 + 4, void: 4 };
    for (const [of, count] of Object.entries(rows)) expect(unitsOf(of), of).toMatchObject({ index_write_units: count });
    // `npm run cost` measures different content, with four jurisdictions.
    const { steps } = measuresOf(3);
    for (const of of ['create draft', 'update draft', 'finalize', 'create finalized', 'credit'] as const) {
      const ratio = Number(unitsOf(of)['write_units']) / Number(steps[of].writes);
      expect(ratio > 0.75 && ratio < 1.25, of).toBe(true);
    }
  },
);
