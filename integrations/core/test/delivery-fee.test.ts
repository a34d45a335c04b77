import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, orThrow } from '../../../shared/client/client.ts';
import { documentOf } from '../document.ts';
import { toMinor } from '../money.ts';
import type { Cart, Line } from '../order.ts';
import { createQuotes } from '../quotes.ts';
import { recordOrder } from '../sales.ts';
import type { Ledger } from '../transactions.ts';
import { apiKey, type LocalLevy, startLevy } from './levy.ts';
import { detroit, orderOf, randomCart, randomOf, randomRefunds, refundOf } from './orders.ts';

const services: LocalLevy[] = [];
let adding: Ledger;
let warning: Ledger;
const ledgerWith = async (setting: string): Promise<Ledger> => {
  const service = await startLevy();
  services.push(service);
  service.set(`retail_delivery_fee=${setting}`);
  return { levy: createClient({ url: service.url, apiKey }), shop: 'test' };
};
beforeAll(async () => {
  adding = await ledgerWith('add');
  warning = await ledgerWith('warn');
});
afterAll(() => Promise.all(services.map(({ stop }) => stop())));

const minneapolis = { city: 'Minneapolis', province: 'MN', postalCode: '55401', country: 'US' };
const lineOf = (id: string, unitPrice: string, more: Partial<Line> = {}): Line => ({
  ...{ id, quantity: 2, unitPrice, discount: '0.00', taxCode: 'GENERAL', ...more },
});
const cartOf = (lines: Line[]): Cart => ({
  currency: 'USD',
  address: minneapolis,
  lines,
  shipping: [{ id: 'a', amount: '10.00' }],
});
const mugs = cartOf([lineOf('mug', '50.00')]);

const quoteOf = async ({ levy }: Ledger, cart: Cart) => {
  const documented = documentOf(cart);
  if (!documented.ok) throw new Error(documented.gap.code);
  const quote = await createQuotes({ levy, timeoutMs: 30_000 })(documented.document);
  if (!quote.ok) throw new Error(quote.detail);
  return quote;
};
const linesOf = async (ledger: Ledger, cart: Cart) =>
  (await quoteOf(ledger, cart)).calculation.line_items.map(({ id, tax_amount, taxes }) => [
    ...[id, tax_amount, taxes.filter(({ tax_type }) => tax_type === 'fee').map((row) => row.tax_amount)],
  ]);

// In Minneapolis, the six taxes on 100.00 total 9.03, each rounded; the fee is 0.50 (Minn. Stat. 168E).
describe('a retail delivery fee that Levy adds', () => {
  it('becomes a tax of the first taxed line with a price', async () => {
    expect(await linesOf(adding, mugs)).toEqual([['mug', '9.53', ['0.50']]]);
    const others = [
      lineOf('gift', '0.00'),
      lineOf('bowl', '50.00', { fulfillment: 'pickup', shipFrom: detroit }),
      lineOf('mug', '50.00'),
    ];
    expect(await linesOf(adding, cartOf(others))).toEqual([
      ['gift', '0.00', []],
      ['bowl', '6.00', []],
      ['mug', '9.53', ['0.50']],
    ]);
  });

  it('is absent below the threshold', async () => {
    expect(await linesOf(adding, cartOf([lineOf('mug', '40.00')]))).toMatchObject([['mug', expect.anything(), []]]);
  });

  it('is included in the sale, which is recorded once and refunded in parts', async () => {
    const { calculation } = await quoteOf(adding, mugs);
    const order = orderOf(mugs, 'fee-1', calculation.tax_amount);
    const { sale, ...first } = await recordOrder(adding, order);
    expect(first).toMatchObject({ problems: [], isChanged: true });
    expect(await recordOrder(adding, order)).toMatchObject({ sale: { id: sale?.id }, problems: [], isChanged: false });
    const stored = orThrow(await adding.levy.get('/transactions/{id}', { path: { id: sale?.id as string } }));
    // 9.03 and 0.90 for the lines and the shipping, and 0.50.
    expect([stored.tax_amount, stored.calculated_tax_amount, stored.total_amount]).toEqual([
      '10.43',
      '10.43',
      '120.43',
    ]);
    const returned = { lines: [{ id: 'mug', quantity: 1 }] };
    const refunds = [refundOf('half', '54.77', returned), refundOf('some', '20.00'), refundOf('rest', '45.66')];
    for (let count = 1; count <= refunds.length; count++)
      expect(await recordOrder(adding, { ...order, refunds: refunds.slice(0, count) })).toMatchObject({ problems: [] });
    const refunded = orThrow(await adding.levy.get('/transactions/{id}', { path: { id: sale?.id as string } }));
    expect([refunded.credited_amount, refunded.credited_tax_amount]).toEqual(['110.00', '10.43']);
  });

  it('is refunded to the cent with random orders and refunds', async () => {
    const random = randomOf(23);
    for (let carts = 0; carts < 15; carts++) {
      const cart = { ...randomCart(random), address: minneapolis };
      const { calculation } = await quoteOf(adding, cart);
      const order = orderOf(cart, `random-${carts}`, calculation.tax_amount);
      const refunds = randomRefunds(cart, toMinor(order.total, 2), random);
      const { problems, sale } = await recordOrder(adding, { ...order, refunds });
      expect(problems, JSON.stringify({ order, refunds })).toEqual([]);
      const refunded = orThrow(await adding.levy.get('/transactions/{id}', { path: { id: sale?.id as string } }));
      expect(refunded.credited_tax_amount).toBe(order.tax);
    }
  });
});

it("warns the shop's staff of a fee that is due and not charged", async () => {
  const { warnings, calculation } = await quoteOf(warning, mugs);
  expect(calculation.tax_amount).toBe('9.93');
  expect(warnings).toEqual([expect.stringMatching(/^Minnesota retail delivery fee: 0\.50 is due/)]);
});
