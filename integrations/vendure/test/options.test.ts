import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  EventBus,
  Injector,
  JobQueueService,
  Logger,
  type Order,
  OrderPlacedEvent,
  TransactionalConnection,
} from '@vendure/core';
import { expect, it, vi } from 'vitest';
import { createClient } from '../../../shared/client/client.ts';
import { readRecorded, startLevy } from '../../core/test/levy.ts';
import { readQuoted, recorded } from '../../core/test/orders.ts';
import { toCart } from '../cart.ts';
import { createCustomerIdReader } from '../cart-input.ts';
import { levyFromEnvironment } from '../options.ts';
import { LevyPlugin } from '../plugin.ts';
import { backoff, startRecording } from '../record.ts';
import { toSale, toSoldOrder } from '../sale.ts';
import { createSurcharges } from '../shipping.ts';
import { shippingCharges } from '../tax-lines.ts';
import { addresses, berlin } from './orders.ts';
import { store } from './shop.ts';

const service = await startLevy();
const levy = createClient({ url: 'http://127.0.0.1:9', apiKey: 'levy_none' });

it.each([
  [{ shop: 'müller' }, 'Set shop to'],
  [{ shop: 'my-shop', fallback: 'Block' as 'block' }, 'Set fallback to "shop_rate" or "block", not "Block".'],
])('refuses to start with %j', (options, message) => {
  expect(() => LevyPlugin.init({ levy, ...options })).toThrow(message);
});

it.each([
  [{}, 'Set LEVY_URL'],
  [{ LEVY_URL: 'levy.example', LEVY_API_KEY: 'k' }, 'Set LEVY_URL'],
  [{ LEVY_URL: 'https://levy.example' }, 'Set LEVY_API_KEY'],
])('refuses to create a client from %j', (env, message) => {
  expect(() => levyFromEnvironment(env)).toThrow(message);
  expect(levyFromEnvironment({ LEVY_URL: 'https://levy.example', LEVY_API_KEY: 'k' })).toHaveProperty('post');
});

it('retries a job for longer than an hour', () => {
  const pauses = Array.from({ length: 20 }, (_, at) => backoff('levy-record', at + 1));
  expect(pauses[0]).toBe(1000);
  expect(Math.max(...pauses)).toBe(600_000);
  expect(pauses.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(3_600_000);
});

const injecting = (...parts: readonly (readonly [unknown, unknown])[]) =>
  new Injector({ get: (type: unknown) => new Map(parts).get(type) } as never);

it('logs an unavailable job queue without stopping the server', async () => {
  const bus = new EventBus({} as never);
  const queue = { add: () => Promise.reject(new Error('The database is down.')) };
  const injector = injecting([EventBus, bus], [JobQueueService, { createQueue: async () => queue }]);
  const logged = vi.spyOn(Logger, 'error').mockImplementation(() => undefined);
  await startRecording(injector, { levy, shop: 'vendure' });
  await bus.publish(new OrderPlacedEvent('ArrangingPayment', 'PaymentSettled', {} as never, { id: 7 } as never));
  await vi.waitFor(() => expect(logged).toHaveBeenCalledWith(expect.stringContaining('order 7'), 'LevyPlugin'));
});

const noMore = { customerId: null, shippingTaxCode: null };
const orderIn = (currencyCode: string, listPrice: number): Order => {
  const line = {
    id: 1,
    quantity: 1,
    listPrice,
    proratedLinePrice: listPrice,
    listPriceIncludesTax: false,
    taxLines: [],
  };
  const shippingAddress = { ...addresses.MI, streetLine1: 'x' };
  return { currencyCode, lines: [line], shippingLines: [], shippingAddress } as unknown as Order;
};

it.each([
  ['JPY', 88_900, '53'],
  ['USD', 88_950, '53.37'],
])('treats orders in %s as having two decimals in Vendure: %i', async (currency, listPrice, tax) => {
  const built = toCart(orderIn(currency, listPrice), noMore);
  if (!built.ok) throw new Error(built.unsupported.detail);
  expect((await readQuoted(service, built.cart)).calculation.tax_amount).toBe(tax);
});

it.each([
  ['JPY', 'currency_fraction'],
  ['KWD', 'currency_decimals'],
])(
  'rejects an order with fractions of a yen, and an order in dinars, whose tax has three decimals: %s',
  (currency, code) => {
    expect(toCart(orderIn(currency, 88_950), noMore)).toMatchObject({
      unsupported: { code },
    });
  },
);

it('rounds refunds to the unit that a payment provider pays back', async () => {
  const order = {
    ...orderIn('JPY', 88_900),
    code: 'yen',
    total: 88_900,
    totalWithTax: 94_200,
    customFields: {},
  } as Order;
  const updatedAt = new Date();
  order.customFields = { levySale: JSON.stringify(toSale(order, noMore)) } as Order['customFields'];
  // A third of 942 yen.
  const refund = { id: 1, state: 'Settled', total: 31_433, shipping: 0, lines: [], customFields: {}, updatedAt };
  const payments = [{ state: 'Settled', amount: 94_200, refunds: [refund], updatedAt }] as unknown as Order['payments'];
  const sold = toSoldOrder({ ...order, payments, updatedAt } as Order);
  if (!sold || 'problem' in sold) throw new Error('The order is not sold.');
  await recorded({ levy: service.levy, shop: 'vendure' }, sold.order);
  const { credits } = await readRecorded(service, 'yen');
  expect(credits.map(({ total_amount }) => total_amount)).toEqual(['314']);
});

it('rejects prices that include tax abroad only for goods that are picked up in the United States', () => {
  const order = orderIn('USD', 1000);
  const lines = order.lines.map((line) => ({ ...line, listPriceIncludesTax: true }));
  const abroad = { ...order, lines, shippingAddress: berlin } as unknown as Order;
  expect(toCart(abroad, noMore).ok).toBe(true);
  const getDelivery = () => ({ fulfillment: 'pickup', shipFrom: store }) as const;
  expect(toCart(abroad, { ...noMore, getDelivery })).toMatchObject({ unsupported: { code: 'prices_include_tax' } });
});

it.each([
  ['a guest', { user: null }, null],
  ['a registered customer', { user: {} }, 'shop-7'],
  ['an unknown customer', null, null],
])('reads the user of a customer that the order did not load: %s', async (_, found, id) => {
  const repository = { findOne: async () => found };
  const reader = createCustomerIdReader({ levy, shop: 'shop' });
  reader.init(injecting([TransactionalConnection, { getRepository: () => repository }]));
  expect(await reader.readCustomerId({} as never, { customer: { id: 7 } } as never)).toBe(id);
});

it('writes the tax of a surcharge to the order in memory and to the database', async () => {
  const saved: unknown[] = [];
  const surcharges = createSurcharges();
  const repository = { update: async (...change: unknown[]) => void saved.push(change) };
  surcharges.init(injecting([TransactionalConnection, { getRepository: () => repository }]));
  const taxes = [{ jurisdiction_name: 'Michigan', rate: '0.06', tax_amount: '0.60' }];
  const tax = { kind: 'ok', calculation: { line_items: [{ id: 'surcharge-1', taxes }] } } as never;
  const surcharge = { id: 1, listPrice: 1000, price: 1000, listPriceIncludesTax: false, taxLines: [] };
  await surcharges.write({} as never, tax, { surcharges: [surcharge] } as never);
  const taxLines = [{ description: 'Michigan', taxRate: 6, nominal: 6, amount: 60 }];
  expect([surcharge.taxLines, saved]).toEqual([taxLines, [[1, { taxLines }]]]);
});

it('subtracts the promotions of shipping from each charge, and from a method that replaces all charges', () => {
  const shippingLines = [
    { id: 1, shippingMethodId: 1, price: 500, discountedPrice: 300 },
    { id: 2, shippingMethodId: 2, price: 900, discountedPrice: 900 },
  ];
  const nets = (method: number, price: number) => shippingCharges({ shippingLines } as never, method, price).nets;
  expect(nets(1, 600)).toEqual([
    { id: '1', net: 400 },
    { id: '2', net: 900 },
  ]);
  expect(nets(3, 700)).toEqual([{ id: 'new', net: 500 }]);
});

const root = fileURLToPath(new URL('../../..', import.meta.url));
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const blocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))].map(([, text]) => text as string);

/** Sets up a server as the README describes, with the types and modules of this package. */
const writeServer = (): string => {
  const server = mkdtempSync(join(tmpdir(), 'levy-readme-'));
  for (const folder of ['integrations/vendure', 'integrations/core', 'shared/client']) {
    mkdirSync(join(server, 'src', folder), { recursive: true });
    for (const name of readdirSync(join(root, folder)).filter((file) => /(?<!config)\.ts$/.test(file)))
      cpSync(join(root, folder, name), join(server, 'src', folder, name));
  }
  symlinkSync(join(root, 'integrations/vendure/node_modules'), join(server, 'node_modules'));
  const [configuration, fulfillment, script] = blocks('ts') as [string, string, string];
  writeFileSync(join(server, 'src/vendure-config.ts'), configuration);
  writeFileSync(join(server, 'src/fulfillment.ts'), fulfillment);
  writeFileSync(join(server, 'src/reconcile-orders.ts'), script);
  const { compilerOptions } = JSON.parse(blocks('json')[0] as string);
  const types = { typeRoots: [join(root, 'node_modules/@types')], types: ['node'] };
  const paths = { rootDir: 'src', outDir: 'dist' };
  writeFileSync(
    join(server, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...compilerOptions, ...types, ...paths }, include: ['src'] }),
  );
  return server;
};

it("compiles and loads the README's configuration with its options", () => {
  const server = writeServer();
  const run = (file: string, args: readonly string[], env: object = {}) =>
    execFileSync(file, args, { cwd: server, encoding: 'utf8', env: { ...process.env, ...env } });
  run(join(root, 'node_modules/.bin/tsc'), ['-p', '.']);
  const load = "console.log(require('./dist/vendure-config.js').config.plugins.length)";
  const env = { LEVY_URL: 'http://127.0.0.1:9', LEVY_API_KEY: 'levy_none' };
  expect(run(process.execPath, ['-e', load], env).trim()).toBe('3');
});
