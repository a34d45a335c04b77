import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { CommandError, requireUtf8 } from '../../base/command-error.ts';

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

/** The values of a row by column, and the last line of the row in the file. */
export type CsvRow<Column extends string> = {
  readonly record: Readonly<Partial<Record<Column, string>>>;
  readonly line: number;
};

/**
 * Reads the rows of a CSV file as a stream. Its first line names the columns, in any order. Refuses unknown, repeated
 * and missing columns, and text that is not CSV.
 */
export async function* csvRows<Column extends string>(
  file: Readable,
  known: readonly Column[],
  required: readonly Column[],
): AsyncGenerator<CsvRow<Column>> {
  let isEmpty = true;
  const columns = (names: string[]): string[] => {
    isEmpty = false;
    requireUtf8(names.join(), 'Line 1 is');
    const unknown = names.filter((name) => !known.includes(name as Column));
    const missing = required.filter((name) => !names.includes(name));
    const repeated = names.filter((name, at) => names.indexOf(name) !== at);
    if (unknown.length + missing.length + repeated.length === 0) return names;
    const [, separator] = (names.length === 1 && /([;\t|])/.exec(names[0] as string)) || [];
    if (separator) throw new CommandError(`Separate the columns with commas, not with ${JSON.stringify(separator)}.`);
    const listed = (found: readonly string[]) => found.join(', ') || 'none';
    throw new CommandError(
      `The first line must name each column once: ${known.join(',')}. Unknown: ${listed(unknown)}. Missing: ${listed(missing)}. Repeated: ${listed(repeated)}.`,
    );
  };
  const parser = parse({ bom: true, info: true, skip_empty_lines: true, trim: true, columns });
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
    if (error instanceof CsvError) throw new CommandError(`The file is not CSV: ${error.message}.`);
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
