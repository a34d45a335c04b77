import { describe, expect, it } from 'vitest';
import { amountOf, cartOf, type Document, type Item, type ShippingMethod } from '../cart.ts';
import { taxContextOf } from '../tax.ts';

const cart = (country_code: string, more: Partial<Document> = {}): Document => ({
  ...{ id: 'cart_1', currency_code: 'eur', shipping_address: { country_code, postal_code: '10115' } },
  items: [{ id: 'cali_1', quantity: 1, unit_price: 10, is_tax_inclusive: true }],
  ...more,
});

it('refuses prices that include tax in the United States, and ignores them abroad', async () => {
  const logger = { warn: expect.fail, error: expect.fail };
  expect(await taxContextOf(cart('de'), logger)).toEqual({ kind: 'foreign' });
  expect(() => cartOf(cart('us'))).toThrow('tax-inclusive');
  const shipping_methods = [{ id: 'casm_1', amount: 5, is_tax_inclusive: true }];
  expect(() => cartOf(cart('us', { items: [], shipping_methods }))).toThrow('tax-inclusive');
  const adjustments = [{ amount: 1, is_tax_inclusive: true }];
  const items = [{ id: 'cali_1', quantity: 1, unit_price: 10, adjustments }];
  expect(() => cartOf(cart('us', { items }))).toThrow('promotions');
  expect(cartOf(cart('de', { items })).lines).toHaveLength(1);
});

it('omits a shipping charge that two discounts reduce to zero', () => {
  const adjustments = [{ amount: 0.1 }, { amount: 0.2 }];
  const { shipping } = cartOf(cart('de', { shipping_methods: [{ id: 'casm_1', amount: 0.3, adjustments }] }));
  expect([shipping[0]?.amount, amountOf(-0.6, 'USD')]).toEqual(['0.00', '-0.60']);
});

it('taxes an order with fractional units', () => {
  const items = [{ id: 'cali_1', quantity: 1.5, unit_price: 10 }];
  expect(cartOf(cart('us', { items })).lines).toMatchObject([{ quantity: 1.5, unitPrice: '10.00', discount: '0.00' }]);
});

it('taxes prices with fractions of a cent, without a discount to make up for them', () => {
  const items = [
    { id: 'cali_1', quantity: 100, unit_price: 0.125 },
    { id: 'cali_2', quantity: 1, unit_price: 0.125 },
    { id: 'cali_3', quantity: 1, unit_price: -0.125 },
  ];
  // 12.50, 0.13 and -0.13.
  const { lines } = cartOf(cart('us', { items }), { total: '12.50', tax: '0.00' });
  expect(lines.map(({ unitPrice, discount }) => [unitPrice, discount])).toEqual([
    ...[
      ['0.125', '0.00'],
      ['0.125', '0.00'],
      ['-0.125', '0.00'],
    ],
  ]);
  const yen = cart('us', { currency_code: 'jpy', items: [{ id: 'cali_1', quantity: 1, unit_price: 900 }] });
  expect(cartOf(yen).lines).toMatchObject([{ unitPrice: '900', discount: '0' }]);
});

it('gives a gift card its tax code unless the product has another one', () => {
  const item = { id: 'cali_1', quantity: 1, unit_price: 50, is_giftcard: true };
  const codesOf = (items: Item[]) => cartOf(cart('us', { items })).lines.map(({ taxCode }) => taxCode);
  const product = { metadata: { levy_tax_code: 'GENERAL' } };
  expect(codesOf([item, { ...item, product }, { ...item, is_giftcard: false }])).toEqual([
    ...['FEES.GIFT_CARDS', 'GENERAL', null],
  ]);
});

const pickupMethod: ShippingMethod = {
  ...{ id: 'casm_2', amount: 0 },
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

describe('an item', () => {
  const itemOf = (profile: string, more: Partial<Item> = {}): Item => ({
    ...{ id: `cali_${profile}`, quantity: 1, unit_price: 10 },
    variant: { product: { shipping_profile: { id: profile } } },
    ...more,
  });
  const deliveriesOf = (items: Item[], shipping_methods: ShippingMethod[]) =>
    cartOf(cart('us', { items, shipping_methods })).lines.map(({ fulfillment, shipFrom }) => [
      fulfillment,
      shipFrom?.city ?? null,
    ]);

  it('is picked up if the shipping method of its profile belongs to a pickup location', () => {
    const items = [itemOf('sp_1'), itemOf('sp_2')];
    expect(deliveriesOf(items, [pickupMethod, shipMethod])).toEqual([
      [null, null],
      ['pickup', 'Detroit'],
    ]);
    expect(deliveriesOf(items, [pickupMethod])).toEqual([
      ['pickup', 'Detroit'],
      ['pickup', 'Detroit'],
    ]);
  });

  it('belongs to the shipping method of its profile', () => {
    const items = [itemOf('sp_1'), itemOf('sp_2'), itemOf('sp_3')];
    const fee = { id: 'casm_0', amount: 4 };
    const { shipping } = cartOf(cart('us', { items, shipping_methods: [pickupMethod, shipMethod, fee] }));
    expect(shipping).toEqual([
      { id: 'casm_0', amount: '4.00', lineIds: [] },
      { id: 'casm_1', amount: '5.00', lineIds: ['cali_sp_1'] },
      { id: 'casm_2', amount: '0.00', lineIds: ['cali_sp_2'] },
    ]);
  });

  it('takes its settings from the metadata of its variant or product, never from metadata that shoppers can write', () => {
    const variant = { metadata: { levy_fulfillment: 'electronic' } };
    const product = { metadata: { levy_fulfillment: 'pickup' } };
    const metadata = { levy_fulfillment: 'none', levy_tax_code: 'NONTAXABLE' };
    expect(deliveriesOf([itemOf('sp_1', { variant, product })], [shipMethod])).toEqual([['electronic', null]]);
    expect(deliveriesOf([itemOf('sp_1', { product })], [shipMethod, pickupMethod])).toEqual([['pickup', 'Detroit']]);
    const own = { ...itemOf('sp_1'), metadata };
    expect(cartOf(cart('us', { items: [own] })).lines).toMatchObject([{ taxCode: null, fulfillment: null }]);
  });
});
