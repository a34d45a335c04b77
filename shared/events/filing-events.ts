import { assert } from '../assert.ts';
import type { FilingStatus } from '../filings/filing.ts';
import type { StoredFiling } from '../filings/ledger.ts';
import { filingFrom } from '../store/filings/filing-item.ts';
import { type EventType, events, type FilingEvent } from './event.ts';

const ended = ({ closed_at, filed_at, canceled_at }: StoredFiling) =>
  ({
    closed: ['filing.closed', closed_at],
    filed: ['filing.filed', filed_at],
    canceled: ['filing.canceled', canceled_at],
  }) as const satisfies Partial<Record<FilingStatus, readonly [EventType, string | null]>>;

/** The event of a filing's head. Throws where the filing is unfinished. */
export const filingEvents = (item: unknown): FilingEvent[] => {
  const filing = filingFrom(item);
  const { account, id, version, status, isUnfinished } = filing;
  assert(
    !isUnfinished && status !== 'closing' && status !== 'marking',
    'The filing is unfinished; the pipe must filter it out.',
  );
  const [event_type, occurred_at] = ended(filing)[status];
  // The schema drops the fields that no event has.
  return [
    events[event_type].parse({ event_id: `${id}.${version}.${event_type}`, event_type, account, occurred_at, filing }),
  ];
};
