import fc from 'fast-check';
import { type Body, type Book, getView, type Line, type Requested } from '../book.ts';
import { minor, written } from '../money.ts';
import { pick } from '../requests.ts';
import {
  combine,
  command,
  creditLines,
  type Generated,
  getHeaders,
  key,
  lineItems,
  lines,
  lineWishes,
  metadata,
  said,
  seldom,
  target,
  taxDays,
  type Wished,
} from './create.ts';

const isCredit = ({ parent_transaction_id }: Body) => parent_transaction_id !== null;

/** The groups of transactions from which an update takes its target. */
const groups: Readonly<Record<string, (body: Body) => boolean>> = {
  any: () => true,
  draft: ({ status }) => status === 'draft',
  'draft of a credit': (body) => body.status === 'draft' && isCredit(body),
  final: ({ status }) => status === 'finalized',
  'final credit': (body) => body.status === 'finalized' && isCredit(body),
};

const group = fc.constantFrom(...Object.keys(groups));

const common = {
  target,
  group,
  isForeign: seldom(fc.constant(true), 15),
  ifMatch: seldom(fc.constantFrom('right', 'right', 'any', 'wrong', 'weak'), 8),
  key,
};

const wishes = {
  ...common,
  status: seldom(fc.constantFrom('finalized', 'finalized', 'void', 'draft', 'filed', null), 3),
  reason: seldom(fc.constantFrom('lost', 'draft_expired', 'stored', null), 12),
  reference: seldom(fc.constantFrom('r1', 'r2', 'r3', null), 4),
  lines: seldom(fc.oneof(fc.constantFrom('same' as const, 'none' as const), lines), 5),
  credited: lineWishes,
  // A percentage of the current tax, or an exact amount.
  tax: seldom(fc.constantFrom(0, 50, 100, 101, 150, 'fine', null), 4),
  metadata,
  taxDays: seldom(taxDays, 4),
  identity: seldom(fc.constantFrom('type', 'parent_transaction_id'), 20),
};

// This update changes only the status, like most updates.
const finalizing = {
  ...common,
  group: fc.constantFrom('draft', 'draft of a credit', 'draft of a credit'),
  status: fc.constant('finalized'),
};
const voiding = {
  ...common,
  group: fc.constantFrom('any', 'final', 'final credit'),
  status: fc.constant('void'),
  reason: seldom(fc.constantFrom('returned', 'lost', null), 2),
};

type Wish = Wished<typeof common> &
  Partial<Omit<Wished<typeof wishes>, keyof typeof common | 'status' | 'reason'>> & {
    readonly status?: string | null | undefined;
    readonly reason?: string | null | undefined;
  };

const getTarget = (wish: Wish, own: Book, other: Book): Body | undefined => {
  if (wish.isForeign) return pick(other, wish.target);
  const meant = [...own.entries.values()].map(({ body }) => body).filter(groups[wish.group] as (body: Body) => boolean);
  return meant[wish.target % meant.length] ?? pick(own, wish.target);
};

const getTax = (part: number | 'fine' | null, { currency, tax_amount }: Body): string | null => {
  if (part === null) return null;
  if (part === 'fine') return '0.1234';
  return written(
    currency,
    part === 101 ? minor(currency, tax_amount) + 1n : (minor(currency, tax_amount) * BigInt(part)) / 100n,
  );
};

const listLines = (wish: Wish, transaction: Body, book: Book): readonly Line[] => {
  if (wish.lines === 'none') return [];
  if (wish.lines === 'same') return transaction.line_items;
  const sale = transaction.type === 'credit' && book.entries.get(transaction.parent_transaction_id ?? '')?.body;
  return sale
    ? creditLines({ lines: wish.credited as Wished<typeof wishes>['credited'] }, sale, book)
    : lineItems(wish.lines as Generated<typeof lines>);
};

const buildBody = (wish: Wish, transaction: Body, book: Book, nowMs: number): Requested => ({
  ...said(wish, nowMs),
  ...(wish.status !== undefined && { status: wish.status }),
  ...(wish.reason !== undefined && { void_reason: wish.reason === 'stored' ? transaction.void_reason : wish.reason }),
  ...(wish.lines !== undefined && { line_items: listLines(wish, transaction, book) }),
  ...(wish.tax !== undefined && { tax_amount: getTax(wish.tax as number | 'fine' | null, transaction) }),
  ...(wish.identity === 'type' && { type: 'credit' }),
  ...(wish.identity === 'parent_transaction_id' && { parent_transaction_id: 'txn_x' }),
});

const updating = (wished: fc.Arbitrary<Wish>) =>
  command('Update', wished, async (wish, { model, book, other, post }) => {
    const found = getTarget(wish, book, other);
    if (!found) return;
    const owner = book.entries.has(found.id) ? book : other;
    const entry = owner.entries.get(found.id);
    const view = entry ? getView(entry, model.nowMs + 1) : found;
    const tags = { right: `"${view.version}"`, any: '*', wrong: `"${view.version + 1}"`, weak: `W/"${view.version}"` };
    const tag = tags[wish.ifMatch as keyof typeof tags];
    const headers = { ...getHeaders(wish.key), ...(tag && { 'If-Match': tag }) };
    await post(`/transactions/${view.id}`, buildBody(wish, view, owner, model.nowMs), headers);
  });

export const update = updating(combine(wishes));
export const finalize = updating(combine(finalizing));
export const annul = updating(combine(voiding));
