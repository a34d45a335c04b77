/** `content list`: all releases, corrupt heads, and unfinished imports. */
import type { Command } from 'commander';
import { dayOf } from '../../calendar.ts';
import { now } from '../../config/clock.ts';
import { builtInReleaseById, builtInReleases } from '../../content/built-in.ts';
import type { ReleaseHead } from '../../content/content.ts';
import { type ContentCorrupt, corruptionText } from '../../content/loading/content-errors.ts';
import { isOwnOnly } from '../../content/own-rules.ts';
import type { Release } from '../../content/release.ts';
import manifest from '../../content/releases/manifest.json' with { type: 'json' };
import { localRatesOn } from '../../coverage/local-rates.ts';
import { overBottom } from '../../coverage/releases.ts';
import { stateOf } from '../../releases/active-release.ts';
import { remedyOf, unfinishedLines } from '../../releases/new-release.ts';
import {
  listHeads,
  readActiveReleases,
  type UnfinishedImport,
  unfinishedImports,
} from '../../store/content/content-store.ts';
import { counted, instantText, print, printJson, textTable } from '../terminal/output.ts';

type Active = { readonly release: string | undefined; readonly activated_at: string | null };
type Corrupt = { readonly active: boolean; readonly error: ContentCorrupt };
type Unfinished = UnfinishedImport & { readonly state: string };

const builtInHashes: Readonly<Record<string, string>> = manifest;

const originOf = (head: ReleaseHead | null): string => {
  if (!head) return 'built_in';
  return isOwnOnly(head) ? 'own' : head.format;
};

/** What a release holds. Own rules hold their own jurisdictions and rates. */
const countsOf = (head: ReleaseHead | null): ReleaseHead['counts'] | null =>
  head?.own && isOwnOnly(head)
    ? { ...head.counts, jurisdictions: head.own.jurisdictions.length, rates: head.own.rates.length }
    : (head?.counts ?? null);

/** A release for scripts. `local_rates` are those of today, as in GET /coverage. */
const listed = (release: Release, head: ReleaseHead | null, active: Active) => ({
  id: release.id,
  state: release.state,
  active: active.release === release.id,
  origin: originOf(head),
  /** Whether rules, rates or settings of the operator apply with it. */
  own_rules: head?.own !== undefined,
  local_rates: localRatesOn(head ? overBottom(head, builtInReleaseById) : release, dayOf(now())),
  last_day: head?.last_day ?? null,
  content_hash: head?.content_hash ?? builtInHashes[release.id] ?? null,
  imported_at: head?.imported_at ?? null,
  activated_at: active.release === release.id ? active.activated_at : null,
  counts: countsOf(head),
});
type Listed = ReturnType<typeof listed>;

const listedCorrupt = ({ active, error }: Corrupt) => ({
  id: error.release,
  state: error.release.slice(0, 5),
  active,
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

const contentOf = async (builtIn: readonly Release[]) => {
  const { states } = await readActiveReleases();
  const releases: Listed[] = [];
  const corrupt: Corrupt[] = [];
  const imports: Unfinished[] = [];
  for (const [state, own] of [...Map.groupBy(builtIn, (release) => release.state)].sort()) {
    const pointer = states[state];
    // Without a pointer the newest built-in release is active.
    const active = { release: pointer?.release ?? own.at(-1)?.id, activated_at: pointer?.activated_at ?? null };
    releases.push(...own.map((release) => listed(release, null, active)));
    const onCorrupt = (error: ContentCorrupt) => void corrupt.push({ active: error.release === active.release, error });
    for await (const head of listHeads(state, onCorrupt)) releases.push(listed(head, head, active));
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
const corruptRow = ({ active, error }: Corrupt): readonly string[] => [active ? '*' : '', error.release, 'corrupt'];
const headings = ['', 'release', 'origin', 'local rates', 'parts', 'jurisdictions', 'rates', 'hash', 'imported (UTC)'];

export const addList = (program: Command): Command =>
  program
    .command('list')
    .summary('all releases, with the active ones marked')
    .description(
      'List the built-in and the imported releases, and unfinished imports. * marks the active releases. Local rates are those of today: complete, partial or none, or listed for imports of earlier versions, which cover only the ZIPs in their files.',
    )
    .option('--state <state>', 'only releases of this state, such as MN')
    .option('--json', 'one JSON array, with complete hashes; unfinished imports come last')
    .addHelpText('after', '\nExample:\n  npm run content -- list --state MN')
    .action(async ({ state, json }: { state?: string; json?: boolean }) => {
      const code = state === undefined ? null : stateOf(state).code;
      const builtIn = builtInReleases().filter((release) => code === null || release.state === code);
      const { releases, corrupt, imports } = await contentOf(builtIn);
      if (json) return printJson([...releases, ...corrupt.map(listedCorrupt), ...imports.map(listedImport)]);
      print(textTable([headings, ...releases.map(row), ...corrupt.map(corruptRow)]));
      print(`${counted(releases.length + corrupt.length, 'release')}; * is active.`);
      for (const { error } of corrupt) print(corruptionText(error));
      for (const line of unfinishedLines(imports)) print(line);
    });
