/** Output of commands on standard output: text, or one JSON value for scripts. */
export { counted, instantText } from '../../texts.ts';

export const print = (text = ''): void => {
  process.stdout.write(`${text}\n`);
};

export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

/** Text from clients, such as names and references. A control character could change what the terminal shows. */
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
