import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crossFieldProblems } from '../../shared/calculations/request-problems.ts';
import { ask, buildRequest, refusal } from '../support/builders.ts';
import { shippingCharges } from '../support/sales.ts';

describe('document discounts', () => {
  const honolulu = { city: 'Honolulu', state: 'HI', postal_code: '96813', country: 'US' };
  const coupon = { unit_price: '10.00', third_party_discount_amount: '9.00' };
  const shared = { discount_applies_to: 'line_items_and_shipping' as const, shipping: [{ amount: '9.00' }] };

  // Hawaii taxes the price before a manufacturer's coupon. Each row has the seller's discount, the coupon and the net.
  const [off, couponOff] = [{ discount_amount: '4.00' }, { third_party_discount_amount: '5.50' }];
  const all = { ...shared, ...couponOff, discount_amount: '10.00' };
  it.each([
    ['is allocated by net', { discount_amount: '1.00' }, ['0.50 9.00 9.50', '0.50 0.00 9.50']],
    ['never exceeds what the buyer pays for a line', off, ['1.00 9.00 9.00', '3.00 0.00 7.00']],
    ['is allocated by what the buyer pays if it is a coupon', couponOff, ['0.00 9.50 10.00', '0.00 5.00 10.00']],
    ["leaves the coupon's part if shipping shares it", all, ['1.00 9.00 9.00', '4.50 5.50 5.50', '4.50  4.50']],
  ])('%s', (_, request, rows) => {
    const response = ask({ to: honolulu, line_items: [coupon, { unit_price: '10.00' }], ...request });
    const lines = response.line_items.map((line) => [
      line.applied_discount_amount,
      line.applied_third_party_discount_amount,
      line.net_amount,
    ]);
    const charges = shippingCharges(response.shipping).map((one) => [one.applied_discount_amount, '', one.net_amount]);
    expect([...lines, ...charges].map((figures) => figures.join(' '))).toEqual(rows);
  });
});

describe('reductions', () => {
  /** Line items with a negative price: what they reduce, and how they are taxed. */

  type Lines = NonNullable<Parameters<typeof ask>[0]['line_items']>;

  const newark = { city: 'Newark', state: 'NJ', postal_code: '07102', country: 'US' };
  const shirt = { id: 'shirt', product_tax_code: 'CLOTHING.APPAREL', unit_price: '60.00' };
  const lamp = { id: 'lamp', product_tax_code: 'GENERAL', unit_price: '40.00' };

  /** New Jersey taxes the lamp at 6.625% but not the shirt. */
  const order = (line_items: Lines, others: object = {}) => ask({ to: newark, line_items, ...others });
  const taxes = (line_items: Lines, others: object = {}) => {
    const { subtotal_amount, applied_discount_amount, tax_amount, total_amount } = order(line_items, others);
    return [subtotal_amount, applied_discount_amount, tax_amount, total_amount].join(' ');
  };

  describe('negative prices', () => {
    // 4.00 of 10.00 is the lamp's share among all goods: 36.00 at 6.625% is 2.385.
    it.each([
      ['the referenced line', { unit_price: '-10.00', parent_line_item_id: 'lamp' }, '90.00 0.00 1.99 91.99'],
      ['a referenced exempt line', { unit_price: '-10.00', parent_line_item_id: 'shirt' }, '90.00 0.00 2.65 92.65'],
      ['the lines with its code', { unit_price: '-10.00', product_tax_code: 'GENERAL' }, '90.00 0.00 1.99 91.99'],
      ['all goods, in proportion', { unit_price: '-10.00', product_tax_code: null }, '90.00 0.00 2.39 92.39'],
      ['a line times its quantity', { unit_price: '-2.50', quantity: '4' }, '90.00 0.00 1.99 91.99'],
      ['a line to zero', { unit_price: '-40.00', parent_line_item_id: 'lamp' }, '60.00 0.00 0.00 60.00'],
    ] as const)('%s', (_, reduction, figures) => expect(taxes([shirt, lamp, reduction])).toBe(figures));

    it('reduces shipping, by a shipping code or by the shipping id', () => {
      const shipping = { id: 'post', amount: '10.00' };
      const plain = taxes([lamp], { shipping: { ...shipping, amount: '6.00' } });
      expect(plain).toBe('40.00 0.00 3.05 49.05');
      for (const named of [{ product_tax_code: 'SHIPPING.DELIVERY' }, { parent_line_item_id: 'post' }]) {
        const response = order([lamp, { ...named, unit_price: '-4.00' }], { shipping });
        expect(response).toMatchObject({ subtotal_amount: '36.00', tax_amount: '3.05', total_amount: '49.05' });
        const reduced = { applied_discount_amount: '4.00', net_amount: '6.00' };
        expect(shippingCharges(response.shipping)[0]).toMatchObject(reduced);
      }
    });

    it('applies a negative line as a discount on the goods, without tax on the line and without warnings', () => {
      const off = { id: 'off', unit_price: '-10.00', product_tax_code: null };
      const { line_items, warnings } = order([shirt, lamp, off]);
      const figures = line_items.map((line) => [line.amount, line.applied_discount_amount, line.net_amount].join(' '));
      expect(figures).toEqual(['60.00 6.00 54.00', '40.00 4.00 36.00', '-10.00 -10.00 0.00']);
      expect(line_items[2]).toMatchObject({ unit_price: '-10.00', taxable_amount: '0.00', tax_amount: '0.00' });
      expect(warnings).toEqual([]);
    });

    it('reduces goods, with an explanation', () => {
      const { explanation } = order([lamp, { unit_price: '-10.00', product_tax_code: null }], { explain: true });
      const text = 'The negative price is a discount of 10.00 on other charges. The line itself has no tax.';
      const found = explanation?.filter(({ pointer }) => pointer === '/line_items/1');
      expect(found?.map((step) => step.text)).toEqual([text]);
    });
  });

  it('reduces goods by as much as the same discounts on the lines, for any document', () => {
    const cents = (value: number) => (value / 100).toFixed(2);
    const line = fc.record({
      price: fc.integer({ min: 1, max: 20_000 }),
      part: fc.integer({ min: 0, max: 100 }),
      isShirt: fc.boolean(),
    });
    type Sold = { readonly price: number; readonly part: number; readonly isShirt: boolean };
    const check = (lines: readonly Sold[], percent: number, tax_included: boolean) => {
      const sold = lines.map(({ price, part, isShirt }, index) => ({
        off: Math.floor((price * part) / 100),
        goods: { ...(isShirt ? shirt : lamp), id: `l${index}`, unit_price: cents(price) },
      }));
      const left = lines.reduce((sum, { price }, index) => sum + price - (sold[index]?.off ?? 0), 0);
      const discount_amount = cents(Math.floor((left * percent) / 100));
      const others = { tax_included, shipping: { amount: '7.77' }, discount_amount };
      const reductions = sold.map(({ off, goods: { id } }) => ({
        unit_price: `-${cents(off)}`,
        parent_line_item_id: id,
      }));
      const reduced = order([...sold.map(({ goods }) => goods), ...reductions], others);
      const withDiscounts = sold.map(({ off, goods }) => ({ ...goods, discount_amount: cents(off) }));
      const discounted = order(withDiscounts, others);
      for (const name of ['tax_amount', 'total_amount', 'tax_summary'] as const)
        expect(reduced[name]).toEqual(discounted[name]);
    };
    const lines = fc.array(line, { minLength: 1, maxLength: 4 });
    fc.assert(fc.property(lines, fc.integer({ min: 0, max: 50 }), fc.boolean(), check), { numRuns: 200 });
  });

  describe('rejected negative prices', () => {
    const named = (parent_line_item_id: string, others: object = {}) =>
      ({ unit_price: '-1', parent_line_item_id, ...others }) as const;
    const tooMuch = /reduces charges of 40\.00, after their discounts, by 40\.01/;
    const repair = { unit_price: '-1', product_tax_code: 'SERVICES.REPAIR' };
    it.each([
      ["more than the line's price", named('lamp', { unit_price: '-40.01' }), 'unit_price', tooMuch],
      ['a line that does not exist', named('chair'), 'parent_line_item_id', /has the id "chair"/],
      ['itself', named('off', { id: 'off' }), 'parent_line_item_id', /has the id "off"/],
      ['a code that no line has', repair, 'unit_price', /returned deposit/],
      ['a discount', { unit_price: '-1', discount_amount: '0.50' }, 'discount_amount', /is already a discount/],
    ] as const)('%s', (_, reduction, field, detail) => {
      const pointer = `/line_items/2/${field}`;
      const request = { to: newark, line_items: [shirt, lamp, reduction] };
      for (const [problem] of [refusal(request), crossFieldProblems(buildRequest(request))]) {
        expect(problem?.source).toEqual({ pointer });
        expect(problem?.detail).toMatch(detail);
      }
    });

    it('rejects a negative price if the document discount exceeds the reduced goods', () => {
      const shipping = { id: 'post', amount: '10.00' };
      const listProblems = (parent_line_item_id: string, discount_amount: string) => {
        const line_items = [lamp, { unit_price: '-5.00', product_tax_code: null, parent_line_item_id }];
        const request = buildRequest({ to: newark, line_items, shipping, discount_amount });
        return crossFieldProblems(request).map(({ detail }) => detail);
      };
      expect(listProblems('post', '40.00')).toEqual([]);
      expect(listProblems('post', '40.01')).toEqual([expect.stringContaining('the 40.00 of the goods')]);
      expect(listProblems('lamp', '35.00')).toEqual([]);
      expect(listProblems('lamp', '35.01')).toEqual([expect.stringContaining('the 35.00 of the goods')]);
    });

    it('does not compare a document discount with goods if the price of a line is invalid', () => {
      const request = buildRequest({ to: newark, line_items: [lamp], discount_amount: '500.00' });
      expect(crossFieldProblems(request)).toHaveLength(1);
      expect(crossFieldProblems({ ...request, line_items: [lamp, { unit_price: '$1' }] })).toEqual([]);
    });
  });

  it('taxes a negative price at the address of the reduced line, not at its own', () => {
    const omaha = { city: 'Omaha', state: 'NE', postal_code: '68102', country: 'US' };
    // This ZIP has rates that are not established.
    const elsewhere = { customer: { address: { state: 'MO', postal_code: '63141' } } };
    const reduction = { ...elsewhere, unit_price: '-5.00', product_tax_code: 'GENERAL' };
    const line_items = [shirt, { ...lamp, customer: { address: omaha } }, reduction];
    const request = { to: newark, line_items, tax_date: '2026-11-20' };
    const taxed = ask(request, { settings: { incomplete_coverage: 'reject' } });
    const states = taxed.line_items[2]?.taxes.map((row) => row.jurisdiction_code.slice(0, 5));
    expect(new Set(states)).toEqual(new Set(['US-NE']));
  });
});
