import { existsSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import type { Database } from './database.ts';
import { tableFrom } from './table-calls.ts';
import type { Item } from './values.ts';
import { fromItem, parseWire, toItem, wireText } from './wire.ts';

/** What one call changed: a table was created, or items were written. One line of the file. */
type Line =
  | { readonly create: CreateTableCommandInput }
  | { readonly writes: readonly { readonly table: string; readonly item?: object; readonly key?: object }[] };

export type Change = { readonly table: string; readonly before: Item | undefined; readonly after: Item | undefined };

const journalName = 'levy.jsonl';

/** The complete lines. A last line without its end was being written when the process ended, and its caller got no answer. */
const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => parseWire(line) as Line);

/**
 * Keep a database in a folder: replay the file, shorten it to what is there now, and append each further change.
 *
 * An appended line survives the end of this process. It may be lost when the machine loses power.
 */
export const openJournal = (folder: string, database: Database, descriptions: Map<string, CreateTableCommandInput>) => {
  const path = join(folder, journalName);
  const replay = (line: Line): void => {
    if ('create' in line) {
      const { TableName = '' } = line.create;
      descriptions.set(TableName, line.create);
      database.tables.set(TableName, tableFrom(line.create));
      return;
    }
    for (const { table: name, item, key = {} } of line.writes) {
      const table = database.tables.get(name);
      if (!table) throw new Error(`${path} writes to the table ${name}, which it has not created.`);
      const after = item && fromItem(item);
      const { partition, sort } = table.definition;
      const at = after ?? fromItem(key);
      const place = [String(at[partition.name]), String(at[sort.name])] as const;
      table.replace(place, table.get({ [partition.name]: place[0], [sort.name]: place[1] }), after);
    }
  };
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  linesOf(text).forEach(replay);

  const written = [...descriptions.values()].map((create) => wireText({ create }));
  for (const [table, { all }] of [...database.tables].map(([name, table]) => [name, { all: table.all() }] as const))
    for (const item of all) written.push(wireText({ writes: [{ table, item: toItem(item) }] }));
  writeFileSync(`${path}.new`, written.map((line) => `${line}\n`).join(''));
  renameSync(`${path}.new`, path);

  const file = openSync(path, 'a');
  const append = (line: Line) => void writeSync(file, `${wireText(line)}\n`);
  return {
    created: (create: CreateTableCommandInput) => append({ create }),
    changed: (changes: readonly Change[]) =>
      append({
        writes: changes.map(({ table, before, after }) => {
          if (after) return { table, item: toItem(after) };
          const { partition, sort } = database.tables.get(table)?.definition ?? {};
          const names = [partition?.name, sort?.name];
          const key = Object.fromEntries(Object.entries(before ?? {}).filter(([name]) => names.includes(name)));
          return { table, key: toItem(key) };
        }),
      }),
  };
};
