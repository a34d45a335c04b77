/** Sales-tax holidays of 2026 (content notes 4.8): first and last days and limits, typed by hand. */
import { describe, expect, it } from 'vitest';
import { ask, warningCodes } from '../support/builders.ts';

const day = (date: string, days: number) =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
const taxOn = (state: string, tax_date: string, unit_price: string, code = 'CLOTHING.APPAREL', others = {}) =>
  ask({ to: { state }, tax_date, line_items: [{ product_tax_code: code, unit_price }], ...others });
const isFree = (outcome: ReturnType<typeof ask>) =>
  outcome.tax_amount === '0.00' && outcome.line_items[0]?.taxes[0]?.taxability_reason === 'product_exempt_holiday';

/** States whose law was read: their exemptions need no warning. */
const confirmed = 'AL AR CT FL IA MD MO MS OK TN TX VA WV'.split(' ');

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
      expect(warningCodes(free).includes('content_unconfirmed')).toBe(!confirmed.includes(state));
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
    ['AL', '2026-07-19', 'SCHOOL.SCHOOL_ART_SUPPLIES', '78.00', '78.01'],
    ['AL', '2026-02-22', 'HOME.DISASTER_PREPAREDNESS', '94.00', '94.01'],
    ['AR', '2026-08-01', 'CLOTHING.CLOTHING_ACCESSORIES', '49.99', '50.00'],
    ['FL', '2026-08-31', 'SCHOOL.SCHOOL_SUPPLIES', '50.00', '50.01'],
    ['FL', '2026-08-01', 'ELECTRONICS.COMPUTERS', '1500.00', '1500.01'],
    ['FL', '2026-08-01', 'CLOTHING.CLOTHING_ACCESSORIES', '100.00', '100.01'],
    ['MA', '2026-08-08', 'GENERAL', '2500.00', '2500.01'],
    ['MA', '2026-08-09', 'CLOTHING.APPAREL._ATHLETIC', '2500.00', '2500.01'],
    ['MO', '2026-08-07', 'SCHOOL.SCHOOL_SUPPLIES', '50.00', '50.01'],
    ['MO', '2026-08-09', 'ELECTRONICS.COMPUTER_SUPPLIES', '1500.00', '1500.01'],
    ['MO', '2026-08-09', 'SOFTWARE.PREWRITTEN_SOFTWARE._TANGIBLE_MEDIA', '350.00', '350.01'],
    ['MS', '2026-07-12', 'SCHOOL.SCHOOL_INSTRUCTIONAL', '99.99', '100.00'],
    ['TN', '2026-08-01', 'ELECTRONICS.COMPUTERS', '1500.00', '1500.01'],
    ['TN', '2026-08-01', 'SCHOOL.SCHOOL_ART_SUPPLIES', '100.00', '100.01'],
    ['NM', '2026-08-01', 'ELECTRONICS.COMPUTER_SUPPLIES', '500.00', '500.01'],
    ['NM', '2026-08-01', 'SCHOOL.SCHOOL_SUPPLIES', '29.99', '30.00'],
    ['OH', '2026-08-07', 'SCHOOL.SCHOOL_INSTRUCTIONAL', '20.00', '20.01'],
    ['TX', '2026-08-07', 'SCHOOL.SCHOOL_SUPPLIES', '99.99', '100.00'],
    ['TX', '2026-04-25', 'HOME.DISASTER_PREPAREDNESS', '74.99', '75.00'],
    ['TX', '2026-05-25', 'HOME.APPLIANCES._ENERGY_STAR', '2000.00', '2000.01'],
    ['VA', '2026-08-09', 'SCHOOL.SCHOOL_SUPPLIES', '20.00', '20.01'],
    ['VA', '2026-08-09', 'HOME.PLUMBING_FIXTURES._WATERSENSE', '2500.00', '2500.01'],
    ['VA', '2026-08-09', 'HOME.DISASTER_PREPAREDNESS', '60.00', '60.01'],
    ['WV', '2026-08-03', 'SCHOOL.SCHOOL_SUPPLIES', '50.00', '50.01'],
    ['WV', '2026-08-03', 'SCHOOL.SCHOOL_INSTRUCTIONAL', '20.00', '20.01'],
    ['WV', '2026-08-03', 'ELECTRONICS.COMPUTERS', '500.00', '500.01'],
    ['WV', '2026-08-03', 'CLOTHING.SPORT_EQUIPMENT', '150.00', '150.01'],
  ])('%s on %s, %s: free at %s, taxed at %s', (state, date, code, free, taxed) => {
    expect(isFree(taxOn(state, date, free, code))).toBe(true);
    expect(Number(taxOn(state, date, taxed, code).tax_amount)).toBeGreaterThan(0);
  });

  it.each([
    'CLOTHING.APPAREL',
    'CLOTHING.FOOTWEAR',
    'CLOTHING.CLOTHING_ACCESSORIES',
    'SCHOOL.SCHOOL_SUPPLIES',
    'ELECTRONICS.COMPUTERS',
    'SOFTWARE.PREWRITTEN_SOFTWARE',
    'SOFTWARE.PREWRITTEN_SOFTWARE._TANGIBLE_MEDIA',
  ])('South Carolina frees %s at any price from 7 to 9 August', (code) => {
    const isFreeOn = (date: string) => isFree(taxOn('SC', date, '3000.00', code));
    expect(['2026-08-06', '2026-08-07', '2026-08-09', '2026-08-10'].map(isFreeOn)).toEqual([false, true, true, false]);
  });

  it.each([
    { state: 'AR', code: 'ELECTRONICS.COMPUTERS', first: '2026-08-01', last: '2026-08-02' },
    { state: 'AR', code: 'SCHOOL.SCHOOL_ART_SUPPLIES', first: '2026-08-01', last: '2026-08-02' },
    { state: 'LA', code: 'SPORTING.FIREARMS', first: '2026-09-04', last: '2026-09-06' },
    { state: 'MD', code: 'HOME.APPLIANCES._ENERGY_STAR', first: '2026-02-14', last: '2026-02-16' },
    { state: 'MS', code: 'SPORTING.FIREARMS', first: '2026-08-28', last: '2026-08-30' },
  ])('$state frees $code at any price from $first to $last', ({ state, code, first, last }) => {
    const isFreeOn = (date: string) => isFree(taxOn(state, date, '3000.00', code));
    expect([day(first, -1), first, last, day(last, 1)].map(isFreeOn)).toEqual([false, true, true, false]);
  });

  it('Missouri taxes what exceeds 1,500 of an efficient appliance from 19 to 25 April', () => {
    const on = (date: string) => taxOn('MO', date, '2000.00', 'HOME.APPLIANCES._ENERGY_STAR').tax_amount;
    expect(['2026-04-18', '2026-04-19', '2026-04-25', '2026-04-26'].map(on)).toEqual([
      '84.50',
      '21.13',
      '21.13',
      '84.50',
    ]);
  });

  it('South Carolina: general goods may be bed linen, which is exempt, so there is a warning', () =>
    expect(warningCodes(taxOn('SC', '2026-08-08', '50.00', 'GENERAL'))).toContain('content_unconfirmed'));

  it.each(['TX', 'OK', 'VA'])('%s: clothing for sport is not free', (state) =>
    expect(isFree(taxOn(state, '2026-08-08', '50.00', 'CLOTHING.APPAREL._ATHLETIC'))).toBe(false),
  );

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
    expect(delivered.tax_amount).toBe('6.56');
  });
});

describe('unestablished holidays have a warning', () => {
  it.each([
    ['FL', '2026-08-10', 'CLOTHING.CLOTHING_ACCESSORIES'],
    ['VA', '2026-08-08', 'SCHOOL.SCHOOL_ART_SUPPLIES'],
    ['VA', '2026-08-08', 'CLOTHING.APPAREL._ATHLETIC'],
    ['OH', '2026-08-08', 'GENERAL'],
    ['OH', '2026-08-08', 'ELECTRONICS.COMPUTERS'],
    ['AL', '2026-02-20', 'HOME.DISASTER_PREPAREDNESS'],
  ])('%s on %s, %s', (state, date, code) => {
    const { warnings, tax_amount } = taxOn(state, date, '300.00', code);
    expect(Number(tax_amount)).toBeGreaterThan(0);
    expect(warnings).toContainEqual(
      expect.objectContaining({ code: 'content_unconfirmed', message: expect.stringContaining('establish') }),
    );
  });

  it.each([
    ['MA', '2026-08-07'],
    ['MA', '2026-08-10'],
    ['FL', '2026-07-25'],
    ['FL', '2026-09-01'],
  ])('and not on other days: %s on %s', (state, date) =>
    expect(warningCodes(taxOn(state, date, '300.00'))).not.toContain('content_unconfirmed'),
  );
});
