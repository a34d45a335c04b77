import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const text = readFileSync(new URL('infra/decisions/0015-threat-model.md', root), 'utf8');
const rows = text.split('\n').filter((line) => /^\| API\d+ /.test(line));

/** The tests that a row names: a file, and a title in it. */
const referencesOf = (row: string) =>
  [...row.matchAll(/`(test\/[\w./-]+)`(?: "([^"]+)")?/g)].map(([, file = '', title]) => ({ file, title }));

/** The titles of a test file, as they stand in it: after `it(`, and after the table of an `it.each(…)(`. */
const titlesIn = (source: string): string[] =>
  [...source.matchAll(/(?:\b(?:it|describe)|\))\(\s*(['`])((?:(?!\1)[^\\\n]|\\.)*)\1\s*,/g)].map(([, , title = '']) =>
    title.replaceAll("\\'", "'"),
  );

it('has a row for each of the ten risks, in their order, with at least two tests', () => {
  expect(rows.map((row) => /API\d+/.exec(row)?.[0])).toEqual(Array.from({ length: 10 }, (_, at) => `API${at + 1}`));
  for (const row of rows) expect(referencesOf(row).length, row.slice(0, 40)).toBeGreaterThanOrEqual(2);
});

describe.each(rows.map((row) => [row.split('|')[1]?.trim(), referencesOf(row)] as const))('%s', (_risk, references) => {
  it.each(references)('is held by $file, $title', ({ file, title }) => {
    expect(existsSync(new URL(file, root))).toBe(true);
    const titles = titlesIn(readFileSync(new URL(file, root), 'utf8'));
    expect(titles).toContain(title);
  });
});

it('knows a test by its title alone, and not by a comment that has the same words', () => {
  const source = `// it says so\nit('holds', () => {});\nit.each([['a', 1]])('holds %s, isn\\'t it', () => {});\nexpect('says so', 1);`;
  expect(titlesIn(source)).toEqual(['holds', "holds %s, isn't it"]);
});
