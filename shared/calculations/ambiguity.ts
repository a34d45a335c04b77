import type { LocalChoice } from '../catalog/location/local-choice.ts';
import { newLocalSet } from '../catalog/location/local-choice.ts';
import type { StateCandidate } from '../catalog/location/place.ts';
import { rateDecimals } from '../catalog/release-values.ts';
import { decimalText } from '../money/decimal.ts';
import { type Ambiguity, ambiguityByPlace, contradictionByPlace, decidedByTable } from './by-place.ts';
import { listed, listedUpTo, namedMax } from './explain/step.ts';
import type { TaxingAddress } from './sourcing.ts';

const sendPlus4 = 'Send a ZIP+4 (48933-1514).';
const sendZip = 'Send the ZIP code.';
const correct = 'No other address would be more precise: the content has to be corrected.';
const noMorePrecise = 'No other address would be more precise: only content by ZIP+4 would be.';
const onlyByZip = 'No other address would be more precise: only content by ZIP would be.';

/** Whether a ZIP exists that has exactly one of the sets that the city may have. */
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

// Which of the states was chosen, and by what.
const assumedText = ({ states, prefer, address: { state } }: TaxingAddress): string =>
  states.some(({ rate }) => rate !== null)
    ? `${state} was assumed, which has the ${prefer} combined general rate that is known.`
    : `${state} was assumed.`;

const ofCity = (decisive: TaxingAddress): Ambiguity => ({
  why: decisive.choice?.isByName
    ? `the content locates ${decisive.address.city} by name only. Addresses outside its limits share the name, and their local taxes may differ.`
    : `${decisive.address.city} has several sets of local taxes.`,
  advice: !decisive.address.isZipKnown && hasOwnZip(decisive) ? sendZip : onlyByZip,
});

const ofOtherCities = ({ address: { zip5, plus4, city } }: TaxingAddress, cities: readonly string[]): Ambiguity => {
  const names = listedUpTo(cities, namedMax);
  const zip = [zip5, plus4].filter(Boolean).join('-');
  return {
    why: `the content has separate local taxes for addresses of ${names} in ZIP ${zip}${city === null ? ', and no city was sent.' : `; ${city} is not one of them.`}`,
    advice: city === null ? 'Send the city.' : 'Send the city as it is written there, if it is one of them.',
  };
};

const ofStreet = ({ address: { zip5, line1 }, place: { release } }: TaxingAddress): Ambiguity => {
  const why = `streets decide in ZIP ${zip5}: the content gives some street addresses there other local taxes`;
  if (!release?.streets)
    return { why: `${why}, and does not have their house numbers.`, advice: 'No other address would be more precise.' };
  if (line1 === undefined)
    return {
      why: `${why}, and \`line1\` was not sent.`,
      advice: 'Send house number and street in `line1` (150 N Main St).',
    };
  return {
    why: `${why}, and none of them certainly is that in \`line1\`.`,
    advice: 'Send house number, direction, street, suffix and unit in `line1`, as in 150 N Main St Apt 4.',
  };
};

// A ZIP+4 helps only where the content has ranges of ZIP+4 in this ZIP.
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
      why: `the content has a part of ZIP ${zip5} alone, and an address without its four digits may lie in the rest.`,
      advice,
    };
  if (choice?.lacksCity)
    return {
      why: `the content has local taxes by the names of cities too, which come before those of ZIP ${zip5}, and no city was sent.`,
      advice: 'Send the city.',
    };
  if (choice?.crossesBorders)
    return {
      why: `borders cross ZIP ${zip5}, for which the content has one rate: parts of it may have other local taxes.`,
      advice: noMorePrecise,
    };
  if (plus4 !== null && hasRanges)
    return { why: `the content gives ZIP ${zip5}-${plus4} several sets of local taxes.`, advice: correct };
  return { why: `ZIP ${zip5} spans jurisdictions with different taxes.`, advice };
};

// A city without local tax adds the empty set to the sets of a ZIP that has local taxes.
const ofContradiction = ({ zip5, city }: TaxingAddress['address'], { possible, usual }: LocalChoice): Ambiguity => ({
  why:
    usual.every(({ codes }) => codes.length > 0) && possible.at(-1)?.codes.length === 0
      ? `ZIP ${zip5} has local taxes, and ${city} has none.`
      : `ZIP ${zip5} is none of those where ${city} has its local taxes.`,
  advice: 'Correct the city, or the ZIP code.',
});

/** Which parts of an address contradict each other, as a sentence; `null` if none do. */
export const describeContradiction = (decisive: TaxingAddress): string | null => {
  const byPlace = decidedByTable(decisive);
  if (byPlace) return contradictionByPlace(decisive, byPlace);
  return decisive.choice?.contradictsCity ? ofContradiction(decisive.address, decisive.choice).why : null;
};

/** Why an address is ambiguous, and what to send instead: two sentences, without what was assumed. */
export const describeAmbiguity = (decisive: TaxingAddress): Ambiguity => {
  const { address, choice } = decisive;
  if (address.isStateGuessed)
    return {
      why: `ZIP ${address.zip5} lies in ${listed(decisive.states.map(candidateText))}, and no state was sent; ${assumedText(decisive)}`,
      advice: 'Send the state.',
    };
  if (choice?.ofAddresses)
    return {
      why: `the local taxes of ${address.city ?? `ZIP ${address.zip5}`} depend on the address, and the content does not have its streets.`,
      advice: 'No other address would be more precise.',
    };
  const byPlace = decidedByTable(decisive);
  if (byPlace) return ambiguityByPlace(decisive, byPlace);
  if (choice?.contradictsCity) return ofContradiction(address, choice);
  if (choice?.level === 'city') return ofCity(decisive);
  return choice && choice.otherCities.length > 0 ? ofOtherCities(decisive, choice.otherCities) : ofZip(decisive);
};
