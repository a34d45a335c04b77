import { expect, it } from 'vitest';
import { wrongGrosses, wrongOrders } from '../support/order-checks.ts';

const isLong = process.env['MODE'] === 'long';

it('random orders with every effect have consistent lines, jurisdictions and totals', () => {
  expect(isLong ? wrongOrders(60, 500) : wrongOrders(10, 250)).toEqual([]);
});

it('random orders with included tax are consistent, and their nets give the gross where one can', () => {
  const { wrong, grosses } = isLong ? wrongGrosses(20, 100) : wrongGrosses(10, 50);
  expect(wrong).toEqual([]);
  // Rounding skips some grosses, and a cliff many; no net gives less than its gross.
  expect(grosses.less).toBe(0);
  expect(grosses.same).toBeGreaterThan(2 * grosses.more);
});
