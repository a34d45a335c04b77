import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../shared/calculations/calculate.ts';
import type { Effect, Release, Rule, Sourcing } from '../../shared/catalog/release.ts';
import { withSuppliedTax } from '../../shared/ledger/supplied-tax.ts';
import { always, ask, buildLocation, getRelease, rule } from '../support/builders.ts';
import { shippingCharges } from '../support/sales.ts';

type Asked = Parameters<typeof ask>[0];

const state = { code: 'US-MI', type: 'state', rate: '0.06' } as const;
const city = { code: 'US-MI-CITY', type: 'city', rate: '0.01' } as const;
const county = { code: 'US-MI-COUNTY', type: 'county', rate: '0.005' } as const;
const to = { state: 'MI', postal_code: '48933' };
const clothing = 'CLOTHING.APPAREL';

const sources = { test: 'The law' };
const explained = (asked: Asked, release: Release, options: object = {}): Outcome =>
  ask({ to, explain: true, ...asked }, { releaseFor: () => ({ ...release, sources }), ...options });

const listSteps = ({ explanation }: Outcome, name: string, pointer = '/line_items/0') =>
  (explanation ?? []).filter((step) => step.step === name && step.pointer === pointer);
const listTexts = (outcome: Outcome, name: string, pointer?: string) =>
  listSteps(outcome, name, pointer).map(({ text }) => text);
/** The numbers in each step's text, without codes, ids and days. */
const getFigures = (outcome: Outcome, name: string, pointer?: string) =>
  listTexts(outcome, name, pointer).map((text) => text.match(/(?<![\w-])\d+(\.\d+)?(?![\w-])/g) ?? []);

const withEffect = (effect: Effect, others: Partial<Rule> = {}) =>
  getRelease({ of: [state], rules: [rule('the-rule', [clothing], effect, { source: 'test', ...others })] });
const priced = (unit_price: string, quantity = '1', others = {}) => ({
  line_items: [{ product_tax_code: clothing, unit_price, quantity }],
  ...others,
});

type Golden = { readonly title: string; readonly request: Asked; readonly explanation: unknown };
const goldens: readonly Golden[] = JSON.parse(
  readFileSync(new URL('../fixtures/explanations.json', import.meta.url), 'utf8'),
);

it.each(goldens)('returns the whole explanation of $title', ({ request, explanation }) => {
  expect(ask({ ...request, explain: true }).explanation).toEqual(explanation);
});

describe('the steps of a line', () => {
  it('includes one address step for lines that share an address', () => {
    const line_items = [{}, {}, { customer: { address: { state: 'MI', postal_code: '49503' } } }];
    const { explanation } = explained({ line_items }, getRelease({ of: [state] }));
    const steps = (explanation ?? []).filter(({ step }) => step === 'address' || step === 'jurisdictions');
    expect(steps.map(({ step, pointer }) => `${step} ${pointer}`)).toEqual([
      'address /customer/address',
      'jurisdictions /line_items/0',
      'jurisdictions /line_items/1',
      'address /line_items/2/customer/address',
      'jurisdictions /line_items/2',
    ]);
  });

  it('truncates the steps before the response is too large: a thousand lines in eight jurisdictions', () => {
    const locals = Array.from({ length: 7 }, (_, index) => ({ ...city, code: `US-MI-DISTRICT-${index}` }));
    const release = getRelease({
      of: [state, ...locals],
      locations: [buildLocation({ zips: [['48933', '48933']], alternatives: [locals.map(({ code }) => code)] })],
    });
    const line_items = Array.from({ length: 1000 }, () => ({ discount_amount: '0.10', description: 'x'.repeat(400) }));
    const outcome = explained({ line_items, shipping: { amount: '5.00' } }, release);
    const steps = outcome.explanation ?? [];
    const rounded = new Set(steps.filter(({ step }) => step === 'rounding').map(({ pointer }) => pointer));
    // Every line has all of its steps or none; one step counts the lines without steps. The shipping always has its
    // steps.
    const lines = rounded.size - 1;
    const [note, ...others] = steps.filter(({ text }) => text.includes('left out'));
    expect(others).toEqual([]);
    expect(note).toMatchObject({ pointer: `/line_items/${lines}`, text: expect.stringContaining(` ${1000 - lines} `) });
    expect(rounded.has('/shipping')).toBe(true);
    // Lambda measures the response as a string: the limit is 6,291,556 bytes.
    expect(Buffer.byteLength(JSON.stringify({ body: JSON.stringify(outcome) }))).toBeLessThan(6_200_000);
    expect(steps.length).toBeGreaterThan(2000);
  });

  it.each<[Release, string | null, string | null]>([
    [withEffect({ type: 'rate', rate: '0.02' }), 'the-rule', 'the-rule'],
    [withEffect({ type: 'taxable' }), 'the-rule', null],
    [getRelease({ of: [state] }), null, null],
  ])('cites the law of the rule and of the rate: %#', (release, ruleId, rateId) => {
    const outcome = explained(priced('10.00'), release);
    const citation = ruleId === null ? null : 'The law';
    expect(listSteps(outcome, 'rule')).toMatchObject([{ rule_id: ruleId, citation }]);
    expect(listSteps(outcome, 'rate')).toMatchObject([{ rule_id: rateId, citation: 'The law' }]);
    if (ruleId === null) expect(listTexts(outcome, 'rule')[0]).toContain(clothing);
  });
});

describe('the arithmetic of a rule', () => {
  const cliff = { type: 'threshold_cliff', amount: '110', inclusive: false } as const;
  const inclusive = { ...cliff, inclusive: true };
  const above: Effect = { type: 'exempt_above', amount: '1000', inclusive: false };
  const excess: Effect = { type: 'threshold_excess', amount: '175' };
  const luxury: Effect = { type: 'threshold_rate', amount: '1000', rate: '0.0775' };
  const cap: Effect = { type: 'base_cap', amount: '5000' };
  const capOfLine: Effect = { type: 'base_cap', amount: '500', per: 'line' };
  const tiered: Effect = { type: 'tiered_rate', amount: '1000', rate: '0.02' };
  const band: Effect = { type: 'band', above: '1600', to: '3200', rate: '0.0275' };
  const most: Effect = { type: 'tax_cap', rate: '0.05', amount: '500' };
  const collected: Effect = { type: 'collected_up_to', amount: '500' };
  const part: Effect = { type: 'base_percent', percent: '0.8' };
  const fee = { type: 'flat_fee', amount: '0.50', order_minimum: null } as const;
  const split: Effect = { type: 'use_split', business: { type: 'rate', rate: '0.01' }, personal: { type: 'taxable' } };

  /** The amounts of the rule step, the tax, and the amounts of the rate step if it shows more than base, rate and tax. */
  it.each<[Effect, string, string, string, string?]>([
    [{ type: 'exempt' }, '1 for 10.00', '', '0.00'],
    [{ type: 'rate', rate: '0.02' }, '1 for 10.00', '0.02', '0.20'],
    [cliff, '2 for 109.99', '110 2 220 219.98', '0.00'],
    [cliff, '1 for 110.00', '110 110.00', '6.60'],
    [inclusive, '1 for 110.00', '110 110.00', '0.00'],
    [{ ...cliff, cap: '50' }, '2 for 110.00', '110 2 220 220.00 50 2 100', '6.00'],
    [above, '2 for 1000.00', '1000 2 2000 2000.00 2000.00', '120.00'],
    [{ ...above, inclusive: true }, '1 for 1000.00', '1000 1000.00 1000.00', '0.00'],
    [excess, '2 for 200.00', '175 2 350 50.00 400.00', '3.00'],
    [luxury, '1 for 1000.01', '1000 1000.01 0.0775', '77.50'],
    [cap, '2 for 6000.00', '5000 2 10000 10000.00 12000.00 2000.00', '600.00'],
    [capOfLine, '2 for 400.00', '500 500.00 800.00 300.00', '30.00'],
    [tiered, '2 for 1500.00', '3000.00 1000 2 2000 0.06 0.02', '140.00', '3000.00 0.06 180 140'],
    [band, '1 for 4000.00', '1600 3200 1600.00 4000.00', '44.00'],
    [most, '1 for 20000.00', '500', '500.00', '20000.00 0.05 1000 500'],
    [collected, '2 for 8333.33', '500 2 1000', '1000.00'],
    [collected, '2 for 8333.42', '500 2 1000', '0.00'],
    [part, '1 for 100.00', '0.8 100.00 80.00', '4.80'],
    [fee, '3 for 0', '0.50 3 1.5', '1.50'],
    [{ ...fee, once_per: 'order' }, '3 for 0', '0.50', '0.50'],
    [split, '1 for 100.00', '100.00 0.06', '6.00'],
  ])('explains $0 of $1 as $2', (effect, sold, figures, tax, rateFigures) => {
    const [quantity = '', price = ''] = sold.split(' for ');
    const outcome = explained(priced(price, quantity), withEffect(effect));
    expect(getFigures(outcome, 'rule')[0]?.join(' ')).toMatch(new RegExp(`(^|\\b)${figures}$`));
    expect(outcome.tax_amount).toBe(tax);
    if (rateFigures) expect(getFigures(outcome, 'rate')[0]?.join(' ')).toBe(rateFigures);
  });

  it.each([
    ['400.00', '1000 1000.00 600.00', '36.00'],
    ['400.01', '1000 1000.01 600.00', '0.00'],
  ])('shows the price of all goods that an amount per order is compared with: 600.00 and %s', (price, figures, tax) => {
    const bought = (unit_price: string, others = {}) => ({ product_tax_code: clothing, unit_price, ...others });
    // Goods of a different kind, and goods under a rule of Ohio with the same id, do not count.
    const elsewhere = bought('9.00', { customer: { address: { state: 'OH' } } });
    const line_items = [bought('600.00'), bought(price), { unit_price: '5000.00' }, elsewhere];
    const release = { ...withEffect({ ...above, per: 'order' }), sources };
    const releaseFor = (address: { state: string }) => ({ ...release, state: `US-${address.state}` });
    const outcome = explained({ line_items, shipping: { amount: '5.00' } }, release, { releaseFor });
    expect(getFigures(outcome, 'rule')[0]?.join(' ')).toMatch(new RegExp(`${figures}$`));
    expect(outcome.line_items[0]?.tax_amount).toBe(tax);
  });

  it('shows the order minimum for a fee that is not due', () => {
    const minimum = rule('fee', ['FEES.RETAIL_DELIVERY_FEE'], { ...fee, order_minimum: '100' });
    const line_items = [{ unit_price: '99.99' }, { product_tax_code: 'FEES.RETAIL_DELIVERY_FEE', unit_price: '0' }];
    const outcome = explained({ line_items }, getRelease({ of: [state], rules: [minimum] }));
    expect(getFigures(outcome, 'rule', '/line_items/1')[0]?.at(-1)).toBe('100');
  });

  it('shows the price with and without shipping if the threshold includes shipping', () => {
    const release = withEffect({ ...excess, amount: '250' }, { threshold_includes_shipping: true });
    const outcome = explained(priced('245.00', '1', { shipping: { amount: '20.00' } }), release);
    expect(getFigures(outcome, 'rule')[0]).toEqual(expect.arrayContaining(['245.00', '265.00']));
  });

  it.each([
    ['99.99', '2026-09-15', /rule holiday, .*2026-09-14.*2026-09-16.* 100\b.* 99\.99/],
    ['100.00', '2026-09-15', /rule holiday/],
    ['100.00', '2026-09-17', /^((?!holiday).)*$/],
  ])('shows the days and the limit of a holiday for %s on %s, even above the limit', (price, tax_date, text) => {
    const holiday: Effect = { type: 'holiday', amount: '100', inclusive: false };
    const week = { from: '2026-09-14', to: '2026-09-16' };
    const rules = [rule('goods', [clothing], { type: 'taxable' }), rule('holiday', [clothing], holiday, week)];
    const outcome = explained({ ...priced(price), tax_date }, getRelease({ of: [state], rules }));
    expect(listTexts(outcome, 'rule').join()).toMatch(text);
  });
});

const goods = getRelease({ of: [state], rules: [rule('goods', ['GENERAL'], { type: 'taxable' }, { source: 'test' })] });

it.each<[string, Asked, object?]>([
  [
    'resale certificate of the document',
    { customer: { address: to, exemption: { type: 'resale', certificate_id: 'C-1' } } },
  ],
  ['government certificate of the line', { line_items: [{ customer: { exemption: { type: 'government' } } }] }],
  ['US-MI on 2026-09-15', {}, { registrations: [] }],
  ['collected_by', { collected_by: 'marketplace' }],
  ['GENERAL on 1999-12-31', { tax_date: '1999-12-31' }],
])('names the reason and no rule for tax that is not collected: %s', (names, asked, settings = {}) => {
  const outcome = explained({ to, shipping: { amount: '5.00' }, ...asked }, goods, { settings });
  for (const [pointer, named] of [
    ['/line_items/0', names],
    ['/shipping', names.replace('GENERAL', 'SHIPPING.DELIVERY')],
  ] as const)
    expect(listSteps(outcome, 'rule', pointer)).toMatchObject([
      { citation: null, rule_id: null, text: expect.stringContaining(named) },
    ]);
  expect(JSON.stringify(outcome.explanation)).not.toContain('C-1');
  expect(outcome.tax_amount).toBe('0.00');
});

describe('the sourcing step of a sale', () => {
  it.each<[Sourcing, string[]]>([
    ['origin', ['/ship_from/address']],
    ['destination', ['/customer/address']],
    ['mixed', ['/customer/address', '/ship_from/address']],
  ])('shows the addresses of the %s policy and cites its law', (policy, pointers) => {
    const release = getRelease({ of: [state], settings: { sourcing: [{ ...always, policy }] } });
    const { explanation } = explained({ ship_from: { address: { state: 'MI', postal_code: '48226' } } }, release);
    const steps = explanation?.filter(({ step }) => step === 'address') ?? [];
    expect(steps.map(({ pointer }) => pointer)).toEqual(pointers);
    expect(steps[0]?.citation).toBe('The law');
  });

  it("shows the candidate rates of an ambiguous address and the policy's choice", () => {
    const release = getRelease({
      of: [state, city, county],
      locations: [
        buildLocation({ zips: [['48933', '48933']], alternatives: [[county.code]] }),
        buildLocation({ zips: [['489330001', '489330099']], alternatives: [[], [county.code, city.code]] }),
      ],
    });
    const ratesWith = (settings: object) =>
      listTexts(explained({}, release, { settings }), 'address', '/customer/address')
        .join()
        .match(/(?<=\()0\.\d+/g);
    expect(ratesWith({ ambiguous_address: 'highest_rate' })).toEqual(['0.065', '0.06', '0.075', '0.075']);
    expect(ratesWith({})).toEqual(['0.065', '0.06', '0.075', '0.065']);
  });
});

describe('discounts, included tax and shipping', () => {
  const food = rule('food', ['FOOD.GROCERY'], { type: 'exempt' });
  const withFood = getRelease({ of: [state], rules: [rule('goods', ['GENERAL'], { type: 'taxable' }), food] });
  const groceries = { unit_price: '10.00', product_tax_code: 'FOOD.GROCERY' };
  const discounted = { discount_amount: '1.00', third_party_discount_amount: '2.00' };
  const discounts = { discount_amount: '5.00', line_items: [{ quantity: '2', unit_price: '50.00', ...discounted }] };
  const included = { tax_included: true, line_items: [{ unit_price: '106.00' }] };
  const shipped = { shipping: { amount: '9.00' }, line_items: [{ unit_price: '20.00' }, groceries] };
  const cents = { line_items: [{ unit_price: '0.09' }, { unit_price: '0.09' }] };
  const onInvoice = { settings: { rounding: 'invoice' } };

  it.each<[string, Asked, string, string, string[], object?]>([
    ['discounts', discounts, 'base', '/line_items/0', ['2 100.00 6.00 5.00 94.00 2.00']],
    ['the gross and the net', included, 'base', '/line_items/0', ['1 106.00 106.00 100.00']],
    ['the included tax', included, 'rounding', '/line_items/0', ['6 6.00']],
    ['the shares of shipping', shipped, 'base', '/shipping', ['9.00 2 6.00 3.00']],
    ['the taxed part of shipping', shipped, 'rule', '/shipping', ['6.00 6.00', '0.00 3.00']],
    ['the tax on shipping', shipped, 'rounding', '/shipping', ['0.36 0.36']],
    ['the tax of the invoice', cents, 'rounding', '/line_items/0', ['0.0054 0.0108 0.01 0.01'], onInvoice],
    ['the share of a second line', cents, 'rounding', '/line_items/1', ['0.0054 0.0108 0.01 0.00'], onInvoice],
  ])('shows the amounts of %s', (_, asked, name, pointer, figures, options = {}) => {
    const outcome = explained(asked, withFood, options);
    expect(getFigures(outcome, name, pointer).map((own) => own.join(' '))).toEqual(figures);
    if (name !== 'rule') return;
    const policy = { rule_id: 'mi-shipping', citation: 'The law' };
    expect(listSteps(outcome, name, pointer)).toMatchObject([policy, policy]);
  });

  it('rounds the shipping to several places of a state in one step', () => {
    const soldIn = (unit_price: string, city: string, postal_code: string) => ({
      unit_price,
      customer: { address: { state: 'LA', city, postal_code } },
    });
    const line_items = [soldIn('10.37', 'New Orleans', '70112'), soldIn('20.11', 'Shreveport', '71101')];
    const request = { line_items, shipping: { amount: '7.11' }, tax_date: '2026-11-22', explain: true };
    const texts = listTexts(ask(request), 'rounding', '/shipping');
    // 7.11 at 5 %, and shares of 2.42 and 4.69 at the local rates of 5 % and 4.6 %.
    expect(texts).toEqual([expect.stringMatching(/^The exact tax is 0\.69224; rounded half up to 0\.69\./)]);
  });

  it('names the lines that a charge delivers, and a discount on the charge', () => {
    const card = { id: 'card', unit_price: '100.00', product_tax_code: 'FEES.GIFT_CARDS' };
    const line_items = [{ id: 'mug', unit_price: '30.00' }, card, { id: 'bag', unit_price: '60.00' }];
    const shipping = { amount: '10.00', discount_amount: '1.00' };
    expect(listTexts(explained({ line_items, shipping }, goods), 'base', '/shipping')).toEqual([
      'Shipping of 10.00, less discounts of 1.00, is 9.00. It is allocated to the 2 lines that it delivers by net amount: mug 3.00 and bag 6.00.',
    ]);
  });
});

/** Parses `5.7` as a fraction, because every number of a step is exact. */
const toExact = (text: string) => {
  const [whole = '', fraction = ''] = text.split('.');
  return { units: BigInt(whole + fraction), scale: fraction.length };
};
const isSame = (left: ReturnType<typeof toExact>, right: ReturnType<typeof toExact>) =>
  left.units * 10n ** BigInt(right.scale) === right.units * 10n ** BigInt(left.scale);

it.each([
  [1, '0.39'],
  [2, '0.30'],
])(
  'shows the tax before shipping when shipping is rounded with goods, even if a fee follows: line %i',
  (index, tax) => {
    const post = { product_tax_code: 'SHIPPING.DELIVERY', unit_price: '6.08' };
    const wrap = { product_tax_code: 'FEES.GIFT_WRAP', unit_price: '4.80' };
    const response = ask({ to: { state: 'CT' }, explain: true, line_items: [{ unit_price: '10.36' }, post, wrap] });
    const [text = ''] = listTexts(response, 'rounding', `/line_items/${index}`);
    const pattern = /tax on both is .*? to (\d+\.\d+); the tax on .*? to (\d+\.\d+)\. .* difference, (\d+\.\d+)/;
    const [, both, before, difference] = pattern.exec(text) ?? [];
    expect([difference, response.line_items[index]?.tax_amount], text).toEqual([tax, tax]);
    expect((Number(both) - Number(before)).toFixed(2), text).toBe(tax);
  },
);

const places = ['MI', 'PA', 'NY', 'MA', 'TX', 'TN', 'FL', 'MD', 'OR', 'DC', 'RI', 'CT'].map((letters) => ({
  state: letters,
}));
const codes = [
  'GENERAL',
  clothing,
  'FOOD.GROCERY',
  'SOFTWARE.SAAS',
  'WATERCRAFT.BOATS',
  'JEWELRY.FINE_JEWELRY',
  'FOOD.CANDY',
];
const line = fc.record({
  product_tax_code: fc.constantFrom(...codes),
  quantity: fc.integer({ min: 1, max: 5 }).map(String),
  unit_price: fc
    .integer({ min: 1, max: 900_000 })
    .map((cents) => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`),
  customer: fc.constantFrom(...places).map((address) => ({ address })),
  fulfillment: fc.constant('ship' as const),
});

it('shows one rule and one rate per row, and exact products and sums', () => {
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 3 }),
      fc.option(fc.constant({ amount: '12.34' }), { nil: null }),
      fc.constantFrom('2026-09-15', '2026-08-08', '2026-10-08'),
      (line_items, shipping, tax_date) => {
        const outcome = ask({ line_items, shipping, tax_date, explain: true });
        const charges = [
          ...outcome.line_items.map((charge, index) => ({ charge, pointer: `/line_items/${index}` })),
          ...shippingCharges(outcome.shipping).map((charge) => ({ charge, pointer: '/shipping' })),
        ];
        for (const { charge, pointer } of charges) {
          const ids = listSteps(outcome, 'rule', pointer).map(({ rule_id }) => rule_id);
          expect(ids.toSorted()).toEqual(charge.taxes.map((row) => row.rule_id).toSorted());
          const rates = listTexts(outcome, 'rate', pointer);
          for (const row of charge.taxes) {
            const amount = row.taxable_amount === '0.00' ? row.exempt_amount : row.taxable_amount;
            expect(rates.some((text) => text.startsWith(`${row.jurisdiction_name}: `) && text.includes(amount))).toBe(
              true,
            );
          }
          for (const text of rates) {
            const [, taxable, rate, product] =
              /([\d.]+) times ([\d.]+), [^.]*? is ([\d.]+?)[.,]? ?(?:limited|The|$)/.exec(text) ?? [];
            if (taxable === undefined || rate === undefined || product === undefined) continue;
            const factors = [toExact(taxable), toExact(rate)] as const;
            const expected = {
              units: factors[0].units * factors[1].units,
              scale: factors[0].scale + factors[1].scale,
            };
            expect([text, isSame(toExact(product), expected)]).toEqual([text, true]);
          }
        }
        for (const { text } of outcome.explanation ?? []) expect(text).toMatch(/^\S.*\.$/);
        for (const { text } of outcome.explanation ?? [])
          expect(text).not.toMatch(/undefined|null|NaN|,,|\.\.|\[object/);
      },
    ),
    { numRuns: 400 },
  );
});

it("does not apply a state's rounding tables to a document in another currency", () => {
  const getRounding = (currency: string) =>
    ask({ to: { state: 'PA', postal_code: '17101' }, currency, explain: true, line_items: [{ unit_price: '13.51' }] })
      .explanation?.filter(({ step }) => step === 'rounding')
      .map(({ text }) => text.includes('tables'));
  expect([getRounding('USD'), getRounding('CAD')]).toEqual([[true], [false]]);
});

it('ends with one step for the supplied tax, even if it is supplied twice', () => {
  const outcome = ask({ to, explain: true, line_items: [{ product_tax_code: 'GENERAL', unit_price: '100.00' }] });
  const again = withSuppliedTax(withSuppliedTax(outcome as Outcome, '5.00'), '5.55');
  expect(again.explanation).toHaveLength((outcome.explanation?.length ?? 0) + 1);
  expect(again.explanation?.at(-1)?.text.match(/\d+\.\d+/g)).toEqual(expect.arrayContaining(['5.55', '5.00']));
});

it('shows the share of each row in the rounding by tables', () => {
  const lines = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(lines, fc.constantFrom('15222', '19103', '17101', '21201'), (prices, postal_code) => {
      const line_items = prices.map((price) => ({ unit_price: (price / 100).toFixed(2) }));
      const outcome = ask({ to: { postal_code }, line_items, explain: true });
      for (const [index, { taxes }] of outcome.line_items.entries()) {
        const taxed = taxes.filter(({ taxable_amount }) => taxable_amount !== '0.00');
        const [figures = []] = getFigures(outcome, 'rounding', `/line_items/${index}`);
        expect(figures).toEqual(expect.arrayContaining(taxed.map(({ tax_amount }) => tax_amount)));
        for (const { tax_amount } of outcome.tax_summary) expect(figures).toContain(tax_amount);
      }
    }),
    { numRuns: 100 },
  );
});
