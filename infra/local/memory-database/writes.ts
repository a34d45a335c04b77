import { chargeWrite } from './capacity.ts';
import { matchesCondition, newScope, type Scope, updated, updatedNames } from './evaluate.ts';
import { conditionFailed, invalid } from './exceptions.ts';
import { type Input, requireKnownParameters, type TableNamed } from './parameters.ts';
import type { Table } from './table.ts';
import { copiedItem, type Item, type Value } from './values.ts';

const conditional = [
  'TableName',
  'ConditionExpression',
  'ExpressionAttributeNames',
  'ExpressionAttributeValues',
  'ReturnValuesOnConditionCheckFailure',
] as const;

/** A write: its item, its condition, and the item that it leaves. */
export type Write = {
  readonly table: Table;
  readonly key: readonly [string, string];
  readonly condition: string | undefined;
  readonly scope: Scope;
  readonly showsOld: boolean;
  readonly after: (before: Item | undefined) => Item | undefined;
  readonly names: readonly string[];
};

const isShown = ({ ReturnValuesOnConditionCheckFailure: shown }: Input) => {
  if (shown !== undefined && shown !== 'ALL_OLD' && shown !== 'NONE')
    throw invalid('A value for ReturnValuesOnConditionCheckFailure is not known');
  return shown === 'ALL_OLD';
};

const base = (
  tableNamed: TableNamed,
  input: Input,
  key: Item,
  exactly: boolean,
  ...expressions: (string | undefined)[]
) => {
  const table = tableNamed(input.TableName);
  return {
    table,
    key: table.keyOf(key, exactly),
    condition: input.ConditionExpression as string | undefined,
    scope: newScope(input, [input.ConditionExpression, ...expressions]),
    showsOld: isShown(input),
    names: [],
  };
};

type Making = (tableNamed: TableNamed, input: Input) => Write;

const putWrite: Making = (tableNamed, input) => {
  const item = copiedItem(input.Item);
  const write = base(tableNamed, input, item, false);
  write.table.check(item);
  return { ...write, after: () => item };
};

const deleteWrite: Making = (tableNamed, input) => ({
  ...base(tableNamed, input, copiedItem(input.Key), true),
  after: () => undefined,
});

const checkWrite: Making = (tableNamed, input) => {
  if (input.ConditionExpression === undefined) throw invalid('A ConditionCheck needs a condition');
  return { ...base(tableNamed, input, copiedItem(input.Key), true), after: (before) => before };
};

const updateWrite: Making = (tableNamed, input) => {
  const key = copiedItem(input.Key);
  const expression = input.UpdateExpression as string;
  const write = base(tableNamed, input, key, true, expression);
  const names = updatedNames(expression, write.scope);
  if (names.some((name) => name in key))
    throw invalid(
      'One or more parameter values were invalid: Cannot update attribute. This attribute is part of the key',
    );
  return {
    ...write,
    names,
    after: (before) => {
      const item = updated(expression, before ?? key, write.scope);
      write.table.check(item);
      return item;
    },
  };
};

export const writeKinds: Readonly<Record<string, { readonly make: Making; readonly parameters: readonly string[] }>> = {
  Put: { make: putWrite, parameters: [...conditional, 'Item'] },
  Delete: { make: deleteWrite, parameters: [...conditional, 'Key'] },
  Update: { make: updateWrite, parameters: [...conditional, 'Key', 'UpdateExpression'] },
  ConditionCheck: { make: checkWrite, parameters: [...conditional, 'Key'] },
};

export const currentItem = ({ table, key: [partition, sort] }: Write): Item | undefined =>
  table.get({ [table.definition.partition.name]: partition, [table.definition.sort.name]: sort });

const returnedAttributes = (
  wanted: string | undefined,
  write: Write,
  before: Item | undefined,
  after: Item | undefined,
) => {
  const shown: Record<string, Item | undefined> = {
    ALL_OLD: before,
    ALL_NEW: after,
    UPDATED_NEW: after && Object.fromEntries(write.names.map((name) => [name, after[name] as Value])),
  };
  if (wanted === undefined || wanted === 'NONE') return {};
  if (!Object.hasOwn(shown, wanted)) throw invalid(`ReturnValues can not be ${wanted}`);
  const item = shown[wanted];
  return item ? { Attributes: copiedItem(item) } : {};
};

/** One write outside a transaction. */
export const writeOne = (kind: 'Put' | 'Update' | 'Delete', tableNamed: TableNamed, input: Input) => {
  const { make, parameters } = writeKinds[kind] as (typeof writeKinds)[string];
  requireKnownParameters(input, ...parameters, 'ReturnValues');
  const write = make(tableNamed, input);
  const before = currentItem(write);
  if (!matchesCondition(write.condition, before, write.scope))
    throw conditionFailed(write.showsOld ? before : undefined);
  const after = write.after(before);
  chargeWrite(write.table, before, after);
  write.table.replace(write.key, before, after);
  return returnedAttributes(input.ReturnValues, write, before, after);
};

type WriteRequest = {
  readonly PutRequest?: { readonly Item: unknown };
  readonly DeleteRequest?: { readonly Key: unknown };
};

const batchWritesMax = 25;

export const batchWrite = (tableNamed: TableNamed, input: Input) => {
  requireKnownParameters(input, 'RequestItems');
  const writes = Object.entries((input.RequestItems ?? {}) as Record<string, readonly WriteRequest[]>).flatMap(
    ([TableName, requests]) =>
      requests.map(({ PutRequest, DeleteRequest }) =>
        PutRequest
          ? putWrite(tableNamed, { TableName, Item: PutRequest.Item })
          : deleteWrite(tableNamed, { TableName, Key: DeleteRequest?.Key }),
      ),
  );
  if (writes.length === 0 || writes.length > batchWritesMax)
    throw invalid('Too many items requested for the BatchWriteItem call');
  if (new Set(writes.map(({ table, key }) => [table.name, ...key].join('\u0000'))).size < writes.length)
    throw invalid('Provided list of item keys contains duplicates');
  for (const write of writes) {
    const before = currentItem(write);
    const after = write.after(before);
    chargeWrite(write.table, before, after);
    write.table.replace(write.key, before, after);
  }
  return { UnprocessedItems: {} };
};
