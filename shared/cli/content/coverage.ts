/** `content coverage`: the coverage page of the built-in releases. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { builtInReleases } from '../../catalog/built-in.ts';
import { coveragePage } from '../../coverage/page.ts';
import { residentsTable } from '../../coverage/residents.ts';
import { taxabilityPage } from '../../coverage/taxability-page.ts';
import { print } from '../terminal/output.ts';
import { writeManifests } from './manifests.ts';

const pathOf = (name: string): string => fileURLToPath(new URL(`../../../infra/docs/${name}`, import.meta.url));

export const addCoverage = (program: Command): Command =>
  program
    .command('coverage')
    .summary('coverage of the built-in releases by state')
    .description(
      'Print the coverage by state of the built-in releases as Markdown: general rate, local rates, clothing, groceries, digital goods and shipping. Run `npm run pack` first if content changed.',
    )
    .option(
      '--write',
      'write infra/docs/coverage.md, infra/docs/taxability.md and the hashes of the content instead, which tests compare',
    )
    .option('--by-residents', 'print how many ZIP codes and residents have a certain local rate, by state')
    .addHelpText('after', '\nExample:\n  npm run content -- coverage --write')
    .action(({ write, byResidents }: { write?: boolean; byResidents?: boolean }) => {
      if (byResidents) return print(residentsTable(builtInReleases(), true));
      const page = coveragePage(builtInReleases());
      if (!write) return print(page.trimEnd());
      writeFileSync(pathOf('coverage.md'), page);
      writeFileSync(pathOf('taxability.md'), taxabilityPage(builtInReleases()));
      writeManifests();
      print('infra/docs/coverage.md, infra/docs/taxability.md and the manifests are written.');
    });
