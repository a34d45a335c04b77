/**
 * Worked cases of revenue departments, statutes and vendors (id in each title), with the rules of the built-in content and
 * the local rates that a case names. Figures typed by hand.
 */
import { describe, expect, it } from 'vitest';
import { ask, releaseOf, rule } from '../support/builders.ts';
import { town, withLocals } from '../support/local-content.ts';

const line = (product_tax_code: string, unit_price: string, others: object = {}) => ({
  product_tax_code,
  unit_price,
  ...others,
});
const at = (state: string, postal_code: string | null = null) => ({ state, postal_code });
describe('caps and bands', () => {
  it('tn-single-article-2000-max-local: 140.00 and 44.00 and 11.00', () => {
    const outcome = ask(
      { to: town('TN'), line_items: [line('HOME.FURNITURE', '2000.00')] },
      withLocals('TN', ['US-TN-DAVIDSON', 'county', '0.0275']),
    );
    expect(outcome.tax_amount).toBe('195.00');
    const taxes = outcome.line_items[0]?.taxes ?? [];
    expect(Object.fromEntries(taxes.map((row) => [row.jurisdiction_code, row.tax_amount]))).toEqual({
      'US-TN': '140.00',
      'US-TN-DAVIDSON': '44.00',
      'US-TN-SINGLE-ARTICLE': '11.00',
    });
  });
});

describe('dates', () => {
  it('nj-mfr-coupon-7pct: 7.00 on 99.95, with a coupon of 10.00 that the manufacturer pays', () => {
    const line_items = [line('GENERAL', '99.95', { third_party_discount_amount: '10.00' })];
    expect(ask({ to: at('NJ', '07102'), tax_date: '2016-06-01', line_items }).tax_amount).toBe('7.00');
  });

  it.each([
    ['2022-06-01', '33.66'],
    ['2023-06-30', '33.66'],
    ['2023-07-01', '30.60'],
  ])('ks-sofa-delivery, on %s: %s, as stated delivery is exempt since July 2023', (tax_date, tax) => {
    const outcome = ask(
      {
        to: town('KS'),
        tax_date,
        line_items: [line('HOME.FURNITURE', '450.00')],
        shipping: { amount: '45.00', product_tax_code: 'SHIPPING.DELIVERY._SEPARATELY_STATED' },
      },
      withLocals('KS', ['US-KS-COUNTY', 'county', '0.003']),
    );
    expect(outcome.tax_amount).toBe(tax);
  });
});

describe('charges that belong to the price', () => {
  it('ca-delivery-actual-cost-12: what a carrier is paid is exempt where it is stated', () => {
    const stated = 'SHIPPING.DELIVERY._AT_ACTUAL_COST._SEPARATELY_STATED';
    const outcome = ask({
      to: at('CA'),
      line_items: [line('GENERAL', '100.00')],
      shipping: { amount: '10.00', product_tax_code: stated },
    });
    expect(outcome.tax_amount).toBe('7.25');
  });

  it.each([
    ['SHIPPING.DELIVERY._AT_ACTUAL_COST', '7.25'],
    ['SHIPPING.POSTAGE._AT_ACTUAL_COST', '7.25'],
    ['SHIPPING.DELIVERY._AT_ACTUAL_COST._SELLER_VEHICLE', '7.98'],
    ['SHIPPING.DELIVERY', '7.25'],
    ['SHIPPING.DELIVERY._INCLUDED_IN_PRICE', '7.98'],
    ['SHIPPING.HANDLING', '7.98'],
  ])('in California a charge of what a carrier is paid is stated as such: %s of 10.00, %s', (product_tax_code, tax) => {
    const shipping = { amount: '10.00', product_tax_code };
    expect(ask({ to: at('CA'), line_items: [line('GENERAL', '100.00')], shipping }).tax_amount).toBe(tax);
  });

  it('ca-delivery-actual-cost-3: only 3.00 of 10.00 are, when they are two lines', () => {
    const line_items = [
      line('GENERAL', '100.00'),
      line('SHIPPING.DELIVERY._AT_ACTUAL_COST._SEPARATELY_STATED', '3.00'),
      line('SHIPPING.HANDLING', '7.00'),
    ];
    expect(ask({ to: at('CA'), line_items }).tax_amount).toBe('7.76');
  });

  const sevenPercent = withLocals('NY', ['US-NY-COUNTY', 'county', '0.03']);
  it('ny-excise-excluded-if-on-consumer: 70.00, when the excise of the consumer is a line that is not taxable', () => {
    const line_items = [line('GENERAL', '1000.00'), line('NONTAXABLE', '120.00')];
    expect(ask({ to: town('NY'), line_items }, sevenPercent).tax_amount).toBe('70.00');
  });
  it('ny-excise-included-if-on-manufacturer: 77.00 on 1,040.00 and 60.00 of excise', () =>
    expect(ask({ to: town('NY'), line_items: [line('GENERAL', '1100.00')] }, sevenPercent).tax_amount).toBe('77.00'));

  it('il-holiday-delivery-allocation: 95.00 with its share of the delivery is above 100, 60.00 is not', () => {
    const holiday = rule(
      'holiday',
      ['CLOTHING.APPAREL'],
      { type: 'holiday', amount: '100', inclusive: false },
      { threshold_includes_shipping: true },
    );
    const release = releaseOf({ rules: [holiday] });
    const outcome = ask(
      {
        to: { state: 'IL' },
        line_items: [line('CLOTHING.APPAREL', '95.00'), line('CLOTHING.APPAREL', '60.00')],
        shipping: { amount: '10.00' },
      },
      { releaseFor: () => release },
    );
    expect(outcome.line_items.map(({ taxes }) => taxes[0]?.taxability_reason)).toEqual([
      'standard_rated',
      'product_exempt_holiday',
    ]);
  });

  it('nj-mixed-shipment-vendor: all of the shipping is taxed once anything is, where that is the policy', () => {
    const release = releaseOf({
      of: [{ code: 'US-NJ', type: 'state', rate: '0.06625' }],
      rules: [rule('clothing', ['CLOTHING.APPAREL'], { type: 'exempt' })],
      shipping: 'any_taxable',
    });
    const outcome = ask(
      {
        to: { state: 'NJ' },
        line_items: [line('GENERAL', '100.00'), line('CLOTHING.APPAREL', '50.00')],
        shipping: { amount: '10.00' },
      },
      { releaseFor: () => release },
    );
    expect(outcome.tax_amount).toBe('7.29');
  });
});

describe('fees', () => {
  const fee = (orderPrice: string, state = 'MN') =>
    ask({
      to: { state },
      line_items: [line('GENERAL', orderPrice), line('FEES.RETAIL_DELIVERY_FEE', '0.00')],
    }).line_items[1]?.tax_amount;
  it.each([
    ['99.99', '0.00'],
    ['100.00', '0.50'],
    ['500.00', '0.50'],
  ])('the retail delivery fee of Minnesota on an order of %s is %s', (price, tax) => expect(fee(price)).toBe(tax));
  it('the retail delivery fee of Minnesota is due once for an order, whatever the quantity of its line', () => {
    const quantity = { quantity: '3' };
    const line_items = [line('GENERAL', '500.00'), line('FEES.RETAIL_DELIVERY_FEE', '0.00', quantity)];
    expect(ask({ to: { state: 'MN' }, line_items }).line_items[1]?.tax_amount).toBe('0.50');
  });

  const colorado = (code: string, tax_date: string) =>
    ask({
      to: { state: 'CO' },
      tax_date,
      line_items: [line(code, '10.00'), line('FEES.RETAIL_DELIVERY_FEE', '0.00')],
    });
  it.each([
    ['GENERAL', '2026-01-15', '0.28'],
    ['GENERAL', '2026-06-30', '0.28'],
    ['FOOD.PREPARED_FOOD', '2026-06-30', '0.28'],
    ['FOOD.GROCERY', '2026-06-30', '0.00'],
  ])('the retail delivery fee of Colorado on a delivery of %s on %s is %s', (code, tax_date, tax) =>
    expect(colorado(code, tax_date).line_items[1]?.tax_amount).toBe(tax),
  );
  it('the retail delivery fee of Colorado from July 2026 is the last published one, with a warning', () => {
    const outcome = colorado('GENERAL', '2026-07-01');
    expect(outcome.line_items[1]?.tax_amount).toBe('0.28');
    expect(outcome.warnings).toContainEqual(
      expect.objectContaining({ code: 'content_unconfirmed', message: expect.stringContaining('is not established') }),
    );
    expect(colorado('GENERAL', '2026-06-30').warnings.map(({ message }) => message)).not.toContainEqual(
      expect.stringContaining('is not established; the last'),
    );
  });
  it('a stated bottle deposit is not taxed in Pennsylvania', () =>
    expect(ask({ to: at('PA', '17101'), line_items: [line('FEES.CONTAINER_DEPOSIT', '5.00')] }).tax_amount).toBe(
      '0.00',
    ));
});
