import type { Command } from '../support/memory-database.ts';

const placeOf = ({ pk, sk }: { readonly pk: string; readonly sk: string }) => `${pk}/${sk}`;

const writeOf = (action: Record<string, any>): string => {
  const [[kind, { Item, Key }]] = Object.entries(action) as [[string, any]];
  return `${kind} ${placeOf(Item ?? Key)}`;
};

/** The items of a transaction's actions, in order. */
export const placesOf = ({ input }: Command): readonly string[] =>
  input['TransactItems'].map((action: Record<string, any>) => {
    const [{ Item, Key }] = Object.values(action);
    return placeOf(Item ?? Key);
  });

/** What a command reads or writes, as text for the trace. */
export const targetOf = ({ constructor: { name }, input }: Command): string => {
  const { TransactItems, RequestItems, IndexName, ExpressionAttributeValues, ExclusiveStartKey, Item, Key } = input;
  const what = name.replace('Command', '');
  if (TransactItems) return `${what} [${TransactItems.map(writeOf).join(', ')}]`;
  if (RequestItems) {
    const keys = Object.values(RequestItems as Record<string, any>).flatMap(({ Keys = [] }) => Keys.map(placeOf));
    return `${what} [${keys.join(', ')}]`;
  }
  if (ExpressionAttributeValues && !Item && !Key)
    return `${what} ${IndexName ?? ''} ${Object.values(ExpressionAttributeValues).join(' ')}${ExclusiveStartKey ? ` after ${placeOf(ExclusiveStartKey)}` : ''}`;
  return `${what} ${placeOf(Item ?? Key)}`;
};
