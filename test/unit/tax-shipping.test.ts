import { describe, expect, it } from 'vitest';
import { calculateTax } from '../../shared/tax/calculate.ts';
import type { TaxedShipping, TaxLine } from '../../shared/tax/document.ts';
import { cents, documentOf, lineOf, placeOf, productOf, releaseOf, rule } from '../support/builders.ts';

const clothesAreFree = rule('clothes', ['CLOTHING.APPAREL'], { type: 'exempt' });
const following = placeOf(releaseOf({ rules: [clothesAreFree] }));
const other = placeOf(releaseOf({ of: [{ code: 'US-YY', type: 'state', rate: '0.10' }] }));

const taxable = (amount: string, place = following) => lineOf(place, { amount });
const free = (amount: string, place = following) => lineOf(place, { amount, ptc: 'CLOTHING.APPAREL' });

const ship = (amount: string, lines: readonly TaxLine[], ptc = 'SHIPPING.DELIVERY'): TaxedShipping => {
  const { shipping } = calculateTax(
    documentOf(lines, { shipping: { amount: cents(amount), product: productOf(ptc) } }),
  );
  if (!shipping) throw new Error('no shipping came back');
  return shipping;
};

describe('shipping that follows the goods', () => {
  it.each([
    { lines: [taxable('100.00')], taxed: 1000n, because: 'the goods are taxed' },
    { lines: [free('100.00')], taxed: 0n, because: 'the goods are free' },
    { lines: [taxable('100.00'), free('50.00')], taxed: 667n, because: 'two thirds of the goods are taxed' },
    { lines: [free('50.00'), taxable('100.00')], taxed: 667n, because: 'the order does not matter' },
    { lines: [taxable('50.00'), free('50.00')], taxed: 500n, because: 'half of the goods' },
    { lines: [taxable('0'), free('0')], taxed: 500n, because: 'lines of zero share equally' },
    { lines: [taxable('0'), free('100.00')], taxed: 0n, because: 'a line of zero has no share beside others' },
    {
      lines: [lineOf(following, { amount: '100.00', discount: '50.00' }), free('50.00')],
      taxed: 500n,
      because: 'shares go by the net, not by the price',
    },
    {
      lines: [lineOf(following, { amount: '50.00', thirdPartyDiscount: '25.00' }), free('50.00')],
      taxed: 500n,
      because: 'a third-party discount lowers no share',
    },
  ])('of 10.00, $taxed cents are taxed: $because', ({ lines, taxed }) => {
    const shipping = ship('10.00', lines);
    expect(shipping).toMatchObject({ net: 1000n, taxable: taxed, exempt: 1000n - taxed });
    expect(shipping.tax).toBe((taxed * 6n + 50n) / 100n);
  });

  it('keeps the free part as a row of its own, so that the rows say the whole amount', () => {
    const { rows } = ship('10.00', [taxable('100.00'), free('50.00')]);
    expect(rows.map(({ reason, taxable: base, exempt, tax }) => ({ reason, base, exempt, tax }))).toEqual([
      { reason: 'standard_rated', base: 667n, exempt: 0n, tax: 40n },
      { reason: 'product_exempt', base: 0n, exempt: 333n, tax: 0n },
    ]);
  });

  it('is taxed in the part in which its goods are', () => {
    const excess = rule('excess', ['CLOTHING.APPAREL'], { type: 'threshold_excess', amount: '175' });
    const line = lineOf(placeOf(releaseOf({ rules: [excess] })), { ptc: 'CLOTHING.APPAREL', amount: '200.00' });
    expect(ship('10.00', [line])).toMatchObject({ taxable: 125n, exempt: 875n, tax: 8n });
  });

  it('is taxed at the rate of its goods', () => {
    const meals = rule('groceries', ['FOOD.GROCERY'], { type: 'rate', rate: '0.02' });
    const line = lineOf(placeOf(releaseOf({ rules: [meals] })), { ptc: 'FOOD.GROCERY' });
    expect(ship('10.00', [line]).rows).toMatchObject([{ rate: '0.02', tax: 20n, reason: 'reduced_rated' }]);
  });

  it('is taxed where each line is delivered, in the place of each share', () => {
    const { rows, tax } = ship('10.00', [taxable('30.00'), taxable('10.00', other)]);
    expect(rows.map(({ jurisdiction, taxable: base, tax: own }) => [jurisdiction.code, base, own])).toEqual([
      ['US-XX', 750n, 45n],
      ['US-YY', 250n, 25n],
    ]);
    expect(tax).toBe(70n);
  });

  it('shares an odd cent to the line with the largest remainder, and to the first of equals', () => {
    const third = placeOf(releaseOf({ of: [{ code: 'US-ZZ', type: 'state', rate: '0.05' }] }));
    const { rows } = ship('10.00', [taxable('1.00'), taxable('1.00', other), taxable('1.00', third)]);
    expect(rows.map(({ taxable: base }) => base)).toEqual([334n, 333n, 333n]);
  });

  it('is not taxed for a buyer who is exempt, by lines', () => {
    const exemptLine: TaxLine = { ...taxable('50.00'), relief: 'customer_exempt' };
    expect(ship('10.00', [exemptLine, taxable('50.00')])).toMatchObject({ taxable: 500n, exempt: 500n, tax: 30n });
  });
});

describe('the shipping policy of a state', () => {
  it.each([
    { policy: 'exempt_if_stated', ptc: 'SHIPPING.DELIVERY._SEPARATELY_STATED', tax: 0n, because: 'it is stated' },
    { policy: 'exempt_if_stated', ptc: 'SHIPPING.DELIVERY', tax: 60n, because: 'unstated, it follows the goods' },
    {
      policy: 'follows_goods',
      ptc: 'SHIPPING.DELIVERY._SEPARATELY_STATED',
      tax: 60n,
      because: 'stating it changes nothing',
    },
    { policy: 'always_taxable', ptc: 'SHIPPING.DELIVERY._SEPARATELY_STATED', tax: 60n, because: 'it is taxed' },
  ] as const)('$policy, $ptc of 10.00 with taxed goods: $tax cents, $because', ({ policy, ptc, tax }) => {
    expect(ship('10.00', [taxable('100.00', placeOf(releaseOf({ shipping: policy })))], ptc).tax).toBe(tax);
  });

  it.each([
    { policy: 'exempt_if_stated', tax: 0n },
    { policy: 'follows_goods', tax: 0n },
    { policy: 'always_taxable', tax: 60n },
  ] as const)('$policy, delivery of free goods: $tax cents', ({ policy, tax }) => {
    expect(ship('10.00', [free('100.00', placeOf(releaseOf({ shipping: policy, rules: [clothesAreFree] })))]).tax).toBe(
      tax,
    );
  });

  it('a rule that names the charge wins over the policy', () => {
    const rules = [rule('handling', ['SHIPPING.HANDLING'], { type: 'taxable' })];
    const place = placeOf(releaseOf({ shipping: 'exempt_if_stated', rules }));
    expect(ship('10.00', [taxable('100.00', place)], 'SHIPPING.HANDLING').rows).toMatchObject([
      { tax: 60n, ruleId: 'handling' },
    ]);
  });

  const dated = { to: null, source: 'test', confidence: 'high' } as const;
  const settings = {
    shipping: [
      { ...dated, policy: 'follows_goods', from: '2022-06-01', to: '2023-06-30' },
      { ...dated, policy: 'exempt_if_stated', from: '2023-07-01' },
    ],
  } as const;

  it.each([
    {
      day: '2022-05-31',
      tax: 0n,
      reason: 'not_supported',
      because: 'what applied before the first policy is not established',
    },
    { day: '2022-06-01', tax: 60n, reason: 'standard_rated', because: 'a first day is inclusive' },
    { day: '2023-06-30', tax: 60n, reason: 'standard_rated', because: 'a last day is inclusive' },
    { day: '2023-07-01', tax: 0n, reason: 'product_exempt', because: 'the next policy begins' },
  ])('on $day a stated delivery of 10.00 is $reason, $tax cents: $because', ({ day, tax, reason }) => {
    const { shipping } = calculateTax(
      documentOf([taxable('100.00', placeOf(releaseOf({ settings })))], {
        day,
        shipping: { amount: 1000n, product: productOf('SHIPPING.DELIVERY._SEPARATELY_STATED') },
      }),
    );
    expect(shipping).toMatchObject({ tax, rows: [{ reason }] });
  });
});
