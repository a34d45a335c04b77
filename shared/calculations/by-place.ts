/** Texts about local rates that are found by ZIP and city, without a boundary file. */

import { hasBoundaryFile } from '../catalog/boundary-states.ts';
import { type ByPlace, isIncomplete, type LocalChoice, type PossibleArea } from '../catalog/location/local-choice.ts';
import { isOwnCode } from '../catalog/own-rules.ts';
import type { Release } from '../catalog/release.ts';
import { formatFraction, formatPercent } from '../catalog/release-values.ts';
import { listedUpTo } from './explain/step.ts';
import type { TaxingAddress } from './sourcing.ts';

/** Why an address is ambiguous, and what to send instead. */
export type Ambiguity = { readonly why: string; readonly advice: string };

/** How the local tables decided about an address; `null` where an import or an older release decided. */
export const decidedByTable = ({ choice, place: { release } }: TaxingAddress): ByPlace | null =>
  release?.local && !release.fallback ? (choice?.byPlace ?? null) : null;

/** Advice on the files to import instead of the built-in tables. */
export const importFile = ({ place: { release } }: TaxingAddress): string =>
  release && hasBoundaryFile(release.state)
    ? "import the state's boundary file."
    : 'import a table of rates by ZIP (format zip-rates).';

const rateText = (rate: bigint): string => formatPercent(formatFraction(rate));

/** `98%` of the residents; whole percents, because the shares are estimates. */
const shareText = (percent: number): string => (percent < 1 ? 'less than 1%' : `${Math.round(percent)}%`);

/** How many places a text names. */
export const areasMax = 8;

/** `Cobb County (local rate 2%, 98% of the residents), Atlanta (4.9%, 1%) and Denver (6.25%)`. */
const areasText = (possible: readonly PossibleArea[]): string => {
  const texts = possible.map(({ name, rate, percent }, index) => {
    const [before, after] = index === 0 ? ['local rate ', ' of the residents'] : ['', ''];
    const known = rate === null ? 'rate not established' : `${before}${rateText(rate)}`;
    return `${name} (${percent > 0 ? `${known}, ${shareText(percent)}${after}` : known})`;
  });
  return listedUpTo(texts, areasMax);
};

/** Advice on the fields that leave fewer areas, or on the files to import instead. */
const adviseAddress = (decisive: TaxingAddress, { city, suggestion, zipCounties, unknownCounty }: ByPlace): string => {
  const { zip5, county } = decisive.address;
  if (zipCounties === null) return zip5 === null ? 'Send the ZIP code and the city.' : 'Correct the ZIP code.';
  const spelling = suggestion === null ? [] : [`Correct the city: did you mean ${suggestion}?`];
  const missing = [
    ...(city === 'none' ? ['send the city'] : []),
    ...(zipCounties > 1 && county === null ? ['send the county (address.county)'] : []),
    ...(zipCounties > 1 && unknownCounty !== null ? ['correct the county (address.county)'] : []),
  ];
  const advice = [...missing, importFile(decisive)].join(', or ');
  return [...spelling, `${advice.charAt(0).toUpperCase()}${advice.slice(1)}`].join(' ');
};

/** Which parts of an address contradict each other, as a sentence; `null` if none do. */
export const contradictionByPlace = (
  { address: { zip5, city, county } }: TaxingAddress,
  { city: reading, contradictsCounty, zipCounties }: ByPlace,
): string | null => {
  if (reading === 'elsewhere' && zipCounties === null) return `${city} is not in the county ${county}.`;
  if (reading === 'elsewhere') return `${city} is not a city of ZIP ${zip5}.`;
  return contradictsCounty ? `The county ${county} is not a county of ZIP ${zip5}.` : null;
};

/** Why the tables by ZIP and city leave several local rates. */
export const ambiguityByPlace = (decisive: TaxingAddress, byPlace: ByPlace): Ambiguity => {
  const { possible, city } = byPlace;
  const advice =
    contradictionByPlace(decisive, byPlace) === null ? adviseAddress(decisive, byPlace) : 'Correct the address.';
  if (possible.length > 0) return { why: `the address may be in several places: ${areasText(possible)}.`, advice };
  const why =
    city === 'unknown'
      ? `the tables have no place named ${decisive.address.city}.`
      : 'its local rates depend on the place.';
  return { why, advice };
};

/** How one of several possible areas of the tables was chosen, unless the account's policy takes the highest rate. */
export const choiceByPlace = ({ possible }: ByPlace): string => {
  const same = possible.filter(({ rate }) => rate === possible[0]?.rate);
  const percent = same.reduce((sum, one) => sum + one.percent, 0);
  return percent > 0
    ? `The rate where most residents are is charged (an estimated ${shareText(percent)} of them)`
    : 'The rate of the first is charged, which the address names';
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
export const coverageByPlace = (decisive: TaxingAddress, byPlace: ByPlace, { id }: Release): string => {
  const { resolution } = decisive;
  const table = `the table of local rates ${id.slice('US-'.length, id.lastIndexOf('.'))}`;
  const used = appliedAreaText(decisive, byPlace);
  if (resolution.level === 'state')
    return `The rate of the state alone is charged: ${table} has no local rate for the address on that day.`;
  if (byPlace.missing !== null)
    return `The local rate of ${byPlace.missing} is missing in ${table}: the rates of ${used} outside its cities are charged.`;
  const others = isIncomplete(byPlace) ? ' Other local rates that the address may have are missing.' : '';
  return `The local rates are those of ${used} in ${table}; no boundary file decided.${others}`;
};
