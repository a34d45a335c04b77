import * as z from 'zod/mini';
import type { Account } from '../../accounts/account.ts';
import { cursorKeywords } from '../../base/cursor.ts';
import { described } from '../../base/described.ts';
import { asObject, isSent, type JsonObject } from '../../base/json.ts';
import { invalidFormat, type Problem, requiredField } from '../../base/problem.ts';
import { decimalString, identifier, instant } from '../../calculations/fields.ts';
import { edge } from '../list-filters.ts';

const transactionsMax = 1000;
const countAdvice = `Send an array of 1 to ${transactionsMax.toLocaleString('en-US')} transactions.`;

export const BilledTransaction = described(
  z.object(
    {
      reference_id: described(
        identifier,
        'The id of the invoice or credit memo: the `reference_id` of its transaction.',
      ),
      total_amount: described(decimalString, 'The total, with tax. Positive for a credit memo.'),
      tax_amount: described(decimalString, 'The tax. Positive for a credit memo.'),
    },
    'Send an object with reference_id, total_amount and tax_amount.',
  ),
  'An invoice or credit memo of the billing system.',
  { id: 'BilledTransactionRequest' },
);
export type BilledTransaction = z.infer<typeof BilledTransaction>;

/** The body of POST /reconciliations. */
export const ReconciliationRequest = described(
  z.object(
    {
      from: described(
        z.nullish(instant),
        'The start of the range of tax dates that is searched for extra transactions. A date means the whole day. Send it together with `to`.',
      ),
      to: described(
        z.nullish(instant),
        'The end of the range of tax dates. A date means the whole day. Send it together with `from`.',
      ),
      transactions: described(
        z
          .array(BilledTransaction, countAdvice)
          .check(z.minLength(1, countAdvice), z.maxLength(transactionsMax, countAdvice)),
        'The invoices and credit memos of the billing system: 1 to 1,000, with each `reference_id` once.',
      ),
      starting_after: described(
        z.nullish(z.string('Send a next_cursor.').check(z.minLength(1, 'Send a next_cursor.'))),
        'The `next_cursor` of the previous response, sent with the same `from` and `to`.',
        cursorKeywords,
      ),
    },
    'Send an object.',
  ),
  'The list of the billing system and the range of tax dates that it covers.',
  { id: 'ReconciliationRequest' },
);
export type ReconciliationRequest = z.infer<typeof ReconciliationRequest>;

const rangeProblems = ({ from, to, starting_after }: JsonObject, timeZone: string): Problem[] => {
  if (isSent(from) !== isSent(to)) {
    const missing = isSent(from) ? 'to' : 'from';
    return [requiredField(`/${missing}`, 'Send from and to together, or neither.')];
  }
  if (!isSent(from))
    return isSent(starting_after)
      ? [
          invalidFormat(
            '/starting_after',
            'Invalid starting_after',
            'Send it with the from and to of the request that returned it.',
          ),
        ]
      : [];
  if (typeof from !== 'string' || typeof to !== 'string') return [];
  const [first, last] = [edge(from, 'gte', timeZone), edge(to, 'lte', timeZone)];
  return first !== null && last !== null && first > last
    ? [invalidFormat('/to', 'Invalid to', 'Send a to that is not before from.')]
    : [];
};

/** Cross-field problems of an unvalidated body: an incomplete range, and repeated references. */
export const reconciliationProblems = (body: unknown, _nowMs: number, { settings }: Account): Problem[] => {
  const fields = asObject(body);
  if (!fields) return [];
  const { transactions } = fields;
  const seen = new Set<unknown>();
  const repeated = (Array.isArray(transactions) ? transactions : []).flatMap((row: unknown, index) => {
    const reference = asObject(row)?.['reference_id'];
    if (typeof reference !== 'string' || !seen.has(reference)) {
      seen.add(reference);
      return [];
    }
    const detail = 'Send each reference_id once: it names at most one transaction.';
    return [invalidFormat(`/transactions/${index}/reference_id`, 'Repeated reference_id', detail)];
  });
  return [...rangeProblems(fields, settings.time_zone), ...repeated];
};
