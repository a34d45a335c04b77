/** A count with its noun: `1 row`, `1,234 rows`. */
export const counted = (count: number, word: string, plural = `${word}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? word : plural}`;

/** `2026-11-21 12:00` for an ISO instant in UTC. */
export const instantText = (instant: string): string => instant.slice(0, 16).replace('T', ' ');

/** A Markdown table of rows of cells. */
export const markdownTable = (headings: readonly string[], rows: readonly (readonly string[])[]): string => {
  const [head, ...lines] = [headings, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [head, `|${'---|'.repeat(headings.length)}`, ...lines].join('\n');
};
