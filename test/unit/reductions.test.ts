/** Line items with a negative price: what they reduce, and that they are taxed as what they reduce. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crossFieldProblems } from '../../shared/calculations/request-problems.ts';
import { ask, refusal, requestOf } from '../support/builders.ts';
import { shippingCharges } from '../support/shipping.ts';

type Lines = NonNullable<Parameters<typeof ask>[0]['line_items']>;

const newark = { city: 'Newark', state: 'NJ', postal_code: '07102', country: 'US' };
const shirt = { id: 'shirt', product_tax_code: 'CLOTHING.APPAREL', unit_price: '60.00' };
const lamp = { id: 'lamp', product_tax_code: 'GENERAL', unit_price: '40.00' };

/** New Jersey taxes the lamp at 6.625 % and not the shirt. */
const order = (line_items: Lines, others: object = {}) => ask({ to: newark, line_items, ...others });
const taxes = (line_items: Lines, others: object = {}) => {
  const { subtotal_amount, applied_discount_amount, tax_amount, total_amount } = order(line_items, others);
  return [subtotal_amount, applied_discount_amount, tax_amount, total_amount].join(' ');
};

describe('a negative price reduces', () => {
  it.each([
    ['the line that it names', { unit_price: '-10.00', parent_line_item_id: 'lamp' }, '90.00 0.00 1.99 91.99'],
    [
      'the line that it names, which is exempt',
      { unit_price: '-10.00', parent_line_item_id: 'shirt' },
      '90.00 0.00 2.65 92.65',
    ],
    ['the lines with its code', { unit_price: '-10.00', product_tax_code: 'GENERAL' }, '90.00 0.00 1.99 91.99'],
    // 4.00 of 10.00 is the share of the lamp: 36.00 at 6.625 % is 2.385.
    ['all goods, in proportion', { unit_price: '-10.00', product_tax_code: null }, '90.00 0.00 2.39 92.39'],
    [
      'as often as its quantity',
      { unit_price: '-2.50', quantity: '4', product_tax_code: 'GENERAL' },
      '90.00 0.00 1.99 91.99',
    ],
    ['all of a line', { unit_price: '-40.00', parent_line_item_id: 'lamp' }, '60.00 0.00 0.00 60.00'],
  ] as const)('%s', (_, reduction, figures) => expect(taxes([shirt, lamp, reduction])).toBe(figures));

  it('shipping, with a code of shipping or by its id', () => {
    const shipping = { id: 'post', amount: '10.00' };
    const plain = taxes([lamp], { shipping: { ...shipping, amount: '6.00' } });
    expect(plain).toBe('40.00 0.00 3.05 49.05');
    for (const named of [{ product_tax_code: 'SHIPPING.DELIVERY' }, { parent_line_item_id: 'post' }]) {
      const answer = order([lamp, { ...named, unit_price: '-4.00' }], { shipping });
      expect(answer).toMatchObject({ subtotal_amount: '36.00', tax_amount: '3.05', total_amount: '49.05' });
      expect(shippingCharges(answer.shipping)[0]).toMatchObject({
        applied_discount_amount: '4.00',
        net_amount: '6.00',
      });
    }
  });

  it('and is itself a line without tax, whose amounts add up, and without warnings', () => {
    const { line_items, warnings } = order([shirt, lamp, { id: 'off', unit_price: '-10.00', product_tax_code: null }]);
    expect(line_items.map((line) => [line.amount, line.applied_discount_amount, line.net_amount].join(' '))).toEqual([
      '60.00 6.00 54.00',
      '40.00 4.00 36.00',
      '-10.00 -10.00 0.00',
    ]);
    expect(line_items[2]).toMatchObject({ unit_price: '-10.00', taxable_amount: '0.00', tax_amount: '0.00' });
    expect(warnings).toEqual([]);
  });

  it('is explained', () => {
    const { explanation } = order([lamp, { unit_price: '-10.00', product_tax_code: null }], { explain: true });
    expect(explanation?.filter(({ pointer }) => pointer === '/line_items/1').map(({ text }) => text)).toEqual([
      'The negative price takes 10.00 off other charges, as a discount on them. The line itself has no tax.',
    ]);
  });
});

it('gives the tax of the same discounts sent on the lines, whatever else is in the document', () => {
  const amount = fc.integer({ min: 1, max: 20_000 });
  const cents = (value: number) => (value / 100).toFixed(2);
  fc.assert(
    fc.property(
      fc.array(fc.record({ price: amount, part: fc.integer({ min: 0, max: 100 }), isShirt: fc.boolean() }), {
        minLength: 1,
        maxLength: 4,
      }),
      fc.integer({ min: 0, max: 50 }),
      fc.boolean(),
      (lines, percent, tax_included) => {
        const goods = lines.map(({ price, isShirt }, index) => ({
          ...(isShirt ? shirt : lamp),
          id: `l${index}`,
          unit_price: cents(price),
        }));
        const off = lines.map(({ price, part }) => Math.floor((price * part) / 100));
        const left = lines.reduce((sum, { price }, index) => sum + price - (off[index] ?? 0), 0);
        const others = {
          tax_included,
          shipping: { amount: '7.77' },
          discount_amount: cents(Math.floor((left * percent) / 100)),
        };
        const reductions = off.map((price, index) => ({
          unit_price: `-${cents(price)}`,
          parent_line_item_id: `l${index}`,
        }));
        const discounted = goods.map((line, index) => ({ ...line, discount_amount: cents(off[index] ?? 0) }));
        const [one, other] = [order([...goods, ...reductions], others), order(discounted, others)];
        expect([one.tax_amount, one.total_amount]).toEqual([other.tax_amount, other.total_amount]);
        expect(one.tax_summary).toEqual(other.tax_summary);
      },
    ),
    { numRuns: 200 },
  );
});

describe('a negative price is refused', () => {
  it.each([
    [
      'more than there is',
      { unit_price: '-40.01', parent_line_item_id: 'lamp' },
      '/line_items/2/unit_price',
      /takes 40\.01 off charges of 40\.00/,
    ],
    [
      'a line that does not exist',
      { unit_price: '-1', parent_line_item_id: 'chair' },
      '/line_items/2/parent_line_item_id',
      /has the id "chair"/,
    ],
    [
      'itself',
      { id: 'off', unit_price: '-1', parent_line_item_id: 'off' },
      '/line_items/2/parent_line_item_id',
      /has the id "off"/,
    ],
    [
      'a code that nothing has',
      { unit_price: '-1', product_tax_code: 'FEES.CONTAINER_DEPOSIT' },
      '/line_items/2/unit_price',
      /returned deposit/,
    ],
    [
      'with a discount of its own',
      { unit_price: '-1', discount_amount: '0.50' },
      '/line_items/2/discount_amount',
      /is a discount itself/,
    ],
  ] as const)('%s', (_, reduction, pointer, detail) => {
    const request = { to: newark, line_items: [shirt, lamp, reduction] };
    for (const [problem] of [refusal(request), crossFieldProblems(requestOf(request))]) {
      expect(problem?.source).toEqual({ pointer });
      expect(problem?.detail).toMatch(detail);
    }
  });

  it('and limits a discount of the document only where it reduces goods', () => {
    const shipping = { id: 'post', amount: '10.00' };
    const of = (parent_line_item_id: string, discount_amount: string) =>
      crossFieldProblems(
        requestOf({
          to: newark,
          line_items: [lamp, { unit_price: '-5.00', product_tax_code: null, parent_line_item_id }],
          shipping,
          discount_amount,
        }),
      ).map(({ detail }) => detail);
    expect(of('post', '40.00')).toEqual([]);
    expect(of('post', '40.01')).toEqual([expect.stringContaining('the 40.00 of the goods')]);
    expect(of('lamp', '35.00')).toEqual([]);
    expect(of('lamp', '35.01')).toEqual([expect.stringContaining('the 35.00 of the goods')]);
  });
});

it('a negative price is taxed where what it reduces is, whatever its own address', () => {
  const omaha = { city: 'Omaha', state: 'NE', postal_code: '68102', country: 'US' };
  // Not every rate of this ZIP is established.
  const elsewhere = { customer: { address: { state: 'MO', postal_code: '63141' } } };
  const line_items = [
    shirt,
    { ...lamp, customer: { address: omaha } },
    { ...elsewhere, unit_price: '-5.00', product_tax_code: 'GENERAL' },
  ];
  const taxed = ask(
    { to: newark, line_items, tax_date: '2026-11-20' },
    { settings: { incomplete_coverage: 'reject' } },
  );
  const statesOf = (index: number) => taxed.line_items[index]?.taxes.map((row) => row.jurisdiction_code.slice(0, 5));
  expect(new Set(statesOf(2))).toEqual(new Set(['US-NE']));
});
