import * as z from 'zod/mini';
import { isDay } from '../base/calendar.ts';
import { cursorKeywords, cursorOrIdKeywords } from '../base/cursor.ts';
import { component, described } from '../base/described.ts';
import { asObject, isSent, type JsonObject } from '../base/json.ts';
import { invalidField, type Problem } from '../base/result.ts';
import { day, flag } from '../calculations/fields.ts';
import { fieldNames, type ResponseFields } from '../calculations/response-fields.ts';
import { reviewCodes } from '../calculations/warning-codes.ts';
import { pageLimit, startingAfter } from '../ledger/page-limit.ts';
import { state } from '../vocabulary/state-field.ts';
import { filingStatuses } from './filing.ts';
import { confirmationMissing } from './problems.ts';

const periodEndAdvice = 'Send the last day of a period, such as "2026-10-31".';
const periodEnd = z.string(periodEndAdvice).check(z.refine(isDay, periodEndAdvice));

const totalsCursorAdvice = 'Send the totals_next_cursor of the previous page.';

const formAdvice = 'Send the name of a form, such as CA-CDTFA-401.';
const formName = z.string(formAdvice).check(z.maxLength(40, formAdvice));

/** The body of POST /filings. */
export const FilingRequest = component(
  'FilingRequest',
  'The period to close.',
  {
    state,
    period_end: described(periodEnd, 'The last day of the period to close: of a month, a quarter or a year.', {
      format: 'date',
      pattern: '^\\d{4}-(0[13578]-31|1[02]-31|(0[469]|11)-30|02-2[89])$',
      examples: ['2026-10-31'],
    }),
    dry_run: described(z.nullish(flag), 'Returns the current totals and stores nothing. Default: false.'),
    totals_starting_after: described(
      z.nullish(z.string(totalsCursorAdvice)),
      'Returns the next page of totals of a dry run: the `totals_next_cursor` of the previous page.',
      cursorKeywords,
    ),
    form: described(
      z.nullish(formName),
      "The name of the state's form in `worksheet_form`: a dry run returns `worksheet`. Send it without `totals_starting_after`.",
    ),
  },
  'Send a JSON object.',
);
export type FilingRequest = z.infer<typeof FilingRequest>;

/** A request that closes a period accepts neither a page of totals nor a form, and a worksheet has no pages. */
export const filingRequestProblems = (body: unknown): Problem[] => {
  const sent: JsonObject = asObject(body) ?? {};
  const names = (['totals_starting_after', 'form'] as const).filter((name) => isSent(sent[name]));
  const advice =
    sent['dry_run'] !== true ? 'Send it together with "dry_run": true.' : 'Do not send it together with form.';
  const refused = sent['dry_run'] !== true ? names : names.length > 1 ? names.slice(0, 1) : [];
  return refused.map((name) => invalidField(`/${name}`, advice));
};

/**
 * Returns the problem of a misspelled `dry_run`, such as `dryRun`, which must not close the period; `null` for other
 * fields.
 */
export const dryRunProblem = (pointer: string): Problem | null =>
  /^\/dry/i.test(pointer)
    ? {
        code: 'validation_unknown_field',
        title: `Unknown field ${pointer.slice(1)}`,
        detail: 'Did you mean dry_run? The period was not closed.',
        source: { pointer },
        meta: { did_you_mean: ['dry_run'] },
      }
    : null;

const countAdvice = 'Send the number of exceptions, a whole number of at least 0.';

const confirmationAdvice = 'Send 1 to 100 characters, without control characters.';

const confirmationNumber = z.string(confirmationAdvice).check(
  z.maxLength(100, confirmationAdvice),
  z.refine((text) => /\S/.test(text) && !/\p{Cc}/u.test(text), confirmationAdvice),
);

/** POST /filings/{id}: the new status. Only Levy sets the other statuses, so they are refused. */
export const FilingUpdate = component(
  'FilingUpdate',
  'The new status of a filing.',
  {
    status: described(z.enum(filingStatuses, 'Send filed or canceled.'), '`filed` or `canceled`.', {
      title: 'FilingStatus',
    }),
    confirmation_number: described(
      z.nullish(confirmationNumber),
      "The state's confirmation number for the return. Required with `status: filed`.",
    ),
    previous_confirmation_number: described(
      z.nullish(confirmationNumber),
      'The current confirmation number of a filing that is filed, to replace it with `confirmation_number`.',
    ),
    acknowledge_exceptions: described(
      z.nullish(z.int(countAdvice).check(z.nonnegative(countAdvice))),
      'The number of exceptions of the filing. Required with `status: filed` if there are any.',
    ),
  },
  'Send a JSON object.',
);
export type FilingUpdate = z.infer<typeof FilingUpdate>;

/** Checks across the fields of an update: a confirmation number and an acknowledgment are allowed only with `filed`. */
export const filingUpdateProblems = (body: unknown): Problem[] => {
  const sent: JsonObject = asObject(body) ?? {};
  const { status } = sent;
  if (status === 'filed') return isSent(sent['confirmation_number']) ? [] : [confirmationMissing];
  if (!filingStatuses.some((known) => known === status)) return [];
  return (['confirmation_number', 'previous_confirmation_number', 'acknowledge_exceptions'] as const)
    .filter((name) => isSent(sent[name]))
    .map((name) => invalidField(`/${name}`, 'Send it together with status "filed", or leave it out.'));
};

/** The query parameters of GET /filings: filters, combined with AND, and paging. */
export const FilingListQuery = z.object({
  status: described(
    z.optional(z.enum(filingStatuses, `Send one of ${filingStatuses.join(', ')}.`)),
    'Only filings with this status.',
    { title: 'FilingStatus' },
  ),
  state: described(z.optional(state), 'Only this state: its two-letter code, its jurisdiction code or its name.'),
  period_end: described(z.optional(day), 'Only filings of periods that end on this day.'),
  limit: pageLimit(),
  starting_after: described(
    startingAfter,
    'Returns the next page: the `next_cursor` of the previous page, or the id of its last filing.',
    cursorOrIdKeywords,
  ),
});
export type FilingListQuery = z.infer<typeof FilingListQuery>;

/** `T` is a test, `P` is production. `O` is an original, `A` an amended return. The names come from the schema. */
export const processTypes = ['T', 'P'] as const;
export const returnTypes = ['O', 'A'] as const;

/** The query parameters of GET /filings/{id}: paging of its totals and entries, and the kind of electronic return. */
export const FilingQuery = z
  .object({
    expand: described(
      z.optional(z.enum(['entries'], 'Send entries.')),
      '`entries` returns the entries of the filing, page by page.',
      { title: 'FilingExpansion' },
    ),
    limit: pageLimit('Page size of the entries, with `expand=entries`. Without it, a page has 25.', null),
    starting_after: described(
      startingAfter,
      'Returns the next page of entries: the `next_cursor` of the previous page.',
    ),
    totals_starting_after: described(
      z.optional(z.string().check(z.minLength(1, 'Send the totals_next_cursor of the previous page.'))),
      'Returns the next page of totals: the `totals_next_cursor` of the previous page.',
      cursorKeywords,
    ),
    form: described(
      z.optional(formName),
      "The name of the state's form in `worksheet_form`: returns `worksheet`. Send it without `expand`.",
    ),
    process_type: described(
      z.optional(z.enum(processTypes, 'Send T or P.')),
      'The process type of the electronic return: `T` (test) or `P` (production, which the state processes). Default: `T`.',
      { title: 'ProcessType' },
    ),
    return_type: described(
      z.optional(z.enum(returnTypes, 'Send O or A.')),
      'The return type of the electronic return: `O` (original) or `A` (amends an earlier return). Default: `O`.',
      { title: 'ReturnType' },
    ),
    acknowledge_exceptions: described(
      z.optional(z.string().check(z.regex(/^\d{1,9}$/, countAdvice))),
      'The number of exceptions of the filing. Required with `process_type=P` if there are any and the filing is not filed.',
      { pattern: '^\\d{1,9}$' },
    ),
  })
  .check(({ value, issues }) => {
    for (const name of ['limit', 'starting_after'] as const)
      if (value[name] !== undefined && value.expand === undefined)
        issues.push({ code: 'custom', input: value, path: [name], message: 'Send it together with expand=entries.' });
    for (const name of ['expand', 'totals_starting_after'] as const)
      if (value[name] !== undefined && value.form !== undefined)
        issues.push({ code: 'custom', input: value, path: [name], message: 'Do not send it together with form.' });
  });
export type FilingQuery = z.infer<typeof FilingQuery>;

/** The query parameters of GET /filings/{id}/exceptions: the list, and paging. */
export const FilingExceptionsQuery = z
  .object({
    list: described(
      z.optional(z.enum(['exceptions', 'review'], 'Send exceptions or review.')),
      '`exceptions` by default. `review` returns the sales and credits with warnings that can change their tax.',
      { title: 'FilingEntryList' },
    ),
    code: described(
      z.optional(z.enum(reviewCodes, 'Send a code of review.by_code.')),
      'With `list=review`, only entries with this warning code.',
      { title: 'ReviewCode' },
    ),
    limit: pageLimit(),
    starting_after: startingAfter,
  })
  .check(({ value, issues }) => {
    if (value.code !== undefined && value.list !== 'review')
      issues.push({ code: 'custom', input: value, path: ['code'], message: 'Send it together with list=review.' });
  });
export type FilingExceptionsQuery = z.infer<typeof FilingExceptionsQuery>;

/** The response fields of a filing, which has two kinds of requests. */
export const filingResponseFields: ResponseFields = {
  ...fieldNames('object', 'id', 'state', 'period_start', 'period_end', 'frequency', 'due_date', 'overdue'),
  ...fieldNames('days_until_due', 'vendor_discount', 'vendor_discount_amount', 'vendor_discount_reason'),
  ...fieldNames('worksheet_form', 'terms', 'status', 'confirmation_number', 'corrections', 'totals'),
  ...fieldNames('totals_next_cursor', 'summary', 'exceptions', 'review', 'progress', 'asked_by', 'filed_by'),
  ...fieldNames('created_at', 'closed_at', 'filed_at', 'canceled_at', 'warnings', 'entries', 'worksheet'),
};
