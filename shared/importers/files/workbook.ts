import { stat } from 'node:fs/promises';
import { Decimal } from 'decimal.js';
import readExcelFile from 'read-excel-file/node';
import { type Columns, findColumns, type HeadedRow, pickCells } from './columns.ts';
import { fileName } from './local-name.ts';
import type { Row } from './rows.ts';
import type { OnProgress } from './text.ts';
import { vettedWorkbook } from './vetted-workbook.ts';

/** A sheet: its rows with any text, each with its number in the sheet, from 1. */
export type Sheet = { readonly name: string; readonly rows: readonly Row[] };

/** Excel shows and keeps 15 significant digits; the others of a stored number are noise of its binary form. */
const significantDigits = 15;

/**
 * A number as a workbook stores it, as plain decimal text: `9.9750000000000005E-2` is `0.09975`. It is rounded half up to
 * 15 significant digits and is never a floating-point number. `null` for text that is no number.
 */
export const workbookNumber = (text: string): string | null =>
  /^-?\d+(?:\.\d*)?(?:[eE][+-]?\d{1,2})?$/.test(text)
    ? new Decimal(text).toSignificantDigits(significantDigits, Decimal.ROUND_HALF_UP).toFixed()
    : null;

/** Cells share their texts, so a small workbook can have texts without end. Known workbooks have less than 1 million. */
const charactersMax = 8_000_000;

/** Numbers are exact decimal text, and days are `YYYY-MM-DD`. Refuses texts that are too long together. */
class CellTexts {
  private readonly known = new Map<string, string>();
  private characters = 0;

  readonly of = (cell: unknown): string => {
    if (cell === null || cell === undefined) return '';
    const text = cell instanceof Date ? cell.toISOString().slice(0, 10) : this.plain(String(cell));
    this.characters += text.length;
    if (this.characters > charactersMax)
      throw new Error(`its cells have more than ${charactersMax} characters, which no workbook of rates has.`);
    return text;
  };

  private plain(text: string): string {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    const plain = text.replaceAll(/\s+/g, ' ').trim();
    this.known.set(text, plain);
    return plain;
  }
}

/**
 * Read the sheets of an XLSX workbook as text. A number is the decimal text of what the workbook stores, never a
 * floating-point number. Throws where the file is no workbook.
 */
export const readWorkbook = async (
  path: string,
  onProgress: OnProgress = () => {},
): Promise<{ readonly name: string; readonly sheets: readonly Sheet[] }> => {
  const name = fileName(path);
  const { size } = await stat(path);
  try {
    const sheets = await readExcelFile(await vettedWorkbook(path), {
      parseNumber: (text) => workbookNumber(text) ?? text,
    });
    onProgress(size, size);
    const texts = new CellTexts();
    return {
      name,
      sheets: sheets.map(({ sheet, data }) => ({
        name: sheet,
        rows: data
          .map((cells, index) => ({ line: index + 1, cells: cells.map(texts.of) }))
          .filter(({ cells }) => cells.some((text) => text !== '')),
      })),
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${name} cannot be read as an XLSX workbook: ${reason}`, { cause: error });
  }
};

/**
 * The rows of a sheet below its header, which has the columns in their order, with others between them. Throws where no
 * row has all of them.
 */
export const rowsBelow = <Of extends Columns>(
  file: string,
  { name, rows }: Sheet,
  columns: Of,
): readonly HeadedRow<Of>[] => {
  for (const [index, row] of rows.entries()) {
    const positions = findColumns(row.cells, columns, true);
    if (positions.every((at, column) => at > (positions[column - 1] ?? -1)))
      return rows.slice(index + 1).map(({ line, cells }) => ({ line, cells: pickCells(cells, columns, positions) }));
  }
  const headers = Object.values(columns).map(({ headers: [header] }) => header);
  throw new Error(
    `${file} has no row with the columns ${headers.join(', ')} in its sheet ${name}. Check the format of the file.`,
  );
};

/** The rows below the header of the sheet that `pick` finds (default: the first). Throws if it finds none. */
export const readSheet = async <Of extends Columns>(
  path: string,
  columns: Of,
  onProgress?: OnProgress,
  pick = ([first]: readonly Sheet[]): Sheet | undefined => first,
) => {
  const { name, sheets } = await readWorkbook(path, onProgress);
  const sheet = pick(sheets);
  if (!sheet) throw new Error(`${name} does not have the sheet of the rates. Check the format of the file.`);
  return { name, rows: rowsBelow(name, sheet, columns) };
};
