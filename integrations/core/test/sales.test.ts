import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createClient, LevyUnavailable } from '../../../shared/client/client.ts';
import { documentOf } from '../document.ts';
import { toDecimal, toMinor } from '../money.ts';
import { createQuotes } from '../quotes.ts';
import { reconcile } from '../reconcile.ts';
import { recordOrder } from '../sales.ts';
import type { Ledger } from '../transactions.ts';
import { apiKey, type Fault, type LocalLevy, startFaults, startLevy } from './levy.ts';
import { cartOf, orderOf, randomCart, randomOf, randomRefunds, refundOf } from './orders.ts';

let service: LocalLevy;
let faults: Awaited<ReturnType<typeof startFaults>>;
let ledger: Ledger;
beforeAll(async () => {
  service = await startLevy();
  faults = await startFaults(service.url);
  ledger = { levy: createClient({ url: faults.url, apiKey, timeoutMs: 2000, maxTries: 1 }), shop: 'test' };
});
afterAll(async () => {
  await faults.close();
  await service.stop();
});
beforeEach(() => Object.assign(faults.state, { fault: 'none', applies: () => true, seen: [] }));

let count = 0;
const newReference = () => `order-${++count}`;
const mugs = cartOf([{ id: 'mug', quantity: 3, unitPrice: '8.89' }]);
/** Reads all transactions of an order from Levy, bypassing the proxy. */
const recordedOf = async (reference: string) => {
  const found = [];
  for await (const row of service.levy.list('/transactions', { query: { limit: 100 } }))
    if (row.reference_id === reference || row.reference_id?.startsWith(`${reference}-refund-`)) found.push(row);
  return found;
};
const statesOf = async (reference: string) =>
  (await recordedOf(reference)).map(({ type, status, total_amount }) => `${type} ${status} ${total_amount}`).reverse();

describe('an order', () => {
  it('becomes a draft, a sale and credits, with any order and repetition of events', async () => {
    const order = orderOf(mugs, newReference(), '1.20');
    await recordOrder(ledger, { ...order, wanted: 'draft' });
    expect(await statesOf(order.reference)).toEqual(['sale draft 27.87']);
    for (let times = 0; times < 2; times++) await recordOrder(ledger, order);
    // A late event of the order's placement.
    expect(await recordOrder(ledger, { ...order, wanted: 'draft' })).toMatchObject({ isChanged: false, problems: [] });
    const refunds = [refundOf('1', '9.29', { lines: [{ id: 'mug', quantity: 1 }] })];
    for (let times = 0; times < 2; times++) await recordOrder(ledger, { ...order, refunds });
    expect(await statesOf(order.reference)).toEqual(['sale finalized 27.87', 'credit finalized 9.29']);
    const direct = orderOf(mugs, newReference(), '1.20', { refunds });
    await recordOrder(ledger, direct);
    expect(await statesOf(direct.reference)).toEqual(['sale finalized 27.87', 'credit finalized 9.29']);
  });

  it('is voided if canceled before payment, even if the response to the draft was lost', async () => {
    const order = orderOf(mugs, newReference(), '1.20', { wanted: 'draft' });
    faults.state.fault = 'reply lost';
    await expect(recordOrder(ledger, order)).rejects.toThrow(LevyUnavailable);
    faults.state.fault = 'none';
    expect(await recordOrder(ledger, { ...order, wanted: 'void' })).toMatchObject({ isChanged: true, problems: [] });
    expect(await recordOrder(ledger, { ...order, wanted: 'void' })).toMatchObject({ isChanged: false, problems: [] });
    expect(await statesOf(order.reference)).toEqual(['sale void 27.87']);
    const never = orderOf(mugs, newReference(), '1.20', { wanted: 'void' });
    expect(await recordOrder(ledger, never)).toMatchObject({ isChanged: false, problems: [] });
  });

  it('reports a problem if its lines do not add up to the charged amount', async () => {
    const order = orderOf(mugs, newReference(), '1.20', { total: '27.86' });
    expect((await recordOrder(ledger, order)).problems).toMatchObject([{ code: 'mismatch', isFinal: true }]);
  });

  it('records the tax that the shop collected, and marks an estimate', async () => {
    const order = orderOf(mugs, newReference(), '1.87', { isEstimated: true });
    const { sale } = await recordOrder(ledger, order);
    expect(sale).toMatchObject({ tax_amount: '1.87', calculated_tax_amount: '1.20', metadata: { estimated: 'true' } });
  });

  it.each([
    ['1.19', false, ['tax_difference']],
    ['1.19', true, []],
    ['1.20', false, []],
  ])('with tax %s and estimated=%s reports the problems %j', async (tax, isEstimated, codes) => {
    const { problems } = await recordOrder(ledger, orderOf(mugs, newReference(), tax, { isEstimated }));
    expect(problems.map(({ code }) => code)).toEqual(codes);
    for (const { isFinal, detail } of problems)
      expect([isFinal, detail]).toEqual([true, expect.stringContaining('1.20')]);
  });

  it('is recorded again when its draft has expired', async () => {
    const order = orderOf(mugs, newReference(), '1.20');
    await recordOrder(ledger, { ...order, wanted: 'draft' });
    await service.advance(25 * 3600);
    await recordOrder(ledger, order);
    expect(await statesOf(order.reference)).toEqual(['sale void 27.87', 'sale finalized 27.87']);
  });

  it('gets a new sale when it is edited, even back to an earlier state', async () => {
    const order = orderOf(mugs, newReference(), '1.20');
    const two = cartOf([{ id: 'mug', quantity: 2, unitPrice: '8.89' }]);
    const edited = orderOf(two, order.reference, '0.80', { placedAt: order.placedAt });
    for (const next of [order, edited, order, edited])
      expect(await recordOrder(ledger, next)).toMatchObject({ isChanged: true, problems: [] });
    const live = (await statesOf(order.reference)).filter((state) => !state.includes('void'));
    expect(live).toEqual(['sale finalized 18.58']);
    const refunds = [refundOf('1', '18.58')];
    await recordOrder(ledger, { ...edited, refunds });
    expect((await recordOrder(ledger, { ...order, refunds })).problems).toMatchObject([
      { code: 'conflict_has_credits', isFinal: true },
    ]);
  });

  it('changes its draft when it is edited before the payment', async () => {
    const order = orderOf({ ...mugs, shipping: [{ id: 'a', amount: '5.00' }] }, newReference(), '1.43', {
      wanted: 'draft',
    });
    await recordOrder(ledger, order);
    const edited = orderOf(mugs, order.reference, '1.20', { placedAt: order.placedAt });
    await recordOrder(ledger, edited);
    expect(await statesOf(order.reference)).toEqual(['sale finalized 27.87']);
  });

  it('does not overwrite the sale of a different shop or of a reused order number', async () => {
    const order = orderOf(mugs, newReference(), '1.20');
    await recordOrder(ledger, order);
    const other = await recordOrder({ ...ledger, shop: 'second' }, order);
    expect(other.problems).toMatchObject([{ code: 'mismatch', isFinal: true }]);
    expect(await statesOf(order.reference)).toEqual(['sale finalized 27.87']);
  });

  it('is not recorded abroad, and its sale is voided if an edit moves it there', async () => {
    const abroad = { ...mugs, address: { country: 'DE' } };
    const foreign = orderOf(abroad, newReference(), '1.20');
    expect(await recordOrder(ledger, foreign)).toMatchObject({ sale: null, problems: [], isChanged: false });
    const order = orderOf(mugs, newReference(), '1.20');
    await recordOrder(ledger, order);
    expect(await recordOrder(ledger, { ...order, ...abroad })).toMatchObject({ problems: [], isChanged: true });
    expect(await statesOf(order.reference)).toEqual(['sale void 27.87']);
    await recordOrder(ledger, order);
    expect(await statesOf(order.reference)).toEqual(['sale void 27.87', 'sale finalized 27.87']);
  });

  it('can be recorded again after a call without a valid key', async () => {
    const order = orderOf(mugs, newReference(), '1.20');
    const refused = { ...ledger, levy: createClient({ url: service.url, apiKey: 'levy_wrong' }) };
    const { problems } = await recordOrder(refused, order);
    expect(problems).toMatchObject([{ code: 'auth_api_key_not_found', isFinal: false }]);
    expect(await recordOrder(ledger, order)).toMatchObject({ problems: [], isChanged: true });
  });
});

describe('refunds', () => {
  it('refund the sale to the cent, unit by unit', async () => {
    const cart = cartOf([{ id: 'mug', quantity: 3, unitPrice: '9.35', discount: '1.39' }]);
    const order = orderOf(cart, newReference(), '1.20');
    const refunds = ['9.29', '9.29', '9.28'].map((total, at) =>
      refundOf(String(at), total, { lines: [{ id: 'mug', quantity: 1 }] }),
    );
    expect((await recordOrder(ledger, { ...order, refunds })).problems).toEqual([]);
    const [sale] = (await recordedOf(order.reference)).filter(({ type }) => type === 'sale');
    expect(sale).toMatchObject({ refund_status: 'full', credited_tax_amount: '1.20', total_amount: '27.86' });
  });

  it('above the sale are credited up to it, and reported', async () => {
    const order = orderOf(mugs, newReference(), '1.20', { refunds: [refundOf('1', '20.00'), refundOf('2', '10.00')] });
    const { problems } = await recordOrder(ledger, order);
    expect(problems).toMatchObject([{ code: 'excess', reference: `${order.reference}-refund-2` }]);
    expect(await statesOf(order.reference)).toEqual([
      'sale finalized 27.87',
      'credit finalized 20.00',
      'credit finalized 7.87',
    ]);
  });

  it('of random amounts, lines and shipping match the ledger to the cent', async () => {
    const random = randomOf(17);
    for (let carts = 0; carts < 40; carts++) {
      const cart = randomCart(random);
      const documented = documentOf(cart);
      if (!documented.ok) throw new Error(documented.gap.code);
      const quoted = await createQuotes({ levy: service.levy, timeoutMs: 30_000 })(documented.document);
      if (!quoted.ok) throw new Error(quoted.detail);
      const { tax_amount } = quoted.calculation;
      // In some cases, the shop collected a different tax.
      const tax = random.upTo(4) === 0 ? toDecimal(toMinor(tax_amount, 2) + BigInt(random.upTo(3)), 2) : tax_amount;
      const order = orderOf(cart, newReference(), tax, { isEstimated: tax !== tax_amount });
      const refunds = randomRefunds(cart, toMinor(order.total, 2), random);
      const { problems } = await recordOrder(ledger, { ...order, refunds });
      expect(problems, JSON.stringify({ order, refunds })).toEqual([]);
      const credits = (await statesOf(order.reference)).slice(1);
      expect(credits).toEqual(refunds.map(({ total }) => `credit finalized ${total}`));
    }
  });
});

describe('trouble', () => {
  const faultsOfWrites: Fault[] = ['hang', 'hang up', 'reply lost', 429, 500, 503];
  it.each(faultsOfWrites)('%s at any write leaves one sale and one credit after a retry', async (fault) => {
    const refunds = [refundOf('1', '9.29', { lines: [{ id: 'mug', quantity: 1 }] })];
    const order = orderOf(mugs, newReference(), '1.20', { refunds });
    for (const broken of [1, 2, 3]) {
      let posts = 0;
      Object.assign(faults.state, {
        fault,
        applies: ({ method }: { method: string }) => method === 'POST' && ++posts === broken,
      });
      await recordOrder(ledger, order).catch((error) => expect(error).toBeInstanceOf(LevyUnavailable));
    }
    faults.state.fault = 'none';
    expect(await recordOrder(ledger, order)).toMatchObject({ problems: [] });
    expect(await statesOf(order.reference)).toEqual(['sale finalized 27.87', 'credit finalized 9.29']);
  });

  it.each<[Fault, boolean]>([
    [409, false],
    [422, true],
  ])('reports %s as a problem with isFinal=%s', async (fault, isFinal) => {
    faults.state.fault = fault;
    const { problems } = await recordOrder(ledger, orderOf(mugs, newReference(), '1.20'));
    expect(problems).toMatchObject([{ isFinal }]);
  });
});

describe('a reconciliation', () => {
  it('records missing orders, replaces different sales, and lists extra transactions', async () => {
    const at = '2026-09-15T12:00:00.000Z';
    const more = { placedAt: at };
    const kept = orderOf(mugs, newReference(), '1.20', more);
    const missing = orderOf(mugs, newReference(), '1.20', more);
    const different = orderOf(mugs, newReference(), '1.20', more);
    const refunded = orderOf(mugs, newReference(), '1.20', { ...more, refunds: [refundOf('1', '9.29', { at })] });
    const cancelled = orderOf(mugs, newReference(), '1.20', { ...more, wanted: 'draft' });
    const unknown = orderOf(mugs, newReference(), '1.20', more);
    for (const order of [kept, { ...different, tax: '1.10' }, { ...refunded, refunds: [] }, cancelled, unknown])
      await recordOrder(ledger, order);
    const orders = [kept, missing, different, refunded, { ...cancelled, wanted: 'void' as const }];
    const range = { from: '2026-09-15', to: '2026-09-15' };
    const report = await reconcile(ledger, orders, range);
    expect(report.recorded.toSorted()).toEqual(
      [missing, different, refunded, cancelled].map(({ reference }) => reference).toSorted(),
    );
    expect(report.problems).toEqual([]);
    expect(report.extra.map(({ reference_id }) => reference_id)).toEqual([unknown.reference]);
    expect((await reconcile(ledger, orders, range)).recorded).toEqual([]);
    for (const order of [kept, missing, different])
      expect((await statesOf(order.reference)).at(-1)).toBe('sale finalized 27.87');
  });

  it("interprets the range in UTC, like the shop's orders, with any account time zone", async () => {
    const ranges: unknown[] = [];
    const applies = ({ sent }: { sent: Record<string, unknown> | null }) =>
      ranges.push([sent?.['from'], sent?.['to']]) < 0;
    Object.assign(faults.state, { fault: 503, applies });
    const at = (time: string) => orderOf(mugs, newReference(), '1.20', { placedAt: `2026-09-20T${time}Z` });
    const orders = [at('00:00:00.000'), at('23:59:59.999')];
    for (const order of [...orders, at('00:00:00.000')]) await recordOrder(ledger, order);
    const { extra } = await reconcile(ledger, orders, { from: '2026-09-20', to: '2026-09-20' });
    expect(extra).toHaveLength(1);
    expect(ranges).toContainEqual(['2026-09-20T00:00:00.000Z', '2026-09-20T23:59:59.999Z']);
  });
});
