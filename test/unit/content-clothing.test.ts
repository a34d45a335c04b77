/** Clothing (content notes 4.2), asked as a client asks. Figures of the law and of its examples, typed by hand. */
import { describe, expect, it } from 'vitest';
import { ask, warningCodes } from '../support/builders.ts';
import { town, withLocals } from '../support/local-content.ts';

const shirt = (unit_price: string, attributes = '') => ({
  product_tax_code: `CLOTHING.APPAREL${attributes}`,
  unit_price,
});
const stateTax = (state: string, unit_price: string, attributes = '') =>
  ask({ to: { state }, line_items: [shirt(unit_price, attributes)] });

describe('clothing at the rate of the state', () => {
  it.each([
    ['MN', '100.00', '', '0.00'],
    ['MN', '100.00', '._FUR', '6.88'],
    ['NJ', '100.00', '', '0.00'],
    ['NJ', '100.00', '._FUR', '6.63'],
    ['NJ', '100.00', '._PROTECTIVE', '6.63'],
    ['PA', '100.00', '', '0.00'],
    ['PA', '100.00', '._ATHLETIC', '6.00'],
    ['PA', '100.00', '._FORMAL_WEAR', '6.00'],
    ['PA', '100.00', '._FUR', '6.00'],
    ['VT', '100.00', '', '0.00'],
    ['VT', '100.00', '._ATHLETIC', '6.00'],
    ['MA', '175.00', '', '0.00'],
    ['MA', '200.00', '', '1.56'],
    ['MA', '200.00', '._ATHLETIC', '12.50'],
    ['RI', '250.00', '', '0.00'],
    ['RI', '285.00', '', '2.45'],
    ['RI', '285.00', '._PROTECTIVE', '19.95'],
    ['NY', '109.99', '', '0.00'],
    ['NY', '110.00', '', '4.40'],
    ['CT', '1000.00', '', '63.50'],
    ['CT', '1000.01', '', '77.50'],
    ['CT', '1200.00', '', '93.00'],
    ['CA', '100.00', '', '7.25'],
  ])('%s at %s%s: %s', (state, price, attributes, tax) =>
    expect(stateTax(state, price, attributes).tax_amount).toBe(tax),
  );

  it.each(['MN', 'NJ'])('%s: sources disagree about athletic clothing, and the answer says so', (state) => {
    const outcome = stateTax(state, '100.00', '._ATHLETIC');
    expect(outcome.tax_amount).toBe('0.00');
    expect(outcome.warnings).toContainEqual(expect.objectContaining({ message: expect.stringContaining('disagree') }));
  });

  it('delivery counts in the price in Rhode Island: 225 and 60 of alterations and 20 of delivery are 305', () => {
    const outcome = ask({
      to: { state: 'RI', postal_code: '02903' },
      line_items: [shirt('285.00')],
      shipping: { amount: '20.00' },
    });
    expect(outcome.tax_amount).toBe('3.85');
  });
});

describe('clothing in New York', () => {
  const taxIn = (code: string, price: string, tax_date = '2026-09-15', ...others: string[]) =>
    ask(
      { to: town('NY'), tax_date, line_items: [shirt(price)] },
      withLocals('NY', [code, 'city', '0.045'], ...others.map((other) => [other, 'district', '0.00375'] as const)),
    );

  it.each([
    ['109.99', '0.00'],
    ['110.00', '9.76'],
    ['150.00', '13.31'],
  ])('at %s is taxed with %s in New York City, on every level', (price, tax) =>
    expect(taxIn('US-NY-NEW-YORK-CITY', price, undefined, 'US-NY-NEW-YORK-CITY-MCTD').tax_amount).toBe(tax),
  );

  it.each(
    'NEW-YORK-CITY CITY-NEW-YORK-CITY SPECIAL-NEW-YORK-CITY COUNTY-TIOGA COUNTY-TIOGA-COUNTY CHAUTAUQUA CHENANGO NORWICH COLUMBIA DELAWARE GREENE HAMILTON TIOGA WAYNE MONROE PUTNAM'.split(
      ' ',
    ),
  )('under 110 is free in %s', (name) => {
    expect(taxIn(`US-NY-${name}`, '109.99').tax_amount).toBe('0.00');
    expect(taxIn(`US-NY-${name}`, '110.00').tax_amount).toBe('9.35');
  });

  it('under 110 is taxed by a locality that has not elected otherwise, with a warning', () => {
    const outcome = taxIn('US-NY-ALBANY', '100.00');
    expect(outcome.tax_amount).toBe('4.50');
    expect(outcome.line_items[0]?.taxes.map((row) => row.tax_amount)).toEqual(['0.00', '4.50']);
    expect(warningCodes(outcome)).toContain('content_unconfirmed');
  });

  it.each([
    ['2024-02-29', '4.50'],
    ['2024-03-01', '0.00'],
  ])('Putnam County, on %s: %s of its own', (day, tax) => {
    const release = withLocals('NY', ['US-NY-PUTNAM', 'county', '0.045']);
    // The rest of the content is not established before 2026.
    const known = release.releaseFor({} as never);
    const since = { ...known, established_from: '2020-01-01' } as NonNullable<typeof known>;
    const outcome = ask({ to: town('NY'), tax_date: day, line_items: [shirt('100.00')] }, { releaseFor: () => since });
    expect(outcome.tax_amount).toBe(tax);
  });
});
