import { isDeepStrictEqual } from 'node:util';
import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import { matchesCondition, newScope, type Scope, updated, updatedNames } from './evaluate.ts';
import {
  canceled,
  conditionFailed,
  conditionReason,
  type Input,
  invalid,
  invalidReason,
  noReason,
  requireKnownParameters,
  tokenReused,
} from './exceptions.ts';
import { chargeWrite, type PrimaryKey, type Table, type TableNamed } from './table.ts';
import { type Item, itemBytes, type Value } from './values.ts';

const conditional = [
  'TableName',
  'ConditionExpression',
  'ExpressionAttributeNames',
  'ExpressionAttributeValues',
  'ReturnValuesOnConditionCheckFailure',
] as const;

/** A write: its item, its condition, and the resulting item. */
type Write = {
  readonly table: Table;
  readonly key: PrimaryKey;
  readonly condition: string | undefined;
  readonly scope: Scope;
  readonly showsOld: boolean;
  readonly after: (before: Item | undefined) => Item | undefined;
  /** The attributes that an update changes. */
  readonly names: readonly string[];
};

const parameters = {
  Put: ['Item'],
  Delete: ['Key'],
  Update: ['Key', 'UpdateExpression'],
  ConditionCheck: ['Key'],
} as const;
type Kind = keyof typeof parameters;

const isShown = ({ ReturnValuesOnConditionCheckFailure: shown }: Input) => {
  if (shown !== undefined && shown !== 'ALL_OLD' && shown !== 'NONE')
    throw invalid('A value for ReturnValuesOnConditionCheckFailure is not known');
  return shown === 'ALL_OLD';
};

/** Returns the item that a write leaves, by its kind. */
const readChange = (kind: Kind, { table, scope, names }: Pick<Write, 'table' | 'scope' | 'names'>, input: Input) => {
  const { Item: item = {}, Key: key = {}, UpdateExpression: expression = '' } = input;
  if (kind === 'Put') table.check(item);
  if (kind === 'ConditionCheck' && input.ConditionExpression === undefined)
    throw invalid('A ConditionCheck needs a condition');
  if (names.some((name) => name in key))
    throw invalid(
      'One or more parameter values were invalid: Cannot update attribute. This attribute is part of the key',
    );
  const update = (before: Item = key): Item => {
    const after = updated(expression, before, scope);
    table.check(after);
    return after;
  };
  const after = {
    Put: () => item,
    Delete: () => undefined,
    Update: update,
    ConditionCheck: (before: Item | undefined) => before,
  };
  return after[kind];
};

const readWrite = (kind: Kind, tableNamed: TableNamed, input: Input, ...others: readonly string[]): Write => {
  requireKnownParameters(input, ...conditional, ...parameters[kind], ...others);
  const { ConditionExpression: condition, UpdateExpression: expression } = input;
  const table = tableNamed(input.TableName);
  const key = kind === 'Put' ? table.getKey(input.Item ?? {}, false) : table.getKey(input.Key ?? {}, true);
  const scope = newScope(input, [condition, expression]);
  const names = kind === 'Update' ? updatedNames(expression ?? '', scope) : [];
  const after = readChange(kind, { table, scope, names }, input);
  return { table, key, condition, scope, showsOld: isShown(input), after, names };
};

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
  return item ? { Attributes: item } : {};
};

/** Performs one write outside a transaction. */
export const writeOne = (kind: Kind, tableNamed: TableNamed, input: Input) => {
  const write = readWrite(kind, tableNamed, input, 'ReturnValues');
  const before = write.table.get(write.key);
  if (!matchesCondition(write.condition, before, write.scope))
    throw conditionFailed(write.showsOld ? before : undefined);
  const after = write.after(before);
  chargeWrite(write.table, before, after);
  write.table.replace(before, after);
  return returnedAttributes(input.ReturnValues, write, before, after);
};

const actionsMax = 100;
const transactionBytesMax = 4 * 1024 * 1024;
const tokenKeptMs = 10 * 60_000;

/** The client tokens of the last ten minutes, with their parameters. */
export type Tokens = Map<string, { readonly atMs: number; readonly items: unknown }>;

const readAction = (tableNamed: TableNamed, action: object): Write => {
  const [[kind, input] = ['', {}], ...others] = Object.entries<Input>({ ...action }).filter(
    ([, part]) => part !== undefined,
  );
  if (!Object.hasOwn(parameters, kind) || others.length > 0)
    throw invalid('TransactItems can only contain one of Check, Put, Update or Delete');
  return readWrite(kind as Kind, tableNamed, input);
};

// Returns the item after a write, or the reason for its rejection: its condition, or an update that does not fit the
// item.
const toResult = (write: Write, before: Item | undefined) => {
  if (!matchesCondition(write.condition, before, write.scope))
    return { reason: conditionReason(write.showsOld ? before : undefined) };
  try {
    return { item: write.after(before) };
  } catch (error) {
    if (error instanceof DynamoDBServiceException) return { reason: invalidReason(error) };
    throw error;
  }
};

/** Performs all writes or none. A repeated token with the same parameters writes nothing. */
export const transactWrite = (tableNamed: TableNamed, input: Input, tokens: Tokens, nowMs: number) => {
  requireKnownParameters(input, 'TransactItems', 'ClientRequestToken');
  const { ClientRequestToken: token, TransactItems: items = [] } = input;
  if (items.length < 1 || items.length > actionsMax)
    throw invalid(`Member must have length between 1 and ${actionsMax}`);
  const writes = items.map((action) => readAction(tableNamed, action));
  const places = new Set(writes.map(({ table, key }) => [table.name, ...key].join('\u0000')));
  if (places.size < writes.length) throw invalid('Transaction request cannot include multiple operations on one item');
  for (const [expired, { atMs }] of tokens) {
    if (nowMs - atMs < tokenKeptMs) break;
    tokens.delete(expired);
  }
  const known = token === undefined ? undefined : tokens.get(token);
  if (known) {
    if (known.items === items || isDeepStrictEqual(known.items, items)) return {};
    throw tokenReused();
  }
  const before = writes.map(({ table, key }) => table.get(key));
  const results = writes.map((write, at) => toResult(write, before[at]));
  if (results.some((result) => 'reason' in result))
    throw canceled(results.map((result) => ('reason' in result ? result.reason : noReason)));
  const after = results.map((result) => ('item' in result ? result.item : undefined));
  if (after.reduce((sum, item) => sum + (item ? itemBytes(item) : 0), 0) > transactionBytesMax)
    throw invalid('The transaction is larger than 4 MB.');
  writes.forEach(({ table }, at) => {
    chargeWrite(table, before[at], after[at], 2);
    if (after[at] !== before[at]) table.replace(before[at], after[at]);
  });
  if (token !== undefined) tokens.set(token, { atMs: nowMs, items });
  return {};
};
