import { readdir, readFile } from 'node:fs/promises';
import type { NameTables } from '../content/imports/sst/layers.ts';

const folder = new URL('../content/local/', import.meta.url);

const textOf = (path: string): Promise<string> => readFile(new URL(path, folder), 'utf8');

/** The newest table of a state's local rates; `''` of a state without one. */
const ratesOf = async (state: string): Promise<string> => {
  const files = (await readdir(new URL('rates/', folder))).filter((name) => name.startsWith(`${state}@`));
  const newest = files.toSorted().at(-1);
  return newest === undefined ? '' : textOf(`rates/${newest}`);
};

/** Read the tables of public names that ship with the service, for a state by its two letters. */
export const readNameTables = async (state: string): Promise<NameTables> => ({
  counties: await textOf('counties.csv'),
  districts: await textOf('districts.csv'),
  rates: await ratesOf(state),
});
