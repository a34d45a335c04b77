/** Clothing (content notes 4.2), sent as client requests. Figures of the law and of its examples, typed by hand. */
import { describe, expect, it } from 'vitest';
import type { ReleaseFor } from '../../shared/catalog/content.ts';
import type { Release } from '../../shared/catalog/release.ts';
import { chooseRule } from '../../shared/tax/rule-choice.ts';
import { importFiles, releaseForOf } from '../fixtures/imports/harness.ts';
import { ask, productOf } from '../support/builders.ts';
import { builtIn, town, withLocals } from '../support/local-content.ts';

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

  it.each(['MN', 'NJ'])('%s: warns that sources disagree about athletic clothing', (state) => {
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
  const taxAt = (postal_code: string, city: string, price: string) =>
    ask({ to: { state: 'NY', postal_code, city }, tax_date: '2026-11-20', line_items: [shirt(price)] });

  it.each([
    ['109.99', '0.00'],
    ['110.00', '9.76'],
    ['150.00', '13.31'],
  ])('at %s is taxed with %s in New York City, on every level', (price, tax) =>
    expect(taxAt('10001', 'New York', price).tax_amount).toBe(tax),
  );

  it.each([
    ['11201', 'Brooklyn', '9.76'],
    ['10451', 'Bronx', '9.76'],
    ['10301', 'Staten Island', '9.76'],
    ['14701', 'Jamestown', '8.80'],
    ['13815', 'Norwich', '8.80'],
    ['12534', 'Hudson', '8.80'],
    ['13753', 'Delhi', '8.80'],
    ['12601', 'Poughkeepsie', '8.94'],
    ['12414', 'Catskill', '8.80'],
    ['12108', 'Lake Pleasant', '8.80'],
    ['14604', 'Rochester', '8.80'],
    ['10512', 'Carmel', '9.21'],
    ['13827', 'Owego', '8.80'],
    ['14568', 'Walworth', '8.80'],
  ])('%s %s: under 110 is free, and 110.00 is taxed with %s', (zip, city, tax) => {
    expect(taxAt(zip, city, '109.99').tax_amount).toBe('0.00');
    expect(taxAt(zip, city, '110.00').tax_amount).toBe(tax);
  });

  it.each([
    ['12207', 'Albany', '4.00'],
    ['10701', 'Yonkers', '4.88'],
    ['14202', 'Buffalo', '4.75'],
    ['11501', 'Mineola', '4.63'],
  ])('%s %s has not elected the exemption: %s of local tax on 100.00', (zip, city, tax) => {
    const outcome = taxAt(zip, city, '100.00');
    expect(outcome.tax_amount).toBe(tax);
    expect(outcome.warnings.filter(({ message }) => message.includes('rule ny-clothing'))).toEqual([]);
  });

  it('under 110 is taxed where the county is not known, with a warning that names the ones that have elected', () => {
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
  ])('county 360%s on %s: %s', (county, day, rule) => {
    const taxing = {
      code: `US-NY-00-0${county}`,
      name: 'a county',
      type: 'county',
      tax_type: 'sales',
      county: `360${county}`,
    } as const;
    expect(chooseRule(builtIn('NY'), taxing, productOf('CLOTHING.APPAREL'), day)?.id).toBe(rule);
  });
});

describe('clothing in New York, by imported files', () => {
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
  /** Loaded as an import over the built-in release, which has the county of a ZIP. */
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
    return ask({ to, tax_date: '2026-11-20', line_items }, { releaseFor: overBuiltIn(releaseForOf(imported)) });
  };
  const cart = [shirt('150.00'), { ...shirt('25.00'), quantity: '2' }];

  const cityTables: readonly (readonly [string, Table])[] = [
    ['one combined row', woocommerce('US,NY,10001,NEW YORK,8.8750,NYC,1,0,1,')],
    ['one combined row without a city', woocommerce('US,NY,10001,*,8.8750,Tax,1,0,1,')],
    [
      'a row for each tax',
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
    ['all of it as special', zipRates('NY,10001,NEW YORK,0.08875,0.04,0,0,0.04875,1')],
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
    '%s is not, and its county has not elected the exemption',
    async (zip) => {
      const outcome = await taxIn(zipRates(`NY,${zip},ANY,0.08,0.04,0.04,0,0,1`), [shirt('100.00')], zip, 'Any');
      expect(outcome.tax_amount).toBe('4.00');
    },
  );
});
