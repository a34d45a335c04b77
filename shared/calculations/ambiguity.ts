import type { Problem } from '../base/result.ts';
import {
  type ByPlace,
  isAmbiguous,
  isIncomplete,
  type LocalChoice,
  newLocalSet,
  type PossibleArea,
} from '../catalog/location/local-choice.ts';
import type { StateCandidate } from '../catalog/location/place.ts';
import { isOwnCode } from '../catalog/own-rules.ts';
import type { Release } from '../catalog/release.ts';
import { formatFraction, formatPercent, rateDecimals } from '../catalog/release-values.ts';
import { hasBoundaryFile } from '../catalog/streamlined.ts';
import { decimalText } from '../money/decimal.ts';
import { listed, listedUpTo, namedMax } from './explain/step.ts';
import type { TaxingAddress } from './sourcing.ts';

/** Messages about ambiguous addresses, and about local rates by ZIP and city. */

/** Why the policy `reject` refuses an address, as a sentence. */
export const ambiguityRejected = "The account's ambiguous_address policy is reject.";

export const ambiguousAddress = (detail: string, pointer: string): Problem => ({
  code: 'validation_address_unresolvable',
  title: 'Address is ambiguous',
  detail,
  source: { pointer },
});

/** Why an address is ambiguous, and what to send instead. */
type Ambiguity = { readonly why: string; readonly advice: string };

/** How the local tables resolved an address; `null` if an import or an older release resolved it. */
export const decidedByTable = ({ choice, place: { release } }: TaxingAddress): ByPlace | null =>
  release?.local && !release.fallback ? (choice?.byPlace ?? null) : null;

/** Advice on the files to import instead of the built-in tables. */
export const importFile = ({ place: { release } }: TaxingAddress): string =>
  release && hasBoundaryFile(release.state)
    ? "import the state's boundary file."
    : 'import a table of rates by ZIP (format zip-rates).';

const rateText = (rate: bigint): string => formatPercent(formatFraction(rate));

/** Formats a share of residents as `98%`; whole percentages, because the shares are estimates. */
const shareText = (percent: number): string => (percent < 1 ? 'less than 1%' : `${Math.round(percent)}%`);

/** The maximum number of places in a message. */
export const areasMax = 8;

/** Formats places as `Cobb County (local rate 2%, 98% of residents), Atlanta (4.9%, 1%) and Denver (6.25%)`. */
const areasText = (possible: readonly PossibleArea[]): string => {
  const texts = possible.map(({ name, rate, percent }, index) => {
    const [before, after] = index === 0 ? ['local rate ', ' of residents'] : ['', ''];
    const known = rate === null ? 'rate not established' : `${before}${rateText(rate)}`;
    return `${name} (${percent > 0 ? `${known}, ${shareText(percent)}${after}` : known})`;
  });
  return listedUpTo(texts, areasMax);
};

/** Advice on the fields that narrow down the areas, or on the files to import instead. */
export const adviseAddress = (
  decisive: TaxingAddress,
  { city, suggestion, zipCounties, unknownCounty }: ByPlace,
): string => {
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

/** Returns a sentence about the contradictory parts of an address; `null` if there are none. */
const contradictionByPlace = (
  { address: { zip5, city, county } }: TaxingAddress,
  { city: reading, contradictsCounty, zipCounties }: ByPlace,
): string | null => {
  if (reading === 'elsewhere' && zipCounties === null) return `${city} is not in the county ${county}.`;
  if (reading === 'elsewhere') return `${city} is not a city of ZIP ${zip5}.`;
  return contradictsCounty ? `The county ${county} is not a county of ZIP ${zip5}.` : null;
};

/** Explains why the tables by ZIP and city give several local rates. */
const ambiguityByPlace = (decisive: TaxingAddress, byPlace: ByPlace): Ambiguity => {
  const { possible, city } = byPlace;
  const advice =
    contradictionByPlace(decisive, byPlace) === null ? adviseAddress(decisive, byPlace) : 'Correct the address.';
  if (possible.length > 0)
    return { why: `the address could be in any of several places: ${areasText(possible)}.`, advice };
  const why =
    city === 'unknown'
      ? `the tables have no place named ${decisive.address.city}.`
      : 'its local rates depend on the place.';
  return { why, advice };
};

/** Explains how one of several possible areas was chosen, unless the account's policy uses the highest rate. */
export const choiceByPlace = ({ possible }: ByPlace): string => {
  const same = possible.filter(({ rate }) => rate === possible[0]?.rate);
  const percent = same.reduce((sum, one) => sum + one.percent, 0);
  return percent > 0
    ? `The rate that applies to most residents is charged (an estimated ${shareText(percent)})`
    : 'The rate of the first place is charged, because the address names it';
};

const isSet = ({ place: { jurisdictions } }: TaxingAddress, [{ codes }]: LocalChoice['usual']): boolean => {
  const local = jurisdictions.filter(
    ({ type, code }) => (type !== 'state' && !isOwnCode(code)) || codes.includes(code),
  );
  return local.length === codes.length && local.every(({ code }) => codes.includes(code));
};

/** Returns the names of the place and county whose rates were used, or of the jurisdictions that a policy selected. */
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

/** Describes the possible local rates of an address in the tables, and which of them are charged. */
export const coverageByPlace = (decisive: TaxingAddress, byPlace: ByPlace, { id }: Release): string => {
  const { resolution } = decisive;
  const table = `the table of local rates ${id.slice('US-'.length, id.lastIndexOf('.'))}`;
  const used = appliedAreaText(decisive, byPlace);
  if (resolution.level === 'state')
    return `Only the state rate is charged: ${table} has no local rate for the address on that day.`;
  if (byPlace.missing !== null)
    return `The local rate of ${byPlace.missing} is missing from ${table}: the rates of ${used} outside its cities are charged.`;
  const others = isIncomplete(byPlace) ? ' Other local rates that could apply to the address are missing.' : '';
  return `The local rates are the rates of ${used} in ${table}, without a boundary file.${others}`;
};

const sendPlus4 = 'Send a ZIP+4 (48933-1514).';
const sendZip = 'Send the ZIP code.';
const correct = 'A more precise address does not help: the tax content must be corrected.';
const noMorePrecise = 'A more precise address does not help: the tax content would need ZIP+4 data.';
const onlyByZip = 'A more precise address does not help: the tax content would need ZIP data.';

/** Whether the release has a ZIP whose only set of local taxes is one of the city's possible sets. */
const hasOwnZip = ({ place: { release }, choice }: TaxingAddress): boolean =>
  release?.locations.some(
    ({ zips, alternatives: [first, ...others] }) =>
      zips.length > 0 &&
      others.length === 0 &&
      choice?.possible.some(({ key }) => key === newLocalSet(first ?? []).key),
  ) === true;

const knownText = ({ lacksLocals, isPart }: StateCandidate): string => {
  if (isPart) return ' in the part of the ZIP that is known';
  return lacksLocals ? ' without its local taxes' : '';
};

const candidateText = (candidate: StateCandidate): string => {
  const { state, rate } = candidate;
  if (rate === null) return `${state} (not covered by the content)`;
  return `${state} (${decimalText({ units: rate, scale: rateDecimals })}${knownText(candidate)})`;
};

// Explains which of the states was chosen, and why.
const assumedText = ({ states, prefer, address: { state } }: TaxingAddress): string =>
  states.some(({ rate }) => rate !== null)
    ? `${state} was assumed, because it has the ${prefer} known combined general rate.`
    : `${state} was assumed.`;

const ofCity = (decisive: TaxingAddress): Ambiguity => ({
  why: decisive.choice?.isByName
    ? `the tax content locates ${decisive.address.city} only by name. Addresses outside the city limits share the name and could have different local taxes.`
    : `${decisive.address.city} has several sets of local taxes.`,
  advice: !decisive.address.isZipKnown && hasOwnZip(decisive) ? sendZip : onlyByZip,
});

const ofOtherCities = ({ address: { zip5, plus4, city } }: TaxingAddress, cities: readonly string[]): Ambiguity => {
  const names = listedUpTo(cities, namedMax);
  const zip = [zip5, plus4].filter(Boolean).join('-');
  return {
    why: `the tax content has separate local taxes for addresses in ${names} in ZIP ${zip}${city === null ? ', and no city was sent.' : `; ${city} is not one of them.`}`,
    advice: city === null ? 'Send the city.' : 'If the address is in one of them, send the city with this spelling.',
  };
};

const ofStreet = ({ address: { zip5, line1 }, place: { release } }: TaxingAddress): Ambiguity => {
  const why = `the local taxes in ZIP ${zip5} depend on the street address`;
  if (!release?.streets)
    return {
      why: `${why}, and the tax content has no house numbers there.`,
      advice: 'A more precise address does not help.',
    };
  if (line1 === undefined)
    return {
      why: `${why}, and \`line1\` was not sent.`,
      advice: 'Send house number and street in `line1` (150 N Main St).',
    };
  return {
    why: `${why}, and no address in the tax content certainly matches \`line1\`.`,
    advice: 'Send house number, direction, street, suffix and unit in `line1`, as in 150 N Main St Apt 4.',
  };
};

// A ZIP+4 helps only if the content has ZIP+4 ranges for this ZIP.
const ofZip = (decisive: TaxingAddress): Ambiguity => {
  const {
    address: { zip5, plus4 },
    choice,
  } = decisive;
  if (choice?.byStreet) return ofStreet(decisive);
  const hasRanges = choice?.hasRanges === true;
  const advice = hasRanges ? sendPlus4 : noMorePrecise;
  if (choice?.isPart)
    return {
      why: `the tax content covers only a part of ZIP ${zip5}, and an address without ZIP+4 could be in the rest.`,
      advice,
    };
  if (choice?.lacksCity)
    return {
      why: `the tax content also has local taxes by city name, which take precedence over ZIP ${zip5}, and no city was sent.`,
      advice: 'Send the city.',
    };
  if (choice?.crossesBorders)
    return {
      why: `ZIP ${zip5} crosses a border and the tax content has one rate for it: parts of it could have different local taxes.`,
      advice: noMorePrecise,
    };
  if (plus4 !== null && hasRanges)
    return { why: `the tax content has several sets of local taxes for ZIP ${zip5}-${plus4}.`, advice: correct };
  return { why: `ZIP ${zip5} spans jurisdictions with different taxes.`, advice };
};

// A city without local tax adds the empty set to the sets of a ZIP that has local taxes.
const ofContradiction = ({ zip5, city }: TaxingAddress['address'], { possible, usual }: LocalChoice): Ambiguity => ({
  why:
    usual.every(({ codes }) => codes.length > 0) && possible.at(-1)?.codes.length === 0
      ? `ZIP ${zip5} has local taxes, and ${city} has none.`
      : `ZIP ${zip5} is not a ZIP in which ${city} has local taxes.`,
  advice: 'Correct the city or the ZIP code.',
});

/** Returns a sentence about the contradictory parts of an address; `null` if there are none. */
export const describeContradiction = (decisive: TaxingAddress): string | null => {
  const byPlace = decidedByTable(decisive);
  if (byPlace) return contradictionByPlace(decisive, byPlace);
  return decisive.choice?.contradictsCity ? ofContradiction(decisive.address, decisive.choice).why : null;
};

/** Returns two sentences: why an address is ambiguous, and what to send instead. */
export const describeAmbiguity = (decisive: TaxingAddress): Ambiguity => {
  const { address, choice, place } = decisive;
  if (address.isStateGuessed)
    return {
      why: `ZIP ${address.zip5} is in ${listed(decisive.states.map(candidateText))}, and no state was sent. ${assumedText(decisive)}`,
      advice: 'Send the state.',
    };
  if (place.release?.own && !(choice && isAmbiguous(choice)))
    return address.zip5 === null
      ? { why: 'custom rules change the tax in some ZIP codes or counties, and no ZIP code was sent.', advice: sendZip }
      : {
          why: 'custom rules change the tax in some counties, and the county of the address is not certain.',
          advice: 'Send the county (address.county).',
        };
  if (choice?.ofAddresses)
    return {
      why: `the local taxes of ${address.city ?? `ZIP ${address.zip5}`} depend on the street address, and the tax content has no streets there.`,
      advice: 'A more precise address does not help.',
    };
  const byPlace = decidedByTable(decisive);
  if (byPlace) return ambiguityByPlace(decisive, byPlace);
  if (choice?.contradictsCity) return ofContradiction(address, choice);
  if (choice?.level === 'city') return ofCity(decisive);
  return choice && choice.otherCities.length > 0 ? ofOtherCities(decisive, choice.otherCities) : ofZip(decisive);
};
