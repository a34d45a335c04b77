/** Output of commands on standard output: text, or one JSON value for scripts. */
export const print = (text = ''): void => {
  process.stdout.write(`${text}\n`);
};

export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

/** A count with its noun: `1 row`, `1,234 rows`. */
export const counted = (count: number, word: string, plural = `${word}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? word : plural}`;

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

/** `2026-11-21 12:00` for an ISO instant in UTC. */
export const instantText = (instant: string): string => instant.slice(0, 16).replace('T', ' ');
