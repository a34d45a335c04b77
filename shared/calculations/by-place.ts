/** Texts about local rates that are found by ZIP and city, without a boundary file. */
import type { ByPlace, LocalChoice } from '../content/location/local-choice.ts';
import { isOwnCode } from '../content/own-rules.ts';
import type { Release } from '../content/release.ts';
import { hasBoundaryFile } from '../content/updates/boundary-states.ts';
import type { TaxingAddress } from './sourcing.ts';

/** Why an address is ambiguous, and what to send instead. */
export type Ambiguity = { readonly why: string; readonly advice: string };

/** How the local tables decided about an address; `null` where an import or an older release decided. */
export const decidedByTable = ({ choice, place: { release } }: TaxingAddress): ByPlace | null =>
  release?.local && !release.fallback ? (choice?.byPlace ?? null) : null;

/** How the tables read the ZIP and the county of an address. */
const readByTable = (
  { address: { county } }: TaxingAddress,
  { contradictsCounty, unknownCounty, zipCounties }: ByPlace,
) => ({
  isZipInTable: zipCounties !== null,
  counties: zipCounties ?? 0,
  isCountyUsed: county !== null && !contradictsCounty && unknownCounty === null,
});

/** What to import instead of the built-in tables. */
export const importFile = ({ place: { release } }: TaxingAddress): string =>
  release && hasBoundaryFile(release.state)
    ? "import the state's boundary file."
    : 'import a table of rates by ZIP (format zip-rates).';

/** What to send so that only one county matches, or what to import instead. */
const countyAdvice = (decisive: TaxingAddress, canCountyHelp: boolean): string => {
  const advice = importFile(decisive);
  if (!canCountyHelp) return `I${advice.slice(1)}`;
  return `${decisive.address.county === null ? 'Send' : 'Correct'} the county (address.county), or ${advice}`;
};

const ofUnknownCity = (decisive: TaxingAddress, byPlace: ByPlace): Ambiguity => {
  const { zip5, city } = decisive.address;
  const { counties, isCountyUsed } = readByTable(decisive, byPlace);
  const advice = countyAdvice(decisive, !isCountyUsed && counties > 1);
  const { suggestion } = byPlace;
  return {
    why: `the tables of local rates have no place named ${city}${zip5 === null ? '' : ` for ZIP ${zip5}`}.`,
    advice:
      suggestion === null ? advice : `Correct the city: did you mean ${suggestion}? Otherwise ${lowerFirst(advice)}`,
  };
};

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const ofCityElsewhere = (decisive: TaxingAddress, byPlace: ByPlace): Ambiguity => {
  const { zip5, city, county } = decisive.address;
  if (readByTable(decisive, byPlace).isCountyUsed)
    return {
      why: `${city} is not in ${byPlace.area?.county ?? `the county ${county}`}.`,
      advice: `Correct the city or the county (address.county)${zip5 === null ? ', or send the ZIP code' : ''}.`,
    };
  return { why: `${city} is not in any county of ZIP ${zip5}.`, advice: 'Correct the city, or the ZIP code.' };
};

/** Why the tables by ZIP and city leave several local rates. */
export const ambiguityByPlace = (decisive: TaxingAddress, byPlace: ByPlace): Ambiguity => {
  const { zip5, city } = decisive.address;
  if (byPlace.city === 'unknown') return ofUnknownCity(decisive, byPlace);
  if (byPlace.city === 'elsewhere') return ofCityElsewhere(decisive, byPlace);
  if (byPlace.contradictsCounty)
    return {
      why: `the county ${decisive.address.county} is not one of ZIP ${zip5}.`,
      advice: 'Correct the county (address.county), or the ZIP code.',
    };
  const { isZipInTable, counties, isCountyUsed } = readByTable(decisive, byPlace);
  if (!isZipInTable) {
    const inCounties = `${city ?? 'the address'} lies in counties with different local rates.`;
    return zip5 === null
      ? { why: inCounties, advice: 'Send the ZIP code.' }
      : {
          why: `the tables of local rates do not have ZIP ${zip5}, and ${inCounties}`,
          advice: 'Correct the ZIP code, or send the county (address.county).',
        };
  }
  const canCountyHelp = counties > 1 && !isCountyUsed;
  return {
    why: canCountyHelp
      ? `ZIP ${zip5} spans counties with different local rates.`
      : `the tables of local rates have several local rates for ZIP ${zip5}.`,
    advice: countyAdvice(decisive, canCountyHelp),
  };
};

/**
 * The part of the address that decides between candidates of the tables, unless the account's policy takes the highest
 * rate.
 */
export const taxingAddressPart = (decisive: TaxingAddress, byPlace: ByPlace): string => {
  const { isZipInTable, isCountyUsed } = readByTable(decisive, byPlace);
  const level = decisive.choice?.level;
  if (level === 'zip5') return "the ZIP's main city decides";
  if (isCountyUsed) return 'the county of the address decides';
  const main = isZipInTable ? "the ZIP's main county" : "the city's main county";
  return level === 'city' ? `the city decides, in ${main}` : `${main} decides`;
};

const isSet = ({ place: { jurisdictions } }: TaxingAddress, [{ codes }]: LocalChoice['usual']): boolean => {
  const local = jurisdictions.filter(
    ({ type, code }) => (type !== 'state' && !isOwnCode(code)) || codes.includes(code),
  );
  return local.length === codes.length && local.every(({ code }) => codes.includes(code));
};

/** The names of the place and county whose rates were used, or of the jurisdictions where a policy took others. */
export const appliedAreaText = (decisive: TaxingAddress, { area }: ByPlace): string => {
  const { choice, place } = decisive;
  if (area === null) return '';
  if (choice && !isSet(decisive, choice.usual))
    return place.jurisdictions
      .filter(({ type, code }) => type !== 'state' && !isOwnCode(code))
      .map(({ name }) => name)
      .join(', ');
  return [...new Set([area.place, area.county])].filter(Boolean).join(', ');
};

/** The local rates that the tables have for an address, and which of them are charged. */
export const coverageByPlace = (decisive: TaxingAddress, byPlace: ByPlace, { id, local }: Release): string => {
  const { address, resolution, lacksLocals } = decisive;
  const table = `the table of local rates ${local?.rates ?? id}`;
  const used = appliedAreaText(decisive, byPlace);
  if (!lacksLocals) return `The local rates are those of ${used} in ${table}; no boundary file decided.`;
  if (byPlace.city === 'missing' && resolution.level !== 'state')
    return `The local rate of ${address.city ?? `the city of ZIP ${address.zip5}`} is missing in ${table}: the rates of ${used} outside its cities are charged.`;
  return `The rate of the state alone is charged: ${table} has no local rate for the address on that day.`;
};
