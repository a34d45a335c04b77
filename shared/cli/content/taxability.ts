/** `content taxability`: convert the taxability tables to rules of the built-in releases. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { canonicalJson } from '../../base/json.ts';
import { builtInReleases } from '../../catalog/built-in.ts';
import type { Release } from '../../catalog/release.ts';
import { type TaxabilityRow, taxabilityRows } from '../../importers/taxability/rows.ts';
import { openRowsText, releaseText, withTaxabilityRows } from '../../importers/taxability/rules.ts';
import { print, textTable } from '../terminal/output.ts';
import { CommandError } from '../terminal/run-command.ts';
import { writeManifests } from './coverage.ts';

const pathOf = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** Reads a release from its source file, because manual changes may not be packed yet. */
const fileOf = ({ id }: Release): Release => JSON.parse(readFileSync(pathOf(`catalog/releases/${id}.json`), 'utf8'));

/** Writes the rules and their hashes into the built-in releases, and the list of rows that do not become rules. */
const write = (): void => {
  const read = withTaxabilityRows(builtInReleases().map(fileOf));
  for (const { release } of read) writeFileSync(pathOf(`catalog/releases/${release.id}.json`), releaseText(release));
  writeManifests();
  writeFileSync(pathOf('importers/taxability/open-rows.csv'), openRowsText(read));
};

const treatmentOf = (row: TaxabilityRow): string =>
  row.treatment === 'rate' ? `rate ${row.state_rate} %` : row.treatment;

/** Prints the rows of a code in a state, and why a row does not become a rule. */
const printRows = (code: string, state: string): void => {
  const rows = taxabilityRows().filter((row) => row.code === code && row.state === state);
  if (rows.length === 0)
    throw new CommandError(
      `No row has the code ${code} in ${state}. Pass a full product tax code (SOFTWARE.SAAS) and a state (OH).`,
    );
  const open = withTaxabilityRows(builtInReleases().filter((one) => one.state === `US-${state}`)).flatMap(
    (one) => one.open,
  );
  const reasonOf = (row: TaxabilityRow) =>
    open.find((one) => canonicalJson(one.row) === canonicalJson(row))?.reason ?? '';
  print(
    textTable([
      ['attributes', 'treatment', 'local', 'from', 'to', 'confidence', 'why not a rule', 'citation'],
      ...rows.map((row) => [
        row.attributes,
        treatmentOf(row),
        row.local,
        row.from,
        row.to,
        row.confidence,
        reasonOf(row),
        row.citation,
      ]),
    ]),
  );
};

type Options = { readonly write?: boolean; readonly code?: string; readonly state?: string };

export const addTaxability = (program: Command): Command =>
  program
    .command('taxability')
    .summary('how each state treats each product tax code, from the taxability tables')
    .description(
      'Print the rows of a product tax code in a state, or write the rules of all rows into the built-in releases. Then run `npm run pack`.',
    )
    .option('--code <code>', 'the product tax code, without attributes')
    .option('--state <state>', 'the state, two letters')
    .option('--write', 'write the rules, and shared/importers/taxability/open-rows.csv')
    .addHelpText('after', '\nExample:\n  npm run content -- taxability --code SOFTWARE.SAAS --state OH')
    .action((options: Options) => {
      if (options.write && (options.code || options.state))
        throw new CommandError('--write writes the rules of all rows. Leave out --code and --state.');
      if (options.write) {
        write();
        return print('The rules were written. Run `npm run pack`.');
      }
      if (!options.code || !options.state) throw new CommandError('Pass --code and --state, or --write.');
      printRows(options.code, options.state);
    });
