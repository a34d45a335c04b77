import { readFileSync } from 'node:fs';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { ReleasePart } from '../../shared/catalog/content.ts';
import { environment } from '../../shared/config/environment.ts';
import { database } from '../../shared/store/client/client.ts';
import { type ItemKey, partKey, releaseHeadKey } from '../../shared/store/keys.ts';

/** Modifies the items of imported releases in the Content table. */

const TableName = environment.tables.content;
type Item = Record<string, unknown>;

export const readItem = async (key: ItemKey): Promise<Item> =>
  (await database.send(new GetCommand({ TableName, Key: key, ConsistentRead: true }))).Item as Item;
export const put = (item: Item) => database.send(new PutCommand({ TableName, Item: item }));
export const remove = ({ pk, sk }: ItemKey) => database.send(new DeleteCommand({ TableName, Key: { pk, sk } }));

const getText = ({ content }: Item): string => storedText(content);
export const getContent = (item: Item): ReleasePart => JSON.parse(getText(item));

const changeItem = async (key: ItemKey, change: (item: Item) => Item): Promise<void> => {
  const item = await readItem(key);
  await put({ ...item, ...change(item) });
};

/** Changes attributes of the item of a part or a head. */
export const changePart = (release: string, key: string, change: (item: Item) => Item) =>
  changeItem(partKey(release, key), change);
export const changeHead = (release: string, change: (item: Item) => Item) =>
  changeItem(releaseHeadKey(release), change);

/** Replaces a string in the item's compressed content. */
export const withText = (before: string, after: string) => (item: Item) => {
  const text = getText(item);
  if (!text.includes(before)) throw new Error(`The content has no ${before}.`);
  return { content: getAttribute(text.replaceAll(before, after)) };
};

// Does not use the store's code, so a bug in both writing and reading is found. Looks up the functions on each call,
// because the simulation replaces them.
const zlib = () => process.getBuiltinModule('node:zlib');
const file = new URL('../../shared/store/client/compression-dictionary-1.txt', import.meta.url);
/** The compression dictionary of version 1. */
export const dictionary = Buffer.from(readFileSync(file, 'utf8').replaceAll(/\r?\n/g, ''));
const options = { dictionary };

/** Decompresses an attribute: its version, the CRC-32 of the data, then raw deflate with the dictionary. */
export const storedBytes = (attribute: unknown): Buffer => {
  const compressed = Buffer.from(attribute as Uint8Array);
  const bytes = zlib().inflateRawSync(compressed.subarray(5), options);
  if (compressed[0] !== 1 || compressed.readUInt32BE(1) !== zlib().crc32(bytes))
    throw new Error('A compressed attribute has another version or checksum.');
  return bytes;
};

export const storedText = (attribute: unknown): string => storedBytes(attribute).toString();

/** Compresses a string to an attribute. */
export const getAttribute = (text: string): Buffer => {
  const head = Buffer.alloc(5, 1);
  head.writeUInt32BE(zlib().crc32(text), 1);
  return Buffer.concat([head, zlib().deflateRawSync(text, options)]);
};
