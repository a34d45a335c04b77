import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient, orThrow } from '../../../shared/client/client.ts';
import type { Order } from '../order.ts';
import { recordOrder } from '../sales.ts';
import type { Ledger } from '../transactions.ts';
import { apiKey, type LocalLevy, startLevy } from './levy.ts';
import { cartOf, orderOf } from './orders.ts';

let service: LocalLevy;
let ledger: Ledger;
beforeAll(async () => {
  service = await startLevy();
  ledger = { levy: createClient({ url: service.url, apiKey }), shop: 'test' };
});
afterAll(() => service.stop());

const three = cartOf([{ id: 'mug', quantity: 3, unitPrice: '8.89' }]);
const lansing = { city: 'Lansing', province: 'us-mi', postalCode: '48933', country: 'us' };
const two = cartOf([{ id: 'mug', quantity: 2, unitPrice: '8.89' }]);
const placedAt = new Date().toISOString();
const refundOf = (id: string, total: string) => {
  const lines = [{ id: 'mug', quantity: 1 }];
  return { id, total, lines, shipping: '0', at: placedAt };
};

/** Records an order and reads its sale from Levy, because a replayed response would be outdated. */
const recorded = async (order: Order) => {
  const { sale, problems } = await recordOrder(ledger, order);
  expect(problems).toEqual([]);
  return orThrow(await service.levy.get('/transactions/{id}', { path: { id: sale?.id as string } }));
};

it('updates a draft with every edit of its order', async () => {
  const order = orderOf(three, 'edited', '1.20', { wanted: 'draft', placedAt });
  const edited = orderOf(two, 'edited', '0.80', { wanted: 'draft', placedAt });
  for (const next of [order, edited, order, edited]) {
    expect(await recorded(next)).toMatchObject({ total_amount: next.total, status: 'draft' });
    expect(await recordOrder(ledger, next)).toMatchObject({ isChanged: false });
  }
});

it('removes the estimate mark when a draft becomes a sale with a tax from Levy', async () => {
  await recorded(orderOf(three, 'estimated', '1.87', { wanted: 'draft', isEstimated: true, placedAt }));
  const { metadata } = await recorded(orderOf(three, 'estimated', '1.20', { placedAt }));
  expect(metadata).toEqual({ shop: 'test', order: 'estimated' });
});

it('records no credit for a payment above a lowered sale', async () => {
  await recorded(orderOf(three, 'lowered', '1.20', { placedAt, paid: '27.87' }));
  const lowered = orderOf(two, 'lowered', '0.80', { placedAt, paid: '27.87' });
  const above = [refundOf('1', '9.29')];
  expect(await recorded({ ...lowered, refunds: above })).toMatchObject({
    total_amount: '18.58',
    refund_status: 'none',
  });
  const refunds = [...above, refundOf('2', '9.29'), refundOf('3', '9.29')];
  expect(await recorded({ ...lowered, refunds })).toMatchObject({ credited_tax_amount: '0.80', refund_status: 'full' });
  // The first refund can exceed the overpayment.
  const more = { ...lowered, reference: 'lowered-more', refunds: [refundOf('1', '10.29')] };
  expect(await recorded(more)).toMatchObject({ credited_amount: '0.96', credited_tax_amount: '0.04' });
});

it('replaces the sale if the order moves to a different state with the same tax', async () => {
  const placed = orderOf({ ...three, address: lansing }, 'moved', '1.60', { placedAt });
  expect((await recorded(placed)).tax_summary).toMatchObject([{ jurisdiction_code: 'US-MI', tax_amount: '1.60' }]);
  const louisville = { city: 'Louisville', province: 'KY', postalCode: '40202', country: 'US' };
  const moved = await recorded({ ...placed, address: louisville });
  expect(moved.tax_summary).toMatchObject([{ jurisdiction_code: 'US-KY', tax_amount: '1.60' }]);
  const street = { ...louisville, line1: '600 W Jefferson St', postalCode: '40202-2741' };
  expect(await recordOrder(ledger, { ...placed, address: street })).toMatchObject({ isChanged: false, problems: [] });
});

it('finds a credit of a whole sale when its idempotency key has expired', async () => {
  const order = orderOf(three, 'credited', '1.20', { refunds: [refundOf('1', '27.87')], placedAt });
  await recorded(order);
  await service.advance(25 * 3600);
  expect(await recordOrder(ledger, order)).toMatchObject({ problems: [], isChanged: false });
});

it('reports a cancellation that Levy refuses permanently as a final problem', async () => {
  const order = orderOf(three, 'cancelled', '1.20', { refunds: [refundOf('1', '9.29')], placedAt });
  await recorded(order);
  const { problems } = await recordOrder(ledger, { ...order, wanted: 'void' });
  expect(problems).toMatchObject([{ code: 'conflict_has_credits', isFinal: true }]);
});

it('ignores a stale snapshot', async () => {
  const at = (minute: number) => `2026-11-20T12:0${minute}:00.000Z`;
  const [older, newer] = ['1.20', '0.80'].map((tax, minute) =>
    orderOf(minute === 0 ? three : two, 'stale', tax, { placedAt: at(0), changedAt: at(minute) }),
  ) as [Order, Order];
  await recorded(newer);
  for (const wanted of ['draft', 'finalized', 'void'] as const) {
    const { isChanged, problems, sale } = await recordOrder(ledger, { ...older, wanted });
    expect([isChanged, problems, sale?.total_amount, sale?.status]).toEqual([false, [], '18.58', 'finalized']);
  }
  expect((await recorded(newer)).metadata).toEqual({ shop: 'test', order: 'stale', changed_at: at(1) });
});

it('ignores a stale snapshot after an edit back to an earlier state', async () => {
  const at = (minute: number) => `2026-11-20T12:0${minute}:00.000Z`;
  const order = orderOf(two, 'back', '0.80', { placedAt: at(0), changedAt: at(1) });
  await recorded(order);
  expect(await recordOrder(ledger, { ...order, changedAt: at(3) })).toMatchObject({ isChanged: false });
  const between = orderOf(three, 'back', '1.20', { placedAt: at(0), changedAt: at(2) });
  expect(await recordOrder(ledger, between)).toMatchObject({ isChanged: false, sale: { total_amount: '18.58' } });
});

it('updates the estimate mark of a recorded sale, even with the same amounts', async () => {
  const order = orderOf(three, 'marked', '1.20', { placedAt, isEstimated: true });
  await recorded(order);
  for (const isChanged of [true, false])
    expect(await recordOrder(ledger, { ...order, isEstimated: false })).toMatchObject({ isChanged });
  expect((await recorded({ ...order, isEstimated: false })).metadata).toEqual({ shop: 'test', order: 'marked' });
});

it('never changes a finalized sale to a draft, even without a timestamp', async () => {
  await recorded(orderOf(two, 'late-draft', '0.80', { placedAt }));
  const late = await recordOrder(ledger, orderOf(three, 'late-draft', '1.20', { placedAt, wanted: 'draft' }));
  expect(late).toMatchObject({ isChanged: false, problems: [], sale: { status: 'finalized', total_amount: '18.58' } });
});
