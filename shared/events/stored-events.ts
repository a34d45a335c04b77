import type { StoredFiling } from '../filings/ledger.ts';
import { filingItem } from '../store/filings/filing-item.ts';
import type { FilingEvent, TransactionEvent } from './event.ts';
import { filingEvents } from './filing-events.ts';
import { transactionEvents } from './transaction-events.ts';

/** What the stream told of the item of an audit entry: nothing where the entry does not say what it was about. */
export const eventsOfEntry = (item: Readonly<Record<string, unknown>>): TransactionEvent[] =>
  item['about'] === undefined ? [] : transactionEvents(item);

// It is made as version 1, and nothing changes it but what closes it.
const versionClosed = 2;

const asClosed = (filing: StoredFiling): StoredFiling => ({
  ...filing,
  status: 'closed',
  isUnfinished: false,
  version: versionClosed,
  confirmation_number: null,
});

/** What the stream has told of a filing by now. Its head is as it is today; what it was when it was closed follows. */
export const eventsOfFiling = (filing: StoredFiling): FilingEvent[] => {
  const { status, isUnfinished, closed_at } = filing;
  return [
    ...(closed_at === null ? [] : filingEvents(filingItem(asClosed(filing)))),
    ...(isUnfinished || status === 'closed' ? [] : filingEvents(filingItem(filing))),
  ];
};
