import { dayAfter } from '../base/calendar.ts';
import { invalidFormat, type Problem, requiredField } from '../base/problem.ts';
import { cursorProblem } from '../ledger/page-limit.ts';
import { statusProblem } from '../ledger/status.ts';
import type { FilingStatus } from './filing.ts';
import type { StoredFiling } from './ledger.ts';
import type { Period } from './periods.ts';

export const filingNotFound: Problem = {
  code: 'not_found',
  title: 'Not Found',
  detail: 'No filing of this account has this id.',
};

export const noPeriodEnd = (state: string, { before, after }: { before: string; after: string }): Problem =>
  invalidFormat(
    '/period_end',
    'Not the last day of a period',
    `Send the last day of a period of ${state}: ${before} or ${after}.`,
  );

export const periodNotOver = (state: string, periodEnd: string): Problem => ({
  code: 'conflict_period_not_over',
  title: 'Period not over',
  detail: `The period of ${state} that ends on ${periodEnd} can be closed from ${dayAfter(periodEnd)} on, in the account's time zone. Until then, send "dry_run": true to see its figures.`,
  source: { pointer: '/period_end' },
  meta: { state, period_end: periodEnd },
});

export const inProgress = (state: string, filing: string): Problem => ({
  code: 'conflict_filing_in_progress',
  title: 'Filing in progress',
  detail: `The filing ${filing} of ${state} is still closing or being canceled. Retry in a few minutes.`,
  source: { pointer: '/period_end' },
  meta: { state, filing_id: filing },
});

/** A dry run takes periods up to the running one, which ends on `running`. */
export const periodInFuture = (
  state: string,
  { start, end }: Pick<Period, 'start' | 'end'>,
  running: string,
): Problem => ({
  code: 'conflict_period_not_over',
  title: 'Period not begun',
  detail: `The period of ${state} from ${start} to ${end} is in the future. The running period, which ends on ${running}, is the last one that a dry run takes.`,
  source: { pointer: '/period_end' },
  meta: { state, period_end: end },
});

/** Periods are closed oldest first; `period_end` is the next one. */
export const closeFirst = (state: string, periodEnd: string): Problem => ({
  code: 'conflict_period_order',
  title: 'Another period is next',
  detail: `The periods of ${state} are closed in order. Close the one that ends on ${periodEnd} first.`,
  source: { pointer: '/period_end' },
  meta: { state, period_end: periodEnd },
});

/** A period before the first one of the state, which ends on `first`. */
export const beforeFirstPeriod = (state: string, periodEnd: string, first: string): Problem => ({
  code: 'conflict_period_order',
  title: 'Before the first period',
  detail: `${state} has no period that ends on ${periodEnd}: its first period in Levy ends on ${first}. File earlier periods outside of Levy.`,
  source: { pointer: '/period_end' },
  meta: { state, period_end: first },
});

/** A period without a filing before the newest filing, which ends on `last`; `next` is the end of the next period. */
export const beforeFilings = (state: string, periodEnd: string, last: string, next: string): Problem => ({
  ...beforeFirstPeriod(state, periodEnd, next),
  detail: `${state} has no filing that ends on ${periodEnd}, and its periods up to ${last} are closed. File earlier periods outside of Levy.`,
});

/** Filings are canceled newest first. */
export const cancelFirst = (state: string, periodEnd: string): Problem => ({
  code: 'conflict_period_order',
  title: 'Another filing is newer',
  detail: `The filings of ${state} are canceled in order. Cancel the one that ends on ${periodEnd} first.`,
  source: { pointer: '/status' },
  meta: { state, period_end: periodEnd },
});

/** The same where the newest filing is filed, or being marked as filed, and cannot be canceled. */
export const newerFiled = (state: string, periodEnd: string): Problem => ({
  ...cancelFirst(state, periodEnd),
  detail: `The later filing of ${state} that ends on ${periodEnd} is already filed. Correct this one in the next period.`,
});

export const tooManyEntries: Problem = {
  code: 'validation_too_many_entries',
  title: 'Too many entries for a dry run',
  detail: 'One request cannot sum all entries. Close the period instead; the filing can be canceled.',
  source: { pointer: '/dry_run' },
};

/** The refusal of a status change that is not allowed, or `null`. A client may only file or cancel a closed filing. */
export const filingTransitionProblem = ({ status }: StoredFiling, to: FilingStatus): Problem | null =>
  statusProblem('filing', status, to, status === 'closed' ? ['filed', 'canceled'] : []);

/** The request does not acknowledge exactly the number of exceptions that the filing has. */
export const exceptionsNotAcknowledged = (count: number): Problem => ({
  code: 'conflict_exceptions_not_acknowledged',
  title: 'Exceptions not acknowledged',
  detail:
    count === 0
      ? 'The filing has no exceptions. Send acknowledge_exceptions as 0, or leave it out.'
      : `The filing has ${count} exceptions. Look at GET /filings/{id}/exceptions, then send acknowledge_exceptions as ${count}.`,
  source: { pointer: '/acknowledge_exceptions' },
  meta: { count },
});

export const confirmationFixed: Problem = {
  code: 'conflict_immutable_field',
  title: 'confirmation_number cannot be changed',
  detail: 'The filing already has another confirmation number.',
  source: { pointer: '/confirmation_number' },
};

export const confirmationMissing = requiredField(
  '/confirmation_number',
  'Send confirmation_number, the number that the state gave for the return.',
);

export const invalidCursor = cursorProblem(
  'Send the next_cursor of a page of the same list: same filters, same account.',
);

const totalsCursor = 'totals_starting_after';

/** The cursor of totals belongs to another filing or period, or is no cursor. `isBody`: it was sent in the body. */
export const invalidTotalsCursor = (isBody = false): Problem => ({
  ...cursorProblem(
    'Send the totals_next_cursor of a page of the same filing or dry run.',
    isBody ? { pointer: `/${totalsCursor}` } : { parameter: totalsCursor },
  ),
  title: `Invalid ${totalsCursor}`,
});
