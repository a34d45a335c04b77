import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { Item } from './values.ts';

/** Attribute values and parameters of DynamoDB's JSON protocol, to and from values of the document client. */

type Wire = Readonly<Record<string, unknown>>;

/** Parse JSON of the protocol, with bytes for base64. Only an attribute value has text under the name B. */
export const parseWire = (text: string): unknown =>
  JSON.parse(text, (name, value) =>
    name === 'B' && typeof value === 'string' ? Uint8Array.from(Buffer.from(value, 'base64')) : value,
  );

/** JSON of the protocol, with base64 for bytes. */
export const wireText = (value: unknown): string =>
  JSON.stringify(value, (_, inner) => (inner instanceof Uint8Array ? Buffer.from(inner).toString('base64') : inner));

export const fromItem = (item: object): Item => unmarshall(item as Parameters<typeof unmarshall>[0]);
export const toItem = (item: Item): Wire => marshall(item);

const itemFields = new Set([
  'Key',
  'Item',
  'Attributes',
  'ExpressionAttributeValues',
  'ExclusiveStartKey',
  'LastEvaluatedKey',
]);
const itemLists = new Set(['Keys', 'Items']);

/** Apply a conversion to every item within a request or an answer. */
const convertItems = (part: unknown, convert: (item: never) => unknown): unknown => {
  if (Array.isArray(part)) return part.map((inner) => convertItems(inner, convert));
  if (typeof part !== 'object' || part === null) return part;
  const entry = ([name, value]: [string, unknown]): [string, unknown] => {
    if (itemFields.has(name)) return [name, convert(value as never)];
    if (itemLists.has(name)) return [name, (value as never[]).map(convert)];
    if (name === 'Responses')
      return [
        name,
        Object.fromEntries(Object.entries(value as object).map(([table, items]) => [table, items.map(convert)])),
      ];
    return [name, convertItems(value, convert)];
  };
  return Object.fromEntries(
    Object.entries(part)
      .filter(([, value]) => value !== undefined)
      .map(entry),
  );
};

export const fromRequest = (body: Wire): Wire => convertItems(body, fromItem) as Wire;
export const toAnswer = (answer: object): Wire => convertItems(answer, toItem) as Wire;
