import { isDeepStrictEqual } from 'node:util';
import { type CancellationReason, DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import { chargeWrite } from './capacity.ts';
import { matchesCondition } from './evaluate.ts';
import { canceled, conditionReason, invalid, invalidReason, noReason, tokenReused } from './exceptions.ts';
import { type Input, requireKnownParameters, type TableNamed } from './parameters.ts';
import { type Item, itemBytes } from './values.ts';
import { currentItem, type Write, writeKinds } from './writes.ts';

const actionsMax = 100;
const transactionBytesMax = 4 * 1024 * 1024;
const tokenKeptMs = 10 * 60_000;

/** The client's tokens of the last ten minutes, with what they were sent with. */
export type Tokens = Map<string, { readonly atMs: number; readonly items: unknown }>;

const readAction = (tableNamed: TableNamed, action: Readonly<Record<string, Input>>): Write => {
  const [[kind = '', input] = ['', {}], ...others] = Object.entries(action).filter(([, part]) => part !== undefined);
  const making = writeKinds[kind];
  if (!making || others.length > 0) throw invalid('TransactItems can only contain one of Check, Put, Update or Delete');
  requireKnownParameters(input, ...making.parameters);
  return making.make(tableNamed, input);
};

type Result = { readonly item: Item | undefined } | { readonly reason: CancellationReason };

// The item after a write, or the reason for its refusal: its condition, or an update that does not fit the item.
const toResult = (write: Write, before: Item | undefined): Result => {
  if (!matchesCondition(write.condition, before, write.scope))
    return { reason: conditionReason(write.showsOld ? before : undefined) };
  try {
    return { item: write.after(before) };
  } catch (error) {
    if (error instanceof DynamoDBServiceException) return { reason: invalidReason(error) };
    throw error;
  }
};

/** Perform all writes or none. A repeated token with the same parameters writes nothing. */
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
  const before = writes.map(currentItem);
  const results = writes.map((write, at) => toResult(write, before[at]));
  if (results.some((result) => 'reason' in result))
    throw canceled(results.map((result) => ('reason' in result ? result.reason : noReason)));
  const after = results.map((result) => ('item' in result ? result.item : undefined));
  if (after.reduce((sum, item) => sum + (item ? itemBytes(item) : 0), 0) > transactionBytesMax)
    throw invalid('The transaction has more than 4 MB.');
  writes.forEach(({ table, key }, at) => {
    chargeWrite(table, before[at], after[at], 2);
    if (after[at] !== before[at]) table.replace(key, before[at], after[at]);
  });
  if (token !== undefined) tokens.set(token, { atMs: nowMs, items });
  return {};
};
