/** `content list`: all releases, corrupt heads, and unfinished imports. */
import type { Command } from 'commander';
import { toDay } from '../../base/calendar.ts';
import { builtInReleaseById, builtInReleases } from '../../catalog/built-in.ts';
import { corruptionText } from '../../catalog/loading/content-errors.ts';
import manifest from '../../catalog/releases/manifest.json' with { type: 'json' };
import { now } from '../../config/clock.ts';
import { headCounts, type ListedCorrupt, type ListedRelease, listReleases } from '../../coverage/releases.ts';
import { remedyOf, unfinishedLines } from '../../importers/releases/import-files.ts';
import { stateOf } from '../../importers/releases/open-release.ts';
import {
  listHeads,
  readActiveReleases,
  type UnfinishedImport,
  unfinishedImports,
} from '../../store/content/content-store.ts';
import { counted, instantText, print, printJson, textTable } from '../terminal/output.ts';

type Unfinished = UnfinishedImport & { readonly state: string };

const builtInHashes: Readonly<Record<string, string>> = manifest;

/** A release as JSON output. `local_rates` is as of today, as in GET /coverage. */
const listed = ({ row: { jurisdictions: _, rates: __, ...row }, head }: ListedRelease) => ({
  ...row,
  state: row.id.slice(0, 5),
  content_hash: head?.content_hash ?? builtInHashes[row.id] ?? null,
  counts: head && headCounts(head),
});
type Listed = ReturnType<typeof listed>;

const listedCorrupt = ({ isActive, error }: ListedCorrupt) => ({
  id: error.release,
  state: error.release.slice(0, 5),
  active: isActive,
  origin: 'corrupt',
  problem: corruptionText(error),
});

const listedImport = (unfinished: Unfinished) => ({
  id: unfinished.id,
  state: unfinished.state,
  active: false,
  origin: 'unfinished',
  began_at: unfinished.began_at,
  remedy: remedyOf(unfinished),
});

const contentOf = async (states: readonly string[]) => {
  const active = await readActiveReleases();
  const ports = { builtIn: builtInReleases, builtInById: builtInReleaseById, listHeads };
  const releases: Listed[] = [];
  const corrupt: ListedCorrupt[] = [];
  const imports: Unfinished[] = [];
  for (const state of states) {
    const found = await listReleases(state, active, toDay(now()), ports);
    releases.push(...found.releases.map(listed));
    corrupt.push(...found.corrupt);
    for (const unfinished of await unfinishedImports(state)) imports.push({ ...unfinished, state });
  }
  return { releases, corrupt, imports };
};

const row = ({ id, active, origin, counts, content_hash, ...release }: Listed): readonly string[] => [
  active ? '*' : '',
  id,
  origin === 'built_in' ? 'built-in' : `${origin}${release.own_rules && origin !== 'own' ? ' + own' : ''}`,
  release.last_day === null ? release.local_rates : `${release.local_rates}, to ${release.last_day}`,
  counts ? String(counts.parts) : '',
  counts ? String(counts.jurisdictions) : '',
  counts ? String(counts.rates) : '',
  content_hash?.slice(0, 12) ?? '',
  release.imported_at === null ? '' : instantText(release.imported_at),
];
const corruptRow = ({ isActive, error }: ListedCorrupt): readonly string[] => [
  isActive ? '*' : '',
  error.release,
  'corrupt',
];
const headings = ['', 'release', 'origin', 'local rates', 'parts', 'jurisdictions', 'rates', 'hash', 'imported (UTC)'];

export const addList = (program: Command): Command =>
  program
    .command('list')
    .summary('all releases, with the active ones marked')
    .description(
      'List built-in and imported releases, and unfinished imports. * marks active releases. Local rates (complete, partial or none) are as of today.',
    )
    .option('--state <state>', 'only releases of this state, such as MN')
    .option('--json', 'one JSON array, with complete hashes; unfinished imports come last')
    .addHelpText('after', '\nExample:\n  npm run content -- list --state MN')
    .action(async ({ state, json }: { state?: string; json?: boolean }) => {
      const code = state === undefined ? null : stateOf(state).code;
      const states = [...new Set(builtInReleases().map((release) => release.state))].sort();
      const { releases, corrupt, imports } = await contentOf(code === null ? states : [code]);
      if (json) return printJson([...releases, ...corrupt.map(listedCorrupt), ...imports.map(listedImport)]);
      print(textTable([headings, ...releases.map(row), ...corrupt.map(corruptRow)]));
      print(`${counted(releases.length + corrupt.length, 'release')}; * is active.`);
      for (const { error } of corrupt) print(corruptionText(error));
      for (const line of unfinishedLines(imports)) print(line);
    });
