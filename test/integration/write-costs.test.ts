import { expect, inject, it } from 'vitest';
import { dollarsPerMillion, transactionUnits } from '../../shared/cli/bench/cost-formula.ts';
import { writeCostFigures } from '../../shared/cli/bench/write-costs.ts';
import { newCaller } from '../support/api.ts';

// The other emulator counts the indexes of a transaction twice (performance, finding 7).
it.runIf(['memory', 'dynoxide'].includes(inject('emulator')))(
  'every change is one transaction, and takes the units that the formula says of its items',
  async () => {
    const { key } = await newCaller();
    const figures = await writeCostFigures(key, 'dynoxide');
    expect(figures.map(({ of, transactions }) => [of, transactions])).toEqual(
      ['create draft', 'create finalized', 'finalize', 'credit', 'void'].map((of) => [of, 1]),
    );
    for (const { of, write_units, write_units_by_formula } of figures)
      expect([of, write_units]).toEqual([of, write_units_by_formula]);
    expect(figures.map(({ read_units }) => read_units)).toEqual([0, 0, 2, 2, 2]);
  },
);

it('counts two for each KB begun of the larger item, and each row of an index that changes where it was and where it is', () => {
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
