import { type BrokenRow, openTable, type Row } from './rows.ts';

/** A row of a table with a header: its cells by the names that the importer gives its columns; none is `''`. */
export type HeadedRow<Column extends string> = Omit<Row, 'cells'> & {
  readonly cells: Readonly<Record<Column, string>>;
};

/** The accepted headers of each column, in any case and punctuation. */
export type Columns<Column extends string> = Readonly<
  Record<Column, { readonly headers: readonly string[]; readonly required: boolean }>
>;

/** A column by its accepted headers. */
export const column = (required: boolean, ...headers: readonly string[]) => ({ headers, required });

export type HeadedTable<Column extends string> = {
  readonly name: string;
  /** Whether the header has other names than the accepted ones, so that the order of the columns counts. */
  readonly isByOrder: boolean;
  readonly rows: AsyncIterable<HeadedRow<Column> | BrokenRow>;
};

/** A header without case and punctuation, to compare it. */
export const plainHeader = (header: string): string => header.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

type Indexes<Column extends string> = readonly (readonly [Column, number])[];

/** The position of each column in a header; -1 without it. */
const indexesIn = <Column extends string>(header: readonly string[], columns: Columns<Column>): Indexes<Column> => {
  const found = header.map(plainHeader);
  const entries = Object.entries(columns) as [Column, Columns<Column>[Column]][];
  return entries.map(([column, { headers }]): readonly [Column, number] => [
    column,
    headers.map((text) => found.indexOf(plainHeader(text))).find((at) => at >= 0) ?? -1,
  ]);
};

/** Whether a header in another language has the columns in their order: as many, and each known name in its place. */
const areInOrder = <Column extends string>(header: readonly string[], indexes: Indexes<Column>): boolean =>
  header.findLastIndex((text) => text !== '') === indexes.length - 1 &&
  indexes.every(([, at], index) => at === -1 || at === index);

const isNumber = (text: string): boolean => /^\d+(?:[.,]\d+)?$/.test(text);

/**
 * Open a table with a header in its first row; columns may come in any order. With `inOrder`, a header without the accepted
 * names is read by the order of the columns, if it has as many. Throws where a required column is missing.
 */
export const openHeadedTable = async <Column extends string>(
  path: string,
  columns: Columns<Column>,
  onProgress?: (readBytes: number, totalBytes: number) => void,
  { inOrder = false }: { readonly inOrder?: boolean } = {},
): Promise<HeadedTable<Column>> => {
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
  const found = indexesIn(header, columns);
  const missing = found.find(([column, at]) => at < 0 && columns[column].required);
  if (missing && header.some(isNumber)) return refuse('has no header in its first row: add the names of the columns.');
  const isByOrder = missing !== undefined && inOrder && areInOrder(header, found);
  if (missing && !isByOrder)
    return refuse(`has no column ${columns[missing[0]].headers.join(' or ')}. Check the format of the file.`);
  const indexes = isByOrder ? found.map(([column], index): readonly [Column, number] => [column, index]) : found;
  async function* headed(): AsyncGenerator<HeadedRow<Column> | BrokenRow> {
    for await (const row of { [Symbol.asyncIterator]: () => iterator }) {
      if ('broken' in row) {
        yield row;
        continue;
      }
      const cells = {} as Record<Column, string>;
      for (const [column, at] of indexes) cells[column] = row.cells[at] ?? '';
      yield { ...row, cells };
    }
  }
  return { name, isByOrder, rows: headed() };
};
