import type Stripe from 'stripe';
import type { Levy } from '../../shared/client/client.ts';
import { toDocument } from '../core/document.ts';
import { toMinor } from '../core/money.ts';
import type { Order } from '../core/order.ts';
import { failed, formatProblem, type Problem } from '../core/problem.ts';
import { createQuotes, type GetQuote } from '../core/quotes.ts';
import { invalidOrder, type Range, type Report, reconcile, toInstants } from '../core/reconcile.ts';
import { type Recorded, recordOrder } from '../core/sales.ts';
import { checkShopName, type Ledger } from '../core/transactions.ts';
import { buildOrder, decimal, type FullInvoice, getCredits, getTax, isForeign, voidedOrder } from './invoice.ts';
import { listPaidInvoices, markNotes, type Returned, readReturned, voidObsolete } from './refunds.ts';
import { createTaxCodes, type TaxCodes, UnsupportedInvoice } from './tax-codes.ts';
import { markInvoice, writeTaxes } from './taxes.ts';

export type LevyStripeOptions = {
  readonly stripe: Stripe;
  readonly levy: Levy;
  /** Prefix of the idempotency keys, unique for each Stripe account of a Levy account. Default: `stripe`. */
  readonly shop?: string;
  /**
   * Time limits for a draft in milliseconds: of its calculation, and of the calls that record it. Default: 2,000 each,
   * so Levy delays a draft by at most four seconds. Calls for finalized invoices have the limits of the client.
   */
  readonly timeoutMs?: number;
};

/** The problems need manual action. `isChanged` is whether Levy or the invoice was changed. */
export type Handled = { readonly isChanged: boolean; readonly problems: readonly Problem[] };

export type LevyStripe = {
  /**
   * Synchronizes Levy with the invoice of a Stripe event. Events can be lost, repeated or reordered, because the current
   * state of the invoice counts. Throws during an outage: respond with 500, so Stripe sends the event again.
   */
  readonly handleEvent: (event: Stripe.Event) => Promise<Handled>;
  /** Writes Levy's taxes to a draft invoice, or records an invoice that is not a draft. Throws during an outage. */
  readonly applyTax: (invoiceId: string) => Promise<Handled>;
  /** Handles all invoices created in a range of days (UTC) or up to 45 days before it, and lists the differences. */
  readonly reconcile: (range: Range) => Promise<Report>;
};

/** The events to subscribe to. */
export const stripeEvents = [
  'invoice.created',
  'invoice.updated',
  'invoice.finalized',
  'invoice.voided',
  'invoice.deleted',
  'credit_note.created',
  'credit_note.updated',
  'credit_note.voided',
  'charge.refunded',
  'refund.updated',
  'refund.failed',
] as const;

const nothing: Handled = { isChanged: false, problems: [] };
const lookBackSeconds = 45 * 24 * 60 * 60;

/** Reads an invoice, or returns `null` for a deleted draft, which Stripe does not keep. */
const readInvoice = async (stripe: Stripe, id: string): Promise<FullInvoice | null> => {
  const invoice = await stripe.invoices.retrieve(id).catch((error) => {
    if (error.statusCode !== 404) throw error;
  });
  if (!invoice) return null;
  const list = stripe.invoices.listLineItems(id, { limit: 100 });
  return { invoice, lines: await list.autoPagingToArray({ limit: 10_000 }) };
};

/** Returns the ids of the invoices of an event. */
const readInvoices = async (stripe: Stripe, { type, data }: Stripe.Event): Promise<string[]> => {
  const object = data.object as { id: string; invoice?: string | { id: string }; payment_intent?: unknown };
  if (type.startsWith('invoice.')) return [object.id];
  if (type.startsWith('credit_note.'))
    return [typeof object.invoice === 'string' ? object.invoice : (object.invoice?.id ?? [])].flat();
  const { payment_intent } = object;
  return typeof payment_intent === 'string' ? listPaidInvoices(stripe, { type: 'payment_intent', payment_intent }) : [];
};

/** Returns a client whose calls all end at the signal. */
const limited = (levy: Levy, signal: AbortSignal): Levy => {
  const { get, post } = levy as unknown as Record<'get' | 'post', (path: string, input?: object) => Promise<unknown>>;
  const calls = {
    get: (path: string, input?: object) => get(path, { ...input, signal }),
    post: (path: string, input?: object) => post(path, { ...input, signal }),
  };
  return { ...levy, ...(calls as unknown as Pick<Levy, 'get' | 'post'>) };
};

type Context = {
  readonly timeoutMs: number;
  readonly stripe: Stripe;
  readonly ledger: Ledger;
  readonly quote: GetQuote;
  readonly codes: TaxCodes;
};

const buildProblem = (id: string, code: string, detail: string): Handled => ({
  isChanged: false,
  problems: [failed(id, code, detail).problem],
});

/** Calculates a draft, records its draft transaction, and writes the taxes to the invoice. */
const taxDraft = async (context: Context, full: FullInvoice, order: Order): Promise<Handled> => {
  const { reference } = order;
  const { stripe, quote, timeoutMs } = context;
  const documented = toDocument(order);
  if (!documented.ok) return buildProblem(reference, documented.gap.code, documented.gap.detail);
  const quoted = await quote({ ...documented.document, tax_date: order.placedAt });
  if (!quoted.ok && quoted.reason === 'unavailable') throw new Error(`Levy is unavailable: ${quoted.detail}`);
  if (!quoted.ok) return buildProblem(reference, quoted.reason, quoted.detail);
  const { tax_amount: tax, total_amount: total } = quoted.calculation;
  if ((full.invoice.customer_tax_exempt ?? 'none') !== 'none' && toMinor(tax, 2) !== 0n)
    return buildProblem(
      reference,
      'no_certificate',
      `Customer ${order.customerId} is exempt in Stripe, not in Levy. Send the certificate with POST /customers.`,
    );
  const levy = limited(context.ledger.levy, AbortSignal.timeout(timeoutMs));
  const ledger = { ...context.ledger, levy };
  const { sale, problems, isChanged } = await recordOrder(ledger, { ...order, tax, total });
  const credits = full.lines.reduce((sum, line) => sum + getCredits(line), 0);
  const credited = `Billing credits of ${decimal(credits)} lower the tax, because Stripe applies them before tax.`;
  const messages = [...quoted.warnings, ...(credits > 0 ? [credited] : [])];
  const warnings = messages.map((detail) => failed(reference, 'warning', detail).problem);
  if (!sale) return { problems, isChanged };
  const isWritten = await writeTaxes(stripe, full, quoted.calculation, sale.id);
  return { problems: [...problems, ...warnings], isChanged: isChanged || isWritten };
};

/**
 * Removes Levy's taxes from an invoice whose customer moved abroad while it was a draft. A finalized invoice cannot be
 * changed, so its taxes are reported as a problem.
 */
const leaveAbroad = async ({ stripe, ledger }: Context, full: FullInvoice): Promise<Handled> => {
  const { id, metadata, status, total_taxes } = full.invoice;
  if (!metadata?.['levy_transaction_id']) return nothing;
  const { problems } = await recordOrder(ledger, voidedOrder(id));
  if (status === 'draft') return { isChanged: await writeTaxes(stripe, full, { line_items: [] }, ''), problems };
  if (getTax(total_taxes) === 0 || status === 'void') return { isChanged: false, problems };
  const detail =
    'The invoice charges US taxes, but its customer is outside the US. Refund the taxes with a credit note.';
  return { isChanged: false, problems: [...problems, failed(id, 'foreign_country', detail).problem] };
};

type Read = Omit<Returned, 'refunds'> & { readonly full: FullInvoice; readonly order: Order };

/** Reads the current state of an invoice, or the problem that keeps Levy from recording it. */
const readOrder = async (context: Context, full: FullInvoice): Promise<Read | Handled> => {
  const { stripe, codes } = context;
  if (full.lines.length === 0) return nothing;
  if (isForeign(full.invoice)) return leaveAbroad(context, full);
  const none: Returned = { refunds: [], obsolete: [], notes: [], problems: [] };
  const { refunds, ...others } = full.invoice.status === 'draft' ? none : await readReturned(stripe, full);
  try {
    return { full, ...others, order: await buildOrder(full, refunds, codes) };
  } catch (error) {
    if (!(error instanceof UnsupportedInvoice)) throw error;
    return buildProblem(full.invoice.id, error.code, error.message);
  }
};

/** Voids obsolete credits. Returns the order with the refunds that can be recorded afterwards. */
const withoutObsolete = async (ledger: Ledger, read: Read): Promise<Handled & { order: Order }> => {
  const { order, obsolete } = read;
  const { refunds, isChanged, problems } = await voidObsolete(ledger, order.reference, obsolete, order.refunds);
  return { isChanged, problems: [...read.problems, ...problems], order: { ...order, refunds } };
};

type Prepared = Handled & { readonly order?: Order; readonly read?: Read };

/** Handles a draft invoice; returns the order of any other invoice. */
const prepare = async (context: Context, full: FullInvoice): Promise<Prepared> => {
  const read = await readOrder(context, full);
  if (!('order' in read)) return read;
  if (read.order.wanted === 'draft') return taxDraft(context, read.full, read.order);
  return { ...(await withoutObsolete(context.ledger, read)), read };
};

/** Writes the ids of an invoice's sale and credits to Stripe. */
const markRecorded = async ({ stripe }: Context, { full, notes }: Read, recorded: Recorded): Promise<Handled> => {
  if (recorded.credits) await markNotes(stripe, notes, recorded.credits);
  // The draft transaction can have expired since.
  if (recorded.sale) await markInvoice(stripe, full.invoice, recorded.sale.id);
  return nothing;
};

const applyTax = async (context: Context, full: FullInvoice): Promise<Handled> => {
  const prepared = await prepare(context, full);
  const { order, read } = prepared;
  if (!order || !read) return prepared;
  const recorded = await recordOrder(context.ledger, order);
  await markRecorded(context, read, recorded);
  return {
    problems: [...prepared.problems, ...recorded.problems],
    isChanged: recorded.isChanged || prepared.isChanged,
  };
};

/** Returns a problem for an invoice that cannot be converted or that Stripe refuses to change, so others continue. */
const orProblem = <Result extends Handled>(id: string, handled: Promise<Result>): Promise<Result | Handled> =>
  handled.catch((error: Error & { readonly statusCode?: number }) => {
    if (!(error instanceof RangeError) && error.statusCode !== 400) throw error;
    return { isChanged: false, problems: [invalidOrder(id, error)] };
  });

const handleEvent = async (context: Context, event: Stripe.Event): Promise<Handled> => {
  if (!(stripeEvents as readonly string[]).includes(event.type)) return nothing;
  const ids = await readInvoices(context.stripe, event);
  let all = nothing;
  for (const id of ids) {
    const full = event.type === 'invoice.deleted' ? null : await readInvoice(context.stripe, id);
    // An earlier event of a deleted draft can arrive after its deletion. Voiding needs only the reference.
    const applied = full ? applyTax(context, full) : recordOrder(context.ledger, voidedOrder(id));
    const handled = await orProblem(id, applied);
    all = { isChanged: all.isChanged || handled.isChanged, problems: [...all.problems, ...handled.problems] };
  }
  return all;
};

/** Throws for a problem that a retry can resolve, such as a conflict with another event of the invoice. */
const withoutTemporary = (handled: Handled): Handled => {
  const temporary = handled.problems.find(({ isFinal }) => !isFinal);
  if (temporary) throw new Error(formatProblem(temporary));
  return handled;
};

/**
 * Handles sales whose invoices were created before the listed ones. Returns as extra the entries without an invoice,
 * and those whose invoice has neither an order nor a problem.
 */
const handleExtra = async (context: Context, entries: Report['extra'], listed: ReadonlySet<string>) => {
  const recorded: string[] = [];
  const problems: Problem[] = [];
  const extra: Report['extra'][number][] = [];
  for (const entry of entries) {
    const id = entry.type === 'sale' ? entry.reference_id : null;
    const full = id && !listed.has(id) ? await readInvoice(context.stripe, id) : null;
    const handled = full ? await orProblem(full.invoice.id, applyTax(context, full)) : nothing;
    problems.push(...handled.problems);
    if (full && handled.isChanged) recorded.push(full.invoice.id);
    if (!full || handled === nothing) extra.push(entry);
  }
  return { recorded, problems, extra };
};

const reconcileInvoices = async (context: Context, range: Range): Promise<Report> => {
  const { stripe, ledger } = context;
  const { from, end } = toInstants(range);
  const created = { gte: from.getTime() / 1000 - lookBackSeconds, lt: end.getTime() / 1000 };
  const orders: Order[] = [];
  const reads = new Map<string, Read>();
  const problems: Problem[] = [];
  const recorded = new Set<string>();
  const listed = new Set<string>();
  for await (const { id } of stripe.invoices.list({ created, limit: 100 })) {
    const full = await readInvoice(stripe, id);
    if (!full) continue;
    listed.add(id);
    const prepared: Prepared = await orProblem(id, prepare(context, full));
    problems.push(...prepared.problems);
    if (prepared.order) orders.push(prepared.order);
    if (prepared.read) reads.set(id, prepared.read);
    if (prepared.isChanged) recorded.add(id);
  }
  const results = new Map<string, Recorded>();
  const record: typeof recordOrder = async (_, order) => {
    const result = await recordOrder(ledger, order);
    results.set(order.reference, result);
    return result;
  };
  const report = await reconcile(ledger, orders, range, problems, record);
  const refused: Problem[] = [];
  for (const [id, result] of results)
    refused.push(...(await orProblem(id, markRecorded(context, reads.get(id) as Read, result))).problems);
  const later = await handleExtra(context, report.extra, listed);
  return {
    ...report,
    recorded: [...new Set([...recorded, ...report.recorded, ...later.recorded])],
    problems: [...report.problems, ...refused, ...later.problems],
    extra: later.extra,
  };
};

/** Connects Stripe Billing to Levy. Throws `RangeError` for an invalid `shop`. */
export const createLevyStripe = ({
  stripe,
  levy,
  shop = 'stripe',
  timeoutMs = 2000,
}: LevyStripeOptions): LevyStripe => {
  checkShopName(shop);
  // A certificate that the merchant sends between two events of a draft must apply.
  const quote = createQuotes({ levy, timeoutMs, maxEntries: 0 });
  const context: Context = {
    timeoutMs,
    stripe,
    ledger: { levy, shop },
    quote,
    codes: createTaxCodes(stripe, levy, timeoutMs),
  };
  return {
    applyTax: async (id) => {
      const full = await readInvoice(stripe, id);
      if (!full) throw new RangeError(`Stripe has no invoice "${id}".`);
      return withoutTemporary(await orProblem(id, applyTax(context, full)));
    },
    handleEvent: async (event) => withoutTemporary(await handleEvent(context, event)),
    reconcile: (range) => reconcileInvoices(context, range),
  };
};
