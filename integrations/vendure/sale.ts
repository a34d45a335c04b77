import type { Order, Refund, RequestContext } from '@vendure/core';
import { type TransactionalConnection, Order as VendureOrder } from '@vendure/core';
import { documentOf } from '../core/document.ts';
import { toDecimal } from '../core/money.ts';
import type { Cart, Order as SoldOrder, Refund as SoldRefund } from '../core/order.ts';
import { cartOf, exponentOf, type OrderFields, type RefundFields } from './cart.ts';
import { isEstimated } from './tax.ts';

/** An order as it was sold: later cancellations of lines change the order, but not its sale. */
type Sale = Cart & Pick<SoldOrder, 'placedAt' | 'tax' | 'total' | 'isEstimated'>;

const writerOf = (order: Order) => {
  const exponent = exponentOf(order.currencyCode);
  return (minor: number) => toDecimal(BigInt(Math.round(minor)), exponent);
};

// A surcharge has no product and its own tax, which the ledger needs to add up to the order.
const surchargesOf = (order: Order, write: (minor: number) => string): Cart['lines'] =>
  (order.surcharges ?? []).map(({ id, description, price }) => ({
    ...{ id: `surcharge-${id}`, quantity: 1, unitPrice: write(price), discount: write(0), description },
  }));

/** What was sold, or `null` for an order that Levy cannot have: with prices that include tax. */
export const saleOf = (order: Order, shippingTaxCode: string | null): Sale | null => {
  const cart = cartOf(order, shippingTaxCode);
  if (cart === null) return null;
  const write = writerOf(order);
  return {
    ...cart,
    lines: [...cart.lines, ...surchargesOf(order, write)],
    placedAt: (order.orderPlacedAt ?? new Date()).toISOString(),
    tax: write(order.totalWithTax - order.total),
    total: write(order.totalWithTax),
    isEstimated: isEstimated(order),
  };
};

/** Store what was sold with the order, in the transaction of the request. */
export const storeSale = async (
  connection: TransactionalConnection,
  ctx: RequestContext,
  order: Order,
  sale: Sale,
): Promise<void> => {
  const levySale = JSON.stringify(sale);
  const fields = { levySale, levyEstimated: sale.isEstimated };
  order.customFields = { ...order.customFields, ...fields } as Order['customFields'];
  await connection.getRepository(ctx, VendureOrder).update(order.id, { customFields: fields } as object);
};

// Of a refund that was settled before the plugin, the instant of its last change.
const settledAt = ({ customFields, updatedAt }: Refund): Date =>
  new Date((customFields as RefundFields).levySettledAt ?? updatedAt);

const refundsOf = (order: Order): SoldRefund[] => {
  const write = writerOf(order);
  return (order.payments ?? [])
    .flatMap(({ refunds }) => refunds ?? [])
    .filter(({ state, total }) => state === 'Settled' && total > 0)
    .sort((a, b) => settledAt(a).getTime() - settledAt(b).getTime() || Number(a.id) - Number(b.id))
    .map((refund) => ({
      id: String(refund.id),
      total: write(refund.total),
      lines: (refund.lines ?? []).map((line) => ({ id: String(line.orderLineId), quantity: line.quantity })),
      shipping: write(refund.shipping),
      at: settledAt(refund).toISOString(),
    }));
};

const wantedOf = ({ state, payments = [] }: Order): SoldOrder['wanted'] => {
  if (payments.some((payment) => payment.state === 'Settled')) return 'finalized';
  return state === 'Cancelled' ? 'void' : 'draft';
};

const paidOf = (order: Order): string => {
  const settled = (order.payments ?? []).filter(({ state }) => state === 'Settled');
  return writerOf(order)(settled.reduce((sum, { amount }) => sum + amount, 0));
};

/** The relations that `soldOrderOf` reads. */
export const relations = ['payments', 'payments.refunds', 'payments.refunds.lines'] as const;

/** The order as Levy should have it now; `null` for one that was never placed, goes abroad, or that Levy cannot have. */
export const soldOrderOf = (order: Order): SoldOrder | null => {
  const { levySale } = order.customFields as OrderFields;
  if (!levySale) return null;
  const sale = JSON.parse(levySale) as Sale;
  const documented = documentOf(sale);
  if (!documented.ok && documented.gap.code === 'foreign_country') return null;
  return {
    ...sale,
    reference: order.code,
    paid: paidOf(order),
    wanted: wantedOf(order),
    refunds: refundsOf(order),
  };
};
