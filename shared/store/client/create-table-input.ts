import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import type { Index, Key, TableDefinition } from '../table-definitions.ts';

const keySchema = ({ partition, sort }: { readonly partition: Key; readonly sort: Key }) => [
  { AttributeName: partition.name, KeyType: 'HASH' as const },
  { AttributeName: sort.name, KeyType: 'RANGE' as const },
];

const indexInput = (index: Index) => ({
  IndexName: index.name,
  KeySchema: keySchema(index),
  // DynamoDB refuses an INCLUDE that includes nothing.
  Projection:
    index.include.length > 0
      ? { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: [...index.include] }
      : { ProjectionType: 'KEYS_ONLY' as const },
});

/**
 * A table as CreateTable takes it, for an emulator. Deployed tables are the CDK's.
 *
 * Time to live is left out: nothing depends on it, and an emulator would go by the wall clock, not by the service's.
 */
export const createTableInput = (tableName: string, definition: TableDefinition) => {
  const indexes = definition.indexes ?? [];
  // Every key once: several indexes begin with the same one.
  const keys = new Map(
    [definition, ...indexes].flatMap(({ partition, sort }) => [partition, sort]).map((key) => [key.name, key]),
  );
  return {
    TableName: tableName,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: keySchema(definition),
    AttributeDefinitions: [...keys.values()].map(({ name, type }) => ({ AttributeName: name, AttributeType: type })),
    ...(indexes.length > 0 && { GlobalSecondaryIndexes: indexes.map(indexInput) }),
  } satisfies CreateTableCommandInput;
};
