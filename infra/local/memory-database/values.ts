import { isDeepStrictEqual } from 'node:util';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';

/** Attribute values in the shape of the document client. */
export type Value = string | number | boolean | null | Uint8Array | readonly Value[] | Item;
export type Item = { readonly [name: string]: Value };

// JavaScript orders these UTF-16 units differently from UTF-8.
const unusual = /[\ud800-\uffff]/;

const compareText = (left: string, right: string): number =>
  unusual.test(left) || unusual.test(right)
    ? Buffer.compare(Buffer.from(left), Buffer.from(right))
    : left < right
      ? -1
      : Number(left > right);

const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;

/** DynamoDB's type letter of a value. */
export const valueType = (value: Value): string => {
  if (typeof value === 'string') return 'S';
  if (typeof value === 'number') return 'N';
  if (typeof value === 'boolean') return 'BOOL';
  if (value === null) return 'NULL';
  if (isBytes(value)) return 'B';
  return Array.isArray(value) ? 'L' : 'M';
};

/** Compares two values: negative, 0 or positive; `undefined` for values that have no order. */
export const compare = (left: Value, right: Value): number | undefined => {
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right);
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  return isBytes(left) && isBytes(right) ? Buffer.compare(left, right) : undefined;
};

export const isEqual = (left: Value, right: Value): boolean =>
  compare(left, right) === 0 || isDeepStrictEqual(left, right);

const textBytes = (text: string) => Buffer.byteLength(text);

// Two digits take a byte; sign and exponent take one more.
const numberBytes = (value: number) => {
  const digits = String(Math.abs(value))
    .replace('.', '')
    .replace(/^0+|0+$/g, '').length;
  return Math.ceil(digits / 2) + 1 + Number(value < 0);
};

const valueBytes = (value: Value): number => {
  if (typeof value === 'string') return textBytes(value);
  if (typeof value === 'number') return numberBytes(value);
  if (typeof value === 'boolean' || value === null) return 1;
  if (isBytes(value)) return value.length;
  const parts = Array.isArray(value)
    ? value.map((part) => 1 + valueBytes(part))
    : [itemBytes(value as Item) + Object.keys(value).length];
  return parts.reduce((sum, part) => sum + part, 3);
};

/** Returns an item's size in bytes as DynamoDB counts it against its limits. */
export const itemBytes = (item: Item): number => {
  let bytes = 0;
  for (const name in item) bytes += textBytes(name) + valueBytes(item[name] as Value);
  return bytes;
};

/** Returns an item with only the named attributes that it has. */
export const pick = (item: Item, names: Iterable<string>): Item =>
  Object.fromEntries([...names].flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));

// Conversions of attribute values and parameters between DynamoDB's JSON protocol and the document client.

type Wire = Readonly<Record<string, unknown>>;

/** Parses protocol JSON, with base64 converted to bytes. Only an attribute value has text under the name B. */
export const parseWire = (text: string): unknown =>
  JSON.parse(text, (name, value) =>
    name === 'B' && typeof value === 'string' ? Uint8Array.from(Buffer.from(value, 'base64')) : value,
  );

/** Serializes protocol JSON, with bytes converted to base64. */
export const wireText = (value: unknown): string =>
  JSON.stringify(value, (_, inner) => (inner instanceof Uint8Array ? Buffer.from(inner).toString('base64') : inner));

export const fromItem = (item: object): Item => unmarshall(item as Parameters<typeof unmarshall>[0]);
export const toItem = (item: Item): Wire => marshall(item);

const itemFields = /^(Key|Item|Attributes|ExpressionAttributeValues|ExclusiveStartKey|LastEvaluatedKey)$/;
const itemLists = /^(Keys|Items)$/;

/** Applies a conversion to every item within a request or a response; in `Responses`, each table has a list of items. */
const convertItems = (part: unknown, convert: (item: never) => unknown, isResponses = false): unknown => {
  if (Array.isArray(part)) return part.map((inner) => convertItems(inner, convert));
  if (typeof part !== 'object' || part === null) return part;
  const convertField = (name: string, value: unknown): unknown => {
    if (isResponses || itemLists.test(name)) return (value as never[]).map(convert);
    return itemFields.test(name) ? convert(value as never) : convertItems(value, convert, name === 'Responses');
  };
  const sent = Object.entries(part).filter(([, value]) => value !== undefined);
  return Object.fromEntries(sent.map(([name, value]) => [name, convertField(name, value)]));
};

export const fromRequest = (body: Wire): Wire => convertItems(body, fromItem) as Wire;
export const toAnswer = (answer: object): Wire => convertItems(answer, toItem) as Wire;
