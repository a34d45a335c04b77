import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { canonicalJson } from '../../base/json.ts';
import { builtInReleases } from '../../catalog/built-in.ts';
import type { Release } from '../../catalog/release.ts';
import { coveragePage, newestDay, stateTable, taxabilityPage } from '../../coverage/page.ts';
import { residentsTable } from '../../coverage/residents.ts';
import { taxabilityRows } from '../../importers/taxability/rows.ts';
import { openRowsText, releaseText, withTaxabilityRows } from '../../importers/taxability/rules.ts';
import { print, textTable } from '../terminal/output.ts';
import { CommandError, type LevyCommand } from '../terminal/run-command.ts';

// The hashes of the built-in releases and of the local tables, which tests compare with the files.

const catalog = new URL('../../catalog/', import.meta.url);

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

const filesIn = (folder: URL): string[] =>
  readdirSync(folder)
    .filter((name) => name !== 'manifest.json')
    .sort();

const writeManifest = (folder: URL, hashes: readonly (readonly [string, string])[]): void =>
  writeFileSync(new URL('manifest.json', folder), `${JSON.stringify(Object.fromEntries(hashes), null, 2)}\n`);

/** Writes both manifests from the current files. */
const writeManifests = (): void => {
  const releases = new URL('releases/', catalog);
  writeManifest(
    releases,
    filesIn(releases).map((name) => [
      name.replace(/\.json$/, ''),
      sha256(canonicalJson(JSON.parse(readFileSync(new URL(name, releases), 'utf8')))),
    ]),
  );
  const local = new URL('local/', catalog);
  const tables = ['rates.csv', 'zips.csv'];
  writeManifest(
    local,
    tables.map((name) => [name, sha256(readFileSync(new URL(name, local)))]),
  );
};

// `content coverage`: the coverage page of the built-in releases.

const docPath = (name: string): string => fileURLToPath(new URL(`../../../infra/docs/${name}`, import.meta.url));

export const addCoverage = (program: LevyCommand): LevyCommand =>
  program
    .command('coverage')
    .summary('coverage of the built-in releases by state')
    .description(
      'Print the coverage by state of the built-in releases as a table: general rate, local rates, clothing, groceries, digital goods and shipping. Run `npm run pack` first if content changed.',
    )
    .option(
      '--write',
      'write infra/docs/coverage.md, infra/docs/taxability.md and the content hashes that tests compare, instead of printing',
    )
    .option('--by-residents', 'print by state how many ZIP codes and residents have an unambiguous local rate')
    .examples('content -- coverage --write')
    .action(({ write, byResidents }: { write?: boolean; byResidents?: boolean }) => {
      if (byResidents) return print(residentsTable(builtInReleases(), true));
      const releases = builtInReleases();
      if (!write) return print(textTable(stateTable(releases, newestDay(releases))));
      writeFileSync(docPath('coverage.md'), coveragePage(releases, readFileSync(docPath('coverage.md'), 'utf8')));
      writeFileSync(docPath('taxability.md'), taxabilityPage(releases));
      writeManifests();
      print('infra/docs/coverage.md, infra/docs/taxability.md and the manifests were written.');
    });

// `content taxability`: convert the taxability tables to rules of the built-in releases.

/** Reads a release from its source file, because manual changes may not be packed yet. */
const readRelease = ({ id }: Release): Release =>
  JSON.parse(readFileSync(new URL(`releases/${id}.json`, catalog), 'utf8'));

/** Writes the rules and their hashes into the built-in releases, and the list of rows that do not become rules. */
const writeRules = (): void => {
  const read = withTaxabilityRows(builtInReleases().map(readRelease));
  for (const { release } of read) writeFileSync(new URL(`releases/${release.id}.json`, catalog), releaseText(release));
  writeManifests();
  writeFileSync(new URL('../importers/taxability/open-rows.csv', catalog), openRowsText(read));
};

/** Prints the rows of a code in a state, and why a row does not become a rule. */
const printRows = (code: string, state: string): void => {
  const rows = taxabilityRows().filter((row) => row.code === code && row.state === state);
  if (rows.length === 0)
    throw new CommandError(
      `No row has the code ${code} in ${state}. Pass a full product tax code (SOFTWARE.SAAS) and a state (OH).`,
    );
  const releases = builtInReleases().filter((release) => release.state === `US-${state}`);
  const open = new Map(
    withTaxabilityRows(releases).flatMap((read) => read.open.map(({ row, reason }) => [canonicalJson(row), reason])),
  );
  print(
    textTable([
      ['attributes', 'treatment', 'local', 'from', 'to', 'confidence', 'why not a rule', 'citation'],
      ...rows.map((row) => [
        row.attributes,
        row.treatment === 'rate' ? `rate ${row.state_rate} %` : row.treatment,
        row.local,
        row.from,
        row.to,
        row.confidence,
        open.get(canonicalJson(row)) ?? '',
        row.citation,
      ]),
    ]),
  );
};

type TaxabilityOptions = { readonly write?: boolean; readonly code?: string; readonly state?: string };

export const addTaxability = (program: LevyCommand): LevyCommand =>
  program
    .command('taxability')
    .summary('how each state treats each product tax code, from the taxability tables')
    .description(
      'Print the rows of a product tax code in a state, or write the rules of all rows into the built-in releases. Then run `npm run pack`.',
    )
    .option('--code <code>', 'the product tax code, without attributes')
    .option('--state <state>', 'the state, two letters')
    .option('--write', 'write the rules, and shared/importers/taxability/open-rows.csv')
    .examples('content -- taxability --code SOFTWARE.SAAS --state OH')
    .action(({ code, state, write }: TaxabilityOptions) => {
      if (write && (code || state))
        throw new CommandError('--write writes the rules of all rows. Leave out --code and --state.');
      if (write) {
        writeRules();
        return print('The rules were written. Run `npm run pack`.');
      }
      if (!code || !state) throw new CommandError('Pass --code and --state, or --write.');
      printRows(code, state);
    });
