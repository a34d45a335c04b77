import { expect } from 'vitest';
import { orThrow } from '../../../shared/client/client.ts';
import { seeded } from '../../../test/support/seeded.ts';
import type { FeeCarrier } from '../delivery-fee.ts';
import { toDocument } from '../document.ts';
import { toDecimal, toMinor } from '../money.ts';
import type { Cart, Line, Order, Refund } from '../order.ts';
import { createQuotes } from '../quotes.ts';
import { recordOrder } from '../sales.ts';
import type { Ledger } from '../transactions.ts';
import type { LocalLevy } from './levy.ts';

export const honolulu = {
  line1: '530 S King St',
  city: 'Honolulu',
  province: 'HI',
  postalCode: '96813',
  country: 'US',
};

/** Random choices, reproducible by seed. */
export const createRandom = (seed: number) => {
  const next = seeded(seed);
  const upTo = (most: number): number => Math.floor(next() * (most + 1));
  return { upTo, pick: <Value>(values: readonly Value[]): Value => values[upTo(values.length - 1)] as Value };
};
export type Random = ReturnType<typeof createRandom>;

export const buildCart = (
  lines: readonly { id: string; quantity: number; unitPrice: string; discount?: string }[],
): Cart => ({
  currency: 'USD',
  address: honolulu,
  lines: lines.map((line) => ({ discount: '0.00', taxCode: 'GENERAL', ...line })),
  shipping: [],
});

export const lansing = { city: 'Lansing', province: 'us-mi', postalCode: '48933', country: 'us' };
const addresses = [
  honolulu,
  lansing,
  { city: 'New York', province: 'New York', postalCode: '10001', country: 'US' },
  { city: 'Seattle', province: 'WA', postalCode: '98101', country: 'US' },
];

export const detroit = { line1: '1 Woodward Ave', city: 'Detroit', province: 'MI', postalCode: '48226', country: 'US' };

/** Random fulfillment of the lines: mostly from their tax codes; sometimes no line is shipped. */
const deliveries: Pick<Line, 'taxCode' | 'fulfillment' | 'shipFrom'>[] = [
  { taxCode: 'GENERAL' },
  { taxCode: 'FEES.GIFT_CARDS' },
  { taxCode: 'GENERAL', fulfillment: 'pickup', shipFrom: detroit },
];

export const randomCart = (random: Random): Cart => {
  const kinds = random.pick([deliveries, deliveries.slice(0, 1), deliveries.slice(1, 2), deliveries.slice(2)]);
  const lines = Array.from({ length: 1 + random.upTo(4) }, (_, at) => {
    const quantity = 1 + random.upTo(4);
    const price = BigInt(random.pick([10, 99, 333, 1000, 2499, 1 + random.upTo(20_000)]));
    const discount = random.upTo(2) === 0 ? BigInt(random.upTo(Number(price) * quantity)) : 0n;
    return {
      id: `l${at}`,
      quantity,
      unitPrice: toDecimal(price, 2),
      discount: toDecimal(discount, 2),
      ...random.pick(kinds),
    };
  });
  const shipping = ['a', 'b'].slice(random.upTo(2)).map((id) => ({
    id,
    amount: toDecimal(BigInt(random.upTo(2500)), 2),
    lineIds: random.upTo(1) === 0 ? null : lines.filter(() => random.upTo(1) === 0).map((line) => line.id),
  }));
  const cart = { currency: 'USD', address: random.pick(addresses), lines, shipping };
  const most = Number(getNet({ ...cart, shipping: [] })) / 2;
  if (most < 1 || random.upTo(2) > 0) return cart;
  const unitPrice = toDecimal(-BigInt(1 + random.upTo(most - 1)), 2);
  return { ...cart, lines: [...lines, { id: 'less', quantity: 1, unitPrice, discount: '0.00' }] };
};

export const getNet = ({ lines, shipping }: Cart): bigint =>
  lines.reduce(
    (sum, { quantity, unitPrice, discount }) => sum + BigInt(quantity) * toMinor(unitPrice, 2) - toMinor(discount, 2),
    shipping.reduce((sum, { amount }) => sum + toMinor(amount, 2), 0n),
  );

const placedAt = new Date().toISOString();

/** Builds the order of a cart that charges `tax`. All orders are placed at the same time. */
export const buildOrder = (cart: Cart, reference: string, tax: string, more: Partial<Order> = {}): Order => ({
  ...cart,
  reference,
  placedAt,
  wanted: 'finalized',
  tax,
  total: toDecimal(getNet(cart) + toMinor(tax, 2), 2),
  isEstimated: false,
  refunds: [],
  ...more,
});

export const buildRefund = (id: string, total: string, more: Partial<Refund> = {}): Refund => ({
  id,
  total,
  lines: [],
  shipping: '0',
  at: placedAt,
  ...more,
});

/** Returns refunds of units, shipping and amounts that add up to the order. */
export const randomRefunds = ({ lines, shipping }: Cart, total: bigint, random: Random): Refund[] => {
  const units = new Map(lines.map(({ id, quantity }) => [id, quantity]));
  const refunds: Refund[] = [];
  let left = total;
  for (let at = 0; left > 0n; at++) {
    // Rounded taxes may not reach the last cents of several lines.
    const part = at >= 5 || left < 100n ? left : BigInt(50 + random.upTo(Number(left) - 50));
    const returned = [...units].flatMap(([id, quantity]) => {
      const now = random.upTo(quantity);
      units.set(id, quantity - now);
      return now > 0 ? [{ id, quantity: now }] : [];
    });
    const isAmount = random.upTo(2) === 0;
    const ofShipping = shipping.length > 0 && random.upTo(1) === 0 ? toDecimal(part < 100n ? part : 100n, 2) : '0';
    refunds.push(
      buildRefund(String(at), toDecimal(part, 2), {
        lines: isAmount ? [] : returned,
        shipping: isAmount ? '0' : ofShipping,
      }),
    );
    left -= part;
  }
  return refunds;
};

export const mugs = buildCart([{ id: 'mug', quantity: 3, unitPrice: '8.89' }]);

let count = 0;
export const newReference = () => `order-${++count}`;

/** Reads the sales and credits of an order, including void transactions, oldest first: `sale finalized 27.87`. */
export const listStates = async ({ levy }: LocalLevy, reference: string): Promise<string[]> => {
  const found = [];
  for await (const row of levy.list('/transactions', { query: { limit: 100 } }))
    if (row.metadata?.['order'] === reference) found.push(`${row.type} ${row.status} ${row.total_amount}`);
  return found.reverse();
};

export const readQuote = async ({ levy }: Pick<Ledger, 'levy'>, cart: Cart, feesOn: FeeCarrier = 'line') => {
  const documented = toDocument(cart);
  if (!documented.ok) throw new Error(documented.gap.code);
  return createQuotes({ levy, timeoutMs: 30_000, feesOn })(documented.document);
};
/** Returns the quote of a cart that Levy can tax. */
export const readQuoted = async (ledger: Pick<Ledger, 'levy'>, cart: Cart, feesOn?: FeeCarrier) => {
  const quote = await readQuote(ledger, cart, feesOn);
  if (!quote.ok) throw new Error(quote.detail);
  return quote;
};

/** Records an order without problems, and reads its sale from Levy, because a replayed response would be outdated. */
export const recorded = async (ledger: Ledger, order: Order) => {
  const { sale, problems } = await recordOrder(ledger, order);
  expect(problems, JSON.stringify(order)).toEqual([]);
  return orThrow(await ledger.levy.get('/transactions/{id}', { path: { id: sale?.id as string } }));
};
