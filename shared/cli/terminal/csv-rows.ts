import type { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { CommandError } from './run-command.ts';

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
    const unknown = names.filter((name) => !known.includes(name as Column));
    const missing = required.filter((name) => !names.includes(name));
    const repeated = names.filter((name, at) => names.indexOf(name) !== at);
    if (unknown.length + missing.length + repeated.length === 0) return names;
    const listed = (found: readonly string[]) => found.join(', ') || 'none';
    throw new CommandError(
      `The first line must name each column once: ${known.join(',')}. Unknown: ${listed(unknown)}. Missing: ${listed(missing)}. Repeated: ${listed(repeated)}.`,
    );
  };
  const parser = parse({ bom: true, info: true, skip_empty_lines: true, trim: true, columns });
  // `pipe` does not forward errors.
  file.on('error', (error) => parser.destroy(error)).pipe(parser);
  try {
    for await (const { record, info } of parser) yield { record, line: info.lines };
    // Refuses a file without a first line.
    if (isEmpty) columns([]);
  } catch (error) {
    if (error instanceof CsvError) throw new CommandError(`The file is not CSV: ${error.message}.`);
    throw error;
  }
}
