import { getSum } from '../core/charges.ts';
import { toDecimal, toMinor } from '../core/money.ts';
import type { Order } from '../core/order.ts';
import {
  type Document,
  documentFields,
  getExponent,
  listFields,
  roundExact,
  type ShippingMethod,
  toCart,
  toExact,
} from './cart.ts';
import {
  type Change,
  type Claim,
  type CreditLine,
  exchangedFor,
  getInstant,
  getReturned,
  oldestFirst,
  type Payment,
  paidByCredit,
  type Return,
  type SoldItem,
  sumCaptured,
  sumGivenBack,
  toRefunds,
  withReturnedLines,
} from './refunds.ts';
import { isEstimated } from './tax.ts';

type Methods = readonly (ShippingMethod & Pick<SoldItem, 'tax_lines'>)[];
export type MedusaOrder = Omit<Document, 'items' | 'shipping_methods'> & {
  readonly status: string;
  readonly is_draft_order?: boolean | null;
  readonly cart?: object | null;
  readonly created_at: string | Date;
  readonly updated_at: string | Date;
  readonly canceled_at?: string | Date | null;
  readonly item_total: number;
  readonly shipping_total: number;
  readonly tax_total: number;
  readonly items?: readonly SoldItem[] | null;
  readonly shipping_methods?: Methods | null;
  readonly payment_collections?: readonly { readonly payments?: readonly Payment[] | null }[] | null;
  readonly credit_lines?: readonly CreditLine[] | null;
  readonly returns?: readonly Return[] | null;
  /** Medusa has no relation from an order to its claims and changes. */
  readonly claims?: readonly Claim[] | null;
  readonly changes?: readonly Change[] | null;
};

export const orderFields = [
  ...documentFields,
  ...['status', 'is_draft_order', 'cart.id', 'created_at', 'updated_at', 'canceled_at'],
  ...['item_total', 'shipping_total', 'tax_total', 'credit_lines.*', 'returns.*', 'returns.items.*'],
  ...listFields('items', 'tax_lines.code tax_lines.rate tax_lines.created_at'),
  ...listFields('items.detail', 'return_received_quantity return_dismissed_quantity'),
  ...listFields('shipping_methods', 'tax_lines.code tax_lines.created_at'),
  ...listFields('payment_collections.payments', 'amount captured_at canceled_at captures.* refunds.*'),
];

/** An order converted for Levy, and the amount that the customer still owes after a change. */
export type SoldOrder = Order & { readonly paid: string; readonly unpaid: string };

const isCanceledOrder = ({ status, canceled_at }: MedusaOrder): boolean =>
  status === 'canceled' || Boolean(canceled_at);

/**
 * Returns the credits of an order. `credit` is the part that store credit pays, in millionths of a minor unit. The part
 * that the customer does not pay was paid with returned units, or is no longer due because the order was canceled.
 * Otherwise it is `unpaid`.
 */
const listCredits = (order: MedusaOrder, payments: readonly Payment[], total: string, credit: bigint) => {
  const currency = order.currency_code.toUpperCase();
  const exponent = getExponent(currency);
  const rows = { credit_lines: order.credit_lines ?? [], changes: order.changes ?? [] };
  const refunds = toRefunds(payments, rows, currency);
  const isCanceled = isCanceledOrder(order);
  const coming = payments.map((payment) => {
    const [captured, whole] = [sumCaptured(payment, exponent), toExact(payment.amount, exponent)];
    return isCanceled || payment.canceled_at || captured > whole ? captured : whole;
  });
  const missing = toMinor(total, exponent) - roundExact(getSum(coming) + credit);
  const sources = { returns: order.returns ?? [], claims: order.claims ?? [] };
  const givenBack = sumGivenBack(order.items ?? [], sources, currency);
  const value = getSum(givenBack.map((row) => row.value));
  const due = missing < 0n ? 0n : missing;
  // The value of each return is rounded.
  const isExchanged = due <= value + BigInt(givenBack.length);
  const exchanged = isExchanged ? due : value;
  const rest = due - exchanged;
  const own = exchangedFor(exchanged, givenBack, refunds, exponent);
  const at = getInstant(order.canceled_at ?? order.updated_at);
  const canceled = {
    id: 'canceled',
    at,
    total: toDecimal(rest, exponent),
    lines: [],
    shipping: toDecimal(0n, exponent),
  };
  const isEnd = isCanceled && rest > 0n;
  return {
    refunds: oldestFirst([
      ...withReturnedLines(oldestFirst(refunds), givenBack, own, exponent),
      ...own,
      ...(isEnd ? [canceled] : []),
    ]),
    unpaid: toDecimal(isCanceled ? 0n : rest, exponent),
  };
};

/**
 * Returns the time of an order's placement. A draft order has no cart; Medusa replaces its tax lines when it converts it
 * to an order, and stores no other time of the conversion.
 */
const getPlacedAt = ({ cart, created_at, items, shipping_methods }: MedusaOrder): string => {
  const taxLines = [...(items ?? []), ...(shipping_methods ?? [])].flatMap(({ tax_lines }) => tax_lines ?? []);
  const times = cart ? [] : taxLines.flatMap((row) => row.created_at ?? []).map(getInstant);
  return times.sort()[0] ?? getInstant(created_at);
};

/** Returns the time of an order's last change. Payments, refunds, returns and claims do not update the order's row. */
const getChangedAt = ({ updated_at, returns, claims }: MedusaOrder, payments: readonly Payment[]): string => {
  const paid = payments.flatMap(({ captures, refunds }) => [...(captures ?? []), ...(refunds ?? [])]);
  const dates = [updated_at, ...paid.map((row) => row.created_at)];
  const back = [...(returns ?? []), ...(claims ?? [])].map((row) => row.updated_at);
  return [...dates, ...back].map(getInstant).sort().at(-1) as string;
};

/** Converts a Medusa order for Levy. */
export const toSoldOrder = (order: MedusaOrder): SoldOrder => {
  const currency = order.currency_code.toUpperCase();
  const payments = (order.payment_collections ?? []).flatMap((collection) => collection.payments ?? []);
  const exponent = getExponent(currency);
  const round = (exact: bigint): string => toDecimal(roundExact(exact), exponent);
  const paid = getSum(payments.map((payment) => sumCaptured(payment, exponent)));
  const isCanceled = isCanceledOrder(order);
  const returned = getReturned(order.items ?? [], exponent);
  const tax = round(toExact(order.tax_total, exponent) + returned.tax);
  // A refund lowers `total` but not these two fields.
  const remaining = toExact(order.item_total, exponent) + toExact(order.shipping_total, exponent);
  const total = round(remaining + returned.net + returned.tax);
  // Store credit does not pay for a canceled order.
  const credit = isCanceled ? 0n : paidByCredit(order.credit_lines ?? [], payments, exponent);
  const isFree = roundExact(remaining - credit) === 0n;
  const isPaid = paid > 0n || payments.some(({ captured_at }) => captured_at) || (isFree && !isCanceled);
  return {
    ...toCart(order, { total, tax }),
    reference: order.id,
    placedAt: getPlacedAt(order),
    changedAt: getChangedAt(order, payments),
    wanted: isPaid ? 'finalized' : isCanceled ? 'void' : 'draft',
    tax,
    total,
    paid: round(paid + credit),
    isEstimated: isEstimated([...(order.items ?? []), ...(order.shipping_methods ?? [])]),
    ...listCredits(order, payments, total, credit),
  };
};
