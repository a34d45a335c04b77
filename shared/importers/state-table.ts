/**
 * A format of files with the local rates of one state: its columns, the rows to skip, and how to read the other rows.
 */

import {
  type Columns,
  type HeadedRow,
  openHeadedTable,
  type RowResult,
  readCells,
  readRows,
  skipped,
  type Texts,
  type Values,
  whenRead,
} from './files/columns.ts';
import type { BrokenRow } from './files/rows.ts';
import type { Entry, Importer, ReadOptions } from './importer.ts';
import { LocalTaxes, type TaxedPlace } from './local-taxes.ts';
import { OwnCodes } from './own-codes.ts';
import { dayOfFile } from './updates/file-names.ts';

type StateOptions = ReadOptions & { readonly codes: OwnCodes };
/** `from`: the first day of the rates, for a format that has it in the file name. */
export type TableOptions = StateOptions & { readonly from: string };

type StateFile = Pick<Importer, 'format' | 'describe'> &
  Record<'file' | 'state', string> & { readonly read: (path: string, options: StateOptions) => AsyncIterable<Entry> };

/** A single-file format of one state whose layout is not a table. `file` describes the file. */
export const stateFile = ({ file, state, read, ...format }: StateFile): Importer => ({
  ...format,
  files: [{ option: 'file', describe: file }],
  onlyState: state,
  confidence: 'high',
  read: ([path = ''], options) => read(path, { ...options, codes: new OwnCodes(state, options.names) }),
});

type Table<Of extends Columns> = {
  readonly name: string;
  readonly rows: AsyncIterable<HeadedRow<Of> | BrokenRow> | Iterable<HeadedRow<Of> | BrokenRow>;
  /** The first day of the rates, if the table has it. */
  readonly from?: string;
};

type StateTable<Of extends Columns> = Omit<StateFile, 'read'> & {
  readonly columns: Of;
  /** Returns the table of the file, or its tables. Default: a table of text with a header in its first row. */
  readonly open?: (path: string, columns: Of, options: ReadOptions) => Promise<Table<Of> | readonly Table<Of>[]>;
  /** The month of the rates in the name of the file (`dayOfFile`), and an example of a name. */
  readonly month?: { readonly pattern: RegExp; readonly example: string };
  /** Returns why a row is skipped, before its cells are checked; `null` if it is not. */
  readonly skip?: (cells: Texts<Of>, options: TableOptions) => string | null;
  readonly read: (values: Values<Of>, options: TableOptions) => RowResult<readonly TaxedPlace[]>;
};

/** A format of one state whose rows have the same columns. */
export const stateTable = <Of extends Columns>({
  columns,
  open = openHeadedTable,
  month,
  skip = () => null,
  read,
  ...format
}: StateTable<Of>): Importer =>
  stateFile({
    ...format,
    async *read(path, given) {
      const ofFile = { ...given, from: month ? dayOfFile(path, month.pattern, month.example) : '' };
      const taxes = new LocalTaxes();
      for (const { from = ofFile.from, ...table } of [await open(path, columns, given)].flat()) {
        const options = { ...ofFile, from };
        const readRow = ({ cells }: HeadedRow<Of>): RowResult<readonly TaxedPlace[]> => {
          const reason = skip(cells, options);
          if (reason !== null) return skipped(reason);
          return whenRead(readCells(columns, cells, options.codes), (values) => read(values, options));
        };
        yield* readRows(table, readRow, (places, line) => taxes.add(places, line));
      }
      yield* taxes.entries();
    },
  });
