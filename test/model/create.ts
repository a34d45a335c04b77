import type { ApiResponse } from '../support/http.ts';
import {
  add,
  type Body,
  type Book,
  change,
  getHolder,
  getView,
  instant,
  listCodes,
  type Model,
  type Requested,
  type Sent,
  same,
} from './book.ts';
import { getRemaining, isNothing, listRefusals, mustBeCredit } from './credits.ts';
import { post } from './journal.ts';
import { inZone, minor, mustBeCalculated, written } from './money.ts';
import { mustBeRefused, type Refusal, refusal, tooFine } from './refusal.ts';

const kept = (metadata: Requested['metadata']) =>
  Object.fromEntries(Object.entries(metadata ?? {}).filter(([, value]) => value !== null));

/** The non-amount fields of a new transaction. */
const getBeginning = (request: Requested, sale: Body | null, book: Book, nowMs: number) => {
  const at = instant(nowMs);
  const isFinal = request.status === 'finalized';
  const currency = request.currency ?? sale?.currency ?? 'USD';
  return {
    object: 'transaction',
    status: request.status ?? 'draft',
    type: request.type ?? 'sale',
    parent_transaction_id: request.parent_transaction_id ?? null,
    reference_id: request.reference_id ?? null,
    currency,
    tax_date: request.tax_date ?? inZone(at, book.timeZone),
    customer: request.customer ?? sale?.customer,
    metadata: kept(request.metadata),
    tax_amount_source: request.tax_amount ? 'provided' : 'calculated',
    credited_amount: written(currency, 0n),
    credited_tax_amount: written(currency, 0n),
    refund_status: 'none',
    created_at: at,
    updated_at: at,
    finalized_at: isFinal ? at : null,
    filed_at: null,
    voided_at: null,
    void_reason: null,
    expires_at: isFinal ? null : instant(nowMs + book.draftHours * 3_600_000),
    filings: [],
    version: 1,
  };
};

export const picked = (body: object, like: object) =>
  Object.fromEntries(Object.entries(body).filter(([field]) => field in like));

/** The credit fields of a sale, summed from its credits. */
const creditedFields = (book: Book, sale: Body) => {
  const { total, credited } = getRemaining(book, sale);
  return {
    credited_amount: written(sale.currency, credited.net),
    credited_tax_amount: written(sale.currency, credited.tax),
    refund_status: isNothing(credited) ? 'none' : isNothing(total) ? 'full' : 'partial',
  } as const;
};

/** Recounts the credits of a sale after one of them started or stopped counting or changed its tax. Adds a version. */
export const recount = (book: Book, saleId: string, nowMs: number): void => {
  const entry = book.entries.get(saleId);
  if (!entry) throw new Error('A credit counts against no sale.');
  const { body } = entry;
  const counted = { ...body, ...creditedFields(book, body), updated_at: instant(nowMs), version: body.version + 1 };
  change(entry, nowMs, counted, Object.keys(creditedFields(book, body)));
};

const toSale = (request: Requested, book: Book, nowMs: number): Body | null => {
  const entry = book.entries.get(request.parent_transaction_id ?? '');
  return entry ? getView(entry, nowMs) : null;
};

const isOfSale = ({ type, parent_transaction_id }: Requested) => type === 'credit' && Boolean(parent_transaction_id);

export const duplicate = ({ id }: Body): Refusal =>
  refusal('conflict_duplicate_reference_id', '/reference_id', { transaction_id: id });

/** The refusals of a new transaction, in the order of their checks. */
const listReasons = (
  request: Requested,
  sale: Body | null,
  book: Book,
  nowMs: number,
  response: ApiResponse,
): readonly Refusal[] => {
  if (isOfSale(request) && !sale) return [refusal('validation_parent_not_found', '/parent_transaction_id')];
  const fine = sale ? tooFine(request.tax_amount, sale.currency) : [];
  if (fine.length > 0) return fine;
  const credit = sale ? listRefusals(request, sale, book, response) : [];
  if (credit.length > 0) return credit;
  const holder = getHolder(book, request.reference_id, nowMs);
  return holder ? [duplicate(holder)] : [];
};

/** Compares the response to a new transaction with the model, and records it. */
export const judgeCreate = (
  { nowMs }: Model,
  book: Book,
  { body: request }: Sent,
  response: ApiResponse<Body>,
): void => {
  const sale = isOfSale(request) ? toSale(request, book, nowMs) : null;
  const reasons = listReasons(request, sale, book, nowMs, response);
  if (reasons.length > 0) {
    mustBeRefused(response, reasons);
    return;
  }
  const { body } = response;
  same(response.status, 201, `The status of ${response.text}`);
  const beginning = getBeginning(request, sale, book, nowMs);
  same(picked(body, beginning), beginning, 'The new transaction');
  same(response.headers.get('etag'), '"1"', 'The entity tag');
  same(response.headers.get('location'), `transactions/${body.id}`, 'The location');
  const supplied = request.tax_amount ?? null;
  const isDifferent = minor(body.currency, body.tax_amount) !== minor(body.currency, body.calculated_tax_amount);
  const differs = isDifferent ? ['tax_amount_differs'] : [];
  const kind = sale ? mustBeCredit(body, request, sale, book, supplied, differs) : null;
  if (!sale) {
    mustBeCalculated(body, request, supplied);
    same(listCodes(body), differs, 'The warnings');
  }
  add(book, body, kind);
  if (body.status === 'finalized') post(book, body);
  if (sale && body.status === 'finalized') recount(book, sale.id, nowMs);
};
