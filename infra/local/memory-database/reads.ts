import { firstWhere } from '../../../shared/base/collections.ts';
import { isTrue, newScope, resolveName, type Scope } from './evaluate.ts';
import { type Input, invalid, requireKnownParameters } from './exceptions.ts';
import { type Condition, parseCondition, parseProjection } from './syntax.ts';
import { chargeRead, type Rows, type Table, type TableNamed } from './table.ts';
import { compare, type Item, itemBytes, pick, type Value } from './values.ts';

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

/** Returns the attributes of rows that a read returns. */
const projection = ({ carried }: Rows, { ProjectionExpression: wanted }: Input, scope: Scope) => {
  const names = wanted === undefined ? carried : parseProjection(wanted).map((path) => resolveName(path, scope));
  if (names && carried && [...names].some((name) => !carried.has(name)))
    throw invalid('One or more parameter values were invalid: an index does not carry a projected attribute');
  return (item: Item) => (names ? pick(item, names) : item);
};

const readStart = (table: Table, { keyNames }: Rows, start: Item): Item => {
  if (Object.keys(start).length !== keyNames.length || keyNames.some((name) => typeof start[name] !== 'string'))
    throw invalid('The provided starting key is invalid');
  table.getKey(start, false);
  return start;
};

/** Returns one page of items: at most `Limit` rows and 1 MB, before the filter. */
const readPage = (table: Table, rows: Rows, items: Iterable<Item>, input: Input, scope: Scope) => {
  const { Limit = Number.POSITIVE_INFINITY, FilterExpression } = input;
  if (Limit < 1) throw invalid('Limit must be at least 1');
  const read: Item[] = [];
  let bytes = 0;
  let isCut = false;
  for (const item of items) {
    const size = itemBytes(rows.carried ? pick(item, rows.carried) : item);
    isCut = bytes + size > pageBytesMax;
    if (isCut) break;
    bytes += size;
    read.push(item);
    if (read.length === Limit) break;
  }
  chargeRead(table, bytes, input.ConsistentRead, rows.name);
  const filter = FilterExpression === undefined ? undefined : parseCondition(FilterExpression);
  const kept = filter ? read.filter((item) => isTrue(filter, item, scope)) : read;
  return {
    Items: kept.map(projection(rows, input, scope)),
    Count: kept.length,
    // The row that does not fit counts as scanned, and is returned on the next page.
    ScannedCount: read.length + Number(isCut),
    // A page with `Limit` rows has a key even if it is the last one, as in DynamoDB.
    ...((isCut || read.length === Limit) && { LastEvaluatedKey: pick(read.at(-1) as Item, rows.keyNames) }),
  };
};

/** Returns the range of a sorted partition that satisfies the condition on the sort key. */
const withinSort = (items: readonly Item[], sortName: string, sort: SortTest | undefined, scope: Scope) => {
  if (!sort) return { from: 0, to: items.length };
  // The lowest value that can satisfy the condition.
  const [least] = ['<', '<='].includes(sort.by) ? [] : getBounds(sort, scope);
  const from =
    least === undefined
      ? 0
      : firstWhere(items, (item) => (compare(item[sortName] as Value, least) ?? 0) >= (sort.by === '>' ? 1 : 0));
  return { from, to: firstWhere(items, (item) => !isTrue(sort, item, scope), from) };
};

function* between(items: readonly Item[], from: number, to: number, forward: boolean): Generator<Item> {
  for (let at = from; at < to; at++) yield items[forward ? at : to - 1 - (at - from)] as Item;
}

export const queryTable = (tableNamed: TableNamed, input: Input) => {
  requireKnownParameters(input, ...queryParameters);
  const table = tableNamed(input.TableName);
  const { IndexName, KeyConditionExpression, ExclusiveStartKey, ScanIndexForward: forward = true } = input;
  if (KeyConditionExpression === undefined)
    throw invalid('Either the KeyConditions or KeyConditionExpression parameter must be specified');
  const scope = newScope(input, [KeyConditionExpression, input.FilterExpression, input.ProjectionExpression]);
  const rows = table.rows(IndexName);
  if (IndexName !== undefined && input.ConsistentRead)
    throw invalid('Consistent reads are not supported on global secondary indexes');
  const { value, sort } = keyCondition(KeyConditionExpression, rows.keys, scope);
  if (typeof value !== 'string')
    throw invalid('One or more parameter values were invalid: Condition parameter type does not match schema type');
  const start = ExclusiveStartKey && readStart(table, rows, ExclusiveStartKey);
  // DynamoDB itself rejects this; an emulator can return an empty page instead.
  if (start && start[rows.keys.partition] !== value)
    throw invalid('The provided starting key is outside query boundaries based on provided conditions');
  const items = rows.partition(value);
  let { from, to } = withinSort(items, rows.keys.sort, sort, scope);
  if (start && forward) from = firstWhere(items, (item) => rows.order(item, start) > 0, from);
  if (start && !forward)
    to = Math.min(
      to,
      firstWhere(items, (item) => rows.order(item, start) >= 0),
    );
  return readPage(table, rows, between(items, from, to, forward), input, scope);
};

/** Returns all items of a table. */
export const scanTable = (tableNamed: TableNamed, input: Input) => {
  requireKnownParameters(input, ...queryParameters.filter((name) => !/^(Key|ScanIndex|Index)/.test(name)));
  const table = tableNamed(input.TableName);
  const scope = newScope(input, [input.FilterExpression, input.ProjectionExpression]);
  const rows = table.rows();
  const start = input.ExclusiveStartKey && readStart(table, rows, input.ExclusiveStartKey);
  const items = rows.all().sort(rows.order);
  const first = start ? firstWhere(items, (item) => rows.order(item, start) > 0) : 0;
  return readPage(table, rows, items.slice(first), input, scope);
};

export const get = (tableNamed: TableNamed, input: Input) => {
  requireKnownParameters(input, 'TableName', 'Key', ...readParameters);
  const scope = newScope(input, [input.ProjectionExpression]);
  const table = tableNamed(input.TableName);
  const found = table.get(table.getKey(input.Key ?? {}, true));
  chargeRead(table, found ? itemBytes(found) : 0, input.ConsistentRead);
  return found ? { Item: projection(table.rows(), input, scope)(found) } : {};
};

type KeysRequest = NonNullable<Input['RequestItems']>[string] & { readonly Keys: Item[] };

const batchKeysMax = 100;
const batchBytesMax = 16 * 1024 * 1024;

export const batchGet = (tableNamed: TableNamed, input: Input) => {
  requireKnownParameters(input, 'RequestItems');
  const wanted = Object.entries((input.RequestItems ?? {}) as Record<string, KeysRequest>).flatMap(
    ([name, request]) => {
      requireKnownParameters(request, 'Keys', ...readParameters);
      const table = tableNamed(name);
      return request.Keys.map((Key) => ({ table, request, Key, key: table.getKey(Key, true) }));
    },
  );
  if (wanted.length === 0 || wanted.length > batchKeysMax)
    throw invalid('Too many items requested for the BatchGetItem call');
  if (new Set(wanted.map(({ table, key }) => [table.name, ...key].join('\u0000'))).size < wanted.length)
    throw invalid('Provided list of item keys contains duplicates');
  const Responses: Record<string, Item[]> = {};
  const UnprocessedKeys: Record<string, KeysRequest> = {};
  let bytes = 0;
  for (const { table, request, Key, key } of wanted) {
    Responses[table.name] ??= [];
    const item = table.get(key);
    const size = item ? itemBytes(item) : 0;
    bytes += size;
    if (bytes > batchBytesMax) {
      UnprocessedKeys[table.name] ??= { ...request, Keys: [] };
      UnprocessedKeys[table.name]?.Keys.push(Key);
      continue;
    }
    chargeRead(table, size, request.ConsistentRead);
    const scope = newScope(request, [request.ProjectionExpression]);
    if (item) Responses[table.name]?.push(projection(table.rows(), request, scope)(item));
  }
  return { Responses, UnprocessedKeys };
};
