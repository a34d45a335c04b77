import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../shared/calculations/calculate.ts';
import type { Effect, Release } from '../../shared/content/release.ts';
import { withSuppliedTax } from '../../shared/transactions/supplied-tax.ts';
import { ask, releaseOf, rule } from '../support/builders.ts';

type Asked = Parameters<typeof ask>[0];

const state = { code: 'US-MI', type: 'state', rate: '0.06' } as const;
const city = { code: 'US-MI-CITY', type: 'city', rate: '0.01' } as const;
const county = { code: 'US-MI-COUNTY', type: 'county', rate: '0.005' } as const;
const to = { state: 'MI', postal_code: '48933' };
const clothing = 'CLOTHING.APPAREL';
const always = { from: '2000-01-01', to: null, source: 'test', confidence: 'high' } as const;

const sources = { test: 'The law' };
const explained = (asked: Asked, release: Release, around: object = {}): Outcome =>
  ask({ to, explain: true, ...asked }, { releaseFor: () => ({ ...release, sources }), ...around });

const stepsOf = ({ explanation }: Outcome, name: string, pointer = '/line_items/0') =>
  (explanation ?? []).filter((step) => step.step === name && step.pointer === pointer);
const textsOf = (outcome: Outcome, name: string, pointer?: string) =>
  stepsOf(outcome, name, pointer).map(({ text }) => text);

const withEffect = (effect: Effect, others = {}) =>
  releaseOf({ of: [state], rules: [rule('the-rule', [clothing], effect, { source: 'test', ...others })] });
const priced = (unit_price: string, quantity = '1', others = {}) => ({
  line_items: [{ product_tax_code: clothing, unit_price, quantity }],
  ...others,
});

describe('the steps of a line', () => {
  it('come in order: address, jurisdictions, base, then rule and rate of each jurisdiction, rounding', () => {
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
    expect(textsOf(outcome, 'jurisdictions')).toEqual([
      'Taxed by Name of US-MI (state), Name of US-MI-COUNTY (county) and Name of US-MI-CITY (city).',
    ]);
    expect(textsOf(outcome, 'rate')).toEqual([
      'Name of US-MI: 9.00 times 0.06, the general rate, is 0.54.',
      'Name of US-MI-COUNTY: 9.00 times 0.005, the general rate, is 0.045.',
      'Name of US-MI-CITY: 9.00 times 0.01, the general rate, is 0.09.',
    ]);
    expect(textsOf(outcome, 'rounding')).toEqual([
      'The exact taxes add up to 0.675; rounded half up once, that is 0.68. It is split over the jurisdictions by largest remainder.',
    ]);
    expect(outcome.tax_amount).toBe('0.68');
  });

  it('tell of an address once, where lines share it, and of each other address', () => {
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

  it('end where an answer would become too large, and say so: a thousand lines in eight jurisdictions', () => {
    const locals = Array.from({ length: 7 }, (_, index) => ({
      ...city,
      code: `US-MI-DISTRICT-${index}`,
      name: `Transportation District ${index}`,
    }));
    const release = releaseOf({
      of: [state, ...locals],
      locations: [
        { ...always, zips: [['48933', '48933']], cities: [], alternatives: [locals.map(({ code }) => code)] },
      ],
    });
    const line_items = Array.from({ length: 1000 }, () => ({ discount_amount: '0.10', description: 'x'.repeat(400) }));
    const outcome = explained({ line_items, shipping: { amount: '5.00' } }, release);
    const steps = outcome.explanation ?? [];
    const told = new Set(steps.filter(({ step }) => step === 'rounding').map(({ pointer }) => pointer));
    const [note, ...others] = steps.filter(({ text }) => text.includes('are left out'));
    expect(others).toEqual([]);
    // Every line is told whole, or named as left out; and the shipping is told.
    expect(note).toMatchObject({ pointer: `/line_items/${told.size - 1}` });
    expect(note?.text).toContain(`The steps of ${1000 - (told.size - 1)} lines`);
    expect(told.has('/shipping')).toBe(true);
    // What Lambda counts is the answer as a string in its reply: 6,291,556 bytes.
    expect(Buffer.byteLength(JSON.stringify({ body: JSON.stringify(outcome) }))).toBeLessThan(6_200_000);
    expect(steps.length).toBeGreaterThan(2000);
  });

  it('name the rule and the law behind it, and that of the rate', () => {
    const outcome = explained(priced('10.00'), withEffect({ type: 'rate', rate: '0.02' }));
    expect(stepsOf(outcome, 'rule')).toMatchObject([{ rule_id: 'the-rule', citation: 'The law' }]);
    expect(stepsOf(outcome, 'rate')).toMatchObject([{ rule_id: 'the-rule', citation: 'The law' }]);
    const general = explained(priced('10.00'), withEffect({ type: 'taxable' }));
    expect(stepsOf(general, 'rate')).toMatchObject([{ rule_id: null, citation: 'The law' }]);
  });

  it('say that no rule names the goods', () => {
    const outcome = explained(priced('10.00'), releaseOf({ of: [state] }));
    expect(textsOf(outcome, 'rule')).toEqual([
      'Name of US-MI: no rule names CLOTHING.APPAREL, which is taxed as general goods.',
    ]);
  });
});

describe('the arithmetic of a rule, in words', () => {
  const cases: readonly { effect: Effect; price: string; quantity?: string; says: string; tax: string }[] = [
    {
      effect: { type: 'exempt' },
      price: '10.00',
      says: 'is exempt (rule the-rule, in force since 2000-01-01).',
      tax: '0.00',
    },
    { effect: { type: 'rate', rate: '0.02' }, price: '10.00', says: 'taxed at the rate 0.02', tax: '0.20' },
    {
      effect: { type: 'threshold_cliff', amount: '110', inclusive: false },
      price: '109.99',
      quantity: '2',
      says: 'The limit is 110 for each of 2, together 220; the price of 219.98 is below it, so it is exempt.',
      tax: '0.00',
    },
    {
      effect: { type: 'threshold_cliff', amount: '110', inclusive: false },
      price: '110.00',
      says: 'The limit is 110; the price of 110.00 is not below it, so all of it is taxed.',
      tax: '6.60',
    },
    {
      effect: { type: 'threshold_cliff', amount: '110', inclusive: true },
      price: '110.00',
      says: 'The limit is 110; the price of 110.00 is not above it, so it is exempt.',
      tax: '0.00',
    },
    {
      effect: { type: 'threshold_excess', amount: '175' },
      price: '200.00',
      quantity: '2',
      says: 'Exempt is 175 for each of 2, together 350; of the price of 400.00, 50.00 exceeds it and is taxed.',
      tax: '3.00',
    },
    {
      effect: { type: 'threshold_rate', amount: '1000', rate: '0.0775' },
      price: '1000.01',
      says: 'The limit is 1000; the price of 1000.01 is taxed at 0.0775.',
      tax: '77.50',
    },
    {
      effect: { type: 'base_cap', amount: '5000' },
      price: '6000.00',
      quantity: '2',
      says: 'Taxed is at most 5000 for each of 2, together 10000; of the price of 12000.00, 10000.00 is taxed and 2000.00 is not.',
      tax: '600.00',
    },
    {
      effect: { type: 'band', above: '1600', to: '3200', rate: '0.0275' },
      price: '4000.00',
      says: 'The band begins above 1600 and ends at 3200; of the price of 4000.00, 1600.00 lies in it.',
      tax: '44.00',
    },
    {
      effect: { type: 'tax_cap', rate: '0.05', amount: '500' },
      price: '20000.00',
      says: 'The tax is at most 500.',
      tax: '500.00',
    },
    {
      effect: { type: 'base_percent', percent: '0.8' },
      price: '100.00',
      says: 'Of the price of 100.00, the fraction 0.8 is taxed: 80.00.',
      tax: '4.80',
    },
    {
      effect: { type: 'flat_fee', amount: '0.50', order_minimum: null },
      price: '0',
      quantity: '3',
      says: 'The fee is 0.50 for each of 3, together 1.5, whatever the price.',
      tax: '1.50',
    },
    {
      effect: { type: 'use_split', business: { type: 'rate', rate: '0.01' }, personal: { type: 'taxable' } },
      price: '100.00',
      says: 'Of this buyer, 100.00 is taxed at 0.06.',
      tax: '6.00',
    },
  ];

  it.each(cases)('$effect.type at $price: $says', ({ effect, price, quantity, says, tax }) => {
    const outcome = explained(priced(price, quantity), withEffect(effect));
    expect(textsOf(outcome, 'rule').join()).toContain(says);
    expect(outcome.tax_amount).toBe(tax);
  });

  it('a fee that is not due says which orders stay below it', () => {
    const release = releaseOf({
      of: [state],
      rules: [
        rule('fee', ['FEES.RETAIL_DELIVERY_FEE'], { type: 'flat_fee', amount: '0.50', order_minimum: '100' }),
        rule('goods', ['GENERAL'], { type: 'taxable' }),
      ],
    });
    const line_items = [{ unit_price: '99.99' }, { product_tax_code: 'FEES.RETAIL_DELIVERY_FEE', unit_price: '0' }];
    expect(textsOf(explained({ line_items }, release), 'rule', '/line_items/1').join()).toContain(
      'The taxable goods of the order stay below 100, so no fee is due.',
    );
  });

  it('a maximum says what it leaves of the rate', () => {
    const outcome = explained(priced('20000.00'), withEffect({ type: 'tax_cap', rate: '0.05', amount: '500' }));
    expect(textsOf(outcome, 'rate')).toEqual([
      'Name of US-MI: 20000.00 times 0.05, a rate of its own, is 1000, of which the maximum for the goods leaves 500.',
    ]);
  });

  it('a threshold that counts the shipping in says the price with it', () => {
    const effect = { type: 'threshold_excess', amount: '250' } as const;
    const release = withEffect(effect, { threshold_includes_shipping: true });
    const outcome = explained(priced('245.00', '1', { shipping: { amount: '20.00' } }), release);
    expect(textsOf(outcome, 'rule').join()).toContain('the price of 245.00 (265.00 with its share of the shipping)');
  });

  it('a holiday says its days and its limit, also where the price is beyond it', () => {
    const holiday = { type: 'holiday', amount: '100', inclusive: false } as const;
    const release = releaseOf({
      of: [state],
      rules: [
        rule('goods', [clothing], { type: 'taxable' }),
        rule('holiday', [clothing], holiday, { from: '2026-09-14', to: '2026-09-16' }),
      ],
    });
    expect(textsOf(explained(priced('99.99'), release), 'rule')).toEqual([
      "Name of US-MI: CLOTHING.APPAREL is exempt on the holiday below 100 a unit (rule holiday, from 2026-09-14 to 2026-09-16). The holiday's limit is 100; the price of 99.99 is below it.",
    ]);
    const beyond = explained(priced('100.00'), release);
    expect(textsOf(beyond, 'rule').join()).toContain(
      'The sales-tax holiday of rule holiday is on, but the price is beyond its limit.',
    );
    const after = explained({ ...priced('100.00'), tax_date: '2026-09-17' }, release);
    expect(textsOf(after, 'rule').join()).not.toContain('holiday');
  });
});

describe('what is not collected', () => {
  const goods = releaseOf({
    of: [state],
    rules: [rule('goods', ['GENERAL'], { type: 'taxable' }, { source: 'test' })],
  });
  const exemption = { type: 'resale', certificate_id: 'C-1' } as const;
  const whys: readonly { because: string; asked: Asked; settings?: object; says: string }[] = [
    {
      because: 'a certificate',
      asked: { customer: { address: to, exemption } },
      says: "Name of US-MI: the buyer's certificate of /customer/exemption (resale) holds on 2026-09-15: nothing is collected.",
    },
    {
      because: "a line's own certificate",
      asked: { line_items: [{ customer: { exemption: { type: 'government' } } }] },
      says: "Name of US-MI: the buyer's certificate of /line_items/0/customer/exemption (government) holds on 2026-09-15: nothing is collected.",
    },
    {
      because: 'no registration',
      asked: {},
      settings: { registrations: [] },
      says: "Name of US-MI: none of the account's registrations is for US-MI on 2026-09-15, so it collects nothing.",
    },
    {
      because: 'a marketplace',
      asked: { collected_by: 'marketplace' },
      says: 'Name of US-MI: collected_by is marketplace, which collects the tax of this sale; the seller collects none.',
    },
    {
      because: 'a day that is not known',
      asked: { tax_date: '1999-12-31' },
      says: 'State US-MI: what applied to GENERAL on 1999-12-31 is not established in US-MI@2026-10-01.1. No tax was calculated on it.',
    },
  ];

  it.each(whys)('says why: $because', ({ asked, settings = {}, says }) => {
    const outcome = explained({ to, ...asked }, goods, { settings });
    expect(textsOf(outcome, 'rule')).toEqual([says]);
    // What the rule says of the goods does not matter, but for what is not known of them.
    expect(stepsOf(outcome, 'rule')).toMatchObject([{ citation: null, rule_id: null }]);
    expect(JSON.stringify(outcome.explanation)).not.toContain('C-1');
    expect(outcome.tax_amount).toBe('0.00');
  });

  it('says that a state has no such tax, and that a country is not covered', () => {
    const none = releaseOf({ of: [{ ...state, rate: '0' }] });
    expect(textsOf(explained({}, none), 'rule')).toEqual(['Name of US-MI has no general sales tax.']);
    const abroad = ask({ to: { country: 'FR', city: 'Lyon' }, explain: true });
    expect(textsOf(abroad, 'rule')).toEqual(['FR: the content does not cover it. No tax was calculated.']);
    expect(textsOf(abroad, 'address', '/customer/address').join()).toContain('Goods go to LYON, FR: FR,');
  });
});

describe('where a sale is taxed', () => {
  const sourced = (policy: 'origin' | 'destination' | 'mixed') =>
    releaseOf({ of: [state], settings: { sourcing: [{ ...always, policy }] } });
  const ship_from = { address: { state: 'MI', postal_code: '48226' } };

  it('says which address decides, and by which policy', () => {
    const origin = explained({ ship_from }, sourced('origin'));
    expect(stepsOf(origin, 'address', '/ship_from/address')).toMatchObject([
      {
        text: 'Goods are sent from MI 48226: State US-MI, found by its state. The content knows all of its taxes. Taxed in State US-MI, which taxes sales within the state at their origin.',
        citation: 'The law',
      },
    ]);
    expect(textsOf(origin, 'jurisdictions')).toEqual(['Taxed by Name of US-MI (state, at the origin).']);
    const remote = explained({}, sourced('origin'));
    expect(textsOf(remote, 'address', '/customer/address').join()).toContain(
      'these goods come from elsewhere, or nobody said from where, so the destination decides.',
    );
  });

  it('says which candidates an ambiguous address has, at which rates, and which the policy takes', () => {
    const release = releaseOf({
      of: [state, city, county],
      locations: [
        { ...always, zips: [['48933', '48933']], cities: [], alternatives: [[county.code]] },
        { ...always, zips: [['489330001', '489330099']], cities: [], alternatives: [[], [county.code, city.code]] },
      ],
    });
    const candidates =
      'The candidates, with the combined general rates: Name of US-MI-COUNTY (0.065), no local tax (0.06) and Name of US-MI-COUNTY with Name of US-MI-CITY (0.075).';
    const told = (settings: object) =>
      textsOf(explained({}, release, { settings }), 'address', '/customer/address').join();
    expect(told({ ambiguous_address: 'highest_rate' })).toContain(
      `${candidates} By the account's policy the highest of them is taken: Name of US-MI-COUNTY with Name of US-MI-CITY (0.075).`,
    );
    expect(told({})).toContain(
      `${candidates} By the account's policy the lowest of those that hold for the whole ZIP is taken: Name of US-MI-COUNTY (0.065).`,
    );
    const states = ask({ to: { postal_code: '19973' }, explain: true });
    expect(textsOf(states, 'address', '/customer/address').join()).toContain(
      'ZIP 19973 lies in DE (0) and MD (0.06), and no state was sent; DE was assumed, which has the lowest',
    );
  });

  it('says that the content does not name a place, and not that it was found', () => {
    const listedOnly = explained({}, releaseOf({ of: [state], locals: 'listed' }));
    expect(textsOf(listedOnly, 'address', '/customer/address').join()).toContain(
      'Goods go to MI 48933: State US-MI, in none of the places that US-MI@2026-10-01.1 names on that day.',
    );
    const guam = ask({ to: { state: 'GU', postal_code: '96910' }, explain: true });
    expect(textsOf(guam, 'address', '/customer/address')).toEqual([
      'Goods go to GU 96910: US-GU, which no content covers.',
    ]);
    const abroad = ask({ to: { country: 'FR' }, explain: true });
    for (const outcome of [listedOnly, guam, abroad])
      expect(JSON.stringify(outcome.explanation)).not.toContain('found by');
  });

  it('names both addresses where both decide', () => {
    const mixed = explained({ ship_from }, sourced('mixed'));
    const pointers = mixed.explanation?.filter(({ step }) => step === 'address').map(({ pointer }) => pointer);
    expect(pointers).toEqual(['/customer/address', '/ship_from/address']);
  });
});

describe('discounts, tax that is included, and shipping', () => {
  const goods = releaseOf({ of: [state], rules: [rule('goods', ['GENERAL'], { type: 'taxable' })] });

  it('says what discounts leave, and which do not count', () => {
    const outcome = explained(
      {
        discount_amount: '5.00',
        line_items: [
          { quantity: '2', unit_price: '50.00', discount_amount: '1.00', third_party_discount_amount: '2.00' },
        ],
      },
      goods,
    );
    expect(textsOf(outcome, 'base')).toEqual([
      "2 for 100.00, less the seller's discounts of 6.00 (5.00 of them a share of the document's), is 94.00. A third party pays for 2.00 of discounts, which do not lower it.",
    ]);
  });

  it('says what is left of a gross amount without its tax', () => {
    const outcome = explained({ tax_included: true, line_items: [{ unit_price: '106.00' }] }, goods);
    expect(textsOf(outcome, 'base').join()).toContain(
      'Tax is included: of 106.00 the tax is taken out, and 100.00 is left',
    );
    expect(textsOf(outcome, 'rounding').join()).toContain('the tax is what the gross leaves beside the net, 6.00');
  });

  it('says how shipping is shared, by which policy it is taxed, and what it comes to', () => {
    const release = releaseOf({
      of: [state],
      rules: [rule('goods', ['GENERAL'], { type: 'taxable' }), rule('food', ['FOOD.GROCERY'], { type: 'exempt' })],
    });
    const outcome = explained(
      {
        shipping: { amount: '9.00' },
        line_items: [{ unit_price: '20.00' }, { unit_price: '10.00', product_tax_code: 'FOOD.GROCERY' }],
      },
      release,
    );
    expect(textsOf(outcome, 'base', '/shipping')).toEqual([
      'Shipping of 9.00 goes to 2 lines by net amount: line_1 6.00 and line_2 3.00.',
    ]);
    expect(stepsOf(outcome, 'rule', '/shipping')).toMatchObject([
      {
        text: 'Name of US-MI: shipping is taxed as the goods that it brings: of 6.00, 6.00 is taxed.',
        rule_id: 'mi-shipping',
        citation: 'The law',
      },
      {
        text: 'Name of US-MI: shipping is taxed as the goods that it brings: of 3.00, 0.00 is taxed.',
        rule_id: 'mi-shipping',
      },
    ]);
    expect(textsOf(outcome, 'rounding', '/shipping').join()).toContain(
      'add up to 0.36; rounded half up once, that is 0.36.',
    );
  });

  it('says that an invoice is rounded as one, or by tables', () => {
    const line_items = [{ unit_price: '0.09' }, { unit_price: '0.09' }];
    const invoice = explained({ line_items }, goods, { settings: { rounding: 'invoice' } });
    expect([0, 1].flatMap((index) => textsOf(invoice, 'rounding', `/line_items/${index}`))).toEqual([
      'The exact taxes add up to 0.0054. The account rounds by invoice: everything of State US-MI adds up to 0.0108 and is rounded half up once, 0.01; the share of this is 0.01.',
      'The exact taxes add up to 0.0054. The account rounds by invoice: everything of State US-MI adds up to 0.0108 and is rounded half up once, 0.01; the share of this is 0.00.',
    ]);
    const table = releaseOf({ of: [state], rounding: { method: 'bracket', brackets: [] } });
    expect(textsOf(explained({ line_items }, table), 'rounding').join()).toContain('by its statutory tables');
  });
});

/** `5.7` as a fraction: every figure of a step is one. */
const exactOf = (text: string) => {
  const [whole = '', fraction = ''] = text.split('.');
  return { units: BigInt(whole + fraction), scale: fraction.length };
};
const isSame = (one: ReturnType<typeof exactOf>, other: ReturnType<typeof exactOf>) =>
  one.units * 10n ** BigInt(other.scale) === other.units * 10n ** BigInt(one.scale);

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
            ...(outcome.shipping ? [{ charge: outcome.shipping, pointer: '/shipping' }] : []),
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
                /([\d.]+) times ([\d.]+), [^.]*? is ([\d.]+?)[.,]? ?(?:of|The|$)/.exec(text) ?? [];
              if (taxable === undefined || rate === undefined || product === undefined) continue;
              const [one, other] = [exactOf(taxable), exactOf(rate)];
              const expected = { units: one.units * other.units, scale: one.scale + other.scale };
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

const cents = (text: string) => BigInt(text.replace('.', ''));
const tablePattern =
  / (?<name>[^.]+) at (?<rate>[\d.]+): of (?<taxable>[\d.]+) taxable on the invoice the table takes (?<tax>[\d.]+)(?: \((?:(?<dollars>[\d.]+) for the whole dollars, (?<above>[\d.]+) for the (?<rest>[\d.]+) above: a cent for each of (?<steps>[\d., ]+) that it exceeds|[^)]*)\))?; the share of this is (?<share>[\d.]+)\./g;

describe('rounding by the tables of Pennsylvania and Maryland', () => {
  const to = fc.constantFrom(
    { state: 'PA', postal_code: '15222' },
    { state: 'PA', postal_code: '19103' },
    { state: 'PA', postal_code: '17101' },
    { state: 'MD', postal_code: '21201' },
  );
  const small = fc.record({
    unit_price: fc
      .integer({ min: 1, max: 400 })
      .map((all) => `${Math.floor(all / 100)}.${String(all % 100).padStart(2, '0')}`),
    customer: to.map((address) => ({ address })),
  });

  it("states the invoice's total in each jurisdiction, the table's tax and each share: a reader can do it again", () => {
    let tables = 0;
    fc.assert(
      fc.property(fc.array(small, { minLength: 1, maxLength: 4 }), fc.boolean(), (line_items, isShipped) => {
        const outcome = ask({ line_items, shipping: isShipped ? { amount: '0.33' } : null, explain: true });
        const summary = new Map(outcome.tax_summary.map((row) => [row.jurisdiction_code, row]));
        const rows = [...outcome.line_items, ...(outcome.shipping ? [outcome.shipping] : [])].flatMap(
          ({ taxes }) => taxes,
        );
        const codeOf = new Map(rows.map((row) => [row.jurisdiction_name, row.jurisdiction_code]));
        const shares = new Map<string, bigint>();
        for (const { step, text } of outcome.explanation ?? []) {
          if (step !== 'rounding') continue;
          for (const { groups = {} } of text.matchAll(tablePattern)) {
            const {
              name = '',
              rate,
              taxable = '',
              tax = '',
              dollars,
              above,
              rest = '',
              steps = '',
              share = '',
            } = groups;
            const code = codeOf.get(name) ?? name;
            expect(summary.get(code)).toMatchObject({ rate, taxable_amount: taxable, tax_amount: tax });
            shares.set(code, (shares.get(code) ?? 0n) + cents(share));
            if (dollars === undefined || above === undefined) continue;
            tables++;
            expect(cents(dollars) + cents(above)).toBe(cents(tax));
            expect(cents(above)).toBe(BigInt(steps.split(', ').filter((one) => cents(one) < cents(rest)).length));
          }
        }
        for (const [code, { tax_amount }] of summary)
          expect([code, shares.get(code) ?? 0n]).toEqual([code, cents(tax_amount)]);
      }),
      { numRuns: 200 },
    );
    expect(tables).toBeGreaterThan(200);
  });
});

it("explains no state's tables to a document in another currency, which they do not bind", () => {
  const to = { state: 'PA', postal_code: '17101' };
  const roundingOf = (currency: string) =>
    ask({ to, currency, explain: true, line_items: [{ product_tax_code: 'GENERAL', unit_price: '13.51' }] })
      .explanation?.filter(({ step }) => step === 'rounding')
      .map(({ text }) => text)
      .join();
  expect(roundingOf('USD')).toContain('rounds by its statutory tables');
  expect(roundingOf('CAD')).toContain('rounded half up once');
});

it('tells at its end which tax is recorded instead, once', () => {
  const outcome = ask({ to, explain: true, line_items: [{ product_tax_code: 'GENERAL', unit_price: '100.00' }] });
  const again = withSuppliedTax(withSuppliedTax(outcome as Outcome, '5.00'), '5.55');
  const told = again.explanation?.filter(({ text }) => text.startsWith('Recorded is')) ?? [];
  expect(told.map(({ text }) => text)).toEqual([expect.stringContaining('a tax of 5.55 instead of 5.00')]);
  expect(again.explanation?.at(-1)).toBe(told[0]);
});
