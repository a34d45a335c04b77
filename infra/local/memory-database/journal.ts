import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import type { Database } from './database.ts';
import { tableFrom } from './table-calls.ts';
import type { Item } from './values.ts';
import { fromItem, parseWire, toItem, wireText } from './wire.ts';

/** One line of the file: the table that a call created, or the items that it wrote. */
type Line =
  | { readonly create: CreateTableCommandInput }
  | { readonly writes: readonly { readonly table: string; readonly item?: object; readonly key?: object }[] };

export type Change = { readonly table: string; readonly before: Item | undefined; readonly after: Item | undefined };

const journalName = 'levy.jsonl';

/**
 * The complete lines. A last line without its end was being written when the process ended, and its caller got no
 * answer.
 */
function* completeLines(path: string): Generator<Line> {
  // Read in parts, because a file may be longer than a string can be.
  const bytes = readFileSync(path);
  for (let from = 0, end = bytes.indexOf('\n'); end >= 0; from = end + 1, end = bytes.indexOf('\n', from))
    yield parseWire(bytes.toString('utf8', from, end)) as Line;
}

/**
 * Keep a database in a folder: replay the file, compact it to the current state, and append each further change.
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
  if (existsSync(path)) for (const line of completeLines(path)) replay(line);

  const append = (file: number, line: Line) => void writeSync(file, `${wireText(line)}\n`);
  const copy = openSync(`${path}.new`, 'w');
  for (const create of descriptions.values()) append(copy, { create });
  for (const [table, stored] of database.tables)
    for (const item of stored.all()) append(copy, { writes: [{ table, item: toItem(item) }] });
  // A machine that loses power keeps the old file or the new one.
  fsyncSync(copy);
  closeSync(copy);
  renameSync(`${path}.new`, path);

  const file = openSync(path, 'a');
  return {
    created: (create: CreateTableCommandInput) => append(file, { create }),
    changed: (changes: readonly Change[]) =>
      append(file, {
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
