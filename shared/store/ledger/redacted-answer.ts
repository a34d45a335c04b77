import type { CustomerAnswer } from '../../customers/customer.ts';
import { redactedForm } from '../../ledger/personal-data/fields.ts';
import type { Transaction } from '../../ledger/transaction.ts';
import { answerAttribute, readSavedResponse } from './idempotency-item.ts';

const isResponseWith = <Answer extends { readonly object: string }>(
  body: unknown,
  object: Answer['object'],
): body is Answer => Object(body).object === object;

/**
 * The attribute `answer` of a stored idempotency record without personal data; `null` for an answer that has none. A
 * transaction keeps its amounts, and a customer nothing. DynamoDB deletes expired records late, so they are included.
 */
export const redactedAnswer = (item: unknown, nowMs: number): Uint8Array | null => {
  const saved = readSavedResponse(item);
  const body: unknown = JSON.parse(saved.body);
  if (isResponseWith<Transaction>(body, 'transaction')) {
    const redacted = { ...redactedForm(body), redacted_at: body.redacted_at ?? new Date(nowMs).toISOString() };
    return answerAttribute({ ...saved, body: JSON.stringify(redacted) });
  }
  if (!isResponseWith<CustomerAnswer>(body, 'customer')) return null;
  const { Location: _, ...headers } = saved.headers;
  const redacted = { ...body, id: '', name: null, exemptions: [], warnings: [] };
  return answerAttribute({ ...saved, headers, body: JSON.stringify(redacted) });
};
