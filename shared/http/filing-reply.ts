import { unknownFieldWarnings } from '../calculations/unknown-field-warnings.ts';
import { csvName, entriesCsv, totalsCsv } from '../filings/csv.ts';
import type { Filing } from '../filings/response.ts';
import type { Answered } from '../transactions/ports.ts';
import { jsonOrCsv } from './csv-reply.ts';
import type { Exchange } from './exchange.ts';
import { replyOfAnswer } from './idempotency.ts';
import type { Reply } from './reply.ts';

/** A filing as JSON or CSV, as `Accept` prefers. The CSV has the totals, or the entries if they are expanded. */
export const filingReply = (filing: Filing, limit: number, { headers }: Exchange): Reply =>
  jsonOrCsv(filing, headers.get('accept'), () => {
    const { entries } = filing;
    const cursor = entries?.next_cursor;
    return {
      name: csvName(filing, entries ? 'entries' : 'totals'),
      text: entries ? entriesCsv(filing) : totalsCsv(filing),
      next: cursor ? { expand: 'entries', limit: String(limit), starting_after: cursor } : null,
    };
  });

/**
 * The reply to a request that changed a filing or found it unchanged, with a warning for each unknown field.
 *
 * A replayed request has the same body, and so the same unknown fields and the same reply.
 */
export const changedFilingReply = (answered: Answered, unknownFields: readonly string[]): Reply => {
  const reply = replyOfAnswer(answered);
  if (unknownFields.length === 0) return reply;
  const filing: Filing = JSON.parse(answered.answer.body);
  return { ...reply, body: { ...filing, warnings: [...filing.warnings, ...unknownFieldWarnings(unknownFields)] } };
};
