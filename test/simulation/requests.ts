import { writeCursor } from '../../shared/ledger/list-transactions.ts';
import { credit, type Known, lines, type Making, references, type Seen, sale } from './bodies.ts';
import { ofFilings } from './filing-requests.ts';
import type { Request } from './service.ts';
import { vary } from './vary.ts';
import { below, chance, oneOf, oneOrNone, weighted } from './world.ts';

/** The requests of clients: about what they have seen, and sometimes about transactions of the other account. */

/** With a street of its own, which a redaction must remove. */
const addressed = (body: Readonly<Record<string, unknown>>, name: string) => {
  const { customer } = body as { readonly customer?: { readonly address?: object } };
  return customer
    ? { ...body, customer: { ...customer, address: { ...customer.address, line1: `${name} Way` } } }
    : body;
};

const create = (body: Readonly<Record<string, unknown>>, name: string): Omit<Request, 'key'> => ({
  operation: 'createTransaction',
  method: 'POST',
  path: '/transactions',
  body: { ...addressed(body, name), metadata: { made_by: name } },
});

const update = (
  { id }: Seen,
  body: Readonly<Record<string, unknown>>,
  more: Partial<Request> = {},
): Omit<Request, 'key'> => ({
  operation: 'updateTransaction',
  method: 'POST',
  path: `/transactions/${id}`,
  id,
  body,
  ...more,
});

const nobody: Seen = {
  id: 'txn_01KAGENRMR0000000000000000',
  version: 1,
  status: 'draft',
  type: 'sale',
  line_items: [],
};

const some = ({ own, foreign }: Known, fits: (seen: Seen) => boolean = () => true): Seen =>
  (chance(0.05) ? oneOrNone(foreign) : oneOrNone(own.filter(fits))) ?? oneOrNone(own) ?? nobody;

const isDraft = ({ status }: Seen) => status === 'draft';
const isFinal = ({ status }: Seen) => status === 'finalized';
const isSale = ({ type }: Seen) => type === 'sale';
const isFinalSale = (seen: Seen) => isSale(seen) && isFinal(seen);

const edits: readonly (readonly [number, () => Record<string, unknown>])[] = [
  [4, () => ({ line_items: lines() })],
  [2, () => ({ reference_id: oneOf([...references, null]) })],
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
const edit: Making = (known, name) => {
  const seen = some(known, isDraft);
  return update(
    seen,
    { ...weighted(edits)(), metadata: { [`edited_by_${name.replaceAll('.', '_')}`]: 'x' } },
    matching(seen, 0.3),
  );
};
const voided: Making = (known) => {
  const seen = some(known);
  return update(seen, { status: 'void', ...(chance(0.3) && { void_reason: 'mistake' }) }, matching(seen, 0.2));
};
const noted: Making = (known, name) => {
  const seen = some(known);
  return update(seen, { metadata: { [`edited_by_${name.replaceAll('.', '_')}`]: 'y' } }, matching(seen, 0.4));
};
const referenced: Making = (known) => update(some(known, isFinal), { reference_id: oneOf(references) });
const retaxed: Making = (known) => update(some(known, isFinal), { tax_amount: oneOf(['0.00', '0.04', '1.00', null]) });
const read: Making = (known) => {
  const { id } = some(known);
  const query = chance(0.3) ? { expand: 'history' } : {};
  return { operation: 'getTransaction', method: 'GET', path: `/transactions/${id}`, id, query };
};

/** The filters of a list. */
const filters = (known: Known): Record<string, string> =>
  weighted<Record<string, string>>([
    [4, {}],
    [1, { type: oneOf(['sale', 'credit']) }],
    [1, { reference_id: oneOf(references) }],
    [1, { parent_transaction_id: some(known, isSale).id }],
    [1, { customer_id: 'buyer' }],
    [1, { 'tax_date[gte]': '2026-10-01' }],
  ]);

/** The first page of a list; sometimes with a cursor of another account, which must be refused. */
const listed: Making = (known) => {
  const list = { operation: 'listTransactions', method: 'GET', path: '/transactions' } as const;
  const narrowed = filters(known);
  const query = { limit: String(1 + below(3)), ...narrowed };
  if (chance(0.85)) return { ...list, query };
  const position = { id: some(known).id, tax_date: '2026-11-10' };
  return {
    ...list,
    isOther: true,
    query: { ...query, starting_after: writeCursor(position, known.foreignSecret, narrowed) },
  };
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

// Changes during the closing of a period, which a filing must not count or not count twice.
const reversals: readonly (readonly [number, Making])[] = [
  [3, voided],
  [1, retaxed],
];

// The line has no recorded tax, or the sale is redacted.
const refunds: readonly (readonly [number, Making])[] = [
  [4, (known, name) => create(credit(some(known, isFinalSale), 'draft'), name)],
  [4, (known, name) => create(credit(some(known, isFinalSale), 'finalized'), name)],
  [2, finalize],
];

const kindsOf = (isOfFilings: boolean, isVaried: boolean) => {
  if (isVaried) return oneOf([ofFilings, makings, refunds]);
  return isOfFilings ? oneOf([ofFilings, ofFilings, reversals, makings]) : makings;
};

/** A request of a client. Most writes have their own idempotency key, so that they can be repeated. */
export const drawRequest = (known: Known, name: string, isOfFilings: boolean): Request => {
  const drawn = weighted(kindsOf(isOfFilings, known.isVaried))(known, name);
  const request = known.isVaried ? vary(drawn, name) : drawn;
  return {
    ...request,
    key: request.method === 'POST' && !request.body?.['dry_run'] && chance(0.65) ? `key ${name}` : null,
  };
};

/** The first transaction: a sale that all clients credit, or a draft that all clients finalize. */
export const firstSale = (status: 'draft' | 'finalized', name: string, isVaried: boolean): Request => {
  const request = create({ ...sale(status), tax_date: '2026-10-20' }, name);
  return { ...(isVaried ? vary(request, name) : request), key: null };
};
