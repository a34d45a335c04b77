import { dayAfter } from '../base/calendar.ts';
import { invalidFormat, type Problem, requiredField } from '../base/result.ts';
import { cursorProblem } from '../ledger/page-limit.ts';
import { statusProblem } from '../ledger/status.ts';
import type { FilingStatus, StoredFiling } from './filing.ts';

import type { Period } from './periods.ts';

export const filingNotFound: Problem = {
  code: 'not_found',
  title: 'Not Found',
  detail: 'No filing of this account has this id. GET /filings lists the filings.',
};

export const noPeriodEnd = (state: string, { before, after }: { before: string; after: string }): Problem =>
  invalidFormat(
    '/period_end',
    'Not the last day of a period',
    `Send the last day of a period of ${state}: ${before} or ${after}.`,
  );

/** The location of a period problem, and the period to request instead. */
const atPeriodEnd = (state: string, period_end: string) => ({
  source: { pointer: '/period_end' },
  meta: { state, period_end },
});

export const periodNotOver = (state: string, periodEnd: string): Problem => ({
  code: 'conflict_period_not_over',
  title: 'Period not over',
  detail: `The period of ${state} that ends on ${periodEnd} can be closed from ${dayAfter(periodEnd)}, in the account's time zone. From its first day, send "dry_run": true to see its amounts.`,
  ...atPeriodEnd(state, periodEnd),
});

/** A dry run accepts periods up to the current one, which ends on `running`. */
export const periodInFuture = (state: string, { start, end }: Period, running: string): Problem => ({
  code: 'conflict_period_not_over',
  title: 'Period not begun',
  detail: `The period of ${state} from ${start} to ${end} is in the future. The last period that a dry run accepts is the current one, which ends on ${running}.`,
  ...atPeriodEnd(state, end),
});

export const inProgress = (state: string, filing: string): Problem => ({
  code: 'conflict_filing_in_progress',
  title: 'Filing in progress',
  detail: `The filing ${filing} of ${state} is still closing or being canceled. Retry in a few minutes.`,
  source: { pointer: '/period_end' },
  meta: { state, filing_id: filing },
});

/** Periods are closed oldest first; `period_end` is the next one. */
export const closeFirst = (state: string, periodEnd: string): Problem => ({
  code: 'conflict_period_order',
  title: 'Another period is next',
  detail: `The periods of ${state} are closed in order. Close the one that ends on ${periodEnd} first.`,
  ...atPeriodEnd(state, periodEnd),
});

/**
 * A period without a filing: before the first period of the state, or before its newest filing, which ends on `last`.
 */
export const beforeNext = (state: string, periodEnd: string, last: string | undefined, next: string): Problem => ({
  code: 'conflict_period_order',
  title: 'Before the first period',
  detail: `${
    last === undefined
      ? `${state} has no period that ends on ${periodEnd}: its first period in Levy ends on ${next}.`
      : `${state} has no filing that ends on ${periodEnd}, and its periods up to ${last} are closed.`
  } File earlier periods outside of Levy.`,
  ...atPeriodEnd(state, next),
});

/** Filings are canceled newest first. A newer filing that is filed, or being marked as filed, cannot be canceled. */
export const cancelFirst = (state: string, periodEnd: string, isFiled = false): Problem => ({
  code: 'conflict_period_order',
  title: 'Another filing is newer',
  detail: isFiled
    ? `The later filing of ${state} that ends on ${periodEnd} is already filed. Correct this one in the next period.`
    : `The filings of ${state} are canceled in order. Cancel the one that ends on ${periodEnd} first.`,
  source: { pointer: '/status' },
  meta: { state, period_end: periodEnd },
});

export const tooManyEntries: Problem = {
  code: 'validation_too_many_entries',
  title: 'Too many entries for a dry run',
  detail: 'One request cannot sum all entries. Close the period instead; the filing can be canceled.',
  source: { pointer: '/dry_run' },
};

const inNextPeriod = 'Record credits and sales instead, which count in the next period.';

/** What to do with a filing whose status a client cannot change. */
const adviceByStatus: Readonly<Record<FilingStatus, string>> = {
  closing: 'Send the request again when it is closed.',
  closed: '',
  marking: inNextPeriod,
  filed: inNextPeriod,
  canceled: 'Close the period again.',
};

/**
 * Returns the refusal of a status change that is not allowed, or `null`. A client can only file or cancel a closed
 * filing.
 */
export const filingTransitionProblem = ({ status }: StoredFiling, to: FilingStatus): Problem | null =>
  statusProblem('filing', status, to, status === 'closed' ? ['filed', 'canceled'] : [], adviceByStatus[status]);

/** The request does not acknowledge exactly the number of exceptions that the filing has. */
export const exceptionsNotAcknowledged = (count: number): Problem => ({
  code: 'conflict_exceptions_not_acknowledged',
  title: 'Exceptions not acknowledged',
  detail:
    count === 0
      ? 'The filing has no exceptions. Set acknowledge_exceptions to 0, or leave it out.'
      : `The filing has ${count === 1 ? '1 exception' : `${count} exceptions`}. Check GET /filings/{id}/exceptions, then set acknowledge_exceptions to ${count}.`,
  source: { pointer: '/acknowledge_exceptions' },
  meta: { count },
});

export const confirmationFixed: Problem = {
  code: 'conflict_immutable_field',
  title: 'confirmation_number cannot be changed',
  detail:
    'The filing already has a different confirmation number. To correct it, send its current number as previous_confirmation_number.',
  source: { pointer: '/confirmation_number' },
};

export const otherPreviousNumber: Problem = {
  code: 'conflict_immutable_field',
  title: 'A different confirmation number is stored',
  detail:
    'previous_confirmation_number is not the confirmation number of the filing. Read the filing, then correct its current number if needed.',
  source: { pointer: '/previous_confirmation_number' },
};

/** A filing is one item, so its corrections are limited. */
export const correctionsMax = 20;

export const tooManyCorrections: Problem = {
  ...confirmationFixed,
  detail: `The confirmation number was corrected ${correctionsMax} times, which is the maximum. Keep the correct number in your own records.`,
};

export const confirmationMissing = requiredField(
  '/confirmation_number',
  'Send confirmation_number, the number that the state gave for the return.',
);

const totalsCursor = 'totals_starting_after';

/** The cursor of totals is invalid or belongs to a different filing or period. `isBody`: it was sent in the body. */
export const invalidTotalsCursor = (isBody = false): Problem => ({
  ...cursorProblem(
    'Send the totals_next_cursor of a page of the same filing or dry run.',
    isBody ? { pointer: `/${totalsCursor}` } : { parameter: totalsCursor },
  ),
  title: `Invalid ${totalsCursor}`,
});
