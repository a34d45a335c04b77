import type { Random } from '../../core/test/orders.ts';
import { type ShopOrder, staffOf } from './orders.ts';
import type { Shop } from './shop.ts';

/** The refunded amount, and its tax calculated independently. */
export type PaidBack = { readonly amount: number; readonly tax: number };

type Part = { readonly id: string | null; readonly taxShare: number; left: number };

/**
 * The lines, surcharges and shipping of an order with tax, in cents, and their share of tax. Surcharges below zero
 * reduce the others.
 */
const partsOf = (order: ShopOrder): Part[] => {
  const part = (id: string | null, net: number, tax: number) => ({
    ...{ id, left: net + tax, taxShare: net + tax === 0 ? 0 : tax / (net + tax) },
  });
  const goods = [
    ...order.lines.map(({ id, proratedLinePrice: net, proratedLinePriceWithTax: gross }) => ({ id, net, gross })),
    ...order.surcharges.map(({ price: net, priceWithTax: gross }) => ({ id: null, net, gross })),
  ];
  const sold = goods.filter(({ net }) => net > 0);
  const sum = (rows: typeof goods) => rows.reduce((all, { net }) => all + net, 0);
  const paid = sum(goods) / sum(sold);
  return [
    ...sold.map(({ id, net, gross }) => part(id, net * paid, gross - net)),
    part(null, order.shipping, order.shippingWithTax - order.shipping),
  ];
};

/** Takes an amount first from the returned line, then in proportion from everything. Returns its tax. */
const take = (parts: readonly Part[], amount: number, line: string | null): number => {
  const own = parts.find(({ id }) => line !== null && id === line);
  const first = own ? Math.min(own.left, amount) : 0;
  if (own) own.left -= first;
  const left = parts.reduce((sum, part) => sum + part.left, 0);
  const rest = left === 0 ? 0 : Math.min(amount - first, left) / left;
  let tax = first * (own?.taxShare ?? 0);
  for (const part of parts) {
    tax += part.left * rest * part.taxShare;
    part.left *= 1 - rest;
  }
  return tax;
};

/**
 * Makes random refunds of units or amounts, up to the first payment of the order; with `isAll`, also refunds the rest.
 * The shop refunds units at their rounded price, which can exceed the remaining amount by a cent.
 */
export const refundSome = async (
  shop: Shop,
  random: Random,
  order: ShopOrder,
  limit: number,
  isAll: boolean,
): Promise<PaidBack[]> => {
  const staff = staffOf(shop);
  const parts = partsOf(order);
  const paid: PaidBack[] = [];
  const units = new Map(order.lines.map(({ id, quantity }) => [id, quantity]));
  const rest = () => limit - paid.reduce((sum, { amount }) => sum + amount, 0);
  const add = (amount: number, line: string | null) => paid.push({ amount, tax: take(parts, amount, line) });
  for (let refunds = random.upTo(3); refunds > 0; refunds--) {
    const line = random.pick(order.lines);
    const quantity = units.get(line.id) as number;
    if (random.upTo(2) > 0 && quantity > 0) {
      const returned = 1 + random.upTo(quantity - 1);
      const input = { lines: [{ orderLineId: line.id, quantity: returned }] };
      const amount = await staff.refund(order.id, input).catch(() => null);
      if (amount === null) continue;
      units.set(line.id, quantity - returned);
      add(amount, line.id);
    } else if (rest() > 1) add(await staff.refund(order.id, { amount: 1 + random.upTo(rest() - 2) }), null);
  }
  if (isAll && rest() > 0) add(await staff.refund(order.id, { amount: rest() }), null);
  return paid;
};
