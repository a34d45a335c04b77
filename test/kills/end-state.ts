/** The state of the content table, without the ids and times that differ between runs. */
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { headFrom, partFrom } from '../../shared/store/content/content-item.ts';
import { activeReleasesKey, contentSourceKey, releaseHeadKey } from '../../shared/store/keys.ts';
import type { Item } from './world.ts';

type Source = {
  readonly files: unknown;
  readonly release: string;
  readonly activated: boolean;
  readonly failure: unknown;
};

type StateContent = {
  readonly head: object;
  readonly parts: Readonly<Record<string, object>>;
  readonly source: object;
  /** How many releases of the state are finished. */
  readonly releases: number;
};

export type EndState = {
  readonly content: Readonly<Record<string, StateContent>>;
  /** Claims of imports that did not end. */
  readonly unfinished: number;
};

const stateContent = (items: readonly Record<string, any>[], state: string, active: string): StateContent => {
  const find = ({ pk, sk }: { readonly pk: string; readonly sk: string }) =>
    items.find((item) => item['pk'] === pk && item['sk'] === sk);
  const {
    id: _id,
    content_hash: _hash,
    imported_at: _at,
    ...head
  } = headFrom(active, find(releaseHeadKey(active))).value;
  const own = items.filter(({ pk }) => pk.startsWith(`P#${active}#`));
  const parts = own.map((item) => [item['sk'], partFrom({ release: active, key: item['sk'] }, item).value] as const);
  const { files, release, activated, failure } = find(contentSourceKey(state)) as Source;
  return {
    head,
    parts: Object.fromEntries(parts.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    source: { files, activated, failure, isActive: release === active },
    releases: items.filter(({ pk, sk }) => pk === `R#US-${state}` && !sk.startsWith('C#')).length,
  };
};

/** The state of a table after an update of these states. */
export const endStateOf = (stored: readonly Item[], states: readonly string[]): EndState => {
  const items = stored.map((item) => unmarshall(item));
  const directory = items.find(({ pk, sk }) => pk === activeReleasesKey.pk && sk === activeReleasesKey.sk);
  const active: Record<string, { readonly release: string }> = JSON.parse(directory?.['states'] ?? '{}');
  return {
    content: Object.fromEntries(
      states.map((state) => [state, stateContent(items, state, active[`US-${state}`]?.release ?? '')]),
    ),
    unfinished: items.filter(({ pk, sk }) => pk.startsWith('R#') && sk.startsWith('C#')).length,
  };
};

/** How many of the states use another release than in an earlier table. */
export const activatedSince = (stored: readonly Item[], before: readonly Item[]): number => {
  const statesOf = (items: readonly Item[]): Record<string, { readonly release: string }> =>
    JSON.parse(items.find(({ pk }) => pk?.S === activeReleasesKey.pk)?.['states']?.S ?? '{}');
  const [now, then] = [statesOf(stored), statesOf(before)];
  return Object.keys(now).filter((state) => now[state]?.release !== then[state]?.release).length;
};
