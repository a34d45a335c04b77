import { orThrow, type Schemas } from '../../../shared/client/client.ts';
import type { LocalLevy } from '../../core/test/levy.ts';
import type { OptionName, ProductName, Shop } from './shop.ts';

export const addresses = {
  HI: { address_1: '530 S King St', city: 'Honolulu', province: 'us-hi', postal_code: '96813', country_code: 'us' },
  MI: { address_1: '1 Woodward Ave', city: 'Detroit', province: 'MI', postal_code: '48226', country_code: 'us' },
  MN: { address_1: '350 S 5th St', city: 'Minneapolis', province: 'MN', postal_code: '55415', country_code: 'us' },
  NY: { address_1: '1 Wall St', city: 'New York', province: 'New York', postal_code: '10005', country_code: 'us' },
  WA: { address_1: '600 4th Ave', city: 'Seattle', province: 'WA', postal_code: '98104', country_code: 'us' },
} as const;

type Item = {
  readonly id: string;
  readonly title: string;
  readonly quantity: number;
  readonly unit_price: number;
  readonly subtotal: number;
  /** The store API omits it from carts. */
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
export const centsOf = (text: string): number => Number(text.replace('.', ''));

/** Simulates a shopper, step by step. */
export const shopperOf = (shop: Shop) => {
  let id = '';
  const cartOf = async (answer: Promise<{ cart: Cart }>): Promise<Cart> => (await answer).cart;
  return {
    create: async () => {
      const { cart } = await shop.store<{ cart: Cart }>('POST', '/carts', { region_id: shop.region });
      id = cart.id;
      return cart;
    },
    add: (product: ProductName, quantity: number) =>
      cartOf(shop.store('POST', `/carts/${id}/line-items`, { variant_id: shop.variants[product], quantity })),
    adjust: (line: string, quantity: number) =>
      cartOf(shop.store('POST', `/carts/${id}/line-items/${line}`, { quantity })),
    address: (shipping_address: object) =>
      cartOf(shop.store('POST', `/carts/${id}`, { email: 'buyer@shop.example', shipping_address })),
    coupon: (code: string) => cartOf(shop.store('POST', `/carts/${id}/promotions`, { promo_codes: [code] })),
    ship: (option: OptionName) =>
      cartOf(shop.store('POST', `/carts/${id}/shipping-methods`, { option_id: shop.options[option] })),
    cart: () => cartOf(shop.store('GET', `/carts/${id}?fields=+items.adjustments.amount`)),
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
      const answer = await shop.store<{ type: string; order?: Order; error?: { message: string } }>(
        'POST',
        `/carts/${id}/complete`,
        {},
      );
      if (!answer.order) throw new Error(answer.error?.message ?? 'The cart is no order.');
      return answer.order;
    },
  };
};

type Basket = {
  readonly items: readonly (readonly [ProductName, number])[];
  readonly address?: object;
  readonly coupon?: string | undefined;
  readonly ship?: OptionName | readonly OptionName[];
};

/** Places an order. Returns it with the cart at payment time, and the payment amount in cents. */
export const placeOrder = async (shop: Shop, { items, address = addresses.HI, coupon, ship = 'standard' }: Basket) => {
  const shopper = shopperOf(shop);
  await shopper.create();
  await shopper.address(address);
  for (const [product, quantity] of items) await shopper.add(product, quantity);
  for (const option of [ship].flat()) await shopper.ship(option);
  if (coupon) await shopper.coupon(coupon);
  const paid = await shopper.toPayment();
  const cart = await shopper.cart();
  return { cart, order: await shopper.complete(), paid };
};

type Payment = { readonly id: string };
/** Actions of the shop's staff. */
export const staffOf = (shop: Shop) => {
  const paymentOf = async (order: string): Promise<string> => {
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
        `/payments/${await paymentOf(order)}/capture`,
        amount === undefined ? {} : { amount: amount / 100 },
      ),
    /** Ships an item, and takes back some of its units. */
    takeBack: async (order: string, id: string, quantity: number) => {
      const items = [{ id, quantity }];
      await shop.admin('POST', `/orders/${order}/fulfillments`, { items });
      const { return: back } = await shop.admin<{ return: { id: string } }>('POST', '/returns', { order_id: order });
      const step = (path: string, body: Record<string, unknown> = {}) =>
        shop.admin('POST', `/returns/${back.id}/${path}`, body);
      await step('request-items', { items });
      await step('request');
      await step('receive');
      await step('receive-items', { items });
      await step('receive/confirm');
    },
    /** Changes the quantity of an item of a placed order. */
    edit: async (order: string, item: string, quantity: number): Promise<Order> => {
      await shop.admin('POST', '/order-edits', { order_id: order });
      await shop.admin('POST', `/order-edits/${order}/items/item/${item}`, { quantity });
      await shop.admin('POST', `/order-edits/${order}/confirm`, {});
      const read = await shop.admin<{ order: Order }>(
        'GET',
        `/orders/${order}?fields=+item_total,+shipping_total,+tax_total`,
      );
      return read.order;
    },
    refund: async (order: string, amount: number) =>
      shop.admin('POST', `/payments/${await paymentOf(order)}/refund`, { amount: amount / 100 }),
    cancel: (order: string) => shop.admin('POST', `/orders/${order}/cancel`, {}),
  };
};

type Transaction = Schemas['Transaction'];

/** Reads the sale and credits of an order in Levy that are not void. */
export const recordedOf = async ({ levy }: LocalLevy, order: string) => {
  const all: Transaction[] = [];
  for (let starting_after: string | undefined; ; ) {
    const query = { limit: 100, ...(starting_after !== undefined && { starting_after }) };
    const page = orThrow(await levy.get('/transactions', { query }));
    all.push(...(page.data as Transaction[]));
    if (!page.next_cursor) break;
    starting_after = page.next_cursor;
  }
  const live = all.filter(({ status, metadata }) => status !== 'void' && metadata?.['order'] === order);
  return { sales: live.filter(({ type }) => type === 'sale'), credits: live.filter(({ type }) => type === 'credit') };
};
export type Recorded = Awaited<ReturnType<typeof recordedOf>>;

/** Waits until Levy's state of an order is as expected. Returns the last state. */
export const eventually = async (
  levy: LocalLevy,
  order: string,
  isExpected: (recorded: Recorded) => boolean,
): Promise<Recorded> => {
  let recorded = await recordedOf(levy, order);
  for (let tries = 0; tries < 100 && !isExpected(recorded); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    recorded = await recordedOf(levy, order);
  }
  return recorded;
};

const decimal = (minor: number) =>
  `${minor < 0 ? '-' : ''}${Math.floor(Math.abs(minor) / 100)}.${String(Math.abs(minor) % 100).padStart(2, '0')}`;
const codes: Record<string, string | undefined> = {
  ...{ Mug: 'GENERAL', Pin: 'GENERAL', Shirt: 'CLOTHING.APPAREL', Rice: 'FOOD.GROCERY', Table: undefined },
  ...{ Feed: 'FOOD.GROCERY', Voucher: 'FEES.GIFT_CARDS' },
};

/** Rounds discounts to cents that add up to the total: the largest fractions are rounded up; ties go by item id. */
const discountsOf = (items: readonly Item[]): number[] => {
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
const shippingOf = (items: readonly Item[], shipping: number) => {
  if (shipping === 0) return null;
  const of = (products: (title: string) => boolean) => items.filter((item) => products(item.product_title));
  const feed = of((title) => title === 'Feed');
  const rest = feed.length > 0 ? shipping - freight : shipping;
  const charges = [
    { amount: decimal(rest), lines: of((title) => !['Feed', 'Voucher'].includes(title)) },
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
  const discounts = discountsOf(items);
  const body = {
    customer: {
      address: { line1: address.address_1, city: address.city, state, postal_code: address.postal_code, country: 'US' },
    },
    line_items: items.map(({ id, quantity, unit_price, product_title }, at) => ({
      ...{ id, quantity: String(quantity), unit_price: decimal(cents(unit_price)) },
      ...(unit_price >= 0 && { discount_amount: decimal(discounts[at] as number) }),
      ...(codes[product_title] && { product_tax_code: codes[product_title] }),
    })),
    shipping: shippingOf(items, cents(shipping_subtotal)),
  };
  return centsOf(orThrow(await levy.post('/calculations', { body })).tax_amount);
};
