import { describe, expect, it } from 'vitest';
import { createTableInput } from '../../shared/store/client/create-table.ts';
import { type TableDefinition, tables } from '../../shared/store/table-definitions.ts';
import { type Resource, synthesize } from './synthesized.ts';

const { template, ofType } = synthesize();
// Written out: a changed id would replace the table and lose its items.
const ids = { transactions: 'TransactionsTable', content: 'ContentTable', accounts: 'AccountsTable' } as const;
const definitions = Object.entries(tables) as [keyof typeof tables, TableDefinition][];

type Key = { readonly AttributeName: string; readonly KeyType: string };
type Index = {
  readonly IndexName: string;
  readonly KeySchema: readonly Key[];
  readonly Projection: { readonly ProjectionType: string; readonly NonKeyAttributes?: readonly string[] };
};
/** The common fields of the template and the emulator's input. */
type Table = {
  readonly KeySchema: readonly Key[];
  readonly GlobalSecondaryIndexes?: readonly Index[];
  readonly AttributeDefinitions: readonly Attribute[];
  readonly BillingMode: string;
};
type Attribute = { readonly AttributeName: string; readonly AttributeType: string };
type Deployed = Resource & {
  readonly Properties: Table & { readonly Replicas: readonly [Replica]; readonly TimeToLiveSpecification?: unknown };
};
type Replica = { readonly PointInTimeRecoverySpecification: unknown; readonly DeletionProtectionEnabled: boolean };

const byName = (a: Attribute, b: Attribute) => a.AttributeName.localeCompare(b.AttributeName);
const keyTypes = ({ partition, sort, indexes = [] }: TableDefinition) =>
  Object.fromEntries(
    [partition, sort, ...indexes.flatMap((at) => [at.partition, at.sort])].map((key) => [key.name, key.type]),
  );

// Reads both wire forms without a converter of Levy.
const keysOf = (table: Pick<Table, 'KeySchema'>) => ({
  partition: table.KeySchema.find(({ KeyType }) => KeyType === 'HASH')?.AttributeName,
  sort: table.KeySchema.find(({ KeyType }) => KeyType === 'RANGE')?.AttributeName,
});
const indexesOf = (table: Table) =>
  (table.GlobalSecondaryIndexes ?? []).map((index) => ({
    name: index.IndexName,
    ...keysOf(index),
    attributes:
      index.Projection.ProjectionType === 'INCLUDE'
        ? index.Projection.NonKeyAttributes
        : index.Projection.ProjectionType,
  }));

it('has the tables of the definitions and no others', () => {
  expect(ofType('AWS::DynamoDB::GlobalTable').map(([id]) => id)).toEqual(Object.values(ids));
  expect(ofType('AWS::DynamoDB::Table')).toEqual([]);
  expect(Object.keys(ids)).toEqual(Object.keys(tables));
});

describe.each(definitions)('the table %s', (name, definition) => {
  const deployed = template.Resources[ids[name]] as Deployed;
  const emulated = createTableInput(name, definition) as Table;

  it.each([
    ['deployed', deployed.Properties],
    ['emulated', emulated],
  ])('has the keys and indexes of its definition when %s', (_where, table) => {
    const { partition, sort, indexes = [] } = definition;
    expect(keysOf(table)).toEqual({ partition: partition.name, sort: sort.name });
    expect(indexesOf(table)).toEqual(
      indexes.map((index) => ({
        name: index.name,
        partition: index.partition.name,
        sort: index.sort.name,
        attributes: index.include.length > 0 ? index.include : 'KEYS_ONLY',
      })),
    );
    const types = Object.entries(keyTypes(definition)).map(([AttributeName, AttributeType]) => ({
      AttributeName,
      AttributeType,
    }));
    expect([...table.AttributeDefinitions].sort(byName)).toEqual(types.sort(byName));
    expect(table.BillingMode).toBe('PAY_PER_REQUEST');
  });

  it('has the TTL attribute of its definition, or none', () => {
    const { ttl } = definition;
    expect(deployed.Properties.TimeToLiveSpecification).toEqual(
      ttl ? { AttributeName: ttl, Enabled: true } : undefined,
    );
  });

  it('has point-in-time recovery', () => {
    expect(deployed.Properties.Replicas).toHaveLength(1);
    const [{ PointInTimeRecoverySpecification: recovery }] = deployed.Properties.Replicas;
    expect(recovery).toEqual({ PointInTimeRecoveryEnabled: true });
  });
});

// Written out, not taken from `keep`.
it.each(['TransactionsTable', 'ContentTable', 'AccountsTable'])('%s is retained and protected from deletion', (id) => {
  const table = template.Resources[id] as Deployed;
  expect([table.DeletionPolicy, table.UpdateReplacePolicy]).toEqual(['Retain', 'Retain']);
  expect(table.Properties.Replicas.map((replica: Replica) => replica.DeletionProtectionEnabled)).toEqual([true]);
});

it('is encrypted with an AWS-owned key by default', () => {
  for (const [id, { Properties }] of ofType('AWS::DynamoDB::GlobalTable'))
    expect([id, Properties['SSESpecification']]).toEqual([id, { SSEEnabled: false }]);
  expect(template.Resources).not.toHaveProperty('DataKey');
});
