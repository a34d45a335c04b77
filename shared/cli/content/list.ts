/** `content list`: every release there is, which ones are active, corrupt heads, and imports that are not finished. */

import type { Command } from 'commander';
import { dayOf } from '../../calendar.ts';
import { now } from '../../config/clock.ts';
import { builtInReleaseById, builtInReleases } from '../../content/built-in.ts';
import type { ReleaseHead } from '../../content/content.ts';
import type { ContentCorrupt } from '../../content/loading/content-errors.ts';
import type { Release } from '../../content/release.ts';
import manifest from '../../content/releases/manifest.json' with { type: 'json' };
import { localRatesOn } from '../../coverage/local-rates.ts';
import { overBottom } from '../../coverage/releases.ts';
import type { LocalRates } from '../../coverage/response.ts';
import {
  type ActiveReleases,
  listHeads,
  readActiveReleases,
  type UnfinishedImport,
  unfinishedImports,
} from '../../store/content/content-store.ts';
import { corruptionText } from '../terminal/errors.ts';
import { counted, instantText, print, printJson, textTable } from '../terminal/output.ts';
import { printUnfinished, remedyOf } from './discard.ts';
import { stateOf } from './state-option.ts';

/** A release as scripts get it. */
type Listed = {
  readonly id: string;
  readonly state: string;
  readonly active: boolean;
  readonly origin: 'built_in' | ReleaseHead['format'];
  /** Of the taxes below the state, today, as GET /coverage says it. */
  readonly local_rates: LocalRates;
  /** The last day of any of its locations; `null` where they go on, or it has not been counted. */
  readonly last_day: string | null;
  readonly content_hash: string | null;
  readonly imported_at: string | null;
  readonly activated_at: string | null;
  readonly counts: ReleaseHead['counts'] | null;
};

type Unfinished = UnfinishedImport & { readonly state: string };

/** An import that is not finished as scripts get it: it runs, or was broken off. `remedy` removes what it left. */
const listedImport = (one: Unfinished) => ({
  id: one.id,
  state: one.state,
  active: false,
  origin: 'unfinished',
  began_at: one.began_at,
  remedy: remedyOf(one),
});

/** A release whose head cannot be trusted, as scripts get it. */
type Corrupt = { readonly active: boolean; readonly error: ContentCorrupt };

const listedCorrupt = ({ active, error }: Corrupt) => ({
  id: error.release,
  state: error.release.slice(0, 5),
  active,
  origin: 'corrupt',
  problem: corruptionText(error),
});

// A test holds these against the files.
const builtInHashes: Readonly<Record<string, string>> = manifest;

const listed = (release: Release, head: ReleaseHead | null, active: Active, today: string): Listed => {
  const isActive = active.release === release.id;
  return {
    id: release.id,
    state: release.state,
    active: isActive,
    origin: head?.format ?? 'built_in',
    local_rates: localRatesOn(head ? overBottom(head, builtInReleaseById) : release, today),
    last_day: head?.last_day ?? null,
    content_hash: head?.content_hash ?? builtInHashes[release.id] ?? null,
    imported_at: head?.imported_at ?? null,
    activated_at: isActive ? active.activated_at : null,
    counts: head?.counts ?? null,
  };
};

type Active = { readonly release: string | undefined; readonly activated_at: string | null };

const releasesOf = async (
  state: string,
  builtIn: readonly Release[],
  pointer: ActiveReleases['states'][string] | undefined,
): Promise<{ readonly releases: readonly Listed[]; readonly corrupt: readonly Corrupt[] }> => {
  const today = dayOf(now());
  // Without a pointer the newest built-in release applies.
  const active = { release: pointer?.release ?? builtIn.at(-1)?.id, activated_at: pointer?.activated_at ?? null };
  const corrupt: Corrupt[] = [];
  const onCorrupt = (error: ContentCorrupt) => void corrupt.push({ active: error.release === active.release, error });
  const heads = await Array.fromAsync(listHeads(state, onCorrupt), (head) => listed(head, head, active, today));
  return { releases: [...builtIn.map((release) => listed(release, null, active, today)), ...heads], corrupt };
};

type Content = {
  readonly releases: readonly Listed[];
  readonly corrupt: readonly Corrupt[];
  readonly imports: readonly Unfinished[];
};

const contentOf = async (builtIn: readonly Release[]): Promise<Content> => {
  const { states } = await readActiveReleases();
  const releases: Listed[] = [];
  const corrupt: Corrupt[] = [];
  const imports: Unfinished[] = [];
  for (const [state, own] of [...Map.groupBy(builtIn, (release) => release.state)].sort()) {
    const found = await releasesOf(state, own, states[state]);
    releases.push(...found.releases);
    corrupt.push(...found.corrupt);
    for (const unfinished of await unfinishedImports(state)) imports.push({ ...unfinished, state });
  }
  return { releases, corrupt, imports };
};

const row = ({
  id,
  active,
  origin,
  local_rates,
  last_day,
  counts,
  content_hash,
  imported_at,
}: Listed): readonly string[] => [
  active ? '*' : '',
  id,
  origin === 'built_in' ? 'built-in' : origin,
  last_day === null ? local_rates : `${local_rates}, to ${last_day}`,
  counts ? String(counts.parts) : '',
  counts ? String(counts.jurisdictions) : '',
  counts ? String(counts.rates) : '',
  content_hash?.slice(0, 12) ?? '',
  imported_at === null ? '' : instantText(imported_at),
];
const corruptRow = ({ active, error }: Corrupt): readonly string[] => [active ? '*' : '', error.release, 'corrupt'];
const headings = ['', 'release', 'origin', 'local rates', 'parts', 'jurisdictions', 'rates', 'hash', 'imported (UTC)'];

export const addList = (program: Command): void => {
  program
    .command('list')
    .summary('the releases there are, and which ones are active')
    .description(
      'List the built-in and the imported releases, and the imports that were not finished. Calculations rest on the active ones, marked with *. Local rates are as of today: all of the state (complete), some (partial), none, or, only for imports of earlier versions, those of the ZIPs in their files and no others (listed).',
    )
    .option('--state <state>', 'only those of this state, such as MN')
    .option('--json', 'one JSON array, with whole hashes; unfinished imports come last')
    .addHelpText('after', '\nExample:\n  npm run content -- list --state MN')
    .action(async ({ state, json }: { state?: string; json?: boolean }) => {
      const code = state === undefined ? null : stateOf(state).code;
      const builtIn = builtInReleases().filter((release) => code === null || release.state === code);
      const { releases, corrupt, imports } = await contentOf(builtIn);
      if (json) return printJson([...releases, ...corrupt.map(listedCorrupt), ...imports.map(listedImport)]);
      print(textTable([headings, ...releases.map(row), ...corrupt.map(corruptRow)]));
      print(`${counted(releases.length + corrupt.length, 'release')}; * is active.`);
      for (const { error } of corrupt) print(corruptionText(error));
      printUnfinished(imports);
    });
};
