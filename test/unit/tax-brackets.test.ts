import { describe, expect, it } from 'vitest';
import { ask } from '../support/builders.ts';
import { onlyShipping } from '../support/shipping.ts';

const harrisburg = { state: 'PA', postal_code: '17101' };
const pittsburgh = { state: 'PA', postal_code: '15222' };
const philadelphia = { state: 'PA', postal_code: '19103' };
const baltimore = { state: 'MD', postal_code: '21201' };

const written = (amount: number) => (amount / 100).toFixed(2);
const everyCentTo = (highest: number) => Array.from({ length: highest + 1 }, (_, amount) => amount);

type Table = readonly (readonly [from: number, to: number, tax: number])[];
const lookUp = (table: Table, part: number) => {
  const found = table.find(([from, to]) => from <= part && part <= to);
  if (!found) throw new Error(`the table has no ${part}`);
  return found[2];
};

// 61 Pa. Code section 31.2, as printed: 10 cents or less, no tax; 11 to 17, 1 cent; and so on. More than a dollar: 6 % of
// each dollar plus the bracket of the cents above.
const pennsylvania: Table = [
  [0, 10, 0],
  [11, 17, 1],
  [18, 34, 2],
  [35, 50, 3],
  [51, 67, 4],
  [68, 84, 5],
  [85, 100, 6],
];
const pennsylvaniaTax = (amount: number) =>
  amount <= 100 ? lookUp(pennsylvania, amount) : Math.floor(amount / 100) * 6 + lookUp(pennsylvania, amount % 100);

// Md. Code, Tax-Gen. sections 11-104 and 11-301. Below a dollar, and the excess over exact dollars, have tables of their own.
const marylandBelowADollar: Table = [
  [0, 19, 0],
  [20, 20, 1],
  [21, 33, 2],
  [34, 50, 3],
  [51, 66, 4],
  [67, 83, 5],
  [84, 99, 6],
];
const marylandExcess: Table = [
  [0, 0, 0],
  [1, 16, 1],
  [17, 33, 2],
  [34, 50, 3],
  [51, 66, 4],
  [67, 83, 5],
  [84, 99, 6],
];
const marylandTax = (amount: number) =>
  amount < 100
    ? lookUp(marylandBelowADollar, amount)
    : Math.floor(amount / 100) * 6 + lookUp(marylandExcess, amount % 100);

describe('mandatory tables', () => {
  it.each([
    ['Pennsylvania', '61 Pa. Code 31.2', harrisburg, pennsylvaniaTax],
    ['Maryland', 'Tax-Gen. 11-104', baltimore, marylandTax],
  ])('%s: every cent from 0.00 to 3.00 as %s prints it', (_, __, to, taxOf) => {
    const taxes = everyCentTo(300).map(
      (amount) => ask({ to, line_items: [{ unit_price: written(amount) }] }).tax_amount,
    );
    expect(taxes).toEqual(everyCentTo(300).map((amount) => written(taxOf(amount))));
  });

  it('Allegheny County: a cent for each dollar, and one more from .51', () => {
    const amounts = everyCentTo(300);
    const taxes = amounts.map((amount) => {
      const { line_items } = ask({ to: pittsburgh, line_items: [{ unit_price: written(amount) }] });
      return line_items[0]?.taxes.find((row) => row.jurisdiction_code === 'US-PA-00-003')?.tax_amount;
    });
    expect(taxes).toEqual(amounts.map((amount) => written(Math.floor(amount / 100) + (amount % 100 >= 51 ? 1 : 0))));
  });

  it.each(['line', 'invoice'] as const)(
    'hold for the invoice as a whole, even where the account rounds by %s',
    (rounding) => {
      const line_items = [{ unit_price: '0.51' }, { unit_price: '0.51' }];
      const outcome = ask({ to: harrisburg, line_items }, { settings: { rounding } });
      expect(outcome.tax_amount).toBe('0.06');
      expect(outcome.line_items.map((line) => line.tax_amount)).toEqual(['0.03', '0.03']);
    },
  );

  it('take the shipping into the invoice: 0.51 + 0.51 of delivery are 1.02', () => {
    const outcome = ask({ to: harrisburg, line_items: [{ unit_price: '0.51' }], shipping: { amount: '0.51' } });
    expect([outcome.tax_amount, outcome.line_items[0]?.tax_amount, onlyShipping(outcome.shipping)?.tax_amount]).toEqual(
      ['0.06', '0.03', '0.03'],
    );
  });

  it('count only what is taxed: 0.51 of goods beside clothing at 50.00 are 0.51', () => {
    const line_items = [{ unit_price: '0.51' }, { unit_price: '50.00', product_tax_code: 'CLOTHING.APPAREL' }];
    const outcome = ask({ to: harrisburg, line_items });
    expect(outcome.line_items.map((line) => line.tax_amount)).toEqual(['0.04', '0.00']);
  });

  it('are one for each jurisdiction: 1.51 in Philadelphia is 10 cents of state tax and 3 of local tax', () => {
    const { line_items } = ask({ to: philadelphia, line_items: [{ unit_price: '1.51' }] });
    expect(line_items[0]?.taxes.map((row) => [row.jurisdiction_code, row.tax_amount])).toEqual([
      ['US-PA', '0.10'],
      ['US-PA-01-60000', '0.03'],
    ]);
  });

  it('are one for each invoice and state: lines of two states do not share a table', () => {
    const line_items = [
      { unit_price: '0.51', customer: { address: harrisburg } },
      { unit_price: '0.51', customer: { address: baltimore } },
      { unit_price: '0.51', customer: { address: harrisburg } },
    ];
    expect(ask({ line_items }).line_items.map((line) => line.tax_amount)).toEqual(['0.03', '0.04', '0.03']);
  });

  it('leave what another rate taxes to half-up rounding: business software in Maryland, 0.50 at 3 % is 1.5 cents', () => {
    const line_items = [
      {
        unit_price: '0.50',
        product_tax_code: 'SOFTWARE.SAAS',
        customer: { address: baltimore, use: 'business' as const },
      },
    ];
    expect(ask({ line_items }).tax_amount).toBe('0.02');
  });
});
