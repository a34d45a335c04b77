import { unknownFieldWarnings } from '../calculations/warnings.ts';
import { entriesCsv, totalsCsv } from '../filings/csv.ts';
import type { Filing } from '../filings/filing.ts';
import type { Answered } from '../transactions/ports.ts';
import { preferredType } from './accept.ts';
import type { Exchange } from './exchange.ts';
import { replyOfAnswer } from './idempotency.ts';
import type { Reply } from './reply.ts';

// Relative to the request's address: deployed, the stage stands before the path, and no function knows the stage.
const nextPage = (cursor: string, limit: number): string =>
  `<?${new URLSearchParams({ expand: 'entries', limit: String(limit), starting_after: cursor })}>; rel="next"`;

const csvReply = (filing: Filing, limit: number): Reply => {
  const { state, period_end, status, entries } = filing;
  const name = [state, period_end, status, ...(entries ? ['entries'] : [])].join('_');
  return {
    status: 200,
    body: entries ? entriesCsv(filing) : totalsCsv(filing),
    // The first line of the file names its columns, which are the same in every version.
    isShaped: true,
    headers: {
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Disposition': `attachment; filename="${name}.csv"`,
      ...(entries?.next_cursor && { Link: nextPage(entries.next_cursor, limit) }),
    },
  };
};

/** A filing as JSON or CSV, as `Accept` prefers. The CSV has the totals, or the entries if they are expanded. */
export const filingReply = (filing: Filing, limit: number, { headers }: Exchange): Reply => {
  const type = preferredType(headers.get('accept') ?? [], ['application/json', 'text/csv']);
  const reply = type === 'text/csv' ? csvReply(filing, limit) : { status: 200, body: filing };
  return { ...reply, headers: { ...reply.headers, Vary: 'Accept, Service-Version' } };
};

/**
 * The reply to a request that changed a filing or found it unchanged, with a warning for each unknown field.
 *
 * A repeated request has the same unknown fields, because its key stands for the same body: its reply has the same bytes.
 */
export const changedFilingReply = (answered: Answered, unknownFields: readonly string[]): Reply => {
  const reply = replyOfAnswer(answered);
  if (unknownFields.length === 0) return reply;
  const filing: Filing = JSON.parse(answered.answer.body);
  return { ...reply, body: { ...filing, warnings: [...filing.warnings, ...unknownFieldWarnings(unknownFields)] } };
};
