/** A small stateful model of Stripe's documented invoices, credit notes and refunds, for the real SDK. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';

export type FakeLine = {
  id: string;
  amount: number;
  quantity: number;
  discount: number;
  /** Billing credits. */
  credit?: number;
  product: string;
  tax: number;
  /** The state of each tax row. */
  states?: string[];
};
export type FakeInvoice = {
  id: string;
  status: string;
  currency: string;
  customer?: string;
  exempt: string | null;
  created: number;
  lines: FakeLine[];
  shipping?: object;
  state: string;
  country: string;
  metadata: Record<string, string>;
  writes: number;
  effective?: number;
  finalizes?: number;
  overpaid?: number;
  /** Whether Stripe Tax taxes the invoice. */
  automatic?: boolean;
  /**
   * The payment intent or the payment record, and whether it paid the invoice. Default: a new payment intent that paid
   * the invoice.
   */
  intent?: string;
  payment?: string;
  /** Whether Stripe refuses to change the lines. */
  isLocked?: boolean;
};
export type FakeNote = {
  id: string;
  invoice: string;
  status: string;
  created: number;
  lines: { of: string | null; net: number; credit?: number; tax: number }[];
  refund: string | null;
  /** The part of the refund that the note includes; by default the note's total. */
  refunded?: number;
  metadata?: Record<string, string>;
};
export type FakeRefund = { id: string; invoice: string; amount: number; created: number; status?: string };

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
export const getTotal = ({ lines }: FakeInvoice): number =>
  sum(lines.map(({ amount, discount, credit = 0, tax }) => amount - discount - credit + tax));
export const getTax = ({ lines }: FakeInvoice): number => sum(lines.map(({ tax }) => tax));
export const noteTotal = ({ lines }: FakeNote): number =>
  sum(lines.map(({ net, credit = 0, tax }) => net - credit + tax));
const taxes = (amount: number) => (amount ? [{ amount, tax_behavior: 'exclusive' }] : []);
const pretax = (credit = 0, discount = 0) => [
  { type: 'credit_balance_transaction', amount: credit },
  { type: 'discount', amount: discount },
];
const addresses: Record<string, object> = {
  WA: { line1: '400 Broad St', city: 'Seattle', state: 'WA', postal_code: '98109' },
  TX: { line1: '1100 Congress Ave', city: 'Austin', state: 'TX', postal_code: '78701' },
  CA: { line1: '200 N Spring St', city: 'Los Angeles', state: 'CA', postal_code: '90012' },
  CT: { line1: '550 Main St', city: 'Hartford', state: 'CT', postal_code: '06103' },
  KY: { line1: '700 Capital Ave', city: 'Frankfort', state: 'KY', postal_code: '40601' },
  MI: { line1: '100 N Capitol Ave', city: 'Lansing', state: 'MI', postal_code: '48933' },
  NY: { line1: '1 Centre St', city: 'New York', state: 'NY', postal_code: '10007' },
  PA: { line1: '1400 John F Kennedy Blvd', city: 'Philadelphia', state: 'PA', postal_code: '19107' },
};

const invoiceJson = (invoice: FakeInvoice) => ({
  id: invoice.id,
  object: 'invoice',
  status: invoice.status,
  currency: invoice.currency,
  customer: invoice.customer ?? 'cus_1',
  customer_tax_exempt: invoice.exempt,
  customer_shipping: invoice.shipping ? { address: invoice.shipping } : null,
  automatic_tax: { enabled: invoice.automatic ?? false },
  customer_address: { ...addresses[invoice.state], country: invoice.country },
  created: invoice.created,
  effective_at: invoice.effective ?? null,
  automatically_finalizes_at: invoice.finalizes ?? null,
  amount_overpaid: invoice.overpaid ?? 0,
  status_transitions: { finalized_at: invoice.status === 'draft' ? null : invoice.created },
  total: getTotal(invoice),
  total_taxes: taxes(getTax(invoice)),
  shipping_cost: null,
  metadata: invoice.metadata,
});
const lineJson = ({ id, amount, quantity, discount, credit, product, tax }: FakeLine) => ({
  id,
  object: 'line_item',
  amount,
  quantity: Math.floor(quantity),
  quantity_decimal: String(quantity),
  description: null,
  metadata: {},
  taxes: taxes(tax),
  discount_amounts: discount ? [{ amount: discount }] : [],
  pretax_credit_amounts: pretax(credit, discount),
  pricing: { price_details: { product } },
});
const isRecord = (id: string): boolean => id.startsWith('prec_');
/** A refund of Stripe, or of a payment record. */
const listRefund = (id: string) =>
  isRecord(id)
    ? { type: 'payment_record_refund', refund: null, payment_record_refund: { payment_record: id, refund_group: 'g' } }
    : { type: 'refund', refund: id, payment_record_refund: null };
const noteJson = (note: FakeNote) => ({
  id: note.id,
  object: 'credit_note',
  status: note.status,
  created: note.created,
  effective_at: null,
  metadata: note.metadata ?? {},
  total: noteTotal(note),
  refunds: note.refund ? [{ ...listRefund(note.refund), amount_refunded: note.refunded ?? noteTotal(note) }] : [],
});

export const startStripe = async () => {
  const invoices = new Map<string, FakeInvoice>();
  const notes: FakeNote[] = [];
  const refunds: FakeRefund[] = [];
  const state = {
    /** The status of all responses, unless 0. */
    fault: 0,
    /** The status of each response to a POST, if not 0. */
    postFault: 0,
    /** Requests that Stripe's official mock refused. */
    refused: [] as string[],
  };
  const mock = process.env['STRIPE_MOCK_URL'];
  const validate = async (method: string, url: string, body: string) => {
    const headers = { Authorization: 'Bearer sk_test_1', 'Content-Type': 'application/x-www-form-urlencoded' };
    const response = await fetch(`${mock}${url}`, { method, headers, ...(method === 'POST' && { body }) });
    if (!response.ok) state.refused.push(`${method} ${url} ${body}: ${await response.text()}`);
  };
  const get = (path: string, query: URLSearchParams): { status: number; body: unknown } => {
    const [kind = '', id = '', sub] = path.split('/').slice(2);
    const page = (rows: { id: string }[]) => {
      const start = rows.findIndex((row) => row.id === query.get('starting_after')) + 1;
      const size = Number(query.get('limit') ?? 10);
      const data = rows.slice(start, start + size);
      return { status: 200, body: { object: 'list', url: path, data, has_more: start + size < rows.length } };
    };
    const owner = query.get('invoice');
    const getIntent = (invoice: string) => invoices.get(invoice)?.intent ?? `pi_${invoice}`;
    const intent = ['payment_intent', 'payment[payment_intent]', 'payment[payment_record]']
      .map((name) => query.get(name))
      .find(Boolean);
    if (kind === 'products' && id === 'prod_deleted')
      return { status: 404, body: { error: { type: 'invalid_request_error', message: 'No such product' } } };
    if (kind === 'products')
      return {
        status: 200,
        body: { id, object: 'product', metadata: {}, tax_code: id === 'prod_none' ? null : id.slice(5) },
      };
    if (kind === 'credit_notes' && !id) return page(notes.filter(({ invoice }) => invoice === owner).map(noteJson));
    if (kind === 'credit_notes')
      return page(
        (notes.find((note) => note.id === id)?.lines ?? []).map(({ of, net, credit, tax }) => ({
          id: `cnli_${of}`,
          invoice_line_item: of,
          amount: net,
          discount_amount: 0,
          pretax_credit_amounts: pretax(credit),
          taxes: taxes(tax),
        })),
      );
    if (kind === 'invoice_payments')
      return page(
        [...invoices.values()]
          .map(({ id: invoice, payment: status = 'paid' }) => ({ invoice, intent: getIntent(invoice), status }))
          .filter((row) => (owner ? row.invoice === owner : row.intent === intent))
          .filter(({ status }) => status === (query.get('status') ?? status))
          .map((row) => ({
            ...row,
            id: `inpay_${row.invoice}`,
            payment: { [isRecord(row.intent) ? 'payment_record' : 'payment_intent']: row.intent },
          })),
      );
    if (kind === 'payment_records') {
      const own = refunds.filter(({ invoice }) => getIntent(invoice) === id);
      const value = sum(own.map(({ amount }) => amount));
      return { status: 200, body: { id, object: 'payment_record', created: 0, amount_refunded: { value } } };
    }
    if (kind === 'refunds')
      return page(
        refunds
          .filter(({ invoice }) => getIntent(invoice) === intent)
          .map((refund) => ({ status: 'succeeded', ...refund })),
      );
    const since = Number(query.get('created[gte]'));
    const until = Number(query.get('created[lt]'));
    if (!id)
      return page([...invoices.values()].filter(({ created }) => created >= since && created < until).map(invoiceJson));
    const invoice = invoices.get(id);
    if (!invoice)
      return { status: 404, body: { error: { type: 'invalid_request_error', message: `No such invoice: ${id}` } } };
    return sub === 'lines' ? page(invoice.lines.map(lineJson)) : { status: 200, body: invoiceJson(invoice) };
  };
  const post = (path: string, form: URLSearchParams): { status: number; body: unknown } => {
    const note = notes.find(({ id }) => path === `/v1/credit_notes/${id}`);
    if (note) {
      for (const [key, value] of form)
        note.metadata = { ...note.metadata, [/^metadata\[(\w+)\]$/.exec(key)?.[1] ?? key]: value };
      return { status: 200, body: noteJson(note) };
    }
    const invoice = invoices.get(path.split('/')[3] ?? '') as FakeInvoice;
    const refused = (message: string) => ({ status: 400, body: { error: { type: 'invalid_request_error', message } } });
    const indexes = [...form.keys()].flatMap((key) => /^lines\[(\d+)\]\[id\]$/.exec(key)?.[1] ?? []);
    if (indexes.length > 0 && (invoice.status !== 'draft' || invoice.isLocked)) return refused('Not editable.');
    for (const at of indexes) {
      const line = invoice.lines.find(({ id }) => id === form.get(`lines[${at}][id]`));
      if (!line) return refused('No such line.');
      const amounts = [...form].filter(
        ([key]) => key.startsWith(`lines[${at}][tax_amounts]`) && key.endsWith('[amount]'),
      );
      if (amounts.length > 10) return refused('At most ten tax amounts.');
      line.states = [...form]
        .filter(([key]) => key.startsWith(`lines[${at}][tax_amounts]`) && key.endsWith('[state]'))
        .map(([, state]) => state);
      line.tax = sum(amounts.map(([, amount]) => Number(amount)));
    }
    for (const [key, value] of form) {
      const name = /^(?:invoice_)?metadata\[(\w+)\]$/.exec(key)?.[1];
      if (name) invoice.metadata[name] = value;
    }
    invoice.writes++;
    return { status: 200, body: invoiceJson(invoice) };
  };
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    if (mock) await validate(request.method ?? '', request.url ?? '', text);
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://stripe');
    const fault = state.fault || (request.method === 'POST' ? state.postFault : 0);
    const { status, body } = fault
      ? { status: fault, body: { error: { type: 'api_error', message: 'A fault of the test.' } } }
      : request.method === 'GET'
        ? get(pathname, searchParams)
        : post(pathname, new URLSearchParams(text));
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stripe = new Stripe('sk_test_1', { host: '127.0.0.1', port, protocol: 'http', maxNetworkRetries: 0 });
  return {
    stripe,
    invoices,
    notes,
    refunds,
    state,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  };
};
