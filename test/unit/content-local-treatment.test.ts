/** The whole tax at real addresses where local taxes treat a product unlike the state. The figures are computed by hand. */
import { describe, expect, it } from 'vitest';
import { builtInReleases } from '../../shared/catalog/built-in.ts';
import { ask } from '../support/builders.ts';

const at = {
  Denver: { city: 'Denver', state: 'CO', postal_code: '80202' },
  Phoenix: { city: 'Phoenix', state: 'AZ', postal_code: '85004' },
  Chicago: { city: 'Chicago', state: 'IL', postal_code: '60602' },
  Springfield: { city: 'Springfield', state: 'IL', postal_code: '62701' },
  'Los Angeles': { city: 'Los Angeles', state: 'CA', postal_code: '90012' },
  Philadelphia: { city: 'Philadelphia', state: 'PA', postal_code: '19107' },
  Raleigh: { city: 'Raleigh', state: 'NC', postal_code: '27601' },
  'New Orleans': { city: 'New Orleans', state: 'LA', postal_code: '70112' },
  Juneau: { city: 'Juneau', state: 'AK', postal_code: '99801' },
  Jackson: { city: 'Jackson', state: 'MS', postal_code: '39201' },
  Brooklyn: { city: 'Brooklyn', state: 'NY', postal_code: '11201' },
  Manhattan: { city: 'New York', state: 'NY', postal_code: '10007' },
  Albany: { city: 'Albany', state: 'NY', postal_code: '12207' },
  Miami: { city: 'Miami', state: 'FL', postal_code: '33128' },
  Nashville: { city: 'Nashville', state: 'TN', postal_code: '37219' },
} as const;

describe('the tax on 100.00', () => {
  it.each([
    // The state's 15 % is on the product alone; districts tax it at their own 1.1 %, and Denver at 5.15 %.
    { place: 'Denver', code: 'CANNABIS.ADULT_USE_CANNABIS', tax: '21.25' },
    // Food at home is exempt in Denver, Phoenix and Juneau as groceries are.
    { place: 'Denver', code: 'FOOD.BAKERY_ITEMS', tax: '0.00' },
    { place: 'Denver', code: 'BEVERAGES.COFFEE_TEA', tax: '0.00' },
    { place: 'Phoenix', code: 'BEVERAGES.BOTTLED_WATER', tax: '0.00' },
    { place: 'Juneau', code: 'FOOD.BAKERY_ITEMS', tax: '0.00' },
    // Illinois: transit of 1.5 % in Cook County; Springfield adopted the local grocery tax of 1 %.
    { place: 'Chicago', code: 'FOOD.BAKERY_ITEMS', tax: '1.50' },
    { place: 'Springfield', code: 'FOOD.BAKERY_ITEMS', tax: '1.00' },
    // Medicine: the state's 1 % and transit.
    { place: 'Chicago', code: 'HEALTH.DRUGS', tax: '2.50' },
    { place: 'Springfield', code: 'HEALTH.DRUGS', tax: '1.00' },
    // North Carolina: 2 % on food, without transit. New Orleans: 4.5 % on food.
    { place: 'Raleigh', code: 'FOOD.BAKERY_ITEMS', tax: '2.00' },
    { place: 'Raleigh', code: 'BEVERAGES.JUICE', tax: '2.00' },
    { place: 'New Orleans', code: 'FOOD.BAKERY_ITEMS', tax: '4.50' },
    // Mississippi: 5 % on groceries, and the city's 1 % not on them.
    { place: 'Jackson', code: 'FOOD.BAKERY_ITEMS', tax: '5.00' },
    // City amusement taxes and utility taxes are not sales taxes.
    { place: 'Chicago', code: 'DIGITAL.STREAMING_VIDEO', tax: '0.00' },
    { place: 'Los Angeles', code: 'DIGITAL.STREAMING_VIDEO', tax: '0.00' },
    { place: 'Philadelphia', code: 'ADMISSIONS.EVENT_TICKETS', tax: '0.00' },
    // New York City alone taxes these services, at 4.5 %. Parking: 4 + 6 + 0.375 %, and 8 % more in Manhattan.
    { place: 'Manhattan', code: 'SERVICES.FITNESS', tax: '4.50' },
    { place: 'Albany', code: 'SERVICES.FITNESS', tax: '0.00' },
    { place: 'Brooklyn', code: 'SERVICES.PARKING', tax: '10.38' },
    { place: 'Manhattan', code: 'SERVICES.PARKING', tax: '18.38' },
    // An item that the state exempts has no surtax and no local tax under a cap.
    { place: 'Miami', code: 'HEALTH.HEARING_AIDS', tax: '0.00' },
    { place: 'Nashville', code: 'HEALTH.PROSTHETICS', tax: '0.00' },
  ] as const)('$code in $place is $tax', ({ place, code, tax }) => {
    const outcome = ask({ to: at[place], tax_date: '2026-11-20', line_items: [{ product_tax_code: code }] });
    expect(outcome.tax_amount).toBe(tax);
  });
});

it('no rule of local taxes has the rate of the state', () => {
  const withRate = builtInReleases().flatMap(({ rules }) =>
    rules.filter(
      ({ id, levels, effect }) => /taxability-/.test(id) && levels && !levels.includes('state') && 'rate' in effect,
    ),
  );
  expect(withRate).toEqual([]);
});
