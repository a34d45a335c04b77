import { isDeepStrictEqual } from 'node:util';
import { onlyShipping } from '../support/shipping.ts';
import type { Body, Book, Line, Requested } from './book.ts';
import { minor } from './money.ts';
import { type Refusal, refusal } from './refusal.ts';
import { isNothing, remainingOf } from './remaining.ts';

/** The fields that an update changes. A field sent with its stored value is unchanged. */
export type Asked = {
  readonly inputs: readonly string[];
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly reference: boolean;
  readonly tax: boolean;
  readonly status: boolean;
  readonly reason: boolean;
};

const lineFields = [
  'id',
  'parent_line_item_id',
  'description',
  'product_tax_code',
  'quantity',
  'unit_price',
  'discount_amount',
  'third_party_discount_amount',
  'customer',
] as const;

const linesOf = (lines: readonly Line[] = []) => lines.map((line) => lineFields.map((field) => line[field] ?? null));

type Inputs = Omit<Requested, 'shipping'> & { readonly shipping?: Requested['shipping'] | Body['shipping'] };

const areInputs: Readonly<Record<string, (body: Inputs) => unknown>> = {
  line_items: ({ line_items }) => linesOf(line_items),
  tax_date: ({ tax_date }) => tax_date,
  discount_amount: ({ discount_amount }) => discount_amount ?? null,
  shipping: ({ shipping }) => onlyShipping(shipping)?.amount ?? null,
};

const merged = (update: Requested['metadata'], stored: Body['metadata']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(update === null ? {} : { ...stored, ...update }).flatMap(([name, value]) =>
      value === null ? [] : [[name, value]],
    ),
  );

const isTaxAsked = ({ tax_amount: sent }: Requested, { currency, tax_amount, tax_amount_source }: Body): boolean =>
  sent === null
    ? tax_amount_source === 'provided'
    : sent !== undefined && minor(currency, sent) !== minor(currency, tax_amount);

export const requestedChanges = (update: Requested, stored: Body): Asked => {
  const metadata = update.metadata === undefined ? stored.metadata : merged(update.metadata, stored.metadata);
  const isSent = (field: keyof Requested) => update[field] !== undefined;
  return {
    inputs: Object.entries(areInputs)
      .filter(([field, read]) => isSent(field as keyof Requested) && !isDeepStrictEqual(read(update), read(stored)))
      .map(([field]) => field),
    metadata: isDeepStrictEqual(metadata, stored.metadata) ? null : metadata,
    reference: isSent('reference_id') && update.reference_id !== stored.reference_id,
    tax: isTaxAsked(update, stored),
    status: isSent('status') && update.status !== stored.status,
    reason: stored.status === 'void' && isSent('void_reason') && update.void_reason !== stored.void_reason,
  };
};

export const fieldsOf = ({ inputs, metadata, reference, tax, status }: Asked): string[] => [
  ...inputs,
  ...(metadata ? ['metadata'] : []),
  ...(reference ? ['reference_id'] : []),
  ...(tax ? ['tax_amount'] : []),
  ...(status ? ['status'] : []),
];

/** The status changes that a client can make. */
const ways: Readonly<Record<string, readonly string[]>> = {
  draft: ['finalized', 'void'],
  finalized: ['void'],
  filed: [],
  void: [],
};

const fixed = (field: string, status: string) => refusal('conflict_immutable_field', `/${field}`, { status });

const statusRefusals = (to: string, from: string, hasCredits: boolean): Refusal[] => {
  const allowed = ways[from] as readonly string[];
  if (!allowed.includes(to))
    return [refusal('conflict_invalid_status_transition', '/status', { from, to, allowed: [...allowed] })];
  return to === 'void' && hasCredits ? [refusal('conflict_has_credits', '/status')] : [];
};

/** The changes that a redacted transaction refuses: new data, and amounts that would need the removed address. */
export const redactedRefusals = (update: Requested, view: Body, asked: Asked): Refusal[] => {
  if (view.redacted_at === undefined) return [];
  const isReasoned = asked.reason || (asked.status && Boolean(update.void_reason));
  const fields = [...asked.inputs, ...(asked.metadata ? ['metadata'] : []), ...(asked.tax ? ['tax_amount'] : [])];
  return [...fields, ...(isReasoned ? ['void_reason'] : [])].map((field) =>
    refusal('conflict_immutable_field', `/${field}`),
  );
};

/** All refusals of an update because of the transaction's status. */
export const stateRefusals = (update: Requested, view: Body, asked: Asked, book: Book): Refusal[] => {
  const { status, reference_id } = view;
  const isDraft = status === 'draft';
  // A credit of zero blocks no change.
  const hasCredits = view.type === 'sale' && !isNothing(remainingOf(book, view).credited);
  const mayName = isDraft || (status === 'finalized' && reference_id === null);
  const identity = (['type', 'parent_transaction_id'] as const).filter(
    (field) => update[field] !== undefined && update[field] !== view[field],
  );
  const refusals = [
    ...[...identity, ...(isDraft ? [] : asked.inputs)].map((field) => fixed(field, status)),
    ...(asked.reference && !mayName ? [fixed('reference_id', status)] : []),
    ...(asked.tax && !isDraft && status !== 'finalized' ? [fixed('tax_amount', status)] : []),
    ...(asked.tax && status === 'finalized' && hasCredits ? [refusal('conflict_has_credits', '/tax_amount')] : []),
    ...(asked.reason ? [fixed('void_reason', status)] : []),
    ...(asked.status ? statusRefusals(String(update.status), status, hasCredits) : []),
  ];
  const isExpired = view.void_reason === 'draft_expired';
  return isExpired && refusals.length > 0 ? [refusal('conflict_draft_expired', '/status')] : refusals;
};
