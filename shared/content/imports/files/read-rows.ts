import type { Entry } from '../entry.ts';
import { bad, type RowResult } from '../row-result.ts';
import { type BrokenRow, multilineReason, type Row } from './rows.ts';

type Numbered = Omit<Row, 'cells'>;

/**
 * Turn rows into entries. `read` parses or refuses a row, `use` makes entries from its value, and `useBad` makes
 * additional entries for a bad row. The `file` entry comes last.
 */
export async function* readRows<AnyRow extends Numbered, Value>(
  { name, rows }: { readonly name: string; readonly rows: AsyncIterable<AnyRow | BrokenRow> },
  read: (row: AnyRow) => RowResult<Value>,
  use: (value: Value, line: number) => Iterable<Entry>,
  useBad: (row: AnyRow) => Iterable<Entry> = () => [],
): AsyncGenerator<Entry> {
  let count = 0;
  for await (const row of rows) {
    count += 1;
    if ('broken' in row) {
      yield { kind: 'bad', line: row.line, reason: row.broken };
      continue;
    }
    const multiline = multilineReason(row);
    const result = multiline === null ? read(row) : bad(multiline);
    if (result.kind === 'row') yield* use(result.value, row.line);
    else yield { kind: result.kind, line: row.line, reason: result.reason };
    if (result.kind === 'bad') yield* useBad(row);
  }
  yield { kind: 'file', name, rows: count };
}

/** The only file of a format that has one. */
export const onlyFile = (files: readonly string[]): string => {
  const [file] = files;
  if (file === undefined || files.length > 1)
    throw new Error(`This format takes one file; ${files.length} were given.`);
  return file;
};
