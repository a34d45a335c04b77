/** Rows of files: the result of reading a row, the columns of a table, and the entries of rows. */
import { cityName } from '../../catalog/local/place-names.ts';
import type { Entry } from '../importer.ts';
import type { OwnCodes } from '../own-codes.ts';
import { type BrokenRow, misreadReason, openTable, type Row } from './rows.ts';
import type { OnProgress } from './text.ts';

/** The result of reading one row: its value, or why it has none. */
export type RowResult<Value> =
  | { readonly kind: 'row'; readonly value: Value }
  /** The row is skipped on purpose. */
  | { readonly kind: 'skipped'; readonly reason: string }
  /** An error. The reason contains the correction. */
  | { readonly kind: 'bad'; readonly reason: string };

export const row = <Value>(value: Value): RowResult<Value> => ({ kind: 'row', value });
export const skipped = (reason: string): RowResult<never> => ({ kind: 'skipped', reason });
export const bad = (reason: string): RowResult<never> => ({ kind: 'bad', reason });

/** Continues with the value of a row, unless it is skipped or bad. */
export const whenRead = <Value, Next>(
  result: RowResult<Value>,
  next: (value: Value) => RowResult<Next>,
): RowResult<Next> => (result.kind === 'row' ? next(result.value) : result);

/** A column: its accepted headers, ignoring case and punctuation, and the reader of its cells. */
export type Column<Value> = {
  readonly headers: readonly string[];
  readonly isOptional?: true;
  /** Whether a file can have several of the headers. Only the column of the first one in this list is read. */
  readonly prefersFirst?: true;
  /** Returns `null` if the text does not fit the column. A column of counties needs the codes of its state. */
  readonly read: (text: string, codes?: OwnCodes) => Value | null;
  /** The expected content and how to write it: `a date: write it as 7/1/2026`. */
  readonly expected: string;
};
export type Columns = Readonly<Record<string, Column<unknown>>>;

/** The cells of a row by column name; a missing cell is `''`. */
export type Texts<Of extends Columns> = { readonly [Name in keyof Of]: string };
export type Values<Of extends Columns> = {
  readonly [Name in keyof Of]: Of[Name] extends Column<infer Value> ? Value : never;
};

const newColumn = <Value>(
  headers: string | readonly string[],
  read: Column<Value>['read'],
  expected: string,
): Column<Value> => ({ headers: [headers].flat(), read, expected });

/** The kinds of columns, and modifiers such as `optional`. */
export const column = {
  /** A column with its own reader. */
  parsed: newColumn,
  /** A column of arbitrary text. */
  text: (...headers: readonly string[]): Column<string> => newColumn(headers, (cell) => cell, 'a text'),
  /** A column whose cells must match a pattern. */
  matching: (header: string, pattern: RegExp, expected: string): Column<string> =>
    newColumn(header, (cell) => (pattern.test(cell) ? cell : null), expected),
  rate: (header: string | readonly string[], read: (text: string) => string | null, example: string) =>
    newColumn(header, read, `a rate: write it as ${example}`),
  day: (header: string, read: (text: string) => string | null, example: string) =>
    newColumn(header, read, `a date: write it as ${example}`),
  /** A column of city or county names. */
  placeName: (...headers: readonly string[]): Column<string> =>
    newColumn(headers, (cell) => (cityName(cell) === null ? null : cell), 'a name: fill it in'),
  /** A column of counties: reads a name in the state's tables as its code. */
  county: (header: string, expected: string, getName = (cell: string): string => cell): Column<string> =>
    newColumn(header, (cell, codes) => codes?.countyNamed(getName(cell)) ?? null, expected),
  /** A column that a file may omit; its cells are then `''`. */
  optional: <Value>(base: Column<Value>): Column<Value> => ({ ...base, isOptional: true }),
  /** A column for which official files have several headers: the first one in the list is read. */
  preferFirst: <Value>(base: Column<Value>): Column<Value> => ({ ...base, prefersFirst: true }),
};

/** Reads the cells of a row, column by column. An unreadable cell makes it a bad row. */
export const readCells = <Of extends Columns>(
  columns: Of,
  cells: Texts<NoInfer<Of>>,
  codes?: OwnCodes,
): RowResult<Values<Of>> => {
  const values: Record<string, unknown> = {};
  for (const [name, { headers, read, expected }] of Object.entries(columns)) {
    const cell = cells[name as keyof Of];
    values[name] = read(cell, codes);
    if (values[name] === null)
      return bad(`${headers[0]} ${cell === '' ? 'is empty; expected' : `${cell} is not`} ${expected}`);
  }
  return row(values as Values<Of>);
};

/** A row of a table with a header. */
export type HeadedRow<Of extends Columns> = Omit<Row, 'cells'> & { readonly cells: Texts<Of> };

/** The number of rows at the start of a file that `checkWidth` compares with the header. */
const sampleSize = 100;

/**
 * Returns a check for rows whose cells are shifted, for example by a decimal comma. In some files, each row ends with
 * separators. Then the first rows all have more cells than the header, and every row must have the same number. If the
 * header's last column is empty in all of them, surplus cells are refused, because they could be shifted cells.
 */
const checkWidth = ({ length }: readonly string[], first: readonly (Row | BrokenRow)[]) => {
  const whole = first.filter(
    (row): row is Row => !('broken' in row) && row.firstLine === undefined && row.cells.length >= length,
  );
  const isLastFilled = whole.some(({ cells }) => cells[length - 1] !== '');
  const width = isLastFilled ? Math.min(...whole.map(({ cells }) => cells.length)) : length;
  return (cells: readonly string[]): string | null => {
    const isInPlace = cells.length === width && cells.slice(length).every((cell) => cell === '');
    if (isInPlace || cells.length < length) return null;
    const expected = cells.length > length ? `the header has ${length}` : `the first rows have ${width}`;
    return `has ${cells.length} cells, but ${expected}: put a cell with a separator, such as a decimal comma, in quotes`;
  };
};

type HeadedTable<Of extends Columns> = {
  readonly name: string;
  /** Whether the header lacks an accepted name, so that the columns are read by position. */
  readonly isByOrder: boolean;
  readonly rows: AsyncIterable<HeadedRow<Of> | BrokenRow>;
};

/** Returns a header without case and punctuation, for comparison. */
const plainHeader = (header: string): string => header.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/**
 * Returns the position of each column in a header, or -1 if it is missing. With `isInOrder`, each column must come
 * after the previous one.
 */
export const findColumns = (header: readonly string[], columns: Columns, isInOrder = false): readonly number[] => {
  const found = header.map(plainHeader);
  let last = -1;
  return Object.values(columns).map(({ headers }) => {
    const positions = headers.map((text) => found.indexOf(plainHeader(text), isInOrder ? last + 1 : 0));
    last = positions.find((at) => at >= 0) ?? -1;
    return last;
  });
};

/** Returns the headers that match the first repeated column, under one accepted name or several; otherwise `[]`. */
const findRepeated = (header: readonly string[], columns: Columns, positions: readonly number[]): readonly string[] => {
  const plain = header.map(plainHeader);
  for (const [index, { headers, prefersFirst }] of Object.values(columns).entries()) {
    const accepted = prefersFirst ? [plain[positions[index] ?? -1]] : headers.map(plainHeader);
    const found = header.filter((_, at) => accepted.includes(plain[at]));
    if (found.length > 1) return found;
  }
  return [];
};

/** Returns the cells at the positions of the columns. */
export const pickCells = <Of extends Columns>(
  cells: readonly string[],
  columns: Of,
  positions: readonly number[],
): Texts<Of> =>
  Object.fromEntries(
    Object.keys(columns).map((name, index) => [name, cells[positions[index] ?? -1] ?? '']),
  ) as Texts<Of>;

/**
 * Returns whether a header in a different language has the columns in order: the same number of columns, and each
 * recognized name in its place.
 */
const areInOrder = (header: readonly string[], positions: readonly number[]): boolean =>
  header.findLastIndex((text) => text !== '') === positions.length - 1 &&
  positions.every((at, index) => at === -1 || at === index);

export type OpenOptions = { readonly onProgress?: OnProgress | undefined };

/**
 * Opens a table with a header in its first row; columns may come in any order. With `inOrder`, a header that lacks an
 * accepted name is read by position if it has the same number of columns. Throws if a required column is missing or if
 * a column is repeated, even under another accepted name.
 */
export const openHeadedTable = async <Of extends Columns>(
  path: string,
  columns: Of,
  { onProgress, inOrder = false }: OpenOptions & { readonly inOrder?: boolean } = {},
): Promise<HeadedTable<Of>> => {
  const { name, rows } = await openTable(path, onProgress);
  const iterator = rows[Symbol.asyncIterator]();
  const refuse = async (reason: string): Promise<never> => {
    await iterator.return?.();
    throw new Error(`${name} ${reason}`);
  };
  const first = await iterator.next();
  if (first.done) return refuse('is empty.');
  if ('broken' in first.value) return refuse(`cannot be read: line ${first.value.line} ${first.value.broken}.`);
  const header = first.value.cells;
  const found = findColumns(header, columns);
  const missing = Object.values(columns).find(({ isOptional }, index) => !isOptional && (found[index] ?? -1) < 0);
  const hasNumber = header.some((text) => /^\d+(?:[.,]\d+)?$/.test(text));
  if (missing && hasNumber) return refuse('has no header in its first row: add the names of the columns.');
  const isByOrder = missing !== undefined && inOrder && areInOrder(header, found);
  if (missing && !isByOrder)
    return refuse(`has no column ${missing.headers.join(' or ')}. Check the format of the file.`);
  const repeated = findRepeated(header, columns, found);
  if (repeated.length > 0)
    return refuse(`has several columns for the same values: ${repeated.join(' and ')}. Keep the one to import.`);
  const positions = isByOrder ? [...found.keys()] : found;
  async function* headed(): AsyncGenerator<HeadedRow<Of> | BrokenRow> {
    const held: (Row | BrokenRow)[] = [];
    let getSurplus: ReturnType<typeof checkWidth> | null = null;
    function* release(): Generator<HeadedRow<Of> | BrokenRow> {
      getSurplus ??= checkWidth(header, held);
      for (const row of held.splice(0))
        if ('broken' in row) yield row;
        else yield { ...row, surplus: getSurplus(row.cells), cells: pickCells(row.cells, columns, positions) };
    }
    for await (const row of { [Symbol.asyncIterator]: () => iterator })
      if (held.push(row) >= sampleSize || getSurplus !== null) yield* release();
    yield* release();
  }
  return { name, isByOrder, rows: headed() };
};

/** Additional entries of a table, counted with its file. */
type More<AnyRow> = {
  /** Entries for a bad row. */
  readonly ofBad?: (row: AnyRow) => Iterable<Entry>;
  /** Called after an unreadable row, which ends the table. */
  readonly onBroken?: () => void;
  readonly atEnd?: () => Iterable<Entry>;
};

/**
 * Converts rows to entries: `read` parses or refuses a row, and `use` creates entries from the parsed value.
 */
export async function* readRows<AnyRow extends Omit<Row, 'cells'>, Value>(
  {
    name,
    rows,
  }: { readonly name: string; readonly rows: AsyncIterable<AnyRow | BrokenRow> | Iterable<AnyRow | BrokenRow> },
  read: (row: AnyRow) => RowResult<Value>,
  use: (value: Value, line: number) => Iterable<Entry>,
  { ofBad, onBroken, atEnd }: More<AnyRow> = {},
): AsyncGenerator<Entry> {
  yield { kind: 'file', name };
  let count = 0;
  for await (const row of rows) {
    count += 1;
    if ('broken' in row) {
      yield { kind: 'bad', line: row.line, reason: row.broken };
      onBroken?.();
      continue;
    }
    const reason = misreadReason(row);
    const result = reason === null ? read(row) : bad(reason);
    if (result.kind === 'row') yield* use(result.value, row.line);
    else yield { ...result, line: row.line };
    if (result.kind === 'bad' && ofBad) yield* ofBad(row);
  }
  if (atEnd) yield* atEnd();
  yield { kind: 'rows', count };
}
