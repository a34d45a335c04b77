import * as z from 'zod/mini';
import { frequencies } from '../accounts/account.ts';
import { FilingSummary } from '../filings/filing.ts';
import { contentEvents, instant } from './content-events.ts';

/**
 * Events of the ledger (decision 0018) and of tax content (decision 0022). Each schema is the `detail` of an event and
 * is published as JSON Schema.
 */

const day = z.string().check(z.regex(/^\d{4}-\d\d-\d\d$/));
const amount = z.string().check(z.regex(/^-?\d+(\.\d+)?$/));
const version = z.int().check(z.minimum(1));
const transactionId = z.string().check(z.regex(/^txn_/));

const envelope = <const Type extends string>(type: Type) => ({
  event_id: z.string(),
  event_type: z.literal(type),
  account: z.string().check(z.regex(/^acct_/)),
  occurred_at: instant,
});

type Change = { readonly type: z.ZodMiniType; readonly status: z.ZodMiniType; readonly previous_status: z.ZodMiniType };

// Excludes names, addresses and free text. A consumer with access to them calls the API.
const transactionEvent = <const Type extends string, const Of extends Change>(type: Type, change: Of) =>
  z.object({
    ...envelope(type),
    transaction: z.object({
      id: transactionId,
      version,
      ...change,
      reference_id: z.nullable(z.string()),
      parent_transaction_id: z.nullable(transactionId),
      currency: z.string(),
      tax_date: z.string(),
      total_amount: amount,
      tax_amount: amount,
    }),
  });

const filingEvent = <const Type extends string, const Status extends string>(type: Type, status: Status) =>
  z.object({
    ...envelope(type),
    filing: z.object({
      id: z.string().check(z.regex(/^fil_/)),
      version,
      status: z.literal(status),
      state: z.string(),
      period_start: day,
      period_end: day,
      frequency: z.enum(frequencies),
      confirmation_number: z.nullable(z.string()),
      summary: z.array(FilingSummary),
    }),
  });

/** A return that is not filed: an open period without a filing, or a filing that is closing or closed. */
const reminderEvent = <const Type extends string>(type: Type) =>
  z.object({
    ...envelope(type),
    text: z.string(),
    filing: z.object({
      id: z.nullable(z.string().check(z.regex(/^fil_/))),
      status: z.enum(['open', 'closing', 'closed']),
      state: z.string(),
      period_start: day,
      period_end: day,
      frequency: z.enum(frequencies),
      due_date: day,
      days_until_due: z.int(),
      amounts_due: z.nullable(z.array(z.object({ currency: z.string(), amount }))),
    }),
  });

const anyType = z.enum(['sale', 'credit']);
const wasDraftOrNew = z.nullable(z.literal('draft'));

/** The schemas by `detail-type`. */
export const events = {
  'transaction.created': transactionEvent('transaction.created', {
    type: anyType,
    status: z.enum(['draft', 'finalized']),
    previous_status: z.null(),
  }),
  'transaction.finalized': transactionEvent('transaction.finalized', {
    type: z.literal('sale'),
    status: z.literal('finalized'),
    previous_status: wasDraftOrNew,
  }),
  'credit.finalized': transactionEvent('credit.finalized', {
    type: z.literal('credit'),
    status: z.literal('finalized'),
    previous_status: wasDraftOrNew,
  }),
  'transaction.filed': transactionEvent('transaction.filed', {
    type: anyType,
    status: z.literal('filed'),
    previous_status: z.literal('finalized'),
  }),
  'transaction.voided': transactionEvent('transaction.voided', {
    type: anyType,
    status: z.literal('void'),
    previous_status: z.enum(['draft', 'finalized']),
  }),
  'draft.expired': transactionEvent('draft.expired', {
    type: anyType,
    status: z.literal('void'),
    previous_status: z.literal('draft'),
  }),
  'filing.closed': filingEvent('filing.closed', 'closed'),
  'filing.filed': filingEvent('filing.filed', 'filed'),
  'filing.canceled': filingEvent('filing.canceled', 'canceled'),
  'filing.due_soon': reminderEvent('filing.due_soon'),
  'filing.overdue': reminderEvent('filing.overdue'),
  ...contentEvents,
} as const;

export type EventType = keyof typeof events;
type Events = { [Type in EventType]: z.infer<(typeof events)[Type]> };
/** The types of the reminders of returns that are not filed. */
export const reminderTypes = ['filing.due_soon', 'filing.overdue'] as const;
export type ReminderEvent = Events[(typeof reminderTypes)[number]];
export type FilingEvent = Exclude<Events[Extract<EventType, `filing.${string}`>], ReminderEvent>;
export type LedgerEvent = Events[Exclude<EventType, keyof typeof contentEvents>];
export type TransactionEvent = Exclude<LedgerEvent, FilingEvent | ReminderEvent>;

/** The maximum number of events per change. */
export const eventsOfRecordMax = 2;
