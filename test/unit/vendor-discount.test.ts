import { expect, it } from 'vitest';
import type { FilingSummary } from '../../shared/filings/filing.ts';
import { discountOf, findFilingTerms } from '../../shared/filings/filing-calendar.ts';
import { estimateDiscount } from '../../shared/filings/vendor-discount.ts';

const summaryOf = (tax: string, currency = 'USD') =>
  ({ currency, calculated_tax_amount: tax, over_collected_amount: '0.00' }) as FilingSummary;

const closed = { status: 'closed', period_start: '2026-10-01', isLate: false } as const;

const estimate = (state: string, summary: readonly FilingSummary[], changes: object = {}) => {
  const { vendor_discount } = findFilingTerms(state, 'month', '2026-10-31');
  return estimateDiscount(discountOf(state), { ...closed, vendor_discount, summary, ...changes });
};

// Calculated by hand from the law.
it.each([
  // KRS 139.570: 1.75 % of the first $1,000, 1.5 % of the rest, at most $50.
  ['US-KY', '1000.00', '17.50'],
  ['US-KY', '2000.00', '32.50'],
  ['US-KY', '3166.67', '50.00'],
  ['US-KY', '90000.00', '50.00'],
  // The Comptroller: up to $6,000 times 0.012, above times 0.009 plus $18, at most $500.
  ['US-MD', '6000.00', '72.00'],
  ['US-MD', '10000.00', '108.00'],
  ['US-MD', '60000.00', '500.00'],
  // O.C.G.A. 48-8-50: 3 % of the first $3,000, 0.5 % of the rest.
  ['US-GA', '3000.00', '90.00'],
  ['US-GA', '5000.00', '100.00'],
  // RSMo 144.140: 2 %.
  ['US-MO', '1234.56', '24.69'],
  ['US-MO', '1000000.00', '20000.00'],
  // 0.25 %.
  ['US-NV', '1234.56', '3.09'],
  // Wisconsin Tax Bulletin 222: the tax up to $10; $10 up to $1,333; then 0.75 %, at most $8,000.
  ['US-WI', '5.00', '5.00'],
  ['US-WI', '1333.00', '10.00'],
  ['US-WI', '2000.00', '15.00'],
  ['US-WI', '2000000.00', '8000.00'],
  ['US-WI', '0.00', '0.00'],
  ['US-WI', '-20.00', '0.00'],
])('estimates the discount of %s on a tax due of %s as %s', (state, tax, expected) => {
  expect(estimate(state, [summaryOf(tax)])).toEqual({ vendor_discount_amount: expected, vendor_discount_reason: null });
});

it('includes over-collected tax, and estimates nothing without sales', () => {
  expect(estimate('US-MO', [{ ...summaryOf('100.00'), over_collected_amount: '50.00' }])).toMatchObject({
    vendor_discount_amount: '3.00',
  });
  expect(estimate('US-MO', [])).toMatchObject({ vendor_discount_amount: '0.00' });
});

it.each([
  ['US-CA', {}, 'no discount'],
  ['US-MI', {}, 'more than the tax due'],
  ['US-ND', {}, 'more than the tax due'],
  ['US-NE', {}, 'not established'],
  ['US-OR', {}, 'not established'],
  ['US-KY', { status: 'closing' }, 'closing'],
  ['US-KY', { status: 'canceled' }, 'canceled'],
  ['US-KY', { isLate: true }, 'by the due date'],
  ['US-KY', { summary: [summaryOf('1.00'), summaryOf('1.00', 'EUR')] }, 'other currencies'],
  ['US-WI', { period_start: '2023-09-01' }, 'before 2023-10-01'],
] as const)('returns the reason without an estimate for %s %j', (state, changes, reason) => {
  expect(estimate(state, [summaryOf('100.00')], changes)).toEqual({
    vendor_discount_amount: null,
    vendor_discount_reason: expect.stringContaining(reason),
  });
});
