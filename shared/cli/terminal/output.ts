/** Output of commands on standard output: text, or one JSON value for scripts. */
import { counted } from '../../base/texts.ts';

export { counted, instantText } from '../../base/texts.ts';

/**
 * Prints lines to a terminal. Escapes control characters, because client data and files could otherwise alter what the
 * terminal shows, such as the result of a gate.
 */
export const printable = (text: string): string => text.replaceAll(/(?!\r\n)[^\P{C}\n\t]/gu, '?');

export const print = (text = ''): void => {
  process.stdout.write(`${printable(text)}\n`);
};

const escaped = (characters: string): string =>
  characters.replaceAll(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Prints JSON. Escapes all control characters, even those that `JSON.stringify` leaves unescaped. */
export const printJson = (value: unknown): void => {
  process.stdout.write(`${JSON.stringify(value, null, 2).replaceAll(/[^\P{C}\n]/gu, escaped)}\n`);
};

/** Formats a string from a client, such as a name or reference, as one line. */
export const shown = (text: string): string => text.replaceAll(/\p{C}/gu, '?');

const errorsMax = 20;

/** Returns the first 20 errors, and the number of the others. */
export const firstErrors = (errors: readonly string[]): readonly string[] => {
  const more = errors.length - errorsMax;
  return more > 0 ? [...errors.slice(0, errorsMax), `and ${counted(more, 'more error')}`] : errors;
};

/** Formats a text table. The first row is the header. */
export const textTable = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

type Cell = string | number | false | null | undefined;
const formatCell = (cell: Cell): string => (cell === false ? '' : String(cell ?? ''));

/** The columns of a table: a heading, and the cell of a row. */
export type Columns<Row> = readonly (readonly [heading: string, cell: (row: Row) => Cell])[];

/** Formats rows as a text table. A cell without a value is empty. */
export const formatTable = <Row>(columns: Columns<Row>, rows: readonly Row[]): string =>
  textTable([
    columns.map(([heading]) => heading),
    ...rows.map((row) => columns.map(([, cell]) => formatCell(cell(row)))),
  ]);
