import type { FilingStatus } from '../filings/filing.ts';
import type { StoredFiling } from '../filings/ledger.ts';
import { filingFrom } from '../store/filings/filing-item.ts';
import type { EventType, FilingEvent } from './event.ts';

const ended = ({ closed_at, filed_at, canceled_at }: StoredFiling) =>
  ({
    closed: ['filing.closed', closed_at],
    filed: ['filing.filed', filed_at],
    canceled: ['filing.canceled', canceled_at],
  }) as const satisfies Partial<Record<FilingStatus, readonly [EventType, string | null]>>;

/** The event of a filing's head. Throws where the filing is unfinished. */
export const filingEvents = (item: unknown): FilingEvent[] => {
  const filing = filingFrom(item);
  const { account, id, version, status, state, period_start, period_end, frequency, confirmation_number } = filing;
  if (filing.isUnfinished || status === 'closing' || status === 'marking')
    throw new Error('The filing is unfinished; the pipe must filter it out.');
  const [event_type, occurred_at] = ended(filing)[status];
  if (occurred_at === null) throw new Error('A finished filing has no instant of its status.');
  return [
    {
      event_id: `${id}.${version}.${event_type}`,
      event_type,
      account,
      occurred_at,
      filing: {
        id,
        version,
        status,
        state,
        period_start,
        period_end,
        frequency,
        confirmation_number,
        summary: filing.summary,
      },
    } as FilingEvent,
  ];
};
