/** Tables that a spreadsheet has saved again: the release equals the release of the published file. */
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import type { Format } from '../../shared/importers/importers.ts';
import { readNameTables } from '../../shared/importers/releases/local-names.ts';
import { fixture, importFiles, type TestFile } from '../fixtures/imports/harness.ts';

/** A number as a spreadsheet writes it: without leading zeros, and with a decimal comma where semicolons separate. */
const saved = (cell: string, separator: string): string => {
  const number = /^0+\d/.test(cell) && /^\d+$/.test(cell) ? cell.replace(/^0+(?=\d)/, '') : cell;
  const local = separator === ';' && /^\d*\.\d+$/.test(number) ? number.replace('.', ',') : number;
  return local.includes(separator) || local.includes('"') ? `"${local.replaceAll('"', '""')}"` : local;
};

/** The table with another separator, as wide rows, a byte order mark, CRLF, and empty rows at its end. */
const savedAgain = ({ name, content }: TestFile, separator: string, own: string): TestFile => {
  const rows = parse(content, {
    delimiter: own,
    relax_column_count: true,
    quote: own === '\t' ? null : '"',
  }) as string[][];
  const width = Math.max(...rows.map(({ length }) => length));
  const empty = Array.from({ length: 3 }, () => separator.repeat(width - 1));
  const lines = rows.map((cells) => cells.map((cell) => saved(cell, separator)).join(separator));
  return { name, content: `\uFEFF${[...lines, ...empty].join('\r\n')}\r\n` };
};

const tables: readonly (readonly [Format, string, string, string])[] = [
  ['zip-rates', 'TX', 'TAXRATES_ZIP5_TX202611.csv', ','],
  ['woocommerce', 'TX', 'tax_rates.csv', ','],
  ['cdtfa', 'CA', 'cdtfa.csv', ','],
  ['alabama', 'AL', 'taxrates_current.csv', ','],
  ['arizona', 'AZ', 'TPT_RATETABLE_ALL_11012026.csv', ','],
  ['texas', 'TX', 'taxrates.txt', '\t'],
];

describe('a table that a spreadsheet saved again', () => {
  const variants = tables.flatMap((table) => [',', ';', '\t'].map((separator) => [...table, separator] as const));

  it.each(variants)(
    'as %s of %s (%s, separated by %j) gives the same release with %j',
    async (...[format, state, name, own, separator]) => {
      const names = readNameTables(state);
      const published = await importFiles(format, state, [fixture(name)], { names });
      const imported = await importFiles(format, state, [savedAgain(fixture(name), separator, own)], { names });
      expect(imported.built.summary).toEqual(published.built.summary);
      expect(published.parts.size).toBeGreaterThan(0);
      expect(imported.parts).toEqual(published.parts);
    },
  );

  it('as SST files, with codes and ZIPs that lost their zeros, makes the same release', async () => {
    const files = ['MNR2026Q4AUG28.csv', 'MNB2026Q4AUG28.csv'].map(fixture);
    const published = await importFiles('sst', 'MN', files);
    const imported = await importFiles(
      'sst',
      'MN',
      files.map((file) => savedAgain(file, ';', ',')),
    );
    expect(imported.built.summary).toEqual(published.built.summary);
    expect(imported.parts).toEqual(published.parts);
  });
});
