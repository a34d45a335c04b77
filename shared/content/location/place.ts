import type { ReleaseFor } from '../content.ts';
import type { Coverage, Evidence, Jurisdiction, Release } from '../release.ts';
import type { TaxAddress } from './address.ts';
import { areRatesKnown, setByRate } from './combined-rate.ts';
import { chooseLocals, type LocalChoice } from './location-choice.ts';

/** How precisely an address was read: `address_resolution` of the API (interface decisions 2). */
export type Resolution = {
  readonly level: 'zip9' | 'zip5' | 'city' | 'state' | 'none';
  /** The address may lie in more than one set of jurisdictions. */
  readonly ambiguous: boolean;
  readonly coverage: Coverage;
};

/** A place that taxes: the jurisdictions that an address has, state first, and the release that says so. */
export type TaxingPlace = {
  /** `US-MI`; for a place that no release covers, the country or territory. */
  readonly code: string;
  readonly name: string;
  readonly release: Release | null;
  /** None where the release does not cover the address. */
  readonly jurisdictions: readonly Jurisdiction[];
};

/** Where an address is for tax. Sourcing is for the caller to decide: it takes two addresses. */
export type Located = {
  readonly place: TaxingPlace;
  readonly resolution: Resolution;
  /** What says which local jurisdictions are there, where a location does. */
  readonly evidence: readonly Evidence[];
  /** Whether a city's name alone decided, so that the address is ambiguous: it may lie beyond the city's limits. */
  readonly isByName: boolean;
};

const uncovered = (place: Omit<TaxingPlace, 'jurisdictions'>, { isStateGuessed }: TaxAddress): Located => ({
  place: { ...place, jurisdictions: [] },
  resolution: { level: 'none', ambiguous: isStateGuessed, coverage: 'none' },
  evidence: [],
  isByName: false,
});

/** Whether what the release knows of an address hangs on its ZIP or city: it has local taxes, but not everywhere. */
const isLocal = ({ locals, locations }: Release): boolean => locals === 'listed' || locations.length > 0;

const levelOf = (release: Release, { zip5, plus4, city, isZipKnown }: TaxAddress): Resolution['level'] => {
  if (zip5 !== null && isZipKnown) return plus4 === null ? 'zip5' : 'zip9';
  return city === null || isLocal(release) ? 'state' : 'city';
};

// That no location names it is an answer of the release only where there is a ZIP to be named.
const coverageOf = (release: Release, { zip5, isZipKnown }: TaxAddress): Coverage =>
  isLocal(release) && (zip5 === null || !isZipKnown) ? 'partial' : release.coverage;

// What is of the state, as a tax of its own on single articles, taxes all of it.
const jurisdictionsOf = ({ id, jurisdictions }: Release, local: readonly string[]): readonly Jurisdiction[] => {
  const found = jurisdictions.filter(({ code, type }) => type === 'state' || local.includes(code));
  const missing = local.filter((code) => !found.some((jurisdiction) => jurisdiction.code === code));
  // To leave one out would be to tax too little, in silence.
  if (missing.length > 0) throw new Error(`${id} lacks the jurisdictions ${missing.join(', ')} of a location.`);
  return found;
};

const localsOf = (release: Release, choice: LocalChoice | undefined, day: string, highest: boolean) => {
  if (!choice) return [];
  const sets = highest ? choice.possible : choice.usual;
  return setByRate(release, sets, day, highest ? 'highest' : 'lowest').codes;
};

/**
 * Find the jurisdictions of an address on a tax day.
 *
 * Where a ZIP spans jurisdictions, `highest` says which of them are meant. A city that is known by its name alone is
 * ambiguous even with one set: its taxes are all known, and the address may have others. Covered by nothing (`coverage: 'none'`) is a
 * place without a release, a ZIP that a release should list and does not, and a day that its rates do not reach.
 */
export const locate = (address: TaxAddress, releaseFor: ReleaseFor, day: string, highest: boolean): Located => {
  const code = address.state === null ? address.country : `US-${address.state}`;
  const release = address.state === null ? undefined : releaseFor(address);
  if (!release) return uncovered({ code, name: code, release: null }, address);
  const choice = chooseLocals(release, address, day);
  const place = { code: release.state, name: release.name, release };
  if (!choice && release.locals === 'listed' && address.zip5 !== null) return uncovered(place, address);
  const jurisdictions = jurisdictionsOf(release, localsOf(release, choice, day, highest));
  const coverage = choice ? 'complete' : coverageOf(release, address);
  return {
    place: { ...place, jurisdictions },
    resolution: {
      level: choice?.level ?? levelOf(release, address),
      ambiguous: address.isStateGuessed || (choice !== undefined && (choice.possible.length > 1 || choice.isByName)),
      coverage: areRatesKnown(release, jurisdictions, day) ? coverage : 'none',
    },
    evidence: choice?.evidence ?? [],
    isByName: choice?.isByName ?? false,
  };
};
