import { writeCursor } from '../../shared/ledger/list-transactions.ts';
import type { Request } from './service.ts';
import { below, between, chance, pickOne, pickOneOrNone, weighted } from './world.ts';

/** The data of both accounts that the clients of an account have received. */
export type Known = {
  readonly own: readonly Seen[];
  readonly foreign: readonly Seen[];
  readonly filings: readonly string[];
  /** The exceptions of filings as last seen, by id. */
  readonly exceptions: ReadonlyMap<string, number>;
  readonly foreignSecret: string;
  readonly isVaried: boolean;
};

/** Generates a random request from the data that its client has seen. */
type Making = (known: Known, name: string) => Omit<Request, 'key'>;

/** Request bodies: sales and credits with uneven amounts and contended references. */

/** A transaction as last seen by a client. */
export type Seen = {
  readonly id: string;
  readonly version: number;
  readonly status: string;
  readonly type: string;
  readonly line_items: readonly { readonly id: string }[];
};

const michigan = { country: 'US', state: 'MI', city: 'Detroit', postal_code: '48226' };
const newJersey = { country: 'US', state: 'NJ', city: 'Newark', postal_code: '07102' };

// Most have taxes with fractions of a cent.
const prices = ['100.00', '19.99', '33.33', '0.07'] as const;
// All clients use these references.
const references = ['inv_1', 'inv_2'] as const;

const line = (id: string) => ({
  id,
  product_tax_code: 'GENERAL',
  quantity: String(1 + below(3)),
  unit_price: pickOne(prices),
  ...(chance(0.2) && { customer: { address: newJersey } }),
});

const lines = () => [line('a'), ...(chance(0.4) ? [line('b')] : [])];

const getReference = (share: number) => (chance(share) ? { reference_id: pickOne(references) } : {});

const sale = (status: 'draft' | 'finalized') => ({
  status,
  tax_date: weighted([
    [6, '2026-10-20'],
    [1, '2026-09-10'],
    [1, '2026-11-10'],
  ]),
  customer: { ...(chance(0.3) && { id: 'buyer' }), address: michigan },
  line_items: lines(),
  ...(chance(0.25) && { shipping: { amount: '5.00' } }),
  ...(chance(0.15) && { discount_amount: '0.05' }),
  ...(chance(0.1) && { tax_amount: '1.23' }),
  ...getReference(0.6),
});

const creditLine = (parent: Seen | undefined) => {
  const parentId = pickOneOrNone(parent?.line_items ?? [])?.id ?? 'a';
  const size = weighted([
    [5, { quantity: '1' }],
    [3, { quantity: '1', unit_price: '3.33' }],
    [1, { quantity: '3' }],
  ]);
  return chance(0.05)
    ? { id: 'x', product_tax_code: 'GENERAL', quantity: '1', unit_price: '1.00' }
    : { id: `of_${parentId}`, parent_line_item_id: parentId, ...size };
};

const credit = (parent: Seen | undefined, status: 'draft' | 'finalized') => ({
  type: 'credit',
  status,
  parent_transaction_id: parent?.id ?? 'txn_0',
  ...weighted<object>([
    [3, {}],
    [3, { credit_remaining: true }],
    [6, { line_items: [creditLine(parent)] }],
    [1, { line_items: [creditLine(parent)], shipping: { amount: '2.00' } }],
  ]),
  ...(chance(0.08) && { tax_amount: '0.10' }),
  ...getReference(0.15),
});

/** Requests about filings: close a period, file or cancel it, and read it. */

// The second account has an earlier period.
const periodEnds = ['2026-09-30', '2026-10-31', '2026-10-31', '2026-10-31'] as const;
const variedEnds = ['2026-09-30', '2026-10-31', '2026-10-31', '2026-11-30', '2026-12-31'] as const;

const closing = { operation: 'createFiling', method: 'POST', path: '/filings' } as const;
const closed: Making = ({ isVaried }) => {
  const state = chance(isVaried ? 0.6 : 0.85) ? 'MI' : 'NJ';
  const period_end = pickOne(isVaried ? variedEnds : periodEnds);
  return { ...closing, body: { state, period_end, ...(chance(0.1) && { dry_run: true }) } };
};

const ended: Making = (known, name) => {
  const id = pickOneOrNone(known.filings) ?? 'fil_0';
  const acknowledge_exceptions = known.exceptions.get(id);
  const filed = { status: 'filed', confirmation_number: `number ${name}` };
  const accepted = { ...filed, ...(acknowledge_exceptions && { acknowledge_exceptions }) };
  const body = chance(0.7) ? accepted : { status: 'canceled' };
  return { operation: 'updateFiling', method: 'POST', path: `/filings/${id}`, id, body };
};

const filed: Making = ({ filings }) => {
  const id = pickOneOrNone(filings) ?? 'fil_0';
  return { operation: 'getFiling', method: 'GET', path: `/filings/${id}`, id, query: { expand: 'entries' } };
};

/** Requests about filings, with their weights. */
const ofFilings: readonly (readonly [number, Making])[] = [
  [20, closed],
  [24, (known, name) => (known.filings.length > 0 ? ended : closed)(known, name)],
  [4, filed],
];

/** A filing that all clients file or cancel. */
export const firstFiling = (): Request => ({ ...closing, body: { state: 'MI', period_end: '2026-10-31' }, key: null });

/** Requests of varied schedules: days around the end of a month, several currencies, and customers on lines. */

type Body = NonNullable<Request['body']>;

const hourMs = 3_600_000;

/** A timestamp around the first hour of a month, in UTC or with a different offset. */
const instant = (): string => {
  const ms = Date.parse(pickOne(['2026-10-01', '2026-11-01', '2026-12-01'])) + between(-15 * 60, 15 * 60) * 60_000;
  return chance(0.7) ? new Date(ms).toISOString() : new Date(ms + 9 * hourMs).toISOString().replace('Z', '+09:00');
};

/** `null` means now. */
const taxDate = () =>
  weighted<string | null>([
    [3, instant()],
    [2, pickOne(['2026-09-30', '2026-10-31', '2026-11-01'])],
    [2, null],
  ]);

/** Customers whom operators redact. */
export const customers = ['buyer', 'guest'] as const;

type Customer = { readonly customer?: { readonly address: object } };

/** A customer with an id and a unique street. */
const named = <Value extends Customer>(request: Value, street: string): Value =>
  request.customer
    ? { ...request, customer: { id: pickOne(customers), address: { ...request.customer.address, line1: street } } }
    : request;

// Yen have no decimals.
const inYen = (body: Body): Body => ({
  ...body,
  ...(body['discount_amount'] !== undefined && { discount_amount: '1' }),
  ...(body['tax_amount'] !== undefined && { tax_amount: '12' }),
});

const variedSale = (body: Body, name: string): Body => {
  const currency = weighted([
    [4, 'USD'],
    [2, 'JPY'],
    [2, 'KWD'],
  ]);
  const lines = body['line_items'] as readonly (Customer & { readonly id: string })[];
  const sale = named(body as Customer, `${name} Way`);
  return {
    ...(currency === 'JPY' ? inYen(sale) : sale),
    currency,
    ...(chance(0.3) && { tax_amount: '12' }),
    line_items: lines.map((line) => named(line, `${name} ${line.id} Lane`)),
  };
};

/** A request of a varied schedule. */
const vary = (request: Omit<Request, 'key'>, name: string): Omit<Request, 'key'> => {
  const { operation, body } = request;
  const isDated = operation === 'createTransaction' || (operation === 'updateTransaction' && body?.['tax_date']);
  if (!body || !isDated) return request;
  const { tax_date: _, ...others } = body;
  const day = taxDate() ?? (operation === 'createTransaction' ? undefined : instant());
  const dated = { ...others, ...(day !== undefined && { tax_date: day }) };
  const isSale = operation === 'createTransaction' && body['type'] !== 'credit';
  return { ...request, body: isSale ? variedSale(dated, name) : dated };
};

/** The requests of clients: about data that they have seen, and sometimes about transactions of the other account. */

/** Adds a unique street to a sale, which a redaction must remove. */
const addressed = (body: Body, name: string) => {
  const { customer } = body as { readonly customer?: { readonly address?: object } };
  const address = { ...customer?.address, line1: `${name} Way` };
  return customer ? { ...body, customer: { ...customer, address } } : body;
};

const create = (body: Body, name: string): Omit<Request, 'key'> => ({
  operation: 'createTransaction',
  method: 'POST',
  path: '/transactions',
  body: { ...addressed(body, name), metadata: { made_by: name } },
});

const updating = { operation: 'updateTransaction', method: 'POST' } as const;
const update = ({ id }: Seen, body: Body, more: Partial<Request> = {}): Omit<Request, 'key'> => ({
  ...updating,
  path: `/transactions/${id}`,
  id,
  body,
  ...more,
});

const draft = { version: 1, status: 'draft', type: 'sale', line_items: [] };
const nobody: Seen = { id: 'txn_01KAGENRMR0000000000000000', ...draft };

const some = ({ own, foreign }: Known, fits: (seen: Seen) => boolean = () => true): Seen =>
  (chance(0.05) ? pickOneOrNone(foreign) : pickOneOrNone(own.filter(fits))) ?? pickOneOrNone(own) ?? nobody;

const isDraft = ({ status }: Seen) => status === 'draft';
const isFinal = ({ status }: Seen) => status === 'finalized';
const isSale = ({ type }: Seen) => type === 'sale';
const isFinalSale = (seen: Seen) => isSale(seen) && isFinal(seen);

const edits: readonly (readonly [number, () => Record<string, unknown>])[] = [
  [4, () => ({ line_items: lines() })],
  [2, () => ({ reference_id: pickOne([...references, null]) })],
  [1, () => ({ discount_amount: '0.02' })],
  [1, () => ({ tax_date: '2026-10-30' })],
  [1, () => ({ line_items: lines(), status: 'finalized' })],
  [1, () => ({ tax_amount: '0.50' })],
];

// The version that the client saw, which may be stale.
const matching = (seen: Seen, share: number): Partial<Request> =>
  chance(share) ? { ifMatch: `"${seen.version}"` } : {};

const finalize: Making = (known) => {
  const seen = some(known, isDraft);
  return update(seen, { status: 'finalized' }, matching(seen, 0.2));
};
const marked = (name: string, value: string) => ({ metadata: { [`edited_by_${name.replaceAll('.', '_')}`]: value } });
const edit: Making = (known, name) => {
  const seen = some(known, isDraft);
  return update(seen, { ...weighted(edits)(), ...marked(name, 'x') }, matching(seen, 0.3));
};
const voided: Making = (known) => {
  const seen = some(known);
  return update(seen, { status: 'void', ...(chance(0.3) && { void_reason: 'mistake' }) }, matching(seen, 0.2));
};
const noted: Making = (known, name) => {
  const seen = some(known);
  return update(seen, marked(name, 'y'), matching(seen, 0.4));
};
const referenced: Making = (known) => update(some(known, isFinal), { reference_id: pickOne(references) });
const retaxed: Making = (known) =>
  update(some(known, isFinal), { tax_amount: pickOne(['0.00', '0.04', '1.00', null]) });
const read: Making = (known) => {
  const { id } = some(known);
  const query = chance(0.3) ? { expand: 'history' } : {};
  return { operation: 'getTransaction', method: 'GET', path: `/transactions/${id}`, id, query };
};

/** The filters of a list. */
const filters = (known: Known): Record<string, string> =>
  weighted<Record<string, string>>([
    [4, {}],
    [1, { type: pickOne(['sale', 'credit']) }],
    [1, { reference_id: pickOne(references) }],
    [1, { parent_transaction_id: some(known, isSale).id }],
    [1, { customer_id: 'buyer' }],
    [1, { 'tax_date[gte]': '2026-10-01' }],
  ]);

/** The first page of a list; sometimes with a cursor of the other account, which must be refused. */
const listed: Making = (known) => {
  const list = { operation: 'listTransactions', method: 'GET', path: '/transactions' } as const;
  const narrowed = filters(known);
  const query = { limit: String(1 + below(3)), ...narrowed };
  if (chance(0.85)) return { ...list, query };
  const position = { id: some(known).id, tax_date: '2026-11-10' };
  const starting_after = writeCursor(position, known.foreignSecret, narrowed);
  return { ...list, isOther: true, query: { ...query, starting_after } };
};

const makings: readonly (readonly [number, Making])[] = [
  [12, (_, name) => create(sale('draft'), name)],
  [14, (_, name) => create(sale('finalized'), name)],
  [12, finalize],
  [9, edit],
  [12, voided],
  [6, noted],
  [16, (known, name) => create(credit(some(known, isFinalSale), 'finalized'), name)],
  [7, (known, name) => create(credit(some(known, isFinalSale), 'draft'), name)],
  [4, referenced],
  [3, retaxed],
  [3, read],
  [6, listed],
];

// Changes during the closing of a period, which the filing must neither lose nor count twice.
const reversals: readonly (readonly [number, Making])[] = [
  [3, voided],
  [1, retaxed],
];

// Varied schedules credit lines without a recorded tax, and sales that are being redacted.
const refunds: readonly (readonly [number, Making])[] = [
  [4, (known, name) => create(credit(some(known, isFinalSale), 'draft'), name)],
  [4, (known, name) => create(credit(some(known, isFinalSale), 'finalized'), name)],
  [2, finalize],
];

const listKinds = (isOfFilings: boolean, isVaried: boolean) => {
  if (isVaried) return pickOne([ofFilings, makings, refunds]);
  return isOfFilings ? pickOne([ofFilings, ofFilings, reversals, makings]) : makings;
};

/** A request of a client. Most writes have a unique idempotency key, so they can be repeated. */
export const drawRequest = (known: Known, name: string, isOfFilings: boolean): Request => {
  const drawn = weighted(listKinds(isOfFilings, known.isVaried))(known, name);
  const request = known.isVaried ? vary(drawn, name) : drawn;
  const isKeyed = request.method === 'POST' && !request.body?.['dry_run'] && chance(0.65);
  return { ...request, key: isKeyed ? `key ${name}` : null };
};

/** The first transaction: a sale that all clients credit, or a draft that all clients finalize. */
export const firstSale = (status: 'draft' | 'finalized', name: string, isVaried: boolean): Request => {
  const request = create({ ...sale(status), tax_date: '2026-10-20' }, name);
  return { ...(isVaried ? vary(request, name) : request), key: null };
};
