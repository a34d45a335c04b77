import { OrderService, RequestContextService } from '@vendure/core';
import type { Schemas } from '../../../shared/client/client.ts';
import { orThrow } from '../../../shared/client/client.ts';
import type { LocalLevy } from '../../core/test/levy.ts';
import type { ProductName, Send, Shop } from './shop.ts';

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

const paymentTypes = '($method: String!, $metadata: JSON!)';

type Method = { readonly id: string; readonly code: string; readonly priceWithTax: number };

const shippingMethods = async (send: Send) => {
  type Methods = { readonly eligibleShippingMethods: readonly Method[] };
  return (await send<Methods>('{ eligibleShippingMethods { id code priceWithTax } }')).eligibleShippingMethods;
};

type Refused = { readonly errorCode?: string; readonly message?: string; readonly transitionError?: string };

/** Simulates a shopper, step by step. Each step returns the order, or throws if the shop refuses it. */
export const shopperOf = (shop: Shop) => {
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
    toCart: () => step('transitionOrderToState(state: "AddingItems")'),
    pay: (method: string, metadata: object = {}) =>
      step('addPaymentToOrder(input: { method: $method, metadata: $metadata })', { method, metadata }, paymentTypes),
    active: async () => (await send<{ activeOrder: ShopOrder | null }>(`{ activeOrder { ${fields} } }`)).activeOrder,
  };
};
export type Shopper = ReturnType<typeof shopperOf>;

let buyers = 0;

/** Adds a surcharge to an order, as a plugin of the shop does. Its tax rate is 20 %. */
export const addSurcharge = async ({ injector }: Shop, order: string, listPrice: number): Promise<void> => {
  const ctx = await injector.get(RequestContextService).create({ apiType: 'admin' });
  const surcharge = { description: 'Surcharge', listPrice, taxLines: [{ description: 'Own', taxRate: 20 }] };
  await injector.get(OrderService).addSurchargeToOrder(ctx, order, surcharge);
};

type Basket = {
  readonly items: readonly (readonly [ProductName, number])[];
  /** `null` if the shopper enters no address. */
  readonly address?: object | null;
  readonly coupon?: string;
  readonly ship?: string | readonly string[];
  /** Prices in cents. */
  readonly surcharges?: readonly number[];
  readonly pay?: 'settle' | 'authorize';
};

/** Creates an order from the cart to its payment. */
export const placeOrder = async (
  shop: Shop,
  { items, address = addresses.HI, coupon, ship = 'standard', surcharges = [], pay = 'settle' }: Basket,
) => {
  const shopper = shopperOf(shop);
  for (const [product, quantity] of items) await shopper.add(product, quantity);
  if (address) await shopper.address(address);
  const { id } = await shopper.ship(...[ship].flat());
  for (const price of surcharges) await addSurcharge(shop, id, price);
  if (coupon) await shopper.coupon(coupon);
  await shopper.customer(`buyer-${++buyers}@shop.example`);
  await shopper.toPayment();
  return shopper.pay(pay);
};

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

const paymentOf = async (send: Send, order: string): Promise<string> => {
  const query = `{ order(id: "${order}") { payments { id } } }`;
  return (await send<{ order: { payments: { id: string }[] } }>(query)).order.payments[0]?.id as string;
};

/** Actions of the shop's staff. */
export const staffOf = ({ send, variants }: Shop) => ({
  /** Creates a customer with the password "secret". Returns the id. */
  register: async (emailAddress: string): Promise<string> => {
    const input = { firstName: 'A', lastName: 'Buyer', emailAddress };
    const types = '($input: CreateCustomerInput!)';
    return (await result(send, 'createCustomer(input: $input, password: "secret")', { input }, types)).id as string;
  },
  settle: async (order: string) => result(send, `settlePayment(id: "${await paymentOf(send, order)}")`, {}, ''),
  /** Refunds lines, shipping and an adjustment. Returns the amount. */
  refund: async (order: string, input: object): Promise<number> => {
    const paymentId = await paymentOf(send, order);
    const types = '($input: RefundOrderInput!)';
    const { id } = await result(
      send,
      'refundOrder(input: $input)',
      { input: { paymentId, reason: 'r', lines: [], shipping: 0, adjustment: 0, ...input } },
      types,
    );
    await result(send, `settleRefund(input: { id: "${id}", transactionId: "t${id}" })`, {}, '');
    const { order: read } = await send<{ order: { payments: { refunds: { id: string; total: number }[] }[] } }>(
      `{ order(id: "${order}") { payments { refunds { id total } } } }`,
    );
    return read.payments.flatMap(({ refunds }) => refunds).find((refund) => refund.id === id)?.total as number;
  },
  /** Changes the quantity of a line after the payment, and charges the difference with an additional payment. */
  enlarge: async (order: string, orderLineId: string, quantity: number, state = 'PaymentSettled') => {
    const to = (state: string) => result(send, `transitionOrderToState(id: "${order}", state: "${state}")`, {}, '');
    await to('Modifying');
    const input = { dryRun: false, orderId: order, adjustOrderLines: [{ orderLineId, quantity }] };
    await result(send, 'modifyOrder(input: $input)', { input }, '($input: ModifyOrderInput!)');
    await to('ArrangingAdditionalPayment');
    const payment = { orderId: order, method: 'cash', transactionId: 'more', metadata: {} };
    await result(send, 'addManualPaymentToOrder(input: $input)', { input: payment }, '($input: ManualPaymentInput!)');
    await to(state);
  },
  /** Changes the quantity of a line after the payment, refunds the difference, and returns to the previous state. */
  lower: async (order: string, orderLineId: string, quantity: number, state: string, isPaidBackFirst: boolean) => {
    const to = (next: string) => result(send, `transitionOrderToState(id: "${order}", state: "${next}")`, {}, '');
    await to('Modifying');
    const refund = { paymentId: await paymentOf(send, order), reason: 'less' };
    const input = { dryRun: false, orderId: order, adjustOrderLines: [{ orderLineId, quantity }], refund };
    await result(send, 'modifyOrder(input: $input)', { input }, '($input: ModifyOrderInput!)');
    const settle = async () => {
      const { order: read } = await send<{ order: { payments: { refunds: { id: string; state: string }[] }[] } }>(
        `{ order(id: "${order}") { payments { refunds { id state } } } }`,
      );
      const { id } = read.payments.flatMap(({ refunds }) => refunds).find((one) => one.state === 'Pending') as {
        id: string;
      };
      await result(send, `settleRefund(input: { id: "${id}", transactionId: "t${id}" })`, {}, '');
    };
    if (isPaidBackFirst) await settle();
    if (isPaidBackFirst) await new Promise((resolve) => setTimeout(resolve, 300));
    await to(state);
    if (!isPaidBackFirst) await settle();
  },
  /** Changes the product fields that Levy reads. */
  setProduct: (product: ProductName, customFields: object) =>
    send('mutation ($input: [UpdateProductVariantInput!]!) { updateProductVariants(input: $input) { id } }', {
      input: [{ id: variants[product], customFields }],
    }),
  /** Begins, applies or ends an edit. */
  to: (order: string, state: string) =>
    result(send, `transitionOrderToState(id: "${order}", state: "${state}")`, {}, ''),
  modify: (order: string, input: object) =>
    result(
      send,
      'modifyOrder(input: $input)',
      { input: { dryRun: false, orderId: order, ...input } },
      '($input: ModifyOrderInput!)',
    ),
  /** Ships one unit of a line. */
  shipOne: async (orderLineId: string) => {
    const handler = {
      code: 'manual-fulfillment',
      arguments: [
        { name: 'method', value: 'post' },
        { name: 'trackingCode', value: '1' },
      ],
    };
    const input = { lines: [{ orderLineId, quantity: 1 }], handler };
    const types = '($input: FulfillOrderInput!)';
    const { id } = await result(send, 'addFulfillmentToOrder(input: $input)', { input }, types);
    await result(send, `transitionFulfillmentToState(id: "${id}", state: "Shipped")`, {}, '');
  },
  cancel: (order: string) =>
    result(
      send,
      'cancelOrder(input: $input)',
      { input: { orderId: order, reason: 'c', cancelShipping: true } },
      '($input: CancelOrderInput!)',
    ),
  read: async (order: string): Promise<ShopOrder> =>
    (await send<{ order: ShopOrder }>(`{ order(id: "${order}") { ${fields} } }`)).order,
});

type Transaction = Schemas['Transaction'];

/** Reads the sale and credits of an order in Levy that are not void. */
export const recordedOf = async ({ levy }: LocalLevy, code: string) => {
  const all: Transaction[] = [];
  for (let starting_after: string | undefined; ; ) {
    const page = orThrow(
      await levy.get('/transactions', {
        query: { limit: 100, ...(starting_after !== undefined && { starting_after }) },
      }),
    );
    all.push(...(page.data as Transaction[]));
    if (!page.next_cursor) break;
    starting_after = page.next_cursor;
  }
  const live = all.filter(({ status, metadata }) => status !== 'void' && metadata?.['order'] === code);
  return { sales: live.filter(({ type }) => type === 'sale'), credits: live.filter(({ type }) => type === 'credit') };
};

/** Converts a decimal string to cents, without floating point. */
export const cents = (text: string): number => Number(text.replace('.', ''));
