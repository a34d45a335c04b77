import { isDeepStrictEqual } from 'node:util';
import type { ApiResponse } from '../support/http.ts';
import { type Body, type Requested, same } from './book.ts';
import { getDecimals } from './money.ts';

/** Returns a refusal if a tax has more decimals than its currency. */
export const tooFine = (tax: unknown, currency: string): Refusal[] =>
  typeof tax === 'string' && (tax.split('.')[1] ?? '').length > getDecimals(currency)
    ? [refusal('validation_invalid_format', '/tax_amount')]
    : [];

/** Returns a refusal for each repetition of a line's id. */
const twice = ({ line_items }: Requested): Refusal[] => {
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

/** Refuses a new void reason that is sent without the status `void`, or that is reserved by the service. */
export const wrongReason = ({ void_reason: reason, status }: Requested, view: Body): Refusal[] =>
  typeof reason === 'string' && reason !== view.void_reason && (status !== 'void' || reason === 'draft_expired')
    ? [refusal('validation_invalid_format', '/void_reason')]
    : [];

/** The field problems of a change of a filing. */
export const invalidFiling = ({ status, confirmation_number }: Requested): Refusal[] =>
  status === 'filed' && !confirmation_number ? [refusal('validation_required_field', '/confirmation_number')] : [];

/** A refusal as the model expects it. Several problems share the first one's status. */
export type Refusal = {
  readonly status: number;
  readonly code: string;
  /** A JSON Pointer, or the name of a header or parameter. */
  readonly at?: string;
  readonly meta?: Readonly<Record<string, unknown>>;
};

const statuses: Readonly<Record<string, number>> = {
  validation: 422,
  idempotency: 422,
  conflict: 409,
  precondition: 412,
};

export const refusal = (code: string, at?: string, meta?: Refusal['meta']): Refusal => ({
  status: code === 'not_found' ? 404 : (statuses[code.split('_')[0] as string] as number),
  code,
  ...(at !== undefined && { at }),
  ...(meta && { meta }),
});

const listRefusals = ({ body }: ApiResponse): Refusal[] =>
  (body?.errors ?? []).map(({ status, code, source, meta: { request_id: _, ...meta } }) => {
    const at = source.pointer ?? source.parameter ?? source.header;
    return {
      status: Number(status),
      code,
      ...(at !== undefined && { at }),
      ...(Object.keys(meta).length > 0 && { meta }),
    };
  });

const ordered = (refusals: readonly Refusal[]) =>
  refusals.toSorted((left, right) => (`${left.code} ${left.at}` < `${right.code} ${right.at}` ? -1 : 1));

/** Returns whether a response is exactly this refusal, in all client-visible fields. */
export const isRefused = (response: ApiResponse, expected: readonly Refusal[]): boolean =>
  response.status === expected[0]?.status && isDeepStrictEqual(ordered(listRefusals(response)), ordered(expected));

export const mustBeRefused = (response: ApiResponse, expected: readonly Refusal[]): void =>
  same(
    { status: response.status, errors: ordered(listRefusals(response)) },
    { status: expected[0]?.status, errors: ordered(expected) },
    'A refusal',
  );
