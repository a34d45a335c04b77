import { entriesCsv, totalsCsv } from '../filings/csv.ts';
import type { Filing } from '../filings/filing.ts';
import { preferredType } from './accept.ts';
import type { Exchange } from './exchange.ts';
import type { Reply } from './reply.ts';

// A client follows it as it is; deployed, the stage stands before the path, and no function knows of that.
const nextPage = (cursor: string, limit: number): string =>
  `<?${new URLSearchParams({ expand: 'entries', limit: String(limit), starting_after: cursor })}>; rel="next"`;

const csvReply = (filing: Filing, limit: number): Reply => {
  const { state, period_end, status, entries } = filing;
  const name = [state, period_end, status, ...(entries ? ['entries'] : [])].join('_');
  return {
    status: 200,
    body: entries ? entriesCsv(filing) : totalsCsv(filing),
    // A file's columns are named in its first line, and are the same in every version.
    isShaped: true,
    headers: {
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Disposition': `attachment; filename="${name}.csv"`,
      ...(entries?.next_cursor && { Link: nextPage(entries.next_cursor, limit) }),
    },
  };
};

/** A filing in the form that `Accept` asks for: JSON, or CSV of its totals, or of its entries where they are expanded. */
export const filingReply = (filing: Filing, limit: number, { headers }: Exchange): Reply => {
  const type = preferredType(headers.get('accept') ?? [], ['application/json', 'text/csv']);
  const reply = type === 'text/csv' ? csvReply(filing, limit) : { status: 200, body: filing };
  return { ...reply, headers: { ...reply.headers, Vary: 'Accept, Service-Version' } };
};
