/** Worked cases with known answers, from revenue departments, statutes and vendors, typed by hand (id in each title). */
import { describe, expect, it } from 'vitest';
import type { Effect, JurisdictionType } from '../../shared/content/release.ts';
import { ask, releaseOf, rule } from '../support/builders.ts';

const line = (product_tax_code: string, unit_price: string, others: object = {}) => ({
  product_tax_code,
  unit_price,
  ...others,
});
const general = (unit_price: string, others: object = {}) => line('GENERAL', unit_price, others);
const to = (state: string, postal_code: string | null = null) => ({ state, postal_code });

describe('worked cases with the built-in content', () => {
  it.each([
    { id: 'ct-clothing-1000', at: to('CT', '06103'), lines: [line('CLOTHING.APPAREL', '1000.00')], tax: '63.50' },
    {
      id: 'ct-data-processing',
      at: to('CT', '06103'),
      lines: [line('SERVICES.DATA_PROCESSING', '1000.00')],
      tax: '10.00',
    },
    { id: 'ct-vessel', at: to('CT', '06103'), lines: [line('WATERCRAFT.BOATS', '20000.00')], tax: '598.00' },
    { id: 'dc-2026-10-01', at: to('DC', '20001'), day: '2026-10-01', lines: [general('100.00')], tax: '7.00' },
    {
      id: 'ia-mfr-coupon',
      at: to('IA'),
      lines: [line('HEALTH.MEDICAL_SUPPLIES', '1.50', { third_party_discount_amount: '0.30' })],
      tax: '0.09',
    },
    { id: 'la-2025', at: to('LA'), day: '2025-01-01', lines: [general('100.00')], tax: '5.00' },
    {
      id: 'ma-205-and-78',
      at: to('MA', '02108'),
      lines: [line('CLOTHING.APPAREL', '205.00'), line('CLOTHING.APPAREL', '78.00')],
      tax: '1.88',
    },
    {
      id: 'ma-205-and-78-coupon-10',
      at: to('MA', '02108'),
      lines: [
        line('CLOTHING.APPAREL', '205.00', { discount_amount: '5.00' }),
        line('CLOTHING.APPAREL', '78.00', { discount_amount: '5.00' }),
      ],
      tax: '1.56',
    },
    { id: 'ma-coat-200', at: to('MA', '02108'), lines: [line('CLOTHING.APPAREL', '200.00')], tax: '1.56' },
    { id: 'md-0-19', at: to('MD', '21201'), lines: [general('0.19')], tax: '0.00' },
    {
      id: 'nj-bogo-mfr',
      at: to('NJ', '07102'),
      lines: [general('2.99', { quantity: '2', third_party_discount_amount: '2.99' })],
      tax: '0.40',
    },
    { id: 'or-zero', at: to('OR', '97301'), lines: [general('100.00')], tax: '0.00' },
    { id: 'sst-324-up', at: to('IN', '46204'), lines: [general('4.50')], tax: '0.32' },
    { id: 'va-grocery', at: to('VA', '23220'), lines: [line('FOOD.GROCERY', '100.00')], tax: '1.00' },
    { id: 'pa-bracket-0-11', at: to('PA', '17101'), lines: [general('0.11')], tax: '0.01' },
    { id: 'pa-bracket-0-18', at: to('PA', '17101'), lines: [general('0.18')], tax: '0.02' },
    { id: 'pa-bracket-0-34', at: to('PA', '17101'), lines: [general('0.34')], tax: '0.02' },
    { id: 'pa-bracket-0-35', at: to('PA', '17101'), lines: [general('0.35')], tax: '0.03' },
    { id: 'pa-bracket-0-50', at: to('PA', '17101'), lines: [general('0.50')], tax: '0.03' },
    { id: 'pa-bracket-0-51', at: to('PA', '17101'), lines: [general('0.51')], tax: '0.04' },
    { id: 'pa-bracket-0-67', at: to('PA', '17101'), lines: [general('0.67')], tax: '0.04' },
    { id: 'pa-bracket-0-68', at: to('PA', '17101'), lines: [general('0.68')], tax: '0.05' },
    { id: 'pa-bracket-1-00', at: to('PA', '17101'), lines: [general('1.00')], tax: '0.06' },
    { id: 'pa-bracket-9-99', at: to('PA', '17101'), lines: [general('9.99')], tax: '0.60' },
    { id: 'pa-invoice-basis', at: to('PA', '17101'), lines: [general('0.51'), general('0.51')], tax: '0.06' },
  ])('$id: $tax', ({ at, lines, tax, day }) => {
    const outcome = ask({ to: at, line_items: lines, ...(day ? { tax_date: day } : {}) });
    expect(outcome.tax_amount).toBe(tax);
  });

  it('ma-205-and-78-coupon-10: the customer pays 274.56', () => {
    const line_items = [
      line('CLOTHING.APPAREL', '205.00', { discount_amount: '5.00' }),
      line('CLOTHING.APPAREL', '78.00', { discount_amount: '5.00' }),
    ];
    expect(ask({ to: to('MA', '02108'), line_items }).total_amount).toBe('274.56');
  });

  it('nj-bogo-mfr: the customer pays 3.39', () => {
    const line_items = [general('2.99', { quantity: '2', third_party_discount_amount: '2.99' })];
    expect(ask({ to: to('NJ', '07102'), line_items }).total_amount).toBe('3.39');
  });

  it('exempt-line: an exempt line of 50.00 in Florida stays at zero', () => {
    const customer = { address: to('FL', '32801'), exemption: { type: 'resale' as const } };
    expect(ask({ customer, line_items: [general('50.00')] })).toMatchObject({
      tax_amount: '0.00',
      exempt_amount: '50.00',
    });
  });

  it.each([
    { id: 'pa-local1-0-51', price: '0.51', local: '0.01' },
    { id: 'pa-local1-1-50', price: '1.50', local: '0.01' },
    { id: 'pa-local1-1-51', price: '1.51', local: '0.02' },
    { id: 'pa-local1-9-50', price: '9.50', local: '0.09' },
  ])('$id: $local of local tax on $price', ({ price, local }) => {
    const { line_items } = ask({ to: to('PA', '15222'), line_items: [general(price)] });
    expect(line_items[0]?.taxes.map((row) => row.jurisdiction_code)).toEqual(['US-PA', 'US-PA-00-003']);
    expect(line_items[0]?.taxes[1]?.tax_amount).toBe(local);
  });

  it('nj-mixed-shipment-allocated: 6.67 of 10.00 of delivery follow the taxed 100.00 of 150.00', () => {
    const outcome = ask({
      to: to('NJ', '07102'),
      tax_date: '2026-06-01',
      line_items: [general('100.00'), line('CLOTHING.APPAREL', '50.00')],
      shipping: { amount: '10.00' },
    });
    expect(outcome).toMatchObject({ tax_amount: '7.07', line_items: [{ tax_amount: '6.63' }, { tax_amount: '0.00' }] });
    expect(outcome.shipping).toMatchObject({ taxable_amount: '6.67', exempt_amount: '3.33', tax_amount: '0.44' });
  });

  it('wi-delivery: 5.50 of state tax on 100.00 and 10.00 of delivery', () => {
    expect(
      ask({ to: to('WI', '53703'), line_items: [general('100.00')], shipping: { amount: '10.00' } }).tax_amount,
    ).toBe('5.50');
  });
});

type Local = readonly [type: JurisdictionType, rate: string];

describe('worked cases with rates of their own, which the built-in content does not hold', () => {
  const content = (
    state: string,
    rate: string,
    local: readonly Local[] = [],
    rules: Parameters<typeof releaseOf>[0] = {},
  ) => {
    const names = local.map(([type, own], index) => ({ code: `US-${state}-${index}`, type, rate: own }));
    const release = releaseOf({
      of: [{ code: `US-${state}`, type: 'state', rate }, ...names],
      locations: [
        {
          zips: [],
          cities: ['TOWN'],
          alternatives: [names.map(({ code }) => code)],
          from: null,
          to: null,
          source: 'test',
          confidence: 'high',
        },
      ],
      ...rules,
    });
    return { releaseFor: () => release };
  };
  const town = (state: string) => ({ state, city: 'Town' });

  it('ca-component-rounding: 15.00 at 6.25 + 0.25 + 2.5 % is 1.35, although the rounded parts add to 1.36', () => {
    const around = content(
      'CA',
      '0.0625',
      [
        ['county', '0.0025'],
        ['district', '0.025'],
      ],
      { shipping: 'exempt_if_stated' },
    );
    const shipping = { amount: '1.50', product_tax_code: 'SHIPPING.DELIVERY._SEPARATELY_STATED' };
    const outcome = ask({ to: town('CA'), line_items: [general('15.00')], shipping }, around);
    expect(outcome.tax_amount).toBe('1.35');
    expect(outcome.line_items[0]?.taxes.map((row) => row.tax_amount)).toEqual(['0.94', '0.04', '0.37']);
  });

  it.each([
    {
      id: 'ks-meal-store-coupon',
      state: 'KS',
      rate: '0.07',
      lines: [line('FOOD.PREPARED_FOOD', '20.00', { discount_amount: '5.00' })],
      tax: '1.05',
    },
    {
      id: 'ks-rental-250',
      state: 'KS',
      rate: '0.0855',
      lines: [line('RENTALS.EQUIPMENT_RENTAL', '250.00')],
      tax: '21.38',
    },
    { id: 'nc-7pct-10', state: 'NC', rate: '0.07', lines: [general('10.00')], tax: '0.70' },
    {
      id: 'nj-mfr-coupon-7pct',
      state: 'NJ',
      rate: '0.07',
      lines: [general('99.95', { third_party_discount_amount: '10.00' })],
      tax: '7.00',
    },
    { id: 'mn-saint-paul-sst', state: 'MN', rate: '0.09875', lines: [general('19.99')], tax: '1.97' },
    { id: 'tx-825-ten-dollars', state: 'TX', rate: '0.0825', lines: [general('10.00')], tax: '0.83' },
    {
      id: 'ar-furniture-no-cap',
      state: 'AR',
      rate: '0.095',
      lines: [line('HOME.FURNITURE', '3000.00')],
      tax: '285.00',
    },
  ])('$id: $tax', ({ state, rate, lines, tax }) => {
    expect(ask({ to: town(state), line_items: lines }, content(state, rate)).tax_amount).toBe(tax);
  });

  it('ks-sofa-delivery: 450.00 and 45.00 of delivery that follows it, at 6.8 %, are 33.66', () => {
    const outcome = ask(
      { to: town('KS'), line_items: [line('HOME.FURNITURE', '450.00')], shipping: { amount: '45.00' } },
      content('KS', '0.068'),
    );
    expect(outcome.tax_amount).toBe('33.66');
  });

  it('mn-minneapolis-sst: 100.00 at six rates that sum to 9.025 % is 9.03', () => {
    const local: Local[] = [
      ['county', '0.0015'],
      ['city', '0.005'],
      ['district', '0.005'],
      ['district', '0.0075'],
      ['district', '0.0025'],
    ];
    const outcome = ask({ to: town('MN'), line_items: [general('100.00')] }, content('MN', '0.06875', local));
    expect(outcome.tax_amount).toBe('9.03');
    expect(outcome.line_items[0]?.taxes.map((row) => row.tax_amount)).toEqual([
      '6.88',
      '0.15',
      '0.50',
      '0.50',
      '0.75',
      '0.25',
    ]);
  });

  it('ks-grocery-2025: 0 % of the state leaves 1 % of local tax', () => {
    const rules = [rule('state', ['FOOD.GROCERY'], { type: 'rate', rate: '0' }, { levels: ['state'] })];
    const around = content('KS', '0.065', [['county', '0.01']], { rules });
    const outcome = ask({ to: town('KS'), line_items: [line('FOOD.GROCERY', '100.00')] }, around);
    expect(outcome.tax_amount).toBe('1.00');
    expect(outcome.line_items[0]?.taxes.map((row) => [row.taxability_reason, row.tax_amount])).toEqual([
      ['zero_rated', '0.00'],
      ['standard_rated', '1.00'],
    ]);
  });

  const cliff: Effect = { type: 'threshold_cliff', amount: '110', inclusive: false };
  const newYork = content(
    'NY',
    '0.04',
    [
      ['city', '0.045'],
      ['district', '0.00375'],
    ],
    {
      rules: [rule('clothing', ['CLOTHING.APPAREL'], cliff)],
    },
  );
  it.each([
    {
      id: 'ny-110-boundary',
      lines: [line('CLOTHING.APPAREL', '109.99'), line('CLOTHING.APPAREL', '110.00')],
      tax: '9.76',
    },
    {
      id: 'ny-nyc-clothing-cliff',
      lines: [line('CLOTHING.APPAREL', '150.00'), line('CLOTHING.APPAREL', '25.00', { quantity: '2' })],
      tax: '13.31',
    },
    {
      id: 'ny-nyc-general-and-clothing',
      lines: [general('10.00'), line('CLOTHING.APPAREL', '25.00', { quantity: '2' })],
      tax: '0.89',
    },
  ])('$id: $tax', ({ lines, tax }) => {
    expect(ask({ to: town('NY'), line_items: lines }, newYork).tax_amount).toBe(tax);
  });
});
