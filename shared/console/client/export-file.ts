import { csvText } from '../../base/csv.ts';
import { orThrow } from '../../client/client.ts';
import { createXlsx } from './xlsx.ts';

/** The query parameters of the next page of a list. */
export type Cursor = { readonly starting_after?: string; readonly totals_starting_after?: string };

/** A page as CSV text with a header, and the cursor of the next page; `null` at the end. */
export type CsvPage = { readonly csv: string; readonly next: Cursor | null };

/** Returns the page of a response of the API in CSV, whose Link header (RFC 8288) has the cursor of the next page. */
export const csvPage = (result: Parameters<typeof orThrow<string>>[0] & { readonly headers: Headers }): CsvPage => {
  const link = /<\?([^>]*)>; rel="next"/.exec(result.headers.get('Link') ?? '')?.[1];
  const next = link === undefined ? null : Object.fromEntries(new URLSearchParams(link));
  return { csv: orThrow(result), next };
};

/** Converts the page of a list without text/csv. */
export const jsonPage = <Column extends string>(
  columns: readonly Column[],
  rows: Parameters<typeof csvText<Column>>[1],
  next: string | null,
): CsvPage => ({ csv: csvText(columns, rows), next: next === null ? null : { starting_after: next } });

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
  return sheet ? sheet.end() : new Blob(texts, { type: 'text/csv;charset=utf-8' });
};
