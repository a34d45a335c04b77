import { describe, expect, it } from 'vitest';
import { createTableInput } from '../../shared/store/client/create-table.ts';
import { type TableDefinition, tables } from '../../shared/store/table-definitions.ts';
import { type Properties, synthesize } from './synthesized.ts';

const { template, ofType } = synthesize();
// Written out: a changed id would replace the table and lose its items.
const ids = { transactions: 'TransactionsTable', content: 'ContentTable', accounts: 'AccountsTable' } as const;
const definitions = Object.entries(tables) as [keyof typeof tables, TableDefinition][];

// Reads both wire forms without a converter of Levy.
const keyOf = ({ KeySchema }: Properties, type: string) =>
  KeySchema.find(({ KeyType }: Properties) => KeyType === type)?.AttributeName;
const keysOf = (table: Properties) => ({ partition: keyOf(table, 'HASH'), sort: keyOf(table, 'RANGE') });
const indexesOf = ({ GlobalSecondaryIndexes = [] }: Properties) =>
  GlobalSecondaryIndexes.map(({ IndexName, Projection, ...index }: Properties) => ({
    name: IndexName,
    ...keysOf(index),
    attributes: Projection.ProjectionType === 'INCLUDE' ? Projection.NonKeyAttributes : Projection.ProjectionType,
  }));

it('has the tables of the definitions and no others', () => {
  expect(ofType('AWS::DynamoDB::GlobalTable').map(([id]) => id)).toEqual(Object.values(ids));
  expect(ofType('AWS::DynamoDB::Table')).toEqual([]);
  expect(Object.keys(ids)).toEqual(Object.keys(tables));
});

describe.each(definitions)('the table %s', (name, definition) => {
  const deployed = template.Resources[ids[name]];
  const { partition, sort, ttl, indexes = [] } = definition;

  it.each([
    ['deployed', deployed?.Properties],
    ['emulated', createTableInput(name, definition)],
  ])('has the keys and indexes of its definition when %s', (_where, table: Properties) => {
    expect(keysOf(table)).toEqual({ partition: partition.name, sort: sort.name });
    expect(indexesOf(table)).toEqual(
      indexes.map((index) => ({
        name: index.name,
        partition: index.partition.name,
        sort: index.sort.name,
        attributes: index.include.length > 0 ? index.include : 'KEYS_ONLY',
      })),
    );
    const keys = [partition, sort, ...indexes.flatMap((at) => [at.partition, at.sort])];
    const pairs = table.AttributeDefinitions.map((one: Properties) => [one.AttributeName, one.AttributeType]);
    expect(pairs).toHaveLength(new Set(keys.map((key) => key.name)).size);
    expect(Object.fromEntries(pairs)).toEqual(Object.fromEntries(keys.map((key) => [key.name, key.type])));
    expect(table.BillingMode).toBe('PAY_PER_REQUEST');
  });

  it('has its TTL attribute and point-in-time recovery, is retained, protected and encrypted with an AWS-owned key', () => {
    const { TimeToLiveSpecification, Replicas, SSESpecification } = deployed?.Properties ?? {};
    expect(TimeToLiveSpecification).toEqual(ttl ? { AttributeName: ttl, Enabled: true } : undefined);
    expect(Replicas).toEqual([
      expect.objectContaining({
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        DeletionProtectionEnabled: true,
      }),
    ]);
    expect([deployed?.DeletionPolicy, deployed?.UpdateReplacePolicy]).toEqual(['Retain', 'Retain']);
    expect(SSESpecification).toEqual({ SSEEnabled: false });
    expect(template.Resources).not.toHaveProperty('DataKey');
  });
});
