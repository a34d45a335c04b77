import { getOrAdd } from '../../base/collections.ts';
import type { TaxAddress } from '../location/address.ts';
import type { RatePreference } from '../location/combined-rate.ts';
import { type ByPlace, isOpen, type LocalChoice, plainChoice } from '../location/local-choice.ts';
import type { LocalSet } from '../location/location-index.ts';
import { releaseWith } from '../merge-releases.ts';
import { withOwnRates } from '../own-rules.ts';
import type { Release } from '../release.ts';
import type { Jurisdiction } from '../release-values.ts';
import type { Candidate } from './candidates.ts';
import { type DatedRate, rateOfArea } from './dated-rate.ts';
import { findPlace } from './find-place.ts';
import { loadLocalTable } from './load.ts';
import type { LocalTable } from './local-table.ts';
import type { LocalTax } from './packed-table.ts';
import { candidateLevel, chargedArea, possibleAreas } from './possible-areas.ts';

/** A release with the local taxes that one address may have, and which of them are meant. */
export type PlaceChoice = { readonly release: Release; readonly choice: LocalChoice };

const unknownSet: LocalSet = { key: '?', codes: [], county: null, isUnknown: true };

const toJurisdiction = ({ code, name, type, kind }: LocalTax, { tax_type }: Jurisdiction): Jurisdiction => ({
  code,
  name,
  type,
  tax_type,
  ...(kind === null ? {} : { kind }),
});

/** A candidate with its rate on the tax day; `null` where the rate is not known. */
type Dated = Candidate & { readonly dated: DatedRate | null };

/** The jurisdictions and rates of an area, from the first day on which they answer. */
const datedContent = ({ period, from }: DatedRate, state: Jurisdiction) => ({
  jurisdictions: (period.taxes ?? []).map((tax) => toJurisdiction(tax, state)),
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
/** The sources of a release and of its tables, which all views of it share. */
const sources = new WeakMap<Release, Release['sources']>();
const choices = boundedCache<Release, PlaceChoice>();

/** An area with the period that answers, and why: a period may answer some days as an approximation. */
const dateKey = ({ area, dated }: Dated): string =>
  area && dated ? `${area.offset}.${dated.position}.${dated.approximation?.because ?? ''}` : '';

// Other caches are keyed by the release object, so the same rates must return the same object.
const placeView = (release: Release, table: LocalTable, candidates: readonly Dated[]): Release =>
  views(release, candidates.map(dateKey).join(), () => {
    const [state] = release.jurisdictions;
    const additions = candidates.flatMap(({ dated }) => (dated ? [datedContent(dated, state)] : []));
    const cited = getOrAdd(sources, release, () => ({ ...release.sources, ...table.sources }));
    return withOwnRates({ ...releaseWith(release, additions), sources: cited });
  });

const toLocalSet = (table: LocalTable, { dated, county }: Dated): LocalSet => {
  if (dated === null) return unknownSet;
  const { period, approximation, published } = dated;
  const codes = (period.taxes ?? []).map(({ code }) => code);
  return {
    key: codes.toSorted().join(' '),
    codes,
    county: county === '' ? null : `${table.fips}${county}`,
    approximation,
    published,
  };
};

/** The rate of a candidate; `null` where it is not established. */
const datedUnits = ({ dated, missing }: Dated): bigint | null =>
  dated && missing === null ? dated.period.units : null;

/** The source of an area without local taxes, whose absence has no rate that could cite it. */
const findEvidence = (charged: Dated | undefined): LocalChoice['evidence'] => {
  const period = charged?.dated?.period;
  return period?.taxes?.length === 0 ? [period.evidence] : [];
};

/** Each set once, the charged one first. */
const distinctSets = (meant: LocalSet, all: readonly LocalSet[]): LocalChoice['possible'] => {
  const others = new Map(all.map((set) => [set.key, set]));
  others.delete(meant.key);
  return [meant, ...others.values()];
};

const findChoice = (
  release: Release,
  local: NonNullable<Release['local']>,
  address: TaxAddress,
  day: string,
  prefer: RatePreference,
): PlaceChoice => {
  const table = loadLocalTable(release);
  const found = findPlace(table, address);
  const { isNamed: _, candidates, ...reading } = found;
  const { approximate_from: approximate = local.established_from } = release;
  const days = { established: local.established_from, approximate };
  const all = candidates.map((one): Dated => ({ ...one, dated: one.area && rateOfArea(one.area, day, days) }));
  const ofAll = all.map((one) => toLocalSet(table, one));
  const [charged] = all;
  const meant = ofAll[0] ?? unknownSet;
  const byPlace: ByPlace = {
    ...reading,
    area: chargedArea(candidates, table),
    missing: charged?.missing ?? null,
    possible: possibleAreas(table, candidates, all.map(datedUnits)),
    established: charged?.area ? (charged.area.periods[0].from ?? local.established_from) : null,
  };
  return {
    // Rates are compared only to take the highest.
    release: placeView(release, table, prefer === 'highest' ? all : all.slice(0, 1)),
    choice: {
      ...plainChoice(meant === unknownSet ? 'state' : candidateLevel(found, address), meant),
      possible: isOpen(byPlace) ? distinctSets(meant, ofAll) : [meant],
      evidence: findEvidence(charged),
      byPlace,
    },
  };
};

/**
 * Find the local taxes of an address by its ZIP and city in the tables that a release names, on a tax day. `null` where
 * the state has no local taxes, so that there is nothing to choose. The release has the rates of all possible sets if
 * the highest is preferred, otherwise only the rates of the charged set.
 */
export const choosePlace = (
  release: Release,
  address: TaxAddress,
  day: string,
  prefer: RatePreference,
): PlaceChoice | null => {
  const { local } = release;
  if (!local || loadLocalTable(release).isUntaxed) return null;
  // A shop ships to the same ZIPs and cities again and again.
  const key = [address.zip5, address.city, address.county, day, prefer].join('|');
  return choices(release, key, () => findChoice(release, local, address, day, prefer));
};
