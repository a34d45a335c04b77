/** `content list`: all releases, corrupt heads, and unfinished imports. */
import { toDay } from '../../base/calendar.ts';
import { builtInReleases } from '../../catalog/built-in.ts';
import { corruptionText } from '../../catalog/loading/content-errors.ts';
import manifest from '../../catalog/manifest.json' with { type: 'json' };
import { now } from '../../config/clock.ts';
import { headCounts, type ListedRelease, listReleases } from '../../coverage/releases.ts';
import { discardCommand, unfinishedLines } from '../../importers/releases/import-files.ts';
import { getState } from '../../importers/releases/open-release.ts';
import {
  listHeads,
  readActiveReleases,
  type UnfinishedImport,
  unfinishedImports,
} from '../../store/content/content-store.ts';
import { counted, instantText, print, printJson, textTable } from '../terminal/output.ts';
import { flag, optional, subcommand } from '../terminal/run-command.ts';

const builtInHashes: Readonly<Record<string, string>> = manifest.releases;

const readContent = async (states: readonly string[]) => {
  const active = await readActiveReleases();
  const listed: Awaited<ReturnType<typeof listReleases>>[] = [];
  const imports: (UnfinishedImport & { readonly state: string })[] = [];
  for (const state of states) {
    listed.push(await listReleases(state, active, toDay(now()), listHeads));
    for (const unfinished of await unfinishedImports(state)) imports.push({ ...unfinished, state });
  }
  return {
    releases: listed.flatMap(({ releases }) => releases),
    corrupt: listed.flatMap(({ corrupt }) => corrupt),
    imports,
  };
};

const contentHash = ({ row, head }: ListedRelease): string | null =>
  head?.content_hash ?? builtInHashes[row.id] ?? null;

/** The JSON of `--json`: releases, then corrupt heads, then unfinished imports. */
const listJson = ({ releases, corrupt, imports }: Awaited<ReturnType<typeof readContent>>) => [
  ...releases.map((listed) => {
    const { jurisdictions: _, rates: __, ...release } = listed.row;
    const counts = listed.head && headCounts(listed.head);
    return { ...release, state: release.id.slice(0, 5), content_hash: contentHash(listed), counts };
  }),
  ...corrupt.map(({ isActive, error }) => ({
    id: error.release,
    state: error.release.slice(0, 5),
    active: isActive,
    origin: 'corrupt',
    problem: corruptionText(error),
  })),
  ...imports.map(({ id, state, began_at }) => ({
    id,
    state,
    active: false,
    origin: 'unfinished',
    began_at,
    remedy: discardCommand(id),
  })),
];

const row = (listed: ListedRelease): readonly string[] => {
  const { row: release, head } = listed;
  const { id, active, origin, own_rules, local_rates, last_day, imported_at } = release;
  const { parts = '', jurisdictions = '', rates = '' } = head ? headCounts(head) : {};
  return [
    active ? '*' : '',
    id,
    origin === 'built_in' ? 'built-in' : `${origin}${own_rules && origin !== 'own' ? ' + own' : ''}`,
    last_day === null ? local_rates : `${local_rates}, to ${last_day}`,
    ...[parts, jurisdictions, rates].map(String),
    (contentHash(listed) ?? '').slice(0, 12),
    imported_at === null ? '' : instantText(imported_at),
  ];
};
const headings = ['', 'release', 'origin', 'local rates', 'parts', 'jurisdictions', 'rates', 'hash', 'imported (UTC)'];

export const list = subcommand({
  name: 'list',
  summary: 'all releases, with the active ones marked',
  description:
    'List built-in and imported releases, and unfinished imports. * marks active releases. Local rates (complete, partial or none) are as of today.',
  options: {
    state: optional('<state>', 'only releases of this state, such as MN'),
    json: flag('one JSON array, with complete hashes; unfinished imports come last'),
  },
  examples: ['content -- list --state MN'],
  run: async ({ state, json }) => {
    const code = state === undefined ? null : getState(state).code;
    const states = [...new Set(builtInReleases().map((release) => release.state))].sort();
    const content = await readContent(code === null ? states : [code]);
    if (json) return printJson(listJson(content));
    const { releases, corrupt, imports } = content;
    const corruptRows = corrupt.map(({ isActive, error }) => [isActive ? '*' : '', error.release, 'corrupt']);
    print(textTable([headings, ...releases.map(row), ...corruptRows]));
    print(`${counted(releases.length + corrupt.length, 'release')}; * is active.`);
    for (const { error } of corrupt) print(corruptionText(error));
    for (const line of unfinishedLines(imports)) print(line);
  },
});
