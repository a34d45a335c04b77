/** The goods that local taxes apply to, with a local tax of 1 % of the tests. Figures are typed by hand. */
import { describe, expect, it } from 'vitest';
import type { JurisdictionType } from '../../shared/catalog/release-values.ts';
import { ask, warningCodes } from '../support/builders.ts';
import { town, withLocals } from '../support/local-content.ts';

type Asked = Parameters<typeof ask>[0];

const taxIn = (
  state: string,
  product_tax_code: string,
  {
    unit_price = '100.00',
    level = 'county' as JurisdictionType,
    ...others
  }: Asked & { unit_price?: string; level?: JurisdictionType } = {},
) =>
  ask(
    { to: town(state), line_items: [{ product_tax_code, unit_price }], ...others },
    withLocals(state, [`US-${state}-LOCAL`, level, '0.01']),
  );

describe('groceries at 100.00 where a county taxes 1 %', () => {
  const table = `
    AL 3.00, AR 1.00, AZ 0.00, CA 0.00, CO 1.00, FL 0.00, GA 1.00, HI 5.00, IA 0.00,
    ID 7.00, IL 0.00, KS 1.00, LA 1.00, MN 0.00, MO 2.23, MS 5.00, NC 2.00, ND 0.00,
    NE 0.00, NM 0.00, NV 0.00, NY 0.00, OH 0.00, OK 1.00, PA 0.00, SC 1.00, SD 5.20,
    TN 5.00, TX 0.00, UT 3.00, VA 1.00, VT 0.00, WA 0.00, WI 0.00, WV 0.00, WY 0.00`;
  const pairs = table.split(',').map((pair) => pair.trim().split(' '));
  it.each(pairs)('%s: %s', (state = '', tax) => expect(taxIn(state, 'FOOD.GROCERY').tax_amount).toBe(tax));

  it('SC: with a warning, because the kinds of local taxes differ and an import lacks them', () =>
    expect(warningCodes(taxIn('SC', 'FOOD.GROCERY'))).toContain('taxability_not_established'));
  it('CO: with a warning, as the treatment of a place that no rule names is not established', () =>
    expect(warningCodes(taxIn('CO', 'FOOD.GROCERY'))).toContain('taxability_not_established'));
  it.each(['AZ', 'IL', 'LA'])('%s: with a warning, as localities differ', (state) =>
    expect(warningCodes(taxIn(state, 'FOOD.GROCERY'))).toContain('content_unconfirmed'),
  );
  it.each(['AL', 'AR', 'GA', 'KS', 'MO', 'NC', 'OK', 'SD', 'TN', 'UT'])('%s: without a warning', (state) =>
    expect(taxIn(state, 'FOOD.GROCERY').warnings.filter(({ message }) => message.includes(', rule '))).toEqual([]),
  );

  it.each([
    ['AL', '2025-09-01', '2.00'],
    ['AR', '2025-12-31', '0.13'],
    ['AR', '2026-01-01', '0.00'],
    ['IL', '2026-01-01', '0.00'],
    ['KS', '2022-12-31', '6.50'],
    ['KS', '2023-01-01', '4.00'],
    ['KS', '2024-01-01', '2.00'],
    ['KS', '2024-12-31', '2.00'],
    ['KS', '2025-01-01', '0.00'],
    ['MS', '2025-06-30', '7.00'],
    ['MS', '2025-07-01', '5.00'],
    ['OK', '2026-01-01', '0.00'],
  ])('in %s on %s the state takes %s', (state, tax_date, tax) => {
    const outcome = ask({ to: { state }, tax_date, line_items: [{ product_tax_code: 'FOOD.GROCERY' }] });
    // Alabama's general rate is not established before 2026; a rule has the rate of food.
    expect(outcome.tax_amount).toBe(tax);
  });
});

describe('candy and soft drinks', () => {
  it.each([
    ['AL', 'FOOD.CANDY', '3.00'],
    ['AL', 'BEVERAGES.JUICE', '3.00'],
    ['MO', 'BEVERAGES.SOFT_DRINKS', '2.23'],
    ['MS', 'FOOD.CANDY', '5.00'],
    ['KS', 'FOOD.CANDY', '1.00'],
    ['KS', 'FOOD.DIETARY_SUPPLEMENTS', '1.00'],
    ['KS', 'FOOD.CANDY._CONTAINS_FLOUR', '1.00'],
    ['KS', 'FOOD.CANDY._REFRIGERATED', '1.00'],
    ['KS', 'BEVERAGES.SOFT_DRINKS', '1.00'],
    ['KS', 'BEVERAGES.SOFT_DRINKS._CONTAINS_MILK', '1.00'],
    ['KS', 'BEVERAGES.JUICE._JUICE_51_TO_69', '1.00'],
    ['KS', 'BEVERAGES.JUICE._JUICE_10_TO_50', '1.00'],
    ['KS', 'BEVERAGES.JUICE._JUICE_70_PLUS._SWEETENED', '1.00'],
    ['TN', 'FOOD.CANDY._CONTAINS_FLOUR', '5.00'],
    ['TN', 'FOOD.CANDY', '8.00'],
    ['TN', 'FOOD.DIETARY_SUPPLEMENTS', '8.00'],
    ['TN', 'BEVERAGES.SOFT_DRINKS', '5.00'],
    ['OK', 'FOOD.CANDY', '1.00'],
    ['OK', 'BEVERAGES.SOFT_DRINKS._SWEETENED', '1.00'],
    ['OK', 'BEVERAGES.BOTTLED_WATER', '1.00'],
    ['OK', 'FOOD.DIETARY_SUPPLEMENTS', '5.50'],
    ['UT', 'FOOD.CANDY', '3.00'],
    ['UT', 'BEVERAGES.SOFT_DRINKS', '3.00'],
    ['UT', 'FOOD.DIETARY_SUPPLEMENTS', '3.00'],
    ['VA', 'FOOD.CANDY', '1.00'],
    ['VA', 'BEVERAGES.SOFT_DRINKS', '1.00'],
    ['VA', 'HEALTH.DIAPERS', '1.00'],
    ['VT', 'BEVERAGES.SOFT_DRINKS', '7.00'],
    ['NC', 'BEVERAGES.JUICE._JUICE_70_PLUS', '2.00'],
    ['WI', 'FOOD.CANDY', '6.00'],
    ['WI', 'FOOD.CANDY._CONTAINS_FLOUR', '0.00'],
    ['WI', 'BEVERAGES.COFFEE_TEA._SWEETENED', '6.00'],
    ['WI', 'BEVERAGES.COFFEE_TEA._CONTAINS_MILK._SWEETENED', '0.00'],
    ['GA', 'FOOD.CANDY', '1.00'],
    ['TX', 'BEVERAGES.JUICE._JUICE_51_TO_69', '0.00'],
    ['TX', 'BEVERAGES.SOFT_DRINKS._JUICE_10_TO_50', '7.25'],
    ['NY', 'BEVERAGES.JUICE._JUICE_51_TO_69', '5.00'],
    ['NY', 'BEVERAGES.JUICE._JUICE_70_PLUS', '0.00'],
    ['CA', 'FOOD.CANDY', '0.00'],
  ])('%s %s at 100.00: %s', (state, code, tax) => expect(taxIn(state, code).tax_amount).toBe(tax));
});

describe('caps and bands', () => {
  it.each([
    ['AR', 'WATERCRAFT.BOATS', '30000.00', '1975.00'],
    ['AR', 'MOTOR_VEHICLES.AUTOMOBILES', '2500.00', '25.00'],
    ['AR', 'MOTOR_VEHICLES.AUTOMOBILES', '5000.00', '350.00'],
    ['AR', 'HOME.FURNITURE', '3000.00', '225.00'],
    ['FL', 'MOTOR_VEHICLES.AUTOMOBILES', '12000.00', '770.00'],
    ['FL', 'HOME.FURNITURE', '5000.00', '350.00'],
    ['FL', 'HOME.FURNITURE', '6000.00', '410.00'],
    ['FL', 'MANUFACTURING.MANUFACTURING_MACHINERY', '10000.00', '650.00'],
    ['FL', 'PRINT.BOOKS', '6000.00', '410.00'],
    ['FL', 'HEALTH.HEARING_AIDS', '6000.00', '0.00'],
    ['FL', 'BEVERAGES.WINE', '6000.00', '410.00'],
    ['FL', 'SOFTWARE.PREWRITTEN_SOFTWARE._TANGIBLE_MEDIA', '6000.00', '410.00'],
    ['FL', 'SERVICES.CLEANING', '6000.00', '420.00'],
    ['FL', 'RENTALS.EQUIPMENT_RENTAL', '6000.00', '420.00'],
    ['SC', 'WATERCRAFT.BOATS', '30000.00', '500.00'],
    ['SC', 'WATERCRAFT.BOATS', '9000.00', '450.00'],
    ['SC', 'AIRCRAFT.AIRPLANES', '10000.00', '500.00'],
    ['SC', 'MOTOR_VEHICLES.MOTORCYCLES', '10000.20', '0.00'],
    ['SC', 'MOTOR_VEHICLES.AUTOMOBILES', '30000.00', '0.00'],
    ['NC', 'WATERCRAFT.BOATS', '40000.00', '1200.00'],
    ['NC', 'WATERCRAFT.BOATS', '60000.00', '1500.00'],
    ['NC', 'AIRCRAFT.AIRPLANES', '60000.00', '2500.00'],
    ['TX', 'SERVICES.DATA_PROCESSING', '1000.00', '58.00'],
    ['TX', 'SERVICES.INFORMATION_SERVICES', '1000.00', '58.00'],
    ['TX', 'SOFTWARE.SAAS', '1000.00', '58.00'],
    ['TN', 'SOFTWARE.SAAS', '2000.00', '160.00'],
  ])('%s %s at %s: %s', (state, code, unit_price, tax) =>
    expect(taxIn(state, code, { unit_price }).tax_amount).toBe(tax),
  );

  const tennessee = (code: string, unit_price: string, quantity = '1') =>
    ask(
      { to: town('TN'), line_items: [{ product_tax_code: code, unit_price, quantity }] },
      withLocals('TN', ['US-TN-DAVIDSON', 'county', '0.0275']),
    ).tax_amount;
  it.each([
    ['HOME.FURNITURE', '1600.00', '1', '156.00'],
    ['HOME.FURNITURE', '2000.00', '1', '195.00'],
    ['HOME.FURNITURE', '3200.00', '1', '312.00'],
    ['HOME.FURNITURE', '4000.00', '1', '368.00'],
    ['HOME.FURNITURE', '2000.00', '2', '390.00'],
    ['HOME.FURNITURE', '1000.00', '4', '390.00'],
    ['MANUFACTURING.MANUFACTURING_MACHINERY', '10000.00', '1', '788.00'],
    ['PRINT.TEXTBOOKS', '4000.00', '1', '0.00'],
    ['PRINT.BOOKS', '4000.00', '1', '368.00'],
    ['SOFTWARE.PREWRITTEN_SOFTWARE._TANGIBLE_MEDIA', '4000.00', '1', '368.00'],
    ['SERVICES.REPAIR', '2000.00', '1', '195.00'],
    ['WARRANTIES.EXTENDED_WARRANTY', '2000.00', '1', '195.00'],
    ['DIGITAL.DIGITAL_GAMES', '4000.00', '1', '390.00'],
    ['FOOD.GROCERY', '4000.00', '1', '270.00'],
  ])('the single article of Tennessee, %s at %s times %s: %s', (code, price, quantity, tax) =>
    expect(tennessee(code, price, quantity)).toBe(tax),
  );

  it('a line of shipping is no article: the tax on single articles has no row there', () => {
    const line = { product_tax_code: 'SHIPPING.DELIVERY', unit_price: '2000.00' };
    const { line_items } = ask(
      { to: town('TN'), line_items: [line] },
      withLocals('TN', ['US-TN-DAVIDSON', 'county', '0.0275']),
    );
    expect(line_items[0]?.taxes.map(({ jurisdiction_code }) => jurisdiction_code)).toEqual(['US-TN', 'US-TN-DAVIDSON']);
  });
});
