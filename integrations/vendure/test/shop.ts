import { ModuleRef } from '@nestjs/core';
import {
  bootstrap,
  DefaultJobQueuePlugin,
  DefaultLogger,
  defaultPromotionActions,
  dummyPaymentHandler,
  Injector,
  JobQueueService,
  LanguageCode,
  LogLevel,
  PaymentMethodHandler,
  Populator,
  PromotionShippingAction,
  type ShippingLineAssignmentStrategy,
  type VendureConfig,
} from '@vendure/core';
import { createClient } from '../../../shared/client/client.ts';
import { apiKey } from '../../core/test/levy.ts';
import type { LevyOptions } from '../options.ts';
import { LevyPlugin } from '../plugin.ts';

const admin = { identifier: 'superadmin', password: 'superadmin' };

/** The products of the shop: the name is the product tax code, and prices are in cents. */
export const products = [
  { name: 'Mug', price: 2666, levyTaxCode: 'GENERAL' },
  { name: 'Shirt', price: 9999, levyTaxCode: 'CLOTHING.APPAREL' },
  { name: 'Rice', price: 333, levyTaxCode: 'FOOD.GROCERY' },
  { name: 'Pin', price: 10, levyTaxCode: 'GENERAL' },
  { name: 'Table', price: 24_950, levyTaxCode: null },
  { name: 'Card', price: 5000, levyTaxCode: 'FEES.GIFT_CARDS' },
] as const;
export type ProductName = (typeof products)[number]['name'];

/** The store of the shipping method "pickup". */
export const store = { line1: '1 Woodward Ave', city: 'Detroit', province: 'MI', postalCode: '48226', country: 'US' };

/** The option from the README's example: lines of a shipping method are picked up at the store. */
const atStore: NonNullable<LevyOptions['fulfillment']> = ({ shippingMethod }) =>
  shippingMethod?.code.startsWith('pickup') ? { fulfillment: 'pickup', shipFrom: store } : null;

/** The warnings and errors that the shop logged. */
class TestLogger extends DefaultLogger {
  readonly lines: string[] = [];
  override warn(message: string) {
    this.lines.push(message);
  }
  override error(message: string) {
    this.lines.push(message);
  }
}

export type Send = <Data>(query: string, variables?: object) => Promise<Data>;

/** A GraphQL client with a separate session. */
const connectClient = (url: string): Send => {
  let token: string | null = null;
  return async <Data>(query: string, variables: object = {}) => {
    const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
    token = response.headers.get('vendure-auth-token') ?? token;
    const { data, errors } = (await response.json()) as { data: Data; errors?: { message: string }[] };
    if (errors) throw new Error(errors.map(({ message }) => message).join('; '));
    return data;
  };
};

const initialData = {
  defaultLanguage: LanguageCode.en,
  defaultZone: 'US',
  countries: [
    { name: 'United States', code: 'US', zone: 'US' },
    { name: 'Germany', code: 'DE', zone: 'Europe' },
  ],
  taxRates: [{ name: 'Fallback', percentage: 7 }],
  shippingMethods: [],
  paymentMethods: [
    {
      name: 'authorize',
      handler: { code: 'dummy-payment-handler', arguments: [{ name: 'automaticSettle', value: 'false' }] },
    },
    {
      name: 'settle',
      handler: { code: 'dummy-payment-handler', arguments: [{ name: 'automaticSettle', value: 'true' }] },
    },
    { name: 'part', handler: { code: 'part', arguments: [] } },
  ],
  collections: [],
};

const named = (value: string) => [{ languageCode: LanguageCode.en, value }];

const half = new PromotionShippingAction({
  code: 'half_shipping',
  description: named('Half price'),
  args: {},
  execute: (_, line) => -Math.round(line.price / 2),
});

/**
 * Settles the amount in the payment's metadata, such as a gift card. Without one, authorizes the whole outstanding amount.
 */
const part = new PaymentMethodHandler({
  code: 'part',
  description: named('A part of the order'),
  args: {},
  createPayment: (_ctx, _order, amount, _args, metadata) => ({
    amount: Number(metadata['amount'] ?? amount),
    transactionId: 'x',
    metadata: {},
    state: metadata['amount'] ? 'Settled' : 'Authorized',
  }),
  settlePayment: () => ({ success: true }),
});

const createShipping = (send: Send, code: string, rate: number) =>
  send(`mutation ($input: CreateShippingMethodInput!) { createShippingMethod(input: $input) { id } }`, {
    input: {
      code,
      fulfillmentHandler: 'manual-fulfillment',
      checker: { code: 'default-shipping-eligibility-checker', arguments: [{ name: 'orderMinimum', value: '0' }] },
      calculator: {
        code: 'levy-shipping',
        arguments: [
          { name: 'rate', value: String(rate) },
          { name: 'taxRate', value: '7' },
        ],
      },
      translations: [{ languageCode: 'en', name: code, description: '' }],
    },
  });

const createPromotion = (send: Send, couponCode: string, action: object) =>
  send(`mutation ($input: CreatePromotionInput!) { createPromotion(input: $input) { __typename } }`, {
    input: {
      enabled: true,
      couponCode,
      conditions: [],
      actions: [action],
      translations: [{ languageCode: 'en', name: couponCode }],
    },
  });

const createProducts = async (send: Send): Promise<Record<string, string>> => {
  const ids: Record<string, string> = {};
  for (const { name, price, levyTaxCode } of products) {
    const { createProduct } = await send<{ createProduct: { id: string } }>(
      `mutation ($input: CreateProductInput!) { createProduct(input: $input) { id } }`,
      { input: { translations: [{ languageCode: 'en', name, slug: name.toLowerCase(), description: '' }] } },
    );
    const { createProductVariants } = await send<{ createProductVariants: { id: string }[] }>(
      `mutation ($input: [CreateProductVariantInput!]!) { createProductVariants(input: $input) { id } }`,
      {
        input: [
          {
            productId: createProduct.id,
            sku: name,
            price,
            stockOnHand: 1_000_000,
            translations: [{ languageCode: 'en', name }],
            customFields: { levyTaxCode },
          },
        ],
      },
    );
    ids[name] = createProductVariants[0]?.id as string;
  }
  return ids;
};

const fill = async (app: Awaited<ReturnType<typeof bootstrap>>, send: Send) => {
  await app.get(Populator).populateInitialData(initialData as never);
  const charges = { standard: 500, second: 333, pickup: 0, 'pickup-fee': 300 };
  for (const [code, rate] of Object.entries(charges)) await createShipping(send, code, rate);
  await createPromotion(send, 'SAVE7', {
    code: 'order_fixed_discount',
    arguments: [{ name: 'discount', value: '700' }],
  });
  await createPromotion(send, 'SHIP', { code: 'free_shipping', arguments: [] });
  await createPromotion(send, 'HALF', { code: 'half_shipping', arguments: [] });
};

/** Assigns the first shipping line to every second order line, and the second shipping line to the others. */
const lineByLine: ShippingLineAssignmentStrategy = {
  assignShippingLineToOrderLines: (_, shippingLine, { shippingLines, lines }) => {
    const at = shippingLines.findIndex(({ id }) => id === shippingLine.id);
    return shippingLines.length < 2 ? lines : lines.filter((_, index) => index % 2 === Math.max(at, 0));
  },
};

export type Shop = Awaited<ReturnType<typeof startShop>>;

/** The plugin's options for the service at `url`, with a longer time limit than the default: the machine may be busy. */
export const buildOptions = (url: string, more: Partial<LevyOptions> = {}): LevyOptions => ({
  levy: createClient({ url, apiKey }),
  shop: 'vendure',
  fulfillment: atStore,
  timeoutMs: 30_000,
  ...more,
});

/** Starts a Vendure server with the plugin. Its database is in memory, or in the file `location`. */
export const startShop = async (
  options: LevyOptions,
  more: Partial<VendureConfig> = {},
  location: string | null = null,
  isNew = true,
) => {
  const logger = new TestLogger({ level: LogLevel.Warn });
  const app = await bootstrap(
    {
      apiOptions: { port: 0, hostname: '127.0.0.1', adminApiPath: 'admin-api', shopApiPath: 'shop-api' },
      authOptions: { tokenMethod: 'bearer', superadminCredentials: admin, requireVerification: false },
      dbConnectionOptions: {
        type: 'sqljs',
        synchronize: true,
        logging: false,
        ...(location !== null && { location, autoSave: true }),
      },
      paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler, part] },
      promotionOptions: { promotionActions: [...defaultPromotionActions, half] },
      shippingOptions: { shippingLineAssignmentStrategy: lineByLine },
      ...more,
      importExportOptions: { importAssetsDir: '/nowhere' },
      logger,
      plugins: [DefaultJobQueuePlugin.init({ pollInterval: 50 }), LevyPlugin.init(options)],
    },
    { nestApplicationOptions: { logger: false } },
  );
  const { port } = app.getHttpServer().address() as { port: number };
  const url = `http://127.0.0.1:${port}`;
  const send = connectClient(`${url}/admin-api`);
  await send(`mutation ($u: String!, $p: String!) { login(username: $u, password: $p) { __typename } }`, {
    u: admin.identifier,
    p: admin.password,
  });
  let variants: Record<string, string> = {};
  if (isNew) {
    await fill(app, send);
    variants = await createProducts(send);
  }
  await app.get(JobQueueService).start();
  let closed: Promise<void> | undefined;
  return {
    send,
    logger,
    variants,
    options,
    injector: new Injector(app.get(ModuleRef)),
    /** A shopper with a session. */
    shopper: () => connectClient(`${url}/shop-api`),
    /** Waits until two readings in a row list no job, because a listener queues its job after the mutation returns. */
    settled: async () => {
      for (let tries = 0, empty = 0; tries < 1200; tries++) {
        const { jobs } = await send<{ jobs: { totalItems: number } }>(
          `{ jobs(options: { filter: { isSettled: { eq: false } } }) { totalItems } }`,
        );
        empty = jobs.totalItems === 0 ? empty + 1 : 0;
        if (empty === 2) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error('Jobs are left after 60 seconds.');
    },
    /** Can be called twice. */
    stop: () => (closed ??= app.close()),
  };
};
