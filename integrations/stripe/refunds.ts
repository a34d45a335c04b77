/** Reads the credit notes and refunds of an invoice. */

import type Stripe from 'stripe';
import { refundReference } from '../core/credits.ts';
import type { Refund } from '../core/order.ts';
import { change, findByReference, type Ledger } from '../core/transactions.ts';
import { decimal, type FullInvoice, getTax, instant } from './invoice.ts';

export type Returned = {
  readonly refunds: readonly Refund[];
  /** The ids in `Refund` of voided credit notes, and of refunds that failed. */
  readonly voided: readonly string[];
  readonly notes: readonly Stripe.CreditNote[];
};

type Dated = Refund & { readonly seconds: number };

/**
 * Returns a refund for each line of a credit note, so each line is credited with its own amount. A credit note without
 * invoice lines is distributed over the invoice.
 */
const refundsOfNote = async (stripe: Stripe, note: Stripe.CreditNote, { lines }: FullInvoice): Promise<Dated[]> => {
  const seconds = note.effective_at ?? note.created;
  const base = { shipping: '0', at: instant(seconds), seconds };
  const rows = await stripe.creditNotes.listLineItems(note.id, { limit: 100 }).autoPagingToArray({ limit: 10_000 });
  const amounts = rows.map((row) => row.amount - row.discount_amount + getTax(row.taxes));
  const isByLine = rows.every((row, at) => row.invoice_line_item && (amounts[at] as number) >= 0);
  if (!isByLine || amounts.reduce((sum, amount) => sum + amount, 0) !== note.total)
    return [{ ...base, id: note.id, total: decimal(note.total), lines: [] }];
  return rows.map((row, at) => {
    const line = lines.find(({ id }) => id === row.invoice_line_item);
    const quantity = Math.max(line?.quantity ?? 1, 1);
    const returned = line ? [{ id: line.id, quantity }] : [];
    return {
      ...base,
      id: `${note.id}-${row.invoice_line_item}`,
      total: decimal(amounts[at] as number),
      lines: returned,
    };
  });
};

/** Returns the refunds of an invoice's payments that no credit note includes, and the ids of those that failed. */
const plainRefunds = async (stripe: Stripe, invoice: string, noted: ReadonlySet<string>) => {
  const refunds: Dated[] = [];
  const failed: string[] = [];
  for await (const { payment } of stripe.invoicePayments.list({ invoice, limit: 100 })) {
    const intent = typeof payment.payment_intent === 'string' ? payment.payment_intent : payment.payment_intent?.id;
    if (!intent) continue;
    for await (const { id, amount, status, created } of stripe.refunds.list({ payment_intent: intent, limit: 100 })) {
      if (noted.has(id)) continue;
      if (status === 'failed' || status === 'canceled') failed.push(id);
      if (status === 'succeeded')
        refunds.push({ id, total: decimal(amount), lines: [], shipping: '0', at: instant(created), seconds: created });
    }
  }
  return { refunds, failed };
};

/** Reads the refunds of an invoice: issued credit notes, and refunds without a credit note, oldest first. */
export const readReturned = async (stripe: Stripe, full: FullInvoice): Promise<Returned> => {
  const { id } = full.invoice;
  const notes = await stripe.creditNotes.list({ invoice: id, limit: 100 }).autoPagingToArray({ limit: 10_000 });
  const refunds: Dated[] = [];
  const voided: string[] = [];
  const noted = new Set<string>();
  for (const note of notes) {
    const ofNote = await refundsOfNote(stripe, note, full);
    if (note.status === 'void') voided.push(...ofNote.map((refund) => refund.id));
    else refunds.push(...ofNote);
    for (const { refund } of note.refunds) noted.add(typeof refund === 'string' ? refund : refund.id);
  }
  const plain = await plainRefunds(stripe, id, noted);
  refunds.push(...plain.refunds);
  voided.push(...plain.failed);
  refunds.sort((left, right) => left.seconds - right.seconds || (left.id < right.id ? -1 : 1));
  return { refunds: refunds.map(({ seconds, ...refund }) => refund), voided, notes };
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

/** Voids the credits of voided credit notes and failed refunds. Returns whether it changed one. */
export const voidCredits = async (ledger: Ledger, invoice: string, ids: readonly string[]): Promise<boolean> => {
  let isChanged = false;
  for (const id of ids) {
    const reference = refundReference(invoice, id);
    const found = await findByReference(ledger, reference);
    if (!found.ok || found.value?.metadata?.['shop'] !== ledger.shop) continue;
    const update = { status: 'void', void_reason: 'The credit note was voided, or the refund failed.' } as const;
    isChanged = (await change(ledger, 'cancelled', found.value, reference, update)).ok || isChanged;
  }
  return isChanged;
};
