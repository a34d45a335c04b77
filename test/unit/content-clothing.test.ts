import { describe, expect, it } from 'vitest';
import type { ReleaseFor } from '../../shared/catalog/content.ts';
import type { Release } from '../../shared/catalog/release.ts';
import { chooseRule } from '../../shared/tax/rule-choice.ts';
import { createReleaseFor, importFiles, tableFile } from '../fixtures/imports/harness.ts';
import { ask, getProduct, warningCodes } from '../support/builders.ts';
import { holidays, readings } from '../support/facts.ts';
import { builtIn } from '../support/local-content.ts';

/** Clothing, sent as client requests. Amounts are typed by hand from the law and its examples. */

const shirt = (unit_price: string, attributes = '') => ({
  product_tax_code: `CLOTHING.APPAREL${attributes}`,
  unit_price,
});
it.each(readings('clothing rule of a county in New York'))(
  'taxes clothing in New York in county $text: $result',
  ({ text, result }) => {
    const [county = '', day = ''] = text.split(' ');
    const taxing = {
      code: `US-NY-00-${county.slice(2)}`,
      name: 'a county',
      type: 'county',
      tax_type: 'sales',
      county,
    } as const;
    expect(chooseRule(builtIn('NY'), taxing, getProduct('CLOTHING.APPAREL'), day)?.id).toBe(result);
  },
);

describe('clothing in New York with an import', () => {
  const woocommerce = (...rows: readonly string[]) => ({ format: 'woocommerce' as const, rows });
  const zipRates = (...rows: readonly string[]) => ({ format: 'zip-rates' as const, rows });
  /** Sets the built-in release, which maps the ZIP to a county, as the fallback of an import. */
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
    { format, rows }: Table,
    line_items: readonly object[],
    postal_code = '10001',
    city = 'New York',
  ) => {
    const imported = await importFiles(format, 'NY', [tableFile(format, ...rows)]);
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

  it.each(cityTables)('exempts clothing below 110 in New York City: %s', async (_, table) => {
    expect((await taxIn(table, cart)).tax_amount).toBe('13.31');
    expect((await taxIn(table, [shirt('109.99')])).tax_amount).toBe('0.00');
    expect((await taxIn(table, [shirt('110.00')])).tax_amount).toBe('9.76');
    expect((await taxIn(table, [{ unit_price: '100.00' }])).tax_amount).toBe('8.88');
  });

  it.each('10001 10282 10301 10314 10451 10475 11004 11101 11201 11256 11351 11439 11691'.split(' '))(
    'places %s in New York City',
    async (zip) => {
      const table = zipRates(`NY,${zip},ANY,0.08875,0.04,0.045,0,0.00375,1`);
      expect((await taxIn(table, [shirt('109.99')], zip)).tax_amount).toBe('0.00');
    },
  );

  // ZIP 10505 is in Putnam County, which exempts clothing, and in Westchester County, which taxes it at 4 3/8 %.
  it.each([
    ['Any', '4.38', ['content_unconfirmed']],
    ['Baldwin Place', '4.38', ['content_unconfirmed']],
  ])('taxes clothing in a ZIP of two counties with a warning in %s', async (city, tax, codes) => {
    const table = zipRates('NY,10505,ANY,0.08375,0.04,0.04,0,0.00375,1');
    const outcome = await taxIn(table, [shirt('100.00')], '10505', city);
    expect([outcome.tax_amount, warningCodes(outcome)]).toEqual([tax, expect.arrayContaining(codes)]);
  });

  it.each(['11040', '11096', '11501', '11801', '10501', '10601', '10701', '10801', '12207', '14201'])(
    'places %s outside New York City, in a county that has not elected the exemption',
    async (zip) => {
      const outcome = await taxIn(zipRates(`NY,${zip},ANY,0.08,0.04,0.04,0,0,1`), [shirt('100.00')], zip, 'Any');
      expect(outcome.tax_amount).toBe('4.00');
    },
  );
});

const day = (date: string, days: number) =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
const taxOn = (state: string, tax_date: string, unit_price: string, product_tax_code = 'CLOTHING.APPAREL') =>
  ask({ to: { state }, tax_date, line_items: [{ product_tax_code, unit_price }] });
const isFree = (outcome: ReturnType<typeof ask>) =>
  outcome.tax_amount === '0.00' && outcome.line_items[0]?.taxes[0]?.taxability_reason === 'product_exempt_holiday';
const aCentAbove = (price: string) => (Number(price) + 0.01).toFixed(2);

describe('sales tax holidays', () => {
  /** States whose law was checked, so their exemptions have no warning. */
  const confirmed = 'AL AR CT FL IA MD MO MS OK TN TX VA WV'.split(' ');

  it.each(holidays('clothing'))('exempts clothing in $state from $first to $last, up to $exempt_at', (row) => {
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

  it.each(holidays('other goods'))('exempts $code up to $exempt_at in $state on $first', (row) => {
    const { state, first, code, exempt_at } = row;
    expect(isFree(taxOn(state, first, exempt_at, code))).toBe(true);
    expect(Number(taxOn(state, first, aCentAbove(exempt_at), code).tax_amount)).toBeGreaterThan(0);
  });

  it.each(holidays('any price'))('exempts $code in $state at any price from $first to $last', (row) => {
    const { state, code, first, last } = row;
    const isFreeOn = (date: string) => isFree(taxOn(state, date, '3000.00', code));
    expect([day(first, -1), first, last, day(last, 1)].map(isFreeOn)).toEqual([false, true, true, false]);
  });

  it.each([
    ['MA', '2026-08-08', 'GENERAL', '6.25'],
    ['MA', '2026-08-09', 'CLOTHING.APPAREL._PROTECTIVE', '6.25'],
    ['OH', '2026-08-07', 'CLOTHING.APPAREL', '2.88', '50.00'],
    ['OH', '2026-08-09', 'SCHOOL.SCHOOL_SUPPLIES', '1.15', '20.00'],
    ['TN', '2026-07-31', 'CLOTHING.APPAREL', '7.00'],
    ['TN', '2026-08-02', 'ELECTRONICS.COMPUTERS', '7.00'],
    ['SC', '2026-08-07', 'CLOTHING.APPAREL', '6.00'],
    ['SC', '2026-08-09', 'ELECTRONICS.COMPUTERS', '6.00'],
    ['VA', '2026-08-07', 'HOME.APPLIANCES._ENERGY_STAR', '5.30'],
    ['FL', '2026-08-31', 'ELECTRONICS.COMPUTERS', '6.00'],
    ['WV', '2026-08-03', 'ELECTRONICS.COMPUTERS', '6.00'],
    ['WV', '2026-07-31', 'CLOTHING.APPAREL', '6.00'],
    ['WV', '2026-07-31', 'CLOTHING.SPORT_EQUIPMENT', '6.00'],
    ['LA', '2026-09-04', 'SPORTING.FIREARMS', '5.00'],
    ['AL', '2026-07-18', 'SCHOOL.SCHOOL_SUPPLIES', '1.60', '40.00'],
    ['AL', '2027-07-18', 'SCHOOL.SCHOOL_ART_SUPPLIES', '1.60', '40.00'],
    ['AL', '2026-07-18', 'PRINT.BOOKS', '0.80', '20.00'],
    ['AL', '2027-07-16', 'PRINT.BOOKS', '0.80', '20.00'],
    ['TX', '2026-08-08', 'SCHOOL.SCHOOL_SUPPLIES', '3.13', '50.00'],
    ['TX', '2027-08-06', 'SCHOOL.SCHOOL_SUPPLIES', '3.13', '50.00'],
  ])(
    'exempts $2 in $0 on $1 for personal use but not for a business, which owes $3',
    (state, tax_date, product_tax_code, tax, ...prices) => {
      const line_items = [{ product_tax_code, unit_price: prices[0] ?? '100.00' }];
      const taxFor = (use: 'business' | 'personal' | null) =>
        ask({ customer: { address: { state }, use }, tax_date, line_items, explain: true });
      expect([taxFor(null), taxFor('personal')].map(isFree)).toEqual([true, true]);
      const { tax_amount, explanation } = taxFor('business');
      expect(tax_amount).toBe(tax);
      expect(explanation?.map(({ text }) => text).join()).toMatch(/sales-tax holiday .*the buyer is a business/);
    },
  );

  it.each(['CLOTHING.APPAREL', 'ELECTRONICS.COMPUTERS'])(
    'also exempts %s for a business in Alabama',
    (product_tax_code) => {
      const customer = { address: { state: 'AL' }, use: 'business' } as const;
      expect(isFree(ask({ customer, tax_date: '2026-07-18', line_items: [{ product_tax_code }] }))).toBe(true);
    },
  );

  it.each([
    ['MA', 'GENERAL', '3000.00', null, 'the price is above its limit.'],
    ['MA', 'GENERAL', '3000.00', 'personal', 'the price is above its limit.'],
    ['MA', 'GENERAL', '100.00', 'business', 'the buyer is a business.'],
    ['TX', 'CLOTHING.APPAREL', '100.00', 'business', 'the price is not below its limit.'],
  ] as const)(
    'explains why $1 for $2 is not exempt in $0 with the use $3: $4',
    (state, product_tax_code, unit_price, use, reason) => {
      const tax_date = '2026-08-08';
      const line_items = [{ product_tax_code, unit_price }];
      const { explanation } = ask({ customer: { address: { state }, use }, tax_date, line_items, explain: true });
      const texts = explanation?.map(({ text }) => text).filter((text) => text.includes('sales-tax holiday'));
      expect(texts).toEqual([expect.stringContaining(`does not apply: ${reason}`)]);
    },
  );

  it('warns about accessories in South Carolina, which taxes wallets and watches', () => {
    const accessories = taxOn('SC', '2026-08-07', '100.00', 'CLOTHING.CLOTHING_ACCESSORIES');
    expect([isFree(accessories), warningCodes(accessories)]).toEqual([
      true,
      expect.arrayContaining(['content_unconfirmed']),
    ]);
    expect(warningCodes(taxOn('SC', '2026-08-07', '100.00'))).not.toContain('content_unconfirmed');
  });

  it('warns about software in Massachusetts, whose holiday may cover it', () =>
    expect(warningCodes(taxOn('MA', '2026-08-08', '100.00', 'SOFTWARE.SAAS'))).toContain('content_unconfirmed'));
});
