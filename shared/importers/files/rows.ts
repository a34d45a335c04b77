import { finished } from 'node:stream/promises';
import { type Options, Parser } from 'csv-parse';
import { type OnProgress, openText } from './text.ts';

/** A row of a table: its trimmed cells, and the line of the file on which it ends, from 1. */
export type Row = {
  readonly line: number;
  /** The line on which the row begins, if a quoted cell has line breaks. */
  readonly firstLine?: number;
  readonly cells: readonly string[];
  /** Why a row with more cells than the header is bad. */
  readonly surplus?: string | null;
};

/** The first line of an unreadable row, and the reason. It is the last row of the table. */
export type BrokenRow = { readonly line: number; readonly broken: string };

/** `size` is the unpacked size in bytes. */
export type Table = { readonly name: string; readonly size: number; readonly rows: AsyncIterable<Row | BrokenRow> };

// Known rows are at most 1,000 characters long. Without a limit, an unclosed quote would read the rest of the file into
// memory.
const recordMax = 100_000;
/** The maximum length of a decoded line, longer than a row, so that the parser can report the row. */
const lineMax = 1_000_000;

/** The limit for lines without a separator in a table that has separators. 200,000 of them in 400 kB took 2 s. */
const unseparatedMax = 10_000;
const unseparatedText = `is one of more than ${unseparatedMax.toLocaleString('en-US')} lines without a separator: check that this is the right file`;

/** The parser's progress: lines read, and how many of them were blank. */
type Position = { readonly lines: number; readonly empty_lines: number };

/** Returns the first line of the row between two positions. */
const lineAfter = (before: Position, at: Position): number => before.lines + 1 + (at.empty_lines - before.empty_lines);

const brokenTexts: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'has a quote that is never closed: close it, or remove it',
  CSV_MAX_RECORD_SIZE: `has more than ${recordMax.toLocaleString('en-US')} characters: close its quote, or remove it`,
};

const brokenText = ({ code, message }: Error & { readonly code?: string }): string =>
  brokenTexts[code ?? ''] ?? `cannot be read: ${message}. Correct its quotes`;

const options = (delimiter: string): Options => ({
  delimiter,
  bom: true,
  trim: true,
  relax_quotes: true,
  relax_column_count: true,
  skip_empty_lines: true,
  max_record_size: recordMax,
  // An error would destroy the stream, including good rows that are not consumed yet.
  skip_records_with_error: true,
});

/**
 * Returns the separator of a table: the most frequent one in its first line. Spreadsheets use semicolons with decimal
 * commas.
 */
const detectSeparator = (text: string): string => {
  const [line = ''] = text.trimStart().split('\n', 1);
  const counts = [',', ';', '\t'].map((separator) => ({ separator, count: line.split(separator).length }));
  return counts.reduce((best, one) => (one.count > best.count ? one : best)).separator;
};

/**
 * Returns why a row may have been misread, or `null`. A cell with a line break may have an unclosed quote and contain the
 * following rows. A row with surplus cells may have an unquoted separator that shifted the later cells.
 */
export const misreadReason = ({ firstLine, line, surplus = null }: Omit<Row, 'cells'>): string | null =>
  firstLine === undefined
    ? surplus
    : `spans lines ${firstLine} to ${line}: check that the quote on line ${firstLine} is closed`;

/** Parses the text of a table block by block. Does not use an object stream, which would take twice as long. */
const newRowParser = (separator: string) => {
  let broken: BrokenRow | undefined;
  let last: Position = { lines: 0, empty_lines: 0 };
  let parsed: Row[] = [];
  /** The number of cells in the first row. */
  let columns: number | null = null;
  let unseparated = 0;
  const take = (cells: string[], { lines, empty_lines }: Position): null => {
    // With a known number of cells, the parser creates and drops an error with a stack for each row of a different
    // length: 500,000 short rows took 25 s. Resetting the count makes each row the first.
    (parser.info as { records: number }).records = 0;
    const firstLine = lineAfter(last, { lines, empty_lines });
    last = { lines, empty_lines };
    if (cells.every((cell) => cell === '')) return null;
    columns ??= cells.length;
    if (columns > 1 && cells.length === 1) unseparated += 1;
    if (unseparated > unseparatedMax) broken ??= { line: lines, broken: unseparatedText };
    else parsed.push({ line: lines, ...(firstLine < lines && { firstLine }), cells });
    return null;
  };
  const parser = new Parser({ ...options(separator), on_record: take });
  parser.on('skip', (error: Error) => {
    broken ??= { line: lineAfter(last, parser.info), broken: brokenText(error) };
  });
  const taken = (): Row[] => {
    const rows = parsed;
    parsed = [];
    return rows.filter(({ line }) => broken === undefined || line < broken.line);
  };
  return {
    broken: () => broken,
    parse: (block: string): Row[] => {
      parser.write(block);
      return taken();
    },
    /** Returns the rows after the last line break. */
    end: async (): Promise<Row[]> => {
      parser.resume().end();
      await finished(parser);
      return taken();
    },
    destroy: () => parser.destroy(),
  };
};

/**
 * Reads a table row by row: separated by commas, semicolons or tabs, CRLF or LF, with or without a byte order mark,
 * UTF-8 or Latin-1, packed or not. Skips lines without text: spreadsheets end files with rows of separators. Throws if
 * the file cannot be opened or unpacked.
 */
export const openTable = async (path: string, onProgress?: OnProgress): Promise<Table> => {
  const { name, size, blocks, close } = await openText(path, lineMax, onProgress);
  // A file that is not text is refused here.
  const first = await blocks.next().catch((error) => {
    close();
    throw error;
  });
  const parser = newRowParser(detectSeparator(first.value ?? ''));
  async function* rows(): AsyncGenerator<Row | BrokenRow> {
    try {
      for (let block = first; !block.done && parser.broken() === undefined; block = await blocks.next())
        for (const row of parser.parse(block.value)) yield row;
      for (const row of await parser.end()) yield row;
      const broken = parser.broken();
      if (broken) yield broken;
    } finally {
      parser.destroy();
      await blocks.return(undefined);
      close();
    }
  }
  return { name, size, rows: rows() };
};
