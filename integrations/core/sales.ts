import type { Schemas } from '../../shared/client/client.ts';
import { recordCredits } from './credits.ts';
import { isAddedFee } from './delivery-fee.ts';
import { isForeign, toDocument } from './document.ts';
import { getDecimals, toMinor } from './money.ts';
import type { Order } from './order.ts';
import { type Attempt, done, failed, type Problem, refused } from './problem.ts';
import { isShippingId } from './shipping.ts';
import {
  type Body,
  change,
  createOnce,
  findByReference,
  type Ledger,
  type Transaction,
  type Written,
} from './transactions.ts';

export type SaleBody = Body & { readonly tax_amount: string; readonly line_items: Schemas['LineItemRequest'][] };

/** Builds the sale of an order, with the tax that the shop collected. */
export const saleBody = (order: Order, { shop }: Ledger): Attempt<SaleBody> => {
  const documented = toDocument(order);
  if (!documented.ok) return failed(order.reference, documented.gap.code, documented.gap.detail);
  const metadata = {
    shop,
    order: order.reference,
    ...(order.isEstimated && { estimated: 'true' }),
    ...(order.changedAt && { changed_at: order.changedAt }),
  };
  const own = { reference_id: order.reference, tax_date: order.placedAt, tax_amount: order.tax, metadata };
  return done({ ...documented.document, ...own });
};

type Figures = Pick<Schemas['TransactionRequest'], 'currency' | 'customer' | 'tax_amount' | 'line_items' | 'shipping'>;

/**
 * Returns the fields of a recorded sale that must match its order: the amounts, and the state, city and ZIP code of the
 * tax. A later change of a product's name, tax code or fulfillment, or of the street, does not affect a recorded sale.
 * Fees that Levy added are not lines of the order.
 */
export const getFigures = ({ currency, customer, tax_amount, line_items, shipping }: Figures): string => {
  const plain = (amount: string | null | undefined) => (amount ?? '0').replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
  const lines = (line_items ?? [])
    .filter((line) => !isShippingId(line.id) && !isAddedFee(line))
    .map((line) => [line.id, plain(line.quantity), plain(line.unit_price), plain(line.discount_amount)]);
  const charges = [
    ...[shipping ?? []].flat().map(({ amount }) => plain(amount)),
    ...(line_items ?? []).filter(({ id }) => isShippingId(id)).map(({ unit_price }) => plain(unit_price)),
  ];
  const { state, city, postal_code } = customer?.address ?? {};
  // Redaction keeps the first five digits of a ZIP code.
  const place = [state ?? null, city ?? null, postal_code?.slice(0, 5) ?? null];
  return JSON.stringify([currency, place, plain(tax_amount), charges, lines]);
};

/** The sale of an order after recording, the problems, and whether anything was written. */
export type Recorded = {
  readonly sale: Transaction | null;
  readonly problems: readonly Problem[];
  readonly isChanged: boolean;
  /** The ids of the credits by the id of their refund. */
  readonly credits?: ReadonlyMap<string, string>;
};

const isRecorded = ({ status }: Transaction): boolean => status === 'finalized' || status === 'filed';

/** Returns whether Levy has a newer state of the order than this snapshot. */
export const isNewer = (
  { metadata }: Transaction,
  { changedAt }: { readonly changedAt?: string | undefined },
): boolean => Date.parse(metadata?.['changed_at'] ?? '') > Date.parse(changedAt ?? '');

/** The sale of an order. */
type Ensured = Written & {
  /** The recorded sale stays: Levy has a newer state, or the changed order is not paid. */
  readonly isKept?: boolean;
};

/** Voids an edited sale. Returns `null`, or the sale if Levy refuses permanently. */
const voidSale = async (ledger: Ledger, sale: Transaction, reference: string): Promise<Attempt<Ensured | null>> => {
  const update = { status: 'void', void_reason: 'The order was edited. A new sale replaces this one.' } as const;
  const voided = await change(ledger, 'replaced', sale, update);
  if (voided.ok) return done(null);
  const { problem } = refused(reference, voided.refusal);
  const detail = `The order was edited after its sale ${sale.id} was recorded. ${voided.refusal.detail}`;
  if (!problem.isFinal) return { ok: false, problem: { ...problem, detail } };
  return done({ transaction: sale, isChanged: false, refusal: { ...problem, detail } });
};

// Levy merges metadata, so without a value a former estimate would remain marked.
const getMarks = ({ metadata }: SaleBody) => ({ estimated: null, ...metadata });

/** Updates the estimate mark and the time of the last change of a recorded sale with unchanged amounts. */
const updateMarks = async (ledger: Ledger, sale: Transaction, body: SaleBody): Promise<Written> => {
  const stored = sale.metadata ?? {};
  const marks = Object.entries(getMarks(body)).filter(([name, value]) => (stored[name] ?? null) !== value);
  if (marks.length === 0) return { transaction: sale, isChanged: false };
  const metadata = Object.fromEntries(marks) as NonNullable<Schemas['TransactionUpdate']['metadata']>;
  const updated = await change(ledger, 'marked', sale, { metadata });
  // A redacted sale refuses the update and is correct without it.
  return { transaction: updated.ok ? updated.data : sale, isChanged: updated.ok && 'estimated' in metadata };
};

/**
 * Updates the sale that has the order's reference. Returns `null` if the sale is void and the reference is free again.
 */
const updateToMatch = async (
  ledger: Ledger,
  found: Written,
  body: SaleBody,
  { changedAt, wanted }: Pick<Order, 'changedAt' | 'wanted'>,
): Promise<Attempt<Ensured | null>> => {
  const { reference_id, ...inputs } = body;
  const { transaction, isChanged } = found;
  const { id, metadata, type } = transaction;
  if (metadata?.['shop'] !== ledger.shop || type !== 'sale') {
    const detail = `Reference ${reference_id} already belongs to ${id}, which shop "${ledger.shop}" did not record. Use order numbers that are unique in the account.`;
    return failed(reference_id, 'mismatch', detail);
  }
  if (isChanged) return done(found);
  // Another process voided it after its reference was found.
  if (transaction.status === 'void') return done(null);
  // The refusal of a snapshot that changes nothing is not a problem.
  const kept = { transaction, isChanged, isKept: true } as const;
  if (isNewer(transaction, { changedAt })) return done(kept);
  if (isRecorded(transaction)) {
    const isSame = getFigures(transaction as Parameters<typeof getFigures>[0]) === getFigures(body);
    if (wanted === 'draft') {
      // Without a time, this can be a late event of the placement.
      const isChangedLater = !isSame && changedAt !== undefined;
      const detail = `Levy keeps the sale ${id} and credits no refund until the changed order is paid in full.`;
      return done({
        ...kept,
        ...(isChangedLater && { refusal: failed(reference_id, 'mismatch', detail).problem }),
      });
    }
    if (isSame) return done(await updateMarks(ledger, transaction, body));
    // Levy would also refuse the new sale, and none would remain.
    return found.refusal ? done(found) : voidSale(ledger, transaction, reference_id);
  }
  const update = {
    shipping: null,
    ...inputs,
    metadata: getMarks(body),
    ...(wanted === 'finalized' && { status: wanted }),
  };
  const purpose = wanted === 'finalized' ? 'settled' : 'edited';
  const updated = await change(ledger, purpose, transaction, update as Schemas['TransactionUpdate']);
  if (updated.ok) return done({ transaction: updated.data, isChanged: updated.data.version !== transaction.version });
  return updated.refusal.code === 'conflict_draft_expired'
    ? done(null)
    : refused(reference_id, updated.refusal, inputs.line_items);
};

type Wanted = 'draft' | 'finalized';

const ensureSale = async (ledger: Ledger, order: Order, wanted: Wanted): Promise<Attempt<Ensured>> => {
  const built = saleBody(order, ledger);
  if (!built.ok) return built;
  const { reference } = order;
  const body = built.value;
  // An expired draft or a replaced sale frees the reference, which a different process can take.
  for (let round = 1; round <= 3; round++) {
    const found = await createOnce(ledger, wanted === 'draft' ? 'placed' : 'settled', body, wanted);
    if (!found.ok) return found;
    const sale = await updateToMatch(ledger, found.value, body, order);
    if (!sale.ok) return sale;
    if (sale.value) return done(sale.value);
  }
  const detail = 'Another process is changing this sale.';
  return { ok: false, problem: { reference, code: 'contention', detail, isFinal: false } };
};

/** Credits the refunds of an edited order on the sale that Levy refuses to void, and reports the refusal. */
const creditKeptSale = async (ledger: Ledger, sale: Transaction, order: Order, refusal: Problem): Promise<Recorded> => {
  const credited = await recordCredits(ledger, sale, order, sale.total_amount);
  return { ...credited, sale, problems: [refusal, ...credited.problems] };
};

/** Voids the transaction of an order that was canceled before payment, or moved abroad. */
const ensureVoid = async (ledger: Ledger, order: Order): Promise<Recorded> => {
  const { reference, wanted } = order;
  const nothing: Recorded = { sale: null, problems: [], isChanged: false };
  const found = await findByReference(ledger, reference);
  if (!found.ok) return { ...nothing, problems: [found.problem] };
  const sale = found.value;
  if (sale?.metadata?.['shop'] !== ledger.shop) return nothing;
  if (isNewer(sale, order)) return { ...nothing, sale };
  const update = { status: 'void', void_reason: 'The order was cancelled.' } as const;
  const voided = await change(ledger, 'cancelled', sale, update);
  if (voided.ok) return { ...nothing, isChanged: true };
  if (voided.refusal.code === 'conflict_draft_expired') return nothing;
  const { problem } = refused(reference, voided.refusal);
  return wanted !== 'void' && problem.isFinal
    ? creditKeptSale(ledger, sale, order, problem)
    : { ...nothing, sale, problems: [problem] };
};

/** Returns a problem if the collected tax differs from the tax that Levy calculates. */
const taxDifference = ({ id, tax_amount, calculated_tax_amount }: Transaction, exponent: number): string | null =>
  toMinor(tax_amount, exponent) === toMinor(calculated_tax_amount, exponent)
    ? null
    : `The shop collected a tax of ${tax_amount}; Levy calculates ${calculated_tax_amount} (${id}).`;

/**
 * Synchronizes Levy with an order: its draft, its finalized sale with the credits of its refunds, or nothing. Call it
 * after any change of the order. It is idempotent and does not depend on the order of events.
 *
 * `order.tax` is recorded as the collected tax, so the ledger has the amount that the shop charged; Levy also stores
 * the calculated tax. If an order was edited after its sale was recorded, a new sale replaces the old one, unless the
 * old sale has credits or its period is closed: then the refunds are credited on the old sale. The sale of an order that
 * moved abroad is voided. A snapshot with an older `changedAt` than the recorded one, and a draft of an order whose sale
 * is finalized, change nothing. If that draft differs from the sale, this is reported as a `mismatch`. Throws
 * `LevyUnavailable` during an outage: call it again later.
 */
export const recordOrder = async (ledger: Ledger, order: Order): Promise<Recorded> => {
  // An edit can move an order abroad, where the shop calculates the tax.
  if (order.wanted === 'void' || isForeign(order)) return ensureVoid(ledger, order);
  const ensured = await ensureSale(ledger, order, order.wanted);
  if (!ensured.ok) return { sale: null, problems: [ensured.problem], isChanged: false };
  const { transaction: sale, isChanged, isKept, refusal } = ensured.value;
  if (isKept) return { sale, problems: refusal ? [refusal] : [], isChanged };
  if (refusal) return creditKeptSale(ledger, sale, order, refusal);
  const problems: Problem[] = [];
  const exponent = getDecimals(sale.tax_amount);
  if (toMinor(sale.total_amount, exponent) !== toMinor(order.total, exponent)) {
    const detail = `Order total with tax: ${order.total} in the shop, ${sale.total_amount} in Levy (${sale.id}).`;
    problems.push(failed(order.reference, 'mismatch', detail).problem);
  }
  const difference = order.isEstimated ? null : taxDifference(sale, exponent);
  if (difference) problems.push(failed(order.reference, 'tax_difference', difference).problem);
  if (!isRecorded(sale)) return { sale, problems, isChanged };
  const credited = await recordCredits(ledger, sale, order);
  return {
    sale,
    problems: [...problems, ...credited.problems],
    isChanged: isChanged || credited.isChanged,
    credits: credited.credits,
  };
};
