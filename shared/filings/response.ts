import * as z from 'zod/mini';
import { frequencies } from '../accounts/account.ts';
import {
  array,
  boolean,
  component,
  described,
  nullable,
  nullableString,
  string,
  stringEnum,
} from '../base/described.ts';
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
  type ReviewSums,
  sums,
  transactionShape,
} from './filing.ts';

const FilingRate = component(
  'FilingRate',
  'The amounts of a jurisdiction at one rate. Negative if credits exceed sales.',
  { rate, ...sums },
);
export type FilingRate = z.infer<typeof FilingRate>;

const TaxDue = component(
  'TaxDue',
  'The tax due: the calculated and the over-collected tax. Each amount is in one part.',
  {
    in_state: described(signedAmount, 'On sales shipped from inside the state, by `ship_from`.'),
    out_of_state: described(signedAmount, 'On sales shipped from outside the state, or from an unknown place.'),
    food_and_drugs: described(signedAmount, "The state's tax on food and health products at its reduced rate."),
    fees: described(signedAmount, 'Fees that are reported separately from the tax.'),
  },
);

const FilingTotal = component(
  'FilingTotal',
  'The amounts of a return for one jurisdiction in one currency. Negative if credits exceed sales.',
  {
    ...jurisdictionShape,
    reporting_code: nullableString(
      "The code of the jurisdiction in the state's return, from the newest month whose entries have one. `null` if none has.",
    ),
    currency: currencyCode,
    ...sums,
    tax_due: TaxDue,
    rates: array(FilingRate, 'The same amounts by rate.'),
  },
);
export type FilingTotal = z.infer<typeof FilingTotal>;

const FilingProgress = component('FilingProgress', 'How many entries of the filing are processed.', {
  entries_moved: described(
    count,
    'The number of entries moved into the filing. In a dry run, the number that would be moved.',
  ),
  entries_marked: described(count, 'The number of entries marked as filed.'),
  entries_reopened: described(count, 'The number of entries reopened after the filing was canceled.'),
  complete: boolean('Whether all entries of the filing are processed.'),
});

const FilingEntryAmount = component(
  'FilingEntryAmount',
  'The amounts of an entry for one jurisdiction at one rate. Negative for a credit.',
  { ...jurisdictionShape, reporting_code: reportingCode, rate, ...amounts },
);

const FilingEntry = component('FilingEntry', 'The tax liability of one transaction in the state of the filing.', {
  ...transactionShape,
  month: string('The month of the tax day, as `YYYY-MM`. Before the period if the transaction was recorded late.', {
    pattern: '^\\d{4}-\\d{2}$',
  }),
  currency: currencyCode,
  amounts: array(FilingEntryAmount, 'The amounts by jurisdiction and rate.'),
});
export type FilingEntry = z.infer<typeof FilingEntry>;

const FilingEntries = component('FilingEntries', 'A page of the entries of a filing.', {
  object: objectType('list'),
  has_more: hasMore,
  next_cursor: nextCursor,
  data: array(FilingEntry, 'The entries of the page.'),
});
export type FilingEntries = z.infer<typeof FilingEntries>;

export const FilingExceptionList = component(
  'FilingExceptionList',
  'A page of the exceptions of a filing.',
  listShape(z.string(), FilingException, 'The exceptions of the page.'),
);
export type FilingExceptionList = z.infer<typeof FilingExceptionList>;

const FilingTerms = component('FilingTerms', 'The terms of the returns of a state.', {
  due_rule: nullableString('When returns of this frequency are due, in words.'),
  zero_return_required: nullable(
    z.boolean(),
    'Whether a return is due for a period without sales. `null` if it is not established.',
  ),
  source: string('The source of this information.'),
  confidence: string('`high` or `medium`. Check it with the state.'),
});

const ScheduleRow = z.object({
  reporting_code: nullableString("The code in the state's return; `null` if it is not known."),
  ...jurisdictionShape,
  taxable_amount: signedAmount,
  tax_amount: described(signedAmount, 'The calculated tax in cents, without fees and over-collected tax.'),
});

/** A filing on the lines of a state's form, in US dollars. */
export const Worksheet = component('Worksheet', "A filing on the lines of its state's form.", {
  form: string('The name of the layout, such as `CA-CDTFA-401`.'),
  title: string('The title of the form.'),
  edition: string('The edition of the form that the lines are from.'),
  source: string('The source of the lines.'),
  confidence: string('`high`, `medium` or `low`. Compare the lines with your form.'),
  currency: currencyCode,
  lines: array(
    z.object({
      line: string('The number on the form.'),
      label: string('The text of the line on the form.'),
      amount: nullable(signedAmount, 'The amount, rounded as the form requires. `null` for a blank line.'),
      note: nullableString('Why the line is blank.'),
    }),
    'The lines of the form. A blank line counts as zero in its sums.',
  ),
  schedule: string('The name of the schedule of local jurisdictions.'),
  rows: array(ScheduleRow, 'The schedule, by jurisdiction, in cents.'),
  tax_due_amount: described(signedAmount, 'The tax due of the filing to the cent, without fees.'),
  rounding_amount: described(signedAmount, "What the form's rounding adds to `tax_due_amount`."),
  notes: array(z.string(), 'Amounts that the form does not show, and what to check.'),
});
export type Worksheet = z.infer<typeof Worksheet>;

/** A filing as the API returns it. A dry run has no id and is not stored. */
export const Filing = component('Filing', "A state's tax period: the amounts owed, and the status of the return.", {
  object: objectType('filing'),
  id: nullableString('The id of the filing. Opaque. `null` for a dry run.'),
  state: string('The jurisdiction code of the state, such as `US-MI`.'),
  period_start: described(date, 'The first day of the period.'),
  period_end: described(date, 'The last day of the period.'),
  frequency: stringEnum('FilingFrequency', frequencies, 'How often the account files in the state.'),
  due_date: nullable(
    date,
    'The last day for sending the return: the next business day after a weekend or a federal holiday. `null` if it is not established.',
  ),
  overdue: boolean(
    "Whether the due date has passed by the day in the account's time zone, and the return is not filed. If the state has registrations, `false` in months outside of them without tax due.",
  ),
  days_until_due: nullable(
    z.int(),
    'The days to the due date, negative if it has passed. `null` if the filing is `marking`, `filed` or `canceled`, or the due date is not established.',
  ),
  vendor_discount: nullableString(
    'What the seller may keep for filing on time, in words. `null` if it is not established. Levy does not subtract it.',
  ),
  vendor_discount_amount: nullable(
    signedAmount,
    'An estimate of the discount in US dollars, for a single registration that files and pays by the due date. Compare it with the form of the state. `null` if it is not known.',
  ),
  vendor_discount_reason: nullableString('Why `vendor_discount_amount` is `null`.'),
  worksheet_form: nullableString(
    'The name of the state form that `form` accepts, such as `CA-CDTFA-401`. `null` if Levy has no layout of it.',
  ),
  terms: nullable(FilingTerms, "The established terms of the state's returns. `null` if there are none."),
  status: stringEnum(
    'FilingStatusOrDryRun',
    [...filingStatuses, 'dry_run'],
    '`closing`, `closed`, `marking` (the return was sent, and Levy is marking its transactions as filed), `filed` or `canceled`. `dry_run` if nothing is stored.',
  ),
  confirmation_number: nullableString("The state's confirmation number for the return."),
  corrections: array(FilingCorrection, 'The corrections of the confirmation number, oldest first.'),
  totals: nullable(
    z.array(FilingTotal),
    'The amounts of the return by jurisdiction and currency, ordered by currency and code. Incomplete while `status` is `closing`. They come in pages: continue while `totals_next_cursor` is not `null`. `null` in a list.',
  ),
  totals_next_cursor: nullableString(
    'Send it as `totals_starting_after` for the next page of `totals`. `null` on the last page. Most filings have one page.',
  ),
  summary: array(
    FilingSummary,
    'The amounts of the whole state by currency. Each line counts once: in the row of the state or, if there is no state tax, in the row of the jurisdiction with the largest gross amount. The tax is the sum of all levels.',
  ),
  exceptions: nullable(
    FilingExceptions,
    'Sales and credits that need attention before the return is sent. Incomplete while `status` is `closing`. In a list, `null` until the filing is closed.',
  ),
  review: nullable(
    FilingReview,
    'Sales and credits with warnings that can change their tax. Incomplete while `status` is `closing`. In a list, `null` until the filing is closed.',
  ),
  progress: FilingProgress,
  asked_by: string(
    'The credential that closed the period: the id of an API key, or `token:` and the subject of a bearer token. `close-periods` for the schedule, `operator` for the command `npm run filings`.',
  ),
  filed_by: nullableString('The credential that requested `filed`, in the same form as `asked_by`. `null` before.'),
  created_at: nullable(timestamp, 'When the filing was created. `null` for a dry run.'),
  closed_at: nullable(timestamp, 'When all entries had been moved into the filing.'),
  filed_at: nullable(timestamp, 'When all transactions had been marked as filed.'),
  canceled_at: nullable(timestamp, 'When the filing was canceled.'),
  warnings,
  entries: nullable(FilingEntries, 'The entries of the filing, page by page. `null` unless `expand=entries`.'),
  worksheet: z.optional(Worksheet),
});
export type Filing = z.infer<typeof Filing>;
/** A filing outside of a list, or a dry run: with a page of its totals. */
export type FilingWithTotals = Filing & {
  totals: FilingTotal[];
  review: NonNullable<Filing['review']> & Pick<ReviewSums, 'by_code'>;
};

export const FilingList = component(
  'FilingList',
  'A page of filings.',
  listShape(z.literal('/filings'), Filing, 'The filings of the page, without totals.'),
);
export type FilingList = z.infer<typeof FilingList>;

const FilingPeriod = component('FilingPeriod', 'A period of a state without a filing.', {
  object: objectType('filing_period'),
  state: string('The code of the state, such as `US-MI`.'),
  period_start: described(date, 'The first day.'),
  period_end: described(date, 'The last day.'),
  frequency: stringEnum('FilingFrequency', frequencies, 'The frequency of the registration.'),
  is_registered: boolean(
    'Whether the account is registered in the state on a day of the period. If not, the period is listed because of its sales or credits, such as late refunds after the registration ended or was removed.',
  ),
  is_over: boolean("Whether the period is over, by the day in the account's time zone."),
  closes_at: nullable(
    timestamp,
    'When the schedule closes the period, at the earliest. `null` if it does not close it, because a client canceled the filing or the registration has ended.',
  ),
  due_date: nullable(date, 'When the return is due. `null` if this is not established.'),
  overdue: boolean(
    "Whether the due date has passed, by the day in the account's time zone. If the state has registrations, `false` in months outside of them.",
  ),
  days_until_due: nullable(
    z.int(),
    'The days to the due date, negative if it has passed. `null` if `due_date` is not established, or if the state has registrations and the months are outside of them: no return is due.',
  ),
});
export type FilingPeriod = z.infer<typeof FilingPeriod>;

/** The response of GET /filing-periods. */
export const FilingPeriodList = component(
  'FilingPeriodList',
  'A page of the periods without a filing.',
  listShape(z.literal('/filing-periods'), FilingPeriod, 'By state, the oldest period first.'),
);
export type FilingPeriodList = z.infer<typeof FilingPeriodList>;
