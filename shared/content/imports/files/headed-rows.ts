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
  readonly rows: AsyncIterable<HeadedRow<Column> | BrokenRow>;
};

/** A header without case and punctuation, to compare it. */
export const plainHeader = (header: string): string => header.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

const indexesOf = <Column extends string>(header: readonly string[], columns: Columns<Column>, name: string) => {
  const found = header.map(plainHeader);
  const entries = Object.entries(columns) as [Column, Columns<Column>[Column]][];
  return entries.map(([column, { headers, required }]): readonly [Column, number] => {
    const index = headers.map((text) => found.indexOf(plainHeader(text))).find((at) => at >= 0) ?? -1;
    if (index < 0 && required) throw new Error(`${name} has no column ${headers.join(' or ')}: is it of this format?`);
    return [column, index];
  });
};

/** Open a table with a header in its first row; columns may come in any order. Throws where a required one is missing. */
export const openHeadedTable = async <Column extends string>(
  path: string,
  columns: Columns<Column>,
  onProgress?: (readBytes: number, totalBytes: number) => void,
): Promise<HeadedTable<Column>> => {
  const table = await openTable(path, ',', onProgress);
  async function* rows(): AsyncGenerator<HeadedRow<Column> | BrokenRow> {
    let indexes: readonly (readonly [Column, number])[] | undefined;
    let isEmpty = true;
    for await (const row of table.rows) {
      isEmpty = false;
      if ('broken' in row) yield row;
      else if (indexes) {
        const cells = indexes.map(([column, index]) => [column, row.cells[index] ?? '']);
        yield { ...row, cells: Object.fromEntries(cells) };
      } else indexes = indexesOf(row.cells, columns, table.name);
    }
    if (isEmpty) throw new Error(`${table.name} is empty.`);
  }
  return { name: table.name, rows: rows() };
};
