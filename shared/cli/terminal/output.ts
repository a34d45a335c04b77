/** Output of commands on standard output: text, or one JSON value for scripts. */
export { counted, instantText } from '../../base/texts.ts';

/**
 * Text for a terminal, in lines. A control character in the texts of clients and files could change what the terminal
 * shows, such as the result of a gate.
 */
export const printable = (text: string): string => text.replaceAll(/(?!\r\n)[^\P{C}\n\t]/gu, '?');

export const print = (text = ''): void => {
  process.stdout.write(`${printable(text)}\n`);
};

const escaped = (characters: string): string =>
  characters.replaceAll(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** JSON with the same values; control characters are escaped, including those that `JSON.stringify` leaves. */
export const printJson = (value: unknown): void => {
  process.stdout.write(`${JSON.stringify(value, null, 2).replaceAll(/[^\P{C}\n]/gu, escaped)}\n`);
};

/** One line of text from clients, such as names and references. */
export const shown = (text: string): string => text.replaceAll(/\p{C}/gu, '?');

/** A text table. The first row has the headings. */
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
