/** Treatments by state, typed by hand from the law. */
import { describe, expect, it } from 'vitest';
import { ask, warningCodes } from '../support/builders.ts';

const words = (text: string) => text.trim().split(/\s+/);
const taxing = words(
  'AL AZ AR CA CO CT DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO NE NV NJ NM NY NC ND OH OK PA RI SC SD TN TX UT VT VA WA WV WI WY PR',
);
const asked = (state: string, product_tax_code: string, tax_date = '2026-09-15') =>
  ask({ to: { state }, tax_date, line_items: [{ product_tax_code }] });
const taxOn = (state: string, code: string, day?: string) => asked(state, code, day).tax_amount;
const general = (state: string) => taxOn(state, 'GENERAL');
const isUnknown = (state: string, code: string) =>
  warningCodes(asked(state, code)).includes('taxability_not_established');

describe('food that is served', () => {
  // Vermont's meals tax is collected with the sales tax.
  const own: Readonly<Record<string, string>> = { CT: '7.35', DC: '10.00', ME: '8.00', RI: '8.00', VT: '9.00' };
  // Ohio exempts food that is eaten elsewhere, hot or cold.
  it.each(taxing)('%s: taxed, as hot groceries are except in Ohio', (state) => {
    for (const code of ['FOOD.PREPARED_FOOD', 'FOOD.CATERING', 'FOOD.GROCERY._HEATED']) {
      const isExempt = state === 'OH' && code === 'FOOD.GROCERY._HEATED';
      expect(taxOn(state, code)).toBe(isExempt ? '0.00' : (own[state] ?? general(state)));
      expect(isUnknown(state, code)).toBe(false);
    }
  });
});

describe('candy and soft drinks by the definitions of the Streamlined agreement', () => {
  // Where candy or soft drinks are taxed and food is not, or less.
  const candy = words('AR CO IL IN IA KY MN NJ NC ND RI TN WI');
  const soft = words('AR CO IL IN IA KY MN NJ NC ND OH RI VT WA WV WI');
  it.each(candy)('%s: candy with flour, and refrigerated, is food', (state) => {
    for (const attribute of ['_CONTAINS_FLOUR', '_REFRIGERATED'])
      expect(taxOn(state, `FOOD.CANDY.${attribute}`)).toBe(taxOn(state, 'FOOD.GROCERY'));
    expect(taxOn(state, 'FOOD.CANDY')).toBe(general(state));
  });
  it.each(soft)('%s: a drink with milk or more than half of juice is food, a sweetened one is not', (state) => {
    for (const code of [
      'SOFT_DRINKS._CONTAINS_MILK',
      'SOFT_DRINKS._JUICE_51_TO_69',
      'JUICE._JUICE_70_PLUS',
      'COFFEE_TEA._CONTAINS_MILK',
    ])
      expect(taxOn(state, `BEVERAGES.${code}`)).toBe(taxOn(state, 'FOOD.GROCERY'));
    for (const code of [
      'JUICE._JUICE_10_TO_50',
      'BOTTLED_WATER._SWEETENED',
      'COFFEE_TEA._SWEETENED',
      'ENERGY_DRINKS._SWEETENED',
    ]) {
      expect(taxOn(state, `BEVERAGES.${code}`)).toBe(general(state));
      expect(isUnknown(state, `BEVERAGES.${code}`)).toBe(false);
    }
  });
  // By definitions of their own: Maine and Texas as the agreement, Pennsylvania by the juice, California by the
  // carbonation.
  it.each([
    ['ME', '_CONTAINS_MILK _JUICE_51_TO_69 _JUICE_70_PLUS', '_JUICE_10_TO_50 _JUICE_UNDER_10'],
    ['TX', '_CONTAINS_MILK _JUICE_51_TO_69 _JUICE_70_PLUS', '_JUICE_10_TO_50 _JUICE_UNDER_10'],
    ['PA', '_JUICE_51_TO_69 _JUICE_70_PLUS', '_CONTAINS_MILK _JUICE_UNDER_10'],
    ['CA', '_CONTAINS_MILK', '_CARBONATED _CARBONATED._CONTAINS_MILK'],
  ])('%s: soft drinks with %s are food, those with %s are not', (state, food, others) => {
    for (const attribute of words(food)) expect(taxOn(state, `BEVERAGES.SOFT_DRINKS.${attribute}`)).toBe('0.00');
    for (const attribute of words(others))
      expect(taxOn(state, `BEVERAGES.SOFT_DRINKS.${attribute}`)).toBe(general(state));
  });
  it.each(words('IL KS PA'))('%s: food that is labelled as a supplement is food', (state) =>
    expect(taxOn(state, 'FOOD.GROCERY._SUPPLEMENT_FACTS')).toBe(taxOn(state, 'FOOD.GROCERY')),
  );
  // Texas, New York and others tax candy with flour as candy.
  it.each(words('CT FL MD ME NY TX'))('%s: candy with flour is candy', (state) =>
    expect(taxOn(state, 'FOOD.CANDY._CONTAINS_FLOUR')).toBe(general(state)),
  );
  it.each(words('GA MI NE NV WY'))('%s: where soft drinks are food, so is juice', (state) => {
    expect(taxOn(state, 'BEVERAGES.JUICE')).toBe('0.00');
    expect(taxOn(state, 'BEVERAGES.COFFEE_TEA')).toBe('0.00');
  });
});

describe('health', () => {
  it.each(taxing)('%s: a drug by prescription is exempt, in Illinois taxed at 1 %', (state) => {
    for (const code of ['HEALTH.DRUGS._PRESCRIPTION', 'HEALTH.INSULIN._PRESCRIPTION'])
      expect(taxOn(state, code)).toBe(state === 'IL' ? '1.00' : '0.00');
  });
  const supplements = words('CT FL IL MD MI NJ NY PA TX VT WV WY');
  it.each(taxing)('%s: dietary supplements', (state) => {
    const isExempt = supplements.includes(state);
    // Food in Kansas and Utah; the law of Oklahoma and Tennessee leaves them out of food.
    const tax = isExempt || state === 'KS' ? '0.00' : state === 'UT' ? '3.00' : general(state);
    expect(taxOn(state, 'FOOD.DIETARY_SUPPLEMENTS')).toBe(tax);
    expect(isUnknown(state, 'FOOD.DIETARY_SUPPLEMENTS')).toBe(state === 'PR');
  });
});

describe('software', () => {
  it('is exempt in California when it is loaded and left', () =>
    expect(taxOn('CA', 'SOFTWARE.PREWRITTEN_SOFTWARE._LOAD_AND_LEAVE')).toBe('0.00'));

  const exemptByDownload = words('AR CA CO FL GA ID MO NV OK SC VA');
  it.each(taxing.filter((state) => state !== 'PR'))('%s: prewritten, downloaded and on a medium', (state) => {
    const isExempt = exemptByDownload.includes(state);
    expect(taxOn(state, 'SOFTWARE.PREWRITTEN_SOFTWARE._ELECTRONIC_DELIVERY')).toBe(isExempt ? '0.00' : general(state));
    expect(taxOn(state, 'SOFTWARE.PREWRITTEN_SOFTWARE._TANGIBLE_MEDIA')).toBe(general(state));
  });

  const custom = words('AR DC HI LA MS NE NM SC SD TN WA WV');
  const reduced: Readonly<Record<string, string>> = { CT: '1.00', MD: '3.00' };
  // Others depend on the rights, the buyer or the invoice.
  it.each(taxing.filter((state) => !words('AL IA PR TX').includes(state)))('%s: custom', (state) =>
    expect(taxOn(state, 'SOFTWARE.CUSTOM_SOFTWARE')).toBe(
      custom.includes(state) ? general(state) : (reduced[state] ?? '0.00'),
    ),
  );
  it.each([
    ['WA', '2025-09-30', '0.00'],
    ['WA', '2025-10-01', '6.50'],
    ['MD', '2025-06-30', '0.00'],
    ['MD', '2025-07-01', '3.00'],
  ])('%s: custom on %s', (state, day, tax) => expect(taxOn(state, 'SOFTWARE.CUSTOM_SOFTWARE', day)).toBe(tax));
});

describe('services and fees', () => {
  it.each(taxing)('%s: professional services', (state) => {
    const isTaxed = words('HI NM SD PR').includes(state);
    expect(taxOn(state, 'SERVICES.PROFESSIONAL')).toBe(isTaxed ? general(state) : '0.00');
    expect(isUnknown(state, 'SERVICES.PROFESSIONAL')).toBe(false);
  });
  it('are taxed at 4 % for businesses in Puerto Rico', () =>
    expect(taxOn('PR', 'SERVICES.PROFESSIONAL._BUSINESS_USE')).toBe('4.00'));
  it.each(words('CA CO IL MA'))('%s: repair is exempt', (state) =>
    expect(taxOn(state, 'SERVICES.REPAIR')).toBe('0.00'),
  );
  it.each(words('AR CT DC HI IA KS LA MS NJ NM NY NC OH PA SD TN UT WA WV WI WY'))('%s: repair is taxed', (state) =>
    expect(taxOn(state, 'SERVICES.REPAIR')).toBe(general(state)),
  );
  it.each([
    ['CT', 'SERVICES.DATA_PROCESSING', '1.00'],
    ['MD', 'SERVICES.DATA_PROCESSING', '3.00'],
    ['OH', 'SERVICES.DATA_PROCESSING._PERSONAL_USE', '0.00'],
    ['OH', 'SERVICES.DATA_PROCESSING._BUSINESS_USE', '5.75'],
    ['TX', 'SERVICES.DATA_PROCESSING', '5.00'],
    ['HI', 'SERVICES.DATA_PROCESSING', '4.00'],
    ['IN', 'SHIPPING.POSTAGE', '0.00'],
    ['IN', 'SHIPPING.HANDLING', '7.00'],
    ['MD', 'SHIPPING.HANDLING._SEPARATELY_STATED', '6.00'],
    ['CA', 'SHIPPING.DELIVERY._SELLER_VEHICLE._SEPARATELY_STATED', '7.25'],
    ['AL', 'SHIPPING.DELIVERY._SELLER_VEHICLE._SEPARATELY_STATED', '4.00'],
    ['ME', 'SHIPPING.DELIVERY._SELLER_VEHICLE._SEPARATELY_STATED', '5.50'],
    ['CT', 'WATERCRAFT.BOATS', '2.99'],
    ['IN', 'DIGITAL.EBOOKS._LIMITED_RIGHTS', '0.00'],
  ])('%s %s at 100.00: %s', (state, code, tax) => expect(taxOn(state, code)).toBe(tax));
  it.each(taxing)('%s: neither donations nor access to the internet', (state) => {
    for (const code of ['FEES.DONATIONS', 'TELECOM.INTERNET_ACCESS']) expect(taxOn(state, code)).toBe('0.00');
  });
});

describe('states without a general tax', () => {
  it.each([
    ['NH', 'FOOD.PREPARED_FOOD'],
    ['NH', 'LODGING.HOTEL_ROOMS'],
    ['NH', 'RENTALS.VEHICLE_RENTAL'],
    ['MT', 'FOOD.PREPARED_FOOD'],
    ['MT', 'LODGING.HOTEL_ROOMS'],
    ['DE', 'LODGING.HOTEL_ROOMS'],
    ['OR', 'LODGING.HOTEL_ROOMS'],
  ])('%s, %s: excludes another tax, with a warning', (state, code) => {
    const outcome = asked(state, code);
    expect(outcome.tax_amount).toBe('0.00');
    expect(warningCodes(outcome)).toContain('content_unconfirmed');
  });
  it.each(words('DE NH OR'))('%s: goods need no warning', (state) =>
    expect(asked(state, 'HOME.FURNITURE').warnings).toEqual([]),
  );
  it('Montana: goods have no warning in a ZIP without a resort', () => {
    const line_items = [{ product_tax_code: 'HOME.FURNITURE' }];
    expect(ask({ to: { state: 'MT', postal_code: '59601' }, line_items }).warnings).toEqual([]);
    expect(warningCodes(ask({ to: { state: 'MT' }, line_items }))).toEqual(['local_rates_missing']);
  });
});

describe('holidays that are known in part', () => {
  it.each([
    ['CT', '2026-08-20'],
    ['FL', '2026-08-10'],
    ['IA', '2026-08-08'],
    ['MD', '2026-08-12'],
    ['MO', '2026-08-08'],
    ['NM', '2026-08-01'],
    ['OH', '2026-08-08'],
    ['TX', '2026-08-08'],
    ['VA', '2026-08-08'],
    ['WV', '2026-08-01'],
  ])('%s on %s: art supplies are taxed, with a warning that day alone', (state, day) => {
    expect(taxOn(state, 'SCHOOL.SCHOOL_ART_SUPPLIES', day)).toBe(general(state));
    const aboutRules = (tax_date?: string) =>
      asked(state, 'SCHOOL.SCHOOL_ART_SUPPLIES', tax_date).warnings.filter(({ message }) =>
        message.includes(', rule '),
      );
    expect(aboutRules(day).map(({ code }) => code)).toContain('content_unconfirmed');
    expect(aboutRules()).toEqual([]);
  });
});
