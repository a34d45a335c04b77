import { chargeRead } from './capacity.ts';
import { newScope, resolveName, type Scope } from './evaluate.ts';
import { invalid } from './exceptions.ts';
import { type Input, requireKnownParameters, type TableNamed } from './parameters.ts';
import { query, scan } from './query.ts';
import { parseProjection } from './syntax.ts';
import type { Lag } from './table.ts';
import { copiedItem, type Item, pick } from './values.ts';

const projected = (item: Item | undefined, expression: string | undefined, scope: Scope): Item | undefined => {
  if (item === undefined || expression === undefined) return item;
  return pick(
    item,
    parseProjection(expression).map((path) => resolveName(path, scope)),
  );
};

export const get = (tableNamed: TableNamed, input: Input) => {
  requireKnownParameters(
    input,
    'TableName',
    'Key',
    'ConsistentRead',
    'ProjectionExpression',
    'ExpressionAttributeNames',
  );
  const scope = newScope(input, [input.ProjectionExpression]);
  const table = tableNamed(input.TableName);
  const found = table.get(copiedItem(input.Key));
  chargeRead(table, found ? table.sizeOf(found) : 0, input.ConsistentRead);
  const item = projected(found, input.ProjectionExpression, scope);
  return item ? { Item: copiedItem(item) } : {};
};

type KeysRequest = Input & { readonly Keys: readonly Item[] };

const batchKeysMax = 100;
const batchBytesMax = 16 * 1024 * 1024;

export const batchGet = (tableNamed: TableNamed, input: Input) => {
  requireKnownParameters(input, 'RequestItems');
  const wanted = Object.entries((input.RequestItems ?? {}) as Record<string, KeysRequest>).flatMap(
    ([name, request]) => {
      requireKnownParameters(request, 'Keys', 'ConsistentRead', 'ProjectionExpression', 'ExpressionAttributeNames');
      return request.Keys.map((Key) => ({ name, request, Key: copiedItem(Key) }));
    },
  );
  if (wanted.length === 0 || wanted.length > batchKeysMax)
    throw invalid('Too many items requested for the BatchGetItem call');
  if (new Set(wanted.map(({ name, Key }) => `${name} ${tableNamed(name).idOf(Key)}`)).size < wanted.length)
    throw invalid('Provided list of item keys contains duplicates');
  const Responses: Record<string, Item[]> = {};
  const UnprocessedKeys: Record<string, KeysRequest & { Keys: Item[] }> = {};
  let bytes = 0;
  for (const { name, request, Key } of wanted) {
    const table = tableNamed(name);
    Responses[name] ??= [];
    const item = table.get(Key);
    bytes += item ? table.sizeOf(item) : 0;
    if (bytes > batchBytesMax) {
      const unprocessed = UnprocessedKeys[name] ?? { ...request, Keys: [] };
      unprocessed.Keys.push(Key);
      UnprocessedKeys[name] = unprocessed;
      continue;
    }
    chargeRead(table, item ? table.sizeOf(item) : 0, request.ConsistentRead);
    if (item) {
      const scope = newScope(request, [request.ProjectionExpression]);
      Responses[name].push(copiedItem(projected(item, request.ProjectionExpression, scope)));
    }
  }
  return { Responses, UnprocessedKeys };
};

const queryParameters = [
  'TableName',
  'IndexName',
  'KeyConditionExpression',
  'FilterExpression',
  'ProjectionExpression',
  'ExpressionAttributeNames',
  'ExpressionAttributeValues',
  'ExclusiveStartKey',
  'ScanIndexForward',
  'ConsistentRead',
  'Limit',
] as const;

export const queryTable = (tableNamed: TableNamed, input: Input, lag?: Lag) => {
  requireKnownParameters(input, ...queryParameters);
  return query(tableNamed(input.TableName), input, lag);
};

export const scanTable = (tableNamed: TableNamed, input: Input) => {
  requireKnownParameters(input, ...queryParameters.filter((name) => !/^(Key|ScanIndex)/.test(name)));
  return scan(tableNamed(input.TableName), input);
};
