/** Fees of the seller that are taxed as the goods of the order that they are for (SSUTA, Library of Definitions: sales price). */
import { describe, expect, it } from 'vitest';
import { ask, refusal, warningCodes } from '../support/builders.ts';

const newark = { city: 'Newark', state: 'NJ', postal_code: '07102', country: 'US' };
const oakland = { city: 'Oakland', state: 'CA', postal_code: '94612', country: 'US' };
const shirt = { id: 'shirt', product_tax_code: 'CLOTHING.APPAREL', unit_price: '60.00' };
const lamp = { id: 'lamp', product_tax_code: 'GENERAL', unit_price: '40.00' };
const wrap = { product_tax_code: 'FEES.GIFT_WRAP', unit_price: '5.00' };

/** The taxable part of the last line. New Jersey taxes the lamp and not the shirt. */
const taxable = (lines: Parameters<typeof ask>[0]['line_items'], others: object = {}, to = newark) =>
  ask({ to, ...(lines && { line_items: lines }), ...others }).line_items.at(-1)?.taxable_amount;

describe('a fee is taxed', () => {
  it.each([
    ['as the goods', [lamp, wrap], '5.00'],
    ['as exempt goods', [shirt, wrap], '0.00'],
    ['in proportion to the goods', [shirt, lamp, wrap], '2.00'],
    ['as the line that it names', [shirt, lamp, { ...wrap, parent_line_item_id: 'shirt' }], '0.00'],
    ['as goods that are picked up', [{ ...lamp, fulfillment: 'pickup', ship_from: { address: newark } }, wrap], '5.00'],
    ['as a payment surcharge', [lamp, { ...wrap, product_tax_code: 'FEES.CARD_SURCHARGE' }], '5.00'],
    ['as a fee for a small order', [shirt, { ...wrap, product_tax_code: 'FEES.ORDER_FEE' }], '0.00'],
  ] as const)('%s', (_, lines, part) => expect(taxable(lines)).toBe(part));

  it('without a warning where the states agreed on it, and with one elsewhere', () => {
    expect(ask({ to: newark, line_items: [lamp, wrap] }).warnings).toEqual([]);
    expect(warningCodes(ask({ to: oakland, line_items: [lamp, wrap] }))).toContain('content_unconfirmed');
  });

  it('with a warning where there are no goods', () =>
    expect(warningCodes(ask({ to: newark, line_items: [wrap] }))).toEqual(['taxability_not_established']));

  it('and takes no part of the shipping or of a discount of the document', () => {
    const answer = ask({
      to: newark,
      line_items: [lamp, wrap],
      discount_amount: '10.00',
      shipping: { amount: '9.00' },
    });
    expect(answer.line_items.map((line) => line.applied_discount_amount)).toEqual(['10.00', '0.00']);
    // 30.00, 5.00 and 9.00 at 6.625 %: 1.99, 0.33 and 0.60.
    expect(answer).toMatchObject({ tax_amount: '2.92', taxable_amount: '44.00' });
  });

  it('and is refused for a line that is not there', () =>
    expect(refusal({ to: newark, line_items: [lamp, { ...wrap, parent_line_item_id: 'mug' }] })[0]?.source).toEqual({
      pointer: '/line_items/1/parent_line_item_id',
    }));
});

it('California taxes the deposit on a bottle as its drink (CDTFA Annotation 195.0245)', () => {
  const deposit = { product_tax_code: 'FEES.CONTAINER_DEPOSIT', unit_price: '1.00' };
  const tea = { product_tax_code: 'BEVERAGES.COFFEE_TEA', unit_price: '10.00' };
  const cola = { product_tax_code: 'BEVERAGES.SOFT_DRINKS', unit_price: '10.00' };
  expect(taxable([lamp, tea, deposit], {}, oakland)).toBe('0.00');
  expect(taxable([lamp, cola, deposit], {}, oakland)).toBe('1.00');
});
