import { strToU8, Zip, ZipDeflate } from 'fflate';
import { csvText, isFigure } from '../../base/csv.ts';
import { orThrow } from '../../client/client.ts';

/** The most rows of a sheet, with its header, in every spreadsheet program. */
const rowsMax = 1_048_576;

/** The most significant digits that a spreadsheet, which stores binary floating point, shows unchanged. */
const digitsMax = 15;

/** The styles of cells: general, `#,##0`, `#,##0.00` (the built-in formats of ISO/IEC 29500-1, 18.8.30) and bold. */
const styles = [
  '',
  'numFmtId="3" applyNumberFormat="1"',
  'numFmtId="4" applyNumberFormat="1"',
  'fontId="1" applyFont="1"',
];
const headerStyle = 3;
const figureStyles = [1, 0, 2];
const getStyle = (text: string): number => figureStyles[text.split('.')[1]?.length ?? 0] ?? 0;

const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
/** Builds an XML element. The page inlines this code, so no string may contain the end tag of a `style` element. */
const element = (name: string, attributes: string, content: string) => `<${name} ${attributes}>${content}</${name}>`;
const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const mime = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const packageRelations = 'http://schemas.openxmlformats.org/package/2006/relationships';

const relation = (type: string, target: string): string =>
  `${xmlHead}<Relationships xmlns="${packageRelations}">${[
    ['r1', type, target],
    ...(type === 'worksheet' ? [['r2', 'styles', 'styles.xml']] : []),
  ]
    .map(([id, name, path]) => `<Relationship Id="${id}" Type="${office}/${name}" Target="${path}"/>`)
    .join('')}</Relationships>`;

/** The parts of a workbook other than its sheet: a bold style for the header, and the number formats. */
const parts: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `${xmlHead}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${[
    ['workbook.xml', 'sheet.main'],
    ['sheet.xml', 'worksheet'],
    ['styles.xml', 'styles'],
  ]
    .map(([name, type]) => `<Override PartName="/xl/${name}" ContentType="${mime}.${type}+xml"/>`)
    .join('')}</Types>`,
  '_rels/.rels': relation('officeDocument', 'xl/workbook.xml'),
  'xl/workbook.xml': `${xmlHead}<workbook ${main} xmlns:r="${office}"><sheets><sheet name="Levy" sheetId="1" r:id="r1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': relation('worksheet', 'sheet.xml'),
  'xl/styles.xml': `${xmlHead}${element(
    'styleSheet',
    main,
    `<fonts count="2"><font/><font><b/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="${styles.length}">${styles.map((style) => `<xf ${style}/>`).join('')}</cellXfs>`,
  )}`,
};

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const escaped = (text: string): string =>
  text
    // Spreadsheets decode `_x0041_`. XML 1.0 allows no control characters.
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>]/g, (character) => entities[character] as string);

const textCell = (at: string, text: string, style = 0): string =>
  text === ''
    ? ''
    : `<c r="${at}" t="inlineStr" s="${style}"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;

/** A number if a spreadsheet can show all of its digits, otherwise text. The digits are written unchanged. */
const figureCell = (at: string, text: string): string => {
  const digits = text.replace(/^-?0*\.?0*|\./g, '').length;
  return text === '' || digits > digitsMax
    ? textCell(at, text)
    : `<c r="${at}" s="${getStyle(text)}"><v>${text}</v></c>`;
};

/** Returns the letters of a column: A to Z, AA to ZZ. */
const toColumnLetters = (column: number): string => {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : toColumnLetters(Math.floor(column / 26) - 1) + last;
};

/**
 * Returns a writer of a workbook (Office Open XML) with one sheet, which compresses its rows as they are added. Texts
 * are inline strings, which spreadsheets do not evaluate. Columns of figures, as in CSV files, are numbers if they have
 * at most 15 significant digits. Throws `RangeError` beyond 1,048,576 rows.
 */
const createXlsx = (columns: readonly string[]) => {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    chunks.push(chunk as Uint8Array<ArrayBuffer>);
  });
  const add = (name: string): ZipDeflate => {
    const file = new ZipDeflate(name);
    zip.add(file);
    return file;
  };
  for (const [name, text] of Object.entries(parts)) add(name).push(strToU8(text), true);
  const sheet = add('xl/sheet.xml');
  // The header row stays visible.
  const view = '<sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" state="frozen"/></sheetView>';
  const widths = `<cols><col min="1" max="${columns.length}" width="18" customWidth="1"/></cols>`;
  const push = (text: string, isLast = false) => sheet.push(strToU8(text), isLast);
  push(`${xmlHead}<worksheet ${main}><sheetViews>${view}</sheetViews>${widths}<sheetData>`);
  const figures = columns.map(isFigure);
  const letters = columns.map((_, at) => toColumnLetters(at));
  const header = columns.map((name, at) => textCell(`${letters[at]}1`, name, headerStyle));
  push(`<row r="1">${header.join('')}</row>`);
  let count = 1;
  const writeRow = (cells: readonly string[]): string => {
    count += 1;
    const written = cells.map((text, at) => (figures[at] ? figureCell : textCell)(`${letters[at]}${count}`, text));
    return `<row r="${count}">${written.join('')}</row>`;
  };
  return {
    add: (rows: readonly (readonly string[])[]): void => {
      if (count + rows.length > rowsMax)
        throw new RangeError('A sheet has at most 1,048,576 rows. Download CSV, or use a filter.');
      push(rows.map(writeRow).join(''));
    },
    end: (): Blob => {
      push('</sheetData></worksheet>', true);
      zip.end();
      return new Blob(chunks, { type: `${mime}.sheet` });
    },
  };
};

/** The query parameters of the next page of a list. */
export type Cursor = { readonly starting_after?: string; readonly totals_starting_after?: string };

type ApiResult<Value> = Parameters<typeof orThrow<Value>>[0] & { readonly headers: Headers };

/** The response of the API with a page of a list. */
export type ListResult<Item> = ApiResult<{ readonly data: readonly Item[]; readonly next_cursor: string | null }>;

/** A page as CSV text with a header, and the cursor of the next page; `null` at the end. */
export type CsvPage = { readonly csv: string; readonly next: Cursor | null };

/** Returns the page of a response of the API in CSV, whose Link header (RFC 8288) has the cursor of the next page. */
export const csvPage = (result: ApiResult<string>): CsvPage => {
  const link = /<\?([^>]*)>; rel="next"/.exec(result.headers.get('Link') ?? '')?.[1];
  const next = link === undefined ? null : Object.fromEntries(new URLSearchParams(link));
  return { csv: orThrow(result), next };
};

/** Returns a row's values for the columns; `null` for a missing value or row. */
export const pickColumns = <Column extends string>(
  columns: readonly Column[],
  row: Readonly<Partial<Record<Column, string | null>>> | null,
) => Object.fromEntries(columns.map((name) => [name, row?.[name] ?? null])) as Record<Column, string | null>;

/** Converts a JSON page of a list that the API does not return as CSV. */
export const jsonPage = <Column extends string, Item>(
  columns: readonly Column[],
  toRows: (item: Item) => Parameters<typeof csvText<Column>>[1],
  result: ListResult<Item>,
): CsvPage => {
  const { data, next_cursor: next } = orThrow(result);
  return { csv: csvText(columns, data.flatMap(toRows)), next: next === null ? null : { starting_after: next } };
};

/** Parses CSV text as `csvText` writes it. */
export const parseCsv = (text: string): string[][] => {
  const rows: string[][] = [];
  let cells: string[] = [];
  for (const [, cell = '', end] of text.matchAll(/("(?:[^"]|"")*"|[^,\r\n]*)(,|\r\n)/g)) {
    cells.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === ',') continue;
    rows.push(cells);
    cells = [];
  }
  return rows;
};

/** Returns a CSV file that begins with a byte order mark: Excel reads a file without one in the code page of Windows. */
export const csvFile = (texts: readonly string[]): Blob =>
  new Blob(['\ufeff', ...texts], { type: 'text/csv;charset=utf-8' });

export const formats = ['CSV', 'XLSX'] as const;
export type Format = (typeof formats)[number];

type Pages = { readonly read: (cursor: Cursor) => Promise<CsvPage>; readonly onRows: (count: number) => void };

/** Reads all pages and writes them to one file. `onRows` receives the number of rows after each page. */
export const exportFile = async (format: Format, { read, onRows }: Pages): Promise<Blob> => {
  const texts: string[] = [];
  let sheet: ReturnType<typeof createXlsx> | null = null;
  let count = 0;
  for (let cursor: Cursor | null = {}; cursor; ) {
    const { csv, next }: CsvPage = await read(cursor);
    const [columns = [], ...rows] = parseCsv(csv);
    if (format === 'CSV') texts.push(texts.length > 0 ? csv.slice(csv.indexOf('\n') + 1) : csv);
    else {
      sheet ??= createXlsx(columns);
      sheet.add(rows);
    }
    count += rows.length;
    onRows(count);
    cursor = next;
  }
  return sheet ? sheet.end() : csvFile(texts);
};
