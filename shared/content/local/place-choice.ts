import { getOrAdd } from '../../get-or-add.ts';
import type { TaxAddress } from '../location/address.ts';
import { type ByPlace, type LocalChoice, plainChoice } from '../location/local-choice.ts';
import type { LocalSet } from '../location/location-index.ts';
import { releaseWith } from '../merge-releases.ts';
import { withOwnRates } from '../own-rules.ts';
import type { Release } from '../release.ts';
import type { Jurisdiction } from '../release-values.ts';
import { type DatedRate, rateOfArea, type TableDays } from './dated-rate.ts';
import { type Candidate, type FoundPlace, findPlace } from './find-place.ts';
import { loadLocalTable } from './load.ts';
import type { LocalTable } from './local-table.ts';
import type { LocalTax } from './packed-table.ts';

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

/** A candidate with its rate on the tax day; `null` where the rate is not known. */
type Dated = Candidate & { readonly dated: DatedRate | null };

/** The jurisdictions and rates of an area, from the first day on which they answer. */
const contentOf = ({ period, from }: DatedRate, state: Jurisdiction) => ({
  jurisdictions: (period.taxes ?? []).map((tax) => jurisdictionOf(tax, state)),
  rates: (period.taxes ?? []).map(({ code, rate }) => ({
    jurisdiction: code,
    rate,
    from,
    to: null,
    ...period.evidence,
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
const founds = boundedCache<LocalTable, FoundPlace>();

const viewKey = ({ area, dated }: Dated): string =>
  area && dated ? `${area.offset}.${dated.position}${dated.approximation ? '~' : ''}` : '';

// Other caches are keyed by the release object, so the same rates must return the same object.
const viewOf = (release: Release, table: LocalTable, candidates: readonly Dated[]): Release =>
  views(release, candidates.map(viewKey).join(), () => {
    const [state] = release.jurisdictions;
    const additions = candidates.flatMap(({ dated }) => (dated ? [contentOf(dated, state)] : []));
    return withOwnRates({ ...releaseWith(release, additions), sources: { ...release.sources, ...table.sources } });
  });

// A shop ships to the same ZIPs and cities again and again.
const foundPlace = (table: LocalTable, address: TaxAddress): FoundPlace =>
  founds(table, `${address.zip5}|${address.city}|${address.county}`, () => findPlace(table, address));

const setOf = (table: LocalTable, { dated, county }: Dated): LocalSet => {
  if (dated === null) return unknownSet;
  const { period, approximation, published } = dated;
  const codes = (period.taxes ?? []).map(({ code }) => code);
  return {
    key: codes.toSorted().join(' '),
    codes,
    county: county === null ? null : `${table.fips}${county}`,
    approximation,
    published,
  };
};

const taxCodes = ({ area }: Candidate): string | undefined => area?.taxes?.map(({ code }) => code).join();

const sameTaxes = ([first, ...others]: FoundPlace['candidates']): boolean =>
  others.every((other) => taxCodes(other) === taxCodes(first));

/** The area that is charged. It names no county where several counties have the same taxes: New York City without a ZIP. */
const chargedArea = ({ candidates, city }: FoundPlace, table: LocalTable): ByPlace['area'] => {
  const [{ area }, ...others] = candidates;
  if (area === null) return null;
  const isOneCounty = others.every(({ county }) => county === area.county);
  const needsCounty = city === 'missing' || area.place === '' || isOneCounty || !sameTaxes(candidates);
  return { place: area.place, county: needsCounty ? table.countyName(area.county) : '' };
};

const byPlaceOf = (found: FoundPlace, table: LocalTable, { established }: TableDays): ByPlace => {
  const { level: _, candidates, ...reading } = found;
  const [{ area }] = candidates;
  const firstDay = area === null ? null : (area.periods[0].from ?? established);
  return { ...reading, area: chargedArea(found, table), established: firstDay };
};

/**
 * Find the local taxes of an address by its ZIP and city in the tables that a release names, on a tax day. `null` where
 * the state has no local taxes, so that there is nothing to choose.
 */
export const choosePlace = (release: Release, address: TaxAddress, day: string): PlaceChoice | null => {
  const { local } = release;
  if (!local) return null;
  const table = loadLocalTable(local);
  if (table.isUntaxed) return null;
  const found = foundPlace(table, address);
  const { approximate_from: approximate = local.established_from } = release;
  const days = { established: local.established_from, approximate };
  const candidates = found.candidates.map(
    ({ county, area }): Dated => ({ county, area, dated: area && rateOfArea(area, day, days) }),
  );
  const sets = candidates.map((one) => setOf(table, one));
  const units = candidates.map(({ dated }) => dated?.period.units);
  const meant = sets[0] as LocalSet;
  const possible = new Set(units).size > 1 ? [...new Map(sets.map((set) => [set.key, set])).values()] : [];
  return {
    release: viewOf(release, table, candidates),
    choice: {
      ...plainChoice(meant === unknownSet ? 'state' : found.level, meant),
      possible: [meant, ...possible.filter((set) => set !== meant && set.key !== meant.key)],
      byPlace: byPlaceOf(found, table, days),
    },
  };
};
