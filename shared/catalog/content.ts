import * as z from 'zod/mini';
import type { TaxAddress } from './location/address.ts';
import type { Location, Release, Streets } from './release.ts';
import type { Jurisdiction, Rate } from './release-values.ts';

// Content of a calculation: loaded once for all its addresses, then looked up synchronously.

/**
 * Finds the release that taxes an address, with at least the locations that the address may lie in; `undefined` if there
 * is none. The same address gets the same object, because caches are keyed by the release object.
 */
export type ReleaseFor = (address: TaxAddress) => Release | undefined;

/** Ids of releases by the state's jurisdiction code, as a transaction pins them (`{"US-MN": "US-MN@2026-11-21.1"}`). */
type PinnedReleases = Readonly<Record<string, string>>;

/**
 * Loads the content for addresses from the pinned releases, or from the active ones if none is pinned. With `from`
 * (`YYYY-MM-DD`), the content may lack what applies on earlier days only, which saves reads.
 */
export type LoadContent = (
  addresses: readonly TaxAddress[],
  settingsSnapshot?: PinnedReleases,
  from?: string,
) => Promise<ReleaseFor>;

/**
 * The locations of an imported release in one ZIP (`55401`) or city (`MINNEAPOLIS`), with the jurisdictions and rates
 * that they name. An imported release is stored as a head and such parts: a calculation reads only the parts of its
 * addresses.
 */
export type ReleasePart = {
  readonly key: string;
  readonly jurisdictions: readonly Jurisdiction[];
  readonly rates: readonly Rate[];
  readonly locations: readonly Location[];
  /** The street addresses of a ZIP whose file lists some. */
  readonly streets?: Streets;
};

/** An imported release without its parts, and the import's metadata. */
export type ReleaseHead = Release & {
  /** SHA-256 of the head and all its parts, in hexadecimal. */
  readonly content_hash: string;
  /** The id of the base release, whose rules and settings it copied. */
  readonly base: string;
  /** The release that was active at the import: the fallback for places that this one does not name. */
  readonly below: string;
  /** The imported fallback releases, nearest first, so that one more read finds them all. */
  readonly chain: readonly string[];
  /** The last day on which each release of the chain covers any address; `null` without an end. */
  readonly chain_until: readonly (string | null)[];
  /** The built-in release, the last fallback. */
  readonly bottom: string;
  /** The import format of its files (`shared/importers/importers.ts`). */
  readonly format: string;
  readonly imported_at: string;
  readonly counts: {
    readonly parts: number;
    readonly jurisdictions: number;
    readonly rates: number;
    readonly locations: number;
    /** Ranges of street addresses. */
    readonly streets: number;
    /** How many of the parts are of ZIPs; the others are of cities. */
    readonly zips: number;
  };
  /** The last day on which any of its locations is in force; `null` if one is open-ended. */
  readonly last_day: string | null;
};

// The directory of the content: the active release of each state and the previously active ones.

/** `null` is the built-in release of the state that the running service has. */
type Activation = { readonly release: string | null; readonly activated_at: string };

/**
 * The directory, by the state's jurisdiction code (`US-MN`). A state that it does not name has its built-in release, and
 * nothing to go back to.
 */
export type ActiveReleases = {
  /** Counts the changes; 0 is none yet. */
  readonly version: number;
  readonly states: Readonly<Record<string, Activation & { readonly previous: readonly Activation[] }>>;
};

/** How many releases before the active one a state's directory remembers. */
export const previousMax = 10;

/**
 * The directory after a release of a state was activated, at an ISO instant; `null` is the built-in one. Its predecessor
 * comes first in `previous`.
 *
 * Activating a release in `previous` is a rollback: it and later entries leave the list, so that another rollback goes
 * further back.
 */
export const withActive = (
  { version, states }: ActiveReleases,
  state: string,
  release: string | null,
  at: string,
): ActiveReleases => {
  const current = states[state];
  if (release === (current?.release ?? null)) return { version: version + 1, states };
  const before = current ? [{ release: current.release, activated_at: current.activated_at }, ...current.previous] : [];
  const back = before.findIndex((activation) => activation.release === release);
  const previous = (back < 0 ? before : before.slice(back + 1)).slice(0, previousMax);
  return { version: version + 1, states: { ...states, [state]: { release, activated_at: at, previous } } };
};

/**
 * The directory after a state has gone back to the release before its active one, at an ISO instant; without one, to the
 * built-in release.
 */
export const withPrevious = (active: ActiveReleases, state: string, at: string): ActiveReleases => {
  const { [state]: current, ...others } = active.states;
  const [last] = current?.previous ?? [];
  return last ? withActive(active, state, last.release, at) : { version: active.version + 1, states: others };
};

export const units = ['%', 'percentage points', ''] as const;

/** A gate with its figure. It is stored with the release that it was measured of. */
export const GateResult = z.object({
  name: z.string(),
  describe: z.string(),
  figure: z.number(),
  most: z.number(),
  unit: z.enum(units),
  passed: z.boolean(),
});
export type GateResult = z.infer<typeof GateResult>;
