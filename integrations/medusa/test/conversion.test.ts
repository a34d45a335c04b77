import { describe, expect, it, vi } from 'vitest';
import { type Document, getAmount, type Item, type ShippingMethod, toCart } from '../cart.ts';
import { getSettings } from '../levy.ts';
import { orderTaxLineContext } from '../order-tax.ts';
import { mapOrder, orderEvents, unpaidProblem } from '../orders.ts';
import { LevyTaxProvider } from '../provider.ts';
import { reconcileOrders } from '../reconcile.ts';
import { type MedusaOrder, toSoldOrder } from '../shop-order.ts';
import { isEstimated, readTaxContext } from '../tax.ts';

const cart = (country_code: string, more: Partial<Document> = {}): Document => ({
  id: 'cart_1',
  currency_code: 'eur',
  shipping_address: { country_code, postal_code: '10115' },
  items: [{ id: 'cali_1', quantity: 1, unit_price: 10, is_tax_inclusive: true }],
  ...more,
});

it('refuses prices that include tax in the United States, and ignores them abroad', async () => {
  const logger = { warn: expect.fail, error: expect.fail };
  expect(await readTaxContext(cart('de'), logger)).toEqual({ kind: 'foreign' });
  expect(() => toCart(cart('us'))).toThrow('tax-inclusive');
  const shipping_methods = [{ id: 'casm_1', amount: 5, is_tax_inclusive: true }];
  expect(() => toCart(cart('us', { items: [], shipping_methods }))).toThrow('tax-inclusive');
  const adjustments = [{ amount: 1, is_tax_inclusive: true }];
  const items = [{ id: 'cali_1', quantity: 1, unit_price: 10, adjustments }];
  expect(() => toCart(cart('us', { items }))).toThrow('promotions');
  expect(toCart(cart('de', { items })).lines).toHaveLength(1);
  // Goods that are picked up in Michigan are taxed there.
  for (const shipping_address of [{ country_code: 'de' }, null])
    expect(() => toCart(cart('de', { shipping_address, shipping_methods: [pickupMethod] }))).toThrow('tax-inclusive');
});

it('omits a shipping charge that two discounts reduce to zero', () => {
  const adjustments = [{ amount: 0.1 }, { amount: 0.2 }];
  const { shipping } = toCart(cart('de', { shipping_methods: [{ id: 'casm_1', amount: 0.3, adjustments }] }));
  expect([shipping[0]?.amount, getAmount(-0.6, 'USD')]).toEqual(['0.00', '-0.60']);
});

it.each([
  [1.005, 'USD', '1.01'],
  [9.045, 'USD', '9.05'],
  [8.575 * 3, 'USD', '25.73'],
  [-1.005, 'USD', '-1.01'],
  [-0.001, 'USD', '0.00'],
  [88.5, 'JPY', '89'],
])('rounds half a cent of %d %s as Medusa and Levy do: %s', (value, currency, amount) => {
  expect(getAmount(value, currency)).toBe(amount);
});

it('taxes an order with fractional units', () => {
  const items = [{ id: 'cali_1', quantity: 1.5, unit_price: 10 }];
  expect(toCart(cart('us', { items })).lines).toMatchObject([{ quantity: 1.5, unitPrice: '10.00', discount: '0.00' }]);
});

it('sends prices with fractions of a cent exactly, without a corrective discount', () => {
  const items = [
    { id: 'cali_1', quantity: 100, unit_price: 0.125 },
    { id: 'cali_2', quantity: 1, unit_price: 0.125 },
    { id: 'cali_3', quantity: 1, unit_price: -0.125 },
  ];
  // The rounded prices are 12.50, 0.13 and -0.13.
  const { lines } = toCart(cart('us', { items }), { total: '12.50', tax: '0.00' });
  expect(lines.map(({ unitPrice, discount }) => [unitPrice, discount])).toEqual([
    ...[
      ['0.125', '0.00'],
      ['0.125', '0.00'],
      ['-0.125', '0.00'],
    ],
  ]);
  const yen = cart('us', { currency_code: 'jpy', items: [{ id: 'cali_1', quantity: 1, unit_price: 900 }] });
  expect(toCart(yen).lines).toMatchObject([{ unitPrice: '900', discount: '0' }]);
});

it('sends the tax code of gift cards for a gift card, unless the product has another code', () => {
  const item = { id: 'cali_1', quantity: 1, unit_price: 50, is_giftcard: true };
  const listCodes = (items: Item[]) => toCart(cart('us', { items })).lines.map(({ taxCode }) => taxCode);
  const product = { metadata: { levy_tax_code: 'GENERAL' } };
  expect(listCodes([item, { ...item, product }, { ...item, is_giftcard: false }])).toEqual([
    ...['FEES.GIFT_CARDS', 'GENERAL', null],
  ]);
});

const pickupMethod: ShippingMethod = {
  id: 'casm_2',
  amount: 0,
  shipping_option: {
    shipping_profile_id: 'sp_2',
    service_zone: {
      fulfillment_set: {
        type: 'pickup',
        location: { address: { city: 'Detroit', province: 'MI', postal_code: '48226', country_code: 'US' } },
      },
    },
  },
};
const shipMethod: ShippingMethod = { id: 'casm_1', amount: 5, shipping_option: { shipping_profile_id: 'sp_1' } };

describe('items', () => {
  const buildItem = (profile: string, more: Partial<Item> = {}): Item => ({
    id: `cali_${profile}`,
    quantity: 1,
    unit_price: 10,
    variant: { product: { shipping_profile: { id: profile } } },
    ...more,
  });
  const listDeliveries = (items: Item[], shipping_methods: ShippingMethod[]) =>
    toCart(cart('us', { items, shipping_methods })).lines.map(({ fulfillment, shipFrom }) => [
      fulfillment,
      shipFrom?.city ?? null,
    ]);

  it('treats an item as picked up if the shipping method of its profile belongs to a pickup location', () => {
    const items = [buildItem('sp_1'), buildItem('sp_2')];
    expect(listDeliveries(items, [pickupMethod, shipMethod])).toEqual([
      [null, null],
      ['pickup', 'Detroit'],
    ]);
    expect(listDeliveries(items, [pickupMethod])).toEqual([
      ['pickup', 'Detroit'],
      ['pickup', 'Detroit'],
    ]);
  });

  it('assigns an item to the shipping method of its profile', () => {
    const items = [buildItem('sp_1'), buildItem('sp_2'), buildItem('sp_3')];
    const fee = { id: 'casm_0', amount: 4 };
    const { shipping } = toCart(cart('us', { items, shipping_methods: [pickupMethod, shipMethod, fee] }));
    expect(shipping).toEqual([
      { id: 'casm_0', amount: '4.00', lineIds: [] },
      { id: 'casm_1', amount: '5.00', lineIds: ['cali_sp_1'] },
      { id: 'casm_2', amount: '0.00', lineIds: ['cali_sp_2'] },
    ]);
  });

  it("reads an item's settings from its variant or product, never from metadata that shoppers can write", () => {
    const variant = { metadata: { levy_fulfillment: 'electronic' } };
    const product = { metadata: { levy_fulfillment: 'pickup' } };
    const metadata = { levy_fulfillment: 'none', levy_tax_code: 'NONTAXABLE' };
    expect(listDeliveries([buildItem('sp_1', { variant, product })], [shipMethod])).toEqual([['electronic', null]]);
    expect(listDeliveries([buildItem('sp_1', { product })], [shipMethod, pickupMethod])).toEqual([
      ['pickup', 'Detroit'],
    ]);
    const own = { ...buildItem('sp_1'), metadata };
    expect(toCart(cart('us', { items: [own] })).lines).toMatchObject([{ taxCode: null, fulfillment: null }]);
  });
});

const complete = { LEVY_URL: 'https://levy.example', LEVY_API_KEY: 'levy_key' };

describe('plugin settings', () => {
  it('sets defaults', () => {
    expect(getSettings(complete)).toEqual({
      url: 'https://levy.example',
      apiKey: 'levy_key',
      shop: 'medusa',
      timeoutMs: 1000,
      pauseMs: 5000,
      isBlocking: false,
    });
    expect(getSettings({ ...complete, LEVY_FALLBACK: 'block' }).isBlocking).toBe(true);
  });

  it.each([
    ['LEVY_URL', undefined],
    ['LEVY_URL', 'levy.example'],
    ['LEVY_API_KEY', ''],
    ['LEVY_FALLBACK', 'Block'],
    ['LEVY_TIMEOUT_MS', '1s'],
    ['LEVY_PAUSE_MS', '-1'],
  ])('reports the variable %s that is %s', (name, value) => {
    expect(() => getSettings({ ...complete, [name]: value })).toThrow(name);
  });

  it('rejects a shop name that is not valid in an idempotency key', () => {
    for (const LEVY_SHOP of ['müller', 'two words', 'x'.repeat(51)])
      expect(() => getSettings({ ...complete, LEVY_SHOP })).toThrow(RangeError);
  });

  it('checks the settings when Medusa loads the tax provider', () => {
    expect(() => LevyTaxProvider.validateOptions()).toThrow('LEVY_URL');
  });
});

describe('customer ids', () => {
  const usCart = cart('us', { items: [] });
  const toCustomer = (has_account: boolean) => toCart({ ...usCart, customer: { id: 'cus_1', has_account } }).customerId;

  it('adds the shop as a prefix to the id of a registered customer', () => {
    expect(toCustomer(true)).toBe('medusa-cus_1');
  });

  it('sends no id for a guest, because guests can enter the e-mail address of a different customer', () => {
    expect([toCustomer(false), toCart(usCart).customerId]).toEqual([null, null]);
  });
});

describe('the tax provider', () => {
  const providerItem = { line_item: { id: 'cali_1' }, rates: [] };
  const failed = { levy: { kind: 'failed' } };

  it('marks an estimate even if the tax region has no default rate', async () => {
    const address = { postal_code: '48226' };
    const lines = await new LevyTaxProvider().getTaxLines([providerItem], [], { address, additional_context: failed });
    expect(lines).toMatchObject([{ rate: 0, line_item_id: 'cali_1' }]);
    expect(isEstimated([{ tax_lines: lines }])).toBe(true);
  });

  it('marks an estimate of an address without a ZIP code', async () => {
    const rates = [{ id: 'txr_1', rate: 7, code: 'fallback', name: 'Fallback' }];
    const context = { address: { postal_code: null }, additional_context: failed };
    const lines = await new LevyTaxProvider().getTaxLines([{ ...providerItem, rates }], [], context);
    expect([lines.map(({ rate }) => rate), isEstimated([{ tax_lines: lines }])]).toEqual([[7], true]);
  });

  it('logs if a different plugin calculates tax', async () => {
    const texts: string[] = [];
    const logger = { warn: (text: string) => void texts.push(text), error: expect.fail };
    await new LevyTaxProvider({ logger }).getTaxLines([providerItem], [], { address: { postal_code: '48226' } });
    expect(texts.join()).toContain("charging the shop's tax rate");
    await new LevyTaxProvider({ logger: { warn: expect.fail } }).getTaxLines([providerItem], [], {
      address: {},
    });
  });
});

const at = (minute: number) => `2026-11-01T10:${String(minute).padStart(2, '0')}:00.000Z`;
const tax_lines = [{ code: 'US-MI', rate: 10 }];

/** A captured payment, with refunds. */
const paidBy = (amount: number, ...refunded: readonly number[]) => {
  const refunds = refunded.map((part, index) => ({
    id: `ref_${index + 1}`,
    amount: part,
    created_at: at(7 + 2 * index),
  }));
  return { payment_collections: [{ payments: [{ amount, captures: [{ amount, created_at: at(2) }], refunds }] }] };
};

/** Builds an order of two units of 10.00 with 10 % tax, with changed fields. */
const buildOrder = (more: Partial<MedusaOrder> = {}, left = 2, paid = 22): MedusaOrder => ({
  id: 'order_1',
  currency_code: 'usd',
  status: 'pending',
  created_at: at(0),
  updated_at: at(1),
  item_total: 11 * left,
  shipping_total: 0,
  tax_total: left,
  shipping_address: { country_code: 'us', province: 'MI', postal_code: '48226' },
  items: [{ id: 'ordli_1', quantity: 2, unit_price: 10, tax_lines }],
  ...paidBy(paid),
  ...more,
});
/** A credit line of the placement, or of a later version of the order. */
const buildCreditLine = (amount: number, created_in_version?: number) => ({
  amount,
  created_at: at(7),
  ...(created_in_version && { metadata: { created_in_version } }),
});
const received = { return_received_quantity: 1 };
const backItems = [{ item_id: 'ordli_1', quantity: 1, received_quantity: 1 }];
const back = { id: 'return_1', received_at: at(5), updated_at: at(6), items: backItems };
const first = { id: 'ordli_1', quantity: 2, unit_price: 10, tax_lines };
const another = { id: 'ordli_2', quantity: 1, unit_price: 10, tax_lines };
/** The part of a return that paid for no other goods. */
const noPart = { id: 'return_1', total: '0.00', lines: [], isExchanged: true };
const listRefunds = (order: MedusaOrder) => toSoldOrder(order).refunds.map(({ id, total }) => [id, total]);

describe('exchanges', () => {
  it('credits the returned unit, which paid for the new one', () => {
    const items = [{ ...first, detail: received }, another];
    const sold = toSoldOrder(buildOrder({ items, returns: [back] }));
    expect([sold.total, sold.tax, sold.unpaid]).toEqual(['33.00', '3.00', '0.00']);
    expect(sold.refunds).toMatchObject([
      { id: 'return_1', total: '11.00', at: at(5), lines: [{ id: 'ordli_1', quantity: 1 }] },
    ]);
  });

  it('treats an exchange as unpaid until the unit is returned or an additional payment is authorized', () => {
    const items = [first, another];
    const sold = toSoldOrder(buildOrder({ items }, 3));
    expect([sold.unpaid, sold.refunds, unpaidProblem(sold)?.code]).toEqual(['11.00', [], 'mismatch']);
    const abroad = buildOrder({ items, shipping_address: { country_code: 'de' } }, 3);
    expect(unpaidProblem(toSoldOrder(abroad))).toBeNull();
    const payments = [{ amount: 22, captures: [{ amount: 22, created_at: at(2) }] }, { amount: 11 }];
    expect(toSoldOrder(buildOrder({ items, payment_collections: [{ payments }] }, 3)).unpaid).toBe('0.00');
  });

  it('keeps the credit of an earlier return with a fee', () => {
    const methods = [{ id: 'ordsm_1', amount: 4 }];
    const feeTaken = { shipping_total: 4, shipping_methods: methods, ...paidBy(22, 7) };
    const one = buildOrder({ ...feeTaken, items: [{ ...first, detail: received }], returns: [back] }, 1);
    expect(listRefunds(one)).toEqual([
      ['return_1', '4.00'],
      ['ref_1', '7.00'],
    ]);
    const second = { ...back, id: 'return_2', received_at: at(9) };
    const items = [{ ...first, detail: { return_received_quantity: 2 } }, another];
    expect(listRefunds(buildOrder({ ...feeTaken, items, returns: [back, second] }, 1))).toEqual([
      ['return_1', '4.00'],
      ['ref_1', '7.00'],
      ['return_2', '11.00'],
    ]);
  });
});

describe('claims', () => {
  const claim = { id: 'claim_1', order_id: 'order_1', created_at: at(4), updated_at: at(4) };
  const claim_items = [{ item_id: 'ordli_1', quantity: 1 }];

  it('counts a claimed unit once, even if it is also returned', () => {
    const replaced = buildOrder({ items: [first, another], claims: [{ ...claim, claim_items }] }, 3);
    expect(listRefunds(replaced)).toEqual([['claim_1', '11.00']]);
    const items = [{ ...first, detail: received }, another];
    const returns = [{ ...back, claim_id: 'claim_1' }];
    expect(listRefunds(buildOrder({ items, returns, claims: [{ ...claim, claim_items }] }))).toEqual([
      ['claim_1', '11.00'],
    ]);
  });

  it('does not count a third unit as paid', () => {
    const items = [{ ...first, detail: received }, another, { ...another, id: 'ordli_3' }];
    const returns = [{ ...back, claim_id: 'claim_1' }];
    const sold = toSoldOrder(buildOrder({ items, returns, claims: [{ ...claim, claim_items }] }, 3));
    expect([sold.unpaid, sold.refunds.map(({ total }) => total)]).toEqual(['11.00', ['11.00']]);
  });

  it('keeps a part of zero, because its credit may already be recorded', () => {
    const claims = [{ ...claim, claim_items }];
    const returns = [{ ...back, received_at: at(8) }];
    const items = [{ ...first, detail: received }, another];
    const build = (...refunded: number[]) => buildOrder({ items, returns, claims, ...paidBy(22, ...refunded) });
    const [goodwill, refund] = [
      ['ref_1', '11.00'],
      ['ref_2', '11.00'],
    ];
    expect(listRefunds(build(11))).toEqual([['claim_1', '0.00'], goodwill, ['return_1', '11.00']]);
    expect(listRefunds(build(11, 11))).toEqual([['claim_1', '11.00'], goodwill, ['return_1', '0.00'], refund]);
  });

  it('refunds nothing for a canceled claim', () => {
    const claims = [{ ...claim, claim_items, canceled_at: at(8) }];
    const sold = toSoldOrder(buildOrder({ items: [first, another], claims }, 3));
    expect([sold.refunds, sold.unpaid]).toEqual([[], '11.00']);
  });
});

describe('conversion of orders', () => {
  it('credits the full amount of an order that is canceled after a partial payment', () => {
    const refunds = [{ id: 'ref_1', amount: 5, created_at: at(7) }];
    const payments = [{ amount: 22, captures: [{ amount: 5, created_at: at(2) }], refunds }];
    const canceled = { status: 'canceled', canceled_at: at(8), payment_collections: [{ payments }] };
    expect(listRefunds(buildOrder(canceled))).toEqual([
      ['ref_1', '5.00'],
      ['canceled', '17.00'],
    ]);
  });

  it('dates a converted draft order by its conversion', () => {
    const dated = [2, 1].map((minute) => ({ code: 'US-MI', rate: 10, created_at: at(minute) }));
    const items = [first, { ...first, tax_lines: dated }];
    expect(toSoldOrder(buildOrder({ items })).placedAt).toBe(at(1));
    expect(toSoldOrder(buildOrder({ items, cart: { id: 'cart_1' } })).placedAt).toBe(at(0));
    expect(toSoldOrder(buildOrder()).placedAt).toBe(at(0));
  });

  it('uses the time of the last change of any kind to an order', () => {
    expect(toSoldOrder(buildOrder()).changedAt).toBe(at(2));
    expect(toSoldOrder(buildOrder({ updated_at: at(3) })).changedAt).toBe(at(3));
    expect(toSoldOrder(buildOrder({ returns: [back] })).changedAt).toBe(at(6));
  });

  it('counts an order paid partly with store credit as paid, even after a refund', () => {
    const credit_lines = [buildCreditLine(10), buildCreditLine(5, 2)];
    const sold = toSoldOrder(buildOrder({ credit_lines, ...paidBy(12, 5) }));
    expect([sold.wanted, sold.total, sold.unpaid, sold.refunds.length]).toEqual(['finalized', '22.00', '0.00', 1]);
    // A credit line of a later order version pays only its amount above the refunds.
    const later = [buildCreditLine(7), buildCreditLine(8, 2)];
    const more = toSoldOrder(buildOrder({ credit_lines: later, ...paidBy(12, 5) }));
    expect([more.unpaid, more.refunds.length]).toEqual(['0.00', 1]);
    const all = toSoldOrder(buildOrder({ credit_lines: [buildCreditLine(22)], payment_collections: [] }));
    expect([all.wanted, all.unpaid]).toEqual(['finalized', '0.00']);
  });

  it('counts store credit in the overpayment after an edit lowers the total of an order', () => {
    const items = [{ ...first, quantity: 1 }];
    const credit_lines = [buildCreditLine(10)];
    const sold = toSoldOrder(buildOrder({ items, credit_lines, ...paidBy(12) }, 1));
    expect([sold.total, sold.paid]).toEqual(['11.00', '22.00']);
  });

  it('credits the returned units of a return that is settled with store credit', () => {
    const items = [{ ...first, detail: received }];
    const sold = toSoldOrder(buildOrder({ items, returns: [back], credit_lines: [buildCreditLine(-11, 2)] }, 1));
    expect([sold.total, sold.paid, sold.unpaid]).toEqual(['22.00', '22.00', '0.00']);
    const credit = { id: 'store-credit-2', total: '11.00', at: at(7), lines: [{ id: 'ordli_1', quantity: 1 }] };
    expect(sold.refunds).toMatchObject([noPart, credit]);
    // The line of a later version is a copy. A change of the address confirms a change without a new version.
    const changes = [
      { order_id: 'order_1', version: 2, confirmed_at: null },
      { order_id: 'order_1', version: 2, confirmed_at: at(8) },
      { order_id: 'order_1', version: 2, confirmed_at: at(6) },
      { order_id: 'order_1', version: 1, confirmed_at: at(1) },
    ];
    const credit_lines = [buildCreditLine(-11, 2)];
    const later = toSoldOrder(buildOrder({ items, returns: [back], credit_lines, changes }, 1));
    expect(later.refunds).toMatchObject([noPart, { ...credit, at: at(6) }]);
  });

  it('credits the full amount of a canceled order that was paid partly with store credit', () => {
    const canceled = { status: 'canceled', canceled_at: at(8), ...paidBy(12, 12) };
    // Medusa writes a credit line for the refund.
    expect(
      listRefunds(buildOrder({ ...canceled, credit_lines: [buildCreditLine(10), buildCreditLine(12, 2)] })),
    ).toEqual([
      ['ref_1', '12.00'],
      ['canceled', '10.00'],
    ]);
  });

  it('credits the returned units if an order has a refund after the return', () => {
    const items = [{ ...first, detail: received }];
    const sold = toSoldOrder(buildOrder({ items, returns: [back], ...paidBy(22, 11) }, 1));
    const refund = { id: 'ref_1', total: '11.00', lines: [{ id: 'ordli_1', quantity: 1 }] };
    expect(sold.refunds).toMatchObject([noPart, refund]);
  });

  it('credits all units of a return that was received in two parts', () => {
    // The return has only the units of the last part.
    const items = [{ ...first, detail: { return_received_quantity: 2 } }];
    const sold = toSoldOrder(buildOrder({ items, returns: [back], ...paidBy(22, 22) }, 0));
    expect(sold.refunds).toMatchObject([noPart, { id: 'ref_1', lines: [{ id: 'ordli_1', quantity: 2 }] }]);
  });

  it('reports an order with tax-inclusive prices as a problem, and continues the reconciliation', () => {
    const { order, problems } = mapOrder(buildOrder({ items: [{ ...first, is_tax_inclusive: true }] }));
    expect([order, problems]).toMatchObject([null, [{ reference: 'order_1', code: 'invalid_order' }]]);
  });

  it('sends an order without an address to Levy, but not a draft order', () => {
    expect(mapOrder(buildOrder({ is_draft_order: true })).order).toBeNull();
    expect(mapOrder(buildOrder({ shipping_address: null })).order?.address).toBeNull();
  });
});

it('totals a large order to the cent, without floating-point sums', () => {
  const item = { id: 'ordli_1', quantity: 73_056, unit_price: 1075.485, detail: { return_received_quantity: 68_511 } };
  const none = { item_total: 0, tax_total: 0, payment_collections: [] };
  // The product 68,511 × 1,075.485 is 73,682,552.835.
  expect(toSoldOrder(buildOrder({ ...none, items: [item] })).total).toBe('73682552.84');
});

it('matches the tax to the cent if an added reduction moves a cent between items', async () => {
  const amounts = [
    { id: 'ordli_1', amount: '4.10', tax_amount: '0.26' },
    { id: 'ordli_2', amount: '3.20', tax_amount: '0.22' },
  ];
  const taxes = { jurisdiction_name: 'Michigan', jurisdiction_code: 'US-MI' };
  const line_items = amounts.map((line) => ({ ...line, taxes: [{ ...taxes, tax_amount: line.tax_amount }] }));
  const added = { id: 'ordli_3', quantity: 1, unit_price: -0.01 };
  const response = {
    warnings: [],
    shipping: null,
    line_items: [...line_items, { ...added, amount: '-0.01', net_amount: '-0.01', taxes: [] }],
  };
  vi.stubGlobal('fetch', async () => Response.json(response));
  for (const [name, value] of Object.entries(complete)) vi.stubEnv(name, value);
  const stored = [
    ...[
      { id: 'ordli_1', quantity: 1, unit_price: 4.1, tax_lines: [{ code: 'US-MI', rate: (27 / 410) * 100 }] },
      { id: 'ordli_2', quantity: 1, unit_price: 3.2, tax_lines: [{ code: 'US-MI', rate: (21 / 320) * 100 }] },
    ],
  ];
  const graph = async () => ({ data: [buildOrder({ items: stored })] });
  const container = { resolve: (name: string) => (name === 'query' ? { graph } : { warn: expect.fail }) };
  const context = await orderTaxLineContext({ order: { id: 'order_1' }, items: [added] }, container);
  const reduced = [{ name: 'Michigan', code: 'US-MI', rate: 0 }];
  expect(context).toMatchObject({ levy: { items: { ordli_3: reduced } } });
});

it('reports a sale without an order, or with the date of another day, as extra, but not a converted draft', async () => {
  const row = { type: 'sale', tax_date: at(0) };
  const extra = [1, 2, 3].map((id) => ({ ...row, reference_id: `order_${id}`, transaction_id: `txn_${id}` }));
  const response = { missing: [], different: [], extra, next_cursor: null, metadata: {} };
  vi.stubGlobal('fetch', async () => Response.json(response));
  for (const [name, value] of Object.entries(complete)) vi.stubEnv(name, value);
  const graph = async ({ entity, filters }: { entity: string; filters: { id?: string[] } }) => ({
    data: entity === 'order' && filters.id ? orders.filter(({ id }) => filters.id?.includes(id)) : [],
  });
  const orders = [buildOrder(), buildOrder({ id: 'order_3', created_at: '2026-10-30T10:00:00.000Z' })];
  const report = await reconcileOrders({ resolve: () => ({ graph }) }, { from: '2026-11-01', to: '2026-11-01' });
  expect(report.extra.map(({ reference_id }) => reference_id)).toEqual(['order_2']);
  const detail = `The order was placed at 2026-10-30T10:00:00.000Z; its sale txn_3 has the date ${at(0)}.`;
  expect(report.problems).toMatchObject([{ reference: 'order_3', code: 'mismatch', detail }]);
});

it('subscribes to each event that changes an order', () => {
  const changed = ['order.updated', 'order.exchange_created', 'order.claim_created', 'order.return_received'];
  expect(orderEvents).toEqual(expect.arrayContaining(changed));
});
