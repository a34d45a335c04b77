/** The built-in content through requests of a client. Figures are typed by hand from the law. */
import { describe, expect, it } from 'vitest';
import { importFiles, releaseForOf } from '../fixtures/imports/harness.ts';
import { ask, warningCodes } from '../support/builders.ts';
import { onlyShipping } from '../support/shipping.ts';

const at = (state: string, postal_code: string | null = null, city: string | null = null) => ({
  state,
  postal_code,
  city,
});
const rowsOf = (outcome: ReturnType<typeof ask>) => outcome.line_items[0]?.taxes ?? [];

describe('general goods at 100.00', () => {
  it('cost 6.00 of tax in Lansing, Michigan', () => {
    const outcome = ask({
      to: { line1: '200 N Capitol Ave', city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' },
    });
    expect(outcome).toMatchObject({
      subtotal_amount: '100.00',
      taxable_amount: '100.00',
      exempt_amount: '0.00',
      tax_amount: '6.00',
      total_amount: '106.00',
      content_releases: { 'US-MI': 'US-MI@2026-11-22.1' },
      warnings: [],
      tax_summary: [{ jurisdiction_code: 'US-MI', rate: '0.06', taxable_amount: '100.00', tax_amount: '6.00' }],
    });
    expect(rowsOf(outcome)).toEqual([
      {
        jurisdiction_code: 'US-MI',
        jurisdiction_name: 'Michigan',
        jurisdiction_type: 'state',
        reporting_code: null,
        tax_type: 'sales',
        rate: '0.06',
        taxable_amount: '100.00',
        exempt_amount: '0.00',
        tax_amount: '6.00',
        taxability_reason: 'standard_rated',
        sourcing: 'destination',
        rule_id: 'mi-goods',
      },
    ]);
    expect(outcome.line_items[0]?.address_resolution).toEqual({
      level: 'state',
      ambiguous: false,
      coverage: 'complete',
    });
  });

  it.each([
    { state: 'DE', zip: '19901' },
    { state: 'MT', zip: '59601' },
    { state: 'NH', zip: '03301' },
    { state: 'OR', zip: '97301' },
  ])('are not subject to tax in $state, and a row has the reason', ({ state, zip }) => {
    const outcome = ask({ to: at(state, zip), shipping: { amount: '10.00' } });
    expect(outcome).toMatchObject({
      tax_amount: '0.00',
      taxable_amount: '0.00',
      exempt_amount: '110.00',
      warnings: [],
    });
    expect(rowsOf(outcome)).toMatchObject([
      { taxability_reason: 'not_subject_to_tax', tax_amount: '0.00', exempt_amount: '100.00' },
    ]);
    expect(outcome.line_items[0]?.address_resolution.coverage).toBe('complete');
  });

  it.each([
    { day: '2018-10-01', tax: '6.00', codes: [], because: 'the first day of 6 %' },
    { day: '2026-09-30', tax: '6.00', codes: [], because: 'the last day of 6 %' },
    { day: '2026-10-01', tax: '7.00', codes: [], because: 'the first day of 7 %' },
    { day: '2026-10-01T00:00:00.000Z', tax: '7.00', codes: [], because: 'an instant counts by its UTC date' },
    { day: '2026-09-30T23:59:59.999Z', tax: '6.00', codes: [], because: 'the last millisecond is of the day before' },
  ])('cost $tax in the District of Columbia on $day: $because', ({ day, tax, codes }) => {
    const outcome = ask({ to: at('DC', '20001'), tax_date: day });
    expect(outcome.tax_amount).toBe(tax);
    expect(warningCodes(outcome)).toEqual(expect.arrayContaining(codes));
    expect(outcome.warnings.filter(({ message }) => message.includes('general rate'))).toHaveLength(codes.length);
  });

  it.each([
    { state: 'MI', zip: '48933', day: '2021-12-31', tax: '0.00', reason: 'not_supported', codes: ['not_covered'] },
    { state: 'MI', zip: '48933', day: '2022-01-01', tax: '6.00', reason: 'standard_rated', codes: [] },
    { state: 'PA', zip: '17101', day: '2010-05-05', tax: '0.00', reason: 'not_supported', codes: ['not_covered'] },
    { state: 'CT', zip: '06103', day: '2011-06-30', tax: '0.00', reason: 'not_supported', codes: ['not_covered'] },
    { state: 'DC', zip: '20001', day: '2018-09-30', tax: '0.00', reason: 'not_supported', codes: ['not_covered'] },
    { state: 'OR', zip: '97301', day: '1999-01-01', tax: '0.00', reason: 'not_supported', codes: ['not_covered'] },
  ])('general goods in $state on $day are $reason, at $tax', ({ state, zip, day, tax, reason, codes }) => {
    const outcome = ask({ to: at(state, zip), tax_date: day, shipping: { amount: '10.00' } });
    expect(outcome.line_items[0]?.tax_amount).toBe(tax);
    expect(rowsOf(outcome)).toMatchObject([{ taxability_reason: reason }]);
    expect(warningCodes(outcome)).toEqual(expect.arrayContaining(codes));
    if (reason === 'not_supported') {
      expect(outcome).toMatchObject({
        taxable_amount: '0.00',
        tax_amount: '0.00',
        exempt_amount: '110.00',
        total_amount: '110.00',
      });
      expect(onlyShipping(outcome.shipping)?.taxes).toMatchObject([{ taxability_reason: 'not_supported' }]);
    }
  });

  it('are answered before 2026 where the rate is established: Connecticut in 2015 is 6.35 %', () => {
    const outcome = ask({ to: at('CT', '06103'), tax_date: '2015-03-01' });
    expect(outcome.tax_amount).toBe('6.35');
    expect(rowsOf(outcome)).toMatchObject([{ taxability_reason: 'standard_rated', rate: '0.0635' }]);
  });

  it.each(['AL', 'AZ', 'CA', 'CO', 'FL', 'GA', 'IL', 'KS', 'MO', 'NY', 'OH', 'TN', 'TX', 'WA', 'WI'])(
    'general goods in %s are taxed at the state rate alone, with a warning that local rates are missing',
    (state) => {
      const outcome = ask({ to: at(state), tax_date: october });
      expect(outcome.line_items[0]?.address_resolution).toEqual({
        level: 'state',
        ambiguous: true,
        coverage: 'partial',
      });
      expect(warningCodes(outcome)).toEqual(expect.arrayContaining(['local_rates_missing', 'address_ambiguous']));
      expect(rowsOf(outcome)).toHaveLength(1);
      expect(Number(outcome.tax_amount)).toBeGreaterThan(0);
    },
  );
});

const october = '2026-10-08';

describe('local taxes of the built-in content', () => {
  it.each([
    ['PA', '19103', '8.00', ['US-PA-01-60000'], 'Philadelphia adds 2 %'],
    ['PA', '15222', '7.00', ['US-PA-00-003'], 'Allegheny County adds 1 %'],
    ['PA', '17101', '6.00', [], 'Harrisburg adds nothing'],
    ['PA', '19103-1234', '8.00', ['US-PA-01-60000'], 'a ZIP+4 lies in its ZIP'],
    ['HI', '96813', '4.50', ['US-HI-00-003'], 'Oahu adds 0.5 %'],
    ['HI', '96720', '4.50', ['US-HI-00-001'], 'Hilo adds 0.5 %'],
    ['VA', '22201', '6.00', ['US-VA-63-NORTHERN'], 'Arlington: 5.3 + 0.7'],
    ['VA', '23220', '6.00', ['US-VA-63-CENTRAL'], 'Richmond: 5.3 + 0.7'],
    ['VA', '23510', '6.00', ['US-VA-63-HAMPTON-ROADS'], 'Norfolk: 5.3 + 0.7'],
    ['VA', '23185', '7.00', ['US-VA-63-HAMPTON-ROADS', 'US-VA-63-HISTORIC-TRIANGLE'], 'Williamsburg: 5.3 + 0.7 + 1'],
    ['VA', '24011', '5.30', [], 'Roanoke adds nothing'],
    ['MS', '39201', '8.00', ['US-MS-01-36000'], 'Jackson adds 1 %'],
    ['MS', '38802', '7.25', ['US-MS-01-74840'], 'Tupelo adds 0.25 %'],
    ['MS', '39501', '7.00', [], 'Gulfport adds nothing'],
    ['NV', '89701', '7.60', ['US-NV-00-510'], 'Carson City: 6.85 + 0.75'],
    [
      'MN',
      '55401',
      '9.03',
      ['US-MN-00-053', 'US-MN-01-43000', 'US-MN-63-80008', 'US-MN-63-80009', 'US-MN-63-80004'],
      'Minneapolis: 6.875 + 0.15 + 0.5 + 0.75 + 0.25 + 0.5 is 9.025',
    ],
    ['IL', '60601', '10.50', ['US-IL-031-14000'], 'Chicago has one combined rate'],
  ])('$0 $1: $2 on 100.00, $4', (state, zip, tax, local) => {
    const outcome = ask({ to: at(state, zip), tax_date: october });
    expect(outcome.tax_amount).toBe(tax);
    expect(rowsOf(outcome).map((row) => row.jurisdiction_code)).toEqual([`US-${state}`, ...local]);
    expect(outcome.line_items[0]?.address_resolution).toMatchObject({ ambiguous: false, coverage: 'complete' });
    expect(warningCodes(outcome)).toContain('local_rates_by_place');
  });

  it('Hawaii levies a general excise tax, and the row has its tax type', () => {
    expect(rowsOf(ask({ to: at('HI', '96813'), tax_date: october })).map((row) => row.tax_type)).toEqual([
      'general_excise',
      'general_excise',
    ]);
  });

  it.each([
    { state: 'VA', zip: '23220', tax: '1.00', because: '1 % flat, and no regional tax' },
    { state: 'MS', zip: '39201', tax: '5.00', because: '5 % flat, and no city tax' },
    { state: 'PA', zip: '19103', tax: '0.00', because: 'exempt on both levels' },
    { state: 'HI', zip: '96813', tax: '4.50', because: 'the excise falls on food too' },
  ])('groceries at 100.00 in $state $zip: $tax, $because', ({ state, zip, tax }) => {
    expect(ask({ to: at(state, zip), line_items: [{ product_tax_code: 'FOOD.GROCERY' }] }).tax_amount).toBe(tax);
  });
});

describe('a sale within Texas', () => {
  const content =
    'State,ZipCode,TaxRegionName,EstimatedCombinedRate,StateRate,EstimatedCountyRate,EstimatedCityRate,EstimatedSpecialRate,RiskLevel\n' +
    'TX,75001,NEAR,0.0725,0.0625,0,0.01,0,1\nTX,78701,FAR,0.0825,0.0625,0,0.01,0.01,1';

  it('is taxed at its origin, with a warning that use taxes of the destination may be due', async () => {
    const imported = await importFiles('zip-rates', 'TX', [{ name: 'rates.csv', content }]);
    const sale = (ship_from: object) =>
      ask({ to: at('TX', '78701'), ship_from }, { releaseFor: releaseForOf(imported) });
    const within = sale({ address: at('TX', '75001') });
    expect(within.tax_amount).toBe('7.25');
    expect(within.warnings.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('use taxes of the destination may be due'),
    );
    const remote = sale({ address: at('MI', '48933') });
    expect(remote.tax_amount).toBe('8.25');
    expect(remote.warnings.map(({ message }) => message).join()).not.toContain('use taxes');
  });
});
