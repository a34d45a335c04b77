import type { Entry } from '../entry.ts';
import { type BrokenRow, multilineReason, type Row } from './rows.ts';

/** The result of reading one row: its value, or why it has none. */
export type RowResult<Value> =
  | { readonly kind: 'row'; readonly value: Value }
  /** Skipped on purpose. */
  | { readonly kind: 'skipped'; readonly reason: string }
  /** Wrong: the reason includes how to correct the row. */
  | { readonly kind: 'bad'; readonly reason: string };

export const row = <Value>(value: Value): RowResult<Value> => ({ kind: 'row', value });
export const skipped = (reason: string): RowResult<never> => ({ kind: 'skipped', reason });
export const bad = (reason: string): RowResult<never> => ({ kind: 'bad', reason });

/** Additional entries of a table, for the counts of its file. */
type More<AnyRow> = {
  /** Entries for a bad row. */
  readonly ofBad?: (row: AnyRow) => Iterable<Entry>;
  /** Called for a row after which the table cannot be read on. */
  readonly onBroken?: () => void;
  readonly atEnd?: () => Iterable<Entry>;
};

/** Turn rows into entries: `read` parses or refuses a row, and `use` makes entries from its value. The `file` entry comes last. */
export async function* readRows<AnyRow extends Omit<Row, 'cells'>, Value>(
  { name, rows }: { readonly name: string; readonly rows: AsyncIterable<AnyRow | BrokenRow> },
  read: (row: AnyRow) => RowResult<Value>,
  use: (value: Value, line: number) => Iterable<Entry>,
  { ofBad, onBroken, atEnd }: More<AnyRow> = {},
): AsyncGenerator<Entry> {
  let count = 0;
  for await (const row of rows) {
    count += 1;
    if ('broken' in row) {
      yield { kind: 'bad', line: row.line, reason: row.broken };
      onBroken?.();
      continue;
    }
    const multiline = multilineReason(row);
    const result = multiline === null ? read(row) : bad(multiline);
    if (result.kind === 'row') yield* use(result.value, row.line);
    else yield { ...result, line: row.line };
    if (result.kind === 'bad' && ofBad) yield* ofBad(row);
  }
  if (atEnd) yield* atEnd();
  yield { kind: 'file', name, rows: count };
}

/** The only file of a format that has one. */
export const onlyFile = (files: readonly string[]): string => {
  const [file] = files;
  if (file === undefined || files.length > 1)
    throw new Error(`This format takes one file; ${files.length} were given.`);
  return file;
};
