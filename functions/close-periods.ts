import { closePeriods } from '../shared/filings/close-periods.ts';
import { scheduled } from '../shared/observability/scheduled.ts';
import { closePorts } from '../shared/store/filings/filing-ports.ts';

/** Every five minutes: go on with the filings that are unfinished, and close the periods that are due. */
export const handler = scheduled('close-periods', (context) =>
  closePeriods(closePorts(() => context.getRemainingTimeInMillis())),
);
