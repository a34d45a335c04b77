import fc from 'fast-check';
import type { Line, Model, Requested, World } from '../book.ts';
import { write } from '../requests.ts';
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
  status,
  taxDays,
  type Wished,
} from './parts.ts';

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

/** Lines of a sale, of at most as many as a page shows at a glance. */
export const lines = fc.array(
  of({
    quantity: fc.constantFrom('1', '2', '3', '0.5', '7'),
    unit_price: price,
    discount: fc.option(fc.constantFrom('0', '1', '3', '10'), { freq: 3 }),
    isElsewhere: fc.integer({ min: 0, max: 4 }).map((dice) => dice === 0),
  }),
  { minLength: 1, maxLength: 3 },
);

type LineWish = { quantity: string; unit_price: string; discount: string | null; isElsewhere: boolean };

// A discount in whole parts of a line's price that is never more than the price.
const discountOf = ({ quantity, unit_price, discount }: LineWish) =>
  discount === null
    ? {}
    : { discount_amount: Math.floor((Number(quantity) * Number(unit_price) * Number(discount)) / 13).toFixed(0) };

export const lineItems = (wishes: readonly LineWish[]): Line[] =>
  wishes.map((line, index) => ({
    id: `item_${index}`,
    product_tax_code: 'GENERAL',
    quantity: line.quantity,
    unit_price: line.unit_price,
    ...discountOf(line),
    ...(line.isElsewhere && { customer: { address: address('IN') } }),
  }));

const wishes = {
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

type Wish = Wished<typeof wishes>;

const bodyOf = (wish: Wish, { nowMs }: Model): Requested => ({
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

class CreateSale extends Step<Wish> {
  run(model: Model, world: World): Promise<void> {
    const sent = { path: '/transactions', body: bodyOf(this.wish, model), headers: headersOf(this.wish.key) };
    return write(model, world, this.side, this.noted(sent));
  }
}

export const createSale = fc.tuple(side, of(wishes)).map(([at, wish]) => new CreateSale(at, wish));
