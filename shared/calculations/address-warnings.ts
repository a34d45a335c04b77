import { dayMs } from '../base/calendar.ts';
import type { Approximation } from '../catalog/effective.ts';
import type { ByPlace } from '../catalog/location/local-choice.ts';
import type { Published } from '../catalog/release-values.ts';
import { hasBoundaryFile } from '../catalog/streamlined.ts';
import type { Uncertainty } from '../tax/assessment.ts';
import { uncertaintiesAbout, uncertaintiesAboutDay } from '../tax/uncertainties.ts';
import { isOutsideStates } from '../vocabulary/jurisdiction.ts';
import { appliedAreaText, areasMax, describeAmbiguity, describeContradiction, importFile } from './ambiguity.ts';
import { listedUpTo } from './explain/step.ts';
import type { LocatedLine } from './locate-lines.ts';
import type { Warning } from './response.ts';
import type { TaxingAddress } from './sourcing.ts';

/** The tax date, and the current time in milliseconds, which determines whether newer rates are due. */
export type WarningDays = { readonly day: string; readonly nowMs: number };

const usedInstead = {
  undated: (ratesDay: string) => `the rates of ${ratesDay} were used`,
  first: (ratesDay: string) => `the rates of ${ratesDay}, the first on record, were used`,
  ended: (ratesDay: string) => `the rates of ${ratesDay}, their last known day, were used`,
} as const;

const approximate = (place: string, { ratesDay, because }: Approximation, day: string): string =>
  `the local rates of ${place} on ${day} are not on record; ${usedInstead[because](ratesDay)}.`;

const outdated = (place: string, { as_of, due }: Published): string =>
  `the local rates of ${place} are as of ${as_of}, with newer rates due by ${due}. Import them: \`GET /coverage\` names the publisher.`;

/**
 * Whether rates newer than a publication are due, or will be due on the tax day. A publication confirms its rates up to
 * its date.
 */
const isOutdated = ({ as_of, due }: Published, { day, nowMs }: WarningDays): boolean =>
  as_of < day && (due < day || Date.parse(due) + dayMs <= nowMs);

/** Warns that the local rates of an address are from a different day, or that newer rates are due. */
const ageWarnings = (
  decisive: TaxingAddress,
  getPlace: () => string,
  pointer: string,
  days: WarningDays,
): Warning[] => {
  const { approximation, published, place } = decisive;
  const warnings: Warning[] = [];
  if (approximation) {
    const message = `${place.name}: ${approximate(getPlace(), approximation, days.day)} To replace them, ${importFile(decisive)}`;
    warnings.push({ code: 'local_rates_approximate', message, pointer });
  }
  if (published && isOutdated(published, days)) {
    const message = `${place.name}: ${outdated(getPlace(), published)}`;
    warnings.push({ code: 'local_rates_outdated', message, pointer });
  }
  return warnings;
};

const noTax = ' No tax was calculated.';

const isOutside = ({ country, state }: TaxingAddress['address']): boolean =>
  country !== 'US' || (state !== null && isOutsideStates(state));

/** Describes a place that is not covered, followed by the consequence (`outcome`). */
const notCovered = ({ place: { name }, address }: TaxingAddress, outcome: string): string =>
  `${address.country === 'US' ? '' : 'Country '}${name} is not covered by any content release${isOutside(address) ? `: no US state sales tax is due on deliveries there, and its own taxes are not known` : ''}.${outcome}`;

// Advice on the fields that determine local taxes.
const localAdvice = ({ place: { release }, address: { zip5, isZipKnown } }: TaxingAddress): string =>
  release && release.locations.length > 0 && (zip5 === null || !isZipKnown)
    ? ' They depend on the ZIP code: send address.postal_code.'
    : '';

const localMissing = (decisive: TaxingAddress): string => {
  const { place, address, choice } = decisive;
  const { name, release } = place;
  if (choice?.byPlace) return missingByPlace(name, address, choice.byPlace);
  if (choice?.isPart && release)
    return `${name}: ${release.id} covers only part of ZIP ${address.zip5}; local taxes of its other addresses are missing.`;
  return `${name}: only the state rate is known; local taxes are missing.${localAdvice(decisive)}`;
};

const addressText = ({ city, zip5, county }: TaxingAddress['address']): string => {
  const known = [city === null ? '' : `the city ${city}`, zip5 === null ? '' : `ZIP ${zip5}`].filter(Boolean);
  if (known.length > 0) return known.join(' and ');
  return county === null ? 'an address without a city and ZIP' : `the county ${county}`;
};

const didYouMean = (suggestion: string | null): string => (suggestion === null ? '' : ` Did you mean ${suggestion}?`);

const unknownCity = ({ city }: TaxingAddress['address'], { city: reading, suggestion }: ByPlace): string =>
  reading === 'unknown' ? ` No place named ${city} is known there.${didYouMean(suggestion)}` : '';

const unknownCounty = (
  state: string,
  { county }: TaxingAddress['address'],
  { unknownCounty: unknown }: ByPlace,
): string => (unknown ? ` ${state} has no county named ${county}.${didYouMean(unknown.suggestion)}` : '');

/** Describes which local rate by ZIP and city is not established. */
const missingByPlace = (name: string, address: TaxingAddress['address'], byPlace: ByPlace): string => {
  const { area, missing, possible, established } = byPlace;
  const unestablished = possible.filter(({ rate }) => rate === null).map((one) => one.name);
  if (missing !== null && area)
    return `${name}: the local rate of ${missing} is not established; the rate of ${area.county} outside its cities was used.`;
  if (area && possible[0]?.rate !== null)
    return `${name}: the local rate of ${listedUpTo(unestablished, areasMax)} is not established, and the address could be there.`;
  if (established !== null && area)
    return `${name}: the local rate for ${addressText(address)} is established only from ${established}; only the state rate was used.${unknownCounty(name, address, byPlace)}`;
  const advice = address.zip5 === null ? ' Send the ZIP code and the city.' : '';
  return `${name}: no local rate is established for ${addressText(address)}; only the state rate was used.${unknownCity(address, byPlace)}${unknownCounty(name, address, byPlace)}${advice}`;
};

/** Describes how local rates were found by ZIP and city. */
const byPlaceText = (decisive: TaxingAddress, byPlace: ByPlace): string => {
  const { place, address } = decisive;
  const used = appliedAreaText(decisive, byPlace);
  // A city outside the ZIP does not affect the result.
  const isUsed = byPlace.city !== 'unknown' && byPlace.city !== 'elsewhere';
  return [
    `${place.name}: local rates${used === '' ? '' : ` of ${used}`} were found by ${addressText(isUsed ? address : { ...address, city: null })}, without a boundary file.`,
    unknownCity(address, byPlace).trim(),
    unknownCounty(place.name, address, byPlace).trim(),
    'An address outside the city limits or in a special district may be taxed differently.',
    place.release && hasBoundaryFile(place.release.state)
      ? 'Import the boundary file of the state for rates by ZIP+4.'
      : '',
  ]
    .filter(Boolean)
    .join(' ');
};

/** The place whose local rates were used. */
const ratedPlace = (decisive: TaxingAddress): string => {
  const { byPlace } = decisive.choice ?? {};
  return (byPlace && appliedAreaText(decisive, byPlace)) || addressText(decisive.address);
};

const contradictory = ({ place, address }: TaxingAddress, why: string): string =>
  `${place.name}: ${why} ${address.zip5 === null ? 'The county' : 'The ZIP code'} was used. Correct the address.`;

const ambiguous = (decisive: TaxingAddress): string => {
  const { why, advice } = describeAmbiguity(decisive);
  const { name, jurisdictions } = decisive.place;
  const local = jurisdictions.filter(({ type }) => type !== 'state');
  const assumed = local.map((jurisdiction) => jurisdiction.name).join(', ') || 'no local tax';
  return `${name}: ${why} ${decisive.address.isStateGuessed ? '' : `Assumed: ${assumed}. `}${advice}`;
};

// A remote seller's election adds a tax that does not depend on the ZIP.
const isStateAlone = ({ resolution, place }: TaxingAddress): boolean =>
  resolution.level === 'state' && place.jurisdictions.every(({ type }) => type === 'state');

const addressWarnings = (decisive: TaxingAddress, pointer: string, outcome: string, days: WarningDays): Warning[] => {
  const { resolution, place, address, choice, lacksLocals } = decisive;
  const warnings: Warning[] = [];
  const warn = (code: Warning['code'], message: string) => warnings.push({ code, message, pointer });
  // If the place has jurisdictions, their rates are unknown, and the tax core warns about that.
  if (resolution.coverage === 'none' && place.jurisdictions.length === 0)
    warn('not_covered', notCovered(decisive, outcome));
  if (resolution.coverage !== 'none') {
    if (lacksLocals) warn('local_rates_missing', localMissing(decisive));
    warnings.push(...ageWarnings(decisive, () => ratedPlace(decisive), pointer, days));
  }
  if (choice?.byPlace && resolution.level !== 'state' && resolution.coverage !== 'none')
    warn('local_rates_by_place', byPlaceText(decisive, choice.byPlace));
  const contradiction = describeContradiction(decisive);
  if (contradiction !== null) warn('address_contradictory', contradictory(decisive, contradiction));
  if (resolution.ambiguous) warn('address_ambiguous', ambiguous(decisive));
  if (address.zip5 !== null && !address.isZipKnown)
    warn(
      'postal_code_unknown',
      `ZIP ${address.zip5} is not known to be in use${isStateAlone(decisive) ? '; the state rate was used' : ''}.`,
    );
  return warnings;
};

/**
 * Returns warnings about a line's addresses and their local taxes. `isCalculated` is false for rates without a
 * calculation.
 */
export const resolutionWarnings = (
  { decisive, pointers }: LocatedLine,
  days: WarningDays,
  isCalculated = true,
): Warning[] =>
  decisive.flatMap((address) => addressWarnings(address, pointers[address.at], isCalculated ? noTax : '', days));

/** Returns uncertainties as warnings at one pointer. */
export const uncertaintyWarnings = (uncertainties: readonly Uncertainty[], pointer: string): Warning[] =>
  uncertainties.map(({ code, message }) => ({ code, message, pointer }));

const sourcingText = (state: string) => (): string => `${state}, where sales within the state are taxed`;

/** Returns uncertainties about the local taxes of a line's addresses, and about which address decides. */
export const placeUncertainties = (
  { place: { name, release }, decisive, uncertain, pointers }: LocatedLine,
  { day }: WarningDays,
): Warning[] => [
  ...decisive.flatMap(({ evidence, at, place }) =>
    evidence.flatMap((one) =>
      uncertaintyWarnings(
        uncertaintiesAbout(one, () => `${place.name}, the local taxes of an address`),
        pointers[at],
      ),
    ),
  ),
  ...(uncertain && release
    ? [
        uncertaintiesAbout(uncertain, sourcingText(name)),
        uncertaintiesAboutDay(uncertain, sourcingText(name), day, release),
      ].flatMap((uncertainties) => uncertaintyWarnings(uncertainties, pointers.origin))
    : []),
];

/** Warns that local rates are missing if a rule determines the state tax without a general rate. */
export const ruleAloneWarnings = ({ decisive, pointers }: LocatedLine): Warning[] =>
  decisive
    .filter(({ resolution, lacksLocals }) => resolution.coverage === 'none' && lacksLocals)
    .map((one) => ({ code: 'local_rates_missing', message: localMissing(one), pointer: pointers[one.at] }));
