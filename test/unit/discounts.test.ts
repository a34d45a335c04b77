import { expect, it } from 'vitest';
import { ask } from '../support/builders.ts';

const honolulu = { city: 'Honolulu', state: 'HI', postal_code: '96813', country: 'US' };
const coupon = { unit_price: '10.00', third_party_discount_amount: '9.00' };

const applied = (request: object) => {
  const { line_items, shipping } = ask({ to: honolulu, line_items: [coupon, { unit_price: '10.00' }], ...request });
  return [...line_items, ...[shipping ?? []].flat()].map((charge) => [
    charge.applied_discount_amount,
    'applied_third_party_discount_amount' in charge ? charge.applied_third_party_discount_amount : '0.00',
    charge.net_amount,
  ]);
};

// Hawaii taxes the price before a manufacturer's coupon.
it('allocates the discount of a document by net, to no line more than its buyer pays', () => {
  expect(applied({ discount_amount: '1.00' })).toEqual([
    ['0.50', '9.00', '9.50'],
    ['0.50', '0.00', '9.50'],
  ]);
  expect(applied({ discount_amount: '4.00' })).toEqual([
    ['1.00', '9.00', '9.00'],
    ['3.00', '0.00', '7.00'],
  ]);
});

it('allocates the coupon of a document by what the buyer pays for each line', () => {
  expect(applied({ third_party_discount_amount: '5.50' })).toEqual([
    ['0.00', '9.50', '10.00'],
    ['0.00', '5.00', '10.00'],
  ]);
});

it('keeps what the coupon of the document takes of the goods out of a discount that shipping shares', () => {
  const shared = { discount_applies_to: 'line_items_and_shipping', shipping: [{ amount: '9.00' }] };
  expect(applied({ ...shared, discount_amount: '10.00', third_party_discount_amount: '5.50' })).toEqual([
    ['1.00', '9.00', '9.00'],
    ['4.50', '5.50', '5.50'],
    ['4.50', '0.00', '4.50'],
  ]);
});
