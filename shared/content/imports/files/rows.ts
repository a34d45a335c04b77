import { Readable } from 'node:stream';
import { type Options, Parser } from 'csv-parse';
import { decode } from './decode.ts';
import { openFile } from './open-file.ts';

/** A row of a table: its cells without the blanks around them, and the line of the file that it ends on, from 1. */
export type Row = { readonly line: number; readonly cells: readonly string[] };

/** Where the table could not be read on, and why; nothing follows. */
export type BrokenRow = { readonly line: number; readonly broken: string };

export type Table = { readonly name: string; readonly rows: AsyncIterable<Row | BrokenRow> };

// No row that we know is longer than 1,000; a quote that is never closed would read the rest of the file into memory.
const recordMax = 100_000;
/** A block of the stream may hold the ends of lines that are too long for a row, and says of each which it is. */
const lineMax = 1_000_000;

// The parser's types take a row for what its rows are made of: an array of cells.
const withLine = (cells: string[], { lines }: { lines: number }) => ({ line: lines, cells }) as unknown as string[];

const options = (delimiter: ',' | '\t'): Options => ({
  delimiter,
  bom: true,
  trim: true,
  // A tab-separated file writes a quote as itself.
  quote: delimiter === ',' ? '"' : null,
  relax_quotes: true,
  relax_column_count: true,
  skip_empty_lines: true,
  max_record_size: recordMax,
  // An error would destroy the stream together with the good rows that nobody has taken yet.
  skip_records_with_error: true,
  on_record: withLine,
});

/** Blocks of text until something is broken. */
async function* untilBroken(blocks: AsyncIterable<string>, isBroken: () => boolean): AsyncGenerator<string> {
  for await (const block of blocks) {
    yield block;
    if (isBroken()) return;
  }
}

/**
 * Read a table, row by row: CRLF or LF, with or without a byte order mark, UTF-8 or Latin-1, packed or not. Blank lines
 * are no rows. Throws where the file cannot be opened or unpacked.
 */
export const openTable = async (
  path: string,
  delimiter: ',' | '\t' = ',',
  onProgress: (readBytes: number, totalBytes: number) => void = () => {},
): Promise<Table> => {
  const { name, bytes, size, close } = await openFile(path);
  let read = 0;
  const blocks = decode(bytes, lineMax, (count) => {
    read += count;
    onProgress(read, size);
  });
  let broken: BrokenRow | undefined;
  const parser = new Parser(options(delimiter));
  parser.on('skip', (error: Error) => {
    broken ??= { line: parser.info.lines, broken: `${error.message}. A quote before this line may not be closed` };
  });
  const source = Readable.from(untilBroken(blocks, () => broken !== undefined));
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  async function* rows(): AsyncGenerator<Row | BrokenRow> {
    try {
      for await (const row of parser as unknown as AsyncIterable<Row>) {
        if (broken && row.line >= broken.line) break;
        yield row;
      }
      if (broken) yield broken;
    } finally {
      source.destroy();
      parser.destroy();
      close();
    }
  }
  return { name, rows: rows() };
};
