import fc from 'fast-check';
import type { ApiResponse, BodyOf } from '../../support/http.ts';
import { type Body, type Book, getView, type Line, type Model, type Requested, same, type World } from '../book.ts';
import {
  acceptedCredit,
  expectCredit,
  getRemaining,
  listDiscounts,
  listRefusals,
  mustHaveFigures,
  nothing,
  taxRoom,
} from '../credits.ts';
import { written } from '../money.ts';
import { invalidNew, mustBeRefused } from '../refusal.ts';
import { ask, dayMs, pick, type Side, write } from '../requests.ts';

/** The part of a run that a command of one account uses. */
export type Scene = {
  readonly model: Model;
  readonly world: World;
  readonly side: Side;
  readonly book: Book;
  /** The other account. */
  readonly other: Book;
  /** Stores what was sent, for readers of a counterexample. */
  readonly noted: <const Value>(value: Value) => Value;
  readonly get: <Path extends string>(path: Path) => Promise<ApiResponse<BodyOf<'GET', Path>>>;
  /** Sends a change, and compares its response with the model. */
  readonly post: (path: string, body: Requested, headers: Readonly<Record<string, string>>) => Promise<void>;
};

/** One command of a run. After it ran, its printed form includes the resolved request. */
class Step<Wish> implements fc.AsyncCommand<Model, World> {
  readonly #name: string;
  readonly #side: Side;
  readonly #wish: Wish;
  readonly #act: (wish: Wish, scene: Scene) => Promise<void>;
  #ran: unknown;

  constructor(name: string, side: Side, wish: Wish, act: (wish: Wish, scene: Scene) => Promise<void>) {
    this.#name = name;
    this.#side = side;
    this.#wish = wish;
    this.#act = act;
  }

  check(): boolean {
    return true;
  }

  run(model: Model, world: World): Promise<void> {
    const side = this.#side;
    const [book, other] = side === 0 ? model.books : [model.books[1], model.books[0]];
    const noted = <const Value>(value: Value): Value => {
      this.#ran = value;
      return value;
    };
    return this.#act(this.#wish, {
      ...{ model, world, side, book, other, noted },
      get: (path) => ask(model, world, side, 'GET', noted(path)),
      post: (path, body, headers) => write(model, world, side, noted({ path, body, headers })),
    });
  }

  toString(): string {
    return `\n  ${this.#name}(${this.#side}) ${JSON.stringify(this.#ran ?? this.#wish)}`;
  }
}

/** A command with random choices, mostly of the first account, so its transactions interact. */
export const command = <Wish>(
  name: string,
  wishes: fc.Arbitrary<Wish>,
  act: (wish: Wish, scene: Scene) => Promise<void>,
) => fc.tuple(side, wishes).map(([at, wish]) => new Step(name, at, wish, act));

/** A record of arbitraries: the choices of a command, before they are resolved against the state. */
export const combine = <Wish>(shape: { [Name in keyof Wish]: fc.Arbitrary<Wish[Name]> }): fc.Arbitrary<Wish> =>
  fc.record(shape);

/** The type of the values that an arbitrary generates. */
export type Generated<Source> = Source extends fc.Arbitrary<infer Value> ? Value : never;

/** The generated choices of a command. */
export type Wished<Shape> = { readonly [Name in keyof Shape]: Generated<Shape[Name]> };

/** Generates a value once in `oneIn` times, and otherwise `undefined`. */
export const seldom = <Value>(arbitrary: fc.Arbitrary<Value>, oneIn: number): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: oneIn - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const side = fc.oneof(
  { weight: 5, arbitrary: fc.constant(0 as const) },
  { weight: 1, arbitrary: fc.constant(1 as const) },
);

export const target = fc.nat(39);
const status = fc.constantFrom('draft', 'finalized', 'finalized');
export const key = seldom(fc.constantFrom('k1', 'k2'), 4);
const reference = seldom(fc.constantFrom('r1', 'r2', 'r3'), 2);
export const taxDays = seldom(combine({ back: fc.nat(60), isDate: fc.boolean() }), 2);

export const metadata = seldom(
  fc.oneof(
    fc.constant(null),
    fc.dictionary(fc.constantFrom('a', 'b'), fc.option(fc.constantFrom('x', 'y')), {
      maxKeys: 2,
      noNullPrototype: true,
    }),
  ),
  2,
);

type Said = {
  readonly reference?: string | null | undefined;
  readonly metadata?: Requested['metadata'] | undefined;
  readonly taxDays?: { readonly back: number; readonly isDate: boolean } | undefined;
};

/** The fields that every document can have. */
export const said = ({ reference, metadata, taxDays }: Said, nowMs: number): Requested => {
  const at = taxDays && new Date(nowMs - taxDays.back * dayMs).toISOString();
  return {
    ...(reference !== undefined && { reference_id: reference }),
    ...(metadata !== undefined && { metadata }),
    ...(at && { tax_date: taxDays.isDate ? at.slice(0, 10) : at }),
  };
};

export const getHeaders = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { 'Idempotency-Key': key };

const address = (state: 'MI' | 'IN') => ({
  country: 'US',
  state,
  city: state === 'MI' ? 'Detroit' : 'Indianapolis',
  postal_code: state === 'MI' ? '48226' : '46204',
});

const price = fc.oneof(
  fc.constantFrom('0.01', '9.99', '50.00', '33.333', '1000.00'),
  fc.integer({ min: 1, max: 9999 }).map((cents) => (cents / 100).toFixed(2)),
);

/** The lines of a sale; few enough to be readable. */
export const lines = fc.array(
  combine({
    quantity: fc.constantFrom('1', '2', '3', '0.5', '7'),
    unit_price: price,
    discount: fc.option(fc.constantFrom('0', '1', '3', '10'), { freq: 3 }),
    isElsewhere: fc.integer({ min: 0, max: 4 }).map((dice) => dice === 0),
  }),
  { minLength: 1, maxLength: 3 },
);

type LineWish = { quantity: string; unit_price: string; discount: string | null; isElsewhere: boolean };

// A discount of whole currency units, at most the price of the line.
const getDiscount = ({ quantity, unit_price, discount }: LineWish) =>
  discount === null
    ? {}
    : { discount_amount: Math.floor((Number(quantity) * Number(unit_price) * Number(discount)) / 13).toFixed(0) };

export const lineItems = (wishes: readonly LineWish[]): Line[] =>
  wishes.map((line, index) => ({
    id: `item_${index}`,
    product_tax_code: 'GENERAL',
    quantity: line.quantity,
    unit_price: line.unit_price,
    ...getDiscount(line),
    ...(line.isElsewhere && { customer: { address: address('IN') } }),
  }));

const saleWishes = {
  lines,
  status,
  reference,
  metadata,
  taxDays,
  key,
  currency: seldom(fc.constantFrom('USD', 'JPY', 'KWD'), 8),
  customer: fc.constantFrom(undefined, 'c1', 'c2'),
  shipping: seldom(fc.constantFrom('5.00', '7.95', '0'), 3),
  tax: seldom(fc.constantFrom('0', '1', '7', '100', '1.005'), 5),
  oddity: seldom(
    fc.constantFrom('parent of a sale', 'credit without parent', 'credit without anything', 'unsaid status'),
    20,
  ),
};

type SaleWish = Wished<typeof saleWishes>;

const saleBody = (wish: SaleWish, { nowMs }: Model): Requested => ({
  ...(wish.oddity?.startsWith('credit') && { type: 'credit' }),
  ...(wish.oddity === 'parent of a sale' && { parent_transaction_id: 'txn_x' }),
  ...(wish.oddity !== 'unsaid status' && { status: wish.status }),
  ...said(wish, nowMs),
  ...(wish.currency && { currency: wish.currency }),
  ...(wish.tax && { tax_amount: wish.tax }),
  ...(wish.shipping && { shipping: { amount: wish.shipping } }),
  customer: { ...(wish.customer && { id: wish.customer }), address: address('MI') },
  ...(wish.oddity !== 'credit without anything' && { line_items: lineItems(wish.lines) }),
});

export const createSale = command('CreateSale', combine(saleWishes), (wish, { model, post }) =>
  post('/transactions', saleBody(wish, model), getHeaders(wish.key)),
);

const ways = ['quantity', 'quantity', 'rest', 'rest', 'part', 'part', 'over', 'tax only', 'unmatched'] as const;

export const lineWishes = fc.array(
  combine({
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
  // Half of the credits remain drafts, so other credits are recorded in between.
  status: fc.constantFrom('draft', 'finalized'),
  reference,
  metadata,
  taxDays,
  key,
};

type Wish = Wished<typeof wishes>;

/** A sale that can be credited, if there is one. */
const getParent = (wish: Wish, { book, other }: Scene): Body | undefined => {
  if (wish.isForeign) return pick(other, wish.target);
  const sales = [...book.entries.values()].filter(({ body }) => body.type === 'sale' && body.status === 'finalized');
  // Prefers the first sales, so several credits interact.
  const { body } = sales[Math.min(wish.target % 5, sales.length - 1)] ?? {};
  return wish.isAny || !body ? pick(book, wish.target) : body;
};

export const creditLines = (wish: Pick<Wish, 'lines'>, sale: Body, book: Book): Line[] => {
  const remaining = getRemaining(book, sale);
  const used = new Set<string>();
  const text = (amount: bigint) => written(sale.currency, amount < 0n ? 0n : amount);
  return wish.lines.map(({ line, way, quantity, percent, isNamed }, index) => {
    // A request may name a credit of shipping alone, which has no line, as its parent.
    const { id } = sale.line_items[line % sale.line_items.length] ?? { id: 'item_0' };
    const { net } = remaining.lines.get(id) ?? nothing;
    const whole = { quantity: '1', discount_amount: '0' };
    if (way === 'unmatched')
      return {
        id: `extra_${index}`,
        product_tax_code: 'GENERAL',
        quantity: '1',
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

/** A percentage of the maximum tax that a credit can supply; 101 means a minor unit more. */
const taxText = (part: number | 'fine', request: Requested, sale: Body, book: Book): string => {
  if (part === 'fine') return '0.1234';
  const discounts = (request.line_items ?? []).map((line) => listDiscounts(line, sale)[0] as bigint);
  const credit = expectCredit(request, sale, book, discounts);
  const room = 'total' in credit ? taxRoom(credit, getRemaining(book, sale)) : 100n;
  return written(sale.currency, part === 101 ? room + 1n : (room * BigInt(part)) / 100n);
};

const oddities: Readonly<Record<string, Requested>> = {
  'remaining with lines': { credit_remaining: true },
  'other currency': { currency: 'EUR' },
};

const getBody = (wish: Wish, sale: Body, book: Book, nowMs: number): Requested => {
  const { shipping: left } = getRemaining(book, sale);
  const shipped = wish.shipping === 101 ? left.net + 1n : (left.net * BigInt(wish.shipping ?? 0)) / 100n;
  const isOfLines = wish.mode === 'lines' || wish.oddity === 'remaining with lines';
  const hasShipping = wish.oddity === 'shipping alone' || (isOfLines && wish.shipping !== undefined);
  const request = {
    type: 'credit',
    parent_transaction_id: sale.id,
    status: wish.status,
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

/** Checks that a calculation returns what the credit would record. It records nothing. */
const calculate = async ({ model, world, side, book }: Scene, body: Requested): Promise<void> => {
  const { status: _status, reference_id: _reference, tax_amount: _tax, ...request } = body;
  const response = await ask(model, world, side, 'POST', '/calculations', { body: request });
  const entry = book.entries.get(request.parent_transaction_id ?? '');
  if (!entry) throw new Error('A question names no sale.');
  const sale = getView(entry, model.nowMs);
  const invalid = invalidNew(request);
  const refused = invalid.length > 0 ? invalid : listRefusals(request, sale, book, response);
  if (refused.length > 0) mustBeRefused(response, refused);
  else {
    same(response.status, 200, 'The status of a calculation');
    mustHaveFigures(response.body, acceptedCredit(response.body, request, sale, book), sale, book);
  }
};

export const createCredit = command('CreateCredit', combine(wishes), async (wish, scene) => {
  const { model, book, other, noted, post } = scene;
  const sale = getParent(wish, scene);
  if (!sale) return;
  const owner = book.entries.has(sale.id) ? book : other;
  const body = getBody(wish, sale, owner, model.nowMs);
  if (wish.isQuestion && owner === book) return calculate(scene, noted(body));
  return post('/transactions', body, getHeaders(wish.key));
});
