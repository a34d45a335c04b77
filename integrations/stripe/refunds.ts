/** Reads the credit notes and refunds of an invoice. */

import type Stripe from 'stripe';
import { refundReference } from '../core/credits.ts';
import { distribute, toDecimal, toMinor } from '../core/money.ts';
import type { Refund } from '../core/order.ts';
import { failed, type Problem, refused } from '../core/problem.ts';
import { change, findByReference, type Ledger } from '../core/transactions.ts';
import { decimal, type FullInvoice, getCredits, getNet, getQuantity, getTax, instant } from './invoice.ts';

/** A refund whose credit in Levy no longer belongs to the invoice. A credit above `refund.total` is voided. */
type Obsolete = {
  readonly refund: Refund;
  /** Whether a credit note that included it was voided. If so, a credit below `refund.total` is also voided. */
  readonly isReopened?: boolean;
  /** The other refunds that return the same money. */
  readonly instead: readonly string[];
};

export type Returned = {
  readonly refunds: readonly Refund[];
  /** Voided credit notes, failed refunds, and refunds that a credit note has included since. */
  readonly obsolete: readonly Obsolete[];
  readonly notes: readonly Stripe.CreditNote[];
  /** Refunds whose invoice is unknown. */
  readonly problems: readonly Problem[];
};

const getId = (object: string | { readonly id: string }): string => (typeof object === 'string' ? object : object.id);

/** Returns the ids of the invoices that a payment intent or a payment record paid. */
export const listPaidInvoices = async (
  stripe: Stripe,
  payment: Stripe.InvoicePaymentListParams.Payment,
): Promise<string[]> => {
  const payments = await stripe.invoicePayments.list({ payment, status: 'paid', limit: 100 });
  return payments.data.map(({ invoice }) => getId(invoice));
};

const listNotes = (stripe: Stripe, invoice: string): Promise<Stripe.CreditNote[]> =>
  stripe.creditNotes.list({ invoice, limit: 100 }).autoPagingToArray({ limit: 10_000 });

/** Sorts refunds by their time, oldest first. */
const sortRefunds = (refunds: readonly Refund[]): Refund[] =>
  refunds.toSorted((left, right) => Date.parse(left.at) - Date.parse(right.at) || (left.id < right.id ? -1 : 1));

type Row = { readonly of: string | null; readonly net: number; readonly tax: number };

const getGross = (rows: readonly Row[]): number => rows.reduce((sum, { net, tax }) => sum + net + tax, 0);

/** Reads the lines of a credit note, one for each line of the invoice. */
const readRows = async (stripe: Stripe, note: Stripe.CreditNote): Promise<Row[]> => {
  const rows = await stripe.creditNotes.listLineItems(note.id, { limit: 100 }).autoPagingToArray({ limit: 10_000 });
  const byLine = Map.groupBy(rows, (row) => row.invoice_line_item ?? null);
  return [...byLine].map(([of, own]) => ({
    of,
    net: own.reduce((sum, row) => sum + row.amount - row.discount_amount - getCredits(row), 0),
    tax: own.reduce((sum, row) => sum + getTax(row.taxes), 0),
  }));
};

/** Distributes a row that has a tax but no invoice line over the net amounts and the taxes of the invoice. */
const assignRow = (row: Row, { lines }: FullInvoice): Row[] => {
  if (row.of || row.tax === 0) return [row];
  const parts = (total: number, weights: number[]) => distribute(BigInt(total), weights.map(BigInt)).map(Number);
  const nets = parts(
    row.net,
    lines.map((line) => Math.max(getNet(line), 0)),
  );
  const taxes = parts(
    row.tax,
    lines.map((line) => getTax(line.taxes)),
  );
  return lines.map(({ id }, at) => ({ of: id, net: nets[at] as number, tax: taxes[at] as number }));
};

/**
 * Returns a refund for each line of a credit note, so each line is credited with its own amount and tax. A row with
 * neither an invoice line nor a tax is distributed over the invoice. So is a note whose rows do not add up.
 */
const refundsOfNote = async (stripe: Stripe, note: Stripe.CreditNote, full: FullInvoice): Promise<Refund[]> => {
  const base = { shipping: '0', at: instant(note.effective_at ?? note.created) };
  const rows = (await readRows(stripe, note)).flatMap((row) => assignRow(row, full));
  const byLine = [...Map.groupBy(rows, ({ of }) => of)].map(([of, own]) => ({
    of,
    total: getGross(own),
    tax: own.reduce((sum, { tax }) => sum + tax, 0),
  }));
  if (getGross(rows) !== note.total || byLine.some(({ total }) => total < 0))
    return [{ ...base, id: note.id, total: decimal(note.total), lines: [] }];
  return byLine.map(({ of, total, tax }) => {
    if (!of) return { ...base, id: note.id, total: decimal(total), lines: [] };
    const line = full.lines.find(({ id }) => id === of);
    const lines = line ? [{ id: line.id, quantity: getQuantity(line) }] : [];
    return { ...base, id: `${note.id}-${of}`, lines, total: decimal(total), tax: decimal(tax) };
  });
};

/** The part of a refund that issued credit notes include, and whether a voided one included it. */
type Noted = { readonly amount: number; readonly isReopened: boolean; readonly instead: readonly string[] };

/**
 * Returns the refunds that a credit note includes. A refund of a payment outside of Stripe has no separate object, so
 * it has the id of the payment record.
 */
const listIncluded = ({ refunds }: Stripe.CreditNote) =>
  refunds.map(({ refund, payment_record_refund, amount_refunded }) => ({
    id: payment_record_refund?.payment_record ?? getId(refund),
    amount: amount_refunded,
  }));

/** Returns the amount of each refund that the issued credit notes of invoices include. */
const sumIncluded = async (stripe: Stripe, invoices: readonly string[]): Promise<ReadonlyMap<string, number>> => {
  const included = new Map<string, number>();
  for (const invoice of invoices)
    for (const note of await listNotes(stripe, invoice))
      for (const { id, amount } of note.status === 'void' ? [] : listIncluded(note))
        included.set(id, (included.get(id) ?? 0) + amount);
  return included;
};

/** A refund, or the sum of all refunds of a payment outside of Stripe. */
type MoneyBack = Pick<Stripe.Refund, 'id' | 'amount' | 'status' | 'created'> & {
  readonly isRecord?: boolean;
  /** The other invoices that the payment paid. */
  readonly others: readonly string[];
};

const readMoneyBack = async (
  stripe: Stripe,
  invoice: string,
  { payment_intent, payment_record }: Stripe.InvoicePayment.Payment,
): Promise<MoneyBack[]> => {
  const listOthers = async (payment: Stripe.InvoicePaymentListParams.Payment) =>
    (await listPaidInvoices(stripe, payment)).filter((id) => id !== invoice);
  if (payment_intent) {
    const intent = { payment_intent: getId(payment_intent) };
    const found = await stripe.refunds.list({ ...intent, limit: 100 }).autoPagingToArray({ limit: 10_000 });
    const others = found.length === 0 ? [] : await listOthers({ type: 'payment_intent', ...intent });
    return found.map((refund) => ({ ...refund, others }));
  }
  if (!payment_record) return [];
  const { id, created, amount_refunded } = await stripe.paymentRecords.retrieve(getId(payment_record));
  if (amount_refunded.value === 0) return [];
  const others = await listOthers({ type: 'payment_record', payment_record: id });
  return [{ id, created, amount: amount_refunded.value, status: 'succeeded', isRecord: true, others }];
};

/** Reads the refunds of an invoice's payments, oldest first. */
const listMoneyBack = async (stripe: Stripe, invoice: string): Promise<MoneyBack[]> => {
  const found: MoneyBack[] = [];
  for await (const { payment } of stripe.invoicePayments.list({ invoice, status: 'paid', limit: 100 }))
    found.push(...(await readMoneyBack(stripe, invoice, payment)));
  return found.sort((left, right) => left.created - right.created || (left.id < right.id ? -1 : 1));
};

const getProblem = (invoice: string, { id, others }: MoneyBack, rest: number): Problem => {
  const reference = refundReference(invoice, id);
  const amount = `the remaining ${decimal(rest)} of the refund`;
  if (others.length === 0) {
    const detail = `Payment record ${id} was refunded without a credit note. Issue one that includes ${amount}.`;
    return failed(reference, 'payment_record', detail).problem;
  }
  const detail = `The refunded payment also paid ${others.join(', ')}. Issue credit notes that include ${amount}.`;
  return failed(reference, 'shared_payment', detail).problem;
};

/**
 * Returns the part of each refund of an invoice's payments that no credit note includes, and the refunds whose credit is
 * too high: they failed, or a credit note includes them. The first parts return what the customer overpaid. A part of a
 * payment of several invoices can belong to any of them, and the refunds of a payment record have no dates, so these
 * are problems. If a customer overpaid, a credit can also be too low, because a credit note can move the overpaid part
 * to another refund.
 */
const plainRefunds = async (
  stripe: Stripe,
  { id: invoice, amount_overpaid }: Stripe.Invoice,
  noted: ReadonlyMap<string, Noted>,
) => {
  const refunds: Refund[] = [];
  const obsolete: Obsolete[] = [];
  const problems: Problem[] = [];
  let overpaid = amount_overpaid;
  for (const back of await listMoneyBack(stripe, invoice)) {
    const { id, amount, status, created, others, isRecord = false } = back;
    const own = noted.get(id);
    const isFailed = status === 'failed' || status === 'canceled';
    const elsewhere = (await sumIncluded(stripe, others)).get(id) ?? 0;
    const open = isFailed ? 0 : Math.max(amount - (own?.amount ?? 0) - elsewhere, 0);
    const isOpen = others.length > 0 || isRecord;
    const rest = others.length > 0 ? open : Math.max(open - overpaid, 0);
    const refund = { id, total: decimal(isOpen ? 0 : rest), lines: [], shipping: '0', at: instant(created) };
    const isReopened = own?.isReopened === true || amount_overpaid > 0;
    const instead = own?.instead ?? [];
    if (own || isFailed || isReopened) obsolete.push({ refund, isReopened, instead });
    if (isReopened) obsolete.push({ refund: { ...refund, id: restId(id), total: '0.00' }, isReopened, instead });
    if (status !== 'succeeded') continue;
    overpaid -= open - rest;
    if (rest === 0) continue;
    if (isOpen) problems.push(getProblem(invoice, back, rest));
    else refunds.push(refund);
  }
  return { refunds, obsolete, problems };
};

/** Reads the refunds of an invoice: issued credit notes, and refunds without a credit note, oldest first. */
export const readReturned = async (stripe: Stripe, full: FullInvoice): Promise<Returned> => {
  const { id } = full.invoice;
  const notes = await listNotes(stripe, id);
  const refunds: Refund[] = [];
  const obsolete: Obsolete[] = [];
  const noted = new Map<string, Noted>();
  for (const note of notes) {
    const ofNote = await refundsOfNote(stripe, note, full);
    const included = listIncluded(note);
    const isVoid = note.status === 'void';
    if (isVoid)
      obsolete.push(
        ...ofNote.map((refund) => ({ refund: { ...refund, total: '0' }, instead: included.map(({ id }) => id) })),
      );
    else refunds.push(...ofNote);
    for (const { id: key, amount } of included) {
      const { amount: before, ...own } = noted.get(key) ?? { amount: 0, isReopened: false, instead: [] };
      const instead = [...own.instead, ...ofNote.map(({ id }) => id)];
      noted.set(
        key,
        isVoid ? { ...own, amount: before, isReopened: true } : { ...own, amount: before + amount, instead },
      );
    }
  }
  const plain = await plainRefunds(stripe, full.invoice, noted);
  refunds.push(...plain.refunds);
  obsolete.push(...plain.obsolete);
  return { refunds: sortRefunds(refunds), obsolete, notes, problems: plain.problems };
};

// Stripe's limit for a metadata value is 500 characters.
const maxIds = 16;

/** Writes the ids of the credits of each credit note to its metadata, unless it has them. */
export const markNotes = async (
  stripe: Stripe,
  notes: readonly Stripe.CreditNote[],
  credits: ReadonlyMap<string, string>,
): Promise<void> => {
  for (const { id, metadata } of notes) {
    const own = [...credits].filter(([refund]) => refund === id || refund.startsWith(`${id}-`));
    const levy_credit_id = own
      .slice(0, maxIds)
      .map(([, credit]) => credit)
      .join(',');
    if (levy_credit_id !== '' && metadata?.['levy_credit_id'] !== levy_credit_id)
      await stripe.creditNotes.update(id, { metadata: { levy_credit_id } });
  }
};

/** The id of a second credit of a refund, for the part that its first credit lacks. */
const restId = (refund: string): string => `${refund}-rest`;

/**
 * Keeps the credit of a refund with its recorded total. Reduces the refunds that return the same money by its excess, in
 * proportion, or adds a refund of the part that it lacks.
 */
const keepCredit = (refunds: readonly Refund[], { refund, instead }: Obsolete, recorded: bigint): Refund[] => {
  const others = refunds.filter(({ id }) => id !== refund.id);
  const kept = { ...refund, total: toDecimal(recorded, 2) };
  const excess = recorded - toMinor(refund.total, 2);
  if (excess < 0n)
    return sortRefunds([...others, kept, { ...refund, id: restId(refund.id), total: toDecimal(-excess, 2) }]);
  const reduced = others.filter(({ id }) => instead.includes(id));
  const totals = reduced.map(({ total }) => toMinor(total, 2));
  const sum = totals.reduce((all, total) => all + total, 0n);
  const left = distribute(excess < sum ? sum - excess : 0n, totals);
  const rest = reduced.flatMap((one, at) =>
    left[at] ? { ...one, tax: undefined, total: toDecimal(left[at], 2) } : [],
  );
  const untouched = others.filter(({ id }) => !instead.includes(id));
  return sortRefunds([...untouched, ...rest, kept]);
};

/**
 * Voids the credits of voided credit notes, of failed refunds, and of refunds that a credit note includes. Returns a
 * problem for each credit that Levy refuses to void, such as in a closed period. Also returns the refunds to
 * record, reduced so that no amount is credited twice.
 */
export const voidObsolete = async (
  ledger: Ledger,
  invoice: string,
  obsolete: readonly Obsolete[],
  all: readonly Refund[],
) => {
  let isChanged = false;
  let refunds = all;
  const problems: Problem[] = [];
  for (const one of obsolete) {
    const reference = refundReference(invoice, one.refund.id);
    const found = await findByReference(ledger, reference);
    if (!found.ok) problems.push(found.problem);
    if (!found.ok || found.value?.metadata?.['shop'] !== ledger.shop) continue;
    const recorded = toMinor(found.value.total_amount, 2);
    // If Levy keeps the credit of a voided note, the reduced refund in `refunds` applies.
    const wanted = refunds.find(({ id }) => id === one.refund.id) ?? one.refund;
    const total = toMinor(wanted.total, 2);
    if (recorded === total || (recorded < total && !one.isReopened)) continue;
    const update = {
      status: 'void',
      void_reason: 'The credit note was voided, the refund failed, or a credit note now includes the refund.',
    } as const;
    const voided = await change(ledger, 'cancelled', found.value, update);
    isChanged ||= voided.ok;
    if (voided.ok) continue;
    const { problem } = refused(reference, voided.refusal);
    // A credit below its refund is completed by a second credit.
    if (!problem.isFinal || recorded > total) problems.push(problem);
    // A retry voids the credit, then the other refunds are recorded in full.
    refunds = problem.isFinal
      ? keepCredit(refunds, { ...one, refund: wanted }, recorded)
      : refunds.filter(({ id }) => !one.instead.includes(id));
  }
  return { isChanged, problems, refunds };
};
