import type { LocalLevy } from '../../core/test/levy.ts';
import { addresses, eventually, type Order, placeOrder, recordedOf, staffOf } from './orders.ts';
import type { OptionName, ProductName, Shop } from './shop.ts';

type Basket = Parameters<typeof placeOrder>[1];
type Units = { readonly id: string; readonly quantity: number };
export type Changed = Order & {
  readonly summary: { readonly pending_difference: number };
  readonly shipping_methods: readonly object[];
};

/** A paid order whose sale is finalized. */
export const paidOrder = async (shop: Shop, levy: LocalLevy, basket: Partial<Basket> & Pick<Basket, 'items'>) => {
  const placed = await placeOrder(shop, { address: addresses.MI, ...basket });
  await staffOf(shop).capture(placed.order.id);
  await eventually(levy, placed.order.id, ({ sales }) => sales[0]?.status === 'finalized');
  return placed;
};

/** Changes that the shop's staff makes to a paid order. */
export const changesOf = (shop: Shop, order: string) => {
  const post = <Data = unknown>(path: string, body: Record<string, unknown> = {}) =>
    shop.admin<Data>('POST', path, body);
  const steps = async (path: string, each: readonly (readonly [string, Record<string, unknown>])[]) => {
    for (const [step, body] of each) await post(`${path}/${step}`, body);
  };
  const added = (products: readonly ProductName[]) => ({
    items: products.map((name) => ({ variant_id: shop.variants[name], quantity: 1 })),
  });
  return {
    ship: (items: readonly Units[], option: OptionName = 'standard') =>
      post(`/orders/${order}/fulfillments`, { items, shipping_option_id: shop.options[option] }),
    /** Adds products in an order edit, at their price or at `unit_price` in dollars. */
    add: async (product: ProductName, quantity: number, unit_price?: number) => {
      await post('/order-edits', { order_id: order });
      const items = [{ variant_id: shop.variants[product], quantity, ...(unit_price && { unit_price }) }];
      await steps(`/order-edits/${order}`, [
        ['items', { items }],
        ['confirm', {}],
      ]);
    },
    /** Requests an exchange. Returns the id of its return. */
    exchange: async (items: readonly Units[], products: readonly ProductName[]): Promise<string> => {
      const { exchange } = await post<{ exchange: { id: string } }>('/exchanges', { order_id: order });
      const path = `/exchanges/${exchange.id}`;
      const inbound = await post<{ return: { id: string } }>(`${path}/inbound/items`, { items });
      await post(`${path}/outbound/items`, added(products));
      await post(`${path}/request`);
      return inbound.return.id;
    },
    receive: (back: string, items: readonly Units[]) =>
      steps(`/returns/${back}`, [
        ['receive', {}],
        ['receive-items', { items }],
        ['receive/confirm', {}],
      ]),
    /** Replaces units without a return. */
    claim: async (items: readonly Units[], products: readonly ProductName[]) => {
      const { claim } = await post<{ claim: { id: string } }>('/claims', { order_id: order, type: 'replace' });
      await steps(`/claims/${claim.id}`, [
        ['claim-items', { items }],
        ['outbound/items', added(products)],
        ['request', {}],
      ]);
    },
    /** Takes units back for a fee in dollars. Returns the id of the return. */
    takeBackFor: async (fee: number, items: readonly Units[]) => {
      const { return: back } = await post<{ return: { id: string } }>('/returns', { order_id: order });
      await steps(`/returns/${back.id}`, [
        ['request-items', { items }],
        ['shipping-method', { shipping_option_id: shop.options.standard, custom_amount: fee }],
        ['request', {}],
      ]);
      return back.id;
    },
    /** Marks the amount that the customer owes after a change as paid. */
    markAsPaid: async () => {
      const fields = 'id,payment_collections.id,payment_collections.status';
      type Read = { order: { payment_collections: { id: string; status: string }[] } };
      const read = await shop.admin<Read>('GET', `/orders/${order}?fields=${fields}`);
      const open = read.order.payment_collections.find(({ status }) => status === 'not_paid');
      await post(`/payment-collections/${open?.id}/mark-as-paid`, { order_id: order });
    },
    read: async (): Promise<Changed> => {
      const fields = '+item_total,+shipping_total,+tax_total,summary.*,*items,*shipping_methods';
      return (await shop.admin<{ order: Changed }>('GET', `/orders/${order}?fields=${fields}`)).order;
    },
  };
};

/** Waits for an event and two reconciliation runs. */
export const settle = () => new Promise((resolve) => setTimeout(resolve, 7000));

/** Returns the sale minus its credits and their tax, in cents, and the number of credits. */
export const netOf = async (levy: LocalLevy, order: string) => {
  const { sales, credits } = await recordedOf(levy, order);
  const sum = (of: 'total_amount' | 'tax_amount') => {
    const cents = (rows: typeof sales) => rows.reduce((all, row) => all + Number(row[of].replace('.', '')), 0);
    return cents(sales) - cents(credits);
  };
  return { net: sum('total_amount'), tax: sum('tax_amount'), credits: credits.length };
};
