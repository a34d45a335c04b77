import { stat } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { Decimal } from 'decimal.js';
import readExcelFile from 'read-excel-file/node';
import { type Columns, findColumns, type HeadedRow, pickCells } from './columns.ts';
import { fileName } from './local-name.ts';
import { openZip } from './open-file.ts';
import type { Row } from './rows.ts';
import type { OnProgress } from './text.ts';

/** The parts of a workbook that are safe to give to the library that reads it. */

/** The library reads 8 MiB within 2 s of processor time. Rates of a state with 3,000 rows of 44 cells have about 6 MiB. */
const unpackedBytesMax = 8 * 1024 * 1024;
/** `xl/workbook.xml` and its relations: the library compares each sheet with each other one. */
const directoryBytesMax = 256 * 1024;
/** The library reads the cells of a sheet as often as the workbook names it. */
const sheetsMax = 200;
const rowsMax = 200_000;
/** Cells of a sheet with the empty ones, because the library fills up every row. Known sheets have 100,000. */
const cellsMax = 2_000_000;
/** A cell has at most 32,767 characters. The library takes quadratic time for longer texts and tags. */
const textMax = 65_536;
/** Tags of all parts: four for a cell. Known workbooks have less than 300,000. */
const tagsMax = 400_000;

const megabytes = (bytes: number): string => `${bytes / 1024 / 1024} MiB`;

/** The parts that the library reads: sheets, texts, styles and where they are. */
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
        throw new Error(`it packs more than ${megabytes(unpackedBytesMax)}, which no workbook of rates has.`);
      if (isDirectory(fileName) && uncompressedSize > directoryBytesMax)
        throw new Error(`${fileName} has more than ${megabytes(directoryBytesMax)}: remove unused sheets and names.`);
      // The stream fails if its size differs from the entry's.
      const chunks = await Array.fromAsync<Buffer>(await zip.openReadStreamPromise(entry));
      parts.push({ path: fileName, content: Buffer.concat(chunks) });
    }
    return parts;
  } finally {
    zip.close();
  }
};

/** Every attribute `r`, with or without a prefix: a cell's address, or a row's number. The library takes the last one. */
const addresses = /(?<![\w.-]|xmlns:)r\s*=\s*["']([^"'<]*)/g;

const columnOf = (letters: string): number => {
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
};

/**
 * Refuse a sheet whose cells lie too far apart: the library makes an array of all cells up to the last row and column, so
 * a file of 2 kB with one cell at XFD1048576 would fill the memory. Rows without a number count one after the other.
 */
const assertCompact = (path: string, xml: string): void => {
  let [rows, columns] = [0, 1];
  for (const _ of xml.matchAll(/[<:]row[\s/>]/g)) rows += 1;
  for (const [, address = ''] of xml.matchAll(addresses)) {
    const { letters = '', number } = /^(?<letters>[A-Z]{0,3})(?<number>\d{1,7})$/.exec(address)?.groups ?? {};
    if (number === undefined)
      throw new Error(`${path} has the cell ${address.slice(0, 40)}: an address is such as B12.`);
    rows = Math.max(rows, Number(number));
    columns = Math.max(columns, columnOf(letters));
  }
  if (rows <= rowsMax && rows * columns <= cellsMax) return;
  throw new Error(
    `${path} reaches to row ${rows} and column ${columns}. Delete the empty rows and columns after its last cell, and save it.`,
  );
};

/** Refuse a workbook that names too many sheets. */
const assertFewSheets = (xml: string): void => {
  const count = xml.match(/[<:]sheet[\s/>]/g)?.length ?? 0;
  if (count > sheetsMax) throw new Error(`it names ${count} sheets: keep at most ${sheetsMax}.`);
};

/**
 * The number of tags. Refuses a tag with the text after it that is longer than any cell, and a tag without an end: the
 * library takes quadratic time for tags that begin inside of each other.
 */
const countTags = (path: string, xml: string): number => {
  let count = 0;
  for (let at = 0; at < xml.length; count += 1) {
    const next = xml.indexOf('<', at + 1);
    const end = next === -1 ? xml.length : next;
    if (end - at > textMax) throw new Error(`${path} has a text of more than ${textMax} characters: shorten it.`);
    if (xml[at] === '<' && xml.lastIndexOf('>', end - 1) < at)
      throw new Error(`${path} has a tag without an end: save the workbook again in a spreadsheet program.`);
    at = end;
  }
  return count;
};

/** A ZIP file of parts that are not compressed (APPNOTE.TXT, 4.3). */
const zipOf = (parts: readonly Part[]): Buffer => {
  const [locals, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const { path, content } of parts) {
    const name = Buffer.from(path);
    const head = Buffer.alloc(26);
    // Version 2.0, names in UTF-8, stored.
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(0x0800, 2);
    head.writeUInt32LE(crc32(content), 10);
    head.writeUInt32LE(content.length, 14);
    head.writeUInt32LE(content.length, 18);
    head.writeUInt16LE(name.length, 22);
    locals.push(Buffer.from('PK\u0003\u0004'), head, name, content);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\u0001\u0002\u0014\0'), head, rest, name);
    offset += 30 + name.length + content.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, ...directory, end]);
};

/**
 * A workbook with the needed parts of another one, whose sizes and cells are checked. The library then reads what was
 * checked: by itself it reads the local headers of a file, which can differ from its directory. Throws a phrase about the
 * workbook.
 */
export const vettedWorkbook = async (path: string): Promise<Buffer> => {
  const parts = await unpack(path);
  let tags = 0;
  for (const { path: part, content } of parts) {
    const xml = content.toString('utf8');
    tags += countTags(part, xml);
    if (tags > tagsMax) throw new Error(`it has more than ${tagsMax} tags, which no workbook of rates has.`);
    if (isDirectory(part)) assertFewSheets(xml);
    else assertCompact(part, xml);
  }
  return zipOf(parts);
};

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
