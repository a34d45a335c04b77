import { expect, it } from 'vitest';
import { wrongGrosses, wrongOrders } from '../support/order-checks.ts';

it('100,000 random orders with every effect have consistent lines, jurisdictions and totals', () => {
  expect(wrongOrders(200, 500)).toEqual([]);
});

it('5,000 random orders with included tax are consistent, and their nets give the gross where one can', () => {
  const { wrong, grosses } = wrongGrosses(50, 100);
  expect(wrong).toEqual([]);
  // Rounding skips some grosses, and a cliff many; no net gives less than its gross.
  expect(grosses.less).toBe(0);
  expect(grosses.same).toBeGreaterThan(2 * grosses.more);
});
