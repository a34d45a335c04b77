import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { canonicalJson } from '../../base/json.ts';
import { builtInReleases } from '../../catalog/built-in.ts';
import { coveragePage, newestDay, stateTable, taxabilityPage } from '../../coverage/page.ts';
import { residentsTable } from '../../coverage/residents.ts';
import { taxabilityRows } from '../../importers/taxability/rows.ts';
import { buildReleases } from '../../importers/taxability/rules.ts';
import { type Columns, formatTable, print, textTable } from '../terminal/output.ts';
import { CommandError, flag, optional, subcommand } from '../terminal/run-command.ts';

// The hashes of the built-in releases and of the local tables, which tests compare with the files.

const catalog = new URL('../../catalog/', import.meta.url);

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

/** Writes the manifest, which has the hash of each packed release and of each local table. */
const writeManifest = (): void => {
  const hashes = {
    releases: Object.fromEntries(builtInReleases().map((release) => [release.id, sha256(canonicalJson(release))])),
    local: Object.fromEntries(
      ['rates.csv', 'zips.csv'].map((name) => [name, sha256(readFileSync(new URL(`local/${name}`, catalog)))]),
    ),
  };
  writeFileSync(new URL('manifest.json', catalog), `${JSON.stringify(hashes, null, 2)}\n`);
};

// `content coverage`: the coverage page of the built-in releases.

const docPath = (name: string): string => fileURLToPath(new URL(`../../../infra/docs/${name}`, import.meta.url));

export const coverage = subcommand({
  name: 'coverage',
  summary: 'coverage of the built-in releases by state',
  description:
    'Print the coverage by state of the built-in releases as a table: general rate, local rates, clothing, groceries, digital goods and shipping. Run `npm run pack` first if content changed.',
  options: {
    write: flag('write infra/docs/coverage.md, taxability.md and the hashes that tests compare, instead of printing'),
    byResidents: flag('print by state how many ZIP codes and residents have an unambiguous local rate'),
  },
  examples: ['content -- coverage --write'],
  run: ({ write, byResidents }) => {
    if (byResidents) return print(residentsTable(builtInReleases(), true));
    const releases = builtInReleases();
    if (!write) return print(textTable(stateTable(releases, newestDay(releases))));
    writeFileSync(docPath('coverage.md'), coveragePage(releases, readFileSync(docPath('coverage.md'), 'utf8')));
    writeFileSync(docPath('taxability.md'), taxabilityPage(releases));
    writeManifest();
    print('infra/docs/coverage.md, infra/docs/taxability.md and shared/catalog/manifest.json were written.');
  },
});

// `content taxability`: the rows of the taxability tables.

/** Prints the rows of a state, or only of one code, and why a row does not become a rule. */
const printRows = (state: string, code: string | undefined): void => {
  const rows = taxabilityRows().filter((row) => row.state === state && (code === undefined || row.code === code));
  if (rows.length === 0)
    throw new CommandError(
      `No row has ${code === undefined ? 'a code' : `the code ${code}`} in ${state}. Pass a full product tax code (SOFTWARE.SAAS) and a state (OH).`,
    );
  const open = new Map(
    buildReleases().flatMap((built) => built.open.map(({ row, reason }) => [canonicalJson(row), reason])),
  );
  const columns: Columns<(typeof rows)[number]> = [
    ['code', (row) => row.code],
    ['attributes', (row) => row.attributes],
    ['treatment', (row) => (row.treatment === 'rate' ? `rate ${row.state_rate} %` : row.treatment)],
    ['local', (row) => row.local],
    ['from', (row) => row.from],
    ['to', (row) => row.to],
    ['confidence', (row) => row.confidence],
    ['why not a rule', (row) => open.get(canonicalJson(row))],
    ['citation', (row) => row.citation],
  ];
  print(formatTable(columns, rows));
};

export const taxability = subcommand({
  name: 'taxability',
  summary: 'how a state treats the product tax codes, from the taxability tables',
  description:
    'Print the rows of a state, or only of a product tax code, and why a row does not become a rule. `npm run pack` converts the rows to rules.',
  options: {
    state: optional('<state>', 'the state, two letters'),
    code: optional('<code>', 'the product tax code, without attributes; all codes by default'),
  },
  examples: ['content -- taxability --state OH --code SOFTWARE.SAAS'],
  run: ({ code, state }) => {
    if (!state) throw new CommandError('Pass --state, and --code for one product tax code.');
    printRows(state, code);
  },
});
