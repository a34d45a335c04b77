import { describe, expect, it } from 'vitest';
import { ask, releaseOf, rule } from '../support/builders.ts';

const state = { code: 'US-MI', type: 'state', rate: '0.06' } as const;
const clothing = 'CLOTHING.APPAREL';
const fee = 'DIGITAL.EBOOKS';
const release = releaseOf({
  of: [state],
  rules: [rule('a-fee', [fee], { type: 'flat_fee', amount: '0.50', order_minimum: null })],
});
const line = (product_tax_code: string, unit_price: string) => ({ product_tax_code, quantity: '1', unit_price });
const sharesText = (line_items: readonly object[], amount: string) =>
  (
    ask(
      { to: { state: 'MI', postal_code: '48933' }, explain: true, line_items, shipping: { amount } } as Parameters<
        typeof ask
      >[0],
      { releaseFor: () => release },
    ).explanation ?? []
  )
    .filter(({ step, pointer }) => step === 'base' && pointer === '/shipping')
    .map(({ text }) => text);

describe('shipping is explained as it was shared', () => {
  it('over the goods by net amount, and none of it over a fee', () => {
    const lines = [line(clothing, '30.00'), line(fee, '100.00'), line(clothing, '60.00')];
    expect(sharesText(lines, '9.00')).toEqual([
      'Shipping of 9.00 goes to 3 lines by net amount: line_1 3.00, line_2 0.00 and line_3 6.00.',
    ]);
  });

  it('over fees where there is nothing else', () => {
    expect(sharesText([line(fee, '10.00'), line(fee, '20.00')], '9.00')).toEqual([
      'Shipping of 9.00 goes to 2 lines by net amount: line_1 3.00 and line_2 6.00.',
    ]);
  });
});
