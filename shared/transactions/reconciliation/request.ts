import * as z from 'zod/mini';
import { decimalString, identifier, instant, invalidFormat } from '../../calculations/fields.ts';
import { isSent, type JsonObject, objectOf } from '../../json.ts';
import type { Problem } from '../../problem.ts';
import { edge } from '../list-filters.ts';

const transactionsMax = 1000;
const countAdvice = `Send an array of 1 to ${transactionsMax.toLocaleString('en-US')} transactions.`;

/** An invoice or credit memo of the billing system. Amounts of a credit are positive. */
export const BilledTransaction = z.object(
  { reference_id: identifier, total_amount: decimalString, tax_amount: decimalString },
  'Send an object with reference_id, total_amount and tax_amount.',
);
export type BilledTransaction = z.infer<typeof BilledTransaction>;

/** The body of POST /reconciliations. */
export const ReconciliationRequest = z.object(
  {
    from: z.nullish(instant),
    to: z.nullish(instant),
    transactions: z
      .array(BilledTransaction, countAdvice)
      .check(z.minLength(1, countAdvice), z.maxLength(transactionsMax, countAdvice)),
    starting_after: z.nullish(z.string('Send a next_cursor.').check(z.minLength(1, 'Send a next_cursor.'))),
  },
  'Send an object.',
);
export type ReconciliationRequest = z.infer<typeof ReconciliationRequest>;

/** Milliseconds, both inclusive: a date means the whole day. */
export type Range = { readonly from: number; readonly to: number };

/** The range of tax dates to search, or `null`. */
export const rangeOf = ({ from, to }: Pick<ReconciliationRequest, 'from' | 'to'>): Range | null => {
  const [first, last] = [edge(from ?? undefined, 'gte'), edge(to ?? undefined, 'lte')];
  return first === null || last === null ? null : { from: first, to: last };
};

const rangeProblems = ({ from, to, starting_after }: JsonObject): Problem[] => {
  if (isSent(from) !== isSent(to)) {
    const missing = isSent(from) ? 'to' : 'from';
    return [
      {
        code: 'validation_required_field',
        title: `Missing field ${missing}`,
        detail: 'Send from and to together, or neither.',
        source: { pointer: `/${missing}` },
      },
    ];
  }
  if (!isSent(from))
    return isSent(starting_after)
      ? [invalidFormat('/starting_after', 'Invalid starting_after', 'Send it with the from and to that it came from.')]
      : [];
  if (typeof from !== 'string' || typeof to !== 'string') return [];
  const range = rangeOf({ from, to });
  return range && range.from > range.to
    ? [invalidFormat('/to', 'Invalid to', 'Send a to that is not before from.')]
    : [];
};

/** Cross-field problems of an unvalidated body: an incomplete range, and repeated references. */
export const reconciliationProblems = (body: unknown): Problem[] => {
  const fields = objectOf(body);
  if (!fields) return [];
  const { transactions } = fields;
  const seen = new Set<unknown>();
  const repeated = (Array.isArray(transactions) ? transactions : []).flatMap((row: unknown, index) => {
    const reference = objectOf(row)?.['reference_id'];
    if (typeof reference !== 'string' || !seen.has(reference)) {
      seen.add(reference);
      return [];
    }
    const detail = 'Send each reference_id once: it names at most one transaction.';
    return [invalidFormat(`/transactions/${index}/reference_id`, 'Repeated reference_id', detail)];
  });
  return [...rangeProblems(fields), ...repeated];
};
