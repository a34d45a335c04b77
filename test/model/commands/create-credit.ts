import fc from 'fast-check';
import { type Body, type Book, type Line, type Model, type Requested, same, viewOf, type World } from '../book.ts';
import { acceptedCredit, mustHaveFigures, refusalsOf } from '../credit-answers.ts';
import { creditOf, discountsOf, taxRoom } from '../credits.ts';
import { written } from '../money.ts';
import { invalidNew, mustBeRefused } from '../refusal.ts';
import { nothing, remainingOf } from '../remaining.ts';
import { ask, pick, write } from '../requests.ts';
import {
  headersOf,
  key,
  metadata,
  of,
  reference,
  Step,
  said,
  seldom,
  side,
  target,
  taxDays,
  type Wished,
} from './parts.ts';

const ways = ['quantity', 'quantity', 'rest', 'rest', 'part', 'part', 'over', 'tax only', 'unmatched'] as const;

export const lineWishes = fc.array(
  of({
    line: fc.nat(2),
    way: fc.constantFrom(...ways),
    quantity: fc.constantFrom('1', '0.5', '2', '0.3'),
    percent: fc.constantFrom(10, 33, 50, 99),
    isNamed: fc.boolean(),
  }),
  { minLength: 1, maxLength: 3 },
);

const wishes = {
  target,
  isAny: seldom(fc.constant(true), 8),
  isForeign: seldom(fc.constant(true), 15),
  isQuestion: seldom(fc.constant(true), 6),
  mode: fc.constantFrom('lines', 'lines', 'lines', 'lines', 'all', 'remaining', 'remaining'),
  oddity: seldom(fc.constantFrom('remaining with lines', 'shipping alone', 'other currency'), 15),
  lines: lineWishes,
  shipping: seldom(fc.constantFrom(50, 100, 101), 3),
  tax: seldom(fc.constantFrom(0, 50, 100, 101, 'fine'), 4),
  // Half of them wait, while other credits come between.
  status: fc.constantFrom('draft', 'finalized'),
  reference,
  metadata,
  taxDays,
  key,
};

type Wish = Wished<typeof wishes>;

/** A sale that can be credited, if there is one. */
const parentOf = (wish: Wish, { books }: Model, own: Book): Body | undefined => {
  if (wish.isForeign) return pick(own === books[0] ? books[1] : books[0], wish.target);
  const sales = [...own.entries.values()].filter(({ body }) => body.type === 'sale' && body.status === 'finalized');
  // The first ones again and again, so that several credits meet.
  const { body } = sales[Math.min(wish.target % 5, sales.length - 1)] ?? {};
  return wish.isAny || !body ? pick(own, wish.target) : body;
};

export const creditLines = (wish: Pick<Wish, 'lines'>, sale: Body, book: Book): Line[] => {
  const remaining = remainingOf(book, sale);
  const used = new Set<string>();
  const text = (amount: bigint) => written(sale.currency, amount < 0n ? 0n : amount);
  return wish.lines.map(({ line, way, quantity, percent, isNamed }, index) => {
    // A credit of shipping alone has no line, and a request may name it as its parent.
    const { id } = sale.line_items[line % sale.line_items.length] ?? { id: 'item_0' };
    const { net } = remaining.lines.get(id) ?? nothing;
    const whole = { quantity: '1', discount_amount: '0' };
    if (way === 'unmatched')
      return {
        ...{ id: `extra_${index}`, product_tax_code: 'GENERAL', quantity: '1' },
        unit_price: text((remaining.total.net * BigInt(percent)) / 300n),
      };
    const name = isNamed || used.has(id) ? { id: `c_${index}`, parent_line_item_id: id } : { id };
    used.add(id);
    if (way === 'quantity') return { ...name, quantity };
    if (way === 'tax only') return { ...name, ...whole, unit_price: '0' };
    const amount = way === 'rest' ? net : way === 'over' ? net + 1n : (net * BigInt(percent)) / 100n;
    return { ...name, ...whole, unit_price: text(amount) };
  });
};

/** A part, in percent, of the most tax that a credit may bring along; 101 is a minor unit more. */
const taxText = (part: number | 'fine', request: Requested, sale: Body, book: Book): string => {
  if (part === 'fine') return '0.1234';
  const discounts = (request.line_items ?? []).map((line) => discountsOf(line, sale)[0] as bigint);
  const credit = creditOf(request, sale, book, discounts);
  const room = 'total' in credit ? taxRoom(credit, remainingOf(book, sale)) : 100n;
  return written(sale.currency, part === 101 ? room + 1n : (room * BigInt(part)) / 100n);
};

const oddities: Readonly<Record<string, Requested>> = {
  'remaining with lines': { credit_remaining: true },
  'other currency': { currency: 'EUR' },
};

const bodyOf = (wish: Wish, sale: Body, book: Book, nowMs: number): Requested => {
  const { shipping: left } = remainingOf(book, sale);
  const shipped = wish.shipping === 101 ? left.net + 1n : (left.net * BigInt(wish.shipping ?? 0)) / 100n;
  const isOfLines = wish.mode === 'lines' || wish.oddity === 'remaining with lines';
  const hasShipping = wish.oddity === 'shipping alone' || (isOfLines && wish.shipping !== undefined);
  const request = {
    ...{ type: 'credit', parent_transaction_id: sale.id, status: wish.status },
    ...said(wish, nowMs),
    ...(isOfLines && { line_items: creditLines(wish, sale, book) }),
    ...(wish.mode === 'remaining' && { credit_remaining: true }),
    ...(hasShipping && { shipping: { amount: written(sale.currency, shipped) } }),
    ...oddities[wish.oddity as string],
  };
  return wish.tax === undefined
    ? request
    : { ...request, tax_amount: taxText(wish.tax as number | 'fine', request, sale, book) };
};

class CreateCredit extends Step<Wish> {
  async run(model: Model, world: World): Promise<void> {
    const book = model.books[this.side];
    const sale = parentOf(this.wish, model, book);
    if (!sale) return;
    const owner = book.entries.has(sale.id) ? book : model.books[this.side === 0 ? 1 : 0];
    const body = this.noted(bodyOf(this.wish, sale, owner, model.nowMs));
    if (this.wish.isQuestion && owner === book) return this.calculate(model, world, book, body);
    return write(model, world, this.side, { path: '/transactions', body, headers: headersOf(this.wish.key) });
  }

  /** A calculation answers what the credit would record, and records nothing. */
  async calculate(model: Model, world: World, book: Book, body: Requested): Promise<void> {
    const { status: _status, reference_id: _reference, tax_amount: _tax, ...request } = body;
    const answer = await ask(model, world, this.side, 'POST', '/calculations', { body: request });
    const entry = book.entries.get(request.parent_transaction_id ?? '');
    if (!entry) throw new Error('A question names no sale.');
    const sale = viewOf(entry, model.nowMs);
    const invalid = invalidNew(request);
    const refused = invalid.length > 0 ? invalid : refusalsOf(request, sale, book, answer);
    if (refused.length > 0) mustBeRefused(answer, refused);
    else {
      same(answer.status, 200, 'The status of a calculation');
      mustHaveFigures(answer.body, acceptedCredit(answer.body, request, sale, book), sale, book);
    }
  }
}

export const createCredit = fc.tuple(side, of(wishes)).map(([at, wish]) => new CreateCredit(at, wish));
