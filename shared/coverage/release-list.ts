import type { ReleaseHead } from '../catalog/content.ts';
import type { ActiveReleases } from '../catalog/loading/active-releases.ts';
import type { ContentCorrupt } from '../catalog/loading/content-errors.ts';
import { isOwnOnly } from '../catalog/own-rules.ts';
import type { Release } from '../catalog/release.ts';
import { localRatesOn } from './local-rates.ts';
import { withFallback } from './releases.ts';
import type { StateRelease } from './response.ts';

/** A release with its head; the head of a built-in release is `null`. */
export type ListedRelease = { readonly row: StateRelease; readonly head: ReleaseHead | null };
export type ListedCorrupt = { readonly isActive: boolean; readonly error: ContentCorrupt };

type Ports = {
  readonly builtIn: () => readonly Release[];
  readonly builtInById: (id: string) => Release | undefined;
  /** The heads of a state's imports, the newest last. Corrupt ones are reported. */
  readonly listHeads: (state: string, onCorrupt: (error: ContentCorrupt) => void) => AsyncIterable<ReleaseHead>;
};

const describeOrigin = (head: ReleaseHead | null): string => {
  if (!head) return 'built_in';
  return isOwnOnly(head) ? 'own' : head.format;
};

/** The content of a release. A release of own rules alone has their jurisdictions and rates. */
export const headCounts = ({ own, counts, format }: ReleaseHead): ReleaseHead['counts'] =>
  own && isOwnOnly({ format })
    ? { ...counts, jurisdictions: own.jurisdictions.length, rates: own.rates.length }
    : counts;

/** All releases of a state by its jurisdiction code, the oldest first: the built-in ones, then the imports. */
export const listReleases = async (
  state: string,
  { states }: ActiveReleases,
  day: string,
  { builtIn, builtInById, listHeads }: Ports,
): Promise<{ readonly releases: readonly ListedRelease[]; readonly corrupt: readonly ListedCorrupt[] }> => {
  const own = builtIn().filter((release) => release.state === state);
  const pointer = states[state];
  // Without a pointer the built-in release is active.
  const activeId = pointer?.release ?? own.at(-1)?.id;
  const listed = (release: Release, head: ReleaseHead | null): ListedRelease => ({
    row: {
      id: release.id,
      active: release.id === activeId,
      origin: describeOrigin(head),
      own_rules: head?.own !== undefined,
      local_rates: localRatesOn(head ? withFallback(head, builtInById) : release, day),
      last_day: head?.last_day ?? null,
      imported_at: head?.imported_at ?? null,
      activated_at: release.id === activeId ? (pointer?.activated_at ?? null) : null,
      jurisdictions: head && headCounts(head).jurisdictions,
      rates: head && headCounts(head).rates,
    },
    head,
  });
  const releases = own.map((release) => listed(release, null));
  const corrupt: ListedCorrupt[] = [];
  const onCorrupt = (error: ContentCorrupt) => void corrupt.push({ isActive: error.release === activeId, error });
  for await (const head of listHeads(state, onCorrupt)) releases.push(listed(head, head));
  return { releases, corrupt };
};
