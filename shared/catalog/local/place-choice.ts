import { dayBefore } from '../../base/calendar.ts';
import { getOrAdd } from '../../base/collections.ts';
import type { Approximation } from '../effective.ts';
import type { TaxAddress } from '../location/address.ts';
import {
  type ByPlace,
  isIncomplete,
  isOpen,
  type LocalChoice,
  type LocalSet,
  type OtherSet,
  type PossibleArea,
  plainChoice,
} from '../location/local-choice.ts';
import { releaseWith } from '../merge-releases.ts';
import { withOwnRates } from '../own-rules.ts';
import type { RatePreference } from '../rates.ts';
import type { Release } from '../release.ts';
import type { Jurisdiction, Published } from '../release-values.ts';
import { streamlinedCode } from '../streamlined.ts';
import { type Candidate, type FoundPlace, findPlace } from './find-place.ts';
import { type Area, type LocalTable, loadLocalTable, type Period } from './local-table.ts';
import type { LocalTax } from './packed-table.ts';

// Selects the period of an area that applies on a tax day (`YYYY-MM-DD`).

/** The first days of a table's rates, like `Since` of a release. */
type TableDays = { readonly established: string; readonly approximate: string };

/**
 * A period of an area that applies on a day, with its position. `approximation: null`: it is established on that day.
 */
type DatedRate = {
  readonly period: Period;
  readonly position: number;
  /** The first day on which the period has this `approximation`. */
  readonly from: string;
  readonly approximation: Approximation | null;
  /** `null` if a newer source confirms the rate, or if the source's date is unknown. */
  readonly published: Published | null;
};

/** Returns whether a period ends before a day, by its last day or because the next period has begun. */
const hasEnded = ({ periods }: Area, position: number, day: string): boolean => {
  const { to } = periods[position] as Period;
  const next = periods[position + 1]?.from ?? null;
  return to === null ? next !== null && next <= day : to < day;
};

/**
 * Returns the first day on which a period without a first day is established: `established`, or the period's last day
 * if earlier.
 */
const firstPeriodDay = ({ periods }: Area, position: number, established: string): string => {
  const { to } = periods[position] as Period;
  const next = periods[position + 1]?.from;
  const last = to ?? (next ? dayBefore(next) : null);
  return last !== null && last < established ? last : established;
};

const rateAt = (
  { periods }: Area,
  position: number,
  from: string,
  approximation: Approximation | null = null,
): DatedRate => {
  const period = periods[position] as Period;
  const { published } = period;
  const next = periods[position + 1]?.published;
  const isConfirmed = published !== null && next != null && published.as_of < next.as_of;
  return { period, position, from, approximation, published: isConfirmed ? null : published };
};

/**
 * Returns an area's rate on a day, from the first period that has not ended. A period is established from its first
 * day; without a first day, from `established` or its last day, whichever is earlier. Between `approximate` and that
 * day, it applies as an approximation, because no earlier rate is on record. Before `approximate`, the rate is unknown
 * (`null`). After all periods have ended, the newest one applies as an approximation.
 */
export const rateOfArea = (area: Area, day: string, { established, approximate }: TableDays): DatedRate | null => {
  const { periods } = area;
  for (let position = 0; position < periods.length; position += 1) {
    if (hasEnded(area, position, day)) continue;
    const { from } = periods[position] as Period;
    const first = from ?? firstPeriodDay(area, position, established);
    if (first <= day) return rateAt(area, position, first);
    if (day < approximate) return null;
    return rateAt(area, position, approximate, { ratesDay: first, because: from === null ? 'undated' : 'first' });
  }
  const position = periods.length - 1;
  const last = periods[position]?.to ?? day;
  return rateAt(area, position, last, { ratesDay: last, because: 'ended' });
};

// Describes the candidates of an address.

const taxCodes = ({ area }: Candidate): string | undefined => area?.taxes?.map(({ code }) => code).join();

/**
 * Returns the charged area. `county` is empty if several counties have the same taxes, as for New York City without a
 * ZIP.
 */
const chargedArea = (candidates: readonly Candidate[], table: LocalTable): ByPlace['area'] => {
  const [first] = candidates;
  if (!first?.area) return null;
  const { area, missing } = first;
  const isOneCounty = candidates.every(({ county }) => county === first.county);
  const haveSameTaxes = isOneCounty || candidates.every((one) => taxCodes(one) === taxCodes(first));
  const needsCounty = missing !== null || area.place === '' || isOneCounty || !haveSameTaxes;
  return { place: area.place, county: needsCounty ? table.countyName(area.county) : '' };
};

/**
 * Names a candidate: the place, followed by its county if the place has several rates; the county for a county's
 * remainder.
 */
const candidateName = (table: LocalTable, { area, county, missing }: Candidate, all: readonly Candidate[]): string => {
  if (missing !== null) return missing;
  if (county === '') return 'another county';
  const { place = '', units = null } = area ?? {};
  const hasOthers = place !== '' && all.some((one) => one.area?.place === place && one.area.units !== units);
  return [place, place === '' || hasOthers ? table.countyName(county) : ''].filter(Boolean).join(', ');
};

/** Merges candidates by name and rate, with their percentages of the residents. */
const possibleAreas = (
  table: LocalTable,
  candidates: readonly Candidate[],
  possibleRates: readonly (bigint | null)[],
): readonly PossibleArea[] => {
  const [only] = candidates;
  if (only && candidates.length === 1)
    return [
      {
        name: candidateName(table, only, candidates),
        rate: possibleRates[0] ?? null,
        percent: only.weight > 0 ? 100 : 0,
      },
    ];
  const whole = candidates.reduce((sum, { weight }) => sum + weight, 0) || 1;
  const areas = new Map<string, PossibleArea>();
  for (const [index, one] of candidates.entries()) {
    const [name, rate] = [candidateName(table, one, candidates), possibleRates[index] ?? null];
    const known = areas.get(`${name} ${rate}`)?.percent ?? 0;
    areas.set(`${name} ${rate}`, { name, rate, percent: known + (100 * one.weight) / whole });
  }
  return [...areas.values()];
};

const candidateLevel = (
  { candidates: [first], isNamed }: FoundPlace,
  { zip5, city }: TaxAddress,
): LocalChoice['level'] => {
  if (!first?.area) return 'state';
  if (first.area.place === '' || first.missing !== null) return 'county';
  return isNamed || (zip5 === null && city !== null) ? 'city' : 'zip5';
};

/** A release with the local taxes that could apply to one address, and the choice among them. */
export type PlaceChoice = {
  readonly release: Release;
  readonly choice: LocalChoice;
  /** The five-digit code of the only county that could contain the address; `null` if there are several. */
  readonly county: string | null;
};

const onlyCounty = ({ possible, equal = [] }: LocalChoice): string | null => {
  const [only = null, ...others] = new Set([...possible, ...equal.map(({ set }) => set)].map(({ county }) => county));
  return others.length === 0 ? only : null;
};

const unknownSet: LocalSet = { key: '?', codes: [], county: null, isUnknown: true };

const toJurisdiction = (
  { code, name, type, kind }: LocalTax,
  { code: state, tax_type }: Jurisdiction,
): Jurisdiction => {
  const reporting_code = streamlinedCode(state, code);
  return {
    code,
    name,
    type,
    tax_type,
    ...(reporting_code !== null && { reporting_code }),
    ...(kind === null ? {} : { kind }),
  };
};

/** A candidate with its rate on the tax day; `null` if the rate is unknown. */
type Dated = Candidate & { readonly dated: DatedRate | null };

/** Returns the jurisdictions and rates of an area, effective from the first day on which they apply. */
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

/** Caches a value per owner and key. Clears an owner's values when it has too many. */
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
/** The merged sources of a release and its tables, shared by all views of the release. */
const sources = new WeakMap<Release, Release['sources']>();
const localSets = boundedCache<Release, LocalSet>();
const choices = boundedCache<Release, PlaceChoice>();

/**
 * Returns a cache key of an area, its period and the reason for an approximation, because one period can apply as
 * established or as an approximation.
 */
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

const toLocalSet = (release: Release, table: LocalTable, candidate: Dated): LocalSet => {
  const { dated, county } = candidate;
  if (dated === null) return unknownSet;
  return localSets(release, `${dateKey(candidate)}.${county}`, () => {
    const { period, approximation, published } = dated;
    const codes = (period.taxes ?? []).map(({ code }) => code);
    return {
      key: codes.toSorted().join(' '),
      codes,
      county: county === '' ? null : `${table.fips}${county}`,
      approximation,
      published,
    };
  });
};

/** Returns the rate of a candidate; `null` if it is not established. */
const datedUnits = ({ dated, missing }: Dated): bigint | null =>
  dated && missing === null ? dated.period.units : null;

/** Returns the source of an area without local taxes, which no rate of the area cites. */
const untaxedEvidence = (charged: Dated | undefined): LocalChoice['evidence'] | undefined => {
  const period = charged?.dated?.period;
  return period?.taxes?.length === 0 ? [period.evidence] : undefined;
};

/** Returns each set once, the charged set first. */
const distinctSets = (meant: LocalSet, all: readonly LocalSet[]): LocalChoice['possible'] => {
  const others = new Map(all.map((set) => [set.key, set]));
  others.delete(meant.key);
  return [meant, ...others.values()];
};

/** Returns the sets other than the charged one, once for each set and county. */
const listOtherSets = (release: Release, table: LocalTable, all: readonly Dated[]): readonly OtherSet[] => {
  const sets = new Map<string, OtherSet>();
  for (const one of all) {
    const set = toLocalSet(release, table, one);
    const key = `${set.key} ${set.county}`;
    if (one.dated === null || sets.has(key)) continue;
    const county = one.county === '' ? '' : table.countyName(one.county);
    const name = [one.missing ?? one.area?.place, county].filter(Boolean).join(', ');
    sets.set(key, { set, name, release: placeView(release, table, [one]) });
  }
  return [...sets.values()].slice(1);
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
  const { candidates } = found;
  const { approximate_from: approximate = local.established_from } = release;
  const days = { established: local.established_from, approximate };
  const all = candidates.map((one): Dated => ({ ...one, dated: one.area && rateOfArea(one.area, day, days) }));
  const ofAll = all.map((one) => toLocalSet(release, table, one));
  const [charged] = all;
  const meant = ofAll[0] ?? unknownSet;
  const byPlace: ByPlace = {
    city: found.city,
    suggestion: found.suggestion,
    contradictsCounty: found.contradictsCounty,
    unknownCounty: found.unknownCounty,
    zipCounties: found.zipCounties,
    area: chargedArea(candidates, table),
    missing: charged?.missing ?? null,
    possible: possibleAreas(table, candidates, all.map(datedUnits)),
    established: charged?.area ? (charged.area.periods[0].from ?? local.established_from) : null,
  };
  const plain = plainChoice(meant === unknownSet ? 'state' : candidateLevel(found, address), meant);
  const choice: LocalChoice = {
    ...plain,
    possible: isOpen(byPlace) ? distinctSets(meant, ofAll) : plain.possible,
    ...(!isOpen(byPlace) && !isIncomplete(byPlace) && all.length > 1 && { equal: listOtherSets(release, table, all) }),
    evidence: untaxedEvidence(charged) ?? plain.evidence,
    byPlace,
  };
  // The rates of all sets are needed only to choose the highest.
  const view = placeView(release, table, prefer === 'highest' ? all : all.slice(0, 1));
  return { release: view, choice, county: onlyCounty(choice) };
};

/**
 * Finds the local taxes of an address by its ZIP, city and county in the release's tables on a tax day. `null` if the
 * state has no local taxes. The returned release contains the rates of all possible sets if `prefer` is `highest`,
 * otherwise only the rates of the charged set.
 */
export const choosePlace = (
  release: Release,
  address: TaxAddress,
  day: string,
  prefer: RatePreference,
): PlaceChoice | null => {
  const { local } = release;
  if (!local || loadLocalTable(release).isUntaxed) return null;
  // Cached, because a shop ships to the same ZIPs and cities repeatedly.
  const { zip5, city, county } = address;
  // A joined key takes less memory than a template, whose parts V8 keeps as separate strings.
  const key = [zip5, city, county, day, prefer].join('|');
  return choices(release, key, () => findChoice(release, local, address, day, prefer));
};

/** Returns the county (five-digit FIPS) of an address in a state without local taxes; `null` if it is not certain. */
export const countyWithoutTaxes = (release: Release, address: TaxAddress): string | null => {
  if (!release.local) return null;
  const table = loadLocalTable(release);
  const [only = '', ...others] = new Set(findPlace(table, address).candidates.map(({ county }) => county));
  return only === '' || others.length > 0 ? null : `${table.fips}${only}`;
};
