import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import { GetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { ulid } from 'ulid';
import { describe, expect, inject, it } from 'vitest';
import { measure } from '../../shared/cli/cost/measure.ts';
import type { Step } from '../../shared/cli/cost/paper-clerk.ts';
import { environment } from '../../shared/config/environment.ts';
import { database } from '../../shared/store/client/client.ts';
import { headKey } from '../../shared/store/keys.ts';
import { itemSize } from '../support/item-size.ts';

const overheadBytes = 100;

/** What the database has of everything that was written, each item with its overhead: the records of a day, and the rest. */
const bytesAtRest = async (steps: readonly Step[]): Promise<{ table: number; records: number }> => {
  const written = steps.flatMap(({ writes }) => writes.map(({ Put, Delete }) => Put?.Item ?? Delete?.Key ?? {}));
  const places = new Map(written.map(({ pk, sk }) => [`${pk} ${sk}`, { pk, sk }]));
  const sum = { table: 0, records: 0 };
  for (const Key of places.values()) {
    const { Item } = await database.send(
      new GetCommand({ TableName: environment.tables.transactions, Key, ConsistentRead: true }),
    );
    if (Item) sum[Key.pk.startsWith('I#') ? 'records' : 'table'] += itemSize(Item) + overheadBytes;
  }
  return sum;
};
const sumOf = (steps: readonly Step[], of: keyof Step['bytes']): number =>
  steps.reduce((sum, { bytes }) => sum + bytes[of], 0);

const unitsOf = (consumed: readonly ConsumedCapacity[] = []): number =>
  consumed.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);

// The other emulator counts the indexes of a transaction twice (performance, finding 7).
describe.runIf(['memory', 'dynoxide'].includes(inject('emulator')))('what is measured on paper', () => {
  it.each([1, 10, 100])('is what the database counts, for documents of %i lines', async (lines) => {
    const account = `acct_${ulid()}`;
    const { inOrder, headBytes, steps } = await measure(lines, account);
    expect(inOrder.length).toBe(Object.keys(steps).length + 1);
    for (const { writes, writeUnits } of inOrder) {
      const { ConsumedCapacity } = await database.send(
        new TransactWriteCommand({ TransactItems: [...writes], ReturnConsumedCapacity: 'INDEXES' }),
      );
      expect(unitsOf(ConsumedCapacity)).toBe(writeUnits);
    }
    expect(await bytesAtRest(inOrder)).toEqual({ table: sumOf(inOrder, 'table'), records: sumOf(inOrder, 'records') });
    const sale = steps['create finalized'].writes.find(({ Put }) => Put?.Item?.['sk'] === 'H')?.Put?.Item?.['id'];
    const { ConsumedCapacity } = await database.send(
      new GetCommand({
        TableName: environment.tables.transactions,
        Key: headKey(account, sale),
        ConsistentRead: true,
        ReturnConsumedCapacity: 'TOTAL',
      }),
    );
    expect(ConsumedCapacity?.CapacityUnits).toBe(Math.ceil(headBytes / 4096));
    expect(steps['file sale'].readUnits).toBe(1 + Math.ceil(headBytes / 4096));
  });
});

it('is the same each time', async () => {
  expect(await measure(3)).toEqual(await measure(3));
});
