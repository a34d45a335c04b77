import { unknownFieldWarnings } from '../calculations/sent-warnings.ts';
import { csvName, entriesCsv, totalsCsv } from '../filings/csv.ts';
import type { Filing } from '../filings/response.ts';
import type { ReplayableResponse } from '../ledger/ports.ts';
import { jsonOrCsv } from './csv-reply.ts';
import { replyOfAnswer } from './idempotency.ts';
import type { EndpointResponse } from './reply.ts';
import type { RequestContext } from './request-context.ts';

/** A filing as JSON or CSV, as `Accept` prefers. The CSV has the totals, or the entries if they are expanded. */
export const filingReply = (filing: Filing, limit: number, { headers }: RequestContext): EndpointResponse =>
  jsonOrCsv(filing, headers.get('accept'), () => {
    const { entries, totals_next_cursor } = filing;
    if (!entries)
      return {
        name: csvName(filing, 'totals'),
        text: totalsCsv(filing),
        next: totals_next_cursor ? { totals_starting_after: totals_next_cursor } : null,
      };
    const { next_cursor } = entries;
    return {
      name: csvName(filing, 'entries'),
      text: entriesCsv(filing),
      next: next_cursor ? { expand: 'entries', limit: String(limit), starting_after: next_cursor } : null,
    };
  });

/**
 * The reply to a request that changed a filing or found it unchanged, with a warning for each unknown field.
 *
 * A replayed request has the same body, and so the same unknown fields and the same reply.
 */
export const changedFilingReply = (
  answered: ReplayableResponse,
  unknownFields: readonly string[],
): EndpointResponse => {
  const reply = replyOfAnswer(answered);
  if (unknownFields.length === 0) return reply;
  const filing: Filing = JSON.parse(answered.answer.body);
  return { ...reply, body: { ...filing, warnings: [...filing.warnings, ...unknownFieldWarnings(unknownFields)] } };
};
