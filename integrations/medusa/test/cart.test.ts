import { expect, it } from 'vitest';
import { amountOf } from '../amounts.ts';
import { cartOf, type Document } from '../cart.ts';
import { taxContextOf } from '../tax.ts';

const cart = (country_code: string, more: Partial<Document> = {}): Document => ({
  ...{ id: 'cart_1', currency_code: 'eur', shipping_address: { country_code, postal_code: '10115' } },
  items: [{ id: 'cali_1', quantity: 1, unit_price: 10, is_tax_inclusive: true }],
  ...more,
});

it('prices with tax are for the shop to tax abroad, and refused in the United States', async () => {
  const logger = { warn: expect.fail, error: expect.fail };
  expect(await taxContextOf(cart('de'), logger)).toEqual({ kind: 'foreign' });
  expect(() => cartOf(cart('us'))).toThrow('tax-inclusive');
  const shipping_methods = [{ id: 'casm_1', amount: 5, is_tax_inclusive: true }];
  expect(() => cartOf(cart('us', { items: [], shipping_methods }))).toThrow('tax-inclusive');
});

it('a shipping charge that two discounts take away is nothing', () => {
  const adjustments = [{ amount: 0.1 }, { amount: 0.2 }];
  const { shipping } = cartOf(cart('de', { shipping_methods: [{ id: 'casm_1', amount: 0.3, adjustments }] }));
  expect([shipping?.amount, amountOf(-0.6, 'USD')]).toEqual(['0.00', '-0.60']);
});

it('an order of units and a half is taxed as such', () => {
  const items = [{ id: 'cali_1', quantity: 1.5, unit_price: 10 }];
  expect(cartOf(cart('us', { items })).lines).toMatchObject([{ quantity: 1.5, unitPrice: '10.00', discount: '0.00' }]);
});
