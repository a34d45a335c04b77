import { describe, expect, it } from 'vitest';
import type { ReleaseFor } from '../../shared/catalog/content.ts';
import type { Release } from '../../shared/catalog/release.ts';
import { chooseRule } from '../../shared/tax/rule-choice.ts';
import { createReleaseFor, importFiles } from '../fixtures/imports/harness.ts';
import { ask, getProduct, warningCodes } from '../support/builders.ts';
import { holidays } from '../support/facts.ts';
import { builtIn, town, withLocals } from '../support/local-content.ts';

describe('content clothing', () => {
  /** Clothing (content notes 4.2), sent as client requests. Amounts are typed by hand from the law and its examples. */

  const shirt = (unit_price: string, attributes = '') => ({
    product_tax_code: `CLOTHING.APPAREL${attributes}`,
    unit_price,
  });
  const stateTax = (state: string, unit_price: string, attributes = '') =>
    ask({ to: { state }, line_items: [shirt(unit_price, attributes)] });

  describe('clothing at the state rate', () => {
    it.each(['MN', 'NJ'])('has a warning in %s that sources disagree about athletic clothing', (state) => {
      const outcome = stateTax(state, '100.00', '._ATHLETIC');
      expect(outcome.tax_amount).toBe('0.00');
      expect(outcome.warnings).toContainEqual(
        expect.objectContaining({ message: expect.stringContaining('disagree') }),
      );
    });

    it('includes delivery in the price in Rhode Island: 225 plus 60 of alterations and 20 of delivery is 305', () => {
      const outcome = ask({
        to: { state: 'RI', postal_code: '02903' },
        line_items: [shirt('285.00')],
        shipping: { amount: '20.00' },
      });
      expect(outcome.tax_amount).toBe('3.85');
    });
  });

  describe('clothing in New York', () => {
    const taxAt = (postal_code: string, city: string, price: string) =>
      ask({ to: { state: 'NY', postal_code, city }, tax_date: '2026-11-20', line_items: [shirt(price)] });

    it.each([
      ['12207', 'Albany', '4.00'],
      ['10701', 'Yonkers', '4.88'],
      ['14202', 'Buffalo', '4.75'],
      ['11501', 'Mineola', '4.63'],
    ])('in %s %s, which has not elected the exemption, has a local tax of %s on 100.00', (zip, city, tax) => {
      const outcome = taxAt(zip, city, '100.00');
      expect(outcome.tax_amount).toBe(tax);
      expect(outcome.warnings.filter(({ message }) => message.includes('rule ny-clothing'))).toEqual([]);
    });

    it('below 110 is taxed if the county is unknown, with a warning that lists the counties with the exemption', () => {
      const outcome = ask(
        { to: town('NY'), tax_date: '2026-09-15', line_items: [shirt('100.00')] },
        withLocals('NY', ['US-NY-SOMEWHERE', 'city', '0.045']),
      );
      expect(outcome.tax_amount).toBe('4.50');
      expect(outcome.warnings.map(({ message }) => message)).toContainEqual(
        expect.stringMatching(/rule ny-clothing-local: .*Chautauqua.*Dutchess.*Putnam/),
      );
    });

    it.each([
      ['27', '2022-02-28', 'ny-clothing-not-elected'],
      ['27', '2022-03-01', 'ny-clothing-elected-dutchess'],
      ['55', '2023-02-28', 'ny-clothing-not-elected'],
      ['55', '2023-03-01', 'ny-clothing-elected-monroe'],
      ['79', '2024-02-29', 'ny-clothing-not-elected'],
      ['79', '2024-03-01', 'ny-clothing-elected-putnam'],
      ['79', '2027-02-28', 'ny-clothing-elected-putnam'],
      ['79', '2027-03-01', 'ny-clothing-putnam-2027'],
    ])('in county 360%s on %s: %s', (county, day, rule) => {
      const taxing = {
        code: `US-NY-00-0${county}`,
        name: 'a county',
        type: 'county',
        tax_type: 'sales',
        county: `360${county}`,
      } as const;
      expect(chooseRule(builtIn('NY'), taxing, getProduct('CLOTHING.APPAREL'), day)?.id).toBe(rule);
    });
  });

  describe('clothing in New York with an import', () => {
    const woocommerce = (...rows: readonly string[]) => ({
      format: 'woocommerce' as const,
      header: 'Country code,State code,Postcode / ZIP,City,Rate %,Tax name,Priority,Compound,Shipping,Tax class',
      rows,
    });
    const zipRates = (...rows: readonly string[]) => ({
      format: 'zip-rates' as const,
      header:
        'State,ZipCode,TaxRegionName,EstimatedCombinedRate,StateRate,EstimatedCountyRate,EstimatedCityRate,EstimatedSpecialRate,RiskLevel',
      rows,
    });
    /** Loaded as an import over the built-in release, which maps the ZIP to a county. */
    const overBuiltIn = (releaseFor: ReleaseFor): ReleaseFor => {
      const views = new Map<Release, Release>();
      return (address) => {
        const view = releaseFor(address) as Release;
        const known = views.get(view) ?? { ...view, fallback: builtIn('NY') };
        views.set(view, known);
        return known;
      };
    };
    type Table = ReturnType<typeof woocommerce> | ReturnType<typeof zipRates>;
    const taxIn = async (
      { format, header, rows }: Table,
      line_items: readonly object[],
      postal_code = '10001',
      city = 'New York',
    ) => {
      const imported = await importFiles(format, 'NY', [{ name: 'rates.csv', content: [header, ...rows].join('\n') }]);
      const to = { state: 'NY', postal_code, city };
      return ask({ to, tax_date: '2026-11-20', line_items }, { releaseFor: overBuiltIn(createReleaseFor(imported)) });
    };
    const cart = [shirt('150.00'), { ...shirt('25.00'), quantity: '2' }];

    const cityTables: readonly (readonly [string, Table])[] = [
      ['one combined row', woocommerce('US,NY,10001,NEW YORK,8.8750,NYC,1,0,1,')],
      ['one combined row without a city', woocommerce('US,NY,10001,*,8.8750,Tax,1,0,1,')],
      [
        'one row per tax',
        woocommerce(
          'US,NY,*,*,4.0000,NY State Tax,1,0,1,',
          'US,NY,10001,*,4.5000,City,2,0,1,',
          'US,NY,10001,*,0.3750,MCTD,3,0,1,',
        ),
      ],
      ...['NEW YORK', 'NEW YORK COUNTY', 'NYC', 'MANHATTAN', 'KINGS'].map(
        (name) => [`a region ${name}`, zipRates(`NY,10001,${name},0.08875,0.04,0,0.045,0.00375,1`)] as const,
      ),
      ['the city’s tax as a county’s', zipRates('NY,10001,NEW YORK,0.08875,0.04,0.045,0,0.00375,1')],
      ['the whole local tax as special', zipRates('NY,10001,NEW YORK,0.08875,0.04,0,0,0.04875,1')],
    ];

    it.each(cityTables)('New York City is exempt under 110: %s', async (_, table) => {
      expect((await taxIn(table, cart)).tax_amount).toBe('13.31');
      expect((await taxIn(table, [shirt('109.99')])).tax_amount).toBe('0.00');
      expect((await taxIn(table, [shirt('110.00')])).tax_amount).toBe('9.76');
      expect((await taxIn(table, [{ unit_price: '100.00' }])).tax_amount).toBe('8.88');
    });

    it.each('10001 10282 10301 10314 10451 10475 11004 11101 11201 11256 11351 11439 11691'.split(' '))(
      '%s is in New York City',
      async (zip) => {
        const table = zipRates(`NY,${zip},ANY,0.08875,0.04,0.045,0,0.00375,1`);
        expect((await taxIn(table, [shirt('109.99')], zip)).tax_amount).toBe('0.00');
      },
    );

    it.each(['11040', '11096', '11501', '11801', '10501', '10601', '10701', '10801', '12207', '14201'])(
      '%s is outside New York City, and its county has not elected the exemption',
      async (zip) => {
        const outcome = await taxIn(zipRates(`NY,${zip},ANY,0.08,0.04,0.04,0,0,1`), [shirt('100.00')], zip, 'Any');
        expect(outcome.tax_amount).toBe('4.00');
      },
    );
  });
});

describe('content holidays', () => {
  /** Sales-tax holidays of 2026 (content notes 4.8): first and last days and limits, typed by hand. */

  const day = (date: string, days: number) =>
    new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
  const taxOn = (state: string, tax_date: string, unit_price: string, code = 'CLOTHING.APPAREL', others = {}) =>
    ask({ to: { state }, tax_date, line_items: [{ product_tax_code: code, unit_price }], ...others });
  const isFree = (outcome: ReturnType<typeof ask>) =>
    outcome.tax_amount === '0.00' && outcome.line_items[0]?.taxes[0]?.taxability_reason === 'product_exempt_holiday';

  const aCentAbove = (price: string) => (Number(price) + 0.01).toFixed(2);

  /** States whose law was checked, so their exemptions have no warning. */
  const confirmed = 'AL AR CT FL IA MD MO MS OK TN TX VA WV'.split(' ');

  describe('clothing', () => {
    it.each(holidays('clothing'))('in $state is exempt from $first to $last, up to $exempt_at', (row) => {
      const { state, first, last, exempt_at } = row;
      const dearer = aCentAbove(exempt_at);
      for (const date of [first, last]) {
        const free = taxOn(state, date, exempt_at);
        expect(isFree(free)).toBe(true);
        expect(warningCodes(free).includes('content_unconfirmed')).toBe(!confirmed.includes(state));
        const taxed = taxOn(state, date, dearer);
        expect(taxed.tax_amount).toBe(taxOn(state, '2026-06-01', dearer).tax_amount);
        expect(Number(taxed.tax_amount)).toBeGreaterThan(0);
      }
      for (const date of [day(first, -1), day(last, 1)]) expect(isFree(taxOn(state, date, exempt_at))).toBe(false);
    });
  });

  describe('other goods', () => {
    it.each(holidays('other goods'))('in $state on $first, $code: exempt up to $exempt_at', (row) => {
      const { state, first, code, exempt_at } = row;
      expect(isFree(taxOn(state, first, exempt_at, code))).toBe(true);
      expect(Number(taxOn(state, first, aCentAbove(exempt_at), code).tax_amount)).toBeGreaterThan(0);
    });

    it.each(holidays('any price'))('$code is exempt in $state at any price from $first to $last', (row) => {
      const { state, code, first, last } = row;
      const isFreeOn = (date: string) => isFree(taxOn(state, date, '3000.00', code));
      expect([day(first, -1), first, last, day(last, 1)].map(isFreeOn)).toEqual([false, true, true, false]);
    });

    it('are taxed in Missouri on the price above 1,500 for an efficient appliance from 19 to 25 April', () => {
      const on = (date: string) => taxOn('MO', date, '2000.00', 'HOME.APPLIANCES._ENERGY_STAR').tax_amount;
      expect(['2026-04-18', '2026-04-19', '2026-04-25', '2026-04-26'].map(on)).toEqual([
        '84.50',
        '21.13',
        '21.13',
        '84.50',
      ]);
    });

    it('have a warning in South Carolina, because general goods could be exempt bed linen', () =>
      expect(warningCodes(taxOn('SC', '2026-08-08', '50.00', 'GENERAL'))).toContain('content_unconfirmed'));

    it.each(['TX', 'OK', 'VA'])('are taxed in %s if they are athletic clothing', (state) =>
      expect(isFree(taxOn(state, '2026-08-08', '50.00', 'CLOTHING.APPAREL._ATHLETIC'))).toBe(false),
    );

    it('apply the limit per unit: two at 99.99 are exempt in Connecticut', () => {
      const line_items = [{ product_tax_code: 'CLOTHING.FOOTWEAR', unit_price: '99.99', quantity: '2' }];
      expect(isFree(ask({ to: { state: 'CT' }, tax_date: '2026-08-18', line_items }))).toBe(true);
    });

    it('include delivery in the price in Texas: 95 plus 10 of delivery is above 100', () => {
      expect(isFree(taxOn('TX', '2026-08-07', '95.00'))).toBe(true);
      const delivered = taxOn('TX', '2026-08-07', '95.00', 'CLOTHING.APPAREL', { shipping: { amount: '10.00' } });
      expect(delivered.line_items[0]?.tax_amount).toBe('5.94');
      expect(delivered.tax_amount).toBe('6.56');
    });
  });

  describe('a warning about an unestablished holiday applies', () => {
    it.each([
      ['FL', '2026-08-10', 'CLOTHING.CLOTHING_ACCESSORIES'],
      ['VA', '2026-08-08', 'SCHOOL.SCHOOL_ART_SUPPLIES'],
      ['VA', '2026-08-08', 'CLOTHING.APPAREL._ATHLETIC'],
      ['OH', '2026-08-08', 'GENERAL'],
      ['OH', '2026-08-08', 'ELECTRONICS.COMPUTERS'],
      ['AL', '2026-02-20', 'HOME.DISASTER_PREPAREDNESS'],
    ])('in %s on %s for %s', (state, date, code) => {
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
    ])('but not on other days: %s on %s', (state, date) =>
      expect(warningCodes(taxOn(state, date, '300.00'))).not.toContain('content_unconfirmed'),
    );
  });
});
