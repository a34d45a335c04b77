/** `content list`: all releases, corrupt heads, and unfinished imports. */
import { toDay } from '../../base/calendar.ts';
import { builtInReleaseById, builtInReleases } from '../../catalog/built-in.ts';
import { corruptionText } from '../../catalog/loading/content-errors.ts';
import manifest from '../../catalog/releases/manifest.json' with { type: 'json' };
import { now } from '../../config/clock.ts';
import { headCounts, type ListedCorrupt, type ListedRelease, listReleases } from '../../coverage/releases.ts';
import { unfinishedLines } from '../../importers/releases/import-files.ts';
import { getState } from '../../importers/releases/open-release.ts';
import {
  listHeads,
  readActiveReleases,
  type UnfinishedImport,
  unfinishedImports,
} from '../../store/content/content-store.ts';
import { counted, instantText, print, textTable } from '../terminal/output.ts';
import type { LevyCommand } from '../terminal/run-command.ts';

const builtInHashes: Readonly<Record<string, string>> = manifest;

const readContent = async (states: readonly string[]) => {
  const active = await readActiveReleases();
  const ports = { builtIn: builtInReleases, builtInById: builtInReleaseById, listHeads };
  const listed: Awaited<ReturnType<typeof listReleases>>[] = [];
  const imports: UnfinishedImport[] = [];
  for (const state of states) {
    listed.push(await listReleases(state, active, toDay(now()), ports));
    imports.push(...(await unfinishedImports(state)));
  }
  return {
    releases: listed.flatMap(({ releases }) => releases),
    corrupt: listed.flatMap(({ corrupt }) => corrupt),
    imports,
  };
};

const row = ({ row: release, head }: ListedRelease): readonly string[] => {
  const { id, active, origin, own_rules, local_rates, last_day, imported_at } = release;
  const { parts = '', jurisdictions = '', rates = '' } = head ? headCounts(head) : {};
  return [
    active ? '*' : '',
    id,
    origin === 'built_in' ? 'built-in' : `${origin}${own_rules && origin !== 'own' ? ' + own' : ''}`,
    last_day === null ? local_rates : `${local_rates}, to ${last_day}`,
    ...[parts, jurisdictions, rates].map(String),
    (head?.content_hash ?? builtInHashes[id] ?? '').slice(0, 12),
    imported_at === null ? '' : instantText(imported_at),
  ];
};
const corruptRow = ({ isActive, error }: ListedCorrupt): readonly string[] => [
  isActive ? '*' : '',
  error.release,
  'corrupt',
];
const headings = ['', 'release', 'origin', 'local rates', 'parts', 'jurisdictions', 'rates', 'hash', 'imported (UTC)'];

export const addList = (program: LevyCommand): LevyCommand =>
  program
    .command('list')
    .summary('all releases, with the active ones marked')
    .description(
      'List built-in and imported releases, and unfinished imports. * marks active releases. Local rates (complete, partial or none) are as of today.',
    )
    .option('--state <state>', 'only releases of this state, such as MN')
    .examples('content -- list --state MN')
    .action(async ({ state }: { state?: string }) => {
      const code = state === undefined ? null : getState(state).code;
      const states = [...new Set(builtInReleases().map((release) => release.state))].sort();
      const { releases, corrupt, imports } = await readContent(code === null ? states : [code]);
      print(textTable([headings, ...releases.map(row), ...corrupt.map(corruptRow)]));
      print(`${counted(releases.length + corrupt.length, 'release')}; * is active.`);
      for (const { error } of corrupt) print(corruptionText(error));
      for (const line of unfinishedLines(imports)) print(line);
    });
