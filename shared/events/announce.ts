import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod/mini';
import { assert } from '../base/assert.ts';
import type { FilingStatus, StoredFiling, StoredReminder } from '../filings/filing.ts';
import { errorWithoutStack, failureLine } from '../observability/failure-line.ts';
import { filingFrom, filingItem, reminderFrom } from '../store/filings/filing-item.ts';
import { headOwner } from '../store/keys.ts';
import { auditEntryFrom } from '../store/ledger/audit-item.ts';
import {
  type EventType,
  events,
  type FilingEvent,
  type LedgerEvent,
  type ReminderEvent,
  type TransactionEvent,
} from './event.ts';
import { StreamRecord } from './stream-record.ts';

/**
 * Patterns that select the published records of the ledger's stream. The pipe drops all other records (heads, claims,
 * open entries, progress) free of charge.
 */
export const patterns = [
  // The audit entry of a status change: only these have `about`.
  {
    eventName: ['INSERT'],
    dynamodb: {
      Keys: { pk: { S: [{ prefix: 'T#' }] }, sk: { S: [{ prefix: 'A#' }] } },
      NewImage: { about: { M: { type: { S: ['sale', 'credit'] } } } },
    },
  },
  // A filing whose processing is complete (closed, filed, or canceled with all of its entries open again), or a filed
  // filing with a corrected confirmation number. Only these changes write a head without unfinished work.
  {
    eventName: ['MODIFY'],
    dynamodb: {
      Keys: { pk: { S: [{ prefix: 'F#' }] }, sk: { S: [{ prefix: 'fil_' }] } },
      NewImage: { isUnfinished: { BOOL: [false] } },
    },
  },
  // A reminder of a return that is not filed.
  {
    eventName: ['INSERT'],
    dynamodb: { Keys: { pk: { S: [{ prefix: 'P#' }] }, sk: { S: [{ prefix: 'REMINDER#' }] } } },
  },
] as const;

const Item = z.object({
  pk: z.string(),
  about: z.looseObject({ type: z.enum(['sale', 'credit']), expired: z.optional(z.literal(true)) }),
});
type About = z.infer<typeof Item>['about'];
type Type = TransactionEvent['event_type'];

const listStatusEvents = (to: string, { type, expired }: About): Type[] => {
  if (to === 'finalized') return [type === 'sale' ? 'transaction.finalized' : 'credit.finalized'];
  if (to === 'filed') return ['transaction.filed'];
  if (to === 'void') return [expired ? 'draft.expired' : 'transaction.voided'];
  return [];
};

/**
 * Returns the events of an audit entry that changed the status. A transaction created as finalized has two events, so a
 * consumer can subscribe to either.
 */
const transactionEvents = (item: unknown): TransactionEvent[] => {
  const { transactionId: id, version, at, from, to } = auditEntryFrom(item);
  const { pk, about } = Item.parse(item);
  const types: Type[] = [...(from === null ? ['transaction.created' as const] : []), ...listStatusEvents(to, about)];
  return types.map((event_type) =>
    // The schema drops fields that are not part of the event.
    events[event_type].parse({
      event_id: `${id}.${version}.${event_type}`,
      event_type,
      account: headOwner(pk).account,
      occurred_at: at,
      transaction: {
        reference_id: null,
        parent_transaction_id: null,
        ...about,
        id,
        version,
        status: to,
        previous_status: from,
      },
    }),
  );
};

/** Returns the last correction of a confirmation number after the filing was filed; `undefined` without one. */
const lastCorrection = ({ corrections, filed_at }: StoredFiling) =>
  corrections.findLast(({ at }) => filed_at !== null && at >= filed_at);

const ended = (filing: StoredFiling) => {
  const { closed_at, filed_at, canceled_at } = filing;
  return {
    closed: ['filing.closed', closed_at],
    filed: ['filing.filed', lastCorrection(filing)?.at ?? filed_at],
    canceled: ['filing.canceled', canceled_at],
  } as const satisfies Partial<Record<FilingStatus, readonly [EventType, string | null]>>;
};

/** Returns the event of a filing's head. Throws if the filing is unfinished. */
const filingEvents = (item: unknown): FilingEvent[] => {
  const filing = filingFrom(item);
  const { account, id, version, status, isUnfinished } = filing;
  assert(
    !isUnfinished && status !== 'closing' && status !== 'marking',
    'The filing is unfinished. The pipe must filter it out.',
  );
  const [event_type, occurred_at] = ended(filing)[status];
  // The schema drops fields that are not part of the event.
  return [
    events[event_type].parse({ event_id: `${id}.${version}.${event_type}`, event_type, account, occurred_at, filing }),
  ];
};

const amountText = ({ amounts_due }: StoredReminder): string => {
  if (amounts_due === null) return 'The amount due is not known until the period is closed.';
  const amounts = amounts_due.map(({ currency, amount }) => `${amount} ${currency}`).join(' and ');
  return amounts === '' ? 'The period has no sales.' : `The amount due is ${amounts}.`;
};

/** Returns the event of a reminder. */
export const eventOfReminder = (reminder: StoredReminder): ReminderEvent => {
  const { account, state, period_start, period_end, due_date, days_until_due: days, occasion, at } = reminder;
  const event_type = days < 0 ? 'filing.overdue' : 'filing.due_soon';
  const due =
    days < 0
      ? `was due on ${due_date}, and is not marked as filed.`
      : `is due on ${due_date} (${days === 1 ? '1 day' : `${days} days`} left).`;
  // The schema drops fields that are not part of the event.
  return events[event_type].parse({
    event_id: `${account}.${state}.${period_end}.${occasion}.${event_type}`,
    event_type,
    account,
    occurred_at: at,
    text: `The return of ${state} for ${period_start} to ${period_end} ${due} ${amountText(reminder)}`,
    filing: { ...reminder, id: reminder.filing },
  });
};

/** Returns the events of a stored audit entry; none if the entry has no `about`. */
export const eventsOfEntry = (item: Readonly<Record<string, unknown>>): TransactionEvent[] =>
  item['about'] === undefined ? [] : transactionEvents(item);

// A filing is created as version 1, and closing it is its first change.
const versionClosed = 2;

const asClosed = (filing: StoredFiling): StoredFiling => ({
  ...filing,
  status: 'closed',
  isUnfinished: false,
  version: versionClosed,
  confirmation_number: null,
  corrections: [],
});

/** Returns the versions of a finished filing, oldest first: one before each correction, and the current one. */
const listVersions = (filing: StoredFiling): StoredFiling[] => {
  const { corrections, version } = filing;
  const last = lastCorrection(filing);
  if (!last) return [filing];
  const before = { confirmation_number: last.from, corrections: corrections.slice(0, -1), version: version - 1 };
  return [...listVersions({ ...filing, ...before }), filing];
};

/** Returns the events of a filing so far. Earlier events are derived from the current head. */
export const eventsOfFiling = (filing: StoredFiling): FilingEvent[] => {
  const { status, isUnfinished, closed_at } = filing;
  const ends = isUnfinished || status === 'closed' ? [] : listVersions(filing);
  return [...(closed_at === null ? [] : [asClosed(filing)]), ...ends].flatMap((one) => filingEvents(filingItem(one)));
};

const Records = z.array(StreamRecord);

const readEvents = ({ dynamodb: { NewImage, SequenceNumber } }: StreamRecord): LedgerEvent[] => {
  try {
    const item = unmarshall(NewImage);
    const pk = String(item['pk']);
    if (pk.startsWith('P#')) return [eventOfReminder(reminderFrom(item))];
    return pk.startsWith('F#') ? filingEvents(item) : transactionEvents(item);
  } catch (error) {
    // Lambda logs the whole error, so it identifies the record but contains none of its content.
    throw errorWithoutStack(
      `Stream record ${SequenceNumber} cannot be converted to an event: ${failureLine(error).error}.`,
    );
  }
};

/**
 * Converts the records that match the pipe's patterns to events, in order, at most two per record.
 *
 * A record always produces the same events with the same ids. Throws if a record does not have the format that the
 * store writes. The pipe then bisects its batch and sends that record to the dead-letter queue.
 */
export const announce = (records: unknown): LedgerEvent[] => Records.parse(records).flatMap(readEvents);
