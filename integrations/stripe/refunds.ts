/** Reads the credit notes and refunds of an invoice. */

import type Stripe from 'stripe';
import { refundReference } from '../core/credits.ts';
import { distribute, toDecimal, toMinor } from '../core/money.ts';
import type { Refund } from '../core/order.ts';
import { failed, type Problem, refused } from '../core/problem.ts';
import { change, findByReference, type Ledger } from '../core/transactions.ts';
import { decimal, type FullInvoice, getCredits, getTax, instant } from './invoice.ts';

/** A refund whose credit in Levy no longer belongs to the invoice. A credit above `refund.total` is voided. */
type Obsolete = {
  readonly refund: Refund;
  /** Whether a credit note that included it was voided. Then a credit below `refund.total` is voided, too. */
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

/** Returns the ids of the invoices that a payment intent paid. */
export const listPaidInvoices = async (stripe: Stripe, payment_intent: string): Promise<string[]> => {
  const payment = { type: 'payment_intent', payment_intent } as const;
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

/** Distributes a credit note that returns only tax, without naming a line, over the taxes of the invoice. */
const listTaxRows = (total: number, { lines }: FullInvoice): Row[] => {
  const taxes = lines.map((line) => BigInt(getTax(line.taxes)));
  const parts = distribute(BigInt(total), taxes);
  return lines.map(({ id }, at) => ({ of: id, net: 0, tax: Number(parts[at]) })).filter(({ tax }) => tax > 0);
};

/**
 * Returns a refund for each line of a credit note, so each line is credited with its own amount and tax. A credit note
 * without invoice lines is distributed over the invoice.
 */
const refundsOfNote = async (stripe: Stripe, note: Stripe.CreditNote, full: FullInvoice): Promise<Refund[]> => {
  const base = { shipping: '0', at: instant(note.effective_at ?? note.created) };
  const read = await readRows(stripe, note);
  const isOnlyTax = read.length > 0 && read.every(({ of, net }) => !of && net === 0);
  const rows = isOnlyTax ? listTaxRows(note.total, full) : read;
  const isByLine = rows.every(({ of, net, tax }) => of && net + tax >= 0);
  if (!isByLine || getGross(rows) !== note.total)
    return [{ ...base, id: note.id, total: decimal(note.total), lines: [] }];
  return rows.map(({ of, net, tax }) => {
    const line = full.lines.find(({ id }) => id === of);
    const quantity = Math.max(line?.quantity ?? 1, 1);
    const lines = line ? [{ id: line.id, quantity }] : [];
    const own = { lines, total: decimal(net + tax), ...(tax > 0 && { tax: decimal(tax) }) };
    return { ...base, id: `${note.id}-${of}`, ...own };
  });
};

/** The part of a refund that issued credit notes include, and whether a voided one included it. */
type Noted = { readonly amount: number; readonly isReopened: boolean; readonly instead: readonly string[] };

/** Returns the refunds that a credit note includes, without those of payments outside of Stripe. */
const listIncluded = ({ refunds }: Stripe.CreditNote) =>
  refunds
    .filter(({ type }) => type !== 'payment_record_refund')
    .map(({ refund, amount_refunded }) => ({ id: getId(refund), amount: amount_refunded }));

/** Returns the amount of each refund that the issued credit notes of invoices include. */
const sumIncluded = async (stripe: Stripe, invoices: readonly string[]): Promise<ReadonlyMap<string, number>> => {
  const included = new Map<string, number>();
  for (const invoice of invoices)
    for (const note of await listNotes(stripe, invoice))
      for (const { id, amount } of note.status === 'void' ? [] : listIncluded(note))
        included.set(id, (included.get(id) ?? 0) + amount);
  return included;
};

/**
 * Returns the part of each refund of an invoice's payments that no credit note includes, and the refunds whose credit is
 * too high: they failed, or a credit note includes them. A part of a payment of several invoices can belong to any of
 * them, so it is a problem.
 */
const plainRefunds = async (stripe: Stripe, invoice: string, noted: ReadonlyMap<string, Noted>) => {
  const refunds: Refund[] = [];
  const obsolete: Obsolete[] = [];
  const problems: Problem[] = [];
  for await (const { payment } of stripe.invoicePayments.list({ invoice, status: 'paid', limit: 100 })) {
    if (!payment.payment_intent) continue;
    const payment_intent = getId(payment.payment_intent);
    const found = await stripe.refunds.list({ payment_intent, limit: 100 }).autoPagingToArray({ limit: 10_000 });
    const paid = found.length === 0 ? [] : await listPaidInvoices(stripe, payment_intent);
    const others = paid.filter((id) => id !== invoice);
    const elsewhere = await sumIncluded(stripe, others);
    for (const { id, amount, status, created } of found) {
      const own = noted.get(id);
      const isFailed = status === 'failed' || status === 'canceled';
      const rest = isFailed ? 0 : Math.max(amount - (own?.amount ?? 0) - (elsewhere.get(id) ?? 0), 0);
      const total = decimal(others.length > 0 ? 0 : rest);
      const refund = { id, total, lines: [], shipping: '0', at: instant(created) };
      if (own || isFailed) obsolete.push({ refund, isReopened: own?.isReopened === true, instead: own?.instead ?? [] });
      if (status !== 'succeeded' || rest === 0) continue;
      const detail = `The payment of this refund also paid ${others.join(', ')}. Issue credit notes that include the other ${decimal(rest)} of the refund.`;
      if (others.length === 0) refunds.push(refund);
      else problems.push(failed(refundReference(invoice, id), 'shared_payment', detail).problem);
    }
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
  const plain = await plainRefunds(stripe, id, noted);
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

/**
 * Keeps the credit of a refund with its recorded total, and reduces the refunds that return the same money by its
 * excess, in proportion.
 */
const keepCredit = (refunds: readonly Refund[], { refund, instead }: Obsolete, recorded: bigint): Refund[] => {
  const others = refunds.filter(({ id }) => id !== refund.id);
  const reduced = others.filter(({ id }) => instead.includes(id));
  const totals = reduced.map(({ total }) => toMinor(total, 2));
  const sum = totals.reduce((all, total) => all + total, 0n);
  const excess = recorded - toMinor(refund.total, 2);
  const left = distribute(excess < sum ? sum - excess : 0n, totals);
  const rest = reduced.flatMap((one, at) =>
    left[at] ? { ...one, tax: undefined, total: toDecimal(left[at], 2) } : [],
  );
  const untouched = others.filter(({ id }) => !instead.includes(id));
  return sortRefunds([...untouched, ...rest, { ...refund, total: toDecimal(recorded, 2) }]);
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
    // Less than its rest if Levy keeps the credit of a voided note.
    const wanted = refunds.find(({ id }) => id === one.refund.id) ?? one.refund;
    const total = toMinor(wanted.total, 2);
    if (recorded === total || (recorded < total && !one.isReopened)) continue;
    const update = {
      status: 'void',
      void_reason: 'The credit note was voided, the refund failed, or a credit note includes it.',
    } as const;
    const voided = await change(ledger, 'cancelled', found.value, update);
    isChanged ||= voided.ok;
    if (voided.ok) continue;
    const { problem } = refused(reference, voided.refusal);
    problems.push(problem);
    // A retry voids the credit, then the other refunds are recorded in full.
    refunds = problem.isFinal
      ? keepCredit(refunds, one, recorded)
      : refunds.filter(({ id }) => !one.instead.includes(id));
  }
  return { isChanged, problems, refunds };
};
