import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../shared/calculations/calculate.ts';
import type { Effect, Release, Rule } from '../../shared/catalog/release.ts';
import { withSuppliedTax } from '../../shared/ledger/supplied-tax.ts';
import { ask, releaseOf, rule } from '../support/builders.ts';
import { shippingCharges } from '../support/shipping.ts';

type Asked = Parameters<typeof ask>[0];

const state = { code: 'US-MI', type: 'state', rate: '0.06' } as const;
const city = { code: 'US-MI-CITY', type: 'city', rate: '0.01' } as const;
const county = { code: 'US-MI-COUNTY', type: 'county', rate: '0.005' } as const;
const to = { state: 'MI', postal_code: '48933' };
const clothing = 'CLOTHING.APPAREL';
const always = { from: '2000-01-01', to: null, source: 'test', confidence: 'high' } as const;

const sources = { test: 'The law' };
const explained = (asked: Asked, release: Release, options: object = {}): Outcome =>
  ask({ to, explain: true, ...asked }, { releaseFor: () => ({ ...release, sources }), ...options });

const stepsOf = ({ explanation }: Outcome, name: string, pointer = '/line_items/0') =>
  (explanation ?? []).filter((step) => step.step === name && step.pointer === pointer);
const textsOf = (outcome: Outcome, name: string, pointer?: string) =>
  stepsOf(outcome, name, pointer).map(({ text }) => text);
/** The numbers of each step's text, apart from codes, ids and days. */
const figuresOf = (outcome: Outcome, name: string, pointer?: string) =>
  textsOf(outcome, name, pointer).map((text) => text.match(/(?<![\w-])\d+(\.\d+)?(?![\w-])/g) ?? []);

const withEffect = (effect: Effect, others: Partial<Rule> = {}) =>
  releaseOf({ of: [state], rules: [rule('the-rule', [clothing], effect, { source: 'test', ...others })] });
const priced = (unit_price: string, quantity = '1', others = {}) => ({
  line_items: [{ product_tax_code: clothing, unit_price, quantity }],
  ...others,
});

type Golden = { readonly title: string; readonly request: Asked; readonly explanation: unknown };
const goldens: readonly Golden[] = JSON.parse(
  readFileSync(new URL('../fixtures/explanations.json', import.meta.url), 'utf8'),
);

it.each(goldens)('the whole explanation of $title', ({ request, explanation }) => {
  expect(ask({ ...request, explain: true }).explanation).toEqual(explanation);
});

describe('the steps of a line', () => {
  it('are the address, jurisdictions, base, rule and rate of each jurisdiction, and rounding', () => {
    const release = releaseOf({
      of: [state, county, city],
      locations: [{ ...always, zips: [['48933', '48933']], cities: [], alternatives: [[county.code, city.code]] }],
      rules: [rule('goods', ['GENERAL'], { type: 'taxable' }, { source: 'test' })],
    });
    const outcome = explained({ line_items: [{ unit_price: '10.00', discount_amount: '1.00' }] }, release);
    expect(outcome.explanation?.map(({ step, pointer }) => `${step} ${pointer}`)).toEqual([
      'address /customer/address',
      'jurisdictions /line_items/0',
      'base /line_items/0',
      ...['rule', 'rate', 'rule', 'rate', 'rule', 'rate'].map((step) => `${step} /line_items/0`),
      'rounding /line_items/0',
    ]);
    expect(figuresOf(outcome, 'rate')).toEqual([
      ['9.00', '0.06', '0.54'],
      ['9.00', '0.005', '0.045'],
      ['9.00', '0.01', '0.09'],
    ]);
    expect(figuresOf(outcome, 'rounding')).toEqual([['0.675', '0.68']]);
    expect(outcome.tax_amount).toBe('0.68');
  });

  it('have one address step for lines that share an address', () => {
    const line_items = [{}, {}, { customer: { address: { state: 'MI', postal_code: '49503' } } }];
    const { explanation } = explained({ line_items }, releaseOf({ of: [state] }));
    const steps = (explanation ?? []).filter(({ step }) => step === 'address' || step === 'jurisdictions');
    expect(steps.map(({ step, pointer }) => `${step} ${pointer}`)).toEqual([
      'address /customer/address',
      'jurisdictions /line_items/0',
      'jurisdictions /line_items/1',
      'address /line_items/2/customer/address',
      'jurisdictions /line_items/2',
    ]);
  });

  it('end before the response is too large: a thousand lines in eight jurisdictions', () => {
    const locals = Array.from({ length: 7 }, (_, index) => ({ ...city, code: `US-MI-DISTRICT-${index}` }));
    const release = releaseOf({
      of: [state, ...locals],
      locations: [
        { ...always, zips: [['48933', '48933']], cities: [], alternatives: [locals.map(({ code }) => code)] },
      ],
    });
    const line_items = Array.from({ length: 1000 }, () => ({ discount_amount: '0.10', description: 'x'.repeat(400) }));
    const outcome = explained({ line_items, shipping: { amount: '5.00' } }, release);
    const steps = outcome.explanation ?? [];
    const rounded = new Set(steps.filter(({ step }) => step === 'rounding').map(({ pointer }) => pointer));
    // Every line has all of its steps or none; one step counts those without. The shipping has its steps.
    const lines = rounded.size - 1;
    const [note, ...others] = steps.filter(({ text }) => text.includes('left out'));
    expect(others).toEqual([]);
    expect(note).toMatchObject({ pointer: `/line_items/${lines}`, text: expect.stringContaining(` ${1000 - lines} `) });
    expect(rounded.has('/shipping')).toBe(true);
    // Lambda counts the response as a string: at most 6,291,556 bytes.
    expect(Buffer.byteLength(JSON.stringify({ body: JSON.stringify(outcome) }))).toBeLessThan(6_200_000);
    expect(steps.length).toBeGreaterThan(2000);
  });

  it('cite the law of the rule and of the rate', () => {
    const outcome = explained(priced('10.00'), withEffect({ type: 'rate', rate: '0.02' }));
    expect(stepsOf(outcome, 'rule')).toMatchObject([{ rule_id: 'the-rule', citation: 'The law' }]);
    expect(stepsOf(outcome, 'rate')).toMatchObject([{ rule_id: 'the-rule', citation: 'The law' }]);
    const general = explained(priced('10.00'), withEffect({ type: 'taxable' }));
    expect(stepsOf(general, 'rate')).toMatchObject([{ rule_id: null, citation: 'The law' }]);
    const none = explained(priced('10.00'), releaseOf({ of: [state] }));
    expect(stepsOf(none, 'rule')).toMatchObject([{ rule_id: null, text: expect.stringContaining(clothing) }]);
  });
});

describe('the arithmetic of a rule', () => {
  const cliff = { type: 'threshold_cliff', amount: '110' } as const;
  const luxury = { type: 'threshold_rate', amount: '1000', rate: '0.0775' } as const;
  const split = { business: { type: 'rate', rate: '0.01' }, personal: { type: 'taxable' } } as const;
  const cases: readonly { effect: Effect; price: string; quantity?: string; figures: string; tax: string }[] = [
    { effect: { type: 'exempt' }, price: '10.00', figures: '', tax: '0.00' },
    { effect: { type: 'rate', rate: '0.02' }, price: '10.00', figures: '0.02', tax: '0.20' },
    {
      effect: { ...cliff, inclusive: false },
      price: '109.99',
      quantity: '2',
      figures: '110 2 220 219.98',
      tax: '0.00',
    },
    { effect: { ...cliff, inclusive: false }, price: '110.00', figures: '110 110.00', tax: '6.60' },
    { effect: { ...cliff, inclusive: true }, price: '110.00', figures: '110 110.00', tax: '0.00' },
    {
      effect: { type: 'threshold_excess', amount: '175' },
      price: '200.00',
      quantity: '2',
      figures: '175 2 350 50.00 400.00',
      tax: '3.00',
    },
    { effect: luxury, price: '1000.01', figures: '1000 1000.01 0.0775', tax: '77.50' },
    {
      effect: { type: 'base_cap', amount: '5000' },
      price: '6000.00',
      quantity: '2',
      figures: '5000 2 10000 10000.00 12000.00 2000.00',
      tax: '600.00',
    },
    {
      effect: { type: 'base_cap', amount: '500', per: 'line' },
      price: '400.00',
      quantity: '2',
      figures: '500 500.00 800.00 300.00',
      tax: '30.00',
    },
    {
      effect: { type: 'tiered_rate', amount: '1000', rate: '0.02' },
      price: '1500.00',
      quantity: '2',
      figures: '3000.00 1000 2 2000 0.06 0.02',
      tax: '140.00',
    },
    {
      effect: { type: 'band', above: '1600', to: '3200', rate: '0.0275' },
      price: '4000.00',
      figures: '1600 3200 1600.00 4000.00',
      tax: '44.00',
    },
    { effect: { type: 'tax_cap', rate: '0.05', amount: '500' }, price: '20000.00', figures: '500', tax: '500.00' },
    { effect: { type: 'base_percent', percent: '0.8' }, price: '100.00', figures: '0.8 100.00 80.00', tax: '4.80' },
    {
      effect: { type: 'flat_fee', amount: '0.50', order_minimum: null },
      price: '0',
      quantity: '3',
      figures: '0.50 3 1.5',
      tax: '1.50',
    },
    {
      effect: { type: 'flat_fee', amount: '0.50', order_minimum: null, once_per: 'order' },
      price: '0',
      quantity: '3',
      figures: '0.50',
      tax: '0.50',
    },
    { effect: { type: 'use_split', ...split }, price: '100.00', figures: '100.00 0.06', tax: '6.00' },
  ];

  it.each(cases)('$effect.type at $price has $figures', ({ effect, price, quantity, figures, tax }) => {
    const outcome = explained(priced(price, quantity), withEffect(effect));
    expect(figuresOf(outcome, 'rule')[0]?.join(' ')).toMatch(new RegExp(`(^|\\b)${figures}$`));
    expect(outcome.tax_amount).toBe(tax);
  });

  it('the arithmetic of a fee that is not due has the minimum of the order', () => {
    const fee = rule('fee', ['FEES.RETAIL_DELIVERY_FEE'], { type: 'flat_fee', amount: '0.50', order_minimum: '100' });
    const line_items = [{ unit_price: '99.99' }, { product_tax_code: 'FEES.RETAIL_DELIVERY_FEE', unit_price: '0' }];
    const outcome = explained({ line_items }, releaseOf({ of: [state], rules: [fee] }));
    expect(figuresOf(outcome, 'rule', '/line_items/1')[0]?.at(-1)).toBe('100');
  });

  it('the arithmetic of a maximum tax has the tax before and after', () => {
    const outcome = explained(priced('20000.00'), withEffect({ type: 'tax_cap', rate: '0.05', amount: '500' }));
    expect(figuresOf(outcome, 'rate')).toEqual([['20000.00', '0.05', '1000', '500']]);
  });

  it('the arithmetic of a second rate has the tax at the general rate and by the rule', () => {
    const effect = { type: 'tiered_rate', amount: '1000', rate: '0.02' } as const;
    const outcome = explained(priced('1500.00'), withEffect(effect));
    expect(figuresOf(outcome, 'rate')).toEqual([['1500.00', '0.06', '90', '70']]);
  });

  it('the arithmetic of a threshold that includes shipping has the price with and without it', () => {
    const effect = { type: 'threshold_excess', amount: '250' } as const;
    const release = withEffect(effect, { threshold_includes_shipping: true });
    const outcome = explained(priced('245.00', '1', { shipping: { amount: '20.00' } }), release);
    expect(figuresOf(outcome, 'rule')[0]).toEqual(expect.arrayContaining(['245.00', '265.00']));
  });

  it('has the days and the limit of a holiday, even above the limit', () => {
    const holiday = { type: 'holiday', amount: '100', inclusive: false } as const;
    const release = releaseOf({
      of: [state],
      rules: [
        rule('goods', [clothing], { type: 'taxable' }),
        rule('holiday', [clothing], holiday, { from: '2026-09-14', to: '2026-09-16' }),
      ],
    });
    const ruleText = (price: string, tax_date = '2026-09-15') =>
      textsOf(explained({ ...priced(price), tax_date }, release), 'rule').join();
    expect(ruleText('99.99')).toMatch(/rule holiday, .*2026-09-14.*2026-09-16.* 100\b.* 99\.99/);
    expect(ruleText('100.00')).toContain('rule holiday');
    expect(ruleText('100.00', '2026-09-17')).not.toContain('holiday');
  });
});

describe('tax that is not collected', () => {
  const goods = releaseOf({
    of: [state],
    rules: [rule('goods', ['GENERAL'], { type: 'taxable' }, { source: 'test' })],
  });
  const exemption = { type: 'resale', certificate_id: 'C-1' } as const;

  it.each<[string, Asked, string, object | undefined]>([
    ['a certificate', { customer: { address: to, exemption } }, 'resale certificate in /customer/exemption', undefined],
    [
      "a line's own certificate",
      { line_items: [{ customer: { exemption: { type: 'government' } } }] },
      'government certificate in /line_items/0/customer/exemption',
      undefined,
    ],
    ['no registration', {}, 'US-MI on 2026-09-15', { registrations: [] }],
    ['a marketplace', { collected_by: 'marketplace' }, 'collected_by', undefined],
    ['a day that is not covered', { tax_date: '1999-12-31' }, 'GENERAL on 1999-12-31', undefined],
  ])('names its reason and no rule: %s', (_, asked, names, settings = {}) => {
    const outcome = explained({ to, ...asked }, goods, { settings });
    const text = expect.stringContaining(names);
    expect(stepsOf(outcome, 'rule')).toMatchObject([{ citation: null, rule_id: null, text }]);
    expect(JSON.stringify(outcome.explanation)).not.toContain('C-1');
    expect(outcome.tax_amount).toBe('0.00');
  });
});

describe('the place of taxation of a sale', () => {
  const sourced = (policy: 'origin' | 'destination' | 'mixed') =>
    releaseOf({ of: [state], settings: { sourcing: [{ ...always, policy }] } });
  const ship_from = { address: { state: 'MI', postal_code: '48226' } };

  it.each([
    { policy: 'origin', pointers: ['/ship_from/address'] },
    { policy: 'destination', pointers: ['/customer/address'] },
    { policy: 'mixed', pointers: ['/customer/address', '/ship_from/address'] },
  ] as const)('is at the addresses of the $policy policy, with its law', ({ policy, pointers }) => {
    const { explanation } = explained({ ship_from }, sourced(policy));
    const steps = explanation?.filter(({ step }) => step === 'address') ?? [];
    expect(steps.map(({ pointer }) => pointer)).toEqual(pointers);
    expect(steps[0]?.citation).toBe('The law');
  });

  it("has the candidates of an ambiguous address with their rates, and the policy's choice", () => {
    const release = releaseOf({
      of: [state, city, county],
      locations: [
        { ...always, zips: [['48933', '48933']], cities: [], alternatives: [[county.code]] },
        { ...always, zips: [['489330001', '489330099']], cities: [], alternatives: [[], [county.code, city.code]] },
      ],
    });
    const ratesWith = (settings: object) =>
      textsOf(explained({}, release, { settings }), 'address', '/customer/address')
        .join()
        .match(/(?<=\()0\.\d+/g);
    expect(ratesWith({ ambiguous_address: 'highest_rate' })).toEqual(['0.065', '0.06', '0.075', '0.075']);
    expect(ratesWith({})).toEqual(['0.065', '0.06', '0.075', '0.065']);
  });
});

describe('discounts, included tax and shipping', () => {
  const goods = releaseOf({ of: [state], rules: [rule('goods', ['GENERAL'], { type: 'taxable' })] });

  it('have the amounts of discounts', () => {
    const line_items = [
      { quantity: '2', unit_price: '50.00', discount_amount: '1.00', third_party_discount_amount: '2.00' },
    ];
    const outcome = explained({ discount_amount: '5.00', line_items }, goods);
    expect(figuresOf(outcome, 'base')).toEqual([['2', '100.00', '6.00', '5.00', '94.00', '2.00']]);
  });

  it('have the gross, the net and the tax', () => {
    const outcome = explained({ tax_included: true, line_items: [{ unit_price: '106.00' }] }, goods);
    expect(figuresOf(outcome, 'base')).toEqual([['1', '106.00', '106.00', '100.00']]);
    expect(figuresOf(outcome, 'rounding')).toEqual([['6', '6.00']]);
  });

  it('have the shares of shipping, its policy and its tax', () => {
    const release = releaseOf({
      of: [state],
      rules: [rule('goods', ['GENERAL'], { type: 'taxable' }), rule('food', ['FOOD.GROCERY'], { type: 'exempt' })],
    });
    const line_items = [{ unit_price: '20.00' }, { unit_price: '10.00', product_tax_code: 'FOOD.GROCERY' }];
    const outcome = explained({ shipping: { amount: '9.00' }, line_items }, release);
    expect(figuresOf(outcome, 'base', '/shipping')).toEqual([['9.00', '2', '6.00', '3.00']]);
    expect(stepsOf(outcome, 'rule', '/shipping')).toMatchObject([
      { rule_id: 'mi-shipping', citation: 'The law' },
      { rule_id: 'mi-shipping', citation: 'The law' },
    ]);
    expect(figuresOf(outcome, 'rule', '/shipping')).toEqual([
      ['6.00', '6.00'],
      ['0.00', '3.00'],
    ]);
    expect(figuresOf(outcome, 'rounding', '/shipping')).toEqual([['0.36', '0.36']]);
  });

  it('name the lines that a charge delivers, and a discount on it', () => {
    const line_items = [
      { id: 'mug', unit_price: '30.00' },
      { id: 'card', unit_price: '100.00', product_tax_code: 'FEES.GIFT_CARDS' },
      { id: 'bag', unit_price: '60.00' },
    ];
    const shipping = { amount: '10.00', discount_amount: '1.00' };
    const outcome = explained({ line_items, shipping } as Asked, releaseOf({ of: [state] }));
    expect(textsOf(outcome, 'base', '/shipping')).toEqual([
      'Shipping of 10.00, less discounts of 1.00, is 9.00. It is allocated to the 2 lines that it delivers by net amount: mug 3.00 and bag 6.00.',
    ]);
  });

  it('have the exact and rounded tax of the invoice, and the share of each line', () => {
    const line_items = [{ unit_price: '0.09' }, { unit_price: '0.09' }];
    const invoice = explained({ line_items }, goods, { settings: { rounding: 'invoice' } });
    expect([0, 1].flatMap((index) => figuresOf(invoice, 'rounding', `/line_items/${index}`))).toEqual([
      ['0.0054', '0.0108', '0.01', '0.01'],
      ['0.0054', '0.0108', '0.01', '0.00'],
    ]);
  });
});

/** `5.7` as a fraction: every figure of a step is one. */
const exactOf = (text: string) => {
  const [whole = '', fraction = ''] = text.split('.');
  return { units: BigInt(whole + fraction), scale: fraction.length };
};
const isSame = (left: ReturnType<typeof exactOf>, right: ReturnType<typeof exactOf>) =>
  left.units * 10n ** BigInt(right.scale) === right.units * 10n ** BigInt(left.scale);

describe('the rounding of shipping with goods', () => {
  it('names the tax before it, even if fees follow the shipping in the document', () => {
    const answer = ask({
      to: { state: 'CT' },
      explain: true,
      line_items: [
        { id: 'a', unit_price: '10.36' },
        { id: 'post', product_tax_code: 'SHIPPING.DELIVERY', unit_price: '6.08' },
        { id: 'wrap', product_tax_code: 'FEES.GIFT_WRAP', unit_price: '4.80' },
      ],
    });
    for (const [index, tax] of [
      [1, '0.39'],
      [2, '0.30'],
    ] as const) {
      const [text = ''] = textsOf(answer, 'rounding', `/line_items/${index}`);
      const { both, goods, difference } =
        /tax on both is .*? to (?<both>\d+\.\d+); the tax on .*? to (?<goods>\d+\.\d+)\. .* difference, (?<difference>\d+\.\d+)/.exec(
          text,
        )?.groups ?? {};
      expect([difference, answer.line_items[index]?.tax_amount], text).toEqual([tax, tax]);
      expect(Math.round((Number(both) - Number(goods)) * 100), text).toBe(Math.round(Number(tax) * 100));
    }
  });
});

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

describe('every explanation of the built-in content', () => {
  it('has one rule and one rate for each row, with its figures; every product and sum in it is exact', () => {
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
            const ids = stepsOf(outcome, 'rule', pointer).map(({ rule_id }) => rule_id);
            expect(ids.toSorted()).toEqual(charge.taxes.map((row) => row.rule_id).toSorted());
            const rates = textsOf(outcome, 'rate', pointer);
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
              const factors = [exactOf(taxable), exactOf(rate)] as const;
              const expected = {
                units: factors[0].units * factors[1].units,
                scale: factors[0].scale + factors[1].scale,
              };
              expect([text, isSame(exactOf(product), expected)]).toEqual([text, true]);
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
});

it("applies no state's tables to a document in another currency", () => {
  const roundingOf = (currency: string) =>
    ask({ to: { state: 'PA', postal_code: '17101' }, currency, explain: true, line_items: [{ unit_price: '13.51' }] })
      .explanation?.filter(({ step }) => step === 'rounding')
      .map(({ text }) => text.includes('tables'));
  expect([roundingOf('USD'), roundingOf('CAD')]).toEqual([[true], [false]]);
});

it('ends with the tax that is recorded instead, once', () => {
  const outcome = ask({ to, explain: true, line_items: [{ product_tax_code: 'GENERAL', unit_price: '100.00' }] });
  const again = withSuppliedTax(withSuppliedTax(outcome as Outcome, '5.00'), '5.55');
  expect(again.explanation).toHaveLength((outcome.explanation?.length ?? 0) + 1);
  expect(again.explanation?.at(-1)?.text.match(/\d+\.\d+/g)).toEqual(expect.arrayContaining(['5.55', '5.00']));
});

it('has the share of each row in the rounding by tables', () => {
  const lines = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(lines, fc.constantFrom('15222', '19103', '17101', '21201'), (prices, postal_code) => {
      const line_items = prices.map((price) => ({ unit_price: (price / 100).toFixed(2) }));
      const outcome = ask({ to: { postal_code }, line_items, explain: true });
      for (const [index, { taxes }] of outcome.line_items.entries()) {
        const taxed = taxes.filter(({ taxable_amount }) => taxable_amount !== '0.00');
        const [figures = []] = figuresOf(outcome, 'rounding', `/line_items/${index}`);
        expect(figures).toEqual(expect.arrayContaining(taxed.map(({ tax_amount }) => tax_amount)));
        for (const { tax_amount } of outcome.tax_summary) expect(figures).toContain(tax_amount);
      }
    }),
    { numRuns: 100 },
  );
});
