import type { Refund } from '../core/order.ts';
import { amountOf } from './amounts.ts';
import { instantOf } from './returns.ts';

type Dated = { readonly created_at: string | Date };
export type Payment = {
  readonly amount: number;
  readonly captured_at?: string | Date | null;
  readonly canceled_at?: string | Date | null;
  readonly captures?: readonly (Dated & { readonly amount: number })[] | null;
  readonly refunds?: readonly (Dated & { readonly id: string; readonly amount: number })[] | null;
};
/** The refunds of payments. */
export const refundsOf = (payments: readonly Payment[], currency: string): Refund[] =>
  payments
    .flatMap(({ refunds }) => refunds ?? [])
    .map(({ id, amount, created_at }) => ({
      ...{ id, total: amountOf(amount, currency), at: instantOf(created_at) },
      ...{ lines: [], shipping: amountOf(0, currency) },
    }));

export const oldestFirst = (refunds: readonly Refund[]): Refund[] =>
  refunds.toSorted((a, b) => (a.at === b.at ? Number(a.id > b.id) - 0.5 : a.at < b.at ? -1 : 1));

/** The captured amount of a payment. Each shipment can capture a part. */
export const capturedOf = ({ amount, captured_at, captures }: Payment): number => {
  const parts = captures ?? [];
  return parts.length === 0 && captured_at ? Number(amount) : parts.reduce((sum, part) => sum + Number(part.amount), 0);
};

/** Store credit and other amounts that reduce the payment but not the price of the goods. */
export type CreditLine = {
  readonly amount: number;
  readonly metadata?: { readonly created_in_version?: number } | null;
};

/**
 * Returns the part of an order that credit lines pay. Medusa also writes credit lines for refunds, which never exceed
 * the refunds.
 */
export const paidByCredit = (lines: readonly CreditLine[], payments: readonly Payment[]): number => {
  const sum = (rows: readonly { readonly amount: number }[]) =>
    rows.reduce((all, { amount }) => all + Number(amount), 0);
  const later = lines.filter(({ metadata }) => metadata?.created_in_version !== undefined);
  const refunded = sum(payments.flatMap(({ refunds }) => refunds ?? []));
  return sum(lines) - sum(later) + Math.max(sum(later) - refunded, 0);
};
