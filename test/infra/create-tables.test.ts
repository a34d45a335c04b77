import { DynamoDBClient, ResourceInUseException } from '@aws-sdk/client-dynamodb';
import { expect, it, vi } from 'vitest';
import { createTable, createTableInput } from '../../shared/store/client/create-table.ts';
import { tables } from '../../shared/store/table-definitions.ts';

const input = createTableInput('transactions', tables.transactions);

/** A database with one table. Its description has more fields, in another order. */
const having = (Table: object) => {
  const client = new DynamoDBClient({ region: 'us-east-1' });
  vi.spyOn(client, 'send').mockImplementation(async (command: object) => {
    if (command.constructor.name === 'DescribeTableCommand') return { Table };
    throw new ResourceInUseException({ message: 'exists', $metadata: {} });
  });
  return client;
};
const described = {
  ...input,
  TableStatus: 'ACTIVE',
  ItemCount: 3,
  AttributeDefinitions: [...input.AttributeDefinitions].reverse(),
  GlobalSecondaryIndexes: [...(input.GlobalSecondaryIndexes ?? [])]
    .reverse()
    .map((index) => ({ ...index, IndexStatus: 'ACTIVE' })),
};

it('accepts an existing table that has its definition', async () => {
  expect(await createTable(having(described), input)).toBe('exists');
});

it.each([
  { change: { KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }] }, what: 'another key' },
  { change: { GlobalSecondaryIndexes: described.GlobalSecondaryIndexes.slice(1) }, what: 'a missing index' },
  { change: { AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'N' }] }, what: 'another type' },
  {
    change: {
      GlobalSecondaryIndexes: described.GlobalSecondaryIndexes.map((index) => ({
        ...index,
        Projection: { ProjectionType: 'ALL' },
      })),
    },
    what: 'another projection',
  },
])('reports a table with $what', async ({ change }) => {
  expect(await createTable(having({ ...described, ...change }), input)).toBe('differs');
});
