import * as z from 'zod/mini';
import { frequencies } from '../accounts/account.ts';
import { array, component, described, nullable, nullableString, string, stringEnum } from '../base/described.ts';
import { count, currencyCode, date, signedAmount } from '../base/response-scalars.ts';
import { reviewCodes } from '../calculations/warning-codes.ts';
import { exceptionReasons } from '../ledger/entries/entry.ts';

export const filingStatuses = ['closing', 'closed', 'marking', 'filed', 'canceled'] as const;
export type FilingStatus = (typeof filingStatuses)[number];

const ExemptByReason = component(
  'ExemptByReason',
  'The exempt amount by reason. The parts add up to `exempt_amount`.',
  {
    resale: described(signedAmount, 'Sold to buyers with a resale certificate.'),
    product: described(signedAmount, 'Exempt because of the product, a holiday, or a state without the tax.'),
    government: described(signedAmount, 'Sold to buyers with a certificate of a government.'),
    nonprofit: described(signedAmount, 'Sold to buyers with a certificate of an exempt organization.'),
    direct_pay: described(signedAmount, 'Sold to buyers with a direct pay permit, who pay the tax themselves.'),
    customer: described(signedAmount, 'Sold to buyers with any other certificate.'),
    snap: described(signedAmount, 'Paid with SNAP benefits.'),
    marketplace: described(signedAmount, 'The marketplace collects the tax.'),
    not_registered: described(
      signedAmount,
      'Sold on days on which the account was not registered, not through a marketplace.',
    ),
  },
);

/** The amounts of an entry or of a filing, by any grouping. */
export const amounts = {
  gross_amount: described(signedAmount, 'The sum of the taxable, the exempt and the not covered amount.'),
  exempt_amount: described(signedAmount, 'The part that is exempt. Negative if credits exceed sales.'),
  exempt_by_reason: ExemptByReason,
  not_covered_amount: described(
    signedAmount,
    'The part that the tax content does not cover, on which no tax was calculated.',
  ),
  taxable_amount: described(signedAmount, 'The part that is taxed. Negative if credits exceed sales.'),
  calculated_tax_amount: described(signedAmount, 'The tax that Levy calculated.'),
  tax_amount: described(signedAmount, 'The recorded tax: what was collected. Negative if credits exceed sales.'),
  over_collected_amount: described(signedAmount, 'The part of the tax that exceeds the calculated tax.'),
};

/** The amounts of a filing, by any grouping, and their counts. */
export const sums = {
  ...amounts,
  credit_amount: described(
    signedAmount,
    'The gross amount of the credits, which the other amounts include. Not positive.',
  ),
  credit_count: described(count, 'The number of credits among the entries.'),
  count: described(count, 'The number of entries included. An entry with several rates counts once.'),
};

/**
 * The amounts of a state in one currency. Gross, exempt and taxable count each line once: with the state's amounts, or,
 * if the state itself levies no tax (Alaska), the amounts of the jurisdiction with the largest gross. The tax includes
 * all levels.
 */
export const FilingSummary = component('FilingSummary', 'The amounts of the whole state in one currency.', {
  currency: currencyCode,
  ...sums,
});
export type FilingSummary = z.infer<typeof FilingSummary>;

const exceptionReason = stringEnum(
  'ExceptionReason',
  exceptionReasons,
  '`not_covered`: the tax content does not cover a sale. `over_collected` or `under_collected`: the recorded tax differs from the calculated tax.',
);

const reviewCode = described(
  z.enum(reviewCodes),
  'The code of a warning of the transaction that can change its tax. New codes can be added.',
  { title: 'ReviewCode', 'x-extensible-enum': reviewCodes },
);

const documentShape = {
  reference_id: nullableString('The reference of the transaction when it was finalized or its tax was changed.'),
  type: stringEnum('TransactionType', ['sale', 'credit'], '`sale` or `credit`.'),
  tax_day: described(date, 'The day of the tax date.'),
  customer_id: nullableString('The id of the buyer in your system.'),
  postal_code: nullableString('The five-digit ZIP code of the destination.'),
  certificate_numbers: array(
    z.string(),
    'The numbers of the certificates that exempted line items or shipping in the state.',
  ),
};

export const transactionShape = { transaction_id: string('The id of the transaction.'), ...documentShape };

export const FilingException = component(
  'FilingException',
  'A sale or credit that needs attention before the return is sent.',
  {
    ...transactionShape,
    currency: currencyCode,
    reasons: array(
      component('FilingExceptionReason', 'Why a transaction needs attention.', {
        reason: exceptionReason,
        gross_amount: described(signedAmount, 'The gross amount that is not covered, or whose tax differs.'),
      }),
      'Why the transaction is an exception. Empty if it is only to be reviewed.',
    ),
    review_codes: array(
      reviewCode,
      'The codes of its warnings that can change the tax in the state. A credit also has the codes of its sale. Empty if there are none.',
    ),
    gross_amount: described(signedAmount, 'The gross amount of the transaction in the state.'),
    tax_amount: described(signedAmount, 'The recorded tax of the transaction in the state.'),
  },
);
export type FilingException = z.infer<typeof FilingException>;

export const FilingExceptions = component(
  'FilingExceptions',
  'Sales and credits that need attention before the return is sent.',
  {
    count: described(count, 'The number of entries with exceptions. Send it as `acknowledge_exceptions`.'),
    gross_amount: nullable(
      signedAmount,
      'Their gross amount. `null` if they are in several currencies: `by_reason` has it by currency.',
    ),
    by_reason: array(
      component('FilingExceptionSum', 'The exceptions of one reason in one currency.', {
        reason: exceptionReason,
        currency: currencyCode,
        count: described(count, 'The number of entries with this reason. An entry may have several.'),
        gross_amount: described(signedAmount, 'The gross amount that is not covered, or whose tax differs.'),
      }),
      'The exceptions by reason and currency.',
    ),
    transactions: nullable(
      z.array(FilingException),
      'In a dry run, the exceptions, at most 100. `null` in a filing: `GET /filings/{id}/exceptions` lists its exceptions.',
    ),
  },
);
export type FilingExceptions = z.infer<typeof FilingExceptions>;
/** The sums of only the exceptions. */
export type ExceptionSums = Omit<FilingExceptions, 'transactions'>;

export const FilingReview = component(
  'FilingReview',
  'Sales and credits with warnings that can change their tax. They need no acknowledgment when the filing is filed.',
  {
    count: described(count, 'The number of entries to review.'),
    gross_amount: nullable(
      signedAmount,
      'Their gross amount. `null` if they are in several currencies: `by_code` has it by currency.',
    ),
    tax_amount: nullable(signedAmount, 'Their recorded tax. `null` if they are in several currencies.'),
    by_code: nullable(
      z.array(
        component('FilingReviewSum', 'The entries to review for one code in one currency.', {
          code: reviewCode,
          currency: currencyCode,
          count: described(count, 'The number of entries with this code. An entry may have several.'),
          gross_amount: described(signedAmount, 'The gross amount of these sales and credits in the state.'),
          tax_amount: described(signedAmount, 'Their recorded tax in the state.'),
        }),
      ),
      'The entries by warning code and currency. `null` in a list.',
    ),
    transactions: nullable(
      z.array(FilingException),
      'In a dry run, the entries to review, at most 100. `null` in a filing: `GET /filings/{id}/exceptions?list=review` lists them.',
    ),
  },
);
type FilingReview = z.infer<typeof FilingReview>;
export type ReviewSums = Omit<FilingReview, 'transactions' | 'by_code'> & {
  readonly by_code: NonNullable<FilingReview['by_code']>;
};

export const FilingCorrection = component('FilingCorrection', 'A correction of the confirmation number.', {
  at: string('When the number was corrected.'),
  by: string('The credential that corrected it, in the same form as `asked_by`.'),
  from: nullableString('The number before the correction.'),
  to: string('The number after the correction.'),
});

const ChainEnd = z.object({ period_end: z.string(), filing: z.string() });

/** The stored fields of a filing's head. */
export const FilingHead = z.object({
  state: z.string(),
  /** First and last day, `YYYY-MM-DD`; always the first and last day of a month. */
  period_start: z.string(),
  period_end: z.string(),
  frequency: z.enum(frequencies),
  status: z.enum(filingStatuses),
  /** Whether entries are still being moved, marked or moved back. */
  isUnfinished: z.boolean(),
  confirmation_number: z.nullable(z.string()),
  /** Corrections of the confirmation number, oldest first. */
  corrections: z.array(FilingCorrection),
  /** The value when the filing was closed. */
  summary: z.array(FilingSummary),
  /** The values when the filing was closed; `null` before. */
  exceptions: z.nullable(z.omit(FilingExceptions, { transactions: true })),
  review: z.nullable(z.omit(FilingReview, { by_code: true, transactions: true })),
  /** The number of entries that were moved in, marked as filed, and moved back. */
  entries: z.object({ moved: z.int(), marked: z.int(), reopened: z.int() }),
  asked_by: z.string(),
  /** The credential that requested `filed`, for the audit entries of the marked transactions. */
  filed_by: z.nullable(z.string()),
  created_at: z.string(),
  closed_at: z.nullable(z.string()),
  filed_at: z.nullable(z.string()),
  /** When `filed` was requested. Its day decides whether the return was on time: marking can take until the next day. */
  filed_requested_at: z.optional(z.string()),
  canceled_at: z.nullable(z.string()),
  /** The chain's end before this filing, for a cancellation. */
  previous: z.nullable(ChainEnd),
  version: z.int(),
});

/** A filing without its entries. */
export type StoredFiling = Readonly<z.infer<typeof FilingHead>> & { readonly account: string; readonly id: string };
export type Counts = StoredFiling['entries'];

/**
 * Returns the time of a filing's next change: later than its other times, even if the clock of another instance was
 * ahead. The events of a filing distinguish its versions by these times.
 */
export const nextTime = ({ closed_at, filed_at, corrections }: StoredFiling, nowMs: number): string => {
  const times = [closed_at, filed_at, corrections.at(-1)?.at ?? null].filter((at) => at !== null);
  return new Date(Math.max(nowMs, ...times.map((at) => Date.parse(at) + 1))).toISOString();
};

/** Returns when a filing began to move, mark or reopen its entries. Its entry in the due index has this time. */
export const phaseStart = ({ status, created_at, filed_requested_at, canceled_at }: StoredFiling): string =>
  (status === 'canceled' ? canceled_at : filed_requested_at) ?? created_at;

/** The stored fields of a chain. */
export const FilingChain = z.object({
  /** The newest filing that is not canceled, or whose cancellation is in progress. */
  last: z.nullable(ChainEnd),
  /** Whether the last filing is still moving entries. No other filing starts before it is finished. */
  isBusy: z.boolean(),
  /** Whether a client canceled the next period. The schedule then does not close it. */
  isHeld: z.boolean(),
  version: z.int(),
});

/** The closed periods of a state. Every closing and cancellation writes this item conditionally. */
export type FilingSequence = Readonly<z.infer<typeof FilingChain>> & {
  readonly account: string;
  readonly state: string;
};

/** A reminder of a return that is not filed. Its item is written once, and published as an event (shared/events). */
export const Reminder = z.object({
  ...z.pick(FilingHead, { state: true, period_start: true, period_end: true, frequency: true }).shape,
  due_date: z.string(),
  /** Days from the account's current day to the due date; negative if it has passed. */
  days_until_due: z.int(),
  status: z.enum(['open', 'closing', 'closed']),
  /** The id of the filing; `null` for an open period. */
  filing: z.nullable(z.string()),
  /** The tax due by currency, with fees; `null` until the period is closed. */
  amounts_due: z.nullable(z.array(z.object({ currency: z.string(), amount: z.string() }))),
  /** Which of the period's reminders: the setting's number of days, or `overdue`. Each is sent once. */
  occasion: z.string(),
  /** The time of the reminder. */
  at: z.string(),
});
export type Reminder = Readonly<z.infer<typeof Reminder>>;
export type StoredReminder = Reminder & { readonly account: string };
