import { describe, expect, it } from 'vitest';
import type { ShippingPolicy } from '../../shared/catalog/release.ts';
import { calculateTax } from '../../shared/tax/calculate.ts';
import { documentOf, lineOf, placeOf, productOf, releaseOf, rule } from '../support/builders.ts';

const placeWith = (shipping: ShippingPolicy) =>
  placeOf(releaseOf({ shipping, rules: [rule('clothes', ['CLOTHING.APPAREL'], { type: 'exempt' })] }));

/** The tax on shipping of 10.00 with 30.00 of taxable and 10.00 of exempt goods, at 6 %. */
const shippingOf = (policy: ShippingPolicy, ptc: string) => {
  const place = placeWith(policy);
  const lines = [lineOf(place, { amount: '30.00' }), lineOf(place, { ptc: 'CLOTHING.APPAREL', amount: '10.00' })];
  const [shipping] = calculateTax(documentOf(lines, { shipping: { amount: 1000n, product: productOf(ptc) } })).shipping;
  if (!shipping) throw new Error('no shipping came back');
  return shipping;
};

const charges = ['SHIPPING.DELIVERY', 'SHIPPING.HANDLING', 'SHIPPING.POSTAGE'];
// 7.50 of the 10.00 go with the taxable goods: 0.45 of tax.
const following = 45n;

describe('shipping that is exempt unless it is included in the price', () => {
  it.each(charges)('exempts %s, stated or without a word, and taxes it as its goods within the price', (charge) => {
    const taxOf = (attributes: string) => shippingOf('exempt_unless_included', `${charge}${attributes}`).tax;
    expect([taxOf(''), taxOf('._SEPARATELY_STATED'), taxOf('._INCLUDED_IN_PRICE')]).toEqual([0n, 0n, following]);
  });
});

describe('shipping that is taxable unless the buyer can avoid it', () => {
  it.each([
    { attributes: '', tax: following },
    { attributes: '._SEPARATELY_STATED', tax: following },
    { attributes: '._INCLUDED_IN_PRICE', tax: following },
    { attributes: '._OPTIONAL_CHARGE', tax: 0n },
    { attributes: '._OPTIONAL_CHARGE._SEPARATELY_STATED', tax: 0n },
    { attributes: '._INCLUDED_IN_PRICE._OPTIONAL_CHARGE', tax: following },
  ])('delivery$attributes is taxed $tax cents', ({ attributes, tax }) => {
    expect(shippingOf('taxable_unless_avoidable', `SHIPPING.DELIVERY${attributes}`).tax).toBe(tax);
  });
});

describe('the uncertainties about shipping without an attribute', () => {
  it.each([
    ['exempt_if_stated', ['shipping_not_stated']],
    ['exempt_unless_included', []],
    ['taxable_unless_avoidable', []],
  ] as const)('the policy %s has the uncertainties %s', (policy, codes) => {
    const uncertainties = shippingOf(policy, 'SHIPPING.DELIVERY').treatments.flatMap(
      (treatment) => treatment.uncertainties,
    );
    expect([...new Set(uncertainties.map(({ code }) => code))]).toEqual(codes);
  });
});
