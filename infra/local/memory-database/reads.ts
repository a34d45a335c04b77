import { isTrue, newScope, resolveName, type Scope } from './evaluate.ts';
import { type Input, invalid, requireKnownParameters } from './exceptions.ts';
import { type Condition, parseCondition, parseProjection } from './syntax.ts';
import { chargeRead, firstWhere, type Lag, type Table, type TableNamed } from './table.ts';
import { compare, copiedItem, type Item, itemBytes, pick, type Value } from './values.ts';

const readParameters = ['ConsistentRead', 'ProjectionExpression', 'ExpressionAttributeNames'] as const;
const queryParameters = [
  ...['TableName', 'IndexName', 'KeyConditionExpression', 'FilterExpression', 'ExpressionAttributeValues'],
  ...['ExclusiveStartKey', 'ScanIndexForward', 'Limit', ...readParameters],
];

const pageBytesMax = 1024 * 1024;

const wrongKeys = () => invalid('Query key condition not supported');

const conjuncts = (condition: Condition): Condition[] =>
  condition.kind === 'and' ? [...conjuncts(condition.left), ...conjuncts(condition.right)] : [condition];

type SortTest = Extract<Condition, { readonly kind: 'test' }>;
const keyTests: ReadonlySet<string> = new Set(['=', '<', '<=', '>', '>=', 'BETWEEN', 'begins_with']);

/** Returns the partition of a key condition, and its condition on the sort key. */
const keyCondition = (expression: string, keys: { partition: string; sort: string }, scope: Scope) => {
  const ofKey: Record<string, SortTest> = {};
  for (const part of conjuncts(parseCondition(expression))) {
    const [operand] = part.kind === 'test' && keyTests.has(part.by) ? part.operands : [];
    const name = operand?.kind === 'path' ? resolveName(operand, scope) : '';
    if (part.kind !== 'test' || (name !== keys.partition && name !== keys.sort) || ofKey[name]) throw wrongKeys();
    ofKey[name] = part;
  }
  const { [keys.partition]: partition, [keys.sort]: sort } = ofKey;
  const [, value] = partition?.by === '=' ? partition.operands : [];
  if (value?.kind !== 'value') throw wrongKeys();
  const [from, to] = sort?.by === 'BETWEEN' ? getBounds(sort, scope) : [];
  if (from !== undefined && to !== undefined && (compare(from, to) ?? 1) > 0)
    throw invalid('The BETWEEN operator requires upper bound to be greater than or equal to lower bound');
  return { value: scope.values[value.name] as Value, sort };
};

/** Returns the values to which a condition compares the sort key. */
const getBounds = ({ operands }: SortTest, { values }: Scope): (Value | undefined)[] =>
  operands.slice(1).map((operand) => (operand.kind === 'value' ? values[operand.name] : undefined));

const projection = (table: Table, { IndexName, ProjectionExpression }: Input, scope: Scope) => {
  const wanted =
    ProjectionExpression === undefined
      ? undefined
      : parseProjection(ProjectionExpression).map((path) => resolveName(path, scope));
  if (IndexName === undefined) return (item: Item) => copiedItem(wanted ? pick(item, wanted) : item);
  const carried = table.carriedBy(IndexName);
  if (wanted?.some((name) => !carried.has(name)))
    throw invalid('One or more parameter values were invalid: an index does not carry a projected attribute');
  return (item: Item) => copiedItem(pick(item, wanted ?? [...carried]));
};

const rowSize = (table: Table, indexName: string | undefined) => {
  if (indexName === undefined) return (row: Item) => table.getSize(row);
  const carried = [...table.carriedBy(indexName)];
  return (row: Item) => itemBytes(pick(row, carried));
};

const readStart = (table: Table, names: readonly string[], start: Record<string, unknown>): Item => {
  const key = copiedItem(start);
  const unique = new Set(names);
  if (Object.keys(key).length !== unique.size || names.some((name) => typeof key[name] !== 'string'))
    throw invalid('The provided starting key is invalid');
  table.getKey(pick(key, table.keyNames), true);
  return key;
};

/** Returns one page: at most `Limit` rows and 1 MB, before the filter. */
const page = (
  rows: Iterable<Item>,
  { Limit = Number.POSITIVE_INFINITY, FilterExpression }: Input,
  keyNames: readonly string[],
  getSize: (row: Item) => number,
  scope: Scope,
) => {
  if (Limit < 1) throw invalid('Limit must be at least 1');
  const read: Item[] = [];
  let bytes = 0;
  let isCut = false;
  for (const row of rows) {
    const size = getSize(row);
    isCut = bytes + size > pageBytesMax;
    if (isCut) break;
    bytes += size;
    read.push(row);
    if (read.length === Limit) break;
  }
  const filter = FilterExpression === undefined ? undefined : parseCondition(FilterExpression);
  return {
    // The row that does not fit counts as scanned, and is returned on the next page.
    scanned: read.length + Number(isCut),
    bytes,
    kept: filter ? read.filter((row) => isTrue(filter, row, scope)) : read,
    // A page with `Limit` rows has a key even if it is the last one, as in DynamoDB.
    last: isCut || read.length === Limit ? pick(read.at(-1) as Item, keyNames) : undefined,
  };
};

const answer = (table: Table, input: Input, found: ReturnType<typeof page>, scope: Scope) => {
  chargeRead(table, found.bytes, input.ConsistentRead, input.IndexName);
  return {
    Items: found.kept.map(projection(table, input, scope)),
    Count: found.kept.length,
    ScannedCount: found.scanned,
    ...(found.last && { LastEvaluatedKey: found.last }),
  };
};

/** Returns the range of a sorted partition that satisfies the condition on the sort key. */
const withinSort = (rows: readonly Item[], sortName: string, sort: SortTest | undefined, scope: Scope) => {
  if (!sort) return { from: 0, to: rows.length };
  // The lowest value that can satisfy the condition.
  const [least] = ['<', '<='].includes(sort.by) ? [] : getBounds(sort, scope);
  const from =
    least === undefined
      ? 0
      : firstWhere(rows, (row) => (compare(row[sortName] as Value, least) ?? 0) >= (sort.by === '>' ? 1 : 0));
  return { from, to: firstWhere(rows, (row) => !isTrue(sort, row, scope), from) };
};

function* between(rows: readonly Item[], from: number, to: number, forward: boolean): Generator<Item> {
  for (let at = from; at < to; at++) yield rows[forward ? at : to - 1 - (at - from)] as Item;
}

export const queryTable = (tableNamed: TableNamed, input: Input, lag?: Lag) => {
  requireKnownParameters(input, ...queryParameters);
  const table = tableNamed(input.TableName);
  const { IndexName, KeyConditionExpression, ExclusiveStartKey, ScanIndexForward: forward = true } = input;
  if (KeyConditionExpression === undefined)
    throw invalid('Either the KeyConditions or KeyConditionExpression parameter must be specified');
  const scope = newScope(input, [KeyConditionExpression, input.FilterExpression, input.ProjectionExpression]);
  const keys = IndexName === undefined ? table.definition : table.index(IndexName);
  if (IndexName !== undefined && input.ConsistentRead)
    throw invalid('Consistent reads are not supported on global secondary indexes');
  const names = { partition: keys.partition.name, sort: keys.sort.name };
  const { value, sort } = keyCondition(KeyConditionExpression, names, scope);
  if (typeof value !== 'string')
    throw invalid('One or more parameter values were invalid: Condition parameter type does not match schema type');
  const keyNames = [...new Set([names.partition, names.sort, ...table.keyNames])];
  const start = ExclusiveStartKey && readStart(table, keyNames, ExclusiveStartKey);
  // As in DynamoDB itself; an emulator can return nothing instead.
  if (start && start[names.partition] !== value)
    throw invalid('The provided starting key is outside query boundaries based on provided conditions');
  const { rows, order } = table.partition(IndexName, value, lag);
  let { from, to } = withinSort(rows, names.sort, sort, scope);
  if (start && forward) from = firstWhere(rows, (row) => order(row, start) > 0, from);
  if (start && !forward)
    to = Math.min(
      to,
      firstWhere(rows, (row) => order(row, start) >= 0),
    );
  const found = page(between(rows, from, to, forward), input, keyNames, rowSize(table, IndexName), scope);
  return answer(table, input, found, scope);
};

/** Returns all items of a table, in key order. */
export const scanTable = (tableNamed: TableNamed, input: Input) => {
  requireKnownParameters(input, ...queryParameters.filter((name) => !/^(Key|ScanIndex|Index)/.test(name)));
  const table = tableNamed(input.TableName);
  const scope = newScope(input, [input.FilterExpression, input.ProjectionExpression]);
  const { keyNames } = table;
  const start = input.ExclusiveStartKey && readStart(table, keyNames, input.ExclusiveStartKey);
  return answer(table, input, page(table.itemsAfter(start), input, keyNames, rowSize(table, undefined), scope), scope);
};

export const get = (tableNamed: TableNamed, input: Input) => {
  requireKnownParameters(input, 'TableName', 'Key', ...readParameters);
  const scope = newScope(input, [input.ProjectionExpression]);
  const table = tableNamed(input.TableName);
  const found = table.get(copiedItem(input.Key));
  chargeRead(table, found ? table.getSize(found) : 0, input.ConsistentRead);
  return found ? { Item: projection(table, input, scope)(found) } : {};
};

type KeysRequest = Input & { readonly Keys: readonly Item[] };

const batchKeysMax = 100;
const batchBytesMax = 16 * 1024 * 1024;

export const batchGet = (tableNamed: TableNamed, input: Input) => {
  requireKnownParameters(input, 'RequestItems');
  const wanted = Object.entries((input.RequestItems ?? {}) as Record<string, KeysRequest>).flatMap(
    ([name, request]) => {
      requireKnownParameters(request, 'Keys', ...readParameters);
      return request.Keys.map((Key) => ({ name, request, Key: copiedItem(Key) }));
    },
  );
  if (wanted.length === 0 || wanted.length > batchKeysMax)
    throw invalid('Too many items requested for the BatchGetItem call');
  if (new Set(wanted.map(({ name, Key }) => `${name} ${tableNamed(name).getId(Key)}`)).size < wanted.length)
    throw invalid('Provided list of item keys contains duplicates');
  const Responses: Record<string, Item[]> = {};
  const UnprocessedKeys: Record<string, KeysRequest & { Keys: Item[] }> = {};
  let bytes = 0;
  for (const { name, request, Key } of wanted) {
    const table = tableNamed(name);
    Responses[name] ??= [];
    const item = table.get(Key);
    bytes += item ? table.getSize(item) : 0;
    if (bytes > batchBytesMax) {
      const unprocessed = UnprocessedKeys[name] ?? { ...request, Keys: [] };
      unprocessed.Keys.push(Key);
      UnprocessedKeys[name] = unprocessed;
      continue;
    }
    chargeRead(table, item ? table.getSize(item) : 0, request.ConsistentRead);
    const scope = newScope(request, [request.ProjectionExpression]);
    if (item) Responses[name].push(projection(table, request, scope)(item));
  }
  return { Responses, UnprocessedKeys };
};
