import * as z from 'zod/mini';
import type { TaxAddress } from './location/address.ts';
import type { Location, Release, Streets } from './release.ts';
import type { Jurisdiction, Rate } from './release-values.ts';

// Tax content for a calculation: loaded once for all addresses, then looked up synchronously.

/**
 * Finds the release that taxes an address, with at least the locations that could contain it; `undefined` if there is
 * none. Equal addresses return the same object, because caches are keyed by the release object.
 */
export type ReleaseFor = (address: TaxAddress) => Release | undefined;

/** Release ids by state jurisdiction code, as a transaction pins them (`{"US-MN": "US-MN@2026-11-21.1"}`). */
type PinnedReleases = Readonly<Record<string, string>>;

/**
 * Loads the content for addresses from the pinned releases, or from the active ones if none is pinned. With `from`
 * (`YYYY-MM-DD`), the content may omit values that apply only to earlier days, which saves reads.
 */
export type LoadContent = (
  addresses: readonly TaxAddress[],
  settingsSnapshot?: PinnedReleases,
  from?: string,
) => Promise<ReleaseFor>;

/**
 * The locations of an imported release in one ZIP (`55401`) or city (`MINNEAPOLIS`), with their jurisdictions and
 * rates. An imported release is stored as a head and these parts, so a calculation reads only the parts for its
 * addresses.
 */
export type ReleasePart = {
  readonly key: string;
  readonly jurisdictions: readonly Jurisdiction[];
  readonly rates: readonly Rate[];
  readonly locations: readonly Location[];
  /** The street addresses of the ZIP, if the file lists any. */
  readonly streets?: Streets;
};

/** An imported release without its parts, and the import's metadata. */
export type ReleaseHead = Release & {
  /** SHA-256 of the head and all its parts, as hexadecimal. */
  readonly content_hash: string;
  /**
   * The release that was active at the time of the import: the fallback for places that this release does not cover.
   */
  readonly below: string;
  /** The imported fallback releases, nearest first, so that a single additional read loads them all. */
  readonly chain: readonly string[];
  /** For each release of the chain, the last day on which it covers any address; `null` if open-ended. */
  readonly chain_until: readonly (string | null)[];
  /** The built-in release: the last fallback, from which the rules and settings were copied. */
  readonly bottom: string;
  /** The import format of the files (`shared/importers/importers.ts`). */
  readonly format: string;
  readonly imported_at: string;
  readonly counts: {
    readonly parts: number;
    readonly jurisdictions: number;
    readonly rates: number;
    readonly locations: number;
    /** Ranges of street addresses. */
    readonly streets: number;
    /** How many of the parts are for ZIPs. The others are for cities. */
    readonly zips: number;
  };
  /** The last day on which any location of the release is in force; `null` if any is open-ended. */
  readonly last_day: string | null;
};

// The content directory: the active release and the previously active releases of each state.

/** `release: null` is the state's built-in release in the deployed service. */
type Activation = { readonly release: string | null; readonly activated_at: string };

/**
 * The content directory, by state jurisdiction code (`US-MN`). A state that is not in the directory uses its built-in
 * release and has no earlier release to roll back to.
 */
export type ActiveReleases = {
  /** Incremented by each change; 0 means never changed. */
  readonly version: number;
  readonly states: Readonly<Record<string, Activation & { readonly previous: readonly Activation[] }>>;
};

/** How many previously active releases the directory keeps per state. */
export const previousMax = 10;

/**
 * Returns the directory after activating a state's release (`null`: the built-in release) at an ISO timestamp. The
 * replaced release becomes the first entry of `previous`.
 *
 * Activating a release in `previous` is a rollback: it and the newer entries are removed from the list, so the next
 * rollback goes further back.
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
 * Returns the directory after rolling a state back to its previous release at an ISO timestamp, or to the built-in
 * release if there is no previous release.
 */
export const withPrevious = (active: ActiveReleases, state: string, at: string): ActiveReleases => {
  const { [state]: current, ...others } = active.states;
  const [last] = current?.previous ?? [];
  return last ? withActive(active, state, last.release, at) : { version: active.version + 1, states: others };
};

const units = ['%', 'percentage points', ''] as const;

/** The result of an activation gate, stored with the release that it was measured on. */
export const GateResult = z.object({
  name: z.string(),
  describe: z.string(),
  figure: z.number(),
  most: z.number(),
  unit: z.enum(units),
  passed: z.boolean(),
});
export type GateResult = z.infer<typeof GateResult>;
