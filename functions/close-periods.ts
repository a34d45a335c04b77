import type { Context } from 'aws-lambda';
import { closePeriods } from '../shared/filings/close-periods.ts';
import type { Closed } from '../shared/filings/ports.ts';
import { closePorts } from '../shared/store/filing-ports.ts';

/** Every five minutes: go on with the filings that are unfinished, and close the periods that are due. */
export const handler = async (_event: unknown, context: Context): Promise<Closed> => {
  const closed = await closePeriods(closePorts(() => context.getRemainingTimeInMillis()));
  console.info({ schedule: 'close-periods', ...closed });
  return closed;
};
