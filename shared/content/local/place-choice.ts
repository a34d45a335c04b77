import { getOrAdd } from '../../get-or-add.ts';
import type { TaxAddress } from '../location/address.ts';
import type { RatePreference } from '../location/combined-rate.ts';
import { type ByPlace, isOpen, type LocalChoice, plainChoice } from '../location/local-choice.ts';
import type { LocalSet } from '../location/location-index.ts';
import { releaseWith } from '../merge-releases.ts';
import { withOwnRates } from '../own-rules.ts';
import type { LocalTables, Release } from '../release.ts';
import type { Jurisdiction } from '../release-values.ts';
import type { Candidate } from './candidates.ts';
import { findPlace } from './find-place.ts';
import { loadLocalTable } from './load.ts';
import type { Area, LocalTable } from './local-table.ts';
import type { LocalTax } from './packed-table.ts';
import { chargedArea, levelOf, possibleAreas } from './possible-areas.ts';

/** A release with the local taxes that one address may have, and which of them are meant. */
export type PlaceChoice = { readonly release: Release; readonly choice: LocalChoice };

const unknownSet: LocalSet = { key: '?', codes: [], county: null, isUnknown: true };

const jurisdictionOf = ({ code, name, type, kind }: LocalTax, { tax_type }: Jurisdiction): Jurisdiction => ({
  code,
  name,
  type,
  tax_type,
  ...(kind === null ? {} : { kind }),
});

/** The jurisdictions and rates of an area. */
const contentOf = ({ taxes, from, evidence }: Area, state: Jurisdiction, { established_from }: LocalTables) => ({
  jurisdictions: (taxes ?? []).map((tax) => jurisdictionOf(tax, state)),
  rates: (taxes ?? []).map(({ code, rate }) => ({
    jurisdiction: code,
    rate,
    from: from ?? established_from,
    to: null,
    ...evidence,
  })),
  locations: [],
});

const cachedMax = 10_000;

/** Computes a value once per owner and key. Drops all values of an owner that has too many. */
const boundedCache = <Owner extends object, Value>() => {
  const caches = new WeakMap<Owner, Map<string, Value>>();
  return (owner: Owner, key: string, compute: () => Value): Value => {
    let cache = caches.get(owner);
    if (!cache || cache.size >= cachedMax) {
      cache = new Map();
      caches.set(owner, cache);
    }
    return getOrAdd(cache, key, compute);
  };
};

const views = boundedCache<Release, Release>();
/** The sources of a release with those of its tables, which all views of it share. */
const sources = new WeakMap<Release, Release['sources']>();
const contents = boundedCache<Release, ReturnType<typeof contentOf>>();
const sets = boundedCache<LocalTable, LocalSet>();
const choices = boundedCache<Release, PlaceChoice>();

// Other caches are keyed by the release object, so the same areas must return the same object.
const viewOf = (release: Release, table: LocalTable, areas: readonly Area[], local: LocalTables): Release =>
  views(release, areas.map(({ offset }) => offset).join(), () => {
    const [state] = release.jurisdictions;
    const additions = areas.map((area) => contents(release, `${area.offset}`, () => contentOf(area, state, local)));
    const cited = getOrAdd(sources, release, () => ({ ...release.sources, ...table.sources }));
    return withOwnRates({ ...releaseWith(release, additions), sources: cited });
  });

const setOf = (table: LocalTable, { area, county }: Candidate, isEstablished: boolean): LocalSet => {
  if (area === null || !isEstablished) return unknownSet;
  return sets(table, `${area.offset} ${county}`, () => {
    const codes = (area.taxes ?? []).map(({ code }) => code);
    return { key: codes.toSorted().join(' '), codes, county: county === '' ? null : `${table.fips}${county}` };
  });
};

/** The set and the rate of a candidate on a day; `rate: null` where it is not established. */
const onDay = (table: LocalTable, one: Candidate, { established_from }: LocalTables, day: string) => {
  const { area, missing } = one;
  const isEstablished = area !== null && (area.from ?? established_from) <= day;
  return {
    area: isEstablished ? area : null,
    set: setOf(table, one, isEstablished),
    rate: isEstablished && missing === null ? area.units : null,
  };
};

/** Each set once, the charged one first. */
const distinctSets = (meant: LocalSet, all: readonly { readonly set: LocalSet }[]): LocalChoice['possible'] => {
  const others = new Map(all.map(({ set }) => [set.key, set]));
  others.delete(meant.key);
  return [meant, ...others.values()];
};

const findChoice = (
  release: Release,
  local: LocalTables,
  address: TaxAddress,
  day: string,
  prefer: RatePreference,
): PlaceChoice => {
  const table = loadLocalTable(local);
  const found = findPlace(table, address);
  const { isNamed: _, candidates, ...reading } = found;
  const all = candidates.map((one) => onDay(table, one, local, day));
  const [{ set: meant, area } = { set: unknownSet, area: null }] = all;
  const [charged] = candidates;
  const byPlace: ByPlace = {
    ...reading,
    area: chargedArea(candidates, table),
    missing: charged?.missing ?? null,
    possible: possibleAreas(
      table,
      candidates,
      all.map(({ rate }) => rate),
    ),
    established: charged?.area ? (charged.area.from ?? local.established_from) : null,
  };
  // Rates are compared only to take the highest.
  const compared = prefer === 'highest' ? all.flatMap((one) => one.area ?? []) : area ? [area] : [];
  return {
    release: viewOf(release, table, compared, local),
    choice: {
      ...plainChoice(area === null ? 'state' : levelOf(found, address), meant),
      possible: isOpen(byPlace) ? distinctSets(meant, all) : [meant],
      byPlace,
    },
  };
};

/**
 * Find the local taxes of an address by its ZIP and city in the tables that a release names, on a tax day. `null` where
 * the state has no local taxes, so that there is nothing to choose. The release has the rates of all possible sets if the
 * highest is preferred, otherwise only those of the charged set.
 */
export const choosePlace = (
  release: Release,
  address: TaxAddress,
  day: string,
  prefer: RatePreference,
): PlaceChoice | null => {
  const { local } = release;
  if (!local || loadLocalTable(local).isUntaxed) return null;
  // A shop ships to the same ZIPs and cities again and again.
  const key = [address.zip5, address.city, address.county, day, prefer].join('|');
  return choices(release, key, () => findChoice(release, local, address, day, prefer));
};
