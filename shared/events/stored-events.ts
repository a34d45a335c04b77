import type { StoredFiling } from '../filings/ledger.ts';
import { filingItem } from '../store/filings/filing-item.ts';
import type { FilingEvent, TransactionEvent } from './event.ts';
import { filingEvents } from './filing-events.ts';
import { transactionEvents } from './transaction-events.ts';

/** The events of a stored audit entry; none where the entry has no `about`. */
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
});

/** The events of a filing so far. The event of its closing is derived from today's head. */
export const eventsOfFiling = (filing: StoredFiling): FilingEvent[] => {
  const { status, isUnfinished, closed_at } = filing;
  return [
    ...(closed_at === null ? [] : filingEvents(filingItem(asClosed(filing)))),
    ...(isUnfinished || status === 'closed' ? [] : filingEvents(filingItem(filing))),
  ];
};
