import type { TaxAddress } from '../location/address.ts';
import type { LocalChoice } from '../location/local-choice.ts';
import type { LocalSet } from '../location/location-index.ts';
import type { Jurisdiction, LocalTables, Rate, Release } from '../release.ts';
import { type Candidate, type FoundPlace, findPlace } from './find-place.ts';
import { loadLocalTable } from './load.ts';
import type { Area, LocalTable } from './local-table.ts';
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

/** A release that also holds the jurisdictions, rates and sources of these areas. */
const releaseWith = (
  release: Release,
  table: LocalTable,
  areas: readonly Area[],
  { established_from }: LocalTables,
): Release => {
  const [state] = release.jurisdictions;
  const jurisdictions = new Map(release.jurisdictions.map((one) => [one.code, one]));
  const rates = new Map<string, Rate>();
  for (const area of areas)
    for (const tax of area.taxes ?? []) {
      const { code, rate } = tax;
      const from = area.from ?? established_from;
      jurisdictions.set(code, jurisdictionOf(tax, state));
      rates.set(`${code} ${from}`, { jurisdiction: code, rate, from, to: null, ...area.evidence });
    }
  jurisdictions.delete(state.code);
  return {
    ...release,
    sources: { ...release.sources, ...table.sources },
    jurisdictions: [state, ...jurisdictions.values()],
    rates: [...release.rates, ...rates.values()],
  };
};

const viewsMax = 10_000;
const views = new WeakMap<Release, Map<string, Release>>();

// What is found out about a release is kept by its object, so that the same areas must give the same one.
const viewOf = (release: Release, table: LocalTable, areas: readonly Area[], local: LocalTables): Release => {
  let ofRelease = views.get(release);
  if (!ofRelease || ofRelease.size > viewsMax) {
    ofRelease = new Map();
    views.set(release, ofRelease);
  }
  const key = areas.map(({ index }) => index).join();
  const known = ofRelease.get(key);
  if (known) return known;
  const view = releaseWith(release, table, areas, local);
  ofRelease.set(key, view);
  return view;
};

const foundMax = 10_000;
const founds = new WeakMap<LocalTable, Map<string, FoundPlace>>();

// A shop ships to the same ZIPs and cities again and again.
const foundPlace = (table: LocalTable, address: TaxAddress): FoundPlace => {
  let ofTable = founds.get(table);
  if (!ofTable || ofTable.size >= foundMax) {
    ofTable = new Map();
    founds.set(table, ofTable);
  }
  const key = `${address.zip5}|${address.city}|${address.county}`;
  const known = ofTable.get(key);
  if (known) return known;
  const found = findPlace(table, address);
  ofTable.set(key, found);
  return found;
};

const setOf = (table: LocalTable, { area, county }: Candidate, isEstablished: boolean): LocalSet => {
  if (area === null || !isEstablished) return unknownSet;
  const codes = (area.taxes ?? []).map(({ code }) => code);
  return { key: codes.toSorted().join(' '), codes, county: county === null ? null : `${table.fips}${county}` };
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
  const isEstablished = (area: Area | null): boolean => area !== null && (area.from ?? local.established_from) <= day;
  const sets = found.candidates.map((one) => setOf(table, one, isEstablished(one.area)));
  const units = found.candidates.map(({ area }) => (isEstablished(area) ? area?.units : null));
  const meant = sets[0] as LocalSet;
  const possible = new Set(units).size > 1 ? [...new Map(sets.map((set) => [set.key, set])).values()] : [];
  const areas = found.candidates.flatMap(({ area }) => (isEstablished(area) ? (area ?? []) : []));
  const [first] = found.candidates;
  return {
    release: viewOf(release, table, areas, local),
    choice: {
      level: meant === unknownSet ? 'state' : found.level,
      possible: [meant, ...possible.filter((set) => set !== meant && set.key !== meant.key)],
      usual: [meant],
      evidence: [],
      isByName: false,
      isPart: false,
      yieldsToCity: false,
      lacksCity: false,
      crossesBorders: false,
      otherCities: [],
      contradictsCity: false,
      lacksLocals: false,
      hasRanges: false,
      byPlace: {
        city: found.city,
        suggestion: found.suggestion,
        contradictsCounty: found.contradictsCounty,
        area: first.area === null ? null : { place: first.area.place, county: table.countyName(first.area.county) },
        established: first.area === null ? null : (first.area.from ?? local.established_from),
      },
    },
  };
};
