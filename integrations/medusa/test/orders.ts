import { orThrow } from '../../../shared/client/client.ts';
import { type LocalLevy, readRecorded } from '../../core/test/levy.ts';
import type { OptionName, ProductName, Shop } from './shop.ts';

export const addresses = {
  HI: { address_1: '530 S King St', city: 'Honolulu', province: 'us-hi', postal_code: '96813', country_code: 'us' },
  MI: { address_1: '1 Woodward Ave', city: 'Detroit', province: 'MI', postal_code: '48226', country_code: 'us' },
  MN: { address_1: '350 S 5th St', city: 'Minneapolis', province: 'MN', postal_code: '55415', country_code: 'us' },
  NY: { address_1: '1 Wall St', city: 'New York', province: 'New York', postal_code: '10005', country_code: 'us' },
  WA: { address_1: '600 4th Ave', city: 'Seattle', province: 'WA', postal_code: '98104', country_code: 'us' },
} as const;

export const guam = {
  address_1: '1 Marine Corps Dr',
  city: 'Hagatna',
  province: 'GU',
  postal_code: '96910',
  country_code: 'us',
};

type Item = {
  readonly id: string;
  readonly title: string;
  readonly quantity: number;
  readonly unit_price: number;
  readonly subtotal: number;
  /** Absent from carts in the store API. */
  readonly discount_subtotal?: number | null;
  readonly adjustments?: readonly { readonly amount: number }[];
  readonly product_title: string;
};
export type Cart = {
  readonly id: string;
  readonly tax_total: number;
  readonly total: number;
  readonly item_subtotal: number;
  readonly shipping_subtotal: number;
  readonly shipping_total: number;
  readonly discount_total: number;
  readonly discount_subtotal: number;
  readonly items: readonly Item[];
};
export type Order = Cart & { readonly status: string };

/** Rounds a Medusa amount, which has fractions of a cent, to cents. */
export const cents = (amount: number): number => Math.round(amount * 100);
/** Converts a decimal string to cents. */
export const toCents = (text: string): number => Number(text.replace('.', ''));

/** Simulates a shopper, step by step. */
export const createShopper = (shop: Shop) => {
  let id = '';
  const buildCart = async (response: Promise<{ cart: Cart }>): Promise<Cart> => (await response).cart;
  return {
    create: async () => {
      const { cart } = await shop.store<{ cart: Cart }>('POST', '/carts', { region_id: shop.region });
      id = cart.id;
      return cart;
    },
    add: (product: ProductName, quantity: number) =>
      buildCart(shop.store('POST', `/carts/${id}/line-items`, { variant_id: shop.variants[product], quantity })),
    adjust: (line: string, quantity: number) =>
      buildCart(shop.store('POST', `/carts/${id}/line-items/${line}`, { quantity })),
    address: (shipping_address: object) =>
      buildCart(shop.store('POST', `/carts/${id}`, { email: 'buyer@shop.example', shipping_address })),
    coupon: (code: string) => buildCart(shop.store('POST', `/carts/${id}/promotions`, { promo_codes: [code] })),
    ship: (option: OptionName) =>
      buildCart(shop.store('POST', `/carts/${id}/shipping-methods`, { option_id: shop.options[option] })),
    cart: () => buildCart(shop.store('GET', `/carts/${id}?fields=+items.adjustments.amount`)),
    /** The amount of the payment, in cents. */
    toPayment: async (): Promise<number> => {
      const { payment_collection: created } = await shop.store<{ payment_collection: { id: string } }>(
        'POST',
        '/payment-collections',
        { cart_id: id },
      );
      const { payment_collection } = await shop.store<{ payment_collection: { amount: number } }>(
        'POST',
        `/payment-collections/${created.id}/payment-sessions`,
        { provider_id: 'pp_system_default' },
      );
      return cents(payment_collection.amount);
    },
    complete: async (): Promise<Order> => {
      const response = await shop.store<{ type: string; order?: Order; error?: { message: string } }>(
        'POST',
        `/carts/${id}/complete`,
        {},
      );
      if (!response.order) throw new Error(response.error?.message ?? 'The cart is no order.');
      return response.order;
    },
  };
};

type Basket = {
  /** The quantities of the products. */
  readonly items: Readonly<Partial<Record<ProductName, number>>>;
  readonly address?: object;
  readonly coupon?: string | undefined;
  readonly ship?: OptionName | readonly OptionName[];
};

/** Places an order. Returns it with the cart at payment time, and the payment amount in cents. */
export const placeOrder = async (shop: Shop, { items, address = addresses.HI, coupon, ship = 'standard' }: Basket) => {
  const shopper = createShopper(shop);
  await shopper.create();
  await shopper.address(address);
  for (const [product, quantity] of Object.entries(items)) await shopper.add(product as ProductName, quantity);
  for (const option of [ship].flat()) await shopper.ship(option);
  if (coupon) await shopper.coupon(coupon);
  const paid = await shopper.toPayment();
  const cart = await shopper.cart();
  return { cart, order: await shopper.complete(), paid };
};

type Payment = { readonly id: string };
/** Actions of the shop's staff. */
export const createStaff = (shop: Shop) => {
  const readPayment = async (order: string): Promise<string> => {
    const fields = 'id,payment_collections.payments.id';
    const read = await shop.admin<{ order: { payment_collections: { payments: Payment[] }[] } }>(
      'GET',
      `/orders/${order}?fields=${fields}`,
    );
    return read.order.payment_collections[0]?.payments[0]?.id as string;
  };
  return {
    /** Captures all or part of the payment. */
    capture: async (order: string, amount?: number) =>
      shop.admin(
        'POST',
        `/payments/${await readPayment(order)}/capture`,
        amount === undefined ? {} : { amount: amount / 100 },
      ),
    /** Ships an item, and takes back some of its units, which arrive one by one. */
    takeBack: async (order: string, id: string, quantity: number) => {
      const items = [{ id, quantity }];
      await shop.admin('POST', `/orders/${order}/fulfillments`, { items });
      const { return: back } = await shop.admin<{ return: { id: string } }>('POST', '/returns', { order_id: order });
      await shop.admin('POST', `/returns/${back.id}/request-items`, { items });
      await shop.admin('POST', `/returns/${back.id}/request`, {});
      for (let unit = 0; unit < quantity; unit++)
        await listChanges(shop, order).receive(back.id, [{ id, quantity: 1 }]);
    },
    /** Changes the quantity of an item of a placed order. */
    edit: async (order: string, item: string, quantity: number): Promise<Order> => {
      await shop.admin('POST', '/order-edits', { order_id: order });
      await shop.admin('POST', `/order-edits/${order}/items/item/${item}`, { quantity });
      await shop.admin('POST', `/order-edits/${order}/confirm`, {});
      return listChanges(shop, order).read();
    },
    refund: async (order: string, amount: number) =>
      shop.admin('POST', `/payments/${await readPayment(order)}/refund`, { amount: amount / 100 }),
    cancel: (order: string) => shop.admin('POST', `/orders/${order}/cancel`, {}),
  };
};

export type Recorded = Awaited<ReturnType<typeof readRecorded>>;

/** Waits until Levy's state of an order is as expected. Returns the last state. */
export const eventually = async (
  levy: LocalLevy,
  order: string,
  isExpected: (recorded: Recorded) => boolean,
): Promise<Recorded> => {
  let recorded = await readRecorded(levy, order);
  for (let tries = 0; tries < 100 && !isExpected(recorded); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    recorded = await readRecorded(levy, order);
  }
  return recorded;
};

const decimal = (minor: number) =>
  `${minor < 0 ? '-' : ''}${Math.floor(Math.abs(minor) / 100)}.${String(Math.abs(minor) % 100).padStart(2, '0')}`;
const codes: Record<string, string | undefined> = {
  Mug: 'GENERAL',
  Pin: 'GENERAL',
  Shirt: 'CLOTHING.APPAREL',
  Rice: 'FOOD.GROCERY',
  Table: undefined,
  Feed: 'FOOD.GROCERY',
  Voucher: 'FEES.GIFT_CARDS',
};

/** Rounds discounts to cents that add up to the total: the largest fractions are rounded up; ties go by item id. */
const listDiscounts = (items: readonly Item[]): number[] => {
  const exact = items.map(
    ({ discount_subtotal, adjustments = [] }) =>
      100 * (discount_subtotal ?? adjustments.reduce((sum, { amount }) => sum + amount, 0)),
  );
  const tiny = 1e-6;
  const rounded = exact.map((discount) => Math.floor(discount + tiny));
  const total = Math.ceil(exact.reduce((sum, discount) => sum + discount, 0) - 0.5 - tiny);
  while (rounded.reduce((sum, discount) => sum + discount, 0) < total) {
    const rest = exact.map((discount, at) => discount - (rounded[at] as number));
    const largest = rest.findIndex((fraction) => fraction > Math.max(...rest) - tiny);
    rounded[largest] = (rounded[largest] as number) + 1;
  }
  return rounded;
};

const freight = 1200;

/** The shipping charges: freight for feed, and the rest for the other goods, except vouchers. */
const getShipping = (items: readonly Item[], shipping: number) => {
  if (shipping === 0) return null;
  const listOwn = (products: (title: string) => boolean) => items.filter((item) => products(item.product_title));
  const feed = listOwn((title) => title === 'Feed');
  const rest = feed.length > 0 ? shipping - freight : shipping;
  const charges = [
    { amount: decimal(rest), lines: listOwn((title) => !['Feed', 'Voucher'].includes(title)) },
    { amount: decimal(freight), lines: feed },
  ];
  return charges
    .filter(({ amount, lines }) => amount !== '0.00' && lines.length > 0)
    .map(({ amount, lines }) => ({ amount, line_item_ids: lines.map(({ id }) => id) }));
};

/** Returns the tax in cents that a client without the adapter calculates from the store API's data. */
export const expectedTax = async (
  { levy }: LocalLevy,
  { items: unsorted, shipping_subtotal }: Pick<Cart, 'items' | 'shipping_subtotal'>,
  address: (typeof addresses)[keyof typeof addresses],
): Promise<number> => {
  const state = address.province.replace('us-', '').toUpperCase();
  const items = unsorted.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const discounts = listDiscounts(items);
  const body = {
    customer: {
      address: { line1: address.address_1, city: address.city, state, postal_code: address.postal_code, country: 'US' },
    },
    line_items: items.map(({ id, quantity, unit_price, product_title }, at) => ({
      id,
      quantity: String(quantity),
      unit_price: decimal(cents(unit_price)),
      ...(unit_price >= 0 && { discount_amount: decimal(discounts[at] as number) }),
      ...(codes[product_title] && { product_tax_code: codes[product_title] }),
    })),
    shipping: getShipping(items, cents(shipping_subtotal)),
  };
  return toCents(orThrow(await levy.post('/calculations', { body })).tax_amount);
};

type Units = { readonly id: string; readonly quantity: number };
type Changed = Order & {
  readonly summary: { readonly pending_difference: number };
  readonly shipping_methods: readonly object[];
};

/** A paid order whose sale is finalized. */
export const paidOrder = async (shop: Shop, levy: LocalLevy, basket: Basket) => {
  const placed = await placeOrder(shop, { address: addresses.MI, ...basket });
  await createStaff(shop).capture(placed.order.id);
  await eventually(levy, placed.order.id, ({ sales }) => sales[0]?.status === 'finalized');
  return placed;
};

/** Changes that the shop's staff makes to a paid order. */
export const listChanges = (shop: Shop, order: string) => {
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
export const readNet = async (levy: LocalLevy, order: string) => {
  const { sales, credits } = await readRecorded(levy, order);
  const sum = (field: 'total_amount' | 'tax_amount') => {
    const cents = (rows: typeof sales) => rows.reduce((all, row) => all + Number(row[field].replace('.', '')), 0);
    return cents(sales) - cents(credits);
  };
  return { net: sum('total_amount'), tax: sum('tax_amount'), credits: credits.length };
};
