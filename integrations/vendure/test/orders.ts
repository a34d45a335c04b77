import { OrderService, RequestContextService } from '@vendure/core';
import { expect } from 'vitest';
import { orThrow } from '../../../shared/client/client.ts';
import { type LocalLevy, readRecorded } from '../../core/test/levy.ts';
import { type ProductName, products, type Send, type Shop } from './shop.ts';

const fields = `id code state total totalWithTax subTotal shipping shippingWithTax
  lines { id quantity unitPrice proratedLinePrice proratedLinePriceWithTax productVariant { sku } }
  shippingLines { id discountedPrice } surcharges { id price priceWithTax }
  taxSummary { description taxRate taxBase taxTotal }`;
const orderOrError = `... on Order { ${fields} } ... on ErrorResult { errorCode message }`;

export type ShopOrder = {
  readonly id: string;
  readonly code: string;
  readonly state: string;
  readonly total: number;
  readonly totalWithTax: number;
  readonly subTotal: number;
  readonly shipping: number;
  readonly shippingWithTax: number;
  readonly lines: readonly {
    readonly id: string;
    readonly quantity: number;
    readonly unitPrice: number;
    readonly proratedLinePrice: number;
    readonly proratedLinePriceWithTax: number;
    readonly productVariant: { readonly sku: string };
  }[];
  readonly shippingLines: readonly { readonly id: string; readonly discountedPrice: number }[];
  readonly surcharges: readonly { readonly id: string; readonly price: number; readonly priceWithTax: number }[];
  readonly taxSummary: readonly { readonly description: string; readonly taxTotal: number }[];
};

export const addresses = {
  HI: { streetLine1: '530 S King St', city: 'Honolulu', province: 'us-hi', postalCode: '96813', countryCode: 'US' },
  MI: { streetLine1: '1 Woodward Ave', city: 'Detroit', province: 'MI', postalCode: '48226', countryCode: 'US' },
  MN: { streetLine1: '350 S 5th St', city: 'Minneapolis', province: 'MN', postalCode: '55415', countryCode: 'US' },
  NY: { streetLine1: '1 Wall St', city: 'New York', province: 'New York', postalCode: '10005', countryCode: 'US' },
  WA: { streetLine1: '600 4th Ave', city: 'Seattle', province: 'WA', postalCode: '98104', countryCode: 'US' },
} as const;

export const guam = {
  streetLine1: '1 Marine Corps Dr',
  city: 'Hagatna',
  province: 'GU',
  postalCode: '96910',
  countryCode: 'US',
};
export const berlin = { streetLine1: 'x', city: 'Berlin', postalCode: '10115', countryCode: 'DE' };

const paymentTypes = '($method: String!, $metadata: JSON!)';

type Method = { readonly id: string; readonly code: string; readonly priceWithTax: number };

const shippingMethods = async (send: Send) => {
  type Methods = { readonly eligibleShippingMethods: readonly Method[] };
  return (await send<Methods>('{ eligibleShippingMethods { id code priceWithTax } }')).eligibleShippingMethods;
};

type Refused = { readonly errorCode?: string; readonly message?: string; readonly transitionError?: string };

/** Simulates a shopper, step by step. Each step returns the order, or throws if the shop refuses it. */
export const createShopper = (shop: Shop) => {
  const send: Send = shop.shopper();
  const step = async (mutation: string, variables: object = {}, types = '', more = ''): Promise<ShopOrder> => {
    const data = await send<Record<string, ShopOrder & Refused>>(
      `mutation ${types} { ${mutation} { ${orderOrError} ${more} } }`,
      variables,
    );
    const order = Object.values(data)[0] as ShopOrder & Refused;
    if (order.errorCode) throw new Error(`${order.errorCode}: ${order.transitionError ?? order.message}`);
    return order;
  };
  return {
    add: (product: ProductName, quantity: number) =>
      step(`addItemToOrder(productVariantId: "${shop.variants[product]}", quantity: ${quantity})`),
    adjust: (line: string, quantity: number) => step(`adjustOrderLine(orderLineId: "${line}", quantity: ${quantity})`),
    coupon: (code: string) => step(`applyCouponCode(couponCode: "${code}")`),
    address: (input: object) =>
      step('setOrderShippingAddress(input: $input)', { input }, '($input: CreateAddressInput!)'),
    methods: () => shippingMethods(send),
    ship: async (...codes: readonly string[]) => {
      const methods = await shippingMethods(send);
      const ids = codes.map((code) => methods.find((method) => method.code === code)?.id);
      return step(`setOrderShippingMethod(shippingMethodId: ${JSON.stringify(ids)})`);
    },
    customer: (email: string) =>
      step(`setCustomerForOrder(input: { firstName: "A", lastName: "Buyer", emailAddress: "${email}" })`),
    login: (email: string) =>
      send(
        `mutation { login(username: "${email}", password: "secret") { __typename ... on ErrorResult { message } } }`,
      ),
    toPayment: () => {
      const reason = '... on OrderStateTransitionError { transitionError }';
      return step('transitionOrderToState(state: "ArrangingPayment")', {}, '', reason);
    },
    to: (state: string) => step(`transitionOrderToState(state: "${state}")`),
    pay: (method: string, metadata: object = {}) =>
      step('addPaymentToOrder(input: { method: $method, metadata: $metadata })', { method, metadata }, paymentTypes),
    active: async () => (await send<{ activeOrder: ShopOrder | null }>(`{ activeOrder { ${fields} } }`)).activeOrder,
  };
};
export type Shopper = ReturnType<typeof createShopper>;

let buyers = 0;

/** Adds a surcharge to an order, as a plugin of the shop does. Its tax rate is 20 %. */
export const addSurcharge = async ({ injector }: Shop, order: string, listPrice: number): Promise<void> => {
  const ctx = await injector.get(RequestContextService).create({ apiType: 'admin' });
  const surcharge = { description: 'Surcharge', listPrice, taxLines: [{ description: 'Own', taxRate: 20 }] };
  await injector.get(OrderService).addSurchargeToOrder(ctx, order, surcharge);
};

type Basket = {
  /** The quantities of the products. */
  readonly items: Readonly<Partial<Record<ProductName, number>>>;
  /** `null` if the shopper enters no address. */
  readonly address?: object | null;
  readonly coupon?: string;
  readonly ship?: string | readonly string[];
  /** The prices in cents. */
  readonly surcharges?: readonly number[];
};

/** Creates an order up to its payment. Returns its shopper, who is a guest without `given`. */
export const arrangePayment = async (
  shop: Shop,
  { items, address = addresses.HI, coupon, ship = 'standard', surcharges = [] }: Basket,
  given: Shopper | null = null,
) => {
  const shopper = given ?? createShopper(shop);
  for (const [product, quantity] of Object.entries(items)) await shopper.add(product as ProductName, quantity);
  if (address) await shopper.address(address);
  const { id } = await shopper.ship(...[ship].flat());
  for (const price of surcharges) await addSurcharge(shop, id, price);
  if (coupon) await shopper.coupon(coupon);
  if (!given) await shopper.customer(`buyer-${++buyers}@shop.example`);
  await shopper.toPayment();
  return shopper;
};

/** Creates an order from the cart to its payment. */
export const placeOrder = async (
  shop: Shop,
  { pay = 'settle', ...basket }: Basket & { pay?: 'settle' | 'authorize' },
) => (await arrangePayment(shop, basket)).pay(pay);

type Result = { readonly __typename: string; readonly message?: string; readonly id?: string };
const result = async (send: Send, mutation: string, variables: object, types: string): Promise<Result> => {
  const fragment = '__typename ... on ErrorResult { message }';
  const data = await send<Record<string, Result>>(
    `mutation ${types} { ${mutation} { ${fragment} ... on Node { id } } }`,
    variables,
  );
  const done = Object.values(data)[0] as Result;
  if (done.message) throw new Error(`${done.__typename}: ${done.message}`);
  return done;
};

const readPayment = async (send: Send, order: string): Promise<string> => {
  const query = `{ order(id: "${order}") { payments { id } } }`;
  return (await send<{ order: { payments: { id: string }[] } }>(query)).order.payments[0]?.id as string;
};

type Read = { readonly order: { readonly payments: { refunds: { id: string; state: string; total: number }[] }[] } };
const readRefunds = async (send: Send, order: string) => {
  const { order: read } = await send<Read>(`{ order(id: "${order}") { payments { refunds { id state total } } } }`);
  return read.payments.flatMap(({ refunds }) => refunds);
};

/** Actions of the shop's staff. */
export const createStaff = ({ send, variants }: Shop) => {
  const call = (mutation: string, type: string, input: object) =>
    result(send, `${mutation}(input: $input)`, { input }, `($input: ${type}!)`);
  const settleRefund = async (id: string | undefined) =>
    void (await result(send, `settleRefund(input: { id: "${id}", transactionId: "t${id}" })`, {}, ''));
  /** Begins or ends an edit. */
  const to = (order: string, state: string) =>
    result(send, `transitionOrderToState(id: "${order}", state: "${state}")`, {}, '');
  const modify = (orderId: string, input: object) =>
    call('modifyOrder', 'ModifyOrderInput', { dryRun: false, orderId, ...input });
  /** Ends an edit with an additional payment. */
  const payMore = async (orderId: string, state = 'PaymentSettled') => {
    await to(orderId, 'ArrangingAdditionalPayment');
    const payment = { orderId, method: 'cash', transactionId: 'more', metadata: {} };
    await call('addManualPaymentToOrder', 'ManualPaymentInput', payment);
    await to(orderId, state);
  };
  return {
    to,
    modify,
    payMore,
    /** Creates a customer with the password "secret". Returns the id. */
    register: async (emailAddress: string): Promise<string> => {
      const input = { firstName: 'A', lastName: 'Buyer', emailAddress };
      const types = '($input: CreateCustomerInput!)';
      return (await result(send, 'createCustomer(input: $input, password: "secret")', { input }, types)).id as string;
    },
    settle: async (order: string) => result(send, `settlePayment(id: "${await readPayment(send, order)}")`, {}, ''),
    /** Refunds lines, shipping and an adjustment. Returns the amount. */
    refund: async (order: string, input: object): Promise<number> => {
      const paymentId = await readPayment(send, order);
      const whole = { paymentId, reason: 'r', lines: [], shipping: 0, adjustment: 0, ...input };
      const { id } = await call('refundOrder', 'RefundOrderInput', whole);
      await settleRefund(id);
      return (await readRefunds(send, order)).find((refund) => refund.id === id)?.total as number;
    },
    /** Changes the quantity of a line after the payment, and charges the difference with an additional payment. */
    enlarge: async (order: string, orderLineId: string, quantity: number, state = 'PaymentSettled') => {
      await to(order, 'Modifying');
      await modify(order, { adjustOrderLines: [{ orderLineId, quantity }] });
      await payMore(order, state);
    },
    /** Changes the quantity of a line after the payment, refunds the difference, and returns to the previous state. */
    lower: async (order: string, orderLineId: string, quantity: number, state: string, isPaidBackFirst: boolean) => {
      await to(order, 'Modifying');
      const refund = { paymentId: await readPayment(send, order), reason: 'less' };
      await modify(order, { adjustOrderLines: [{ orderLineId, quantity }], refund });
      const settle = async () =>
        settleRefund((await readRefunds(send, order)).find((one) => one.state === 'Pending')?.id);
      if (isPaidBackFirst) await settle();
      if (isPaidBackFirst) await new Promise((resolve) => setTimeout(resolve, 300));
      await to(order, state);
      if (!isPaidBackFirst) await settle();
    },
    /** Changes the product fields that Levy reads. */
    setProduct: (product: ProductName, customFields: object) =>
      send('mutation ($input: [UpdateProductVariantInput!]!) { updateProductVariants(input: $input) { id } }', {
        input: [{ id: variants[product], customFields }],
      }),
    /** Ships one unit of a line. */
    shipOne: async (orderLineId: string) => {
      const values = { method: 'post', trackingCode: '1' };
      const handler = {
        code: 'manual-fulfillment',
        arguments: Object.entries(values).map(([name, value]) => ({ name, value })),
      };
      const lines = [{ orderLineId, quantity: 1 }];
      const { id } = await call('addFulfillmentToOrder', 'FulfillOrderInput', { lines, handler });
      await result(send, `transitionFulfillmentToState(id: "${id}", state: "Shipped")`, {}, '');
    },
    cancel: (orderId: string) =>
      call('cancelOrder', 'CancelOrderInput', { orderId, reason: 'c', cancelShipping: true }),
    read: async (order: string): Promise<ShopOrder> =>
      (await send<{ order: ShopOrder }>(`{ order(id: "${order}") { ${fields} } }`)).order,
  };
};

/** Converts a decimal string to cents, without floating point. */
export const cents = (text: string): number => Number(text.replace('.', ''));

export const getTax = ({ totalWithTax, total }: ShopOrder): number => totalWithTax - total;
export const getSummary = ({ taxSummary }: ShopOrder): number =>
  taxSummary.reduce((sum, { taxTotal }) => sum + taxTotal, 0);

const readTransaction = async ({ levy }: LocalLevy, id: string | undefined) =>
  orThrow(await levy.get('/transactions/{id}', { path: { id: id as string } }));

/**
 * Returns the only sale of an order, and checks that it has the total and the tax, and that Levy calculates the same
 * tax.
 */
export const expectSale = async (shop: Shop, levy: LocalLevy, order: ShopOrder, status = 'finalized') => {
  await shop.settled();
  const { sales } = await readRecorded(levy, order.code);
  const amounts = sales.map((sale) => [sale.total_amount, sale.tax_amount, sale.calculated_tax_amount].map(cents));
  const tax = getTax(order);
  expect([amounts, sales.map((sale) => sale.status)]).toEqual([[[order.totalWithTax, tax, tax]], [status]]);
  return readTransaction(levy, sales[0]?.id);
};

/** Returns the credits of an order, and the total and the tax of each in cents. */
export const readCredits = async (shop: Shop, levy: LocalLevy, { code }: ShopOrder) => {
  await shop.settled();
  const { credits: listed } = await readRecorded(levy, code);
  const credits = await Promise.all(listed.map(({ id }) => readTransaction(levy, id)));
  return { credits, amounts: credits.map((row) => [cents(row.total_amount), cents(row.tax_amount)] as const) };
};

const decimal = (minor: number) =>
  `${minor < 0 ? '-' : ''}${Math.floor(Math.abs(minor) / 100)}.${String(Math.abs(minor) % 100).padStart(2, '0')}`;

/**
 * The shipping charges of an order, each for its lines (`lineByLine`). Gift cards, which are not shipped by default, are
 * left out unless the charge has no other lines.
 */
const getShipping = ({ lines, shippingLines }: ShopOrder) =>
  shippingLines
    .map(({ id, discountedPrice }, at) => {
      const own = lines.filter((_, index) => shippingLines.length < 2 || index % 2 === at);
      const goods = own.filter(({ productVariant: { sku } }) => sku !== 'Card');
      return {
        id: `charge ${id}`,
        amount: decimal(discountedPrice),
        line_item_ids: (goods.length > 0 ? goods : own).map((line) => line.id),
      };
    })
    .filter(({ amount }) => amount !== '0.00');

/** Returns the tax in cents that Levy calculates from the shop API's data of an order, without the plugin. */
export const readExpectedTax = async (
  { levy }: LocalLevy,
  order: ShopOrder,
  address: (typeof addresses)[keyof typeof addresses],
): Promise<number> => {
  const calculated = orThrow(
    await levy.post('/calculations', {
      body: {
        customer: {
          address: {
            line1: address.streetLine1,
            city: address.city,
            state: address.province.replace('us-', '').toUpperCase(),
            postal_code: address.postalCode,
            country: 'US',
          },
        },
        line_items: [
          ...order.lines
            .filter(({ quantity }) => quantity > 0)
            .map(({ id, quantity, unitPrice, proratedLinePrice, productVariant: { sku } }) => ({
              id,
              quantity: String(quantity),
              unit_price: decimal(unitPrice),
              discount_amount: decimal(unitPrice * quantity - proratedLinePrice),
              product_tax_code: products.find(({ name }) => name === sku)?.levyTaxCode ?? 'GENERAL',
            })),
          ...order.surcharges.map(({ id, price }) => ({
            id: `surcharge ${id}`,
            quantity: '1',
            unit_price: decimal(price),
            fulfillment: 'none' as const,
          })),
        ],
        shipping: getShipping(order),
      },
    }),
  );
  return cents(calculated.tax_amount);
};
