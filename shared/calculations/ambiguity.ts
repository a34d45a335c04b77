import type { StateCandidate } from '../content/location/place.ts';
import { rateDecimals } from '../content/release.ts';
import { decimalText, listed } from './explain/step.ts';
import type { Decisive } from './sourcing.ts';

const sendPlus4 = 'Send a ZIP+4 (48933-1514).';
const noMorePrecise = 'No other address would be more precise: only content by ZIP would be.';

/** Whether a release knows some addresses by their ZIPs. */
const hasZips = ({ release }: Decisive['place']): boolean =>
  release !== null && (release.locals === 'listed' || release.locations.some(({ zips }) => zips.length > 0));

const candidateText = ({ state, rate, coverage }: StateCandidate): string => {
  if (rate === null) return `${state} (not covered by the content)`;
  const text = decimalText({ units: rate, scale: rateDecimals });
  return `${state} (${coverage === 'partial' ? `${text} without its local taxes` : text})`;
};

// Which of the states was chosen, and by what.
const assumedText = ({ states, wanted, address: { state } }: Decisive): string =>
  states.some(({ rate }) => rate !== null)
    ? `${state} was assumed, which has the ${wanted} combined general rate that is known.`
    : `${state} was assumed.`;

/** Why an address is ambiguous, and what to send so that it is not: two sentences, without what was assumed. */
export const ambiguityOf = (decisive: Decisive): { why: string; advice: string } => {
  const { address, place, resolution, isByName } = decisive;
  const { level } = resolution;
  const { zip5, plus4, city, isStateGuessed } = address;
  if (isStateGuessed)
    return {
      why: `ZIP ${zip5} lies in ${listed(decisive.states.map(candidateText))}, and no state was sent; ${assumedText(decisive)}`,
      advice: 'Send the state.',
    };
  if (isByName)
    return {
      why: `the content knows ${city} by its name alone, and mail for it also goes to places beyond its limits, whose local taxes may be others.`,
      advice: zip5 === null && hasZips(place) ? sendPlus4 : noMorePrecise,
    };
  if (level === 'city') return { why: `${city} has several sets of local taxes.`, advice: sendPlus4 };
  if (level === 'zip9')
    return {
      why: `the content gives ZIP ${zip5}-${plus4} several sets of local taxes.`,
      advice: 'No other address would be more precise: the content has to be corrected.',
    };
  return {
    why: `ZIP ${zip5} spans jurisdictions with different taxes${plus4 === null ? '' : `, and ${plus4} is in none of its ZIP+4 ranges`}.`,
    advice: plus4 === null ? sendPlus4 : 'Send another ZIP+4.',
  };
};
