import * as z from 'zod/mini';
import { frequencies } from '../accounts/account.ts';
import { described } from '../base/described.ts';
import {
  count,
  currencyCode,
  date,
  hasMore,
  jurisdictionShape,
  listShape,
  nextCursor,
  objectType,
  rate,
  reportingCode,
  signedAmount,
  timestamp,
} from '../base/response-scalars.ts';
import { warnings } from '../calculations/response.ts';
import {
  amounts,
  FilingCorrection,
  FilingException,
  FilingExceptions,
  FilingReview,
  FilingSummary,
  filingStatuses,
  sums,
  transactionShape,
} from './filing.ts';

const FilingRate = described(
  z.object({ rate, ...sums }),
  'The amounts of a jurisdiction at one rate. Negative if credits exceed sales.',
  { id: 'FilingRate' },
);
export type FilingRate = z.infer<typeof FilingRate>;

const TaxDue = described(
  z.object({
    in_state: described(signedAmount, 'On sales shipped from inside the state, by `ship_from`.'),
    out_of_state: described(signedAmount, 'On sales shipped from outside the state, or from an unknown place.'),
    food_and_drugs: described(signedAmount, "The state's tax on food and drugs at its reduced rate."),
    fees: described(signedAmount, 'Fees that are reported separately from the tax.'),
  }),
  'The tax due: the calculated and the over-collected tax. Each amount is in one part.',
  { id: 'TaxDue' },
);

const FilingTotal = described(
  z.object({
    ...jurisdictionShape,
    reporting_code: described(
      z.nullable(z.string()),
      "The code of the jurisdiction in the state's return, from the newest month whose entries have one. `null` if none has.",
    ),
    currency: currencyCode,
    ...sums,
    tax_due: TaxDue,
    rates: described(z.array(FilingRate), 'The same amounts by rate.'),
  }),
  'The amounts of a return for one jurisdiction in one currency. Negative if credits exceed sales.',
  { id: 'FilingTotal' },
);
export type FilingTotal = z.infer<typeof FilingTotal>;

const FilingProgress = described(
  z.object({
    entries_moved: described(
      count,
      'The number of entries moved into the filing. In a dry run, the number that would be moved.',
    ),
    entries_marked: described(count, 'The number of entries marked as filed.'),
    entries_reopened: described(count, 'The number of entries reopened after the filing was canceled.'),
    complete: described(z.boolean(), 'Whether all entries of the filing are processed.'),
  }),
  'How many entries of the filing are processed.',
  { id: 'FilingProgress' },
);

const FilingEntryAmount = described(
  z.object({ ...jurisdictionShape, reporting_code: reportingCode, rate, ...amounts }),
  'The amounts of an entry for one jurisdiction at one rate. Negative for a credit.',
  { id: 'FilingEntryAmount' },
);

const FilingEntry = described(
  z.object({
    ...transactionShape,
    month: described(
      z.string(),
      'The month of the tax day, as `YYYY-MM`. Before the period if the transaction was recorded late.',
      { pattern: '^\\d{4}-\\d{2}$' },
    ),
    currency: currencyCode,
    amounts: described(z.array(FilingEntryAmount), 'The amounts by jurisdiction and rate.'),
  }),
  'The tax liability of one transaction in the state of the filing.',
  { id: 'FilingEntry' },
);
export type FilingEntry = z.infer<typeof FilingEntry>;

const FilingEntries = described(
  z.object({
    object: objectType('list'),
    has_more: hasMore,
    next_cursor: nextCursor,
    data: described(z.array(FilingEntry), 'The entries of the page.'),
  }),
  'A page of the entries of a filing.',
  { id: 'FilingEntries' },
);
export type FilingEntries = z.infer<typeof FilingEntries>;

export const FilingExceptionList = described(
  z.object(listShape(z.string(), FilingException, 'The exceptions of the page.')),
  'A page of the exceptions of a filing.',
  { id: 'FilingExceptionList' },
);
export type FilingExceptionList = z.infer<typeof FilingExceptionList>;

const FilingTerms = described(
  z.object({
    due_rule: described(z.nullable(z.string()), 'When returns of this frequency are due, in words.'),
    zero_return_required: described(
      z.nullable(z.boolean()),
      'Whether a return is due for a period without sales. `null` if it is not established.',
    ),
    source: described(z.string(), 'The source of this information.'),
    confidence: described(z.string(), '`high` or `medium`. Check it with the state.'),
  }),
  'The terms of the returns of a state.',
  { id: 'FilingTerms' },
);

const ScheduleRow = z.object({
  reporting_code: described(z.nullable(z.string()), "The code in the state's return; `null` if it is not known."),
  ...jurisdictionShape,
  taxable_amount: signedAmount,
  tax_amount: described(signedAmount, 'The calculated tax in cents, without fees and over-collected tax.'),
});

/** A filing on the lines of a state's form, in US dollars. */
export const Worksheet = described(
  z.object({
    form: described(z.string(), 'The name of the layout, such as `CA-CDTFA-401`.'),
    title: described(z.string(), 'The title of the form.'),
    edition: described(z.string(), 'The edition of the form that the lines are from.'),
    source: described(z.string(), 'The source of the lines.'),
    confidence: described(z.string(), '`high`, `medium` or `low`. Compare the lines with your form.'),
    currency: currencyCode,
    lines: described(
      z.array(
        z.object({
          line: described(z.string(), 'The number on the form.'),
          label: described(z.string(), 'The text of the line on the form.'),
          amount: described(
            z.nullable(signedAmount),
            'The amount, rounded as the form requires. `null` for a blank line.',
          ),
          note: described(z.nullable(z.string()), 'Why the line is blank.'),
        }),
      ),
      'The lines of the form. A blank line counts as zero in its sums.',
    ),
    schedule: described(z.string(), 'The name of the schedule of local jurisdictions.'),
    rows: described(z.array(ScheduleRow), 'The schedule, by jurisdiction, in cents.'),
    tax_due_amount: described(signedAmount, 'The tax due of the filing to the cent, without fees.'),
    rounding_amount: described(signedAmount, "What the form's rounding adds to `tax_due_amount`."),
    notes: described(z.array(z.string()), 'Amounts that the form does not show, and what to check.'),
  }),
  "A filing on the lines of its state's form.",
  { id: 'Worksheet' },
);
export type Worksheet = z.infer<typeof Worksheet>;

/** A filing as the API returns it. A dry run has no id and is not stored. */
export const Filing = described(
  z.object({
    object: objectType('filing'),
    id: described(z.nullable(z.string()), 'The id of the filing. Opaque. `null` for a dry run.'),
    state: described(z.string(), 'The jurisdiction code of the state, such as `US-MI`.'),
    period_start: described(date, 'The first day of the period.'),
    period_end: described(date, 'The last day of the period.'),
    frequency: described(z.enum(frequencies), 'How often the account files in the state.', {
      title: 'FilingFrequency',
    }),
    due_date: described(
      z.nullable(date),
      'The last day for sending the return: the next business day after a weekend or a federal holiday. `null` if it is not established.',
    ),
    overdue: described(
      z.boolean(),
      "Whether the due date has passed by the day in the account's time zone, and the return is not filed.",
    ),
    days_until_due: described(
      z.nullable(z.int()),
      'The days to the due date, negative if it has passed. `null` if the filing is `marking`, `filed` or `canceled`, or the due date is not established.',
    ),
    vendor_discount: described(
      z.nullable(z.string()),
      'What the seller may keep for filing on time, in words. `null` if it is not established. Levy does not subtract it.',
    ),
    vendor_discount_amount: described(
      z.nullable(signedAmount),
      'An estimate of the discount in US dollars, for a single registration that files and pays by the due date. Compare it with the form of the state. `null` if it is not known.',
    ),
    vendor_discount_reason: described(z.nullable(z.string()), 'Why `vendor_discount_amount` is `null`.'),
    worksheet_form: described(
      z.nullable(z.string()),
      'The name of the state form that `form` accepts, such as `CA-CDTFA-401`. `null` if Levy has no layout of it.',
    ),
    terms: described(
      z.nullable(FilingTerms),
      "The established terms of the state's returns. `null` if there are none.",
    ),
    status: described(
      z.enum([...filingStatuses, 'dry_run']),
      '`closing`, `closed`, `marking` (the return was sent, and Levy is marking its transactions as filed), `filed` or `canceled`. `dry_run` if nothing is stored.',
      { title: 'FilingStatusOrDryRun' },
    ),
    confirmation_number: described(z.nullable(z.string()), "The state's confirmation number for the return."),
    corrections: described(z.array(FilingCorrection), 'The corrections of the confirmation number, oldest first.'),
    totals: described(
      z.nullable(z.array(FilingTotal)),
      'The amounts of the return by jurisdiction and currency, ordered by currency and code. Incomplete while `status` is `closing`. They come in pages: continue while `totals_next_cursor` is not `null`. `null` in a list.',
    ),
    totals_next_cursor: described(
      z.nullable(z.string()),
      'Send it as `totals_starting_after` for the next page of `totals`. `null` on the last page. Most filings have one page.',
    ),
    summary: described(
      z.array(FilingSummary),
      'The amounts of the whole state by currency. Each line counts once: in the row of the state or, if there is no state tax, in the row of the jurisdiction with the largest gross amount. The tax is the sum of all levels.',
    ),
    exceptions: described(
      z.nullable(FilingExceptions),
      'Sales and credits to look at before the return is sent. Incomplete while `status` is `closing`. In a list, `null` until the filing is closed.',
    ),
    review: described(
      z.nullable(FilingReview),
      'Sales and credits with warnings that can change their tax. Incomplete while `status` is `closing`. In a list, `null` until the filing is closed.',
    ),
    progress: FilingProgress,
    asked_by: described(
      z.string(),
      'The credential that closed the period: the id of an API key, or `token:` and the subject of a bearer token. `close-periods` for the schedule, `operator` for the command `npm run filings`.',
    ),
    filed_by: described(
      z.nullable(z.string()),
      'The credential that requested `filed`, in the same form as `asked_by`. `null` before.',
    ),
    created_at: described(z.nullable(timestamp), 'When the filing was created. `null` for a dry run.'),
    closed_at: described(z.nullable(timestamp), 'When all entries had been moved into the filing.'),
    filed_at: described(z.nullable(timestamp), 'When all transactions had been marked as filed.'),
    canceled_at: described(z.nullable(timestamp), 'When the filing was canceled.'),
    warnings,
    entries: described(
      z.nullable(FilingEntries),
      'The entries of the filing, page by page. `null` unless `expand=entries`.',
    ),
    worksheet: z.optional(Worksheet),
  }),
  "A state's tax period: the amounts owed, and the status of the return.",
  { id: 'Filing' },
);
export type Filing = z.infer<typeof Filing>;

export const FilingList = described(
  z.object(listShape(z.literal('/filings'), Filing, 'The filings of the page, without totals.')),
  'A page of filings.',
  { id: 'FilingList' },
);
export type FilingList = z.infer<typeof FilingList>;

const FilingPeriod = described(
  z.object({
    object: objectType('filing_period'),
    state: described(z.string(), 'The code of the state, such as `US-MI`.'),
    period_start: described(date, 'The first day.'),
    period_end: described(date, 'The last day.'),
    frequency: described(z.enum(frequencies), 'The frequency of the registration.', { title: 'FilingFrequency' }),
    is_over: described(z.boolean(), "Whether the period is over, by the day in the account's time zone."),
    closes_at: described(
      z.nullable(timestamp),
      'When the schedule closes the period, at the earliest. `null` if it does not close it, because a client canceled the filing or the registration has ended.',
    ),
    due_date: described(z.nullable(date), 'When the return is due. `null` if this is not established.'),
    overdue: described(z.boolean(), "Whether the due date has passed, by the day in the account's time zone."),
    days_until_due: described(z.nullable(z.int()), 'The days to the due date, negative if it has passed.'),
  }),
  'A period of a registered state without a filing.',
  { id: 'FilingPeriod' },
);
export type FilingPeriod = z.infer<typeof FilingPeriod>;

/** The response of GET /filing-periods. */
export const FilingPeriodList = described(
  z.object({
    object: objectType('list'),
    url: described(z.literal('/filing-periods'), 'The path of the list.'),
    has_more: hasMore,
    next_cursor: nextCursor,
    data: described(z.array(FilingPeriod), 'By state, the oldest period first.'),
  }),
  'A page of the periods without a filing.',
  { id: 'FilingPeriodList' },
);
export type FilingPeriodList = z.infer<typeof FilingPeriodList>;
