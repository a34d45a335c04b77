import { isDeepStrictEqual } from 'node:util';
import type { ApiResponse } from '../support/http.ts';
import { onlyShipping } from '../support/sales.ts';
import {
  type Body,
  type Book,
  change,
  type Entry,
  getHolder,
  getView,
  instant,
  type Line,
  listCodes,
  type Model,
  type Requested,
  type Sent,
  same,
} from './book.ts';
import { duplicate, picked, recount } from './create.ts';
import {
  acceptedCredit,
  differenceCodes,
  expectCredit,
  getMatch,
  getRemaining,
  isNothing,
  listRefusals,
  mustHaveFigures,
  overTaxed,
  takenBy,
  taxRoom,
} from './credits.ts';
import { isTaken, post, takeBack } from './journal.ts';
import { minor, mustBeCalculated, written } from './money.ts';
import { mustBeRefused, type Refusal, refusal, tooFine, wrongReason } from './refusal.ts';

/** The fields that an update changes. A field sent with its stored value is unchanged. */
type Asked = {
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

const listLines = (lines: readonly Line[] = []) => lines.map((line) => lineFields.map((field) => line[field] ?? null));

type Inputs = Omit<Requested, 'shipping'> & { readonly shipping?: Requested['shipping'] | Body['shipping'] };

const areInputs: Readonly<Record<string, (body: Inputs) => unknown>> = {
  line_items: ({ line_items }) => listLines(line_items),
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

const requestedChanges = (update: Requested, stored: Body): Asked => {
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

const listFields = ({ inputs, metadata, reference, tax, status }: Asked): string[] => [
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
const redactedRefusals = (update: Requested, view: Body, asked: Asked): Refusal[] => {
  if (view.redacted_at === undefined) return [];
  const isReasoned = asked.reason || (asked.status && Boolean(update.void_reason));
  const fields = [...asked.inputs, ...(asked.metadata ? ['metadata'] : []), ...(asked.tax ? ['tax_amount'] : [])];
  return [...fields, ...(isReasoned ? ['void_reason'] : [])].map((field) =>
    refusal('conflict_immutable_field', `/${field}`),
  );
};

/** All refusals of an update because of the transaction's status. */
const stateRefusals = (update: Requested, view: Body, asked: Asked, book: Book): Refusal[] => {
  const { status, reference_id } = view;
  const isDraft = status === 'draft';
  // A credit of zero blocks no change.
  const hasCredits = view.type === 'sale' && !isNothing(getRemaining(book, view).credited);
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

/** An update of an existing transaction, with its current state. */
type Case = {
  readonly update: Requested;
  readonly view: Body;
  readonly entry: Entry;
  readonly asked: Asked;
  readonly book: Book;
  readonly sale: Body | null;
  readonly supplied: string | null;
};

/** An update of a credit of a sale. */
type CreditCase = Case & { readonly sale: Body };

/** The request by which a draft credit is computed again, with its recorded or new lines. */
const getWish = ({ update, view, entry: { kind }, asked }: Case): Requested =>
  kind === 'lines' || asked.inputs.includes('line_items')
    ? { line_items: update.line_items ?? view.line_items, shipping: onlyShipping(view.shipping) ?? null }
    : { credit_remaining: kind === 'remaining' };

/**
 * The supplied tax after an update. Editing an input of the calculation drops the supplied tax unless it is sent again.
 */
const suppliedAfter = (update: Requested, view: Body, asked: Asked): string | null => {
  if (update.tax_amount !== undefined) return update.tax_amount;
  return asked.inputs.length === 0 && view.tax_amount_source === 'provided' ? view.tax_amount : null;
};

/** The fields that a recalculation replaces. */
const figureFields = new Set([
  ...['line_items', 'shipping', 'subtotal_amount', 'applied_discount_amount', 'applied_third_party_discount_amount'],
  ...['shipping_amount', 'taxable_amount', 'exempt_amount', 'tax_amount', 'total_amount', 'tax_summary'],
  ...['content_releases', 'engine_version', 'warnings', 'explanation', 'calculated_tax_amount', 'tax_amount_source'],
]);

const expectedCodes = (
  body: Body,
  update: Requested,
  view: Body,
  asked: Asked,
  unmatched: readonly string[],
): string[] => {
  const isDropped = asked.inputs.length > 0 && update.tax_amount === undefined && view.tax_amount_source === 'provided';
  const differs = minor(body.currency, body.tax_amount) !== minor(body.currency, body.calculated_tax_amount);
  return [...unmatched, ...(differs ? ['tax_amount_differs'] : isDropped ? ['tax_amount_dropped'] : [])].sort();
};

const isFinalizing = ({ asked, update }: Case) => asked.status && update.status === 'finalized';

/** Refuses to finalize an unchanged draft credit if other credits have changed its amounts. */
const staleRefusals = (one: CreditCase, request: Requested): Refusal[] => {
  const { view, sale, book, asked, supplied } = one;
  if (!isFinalizing(one) || asked.tax || asked.inputs.length > 0) return [];
  const discounts = (request.line_items ?? []).map((line) => minor(sale.currency, line.discount_amount ?? '0'));
  const credit = expectCredit(request, sale, book, discounts);
  if (!('total' in credit)) throw new Error('It was refused before.');
  const { currency } = sale;
  const tax = supplied === null ? credit.total.tax : minor(currency, supplied);
  const coupons = minor(currency, view.applied_third_party_discount_amount);
  const net = minor(currency, view.total_amount) - minor(currency, view.tax_amount) + coupons;
  const isMoved = tax !== minor(currency, view.tax_amount) || credit.total.net !== net;
  return isMoved ? [refusal('conflict_credit_stale', '/status', { tax_amount: written(currency, tax) })] : [];
};

/** Returns why the amounts of a sale's credit do not allow an update. */
const creditRefusals = (one: CreditCase, response: ApiResponse): readonly Refusal[] => {
  const { view, book, sale, supplied, asked } = one;
  if (view.status === 'draft') {
    if (!isFinalizing(one) && asked.inputs.length === 0 && !asked.tax) return [];
    const request = { ...getWish(one), tax_amount: supplied };
    const refused = listRefusals(request, sale, book, response);
    return refused.length > 0 ? refused : staleRefusals(one, request);
  }
  if (!asked.tax) return [];
  const { currency } = sale;
  const without = getRemaining(book, sale, view.id);
  const room = taxRoom(takenLines(view, sale), without);
  const tax = minor(currency, supplied ?? view.calculated_tax_amount);
  return tax !== minor(currency, view.tax_amount) && tax > room ? [overTaxed(currency, room, without)] : [];
};

const takenLines = (credit: Body, sale: Body) => ({
  lines: credit.line_items.map((line) => ({
    parentId: getMatch(line, sale)?.id ?? null,
    net: minor(sale.currency, line.net_amount),
    tax: minor(sale.currency, line.tax_amount),
    discount: 0n,
  })),
  shipping: credit.shipping ? takenBy(credit, sale).shipping : null,
});

// A draft is recalculated from its sale; a finalized credit keeps its warnings.
const differencesAfter = (one: Case, taxDate: string, sale: Body): string[] => {
  const { view } = one;
  if (view.status !== 'draft')
    return listCodes(view).filter((code) => ['credit_field_ignored', 'credit_before_sale'].includes(code));
  return differenceCodes(getWish(one), taxDate, sale);
};

/** Compares the amounts of an accepted update with the model. */
const judgeFigures = (one: Case, body: Body): void => {
  const { update, view, asked, book, sale, supplied } = one;
  const { currency } = view;
  const tax = minor(currency, supplied ?? body.calculated_tax_amount);
  same(minor(currency, body.tax_amount), tax, 'The tax after the update');
  same(body.tax_amount_source, supplied === null ? 'calculated' : 'provided', 'Where the tax is from');
  const ofSale = sale ? body.line_items.filter((line) => !getMatch(line, sale)) : [];
  const unmatched = ofSale.map(() => 'credit_line_unmatched');
  const differing = sale ? differencesAfter(one, body.tax_date, sale) : [];
  same(listCodes(body), expectedCodes(body, update, view, asked, [...differing, ...unmatched]), 'The warnings');
  if (!sale) mustBeCalculated(body, requestAfter(one), supplied);
  else if (view.status === 'finalized') mustBeRetaxed({ ...one, sale }, body, tax);
  else {
    const credit = acceptedCredit(body, getWish(one), sale, book);
    same(minor(currency, body.calculated_tax_amount), credit.total.tax, 'The calculated tax');
    mustHaveFigures(body, credit, sale, book);
  }
};

const requestAfter = ({ update, view }: Case): Requested => ({
  line_items: update.line_items ?? view.line_items,
  shipping: update.shipping === undefined ? (onlyShipping(view.shipping) ?? null) : update.shipping,
  discount_amount: update.discount_amount === undefined ? view.discount_amount : update.discount_amount,
});

/** Checks that only the tax of a finalized credit changed, distributed by the remaining tax without this credit. */
const mustBeRetaxed = ({ view, entry, book, sale }: CreditCase, body: Body, tax: bigint): void => {
  const { currency } = view;
  same(body.calculated_tax_amount, view.calculated_tax_amount, 'The calculated tax');
  const { lines, shipping } = takenLines(view, sale);
  const net = minor(currency, view.total_amount) - minor(currency, view.tax_amount);
  const coupons = minor(currency, view.applied_third_party_discount_amount);
  // A tax of -1 marks a distributed tax, because no credit is negative.
  const isSpread = tax !== minor(currency, view.tax_amount);
  const total = { net: net + coupons, tax: isSpread ? -1n : tax };
  mustHaveFigures(body, { kind: entry.kind ?? 'lines', lines, shipping, total }, sale, book, view.id);
};

/** The non-amount fields of a transaction after an update. */
const restAfter = (update: Requested, view: Body, asked: Asked, nowMs: number) => {
  const at = instant(nowMs);
  const edited = asked.inputs.filter((field) => !figureFields.has(field));
  const edits = edited.map((field) => [field, update[field as keyof Requested]]);
  return {
    ...view,
    ...Object.fromEntries(edits),
    ...(asked.metadata && { metadata: asked.metadata }),
    ...(asked.reference && { reference_id: update.reference_id }),
    ...(asked.status && { status: update.status }),
    ...(asked.status && update.status === 'finalized' && { finalized_at: at, expires_at: null }),
    ...(asked.status && update.status === 'void' && { voided_at: at, void_reason: update.void_reason ?? null }),
    updated_at: at,
    version: view.version + 1,
  };
};

/** The refusals of an update, in the order of their checks. */
const listReasons = (one: Case, nowMs: number, response: ApiResponse): readonly Refusal[] => {
  const { update, view, asked, book, sale } = one;
  const invalid = [...tooFine(update.tax_amount, view.currency), ...wrongReason(update, view)];
  if (invalid.length > 0) return invalid;
  const redacted = redactedRefusals(update, view, asked);
  if (redacted.length > 0) return redacted;
  const state = stateRefusals(update, view, asked, book);
  if (state.length > 0) return state;
  const credit = sale && listFields(asked).length > 0 ? creditRefusals({ ...one, sale }, response) : [];
  if (credit.length > 0) return credit;
  // Edits come first, then the status: a void transaction needs no reference.
  const isHeld = asked.reference && (update.status ?? view.status) !== 'void';
  const holder = isHeld ? getHolder(book, update.reference_id, nowMs) : undefined;
  if (holder) return [duplicate(holder)];
  const isOwed = view.status === 'finalized' && (asked.tax || asked.status);
  return isOwed && isTaken(book, view)
    ? [refusal('conflict_period_closed', asked.status ? '/status' : '/tax_amount')]
    : [];
};

const isMatch = (ifMatch: string | undefined, { version }: Body): boolean =>
  ifMatch === undefined || ifMatch === '*' || ifMatch === `"${version}"`;

/** Compares the response to an update with the model, and records its changes. */
export const judgeUpdate = (
  { nowMs }: Model,
  book: Book,
  { path, body: update, headers }: Sent,
  response: ApiResponse<Body>,
): void => {
  const entry = book.entries.get(path.slice('/transactions/'.length));
  const view = entry && getView(entry, nowMs);
  if (!entry || !view) mustBeRefused(response, [refusal('not_found')]);
  else if (!isMatch(headers['If-Match'], view))
    mustBeRefused(response, [refusal('precondition_failed', 'If-Match', { version: view.version })]);
  else {
    const asked = requestedChanges(update, view);
    const sale = view.type === 'credit' ? (book.entries.get(view.parent_transaction_id ?? '')?.body ?? null) : null;
    const one = { update, view, entry, asked, book, sale, supplied: suppliedAfter(update, view, asked) };
    const reasons = listReasons(one, nowMs, response);
    if (reasons.length > 0) mustBeRefused(response, reasons);
    else accept(one, response, nowMs);
  }
};

const accept = (one: Case, response: ApiResponse<Body>, nowMs: number): void => {
  const { update, view, entry, asked, book, sale } = one;
  const { body } = response;
  const fields = listFields(asked);
  same(response.status, 200, `The status of ${response.text}`);
  same(response.headers.get('etag'), `"${body.version}"`, 'The entity tag');
  if (fields.length === 0) {
    same(body, view, 'An update that changes nothing');
    return;
  }
  const isFigured = asked.inputs.length > 0 || asked.tax || (sale !== null && isFinalizing(one));
  if (isFigured) judgeFigures(one, body);
  const rest = restAfter(update, view, asked, nowMs);
  const figures = Object.fromEntries([...figureFields].map((field) => [field, null]));
  const expected = isFigured ? { ...rest, ...picked(body, figures) } : rest;
  same(body, expected, 'The transaction after the update');
  if (sale && asked.inputs.includes('line_items')) entry.kind = 'lines';
  const wasLive = view.status === 'finalized';
  const isLive = body.status === 'finalized';
  change(entry, nowMs, body, fields);
  if (isLive && !wasLive) post(book, body);
  if (wasLive && !isLive) takeBack(book, body);
  if (sale && (wasLive !== isLive || (isLive && asked.tax))) recount(book, sale.id, nowMs);
};
