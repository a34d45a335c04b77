import type { CustomerAnswer } from '../../customers/customer.ts';
import { withoutPersonalData } from '../../transactions/personal-data/fields.ts';
import type { Transaction } from '../../transactions/transaction.ts';
import { answerAttribute, savedAnswerOf } from './idempotency-item.ts';

// The answers of every API version have the fields of personal data under the same names.
const isAnswerOf = <Answer extends { readonly object: string }>(
  body: unknown,
  object: Answer['object'],
): body is Answer => Object(body).object === object;

/**
 * The attribute `answer` of a stored idempotency record without personal data; `null` after its expiry, when it is never
 * returned. A transaction keeps its figures, and a customer nothing. Other answers have no personal data.
 */
export const redactedAnswer = (item: unknown, nowMs: number): Uint8Array | null => {
  const { saved, expires_at } = savedAnswerOf(item);
  if (Date.parse(expires_at) <= nowMs) return null;
  const body: unknown = JSON.parse(saved.body);
  if (isAnswerOf<Transaction>(body, 'transaction')) {
    const redacted = { ...withoutPersonalData(body), redacted_at: new Date(nowMs).toISOString() };
    return answerAttribute({ ...saved, body: JSON.stringify(redacted) });
  }
  if (!isAnswerOf<CustomerAnswer>(body, 'customer')) return null;
  const { Location: _, ...headers } = saved.headers;
  const redacted = { ...body, id: '', name: null, exemptions: [], warnings: [] };
  return answerAttribute({ ...saved, headers, body: JSON.stringify(redacted) });
};
