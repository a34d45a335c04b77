import { assert } from '../../assert.ts';
import { jurisdictionCode } from '../../jurisdiction.ts';
import type { ReleaseFor } from '../content.ts';
import { choosePlace, type PlaceChoice } from '../local/place-choice.ts';
import type { Coverage, Evidence, Jurisdiction, Release } from '../release.ts';
import { addressesByState, type TaxAddress } from './address.ts';
import { areRatesKnown, byRate, placeRate, type RatePreference, setByRate } from './combined-rate.ts';
import { isAmbiguous, type LocalChoice } from './local-choice.ts';
import { chooseLocals, isInGap } from './location-choice.ts';
import type { LocalSet } from './location-index.ts';

/** How precisely an address was read: `address_resolution` of the API (interface decisions 2). */
export type Resolution = {
  readonly level: 'zip9' | 'zip5' | 'city' | 'county' | 'state' | 'none';
  /** The address may lie in more than one set of jurisdictions. */
  readonly ambiguous: boolean;
  readonly coverage: Coverage;
};

/** A place that taxes: the jurisdictions that an address has, state first, and the release that says so. */
export type TaxingPlace = {
  /** `US-MI`; for a place that no release covers, the country or territory. */
  readonly code: string;
  readonly name: string;
  /** The release that answers for the address: the active one, or one below it. */
  readonly release: Release | null;
  /** None where the release does not cover the address. */
  readonly jurisdictions: readonly Jurisdiction[];
};

/** A state that an address without one may lie in. */
export type StateCandidate = {
  /** Two letters. */
  readonly state: string;
  /** Its combined general rate there, in units of `10^-rateDecimals`; `null` where no content covers it. */
  readonly rate: bigint | null;
  readonly coverage: Coverage;
  /** Whether that is known for a part of the ZIP alone. */
  readonly isPart: boolean;
};

/** Where an address is for tax. Sourcing is for the caller to decide: it takes two addresses. */
export type Located = {
  /** As it was read, in the state that was chosen. */
  readonly address: TaxAddress;
  /** All the states that it may lie in, where it named none of several. */
  readonly states: readonly StateCandidate[];
  /** The sets of local jurisdictions that it may have; `null` where no location names it. */
  readonly choice: LocalChoice | null;
  /** Which of several sets, and states, was chosen. */
  readonly prefer: RatePreference;
  readonly place: TaxingPlace;
  /** The five-digit code of the county where it is taxed; `null` where that is not known. */
  readonly county: string | null;
  readonly resolution: Resolution;
  /** What says which local jurisdictions are there, where a location does. */
  readonly evidence: readonly Evidence[];
  /** Whether local taxes are not known: of the state, of the whole ZIP, or of a part of it. */
  readonly lacksLocals: boolean;
  /** Whether the content does not cover the address, and covers other parts of its ZIP. */
  readonly isGap: boolean;
};

const uncovered = (
  place: Omit<TaxingPlace, 'jurisdictions'>,
  address: TaxAddress,
  prefer: RatePreference,
): Located => ({
  address,
  states: [],
  choice: null,
  prefer,
  place: { ...place, jurisdictions: [] },
  county: null,
  resolution: { level: 'none', ambiguous: address.isStateGuessed, coverage: 'none' },
  evidence: [],
  lacksLocals: false,
  isGap: false,
});

/** Whether what the release knows of an address hangs on its ZIP or city: it has local taxes, but not everywhere. */
const isLocal = ({ locals, locations }: Release): boolean => locals === 'listed' || locations.length > 0;

// Where ZIPs are listed, that a ZIP is not among them decides.
const levelOf = (release: Release, { zip5, plus4, isZipKnown }: TaxAddress): Resolution['level'] => {
  if (!isLocal(release) || zip5 === null || !isZipKnown) return 'state';
  return plus4 === null ? 'zip5' : 'zip9';
};

// That no location names it is an answer of the release only where there is a ZIP to be named.
const lacksLocalsAt = (release: Release, { zip5, isZipKnown }: TaxAddress): boolean =>
  release.coverage === 'partial' || (isLocal(release) && (zip5 === null || !isZipKnown));

// What is of the state, as a tax of its own on single articles, taxes all of it.
const jurisdictionsOf = ({ id, jurisdictions }: Release, local: readonly string[]): readonly Jurisdiction[] => {
  const found = jurisdictions.filter(({ code, type }) => type === 'state' || local.includes(code));
  const missing = local.filter((code) => !found.some((jurisdiction) => jurisdiction.code === code));
  // To leave one out would be to tax too little, in silence.
  assert(missing.length === 0, `${id} lacks the jurisdictions ${missing.join(', ')} of a location.`);
  return found;
};

const noLocals: LocalSet = { key: '', codes: [] };

const chosenSet = (release: Release, choice: LocalChoice | null, day: string, prefer: RatePreference): LocalSet => {
  if (!choice) return noLocals;
  const sets = prefer === 'highest' ? choice.possible : choice.usual;
  return setByRate(release, sets, day, prefer);
};

/** The release that answers for an address, and the local taxes that it gives; `choice: null` where it names no place. */
type Answer = { readonly release: Release; readonly choice: LocalChoice | null };

const lowestOf = (release: Release): Release => (release.fallback ? lowestOf(release.fallback) : release);

/**
 * A city that an import knows by its name alone is as certain as one that the built-in tables know by its name, if these
 * find the city at the address too.
 */
const withPlace = (choice: LocalChoice, place: PlaceChoice | null): LocalChoice => {
  const isConfirmed = choice.isByName && place?.choice.byPlace?.city === 'taxed' && !isAmbiguous(place.choice);
  return isConfirmed ? { ...choice, isByName: false, byPlace: place.choice.byPlace } : choice;
};

/**
 * Whether an import itself answers, so that the release below it is not asked. It does not where its rates do not reach
 * the day, nor where it has the state's rate alone and says nothing of local taxes.
 */
const answersItself = (release: Release, choice: LocalChoice, day: string, prefer: RatePreference): boolean => {
  // A shop's table may have a row for the whole state, beside rows of cities in a ZIP.
  if (choice.lacksLocals && choice.usual.every(({ codes }) => codes.length === 0)) return false;
  const { codes } = chosenSet(release, choice, day, prefer);
  return areRatesKnown(release, jurisdictionsOf(release, codes), day);
};

/** Search the active release first, then each one below it: an import overlays, and takes nothing away. */
const answerOf = (
  active: Release,
  address: TaxAddress,
  day: string,
  prefer: RatePreference,
  place: PlaceChoice | null,
): Answer => {
  let release = active;
  for (; release.fallback; release = release.fallback) {
    const choice = chooseLocals(release, address, day);
    if (choice && answersItself(release, choice, day, prefer)) return { release, choice: withPlace(choice, place) };
  }
  const choice = chooseLocals(release, address, day);
  return choice ? { release, choice } : (place ?? { release, choice: null });
};

const countyOf = ({ county }: LocalSet, place: PlaceChoice | null): string | null => {
  if (county !== undefined) return county;
  const [meant, ...others] = place?.choice.possible ?? [];
  return others.length === 0 ? (meant?.county ?? null) : null;
};

// A place that taxes at a rate that nobody has established gets its county's rate: something is missing there, too.
const lacksLocalsOf = ({ isPart, lacksLocals, byPlace }: LocalChoice, { codes, isUnknown }: LocalSet): boolean =>
  isPart || isUnknown === true || byPlace?.city === 'missing' || (lacksLocals && codes.length === 0);

const locateInState = (address: TaxAddress, releaseFor: ReleaseFor, day: string, prefer: RatePreference): Located => {
  const code = address.state === null ? address.country : jurisdictionCode(address.state);
  const active = address.state === null ? undefined : releaseFor(address);
  if (!active) return uncovered({ code, name: code, release: null }, address, prefer);
  const byName = choosePlace(lowestOf(active), address, day);
  const { release, choice } = answerOf(active, address, day, prefer, byName);
  const place = { code: release.state, name: release.name, release };
  if (!choice && release.locals === 'listed' && address.zip5 !== null)
    return { ...uncovered(place, address, prefer), isGap: isInGap(release, address, day) };
  const set = chosenSet(release, choice, day, prefer);
  const jurisdictions = jurisdictionsOf(release, set.codes);
  const lacksLocals = choice ? lacksLocalsOf(choice, set) : lacksLocalsAt(release, address);
  const coverage = lacksLocals ? 'partial' : 'complete';
  return {
    address,
    states: [],
    choice,
    prefer,
    place: { ...place, jurisdictions },
    county: countyOf(set, byName),
    resolution: {
      level: choice?.level ?? levelOf(release, address),
      ambiguous: address.isStateGuessed || (choice !== null && isAmbiguous(choice)),
      coverage: areRatesKnown(release, jurisdictions, day) ? coverage : 'none',
    },
    evidence: choice?.evidence ?? [],
    lacksLocals,
    isGap: false,
  };
};

// What the content does not cover has no rate to compare, even where a part of it is known.
const rateOf = ({ place: { release, jurisdictions }, resolution: { coverage } }: Located, day: string) =>
  release === null || coverage === 'none' ? undefined : placeRate(release, jurisdictions, day);

const candidateOf = (located: Located, day: string): StateCandidate => ({
  state: located.address.state ?? located.address.country,
  rate: rateOf(located, day) ?? null,
  coverage: located.resolution.coverage,
  isPart: located.choice?.isPart ?? false,
});

/**
 * Find the jurisdictions of an address on a tax day.
 *
 * Where a ZIP spans jurisdictions, or states of which none was sent, `highest` says which of them are meant: those with
 * the highest combined general rate, else with the lowest; a state that the content does not cover only where it covers
 * none of them. A city that is known by its name alone is ambiguous even with one set: its taxes are all known, and the
 * address may have others. So is a ZIP without its four digits of which only parts are known, and that lacks local taxes
 * as well (`coverage: 'partial'`). Covered by nothing (`coverage: 'none'`) is a place without a release, a ZIP or ZIP+4 that
 * a release should list and does not, and a day that its rates do not reach.
 */
export const locate = (address: TaxAddress, releaseFor: ReleaseFor, day: string, highest: boolean): Located => {
  const prefer = highest ? 'highest' : 'lowest';
  const [first, ...others] = addressesByState(address).map((one) => locateInState(one, releaseFor, day, prefer));
  assert(first !== undefined, 'addressesByState returns at least one address');
  if (others.length === 0) return first;
  const all = [first, ...others] as const;
  const chosen = byRate(all, (one) => rateOf(one, day), prefer);
  return { ...chosen, states: all.map((one) => candidateOf(one, day)) };
};
