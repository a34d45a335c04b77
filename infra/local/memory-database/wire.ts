import type { Item, Value } from './values.ts';

/** Attribute values and parameters of DynamoDB's JSON protocol, to and from those of the document client. */

type Wire = Readonly<Record<string, unknown>>;

const fromAttribute = (attribute: Wire): Value => {
  const [[type, value] = ['', undefined], ...others] = Object.entries(attribute);
  if (others.length > 0) throw new Error('An attribute value has one type.');
  switch (type) {
    case 'S':
    case 'BOOL':
      return value as string | boolean;
    case 'N':
      return Number(value);
    case 'NULL':
      return null;
    case 'B':
      return Uint8Array.from(Buffer.from(value as string, 'base64'));
    case 'SS':
      return new Set(value as string[]);
    case 'L':
      return (value as Wire[]).map(fromAttribute);
    case 'M':
      return fromItem(value as Wire);
  }
  throw new Error(`The memory database has no attributes of type ${type}.`);
};

const toAttribute = (value: Value): Wire => {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (value instanceof Uint8Array) return { B: Buffer.from(value).toString('base64') };
  if (value instanceof Set) return { SS: [...value] };
  return Array.isArray(value) ? { L: value.map(toAttribute) } : { M: toItem(value as Item) };
};

export const fromItem = (item: Wire): Item =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, fromAttribute(value as Wire)]));

export const toItem = (item: Item): Wire =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, toAttribute(value)]));

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

/** JSON of an SDK exception's fields, which hold attribute values with plain bytes. */
export const errorText = (fields: object): string =>
  JSON.stringify(fields, (_, value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value));
