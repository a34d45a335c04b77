/** What commands print on standard output: text for people, or one JSON value for scripts. */
export const print = (text = ''): void => {
  process.stdout.write(`${text}\n`);
};

export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

/** `1,234`; with the word in the plural unless there is just one. */
export const counted = (count: number, word: string, plural = `${word}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? word : plural}`;
