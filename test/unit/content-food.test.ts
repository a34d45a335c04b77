import { describe, expect, it } from 'vitest';
import type { JurisdictionType } from '../../shared/catalog/release-values.ts';
import { ask, warningCodes } from '../support/builders.ts';
import { town, withLocals } from '../support/local-content.ts';

describe('content lists', () => {
  /** Treatments by state, typed by hand from the law. */

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

  describe('prepared food', () => {
    // Vermont's meals tax is collected with the sales tax.
    const own: Readonly<Record<string, string>> = { CT: '7.35', DC: '10.00', ME: '8.00', RI: '8.00', VT: '9.00' };
    // Ohio exempts food eaten off the premises, hot or cold.
    it.each(taxing)('%s: taxed, as hot groceries are except in Ohio', (state) => {
      for (const code of ['FOOD.PREPARED_FOOD', 'FOOD.CATERING', 'FOOD.GROCERY._HEATED']) {
        const isExempt = state === 'OH' && code === 'FOOD.GROCERY._HEATED';
        expect(taxOn(state, code)).toBe(isExempt ? '0.00' : (own[state] ?? general(state)));
        expect(isUnknown(state, code)).toBe(false);
      }
    });
  });

  describe('candy and soft drinks', () => {
    // Definitions of the Streamlined agreement, in states that tax these goods and tax food less or not at all.
    // content-worked-cases.test.ts has more goods that the definitions count as food.
    it.each(words('AR CO IL IN IA KY MN NJ NC ND RI TN WI'))('%s: candy is taxed', (state) =>
      expect(taxOn(state, 'FOOD.CANDY')).toBe(general(state)),
    );
    const sweetened = words(
      'JUICE._JUICE_10_TO_50 BOTTLED_WATER._SWEETENED COFFEE_TEA._SWEETENED ENERGY_DRINKS._SWEETENED',
    );
    it.each(words('AR CO IL IN IA KY MN NJ NC ND OH RI VT WA WV WI'))(
      'include a sweetened drink but not juice or milk in %s',
      (state) => {
        for (const code of ['JUICE._JUICE_70_PLUS', 'COFFEE_TEA._CONTAINS_MILK'])
          expect(taxOn(state, `BEVERAGES.${code}`)).toBe(taxOn(state, 'FOOD.GROCERY'));
        for (const code of sweetened) {
          expect(taxOn(state, `BEVERAGES.${code}`)).toBe(general(state));
          expect(isUnknown(state, `BEVERAGES.${code}`)).toBe(false);
        }
      },
    );
    // Custom definitions: Maine and Texas like the agreement, Pennsylvania by juice content, California by carbonation.
    it.each([
      ['ME', '_CONTAINS_MILK _JUICE_51_TO_69 _JUICE_70_PLUS', '_JUICE_10_TO_50 _JUICE_UNDER_10'],
      ['TX', '_CONTAINS_MILK _JUICE_51_TO_69 _JUICE_70_PLUS', '_JUICE_10_TO_50 _JUICE_UNDER_10'],
      ['PA', '_JUICE_51_TO_69 _JUICE_70_PLUS', '_CONTAINS_MILK _JUICE_UNDER_10'],
      ['CA', '_CONTAINS_MILK', '_CARBONATED _CARBONATED._CONTAINS_MILK'],
    ])('taxes soft drinks by ingredient in %s: with %s they are food, with %s they are not', (state, food, others) => {
      for (const attribute of words(food)) expect(taxOn(state, `BEVERAGES.SOFT_DRINKS.${attribute}`)).toBe('0.00');
      for (const attribute of words(others))
        expect(taxOn(state, `BEVERAGES.SOFT_DRINKS.${attribute}`)).toBe(general(state));
    });
    it.each(words('IL KS PA'))('%s: food that is labelled as a supplement is food', (state) =>
      expect(taxOn(state, 'FOOD.GROCERY._SUPPLEMENT_FACTS')).toBe(taxOn(state, 'FOOD.GROCERY')),
    );
    // Texas, New York and other states tax candy with flour as candy.
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
      // Food in Kansas and Utah; the laws of Oklahoma and Tennessee exclude these goods from food.
      const tax = isExempt || state === 'KS' ? '0.00' : state === 'UT' ? '3.00' : general(state);
      expect(taxOn(state, 'FOOD.DIETARY_SUPPLEMENTS')).toBe(tax);
      expect(isUnknown(state, 'FOOD.DIETARY_SUPPLEMENTS')).toBe(state === 'PR');
    });
  });

  describe('software', () => {
    it('is exempt in California if the vendor installs it and leaves no copy', () =>
      expect(taxOn('CA', 'SOFTWARE.PREWRITTEN_SOFTWARE._LOAD_AND_LEAVE')).toBe('0.00'));

    const exemptByDownload = words('AR CA CO FL GA ID MO NV OK SC VA');
    it.each(taxing.filter((state) => state !== 'PR'))('%s: prewritten, downloaded and on a medium', (state) => {
      const isExempt = exemptByDownload.includes(state);
      expect(taxOn(state, 'SOFTWARE.PREWRITTEN_SOFTWARE._ELECTRONIC_DELIVERY')).toBe(
        isExempt ? '0.00' : general(state),
      );
      expect(taxOn(state, 'SOFTWARE.PREWRITTEN_SOFTWARE._TANGIBLE_MEDIA')).toBe(general(state));
    });

    const custom = words('AR DC HI LA MS NE NM SC SD TN WA WV');
    const reduced: Readonly<Record<string, string>> = { CT: '1.00', MD: '3.00' };
    // In other states the treatment depends on the rights, the buyer or the invoice.
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
    ])('in %s, custom on %s: %s', (state, day, tax) => expect(taxOn(state, 'SOFTWARE.CUSTOM_SOFTWARE', day)).toBe(tax));
  });

  describe('services and fees', () => {
    it.each(taxing)('%s: professional services', (state) => {
      const isTaxed = words('HI NM SD PR').includes(state);
      expect(taxOn(state, 'SERVICES.PROFESSIONAL')).toBe(isTaxed ? general(state) : '0.00');
      expect(isUnknown(state, 'SERVICES.PROFESSIONAL')).toBe(false);
    });
    it('are taxed at 4% for businesses in Puerto Rico', () =>
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
    ])('in %s, %s are subject to a different tax, with a warning', (state, code) => {
      const outcome = asked(state, code);
      expect(outcome.tax_amount).toBe('0.00');
      expect(warningCodes(outcome)).toContain('content_unconfirmed');
    });
    it.each(words('DE NH OR'))('%s: goods need no warning', (state) =>
      expect(asked(state, 'HOME.FURNITURE').warnings).toEqual([]),
    );
    it('in Montana have no warning for goods in a ZIP without a resort', () => {
      const line_items = [{ product_tax_code: 'HOME.FURNITURE' }];
      expect(ask({ to: { state: 'MT', postal_code: '59601' }, line_items }).warnings).toEqual([]);
      expect(warningCodes(ask({ to: { state: 'MT' }, line_items }))).toEqual(['local_rates_missing']);
    });
  });

  describe('partly known holidays', () => {
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
    ])('in %s on %s leave art supplies taxed, with a warning on that day only', (state, day) => {
      expect(taxOn(state, 'SCHOOL.SCHOOL_ART_SUPPLIES', day)).toBe(general(state));
      const aboutRules = (tax_date?: string) =>
        asked(state, 'SCHOOL.SCHOOL_ART_SUPPLIES', tax_date).warnings.filter(({ message }) =>
          message.includes(', rule '),
        );
      expect(aboutRules(day).map(({ code }) => code)).toContain('content_unconfirmed');
      expect(aboutRules()).toEqual([]);
    });
  });
});

describe('content levels', () => {
  /** The goods that local taxes apply to, with a local test tax of 1%. Amounts are typed by hand. */

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

    it('have a warning in SC, because the kinds of local taxes differ and an import omits them', () =>
      expect(warningCodes(taxIn('SC', 'FOOD.GROCERY'))).toContain('taxability_not_established'));
    it('have a warning in CO, because the treatment in places without a rule is not established', () =>
      expect(warningCodes(taxIn('CO', 'FOOD.GROCERY'))).toContain('taxability_not_established'));
    it.each(['AZ', 'IL', 'LA'])('have a warning in %s, because localities differ', (state) =>
      expect(warningCodes(taxIn(state, 'FOOD.GROCERY'))).toContain('content_unconfirmed'),
    );
    it.each(['AL', 'AR', 'GA', 'KS', 'MO', 'NC', 'OK', 'SD', 'TN', 'UT'])('have no warning in %s', (state) =>
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
    ])('have a state tax in %s on %s of %s', (state, tax_date, tax) => {
      const outcome = ask({ to: { state }, tax_date, line_items: [{ product_tax_code: 'FOOD.GROCERY' }] });
      // Alabama's general rate is not established before 2026, but a rule sets the rate for food.
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
    ])('are taxed in %s %s at 100.00: %s', (state, code, tax) => expect(taxIn(state, code).tax_amount).toBe(tax));
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
    ])('apply in %s to %s at %s: %s', (state, code, unit_price, tax) =>
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
    ])('apply to a single article in Tennessee, %s at %s times %s: %s', (code, price, quantity, tax) =>
      expect(tennessee(code, price, quantity)).toBe(tax),
    );

    it('do not apply to a shipping line, which has no single-article row', () => {
      const line = { product_tax_code: 'SHIPPING.DELIVERY', unit_price: '2000.00' };
      const { line_items } = ask(
        { to: town('TN'), line_items: [line] },
        withLocals('TN', ['US-TN-DAVIDSON', 'county', '0.0275']),
      );
      expect(line_items[0]?.taxes.map(({ jurisdiction_code }) => jurisdiction_code)).toEqual([
        'US-TN',
        'US-TN-DAVIDSON',
      ]);
    });
  });
});
