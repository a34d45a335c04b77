import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect } from 'vitest';
import type { Result } from '../../shared/base/result.ts';
import type { ReleaseHead, ReleasePart } from '../../shared/catalog/content.ts';
import { contentProgram } from '../../shared/cli/content.ts';
import { environment } from '../../shared/config/environment.ts';
import { database } from '../../shared/store/client/client.ts';
import {
  activateRelease,
  beginImport,
  finishImport,
  readActiveReleases,
  writeParts,
} from '../../shared/store/content/content-store.ts';
import { type ItemKey, partKey, releaseHeadKey } from '../../shared/store/keys.ts';
import { getAttribute, storedText } from './raw-items.ts';
import { runInProcess } from './run-command.ts';

/** Runs `npm run content -- …`. */
export const content = (...args: readonly string[]) => runInProcess(contentProgram(), args);

/** Returns the id of a state's active release; `null` if it is the built-in one. */
export const findActive = async (state: string): Promise<string | null> =>
  (await readActiveReleases()).states[`US-${state}`]?.release ?? null;

/** Activates an imported release of a state, or its built-in release. */
export const activate = async (state: string, id: string | null): Promise<void> => {
  const result = await activateRelease(`US-${state}`, id, await readActiveReleases(), '2030-01-01T00:00:00.000Z');
  expect(result.ok).toBe(true);
};

/** Stores a release: begins an import, writes the parts and finishes it. Returns why it was refused, if it was. */
export const importRelease = async (
  head: ReleaseHead,
  parts: AsyncIterable<ReleasePart> | Iterable<ReleasePart>,
): Promise<Result<void>> => {
  const begun = await beginImport(head.id, head.imported_at);
  return begun.ok ? finishImport(begun.value, head, await writeParts(begun.value, parts)) : begun;
};

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
