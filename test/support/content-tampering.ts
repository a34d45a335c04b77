/** Modifies the items of imported releases in the Content table. */
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { ReleasePart } from '../../shared/catalog/content.ts';
import { environment } from '../../shared/config/environment.ts';
import { database } from '../../shared/store/client/client.ts';
import { type ItemKey, partKey, releaseHeadKey } from '../../shared/store/keys.ts';
import { getAttribute, storedText } from './stored-bytes.ts';

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
