import { describe, expect, it } from 'vitest';
import { mapOrder, orderEvents, unpaidProblem } from '../orders.ts';
import { type MedusaOrder, soldOrderOf } from '../shop-order.ts';

const at = (minute: number) => `2026-11-01T10:${String(minute).padStart(2, '0')}:00.000Z`;
const tax_lines = [{ code: 'US-MI', rate: 10 }];

/** Builds an order of two units of 10.00 with 10 % tax, with changed fields. */
const orderOf = (more: Partial<MedusaOrder> = {}, left = 2, paid = 22): MedusaOrder => ({
  ...{ id: 'order_1', currency_code: 'usd', status: 'pending', created_at: at(0), updated_at: at(1) },
  ...{ item_total: 11 * left, shipping_total: 0, tax_total: left },
  shipping_address: { country_code: 'us', province: 'MI', postal_code: '48226' },
  items: [{ id: 'ordli_1', quantity: 2, unit_price: 10, tax_lines }],
  payment_collections: [{ payments: [{ amount: paid, captures: [{ amount: paid, created_at: at(2) }] }] }],
  ...more,
});
const received = { return_received_quantity: 1 };
const backItems = [{ item_id: 'ordli_1', quantity: 1, received_quantity: 1 }];
const back = { id: 'return_1', received_at: at(5), updated_at: at(6), items: backItems };
const first = { id: 'ordli_1', quantity: 2, unit_price: 10, tax_lines };
const another = { id: 'ordli_2', quantity: 1, unit_price: 10, tax_lines };
const refundsOf = (order: MedusaOrder) => soldOrderOf(order).refunds.map(({ id, total }) => [id, total]);

describe('an exchange', () => {
  it('credits the returned unit, which paid for the new one', () => {
    const items = [{ ...first, detail: received }, another];
    const sold = soldOrderOf(orderOf({ items, returns: [back] }));
    expect([sold.total, sold.tax, sold.unpaid]).toEqual(['33.00', '3.00', '0.00']);
    expect(sold.refunds).toMatchObject([
      { id: 'return_1', total: '11.00', at: at(5), lines: [{ id: 'ordli_1', quantity: 1 }] },
    ]);
  });

  it('is unpaid until the unit is returned or an additional payment is authorized', () => {
    const items = [first, another];
    const sold = soldOrderOf(orderOf({ items }, 3));
    expect([sold.unpaid, sold.refunds, unpaidProblem(sold)?.code]).toEqual(['11.00', [], 'mismatch']);
    const abroad = orderOf({ items, shipping_address: { country_code: 'de' } }, 3);
    expect(unpaidProblem(soldOrderOf(abroad))).toBeNull();
    const payments = [{ amount: 22, captures: [{ amount: 22, created_at: at(2) }] }, { amount: 11 }];
    expect(soldOrderOf(orderOf({ items, payment_collections: [{ payments }] }, 3)).unpaid).toBe('0.00');
  });

  it('does not change the credit of an earlier return with a fee', () => {
    const refunds = [{ id: 'ref_1', amount: 7, created_at: at(7) }];
    const payments = [{ amount: 22, captures: [{ amount: 22, created_at: at(2) }], refunds }];
    const methods = [{ id: 'ordsm_1', amount: 4 }];
    const feeTaken = { shipping_total: 4, shipping_methods: methods, payment_collections: [{ payments }] };
    const one = orderOf({ ...feeTaken, items: [{ ...first, detail: received }], returns: [back] }, 1);
    expect(refundsOf(one)).toEqual([
      ['return_1', '4.00'],
      ['ref_1', '7.00'],
    ]);
    const second = { ...back, id: 'return_2', received_at: at(9) };
    const items = [{ ...first, detail: { return_received_quantity: 2 } }, another];
    expect(refundsOf(orderOf({ ...feeTaken, items, returns: [back, second] }, 1))).toEqual([
      ['return_1', '4.00'],
      ['ref_1', '7.00'],
      ['return_2', '11.00'],
    ]);
  });
});

describe('a claim', () => {
  const claim = { id: 'claim_1', order_id: 'order_1', created_at: at(4), updated_at: at(4) };
  const claim_items = [{ item_id: 'ordli_1', quantity: 1 }];

  it('counts a unit once, even if it is also returned', () => {
    const replaced = orderOf({ items: [first, another], claims: [{ ...claim, claim_items }] }, 3);
    expect(refundsOf(replaced)).toEqual([['claim_1', '11.00']]);
    const items = [{ ...first, detail: received }, another];
    const returns = [{ ...back, claim_id: 'claim_1' }];
    expect(refundsOf(orderOf({ items, returns, claims: [{ ...claim, claim_items }] }))).toEqual([['claim_1', '11.00']]);
  });

  it('does not pay for a third unit', () => {
    const items = [{ ...first, detail: received }, another, { ...another, id: 'ordli_3' }];
    const returns = [{ ...back, claim_id: 'claim_1' }];
    const sold = soldOrderOf(orderOf({ items, returns, claims: [{ ...claim, claim_items }] }, 3));
    expect([sold.unpaid, sold.refunds.map(({ total }) => total)]).toEqual(['11.00', ['11.00']]);
  });

  it('that is canceled refunds nothing', () => {
    expect(refundsOf(orderOf({ claims: [{ ...claim, claim_items, canceled_at: at(8) }] }))).toEqual([]);
  });
});

describe('an order', () => {
  it('that is canceled after a partial payment is credited in full', () => {
    const refunds = [{ id: 'ref_1', amount: 5, created_at: at(7) }];
    const payments = [{ amount: 22, captures: [{ amount: 5, created_at: at(2) }], refunds }];
    const canceled = { status: 'canceled', canceled_at: at(8), payment_collections: [{ payments }] };
    expect(refundsOf(orderOf(canceled))).toEqual([
      ['ref_1', '5.00'],
      ['canceled', '17.00'],
    ]);
  });

  it('has the time of its last change of any kind', () => {
    expect(soldOrderOf(orderOf()).changedAt).toBe(at(2));
    expect(soldOrderOf(orderOf({ updated_at: at(3) })).changedAt).toBe(at(3));
    expect(soldOrderOf(orderOf({ returns: [back] })).changedAt).toBe(at(6));
  });

  it('paid partly with store credit counts as paid, even after a refund', () => {
    const refunds = [{ id: 'ref_1', amount: 5, created_at: at(7) }];
    const payments = [{ amount: 12, captures: [{ amount: 12, created_at: at(2) }], refunds }];
    const credit_lines = [{ amount: 10 }, { amount: 5, metadata: { created_in_version: 2 } }];
    const sold = soldOrderOf(orderOf({ credit_lines, payment_collections: [{ payments }] }));
    expect([sold.wanted, sold.total, sold.unpaid, sold.refunds.length]).toEqual(['finalized', '22.00', '0.00', 1]);
    const all = soldOrderOf(orderOf({ credit_lines: [{ amount: 22 }], payment_collections: [] }));
    expect([all.wanted, all.unpaid]).toEqual(['finalized', '0.00']);
  });

  it('with a refund after a return credits the returned units', () => {
    const refunds = [{ id: 'ref_1', amount: 11, created_at: at(7) }];
    const payments = [{ amount: 22, captures: [{ amount: 22, created_at: at(2) }], refunds }];
    const items = [{ ...first, detail: received }];
    const sold = soldOrderOf(orderOf({ items, returns: [back], payment_collections: [{ payments }] }, 1));
    expect(sold.refunds).toMatchObject([{ id: 'ref_1', total: '11.00', lines: [{ id: 'ordli_1', quantity: 1 }] }]);
  });

  it('with prices that include tax is a problem, and does not stop the reconciliation', () => {
    const { order, problems } = mapOrder(orderOf({ items: [{ ...first, is_tax_inclusive: true }] }));
    expect([order, problems]).toMatchObject([null, [{ reference: 'order_1', code: 'invalid_order' }]]);
  });

  it('without an address is sent to Levy, but a draft order is not', () => {
    expect(mapOrder(orderOf({ is_draft_order: true })).order).toBeNull();
    expect(mapOrder(orderOf({ shipping_address: null })).order?.address).toBeNull();
  });
});

it('subscribes to each event that changes an order', () => {
  const changed = ['order.updated', 'order.exchange_created', 'order.claim_created', 'order.return_received'];
  expect(orderEvents).toEqual(expect.arrayContaining(changed));
});
