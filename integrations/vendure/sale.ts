import {
  type Order,
  type Refund,
  type RequestContext,
  type TransactionalConnection,
  Order as VendureOrder,
} from '@vendure/core';
import { toMinor } from '../core/money.ts';
import type { Cart, Order as SoldOrder, Refund as SoldRefund } from '../core/order.ts';
import { failed, type Problem } from '../core/problem.ts';
import {
  type CartInput,
  exponent,
  getWriter,
  type OrderFields,
  type RefundFields,
  roundToUnit,
  toCart,
  type Unsupported,
  type Write,
} from './cart.ts';
import { isEstimated } from './tax-lines.ts';

/** A snapshot of an order at its sale. Later cancellations of lines change the order, but not its sale. */
type Sale = Cart & Pick<SoldOrder, 'placedAt' | 'tax' | 'total' | 'isEstimated'>;
/** A sold order that Levy cannot record. */
type NoSale = { readonly unsupported: Unsupported };

/** Returns the sale of an order. Levy does not record the sale of an order abroad, and voids an earlier sale of it. */
export const toSale = (order: Order, input: Omit<CartInput, 'shipping'>): Sale | NoSale => {
  const built = toCart(order, input);
  if (!built.ok) return { unsupported: built.unsupported };
  const write = getWriter(order.currencyCode);
  return {
    ...built.cart,
    placedAt: (order.orderPlacedAt ?? new Date()).toISOString(),
    tax: write(order.totalWithTax - order.total),
    total: write(order.totalWithTax),
    isEstimated: isEstimated(order),
  };
};

/** Stores the sold snapshot with the order, in the request's database transaction. */
export const storeSale = async (
  connection: TransactionalConnection,
  ctx: RequestContext,
  order: Order,
  sale: Sale | NoSale,
  levyEstimated: boolean,
): Promise<void> => {
  const fields = { levySale: JSON.stringify(sale), levyEstimated };
  order.customFields = { ...order.customFields, ...fields } as Order['customFields'];
  await connection.getRepository(ctx, VendureOrder).update(order.id, { customFields: fields } as object);
};

// For a refund that was settled before the plugin was installed, this is the time of its last change.
const settledAt = ({ customFields, updatedAt }: Refund): Date =>
  new Date((customFields as RefundFields).levySettledAt ?? updatedAt);

const refundsIn = (order: Order): Refund[] => (order.payments ?? []).flatMap(({ refunds }) => refunds ?? []);

/** Creates the function that writes a payment or a refund. */
const getMoneyWriter = ({ currencyCode }: Order): Write => {
  const write = getWriter(currencyCode);
  return (minor) => write(roundToUnit(minor, currencyCode));
};

const toRefunds = (order: Order, write: Write): SoldRefund[] =>
  refundsIn(order)
    .filter(({ state, total }) => state === 'Settled' && total > 0)
    .sort((a, b) => settledAt(a).getTime() - settledAt(b).getTime() || Number(a.id) - Number(b.id))
    .map((refund) => ({
      id: String(refund.id),
      total: write(refund.total),
      lines: (refund.lines ?? []).map((line) => ({ id: String(line.orderLineId), quantity: line.quantity })),
      shipping: write(refund.shipping),
      at: settledAt(refund).toISOString(),
    }));

/** Returns the amount that the customer has paid, in minor units. */
const sumPaid = ({ payments = [] }: Order): number =>
  payments.filter(({ state }) => state === 'Settled').reduce((sum, { amount }) => sum + amount, 0);

/**
 * Returns the status that an order should have in Levy. A partial payment is not a sale: an order that is canceled
 * before the rest is settled is not in the ledger.
 */
const getWanted = (order: Order, total: number): SoldOrder['wanted'] => {
  const paid = sumPaid(order);
  const isCanceled = order.state === 'Cancelled';
  if (paid >= total && !(isCanceled && paid === 0)) return 'finalized';
  return isCanceled ? 'void' : 'draft';
};

const changedAt = (order: Order): string => {
  const changes = [order, ...(order.payments ?? []), ...refundsIn(order)].map(({ updatedAt }) => updatedAt.getTime());
  return new Date(Math.max(...changes)).toISOString();
};

/** The relations that `toSoldOrder` reads. */
export const relations = ['payments', 'payments.refunds', 'payments.refunds.lines'] as const;

/** Converts the order for Levy, or returns why Levy cannot record it; `null` for an order that was never placed. */
export const toSoldOrder = (order: Order): { readonly order: SoldOrder } | { readonly problem: Problem } | null => {
  const { levySale } = order.customFields as OrderFields;
  if (!levySale) return null;
  const sale = JSON.parse(levySale) as Sale | NoSale;
  if ('unsupported' in sale) return failed(order.code, sale.unsupported.code, sale.unsupported.detail);
  const write = getMoneyWriter(order);
  const own = { reference: order.code, paid: write(sumPaid(order)), changedAt: changedAt(order) };
  const wanted = getWanted(order, Number(toMinor(sale.total, exponent)));
  return { order: { ...sale, ...own, wanted, refunds: toRefunds(order, write) } };
};
