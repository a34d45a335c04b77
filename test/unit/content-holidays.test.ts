/** Sales-tax holidays of 2026 (content notes 4.8): first and last days and limits, typed by hand. */
import { describe, expect, it } from 'vitest';
import { ask, warningCodes } from '../support/builders.ts';

const day = (date: string, days: number) =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
const taxOn = (state: string, tax_date: string, unit_price: string, code = 'CLOTHING.APPAREL', others = {}) =>
  ask({ to: { state }, tax_date, line_items: [{ product_tax_code: code, unit_price }], ...others });
const isFree = (outcome: ReturnType<typeof ask>) =>
  outcome.tax_amount === '0.00' && outcome.line_items[0]?.taxes[0]?.taxability_reason === 'product_exempt_holiday';

describe('clothing', () => {
  it.each([
    { state: 'AL', first: '2026-07-17', last: '2026-07-19', dearestFree: '156.00' },
    { state: 'AR', first: '2026-08-01', last: '2026-08-02', dearestFree: '99.99' },
    { state: 'CT', first: '2026-08-16', last: '2026-08-22', dearestFree: '99.99' },
    { state: 'FL', first: '2026-08-01', last: '2026-08-31', dearestFree: '100.00' },
    { state: 'IA', first: '2026-08-07', last: '2026-08-08', dearestFree: '99.99' },
    { state: 'MD', first: '2026-08-09', last: '2026-08-15', dearestFree: '100.00' },
    { state: 'MO', first: '2026-08-07', last: '2026-08-09', dearestFree: '100.00' },
    { state: 'MS', first: '2026-07-10', last: '2026-07-12', dearestFree: '99.99' },
    { state: 'NM', first: '2026-07-31', last: '2026-08-02', dearestFree: '99.99' },
    { state: 'OH', first: '2026-08-07', last: '2026-08-09', dearestFree: '75.00' },
    { state: 'OK', first: '2026-08-07', last: '2026-08-09', dearestFree: '99.99' },
    { state: 'TN', first: '2026-07-31', last: '2026-08-02', dearestFree: '100.00' },
    { state: 'TX', first: '2026-08-07', last: '2026-08-09', dearestFree: '99.99' },
    { state: 'VA', first: '2026-08-07', last: '2026-08-09', dearestFree: '100.00' },
    { state: 'WV', first: '2026-07-31', last: '2026-08-03', dearestFree: '125.00' },
  ])('$state is free from $first to $last, at $dearestFree and below', ({ state, first, last, dearestFree }) => {
    const dearer = (Number(dearestFree) + 0.01).toFixed(2);
    for (const date of [first, last]) {
      const free = taxOn(state, date, dearestFree);
      expect(isFree(free)).toBe(true);
      expect(warningCodes(free)).toContain('content_unconfirmed');
      const taxed = taxOn(state, date, dearer);
      expect(taxed.tax_amount).toBe(taxOn(state, '2026-06-01', dearer).tax_amount);
      expect(Number(taxed.tax_amount)).toBeGreaterThan(0);
    }
    for (const date of [day(first, -1), day(last, 1)]) expect(isFree(taxOn(state, date, dearestFree))).toBe(false);
  });
});

describe('other goods', () => {
  it.each([
    ['AL', '2026-07-18', 'PRINT.BOOKS', '47.00', '47.01'],
    ['AL', '2026-07-18', 'SCHOOL.SCHOOL_SUPPLIES', '78.00', '78.01'],
    ['AL', '2026-07-18', 'ELECTRONICS.COMPUTERS', '1173.00', '1173.01'],
    ['AR', '2026-08-01', 'CLOTHING.CLOTHING_ACCESSORIES', '49.99', '50.00'],
    ['TN', '2026-08-01', 'ELECTRONICS.COMPUTERS', '1500.00', '1500.01'],
  ])('%s on %s, %s: free at %s, taxed at %s', (state, date, code, free, taxed) => {
    expect(isFree(taxOn(state, date, free, code))).toBe(true);
    expect(Number(taxOn(state, date, taxed, code).tax_amount)).toBeGreaterThan(0);
  });

  it('the limit is one of units: two at 99.99 are free, in Connecticut', () => {
    const line_items = [{ product_tax_code: 'CLOTHING.FOOTWEAR', unit_price: '99.99', quantity: '2' }];
    expect(isFree(ask({ to: { state: 'CT' }, tax_date: '2026-08-18', line_items }))).toBe(true);
  });

  it('athletic clothing is not free in Connecticut', () =>
    expect(taxOn('CT', '2026-08-18', '50.00', 'CLOTHING.APPAREL._ATHLETIC').tax_amount).toBe('3.18'));

  it('delivery counts in the price in Texas: 95 and 10 of delivery are above 100', () => {
    expect(isFree(taxOn('TX', '2026-08-07', '95.00'))).toBe(true);
    const delivered = taxOn('TX', '2026-08-07', '95.00', 'CLOTHING.APPAREL', { shipping: { amount: '10.00' } });
    expect(delivered.line_items[0]?.tax_amount).toBe('5.94');
    expect(delivered.tax_amount).toBe('6.57');
  });
});

describe('what is not established is said', () => {
  it.each([
    ['MA', '2026-08-01', 'GENERAL'],
    ['MA', '2026-08-31', 'HOME.FURNITURE'],
    ['MA', '2026-08-15', 'CLOTHING.APPAREL'],
    ['SC', '2026-08-15', 'CLOTHING.APPAREL'],
    ['SC', '2026-08-15', 'ELECTRONICS.COMPUTERS'],
    ['FL', '2026-07-25', 'CLOTHING.APPAREL'],
    ['VA', '2026-08-08', 'SCHOOL.SCHOOL_SUPPLIES'],
    ['OH', '2026-08-08', 'ELECTRONICS.COMPUTERS'],
    ['AL', '2026-02-20', 'HOME.DISASTER_PREPAREDNESS'],
    ['TX', '2026-05-25', 'HOME.APPLIANCES._ENERGY_STAR'],
  ])('%s on %s, %s', (state, date, code) => {
    const { warnings, tax_amount } = taxOn(state, date, '300.00', code);
    expect(Number(tax_amount)).toBeGreaterThan(0);
    expect(warnings).toContainEqual(
      expect.objectContaining({ code: 'content_unconfirmed', message: expect.stringContaining('establish') }),
    );
  });

  it.each([
    ['MA', '2026-07-31'],
    ['MA', '2026-09-01'],
  ])('and not on other days: %s on %s', (state, date) =>
    expect(warningCodes(taxOn(state, date, '300.00', 'HOME.FURNITURE'))).not.toContain('content_unconfirmed'),
  );
});
