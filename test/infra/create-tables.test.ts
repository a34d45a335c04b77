import { DynamoDBClient, ResourceInUseException } from '@aws-sdk/client-dynamodb';
import { expect, it, vi } from 'vitest';
import { createTable } from '../../shared/store/client/create-table.ts';
import { createTableInput } from '../../shared/store/client/create-table-input.ts';
import { tables } from '../../shared/store/table-definitions.ts';

const input = createTableInput('transactions', tables.transactions);

/** A database that has one table already: what it says of it is more than was asked for, and in another order. */
const having = (Table: object) => {
  const client = new DynamoDBClient({ region: 'us-east-1' });
  vi.spyOn(client, 'send').mockImplementation(async (command: any) => {
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

it('leaves a table alone that is as it is defined', async () => {
  expect(await createTable(having(described), input)).toBe('was there');
});

it.each([
  { change: { KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }] }, what: 'another key' },
  { change: { GlobalSecondaryIndexes: described.GlobalSecondaryIndexes.slice(1) }, what: 'an index too few' },
  { change: { AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'N' }] }, what: 'another type' },
  {
    change: {
      GlobalSecondaryIndexes: described.GlobalSecondaryIndexes.map((index) => ({
        ...index,
        Projection: { ProjectionType: 'ALL' },
      })),
    },
    what: 'indexes that carry something else',
  },
])('tells a table apart that has $what', async ({ change }) => {
  expect(await createTable(having({ ...described, ...change }), input)).toBe('differs');
});
