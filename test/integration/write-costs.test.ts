import { expect, inject, it } from 'vitest';
import { dollarsPerMillion, transactionUnits } from '../../shared/cli/bench/cost-formula.ts';
import { writeCostFigures } from '../../shared/cli/bench/write-costs.ts';
import { measuresOf, type StepName } from '../../shared/cli/cost/usage.ts';
import { newCaller } from '../support/api.ts';

// Amazon's emulator counts the indexes of a transaction twice (performance, finding 7).
it.runIf(['memory', 'dynoxide'].includes(inject('emulator')))(
  'every change is one transaction, with the write units of the formula',
  async () => {
    const { key } = await newCaller();
    const figures = await writeCostFigures(key, 'dynoxide');
    expect(figures.map(({ of, transactions }) => [of, transactions])).toEqual(
      ['create draft', 'create finalized', 'finalize', 'credit', 'void'].map((of) => [of, 1]),
    );
    for (const { of, write_units, write_units_by_formula } of figures)
      expect([of, write_units]).toEqual([of, write_units_by_formula]);
    expect(figures.map(({ read_units }) => read_units)).toEqual([0, 0, 2, 2, 2]);
    // The table of `npm run cost` is for another address and other content.
    const { steps } = measuresOf(3);
    for (const { of, write_units } of figures.filter((figure) => String(figure['of']) in steps)) {
      const ratio = Number(write_units) / Number(steps[of as StepName].writes);
      expect(ratio).toBeGreaterThan(0.6);
      expect(ratio).toBeLessThan(1.4);
    }
  },
);

it('counts two units per started KB of the larger item, and one per started KB of each changed index row', () => {
  const head = { pk: 'T', sk: 'H', account: 'a', id: 'i', tax_date_id: 't', lines: Buffer.alloc(1500) };
  expect(transactionUnits([{ before: null, after: head }])).toBe(4 + 2);
  expect(transactionUnits([{ before: { ...head, lines: Buffer.alloc(3000) }, after: head }])).toBe(6);
  expect(transactionUnits([{ before: { ...head, summary: Buffer.alloc(1500) }, after: head }])).toBe(6 + 4);
  // Another tax date is another place.
  expect(transactionUnits([{ before: { ...head, tax_date_id: 's' }, after: head }])).toBe(4 + 2);
  expect(transactionUnits([{ before: { ...head, draft_shard: 'D', expires_at: 'e' }, after: head }])).toBe(4 + 1);
  expect(
    transactionUnits([
      { before: head, after: null },
      { before: null, after: null },
    ]),
  ).toBe(4 + 2);
});

it('adds up the list prices', () => {
  const { database, all } = dollarsPerMillion({ read: 1, write: 10 });
  expect(database).toBeCloseTo(6.375);
  expect(all - database).toBeCloseTo(3.5 + 0.2 + 0.4 + 0.2, 2);
});
