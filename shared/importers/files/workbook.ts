import { stat } from 'node:fs/promises';
import { Decimal } from 'decimal.js';
import { zipSync } from 'fflate';
import readExcelFile from 'read-excel-file/node';
import { getOrAdd } from '../../base/collections.ts';
import { fileName } from '../updates/file-names.ts';
import { type Columns, findColumns, type HeadedRow, type OpenOptions, pickCells } from './columns.ts';
import { openZip } from './open-file.ts';
import type { Row } from './rows.ts';
import type { OnProgress } from './text.ts';

/** Extracts the parts of a workbook that are safe to pass to the library that reads it. */

/** The library reads 8 MiB in 2 s of CPU time. A state's rates with 3,000 rows of 44 cells are about 6 MiB. */
const unpackedBytesMax = 8 * 1024 * 1024;
/** The limit for `xl/workbook.xml` and its relations: the library compares each sheet with every other sheet. */
const directoryBytesMax = 256 * 1024;
/** The library reads the cells of a sheet once for each mention in the workbook. */
const sheetsMax = 200;
const rowsMax = 200_000;
/** Cells of a sheet, including empty ones, because the library pads every row. Known sheets have 100,000. */
const cellsMax = 2_000_000;
/** A cell is at most 32,767 characters long. The library takes quadratic time for longer strings and tags. */
const textMax = 65_536;
/** Tags in all parts: four per cell. Known workbooks have fewer than 300,000. */
const tagsMax = 400_000;

const megabytes = (bytes: number): string => `${bytes / 1024 / 1024} MiB`;

/** The parts that the library reads: sheets, strings, styles and the relations that locate them. */
const isNeeded = (path: string): boolean =>
  /^xl\/(?:[^/]+\.xml|_rels\/workbook\.xml\.rels|worksheets\/[^/]+\.xml)$/i.test(path);

const isDirectory = (path: string): boolean => /^xl\/(?:workbook\.xml|_rels\/.*)$/i.test(path);

type Part = { readonly path: string; readonly content: Buffer };

const unpack = async (path: string): Promise<readonly Part[]> => {
  const zip = await openZip(path);
  try {
    const parts: Part[] = [];
    let left = unpackedBytesMax;
    for await (const entry of zip.eachEntry()) {
      const { fileName, uncompressedSize } = entry;
      if (!isNeeded(fileName)) continue;
      left -= uncompressedSize;
      if (left < 0)
        throw new Error(`it unpacks to more than ${megabytes(unpackedBytesMax)}: pass a workbook with only rates.`);
      if (isDirectory(fileName) && uncompressedSize > directoryBytesMax)
        throw new Error(`${fileName} is larger than ${megabytes(directoryBytesMax)}: remove unused sheets and names.`);
      // The stream fails if its size differs from the entry's.
      const chunks = await Array.fromAsync<Buffer>(await zip.openReadStreamPromise(entry));
      parts.push({ path: fileName, content: Buffer.concat(chunks) });
    }
    return parts;
  } finally {
    zip.close();
  }
};

/**
 * Matches every attribute `r`, with or without a prefix: a cell's address, or a row's number. The library uses the last
 * one.
 */
const addresses = /(?<![\w.-]|xmlns:)r\s*=\s*["']([^"'<]*)/g;

const parseColumn = (letters: string): number => {
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
};

/**
 * Throws if the cells of a sheet are too far apart. The library allocates an array up to the last row and column, so a
 * 2 kB file with one cell at XFD1048576 would exhaust the memory. Rows without a number are counted consecutively.
 */
const assertCompact = (path: string, xml: string): void => {
  let [rows, columns] = [0, 1];
  for (const _ of xml.matchAll(/[<:]row[\s/>]/g)) rows += 1;
  for (const [, address = ''] of xml.matchAll(addresses)) {
    const { letters = '', number } = /^(?<letters>[A-Z]{0,3})(?<number>\d{1,7})$/.exec(address)?.groups ?? {};
    if (number === undefined)
      throw new Error(`${path} has the cell address ${address.slice(0, 40)}: use an address such as B12.`);
    rows = Math.max(rows, Number(number));
    columns = Math.max(columns, parseColumn(letters));
  }
  if (rows <= rowsMax && rows * columns <= cellsMax) return;
  throw new Error(
    `${path} extends to row ${rows} and column ${columns}. Delete the empty rows and columns, and save the file.`,
  );
};

/** Throws if a workbook lists too many sheets. */
const assertFewSheets = (xml: string): void => {
  const count = xml.match(/[<:]sheet[\s/>]/g)?.length ?? 0;
  if (count > sheetsMax) throw new Error(`it has ${count} sheets: keep at most ${sheetsMax}.`);
};

/**
 * Counts the tags. Throws if a tag and the text after it are longer than any cell, or if a tag has no end: the library
 * takes quadratic time for tags that begin inside one another.
 */
const countTags = (path: string, xml: string): number => {
  let count = 0;
  for (let at = 0; at < xml.length; count += 1) {
    const next = xml.indexOf('<', at + 1);
    const end = next === -1 ? xml.length : next;
    if (end - at > textMax) throw new Error(`${path} has a cell of more than ${textMax} characters: shorten it.`);
    if (xml[at] === '<' && xml.lastIndexOf('>', end - 1) < at)
      throw new Error(`${path} has a tag without an end: save the workbook again in a spreadsheet program.`);
    at = end;
  }
  return count;
};

/**
 * Returns a workbook with only the needed parts of a file, after checking their sizes and cells. The library then reads
 * exactly what was checked. Without this, it reads a file's local headers, which can differ from its directory.
 * Throws a phrase about the workbook.
 */
const vettedWorkbook = async (path: string): Promise<Buffer> => {
  const parts = await unpack(path);
  let tags = 0;
  for (const { path: part, content } of parts) {
    const xml = content.toString('utf8');
    tags += countTags(part, xml);
    if (tags > tagsMax) throw new Error(`it has more than ${tagsMax} tags: pass a workbook with only rates.`);
    if (isDirectory(part)) assertFewSheets(xml);
    else assertCompact(part, xml);
  }
  return Buffer.from(zipSync(Object.fromEntries(parts.map((part) => [part.path, part.content])), { level: 0 }));
};

/** A sheet: its non-empty rows, each with its number in the sheet, from 1. */
export type Sheet = { readonly name: string; readonly rows: readonly Row[] };

/** Excel shows and keeps 15 significant digits; the remaining digits of a stored number are binary rounding noise. */
const significantDigits = 15;

/**
 * Converts a number as a workbook stores it to plain decimal text: `9.9750000000000005E-2` is `0.09975`. Rounds half up
 * to 15 significant digits, without floating point. Returns `null` if the text is not a number.
 */
export const workbookNumber = (text: string): string | null =>
  /^-?\d+(?:\.\d*)?(?:[eE][+-]?\d{1,2})?$/.test(text)
    ? new Decimal(text).toSignificantDigits(significantDigits, Decimal.ROUND_HALF_UP).toFixed()
    : null;

/**
 * Cells share their strings, so a small workbook can expand to a huge amount of text. Known workbooks have less than 1
 * million characters.
 */
const charactersMax = 8_000_000;

/**
 * Returns the function that converts cells to text: numbers to exact decimals, days to `YYYY-MM-DD`. It throws if the
 * total length is too large.
 */
const newCellTexts = () => {
  const known = new Map<string, string>();
  let characters = 0;
  return (cell: unknown): string => {
    if (cell === null || cell === undefined) return '';
    const plain = (text: string) => getOrAdd(known, text, () => text.replaceAll(/\s+/g, ' ').trim());
    const text = cell instanceof Date ? cell.toISOString().slice(0, 10) : plain(String(cell));
    characters += text.length;
    if (characters > charactersMax)
      throw new Error(`its cells have more than ${charactersMax} characters: pass a workbook with only rates.`);
    return text;
  };
};

/**
 * Reads the sheets of an XLSX workbook as text. A number is the decimal text of the stored value, never a
 * floating-point number. Throws if the file is not a workbook.
 */
export const readWorkbook = async (path: string, onProgress: OnProgress = () => {}) => {
  const name = fileName(path);
  const { size } = await stat(path);
  try {
    const sheets = await readExcelFile(await vettedWorkbook(path), {
      parseNumber: (text) => workbookNumber(text) ?? text,
    });
    onProgress(size, size);
    const toText = newCellTexts();
    return {
      name,
      sheets: sheets.map(({ sheet, data }) => ({
        name: sheet,
        rows: data
          .map((cells, index) => ({ line: index + 1, cells: cells.map(toText) }))
          .filter(({ cells }) => cells.some((text) => text !== '')),
      })),
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${name} cannot be read as an XLSX workbook: ${reason}`, { cause: error });
  }
};

/**
 * Returns the rows of a sheet below its header. The header must have the columns in order, possibly with others between
 * them. Throws if no row has all of them.
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
  throw new Error(`${file} has no row with the columns ${headers.join(', ')} in its sheet ${name}. Check the format.`);
};

/** Returns the rows below the header of the sheet that `pick` finds (default: the first). Throws if it finds none. */
export const readSheet = async <Of extends Columns>(
  path: string,
  columns: Of,
  {
    onProgress,
    pick = ([first]) => first,
  }: OpenOptions & { readonly pick?: (sheets: readonly Sheet[]) => Sheet | undefined } = {},
) => {
  const { name, sheets } = await readWorkbook(path, onProgress);
  const sheet = pick(sheets);
  if (!sheet) throw new Error(`${name} does not have a sheet with the rates. Check the format of the file.`);
  return { name, rows: rowsBelow(name, sheet, columns) };
};
