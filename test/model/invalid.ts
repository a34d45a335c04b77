import type { Body, Requested } from './book.ts';
import { decimalsOf } from './money.ts';
import { type Refusal, refusal } from './refusal.ts';

/** A tax of more decimals than can be paid. */
export const tooFine = (tax: unknown, currency: string): Refusal[] =>
  typeof tax === 'string' && (tax.split('.')[1] ?? '').length > decimalsOf(currency)
    ? [refusal('validation_invalid_format', '/tax_amount')]
    : [];

/** Each id again after its first line. */
export const twice = ({ line_items }: Requested): Refusal[] => {
  const ids: unknown[] = (line_items ?? []).map(({ id }) => id);
  return ids.flatMap((id, index) =>
    id !== undefined && ids.indexOf(id) < index
      ? [refusal('validation_invalid_format', `/line_items/${index}/id`)]
      : [],
  );
};

/** The field problems of a new transaction, which come before the idempotency key. */
export const invalidNew = (request: Requested): Refusal[] => [
  ...twice(request),
  ...(request.type === 'credit' && !request.parent_transaction_id && !request.line_items
    ? [refusal('validation_required_field', '/line_items')]
    : []),
  ...(request.type !== 'credit' && request.parent_transaction_id
    ? [refusal('validation_invalid_format', '/parent_transaction_id')]
    : []),
  ...(request.type === 'credit' && request.parent_transaction_id && !request.currency
    ? []
    : tooFine(request.tax_amount, request.currency ?? 'USD')),
];

/** The field problems of an update, which come before the idempotency key. */
export const invalidUpdate = (update: Requested): Refusal[] => [
  ...twice(update),
  ...(update.status === null ? [refusal('validation_required_field', '/status')] : []),
  ...(update.line_items?.length === 0 ? [refusal('validation_invalid_format', '/line_items')] : []),
];

/** Another reason than the stored one: only with its status, and never the service's own. */
export const wrongReason = ({ void_reason: reason, status }: Requested, view: Body): Refusal[] =>
  typeof reason === 'string' && reason !== view.void_reason && (status !== 'void' || reason === 'draft_expired')
    ? [refusal('validation_invalid_format', '/void_reason')]
    : [];

/** The same of a change of a filing. */
export const invalidFiling = ({ status, confirmation_number }: Requested): Refusal[] =>
  status === 'filed' && !confirmation_number ? [refusal('validation_required_field', '/confirmation_number')] : [];
