import { statesOfZip } from '../content/location/zip-states.ts';
import type { Decisive } from './sourcing.ts';

/** Why an address is ambiguous, and what to send so that it is not: two sentences, without what was assumed. */
export const ambiguityOf = ({ address, resolution: { level } }: Decisive): { why: string; advice: string } => {
  const { zip5, plus4, city, state, isStateGuessed } = address;
  if (isStateGuessed)
    return {
      why: `ZIP ${zip5} lies in ${statesOfZip(zip5 ?? '').join(' and ')}, and no state was sent; ${state} was assumed.`,
      advice: 'Send the state.',
    };
  if (level === 'city')
    return { why: `${city} has several sets of local taxes.`, advice: 'Send a ZIP+4 (48933-1514).' };
  if (level === 'zip9')
    return {
      why: `the content gives ZIP ${zip5}-${plus4} several sets of local taxes.`,
      advice: 'No other address would be more precise: the content has to be corrected.',
    };
  return {
    why: `ZIP ${zip5} spans jurisdictions with different taxes${plus4 === null ? '' : `, and ${plus4} is in none of its ZIP+4 ranges`}.`,
    advice: plus4 === null ? 'Send a ZIP+4 (48933-1514).' : 'Send another ZIP+4.',
  };
};
