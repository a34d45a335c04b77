/** `content taxability`: convert the taxability tables to rules of the built-in releases. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { builtInReleases } from '../../catalog/built-in.ts';
import type { Release } from '../../catalog/release.ts';
import { openRowsText, releaseText, withTaxabilityRows } from '../../importers/taxability/rules.ts';
import { print } from '../terminal/output.ts';
import { writeManifests } from './coverage.ts';

const resolvePath = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** Reads a release from its source file, because manual changes may not be packed yet. */
const readRelease = ({ id }: Release): Release =>
  JSON.parse(readFileSync(resolvePath(`catalog/releases/${id}.json`), 'utf8'));

/** Writes the rules and their hashes into the built-in releases, and the list of rows that do not become rules. */
const write = (): void => {
  const read = withTaxabilityRows(builtInReleases().map(readRelease));
  for (const { release } of read)
    writeFileSync(resolvePath(`catalog/releases/${release.id}.json`), releaseText(release));
  writeManifests();
  writeFileSync(resolvePath('importers/taxability/open-rows.csv'), openRowsText(read));
};

export const addTaxability = (program: Command): Command =>
  program
    .command('taxability')
    .summary('convert the taxability tables to rules of the built-in releases')
    .description('Write the rules of all rows into the built-in releases. Then run `npm run pack`.')
    .requiredOption('--write', 'write the rules, and shared/importers/taxability/open-rows.csv')
    .addHelpText('after', '\nExample:\n  npm run content -- taxability --write')
    .action(() => {
      write();
      print('The rules were written. Run `npm run pack`.');
    });
