/** How a calculation gets its content: loaded once for all its addresses, then looked up without waiting. */
import type { TaxAddress } from './location/address.ts';
import type { Jurisdiction, Location, Rate, Release } from './release.ts';

/**
 * Finds the release that taxes an address, holding at least the locations that the address may lie in; `undefined`
 * where there is none. The same address gets the same object, so that what is found out about a release is kept.
 */
export type ReleaseFor = (address: TaxAddress) => Release | undefined;

/** Ids of releases by the state's jurisdiction code, as a transaction pins them (`{"US-MN": "US-MN@2026-11-21.1"}`). */
export type PinnedReleases = Readonly<Record<string, string>>;

/** Loads what addresses need of the pinned releases, or of the active ones where none is pinned. */
export type LoadContent = (addresses: readonly TaxAddress[], pinned?: PinnedReleases) => Promise<ReleaseFor>;

/**
 * What an imported release knows of one ZIP (`55401`) or city (`MINNEAPOLIS`), with the jurisdictions and rates that it
 * names. A release that was imported is kept in such parts beside a head: a calculation reads only the parts of its
 * addresses.
 */
export type ReleasePart = {
  readonly key: string;
  readonly jurisdictions: readonly Jurisdiction[];
  readonly rates: readonly Rate[];
  readonly locations: readonly Location[];
};

/** A release without its local content, and what the import found out about itself. */
export type ReleaseHead = Release & {
  /** SHA-256 of the head and all its parts, in hexadecimal. */
  readonly content_hash: string;
  /** The base release whose rules and settings it took over. */
  readonly base: string;
  /** The release that was active when it was imported, which answers for what it does not name. Older heads have none. */
  readonly below?: string;
  /** The imported releases below it, the nearest first, so that one more reading finds them all. */
  readonly chain?: readonly string[];
  /** The built-in release below all of them. */
  readonly bottom?: string;
  /** The import format of its files (`shared/content/imports/importers.ts`). */
  readonly format: string;
  readonly imported_at: string;
  readonly counts: {
    readonly parts: number;
    readonly jurisdictions: number;
    readonly rates: number;
    readonly locations: number;
    /** How many of the parts are of ZIPs; the others are of cities. Heads of before it was counted have none. */
    readonly zips?: number;
  };
  /** The last day on which any of its locations is in force; `null` where one goes on. Older heads do not say. */
  readonly last_day?: string | null;
};
