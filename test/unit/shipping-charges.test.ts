import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Settings } from '../../shared/accounts/account.ts';
import type { Outcome } from '../../shared/calculations/calculate.ts';
import { restoreInput } from '../../shared/calculations/echo.ts';
import { calculationProblems, crossFieldProblems } from '../../shared/calculations/request-problems.ts';
import { listLiabilityEntries } from '../../shared/ledger/entries/entries.ts';
import { requestedChanges } from '../../shared/ledger/updates/changes.ts';
import { vocabulary } from '../../shared/vocabulary/vocabulary.ts';
import {
  ask,
  buildRequest,
  type NewRequest as Request,
  refusal,
  storeOutcome,
  testNow,
  warningCodes,
} from '../support/builders.ts';
import { onlyShipping, shippingCharges } from '../support/sales.ts';

type Lines = NonNullable<Request['line_items']>;

/** One city per state, with local taxes if the state has any. */
const cities = [
  'AK Juneau 99801|AL Birmingham 35203|AR Little Rock 72201|AZ Phoenix 85004|CA Oakland 94612|CO Denver 80202',
  'CT Hartford 06103|DC Washington 20001|DE Wilmington 19801|FL Miami 33130|GA Atlanta 30303|HI Honolulu 96813',
  'IA Des Moines 50309|ID Boise 83702|IL Chicago 60602|IN Indianapolis 46204|KS Wichita 67202|KY Louisville 40202',
  'LA New Orleans 70112|MA Boston 02108|MD Baltimore 21202|ME Portland 04101|MI Detroit 48226|MN Minneapolis 55401',
  'MO St. Louis 63101|MS Jackson 39201|MT Billings 59101|NC Charlotte 28202|ND Fargo 58102|NE Omaha 68102',
  'NH Concord 03301|NJ Newark 07102|NM Albuquerque 87102|NV Las Vegas 89101|NY New York 10001|OH Columbus 43215',
  'OK Tulsa 74103|OR Portland 97204|PA Philadelphia 19107|PR San Juan 00901|RI Providence 02903|SC Columbia 29201',
  'SD Sioux Falls 57104|TN Nashville 37201|TX Austin 78701|UT Salt Lake City 84111|VA Richmond 23219|VT Burlington 05401',
  'WA Seattle 98101|WI Milwaukee 53202|WV Charleston 25301|WY Cheyenne 82001',
]
  .flatMap((line) => line.split('|'))
  .map((text) => {
    const [, state = '', city = '', postal_code = ''] = /^(..) (.*) (\d{5})$/.exec(text) ?? [];
    return { state, city, postal_code, country: 'US' };
  });
const cityIn = (code: string) => cities.find(({ state }) => state === code) as (typeof cities)[number];
const [detroit, minneapolis, omaha] = [cityIn('MI'), cityIn('MN'), cityIn('NE')];
const [denver, newark, oakland] = [cityIn('CO'), cityIn('NJ'), cityIn('CA')];

describe('the tax on shipping charges', () => {
  const dollars = (max: number) => fc.integer({ min: 0, max }).map((cents) => (cents / 100).toFixed(2));
  const isSellerFee = (code: string) => /^FEES\.(GIFT_WRAP|CARD_SURCHARGE|ORDER_FEE|CONTAINER_DEPOSIT)/.test(code);
  const sold = vocabulary().productTaxCodes.filter((code) => !/^(SHIPPING\.|FEES\.RETAIL_DELIVERY_FEE)/.test(code));
  const lineWith = (codes: readonly string[]) =>
    fc.record({
      product_tax_code: fc.constantFrom(...codes),
      quantity: fc.constantFrom('1', '2', '0.5'),
      unit_price: dollars(400_000),
      fulfillment: fc.constantFrom('ship', 'pickup', 'electronic', 'none', null, null, null, null),
    });
  const attributes = ['_SEPARATELY_STATED', '_INCLUDED_IN_PRICE', '_OPTIONAL_CHARGE'];
  const cart = fc.record({
    to: fc.constantFrom(...cities),
    // The first line is always shipped goods.
    lines: fc
      .tuple(lineWith(sold.filter((code) => !isSellerFee(code))), fc.array(lineWith(sold), { maxLength: 3 }))
      .map(([first, others]) => [{ ...first, fulfillment: 'ship' as const }, ...others]),
    elsewhere: fc.option(fc.tuple(fc.nat(), fc.constantFrom(...cities)), { nil: null }),
    charge: fc.record({
      amount: dollars(5_000),
      discount: fc.nat(100),
      product_tax_code: fc.constantFrom(
        ...['DELIVERY', 'HANDLING', 'POSTAGE'].map((code) => `SHIPPING.${code}`),
        ...attributes.map((attribute) => `SHIPPING.DELIVERY.${attribute}`),
      ),
      address: fc.option(fc.constantFrom(...cities), { nil: null }),
    }),
    position: fc.nat(),
    discount: fc.nat(100),
    discount_applies_to: fc.constantFrom('line_items' as const, 'line_items_and_shipping' as const),
    tax_included: fc.boolean(),
    rounding: fc.constantFrom<Settings['rounding']>('line', 'invoice'),
    day: fc.constantFrom('2026-11-20', '2026-10-08'),
  });
  type Cart = typeof cart extends fc.Arbitrary<infer Value> ? Value : never;

  const getPercent = (cents: number, percent: number) => (Math.floor((cents * percent) / 100) / 100).toFixed(2);

  /** Returns a cart as two requests: with its charge in `shipping`, and as a line item. */
  const bothWays = ({ lines, elsewhere, charge, position, ...others }: Cart) => {
    const goods = lines.map((one, index) => ({
      ...one,
      id: `l${index}`,
      ...(one.fulfillment === 'pickup' && { ship_from: { address: others.to } }),
      ...(elsewhere && elsewhere[0] % lines.length === index && { customer: { address: elsewhere[1] } }),
    }));
    // A document discount does not apply to fees.
    const total = goods
      .filter(({ product_tax_code }) => !isSellerFee(product_tax_code))
      .reduce((sum, { quantity, unit_price }) => sum + Math.round(Number(quantity) * Number(unit_price) * 100), 0);
    const { to, tax_included, discount_applies_to, day: tax_date } = others;
    const discount_amount = getPercent(total, others.discount);
    const base = { to, tax_date, tax_included, discount_amount, discount_applies_to };
    const { amount, product_tax_code, address } = charge;
    const own = { product_tax_code, discount_amount: getPercent(Number(amount) * 100, charge.discount) };
    const item = { ...own, id: 'freight', quantity: '1', unit_price: amount };
    const freight = { ...item, ...(address && { customer: { address } }) };
    return {
      field: { ...base, line_items: goods, shipping: { ...own, amount, ...(address && { ship_to: { address } }) } },
      asLine: { ...base, line_items: goods.toSpliced(position % (goods.length + 1), 0, freight as never) },
    };
  };

  const totals = ['tax_amount', 'taxable_amount', 'exempt_amount', 'applied_discount_amount'] as const;
  type Taxed = Pick<Outcome['line_items'][number], (typeof totals)[number] | 'net_amount' | 'taxes'>;
  const getFigures = (of: Taxed) => [...totals.map((name) => of[name]), of.net_amount, of.taxes];
  const byCode = (a: Outcome['tax_summary'][number], b: Outcome['tax_summary'][number]) =>
    `${a.jurisdiction_code} ${a.rate}` < `${b.jurisdiction_code} ${b.rate}` ? -1 : 1;

  // Shipping is taxed before the seller's fee. Each uses a part of the article's band.
  const besideFee: Cart = {
    to: cityIn('TN'),
    elsewhere: null,
    position: 0,
    discount: 0,
    discount_applies_to: 'line_items',
    tax_included: false,
    rounding: 'line',
    day: '2026-11-20',
    lines: [
      { product_tax_code: 'GENERAL', quantity: '0.5', unit_price: '1066.01', fulfillment: 'ship' },
      { product_tax_code: 'FEES.GIFT_WRAP', quantity: '1', unit_price: '0.12', fulfillment: null },
    ],
    charge: { amount: '22.00', discount: 0, product_tax_code: 'SHIPPING.DELIVERY', address: null },
  };

  it('taxes a line item and `shipping` the same, in every state', () => {
    const check = (one: Cart) => {
      const { field, asLine } = bothWays(one);
      const options = { settings: { rounding: one.rounding } };
      const [left, right] = [ask(field, options), ask(asLine, options)];
      const [freight, ...goods] = right.line_items.toSorted((a) => (a.id === 'freight' ? -1 : 0));
      const [charge] = shippingCharges(left.shipping);
      expect(freight && getFigures(freight)).toEqual(charge && getFigures(charge));
      expect(goods.map(getFigures)).toEqual(left.line_items.map(getFigures));
      for (const name of ['total_amount', ...totals] as const) expect(right[name]).toBe(left[name]);
      expect(right.tax_summary.toSorted(byCode)).toEqual(left.tax_summary.toSorted(byCode));
    };
    fc.assert(fc.property(cart, check), { numRuns: 400, examples: [[besideFee]] });
  });
});

const goods = (id: string, unit_price: string, product_tax_code = 'GENERAL') =>
  ({ id, unit_price, product_tax_code, quantity: '1' }) as const;
const mug = goods('mug', '10.00');

describe('charges whose code is a label of a shipping code', () => {
  // New Jersey exempts clothing, and treats deliveries and other charges like the goods.
  const shirt = { product_tax_code: 'CLOTHING.APPAREL' };
  const labels = ['DELIVERY', 'DELIVERY._SEPARATELY_STATED', 'HANDLING', 'GIFT_WRAP', 'ORDER_FEE'];
  it.each(labels)('taxes a charge with the code %s like the goods that it is for', (product_tax_code) => {
    const charge = { product_tax_code, unit_price: '10.00' };
    const withShirt = ask({ to: newark, line_items: [shirt, charge] });
    expect(withShirt.tax_amount).toBe('0.00');
    expect(warningCodes(withShirt)).not.toContain('taxability_not_established');
    expect(ask({ to: newark, line_items: [{}, charge] }).tax_amount).toBe('7.29');
  });
});

describe('the line items that a shipping charge delivers', () => {
  const food = goods('food', '90.00', 'FOOD.GROCERY');
  const card = goods('card', '50.00', 'FEES.GIFT_CARDS');
  const picked = { ...mug, id: 'picked', fulfillment: 'pickup', ship_from: { address: minneapolis } };
  const freight = goods('freight', '5.00', 'SHIPPING.DELIVERY');
  const asked = (line_items: readonly object[], shipping: unknown): Request =>
    ({ to: omaha, line_items, shipping }) as Request;
  const getTaxable = (line_items: readonly object[], shipping: unknown = { amount: '10.00' }) =>
    shippingCharges(ask(asked(line_items, shipping)).shipping).map(({ taxable_amount }) => taxable_amount);

  it.each([
    ['FEES.GIFT_CARDS', 'a gift card'],
    ['FEES.DONATIONS', 'a donation'],
    ['SERVICES.PROFESSIONAL', 'a service'],
    ['SOFTWARE.SAAS', 'software as a service'],
    ['DIGITAL.EBOOKS', 'a download'],
    ['SOFTWARE.PREWRITTEN_SOFTWARE._ELECTRONIC_DELIVERY', 'software that is downloaded'],
    ['ADMISSIONS.EVENT_TICKETS', 'a ticket'],
  ])('excludes %s: %s gets no share', (code) => {
    expect(getTaxable([mug, goods('other', '90.00', code)])).toEqual(['10.00']);
    expect(getTaxable([food, goods('other', '10.00', code)])).toEqual(['0.00']);
  });

  const named = [
    { id: 'a', amount: '10.00', line_item_ids: ['mug'] },
    { id: 'b', amount: '10.00', line_item_ids: ['food'] },
    { id: 'c', amount: '10.00' },
  ];
  const shippedCard = { ...card, unit_price: '10.00', fulfillment: 'ship' };
  const disc = goods('disc', '10.00', 'SOFTWARE.PREWRITTEN_SOFTWARE._TANGIBLE_MEDIA');
  const withoutIds = [food, mug].map((line) => ({ ...line, id: null }));
  it.each([
    ['no picked-up goods', [food, picked], undefined, ['0.00']],
    ['shipped goods, whatever their code', [mug, shippedCard], undefined, ['5.00']],
    ['software on a disc', [mug, disc], undefined, ['10.00']],
    ['the line items that the charge references', [mug, food], named, ['10.00', '0.00', '1.00']],
    ['line items without a sent id', withoutIds, [{ amount: '10.00', line_item_ids: ['line_2'] }], ['10.00']],
  ])('includes %s', (_, lines, shipping, taxable) => expect(getTaxable(lines, shipping)).toEqual(taxable));

  const naming = (...line_item_ids: string[]) => ({ amount: '10.00', line_item_ids });
  it.each([
    [[mug], naming('cup'), '/shipping/line_item_ids/0', 'No line item has the id "cup"'],
    [[mug], naming('mug', 'mug'), '/shipping/line_item_ids/1', 'listed twice'],
    [[mug, picked], naming('picked'), '/shipping/line_item_ids/0', 'has the fulfillment pickup'],
    [[mug, freight], naming('freight'), '/shipping/line_item_ids/0', 'is a shipping charge or a fee'],
    [[card], { amount: '10.00' }, '/shipping', 'No line item of the document is shipped'],
    [[card], [{ amount: '0.00' }, { amount: '10.00' }], '/shipping/1', 'No line item of the document is shipped'],
    [[card, freight], null, '/line_items/1', 'No line item of the document is shipped'],
  ])('rejects the line items %j for %j at %s: %s', (lines, shipping, pointer, text) => {
    const detail = expect.stringContaining(text);
    expect(refusal(asked(lines, shipping))).toMatchObject([{ source: { pointer }, detail }]);
  });

  it('requires no shipped line item for a charge of zero', () =>
    expect(refusal(asked([card], { amount: '0.00' }))).toEqual([]));

  it('accepts at most 5,000 line items across all charges and fees, counted once per charge', () => {
    const lines = Array.from({ length: 100 }, (_, index) => goods(`g${index}`, '1.00'));
    const fees = Array.from({ length: 51 }, (_, index) => goods(`f${index}`, '1.00', 'FEES.GIFT_WRAP'));
    const charges = (count: number, fields: object = {}) =>
      Array.from({ length: count }, (_, index) => ({ id: `s${index}`, amount: '1.00', ...fields }));
    const tooMany = (pointer: string) => [{ code: 'validation_invalid_format', source: { pointer } }];
    const line_item_ids = lines.slice(0, 50).map(({ id }) => id);
    expect(refusal(asked(lines, charges(50)))).toEqual([]);
    expect(refusal(asked(lines, charges(100, { line_item_ids })))).toEqual([]);
    expect(refusal(asked(lines, charges(51)))).toMatchObject(tooMany('/shipping/50'));
    const body = { customer: { address: detroit }, line_items: [...lines, ...fees] };
    expect(refusal(asked(body.line_items, null))).toMatchObject(tooMany('/line_items/150'));
    expect(calculationProblems(body, testNow)).toMatchObject(tooMany('/line_items/150'));
  });
});

describe('several shipping charges', () => {
  it('applies an exempt amount to one charge after the other', () => {
    const shipping = [{ amount: '8.00' }, { amount: '8.00' }];
    const outcome = ask({ to: cityIn('RI'), line_items: [goods('suit', '240.00', 'CLOTHING.APPAREL')], shipping });
    // The suit and its delivery cost 256.00, of which 6.00 is above 250.00: 7% of it is 0.42.
    expect(shippingCharges(outcome.shipping)).toMatchObject([
      { taxable_amount: '0.00', tax_amount: '0.00' },
      { taxable_amount: '6.00', tax_amount: '0.42' },
    ]);
  });

  it('accepts different destinations', () => {
    const shipping = [{ amount: '10.00' }, { amount: '10.00', ship_to: { address: minneapolis } }];
    const outcome = ask({ to: detroit, line_items: [mug], shipping });
    const [here, there] = shippingCharges(outcome.shipping);
    expect(here?.taxes.map((row) => row.jurisdiction_code)).toEqual(['US-MI']);
    expect([there?.taxes[0]?.jurisdiction_code, there?.tax_amount]).toEqual(['US-MN', '0.90']);
    expect(Object.keys(outcome.content_releases).toSorted()).toEqual(['US-MI', 'US-MN']);
  });

  it.each([
    ['line_items', ['26.20', '2.00', '8.00', '10.00', '5.80']],
    // The discount of 3.80 is distributed in proportion to 30.00 and 8.00.
    ['line_items_and_shipping', ['27.00', '2.80', '7.20', '10.00', '5.80']],
  ] as const)(
    'applies the discount of each charge, and a share of a discount on %s',
    (discount_applies_to, figures) => {
      const shipping = { amount: '10.00', discount_amount: '2.00' };
      const line_items = [goods('mug', '30.00')];
      const response = ask({ to: minneapolis, line_items, shipping, discount_amount: '3.80', discount_applies_to });
      const { applied_discount_amount, net_amount } = onlyShipping(response.shipping) ?? {};
      const own = [response.line_items[0]?.net_amount, applied_discount_amount, net_amount];
      expect([...own, response.shipping_amount, response.applied_discount_amount]).toEqual(figures);
    },
  );
});

it('warns about the goods that a shipping charge delivers if only the charge is taxed there', () => {
  const line_items = [goods('seat', '10.00', 'CLOTHING.PROTECTIVE_EQUIPMENT')];
  const listWarnings = (shipping: object) =>
    ask({ to: detroit, line_items, shipping: { amount: '5.00', ...shipping } }).warnings.map(
      ({ code, message, pointer }) => [code, message.slice(0, 'New Jersey, rule nj'.length), pointer],
    );
  const assumed = ['taxability_assumed', 'New Jersey, rule nj', '/shipping'];
  expect(listWarnings({ ship_to: { address: newark } })).toContainEqual(assumed);
  expect(listWarnings({})).not.toContainEqual(assumed);
});

it('taxes a document with only shipping as the delivery of taxable goods, with a warning', () => {
  const outcome = ask({ to: minneapolis, line_items: [goods('freight', '10.00', 'SHIPPING.DELIVERY')] });
  expect(outcome.tax_amount).toBe('0.90');
  expect(outcome.warnings).toMatchObject([
    { code: 'local_rates_by_place' },
    { code: 'taxability_not_established', pointer: '/line_items/0' },
  ]);
});

describe('pickup lines', () => {
  const line = { ...goods('mug', '100.00'), fulfillment: 'pickup' };
  const picked = { line_items: [line], ship_from: { address: minneapolis } };
  const ofDetroit = { customer: { address: detroit } };

  it.each<[string, object]>([
    ['whatever the address of the buyer', { ...ofDetroit, ...picked }],
    ['whatever the address of the line', { ...ofDetroit, ...picked, line_items: [{ ...line, ...ofDetroit }] }],
    ["without a buyer's address", picked],
    ["with an empty buyer's address", { ...picked, customer: { address: { city: '', state: null } } }],
  ])('taxes a pickup line at the pickup address, %s', (_, request) => expect(ask(request).tax_amount).toBe('9.03'));

  it('rejects a pickup line without an origin', () => {
    const expected = { code: 'validation_required_field', source: { pointer: '/ship_from/address' } };
    expect(refusal({ to: detroit, line_items: [goods('cup', '5.00'), line] } as Request)).toMatchObject([expected]);
  });
});

/** The retail delivery fees of Minnesota (Minn. Stat. 168E) and Colorado (C.R.S. 43-4-218): due, added or omitted. */
describe('delivery fees', () => {
  const product_tax_code = 'FEES.RETAIL_DELIVERY_FEE';
  const feeAt = (unit_price: string) => ({ product_tax_code, unit_price });
  const adding = { settings: { retail_delivery_fee: 'add' } } as const;
  const warning = { settings: { retail_delivery_fee: 'warn' } } as const;

  const ofFee = ({ warnings }: Outcome) => warnings.filter(({ code }) => code === 'retail_delivery_fee_due');
  const due = (outcome: Outcome) =>
    ofFee(outcome).map(({ message }) => /^(\w+) retail delivery fee: (\S+) is due/.exec(message)?.slice(1).join(' '));
  const listFees = ({ line_items }: Outcome) =>
    line_items
      .filter((line) => line.product_tax_code === product_tax_code)
      .map(({ id, tax_amount, taxes }) => [id, tax_amount, ...taxes.map((row) => row.jurisdiction_code)].join(' '));
  const sold = (unit_price: string, others: Lines[number] = {}) => ({ unit_price, ...others });
  const to = { to: minneapolis };

  const code = (product_tax_code: string) => sold('500.00', { product_tax_code });
  const clothing = sold('60.00', { product_tax_code: 'CLOTHING.APPAREL' });
  const picked = sold('500.00', { fulfillment: 'pickup', ship_from: { address: minneapolis } });
  const both = [denver, minneapolis].map((address) => sold('150.00', { customer: { address } }));
  const drugs = code('HEALTH.DRUGS._PRESCRIPTION');
  const enough = { ...to, line_items: [sold('150.00')] };
  const delivered = (amount: string) => ({ ...to, line_items: [sold('95.00')], shipping: { amount } });
  // The five taxes on 100.00 add up to 9.03, each rounded.
  const including = (price: string) => ({ ...to, tax_included: true, line_items: [sold(price)] });
  it.each<[string, Request, string[], object?]>([
    ['at the threshold', { ...to, line_items: [sold('100.00')] }, ['Minnesota 0.50']],
    ['not a cent below it', { ...to, line_items: [sold('99.99')] }, []],
    ['with exempt clothing', { ...to, line_items: [sold('40.00'), clothing] }, ['Minnesota 0.50']],
    ['not with food', { ...to, line_items: [sold('99.99'), code('FOOD.GROCERY')] }, []],
    ['not with goods that are picked up', { ...to, line_items: [picked] }, []],
    ['not with downloads', { ...to, line_items: [code('DIGITAL.EBOOKS')] }, []],
    ['for a single taxed item at 0.01', { to: denver, line_items: [sold('0.01')] }, ['Colorado 0.28']],
    ['not for exempt goods only', { to: denver, line_items: [drugs] }, []],
    ['not in another state', { to: detroit, line_items: [sold('500.00')] }, []],
    ['in each state', { line_items: both }, ['Colorado 0.28', 'Minnesota 0.50']],
    ['not if a line is the fee', { ...to, line_items: [sold('150.00'), feeAt('0.00')] }, []],
    ['with delivery that counts toward the threshold', delivered('5.00'), ['Minnesota 0.50']],
    ['not with delivery a cent lower', delivered('4.99'), []],
    ['not if a marketplace collects', { ...enough, collected_by: 'marketplace' }, []],
    ['not on a credit', { ...enough, type: 'credit' }, []],
    ['not without a registration', enough, [], { registrations: [] }],
    ['not with the setting none', enough, [], { retail_delivery_fee: 'none' }],
    ['with prices that reach the threshold without their tax', including('109.03'), ['Minnesota 0.50']],
    ['not with prices below the threshold without their tax', including('109.00'), []],
  ])('reports the fee %s', (_, request, expected, settings = {}) =>
    expect(due(ask(request, { settings: { ...warning.settings, ...settings } }))).toEqual(expected),
  );

  it.each([
    ['warn', denver],
    ['add', denver],
    ['add', minneapolis],
  ] as const)('reports the fee, with the setting %s, if the document is not in US dollars: %o', (setting, address) => {
    const abroad = { to: address, currency: 'CAD', tax_included: true, line_items: [sold('150.00')] };
    const message = expect.stringContaining('its amounts are in USD, but the document is in CAD');
    const found = ofFee(ask(abroad, { settings: { retail_delivery_fee: setting } }));
    expect(found).toEqual([{ code: 'retail_delivery_fee_due', message, pointer: '/line_items' }]);
    const { line_items, warnings } = ask({ ...abroad, line_items: [sold('150.00'), feeAt('0.40')] }, warning);
    expect(warnings.filter(({ message }) => message.includes('exceeds the fee'))).toEqual([]);
    const [row, ...others] = line_items[1]?.taxes ?? [];
    expect([row?.taxability_reason, row?.tax_amount, others]).toEqual(['not_supported', '0.00', []]);
  });

  it.each([
    ['only groceries', denver, { product_tax_code: 'FOOD.GROCERY' }],
    ['only groceries', minneapolis, { product_tax_code: 'FOOD.GROCERY' }],
    ['a free sample', minneapolis, { unit_price: '0.00' }],
    ['goods that are picked up', minneapolis, { fulfillment: 'pickup', ship_from: { address: minneapolis } }],
  ] as const)('does not report the fee in Canadian dollars for %s: %o', (_, address, line) => {
    const abroad = { to: address, currency: 'CAD', line_items: [sold('500.00', line)] };
    expect(ofFee(ask(abroad, warning))).toEqual([]);
  });

  it.each([
    [enough, '0.00'],
    [including('163.54'), '0.50'],
  ])('reports the fee with the unit_price that adds it once: %o', (request, price) => {
    const [found] = ask(request, warning).warnings.filter(({ pointer }) => pointer === '/line_items');
    expect(found?.message).toContain(`the unit_price ${price}`);
  });

  describe('the setting retail_delivery_fee=add', () => {
    const added = ask({ ...to, line_items: [sold('150.00', { id: 'a' })] }, adding);

    it('adds the fee as a separate line that no taxable base includes', () => {
      expect(listFees(added)).toEqual(['retail_delivery_fee 0.50 US-MN-RDF']);
      expect(due(added)).toEqual([]);
      // The exact tax is 9.025% of 150.00, which is 13.5375.
      expect(added).toMatchObject({ subtotal_amount: '150.00', tax_amount: '14.04', total_amount: '164.04' });
      const summary = added.tax_summary.find((row) => row.jurisdiction_code === 'US-MN-RDF');
      expect(summary).toMatchObject({ taxable_amount: '0.00', tax_amount: '0.50' });
    });

    it('adds the fee once if the response is calculated again, and removes it when it is no longer due', () => {
      const { line_items, ...input } = restoreInput({ ...added, type: 'sale' });
      const again = (changes: object) => listFees(ask({ ...input, line_items, ...changes }, adding));
      expect(again({})).toEqual(listFees(added));
      expect(again({ customer: { address: detroit } })).toEqual([]);
      expect(again({ line_items: [{ ...line_items[0], unit_price: '50.00' }, ...line_items.slice(1)] })).toEqual([]);
    });

    it("adds one line per state, at the state's address, with an unused id", () => {
      const [colorado, minnesota] = both;
      const line_items = [colorado ?? {}, { ...minnesota, id: 'retail_delivery_fee' }];
      const expected = ['retail_delivery_fee_2 0.28 US-CO-RDF', 'retail_delivery_fee_3 0.50 US-MN-RDF'];
      expect(listFees(ask({ line_items }, adding))).toEqual(expected);
    });

    const stored = (outcome: Outcome, retail_delivery_fee: 'add' | 'warn' = 'add') =>
      storeOutcome(outcome, { retail_delivery_fee });

    it.each([
      ['ignores the added line as a change of the line items', {}, 'add', []],
      ['reports a change of the line items without the setting', {}, 'warn', ['line_items']],
      ['reports changed line items', { quantity: '2', unit_price: '75.00' }, 'add', ['line_items']],
    ] as const)('%s', (_, changes, setting, inputs) => {
      const line_items = [{ id: 'a', product_tax_code: 'GENERAL', quantity: '1', unit_price: '150.00', ...changes }];
      expect(requestedChanges({ line_items }, stored(added, setting)).inputs).toEqual(inputs);
    });

    it('excludes the fee from the sales on the return', () => {
      // The five taxes on 150.00 add up to 13.54.
      const included = ask({ ...to, tax_included: true, line_items: [sold('163.54'), feeAt('0.50')] });
      for (const outcome of [added, included]) {
        const [entry] = listLiabilityEntries(stored(outcome));
        expect(entry?.base).toEqual({ taxable: 15_000n, exempt: 0n, tax: 0n });
        const filed = entry?.amounts.filter((row) => row.jurisdiction_code === 'US-MN-RDF');
        expect(filed).toMatchObject([{ rate: '0', taxable: 0n, tax: 50n }]);
      }
    });
  });

  it('rejects the fee in shipping, where its amount would be an untaxed charge', () => {
    const fee = { amount: '0.50', product_tax_code };
    const several = { ...to, line_items: [sold('150.00')], shipping: [{ amount: '5.00' }, fee] };
    const expected = [{ code: 'validation_invalid_format', source: { pointer: '/shipping/1/product_tax_code' } }];
    expect(refusal(several)).toMatchObject(expected);
    expect(crossFieldProblems(buildRequest(several))).toMatchObject(expected);
    const source = { pointer: '/shipping/product_tax_code' };
    expect(crossFieldProblems(buildRequest({ ...several, shipping: fee }))).toMatchObject([{ source }]);
  });

  describe('fee lines with a price', () => {
    it('rejects the line if prices do not include tax', () => {
      const expected = { code: 'validation_invalid_format', source: { pointer: '/line_items/1/unit_price' } };
      expect(refusal({ ...to, line_items: [sold('163.54'), feeAt('0.50')] })).toMatchObject([expected]);
    });

    it.each([
      ['0.50', minneapolis, []],
      ['5.00', minneapolis, ['/line_items/1 exceeds the fee of 0.50 that is due by 4.50']],
      ['0.50', detroit, ['/line_items/1 exceeds the fee of 0.00 that is due by 0.50']],
      ['0.10', minneapolis, ['/line_items/1 is 0.40 below the fee of 0.50 that is due']],
      ['0.00', denver, ['/line_items/1 is 0.28 below the fee of 0.28 that is due']],
      ['0.00', detroit, []],
    ])('compares a fee of %s with the due fee if prices include tax', (price, address, expected) => {
      const line_items = [sold('163.54', { id: 'a' }), feeAt(price)];
      const difference = /(?:exceeds|is [\d.]+ below) .* due(?: by [\d.]+\d)?/;
      const found = ofFee(ask({ to: address, tax_included: true, line_items }, warning));
      expect(found.map(({ pointer, message }) => `${pointer} ${difference.exec(message)}`)).toEqual(expected);
    });

    it.each([
      ['the setting none', {}, { settings: { retail_delivery_fee: 'none' } }],
      ['a credit', { type: 'credit' }, warning],
    ] as const)('does not report a fee that is too low with %s', (_, request, context) => {
      const line_items = [sold('163.54'), feeAt('0.10')];
      expect(ofFee(ask({ ...to, ...request, tax_included: true, line_items }, context))).toEqual([]);
    });

    it("allocates no share of a seller's fee, of shipping or of a discount to the line", () => {
      const wrap = { product_tax_code: 'FEES.GIFT_WRAP', unit_price: '5.00' };
      const others = { shipping: { amount: '10.00' }, discount_amount: '100.00' };
      const sent = ask({ ...to, line_items: [sold('250.00'), wrap, feeAt('0.00')], ...others });
      // The taxes are 9.025% of 150.00, 5.00 and 10.00, each rounded.
      expect(sent.line_items.map((one) => one.tax_amount)).toEqual(['13.54', '0.45', '0.50']);
      expect(sent.line_items.map((one) => one.applied_discount_amount)).toEqual(['100.00', '0.00', '0.00']);
      const shared = { discount_amount: '50.00', discount_applies_to: 'line_items_and_shipping' } as const;
      const line_items = [sold('200.00'), feeAt('0.50')];
      const included = ask({ ...to, tax_included: true, shipping: { amount: '50.00' }, line_items, ...shared });
      expect(included.line_items.map((one) => one.applied_discount_amount)).toEqual(['40.00', '0.00']);
    });

    it('rejects a discount on the line without other goods', () => {
      const body = buildRequest({ ...to, line_items: [feeAt('0.00')], discount_amount: '5.00' });
      expect(crossFieldProblems(body)).toMatchObject([{ source: { pointer: '/discount_amount' } }]);
    });
  });
});

/** A seller's fees are taxed like the goods of the order that they are for (SSUTA, Library of Definitions: sales price). */
describe("seller's fees", () => {
  const shirt = goods('shirt', '60.00', 'CLOTHING.APPAREL');
  const lamp = goods('lamp', '40.00');
  const wrap = { product_tax_code: 'FEES.GIFT_WRAP', unit_price: '5.00' };
  const deposit = { product_tax_code: 'FEES.CONTAINER_DEPOSIT', unit_price: '1.00' };
  const ebook = goods('ebook', '9.00', 'DIGITAL.EBOOKS');
  const card = goods('card', '9.00', 'FEES.GIFT_CARDS');
  const picked = { ...lamp, fulfillment: 'pickup', ship_from: { address: newark } };

  // New Jersey taxes the lamp but not the shirt. California: CDTFA Annotation 195.0245.
  it.each<[string, readonly object[], string, object?]>([
    ['the goods', [lamp, wrap], '5.00'],
    ['exempt goods', [shirt, wrap], '0.00'],
    ['the goods in proportion', [shirt, lamp, wrap], '2.00'],
    ['the referenced line', [shirt, lamp, { ...wrap, parent_line_item_id: 'shirt' }], '0.00'],
    ['goods that are picked up, not gift cards', [picked, card, wrap], '5.00'],
    ['shipped goods, not gift cards', [shirt, card, wrap], '0.00'],
    ['shipped goods, not downloads', [lamp, ebook, wrap], '5.00'],
    ['the goods, not gift cards', [lamp, card, { ...wrap, product_tax_code: 'FEES.CARD_SURCHARGE' }], '5.00'],
    ['the goods of a small order', [shirt, { ...wrap, product_tax_code: 'FEES.ORDER_FEE' }], '0.00'],
    ['the tea in a bottle', [lamp, goods('tea', '10.00', 'BEVERAGES.COFFEE_TEA'), deposit], '0.00', oakland],
    ['the cola in a bottle', [lamp, goods('cola', '10.00', 'BEVERAGES.SOFT_DRINKS'), deposit], '1.00', oakland],
  ])("taxes a seller's fee as %s", (_, line_items, part, to = newark) =>
    expect(ask({ to, line_items } as Request).line_items.at(-1)?.taxable_amount).toBe(part),
  );

  it('returns a warning if the states disagree on the fee, or if there are no goods', () => {
    expect(ask({ to: newark, line_items: [lamp, wrap] }).warnings).toEqual([]);
    expect(warningCodes(ask({ to: oakland, line_items: [lamp, wrap] }))).toContain('content_unconfirmed');
    expect(warningCodes(ask({ to: newark, line_items: [wrap] }))).toEqual(['taxability_not_established']);
    const free = { ...wrap, id: 'free', unit_price: '0.00' };
    const expected = { code: 'taxability_not_established', pointer: '/line_items/1' };
    expect(ask({ to: newark, line_items: [free, wrap] }).warnings).toMatchObject([expected]);
  });

  it('allocates no share of the shipping or of a document discount to the fee', () => {
    const others = { discount_amount: '10.00', shipping: { amount: '9.00' } };
    const response = ask({ to: newark, line_items: [lamp, wrap], ...others });
    expect(response.line_items.map((line) => line.applied_discount_amount)).toEqual(['10.00', '0.00']);
    // The taxes on 30.00, 5.00 and 9.00 at 6.625% are 1.99, 0.33 and 0.60.
    expect(response).toMatchObject({ tax_amount: '2.92', taxable_amount: '44.00' });
  });

  it.each<[string, object]>([
    ['a fee', wrap],
    ['a fee with a coupon', { ...wrap, third_party_discount_amount: '2.00' }],
    ['a delivery charge', { product_tax_code: 'SHIPPING.DELIVERY', unit_price: '5.00' }],
    ['a negative price', { unit_price: '-5.00' }],
  ])("locates %s with its goods, whatever the buyer's address", (_, sent) => {
    const charge = { quantity: '1', ...sent };
    const line_items = [{ ...lamp, customer: { address: newark } }, charge];
    const { tax_amount, warnings, content_releases, ...expected } = ask({ to: newark, line_items: [lamp, charge] });
    const { address_resolution, net_amount } = expected.line_items[1] ?? {};
    const located = { tax_amount, warnings, content_releases };
    // A coupon reduces the price in Massachusetts, not in New Jersey. Guam is not covered.
    for (const to of [undefined, cityIn('MA'), { state: 'GU', postal_code: '96910' }]) {
      const outcome = ask(to ? { to, line_items } : { line_items }, { settings: { incomplete_coverage: 'reject' } });
      expect(outcome).toMatchObject(located);
      expect(outcome.line_items[1]).toMatchObject({ address_resolution, net_amount });
    }
    expect(crossFieldProblems({ line_items })).toEqual([]);
    const source = { pointer: '/customer/address' };
    expect(crossFieldProblems({ line_items: [lamp, charge] })).toMatchObject([{ source }]);
  });

  it('files a fee and a delivery charge in the same column as their goods, which are shipped within the state', () => {
    const freight = { product_tax_code: 'SHIPPING.DELIVERY', unit_price: '5.00' };
    const ship_from = { address: newark };
    const listColumns = (sent: Partial<Request>) =>
      listLiabilityEntries(storeOutcome(ask({ to: newark, line_items: [], ...sent }))).flatMap(({ amounts }) =>
        amounts.map(({ in_state = 0n, tax }) => [in_state, tax]),
      );
    const inside = { ...lamp, ship_from };
    // The fee comes first and the document has no origin. 6.625% of 40.00 and 5.00 are 2.65 and 0.33.
    expect(listColumns({ line_items: [wrap, inside, freight] })).toEqual([[331n, 331n]]);
    expect(listColumns({ line_items: [inside], shipping: { amount: '5.00' } })).toEqual([[298n, 298n]]);
    const outside = { ...lamp, ship_from: { address: oakland } };
    expect(listColumns({ ship_from, line_items: [outside, freight] })).toEqual([[0n, 298n]]);
    expect(listColumns({ line_items: [lamp, { ...freight, ship_from }] })).toEqual([[33n, 298n]]);
  });

  it('rejects a fee for a line that does not exist', () => {
    const line_items = [lamp, { ...wrap, parent_line_item_id: 'mug' }];
    const source = { pointer: '/line_items/1/parent_line_item_id' };
    expect(refusal({ to: newark, line_items })).toMatchObject([{ source }]);
  });
});

it('extracts the included tax separately for states that share no charge', () => {
  const line = (id: string, unit_price: string, state: string) =>
    ({ id, unit_price, customer: { address: cityIn(state) } }) as const;
  const ofLine = (id: string, amount: string) => ({ amount, line_item_ids: [id] });
  const request = {
    line_items: [line('a', '2642.00', 'IN'), line('b', '2647.12', 'NJ')],
    shipping: [ofLine('a', '5.00'), ofLine('b', '7.00')],
  };
  const { line_items, shipping } = ask({ ...request, tax_included: true }, { settings: { rounding: 'invoice' } });
  const addTaxes = (at: number) =>
    Number(line_items[at]?.tax_amount) + Number(shippingCharges(shipping)[at]?.tax_amount);
  // A gross of 2,647.00 at 7% is 2,473.83 and 173.168; a gross of 2,654.12 at 6.625% is 2,489.21 and 164.910.
  expect([addTaxes(0).toFixed(2), addTaxes(1).toFixed(2)]).toEqual(['173.17', '164.91']);
});
