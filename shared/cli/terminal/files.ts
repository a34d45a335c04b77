import { createReadStream, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { CsvError, type InfoRecord, parse } from 'csv-parse';
import { CommandError, requireUtf8 } from '../../base/command-error.ts';
import { counted } from '../../base/texts.ts';

// Exit codes as in a shell: 128 plus the number of the signal.
const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

let isHandled = false;

/** Exits on a signal, so that `exit` handlers remove unfinished files. */
const exitOnSignals = (): void => {
  if (isHandled) return;
  isHandled = true;
  for (const [signal, code] of Object.entries(codes)) process.once(signal, () => process.exit(code));
};

let parent: string | undefined;

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists but belongs to a different user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/**
 * Removes folders left by processes that were killed (SIGKILL). A folder with this process's id belongs to an earlier
 * process.
 */
const removeAbandoned = (): void => {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(/^levy-import-(\d+)-/.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || (pid !== process.pid && isRunning(pid))) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // The folder belongs to a different user.
    }
  }
};

/** Creates the parent of this process's temporary folders, with one handler for each way the process can end. */
const createParent = (): string => {
  removeAbandoned();
  const folder = mkdtempSync(join(tmpdir(), `levy-import-${process.pid}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  exitOnSignals();
  return folder;
};

/**
 * Creates a folder that is removed when this process ends, even by Ctrl-C. After SIGKILL, the next process that uses a
 * temporary folder removes it.
 */
export const temporaryFolder = (): string => {
  parent ??= createParent();
  return mkdtempSync(join(parent, 'files-'));
};

const textMegabytesMax = 100;

/** Reads a text file that a command needs as a whole. Refuses a file of more than 100 MB. */
export const readText = (path: string): string => {
  const stats = statSync(path);
  if (stats.isDirectory()) throw new CommandError(`${path} is a directory. Pass the path of a file.`);
  const megabytes = Math.ceil(stats.size / 1e6);
  if (megabytes > textMegabytesMax)
    throw new CommandError(`The file ${path} has ${megabytes} MB. Pass a file of at most ${textMegabytesMax} MB.`);
  return readFileSync(path, 'utf8');
};

// The largest line, a transaction with 1,000 line items in an exported ledger, is 2 MB.
const lineBytesMax = 64 * 1024 * 1024;
const lineFeed = 0x0a;

/** Yields the lines of a file with their number and line feed, one at a time. The last line may have no line feed. */
export const fileLines = async function* (path: string) {
  let begun: Buffer[] = [];
  let bytesBegun = 0;
  let number = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      yield { number: ++number, bytes: Buffer.concat([...begun, chunk.subarray(start, end + 1)]), isWhole: true };
      begun = [];
      bytesBegun = 0;
      start = end + 1;
    }
    begun.push(chunk.subarray(start));
    bytesBegun += chunk.length - start;
    if (bytesBegun > lineBytesMax)
      throw new CommandError(`Line ${number + 1} of ${path} is too long or has no line feed.`);
  }
  if (bytesBegun > 0) yield { number: number + 1, bytes: Buffer.concat(begun), isWhole: false };
};

/** The values of a row by column, and the last line of the row in the file. */
export type CsvRow<Column extends string> = {
  readonly record: Readonly<Partial<Record<Column, string>>>;
  readonly line: number;
};

// Without a limit, a file without line breaks or with an unclosed quote would be read as one row: 200 MB took 88 s.
const rowMax = 100_000;

/** Lists the first names, and shortens long ones: a file that is not CSV can be one long name. */
const listNames = (names: readonly string[]): string => {
  const texts = names.slice(0, 10).map((name) => (name.length > 40 ? `${name.slice(0, 40)}…` : name));
  const more = names.length > 10 ? ` and ${names.length - 10} more` : '';
  return `${texts.join(', ') || 'none'}${more}`;
};

/** Describes a row that is not CSV, and what to write instead. `before` is the position after the previous row. */
const describeCsvError = (error: CsvError, before: Pick<InfoRecord, 'lines' | 'empty_lines'>): string => {
  const { code, lines, empty_lines, column, columns, record } = error as CsvError &
    InfoRecord & { readonly record?: readonly string[] };
  // The file has a different encoding.
  requireUtf8(error.message, `Line ${lines} is`);
  if (record && Array.isArray(columns))
    return `Line ${lines} has ${counted(record.length, 'value')} for ${counted(columns.length, 'column')}. Write a value or nothing for each column, and double quotes around a value with a comma.`;
  const first = before.lines + 1 + (empty_lines - before.empty_lines);
  if (code === 'CSV_QUOTE_NOT_CLOSED' || code === 'CSV_MAX_RECORD_SIZE')
    return `The row that begins in line ${first} ${code === 'CSV_QUOTE_NOT_CLOSED' ? 'has a double quote that is never closed' : `has more than ${rowMax.toLocaleString('en-US')} characters`}. Close its quote, or remove it.`;
  const value = typeof column === 'string' ? column : `column ${Number(column) + 1}`;
  return `Line ${lines}: ${value}: Put a value that contains a double quote in double quotes, and write the quote in it twice.`;
};

/**
 * Reads the rows of a CSV file as a stream. Its first line names the columns, in any order. Rows without a value are
 * left out: spreadsheets end files with them. Refuses unknown, repeated and missing columns, and text that is not CSV.
 */
export async function* csvRows<Column extends string>(
  file: Readable,
  known: readonly Column[],
  required: readonly Column[],
): AsyncGenerator<CsvRow<Column>> {
  let isEmpty = true;
  let last = { lines: 0, empty_lines: 0 };
  const columns = (names: string[]): string[] => {
    isEmpty = false;
    last = { lines: 1, empty_lines: 0 };
    requireUtf8(names.join(), 'Line 1 is');
    const unknown = names.filter((name) => !known.includes(name as Column));
    const missing = required.filter((name) => !names.includes(name));
    const repeated = names.filter((name, at) => names.indexOf(name) !== at);
    if (unknown.length + missing.length + repeated.length === 0) return names;
    const [, separator] = (names.length === 1 && /([;\t|])/.exec(names[0] as string)) || [];
    if (separator) throw new CommandError(`Separate the columns with commas, not with ${JSON.stringify(separator)}.`);
    throw new CommandError(
      `The first line must name each column once: ${known.join(',')}. Unknown: ${listNames(unknown)}. Missing: ${listNames(missing)}. Repeated: ${listNames(repeated)}.`,
    );
  };
  const parser = parse({
    ...({ bom: true, info: true, trim: true, columns, max_record_size: rowMax } as const),
    ...({ skip_empty_lines: true, skip_records_with_empty_values: true } as const),
    on_record: (row, { lines, empty_lines }) => {
      last = { lines, empty_lines };
      return row;
    },
  });
  // `pipe` does not forward errors.
  file.on('error', (error) => parser.destroy(error)).pipe(parser);
  try {
    for await (const { record, info } of parser) {
      requireUtf8(Object.values(record).join(), `Line ${info.lines} is`);
      yield { record, line: info.lines };
    }
    // Refuses a file without a first line.
    if (isEmpty) columns([]);
  } catch (error) {
    if (error instanceof CsvError) throw new CommandError(describeCsvError(error, last));
    throw error;
  }
}

// The files contain ids and addresses of customers.
const ownerOnly = 0o600;

type NewFile = { readonly path: string; readonly text: AsyncIterable<string> | string };

/** Writes new files, all or none. Each file gets its final name only after all files are complete. */
export const writeAll = async (files: readonly NewFile[]): Promise<void> => {
  const partial = (path: string) => `${path}.partial`;
  for (const { path } of files) {
    if (existsSync(path))
      throw new CommandError(`The file ${path} already exists. Remove it, or pass a different --out.`);
    if (existsSync(partial(path)))
      throw new CommandError(
        `The file ${partial(path)} is incomplete. If no export is running, remove it: an interrupted export left it.`,
      );
  }
  const unfinished = new Set<string>();
  const create = async (path: string) => {
    await writeFile(path, '', { flag: 'wx', mode: ownerOnly });
    unfinished.add(path);
  };
  const remove = () => {
    for (const path of unfinished) rmSync(path, { force: true });
  };
  process.once('exit', remove);
  exitOnSignals();
  try {
    for (const { path, text } of files) {
      await mkdir(dirname(path), { recursive: true });
      await create(partial(path));
      await writeFile(partial(path), text, { flush: true });
    }
    // Creating the file fails if another process created it concurrently; renaming alone would overwrite it.
    for (const { path } of files) {
      await create(path);
      await rename(partial(path), path);
    }
    unfinished.clear();
  } finally {
    process.off('exit', remove);
    remove();
  }
};
