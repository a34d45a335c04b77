import type { Schemas } from '../../shared/client/client.ts';
import { type Credit, creditsOf } from './credits.ts';
import { documentOf } from './document.ts';
import { decimalsOf, toDecimal, toMinor } from './money.ts';
import type { Order, Refund } from './order.ts';
import { type Attempt, done, failed, type Problem, refused } from './problem.ts';
import {
  type Body,
  change,
  createOnce,
  findByReference,
  type Ledger,
  type Transaction,
  type Written,
} from './transactions.ts';

/** The sale of an order after recording, what could not be recorded, and whether anything was written. */
export type Recorded = {
  readonly sale: Transaction | null;
  readonly problems: readonly Problem[];
  readonly isChanged: boolean;
};

type SaleBody = Body & { readonly tax_amount: string };

const isRecorded = ({ status }: Transaction): boolean => status === 'finalized' || status === 'filed';

/** The reference of the credit for a refund. */
export const refundReference = (order: string, refund: string): string => `${order}-refund-${refund}`;

const saleBody = (order: Order, { shop }: Ledger): Attempt<SaleBody> => {
  const documented = documentOf(order);
  if (!documented.ok) return failed(order.reference, documented.gap.code, documented.gap.detail);
  const metadata = { shop, order: order.reference, ...(order.isEstimated && { estimated: 'true' }) };
  const own = { reference_id: order.reference, tax_date: order.placedAt, tax_amount: order.tax, metadata };
  return done({ ...documented.document, ...own });
};

type Figures = Pick<Schemas['TransactionRequest'], 'currency' | 'customer' | 'tax_amount' | 'line_items' | 'shipping'>;

/**
 * What a recorded sale must have in common with its order: the amounts, and the state and ZIP code that they are due in. A
 * product that was renamed or got another tax code since, or a street that was corrected, does not change a recorded sale.
 */
const figuresOf = ({ currency, customer, tax_amount, line_items, shipping }: Figures): string => {
  const plain = (amount: string | null | undefined) => (amount ?? '0').replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
  const lines = (line_items ?? []).map((line) => [
    line.id,
    plain(line.quantity),
    plain(line.unit_price),
    plain(line.discount_amount),
  ]);
  const { state, postal_code } = customer?.address ?? {};
  // Redaction keeps five digits of a ZIP code.
  const place = [state ?? null, postal_code?.slice(0, 5) ?? null];
  return JSON.stringify([currency, place, plain(tax_amount), plain(shipping?.amount), lines]);
};

const voidSale = async (ledger: Ledger, sale: Transaction, reference: string): Promise<Attempt<null>> => {
  const update = { status: 'void', void_reason: 'The order was edited. Another sale replaces this one.' } as const;
  const voided = await change(ledger, 'replaced', sale, reference, update);
  if (voided.ok) return done(null);
  const { code, detail } = voided.refusal;
  return failed(reference, code, `The order was edited after its sale ${sale.id} was recorded. ${detail}`);
};

/** Bring a sale that has the order's reference to what is wanted. `null`: the reference is free again. */
const bringTo = async (
  ledger: Ledger,
  found: Written,
  body: SaleBody,
  wanted: 'draft' | 'finalized',
): Promise<Attempt<Written | null>> => {
  const { reference_id, ...inputs } = body;
  const { transaction, isChanged } = found;
  const { id, metadata, type } = transaction;
  if (metadata?.['shop'] !== ledger.shop || type !== 'sale') {
    const detail = `Levy has the reference already, in ${id}, which "${ledger.shop}" did not record. Use order numbers that are unique in the account.`;
    return failed(reference_id, 'mismatch', detail);
  }
  if (isChanged) return done(found);
  if (isRecorded(transaction)) {
    const isSame = figuresOf(transaction as Figures) === figuresOf(body);
    return isSame ? done(found) : voidSale(ledger, transaction, reference_id);
  }
  // Levy merges metadata: without a value, a former estimate would keep its mark.
  const marks = { estimated: null, ...inputs.metadata };
  const update = { shipping: null, ...inputs, metadata: marks, ...(wanted === 'finalized' && { status: wanted }) };
  const purpose = wanted === 'finalized' ? 'settled' : 'edited';
  const updated = await change(ledger, purpose, transaction, reference_id, update as Schemas['TransactionUpdate']);
  if (updated.ok) return done({ transaction: updated.data, isChanged: updated.data.version !== transaction.version });
  return updated.refusal.code === 'conflict_draft_expired' ? done(null) : refused(reference_id, updated.refusal);
};

const ensureSale = async (ledger: Ledger, order: Order, wanted: 'draft' | 'finalized'): Promise<Attempt<Written>> => {
  const body = saleBody(order, ledger);
  if (!body.ok) return body;
  const { reference } = order;
  // An expired draft or a replaced sale frees the reference. Another process can take it again.
  for (let round = 1; round <= 3; round++) {
    const found = await createOnce(ledger, wanted === 'draft' ? 'placed' : 'settled', body.value, wanted);
    if (!found.ok) return found;
    const sale = await bringTo(ledger, found.value, body.value, wanted);
    if (!sale.ok) return sale;
    if (sale.value) return done(sale.value);
  }
  const detail = 'Another process changes the sale at the same time.';
  return { ok: false, problem: { reference, code: 'contention', detail, isFinal: false } };
};

const creditBody = (sale: Transaction, credit: Credit, order: Order, shop: string): Body => ({
  type: 'credit',
  parent_transaction_id: sale.id,
  reference_id: refundReference(order.reference, credit.refund.id),
  tax_date: credit.refund.at,
  line_items: credit.line_items,
  ...(credit.shipping && { shipping: credit.shipping }),
  ...(credit.tax_amount !== null && { tax_amount: credit.tax_amount }),
  metadata: { shop, order: order.reference, refund: credit.refund.id },
});

type Credited = { readonly isChanged: boolean; readonly problem: Problem | null };

/** Record the credit of a refund. A problem is what the ledger does not have as the shop's refund has it. */
const ensureCredit = async (ledger: Ledger, sale: Transaction, credit: Credit, order: Order): Promise<Credited> => {
  const body = creditBody(sale, credit, order, ledger.shop);
  const reference = body.reference_id;
  const minor = (amount: string) => toMinor(amount, decimalsOf(sale.tax_amount));
  const excess = `The shop paid back ${credit.excess} more than can be credited of ${order.reference}.`;
  const problem = minor(credit.excess) > 0n ? failed(reference, 'excess', excess).problem : null;
  if (minor(credit.total) === 0n) return { isChanged: false, problem };
  const found = await createOnce(ledger, 'refund', body, 'finalized');
  if (!found.ok) return { isChanged: false, problem: found.problem };
  const { isChanged, transaction } = found.value;
  const { id, total_amount, parent_transaction_id } = transaction;
  if (parent_transaction_id !== sale.id || minor(total_amount) !== minor(credit.total)) {
    const detail = `The refund should be ${credit.total} of ${sale.id}; ${id} has ${total_amount} of ${parent_transaction_id}.`;
    return { isChanged, problem: failed(reference, 'mismatch', detail).problem };
  }
  return { isChanged, problem };
};

/** Void what was recorded of an order that was cancelled before its payment. */
const ensureVoid = async (ledger: Ledger, { reference }: Order): Promise<Recorded> => {
  const nothing: Recorded = { sale: null, problems: [], isChanged: false };
  const found = await findByReference(ledger, reference);
  if (!found.ok) return { ...nothing, problems: [found.problem] };
  const sale = found.value;
  if (sale?.metadata?.['shop'] !== ledger.shop) return nothing;
  const update = { status: 'void', void_reason: 'The order was cancelled.' } as const;
  const voided = await change(ledger, 'cancelled', sale, reference, update);
  if (voided.ok) return { ...nothing, isChanged: true };
  if (voided.refusal.code === 'conflict_draft_expired') return nothing;
  return { ...nothing, sale, problems: [refused(reference, voided.refusal).problem] };
};

/**
 * The refunds that the sale needs credits for. Where an edit lowered a paid order, its sale has the new amounts, and the first
 * refunds give back what was paid above them.
 */
const refundsOfSale = ({ refunds, paid, total }: Order, exponent: number): Refund[] => {
  let above = toMinor(paid ?? total, exponent) - toMinor(total, exponent);
  return refunds.flatMap((refund) => {
    if (above <= 0n) return refund;
    const left = toMinor(refund.total, exponent) - above;
    above = left < 0n ? -left : 0n;
    return left > 0n ? { ...refund, total: toDecimal(left, exponent), lines: [], shipping: '0' } : [];
  });
};

/**
 * Bring Levy to the state of an order: its draft, its finalized sale with the credits of its refunds, or nothing. Call it after
 * any change of the order, in any order of events, and as often as you like: what is recorded stays as it is.
 *
 * `order.tax` is recorded as the collected tax, so that the ledger has what the shop charged; Levy keeps the tax that it
 * calculates beside it. An order that was edited after its sale was recorded gets a new sale in place of the old one, unless
 * that has credits or its period is closed. Throws `LevyUnavailable` during an outage: call it again later.
 */
export const recordOrder = async (ledger: Ledger, order: Order): Promise<Recorded> => {
  if (order.wanted === 'void') return ensureVoid(ledger, order);
  const ensured = await ensureSale(ledger, order, order.wanted);
  if (!ensured.ok) return { sale: null, problems: [ensured.problem], isChanged: false };
  const { transaction: sale } = ensured.value;
  let { isChanged } = ensured.value;
  const problems: Problem[] = [];
  const exponent = decimalsOf(sale.tax_amount);
  if (toMinor(sale.total_amount, exponent) !== toMinor(order.total, exponent)) {
    const detail = `The order is ${order.total} with tax in the shop, and ${sale.total_amount} in ${sale.id}.`;
    problems.push(failed(order.reference, 'mismatch', detail).problem);
  }
  for (const credit of isRecorded(sale) ? creditsOf(sale, refundsOfSale(order, exponent)) : []) {
    const credited = await ensureCredit(ledger, sale, credit, order);
    if (credited.problem) problems.push(credited.problem);
    isChanged ||= credited.isChanged;
  }
  return { sale, problems, isChanged };
};
