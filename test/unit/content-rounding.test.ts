/** How states round that do not leave it to the account, or drop half a cent. The figures are computed by hand. */
import { expect, it } from 'vitest';
import { ask } from '../support/builders.ts';

it.each([
  // Tex. Tax Code 151.053: 6.25 % of 0.48 is 0.03; by line, twice 0.015 would be 0.04.
  { state: 'TX', prices: ['0.24', '0.24'], tax: '0.03' },
  // S.C. Code 12-36-940(C): 0.6150 loses its half cent, 0.6156 does not.
  { state: 'SC', prices: ['10.25'], tax: '0.61' },
  { state: 'SC', prices: ['10.26'], tax: '0.62' },
  // IDAPA 35.01.02.068.05: six cents for each dollar, one cent from 0.04 on, two from 0.21 on; nothing up to 0.11.
  { state: 'ID', prices: ['0.11'], tax: '0.00' },
  { state: 'ID', prices: ['0.12'], tax: '0.01' },
  { state: 'ID', prices: ['10.03'], tax: '0.60' },
  { state: 'ID', prices: ['10.04'], tax: '0.61' },
  { state: 'ID', prices: ['10.02', '10.02'], tax: '1.21' },
  { state: 'ID', prices: ['10.21'], tax: '0.62' },
  { state: 'ID', prices: ['10.88'], tax: '0.66' },
])('$state: $prices owe $tax', ({ state, prices, tax }) => {
  const line_items = prices.map((unit_price) => ({ unit_price }));
  expect(ask({ to: { state }, line_items }).tax_amount).toBe(tax);
});
