import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../shared/calculations/calculate.ts';
import { builtInReleases } from '../../shared/catalog/built-in.ts';
import { rateDecimals } from '../../shared/catalog/release-values.ts';
import { scaledRate } from '../../shared/tax/assessment.ts';
import { visibleRates } from '../../shared/tax/general-excise.ts';
import { ask, askRates, buildLocation, getRelease, jurisdiction, rule } from '../support/builders.ts';
import { onlyShipping } from '../support/sales.ts';

/**
 * Hawaii's general excise tax, charged at the seller's rate or passed on at the maximum visible rate. The rates are
 * from the Department of Taxation (Announcements 2018-14 and 2019-04): 4.7120% for 4.5%, 4.1666% for 4%, and 0.5025% on
 * wholesale for 0.5%.
 */

type Request = Parameters<typeof ask>[0];
const at = (city: string, postal_code: string, county = {}) => ({ city, state: 'HI', postal_code, ...county });
const honolulu = at('Honolulu', '96813');
const kalawao = at('Kalaupapa', '96742', { county: 'Kalawao' });
const lansing = { state: 'MI', postal_code: '48933' };
const on = { settings: { pass_on_general_excise: true } } as const;
const code = 'general_excise_not_passed_on';

const goods = (unit_price: string, product_tax_code = 'GENERAL') => ({ unit_price, product_tax_code });
const giftCard = { ...goods('9.00', 'FEES.GIFT_CARDS'), fulfillment: 'ship' as const };
const said = ({ warnings }: Outcome) => warnings.filter((warning) => warning.code === code);
const listRates = ({ tax_summary }: Outcome) => tax_summary.map(({ rate }) => rate);

describe('lines in Hawaii', () => {
  it.each([
    [honolulu, '100.00', '4.50', '4.71'],
    [honolulu, '10000.00', '450.00', '471.20'],
    [at('Hilo', '96720'), '10000.00', '450.00', '471.20'],
    [at('Kahului', '96732'), '10000.00', '450.00', '471.20'],
    [at('Lihue', '96766'), '10000.00', '450.00', '471.20'],
    [kalawao, '100.00', '4.00', '4.17'],
    [kalawao, '10000.00', '400.00', '416.66'],
    [honolulu, '0.00', '0.00', '0.00'],
  ])('charges a tax of $2, or $3 if it is passed on, on $1 in $0', (to, price, owed, visible) => {
    const request = { to, tax_date: '2026-11-22', line_items: [goods(price)] };
    expect([ask(request).tax_amount, ask(request, on).tax_amount]).toEqual([owed, visible]);
  });

  it('shows the shares of the visible rate that split the tax', () => {
    const outcome = ask({ to: honolulu, line_items: [goods('10000.00')] }, on);
    expect(listRates(outcome)).toEqual(['0.041885', '0.005235']);
    expect(outcome.line_items[0]?.taxes.map(({ tax_amount }) => tax_amount)).toEqual(['418.85', '52.35']);
    expect(listRates(ask({ to: kalawao }, on))).toEqual(['0.041666']);
    expect(listRates(ask({ to: honolulu }))).toEqual(['0.04', '0.005']);
  });

  const thrice = [goods('0.30'), goods('0.30'), goods('0.30')];
  const exempt = [goods('100.00'), goods('40.00', 'HEALTH.DRUGS._PRESCRIPTION'), giftCard];
  const shipping = { amount: '10.00' };
  const included = { tax_included: true, line_items: [goods('104.71')] };
  it.each<[string, Request, object, string]>([
    ['exempt goods stay exempt', { line_items: exempt }, {}, '4.71'],
    // The tax on 0.30 at 4.7120% is 0.014136; the tax on three of them is 0.042408.
    ['rounding by line', { line_items: thrice }, {}, '0.03'],
    ['rounding on the invoice', { line_items: thrice }, { rounding: 'invoice' }, '0.04'],
    ['shipping', { line_items: [goods('0.00')], shipping }, {}, '0.47'],
    ['shipping of exempt goods', { line_items: [giftCard], shipping }, {}, '0.47'],
    ['included, rounded by line', included, {}, '4.71'],
    ['included, on the invoice', included, { rounding: 'invoice' }, '4.71'],
  ])('calculates the tax passed on: %s', (_, request, settings, tax) => {
    expect(ask({ to: honolulu, ...request }, { settings: { ...on.settings, ...settings } }).tax_amount).toBe(tax);
  });

  it('finds a net for every gross that includes the visible tax', () => {
    const check = (cents: number) => {
      const price = new Decimal(cents).div(100).toFixed(2);
      const gross = ask({ to: honolulu, line_items: [goods(price)] }, on).total_amount;
      const extracted = ask({ to: honolulu, tax_included: true, line_items: [goods(gross)] }, on);
      expect(extracted.line_items[0]?.taxable_amount).toBe(price);
    };
    fc.assert(fc.property(fc.integer({ min: 1, max: 10_000_000 }), check), { numRuns: 100 });
  });
});

describe('the visible rate', () => {
  const rate = fc.integer({ min: 0, max: 3000 }).map((units) => new Decimal(units).div(10_000).toString());
  it('truncates the rate to six decimals, and its shares add up to it', () => {
    const check = (owed: readonly string[]) => {
      const shares = visibleRates(owed.map(scaledRate));
      const together = Decimal.sum(...owed);
      const visible = together.div(new Decimal(1).minus(together)).toDecimalPlaces(6, Decimal.ROUND_DOWN);
      expect(Decimal.sum(...shares.map(({ text }) => text)).toString()).toBe(visible.toString());
      for (const [index, { text, units }] of shares.entries()) {
        expect(new Decimal(units.toString()).div(10 ** rateDecimals).toString()).toBe(new Decimal(text).toString());
        const exact = together.isZero() ? together : visible.times(owed[index] as string).div(together);
        const most = owed.slice(0, index).some((one) => one !== '0') ? 1 : owed.length;
        expect(new Decimal(text).minus(exact).abs().toNumber()).toBeLessThan(most / 1_000_000);
      }
    };
    fc.assert(fc.property(fc.array(rate, { minLength: 1, maxLength: 3 }), check));
  });

  it("uses the product's rate if it has one", () => {
    const release = getRelease({
      of: [
        { code: 'US-HI', type: 'state', rate: '0.04' },
        { code: 'US-HI-X', type: 'county', rate: '0.005' },
      ],
      locations: [buildLocation({ zips: [['96813', '96813']], alternatives: [['US-HI-X']] })],
      rules: [
        rule('wholesale', ['JEWELRY'], { type: 'rate', rate: '0.005' }, { levels: ['state'] }),
        rule('no-surcharge', ['JEWELRY'], { type: 'exempt' }, { levels: ['county'] }),
      ],
    });
    // Imports set the tax type of local taxes to sales tax.
    const state = { ...jurisdiction('US-HI'), tax_type: 'general_excise' as const };
    const jurisdictions = [state, jurisdiction('US-HI-X', 'county')] as const;
    const taxOn = (ptc: string) => {
      const request = { to: { state: 'HI', postal_code: '96813' }, line_items: [goods('10000.00', ptc)] };
      return ask(request, { ...on, releaseFor: () => ({ ...release, jurisdictions }) }).tax_amount;
    };
    expect([taxOn('JEWELRY.FINE_JEWELRY'), taxOn('GENERAL')]).toEqual(['50.25', '471.20']);
  });

  it('defines the rate for every effect that Hawaii uses', () => {
    const excises = builtInReleases().filter(({ jurisdictions: [state] }) => state?.tax_type === 'general_excise');
    const effects = excises.flatMap(({ state, rules }) => rules.map(({ effect }) => `${state} ${effect.type}`));
    const known = ['taxable', 'exempt', 'follows_goods', 'other_tax', 'not_established'];
    expect(new Set(effects)).toEqual(new Set(known.map((type) => `US-HI ${type}`)));
  });
});

describe('the warning that general excise tax is not passed on', () => {
  it('returns the warning once, at the first charge, with the setting and the rate', () => {
    const line_items = [giftCard, goods('1.00'), goods('2.00', 'FOOD.GROCERY')];
    expect(said(ask({ to: honolulu, line_items, shipping: { amount: '5.00' } }))).toMatchObject([
      { pointer: '/line_items/1', message: expect.stringMatching(/4\.7120 %.*pass_on_general_excise/) },
    ]);
    expect(said(ask({ to: kalawao }))[0]?.message).toContain('4.1666 %');
    const ofShipping = ask({ to: honolulu, line_items: [giftCard], shipping: { amount: '5.00' } });
    expect(onlyShipping(ofShipping.shipping)?.tax_amount).toBe('0.23');
    expect(said(ofShipping)[0]?.pointer).toBe('/shipping');
  });

  const counties = [honolulu, at('Kahului', '96732')];
  const twoCounties = counties.map((address) => ({ ...goods('10.00'), customer: { address } }));
  const freight = { to: honolulu, line_items: [goods('10.00', 'SHIPPING.DELIVERY'), ...twoCounties] };
  const shippedThere = { to: lansing, shipping: { amount: '5.00', ship_to: { address: honolulu } } };
  it.each<[string, Request, string]>([
    ['a delivery to two counties', freight, '/line_items/0'],
    ['a charge that alone goes to Hawaii', shippedThere, '/shipping'],
  ])('returns the rate of one place, on %s', (_, request, pointer) =>
    expect(said(ask(request))).toMatchObject([
      { pointer, message: expect.stringMatching(/charged at 4\.5 %.*4\.7120 %/) },
    ]),
  );

  // HRS 237-13(2)(A) taxes sales for resale at 0.5 %, and 237-25 exempts only sales to the United States: a certificate
  // of a charity or of another state does not.
  const resale = { address: honolulu, exemption: { type: 'resale' as const, regions: ['HI'] } };
  it.each<[string, Request, object, string | null]>([
    ['with a certificate', { customer: resale }, {}, '/line_items/0'],
    ['with a certificate, if the tax is passed on', { customer: resale }, on, '/line_items/0'],
    ['with a certificate, in another state', { to: lansing, customer: { ...resale, address: lansing } }, {}, null],
  ])('returns that the tax is owed on a sale $0', (_, request, options, pointer) => {
    const outcome = ask(request, options);
    const message = 'Hawaii: general excise tax is owed on most exempt sales.';
    expect(said(outcome)).toMatchObject(pointer ? [{ pointer, message }] : []);
    if (pointer) expect(outcome.tax_amount).toBe('0.00');
  });

  it.each<[string, Request, object]>([
    ['it is passed on', { to: honolulu }, on],
    ['no line is taxed', { to: honolulu, line_items: [giftCard] }, {}],
    ['the account is not registered there', { to: honolulu }, { settings: { registrations: [] } }],
    ['a marketplace collects', { to: honolulu, collected_by: 'marketplace' }, {}],
    ['the tax is a sales tax', { to: lansing }, {}],
  ])('returns no warning if %s', (_, request, options) => expect(said(ask(request, options))).toEqual([]));

  it('returns no warning and ignores the setting in other states', () =>
    expect(ask({ to: lansing }, on)).toEqual(ask({ to: lansing })));
});

it('explains both rates, and cites the source of the visible rate', () => {
  const { explanation } = ask({ to: honolulu, explain: true }, on);
  const rates = (explanation ?? []).filter(({ step }) => step === 'rate');
  expect(rates).toHaveLength(2);
  for (const { citation } of rates) expect(citation).toMatch(/(HRS|surcharge).*2018-14/);
  expect(rates[0]?.text).toMatch(/0\.041885.* 0\.04 .*0\.047120.*0\.045/);
  expect(JSON.stringify(ask({ to: honolulu, explain: true }).explanation)).not.toContain('2018-14');
});

it.each([
  [honolulu, on.settings, '0.04712', ['0.041885', '0.005235'], false],
  [kalawao, on.settings, '0.041666', ['0.041666'], false],
  [honolulu, {}, '0.045', ['0.04', '0.005'], true],
  [lansing, {}, '0.06', ['0.06'], false],
  [lansing, on.settings, '0.06', ['0.06'], false],
])(
  'returns the same rates from GET /rates as in a calculation: $0 with $1: $2',
  async (to, settings, combined, rates, isWarned) => {
    const { combined_rate, jurisdictions, warnings } = await askRates(to, { settings });
    expect([combined_rate, jurisdictions.map(({ rate }) => rate)]).toEqual([combined, rates]);
    const isVisible = to !== lansing && settings === on.settings;
    expect(jurisdictions[0]?.source?.includes('2018-14')).toBe(isVisible);
    const pointers = warnings.filter((warning) => warning.code === code).map(({ pointer }) => pointer);
    expect(pointers).toEqual(isWarned ? [null] : []);
  },
);
