import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultSettings, type Settings } from '../../shared/accounts/account.ts';
import type { Outcome } from '../../shared/calculations/calculate.ts';
import { restoreInput } from '../../shared/calculations/echo.ts';
import { calculationProblems, crossFieldProblems } from '../../shared/calculations/request-problems.ts';
import { listLiabilityEntries } from '../../shared/ledger/entries/entries.ts';
import { newTransaction } from '../../shared/ledger/new-transaction.ts';
import { snapshotSettings } from '../../shared/ledger/settings-snapshot.ts';
import type { StoredTransaction } from '../../shared/ledger/transaction.ts';
import { requestedChanges } from '../../shared/ledger/updates/changes.ts';
import { vocabulary } from '../../shared/vocabulary/vocabulary.ts';
import { ask, refusal, requestOf, testNow, warningCodes } from '../support/builders.ts';
import { onlyShipping, shippingCharges } from '../support/shipping.ts';

describe('shipping charges', () => {
  /** A city of each state, with local taxes where the state has some. */
  const cities = [
    'AK Juneau 99801|AL Birmingham 35203|AR Little Rock 72201|AZ Phoenix 85004|CA Los Angeles 90012|CO Denver 80202',
    'CT Hartford 06103|DC Washington 20001|DE Wilmington 19801|FL Miami 33130|GA Atlanta 30303|HI Honolulu 96813',
    'IA Des Moines 50309|ID Boise 83702|IL Chicago 60602|IN Indianapolis 46204|KS Wichita 67202|KY Louisville 40202',
    'LA New Orleans 70112|MA Boston 02108|MD Baltimore 21202|ME Portland 04101|MI Lansing 48933|MN Minneapolis 55401',
    'MO St. Louis 63101|MS Jackson 39201|MT Billings 59101|NC Charlotte 28202|ND Fargo 58102|NE Omaha 68102',
    'NH Concord 03301|NJ Trenton 08608|NM Albuquerque 87102|NV Las Vegas 89101|NY New York 10001|OH Columbus 43215',
    'OK Tulsa 74103|OR Portland 97204|PA Philadelphia 19107|PR San Juan 00901|RI Providence 02903|SC Columbia 29201',
    'SD Sioux Falls 57104|TN Nashville 37201|TX Austin 78701|UT Salt Lake City 84111|VA Richmond 23219|VT Burlington 05401',
    'WA Seattle 98101|WI Milwaukee 53202|WV Charleston 25301|WY Cheyenne 82001',
  ]
    .flatMap((line) => line.split('|'))
    .map((text) => {
      const [, state = '', city = '', postal_code = ''] = /^(..) (.*) (\d{5})$/.exec(text) ?? [];
      return { state, city, postal_code, country: 'US' };
    });
  const [michigan, minnesota] = ['MI', 'MN'].map((code) => cities.find(({ state }) => state === code));

  const dollars = (max: number) =>
    fc.integer({ min: 0, max }).map((cents) => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`);
  const shippingCodes = [
    ...['SHIPPING.DELIVERY', 'SHIPPING.HANDLING', 'SHIPPING.POSTAGE', 'SHIPPING.DELIVERY._SEPARATELY_STATED'],
    ...['SHIPPING.DELIVERY._INCLUDED_IN_PRICE', 'SHIPPING.DELIVERY._OPTIONAL_CHARGE'],
  ];
  const isGoods = (code: string) => !/^(SHIPPING\.|FEES\.RETAIL_DELIVERY_FEE)/.test(code);
  const isFee = (code: string) => /^FEES\.(GIFT_WRAP|CARD_SURCHARGE|ORDER_FEE|CONTAINER_DEPOSIT)/.test(code);
  const sold = vocabulary().productTaxCodes.filter(isGoods);
  const lineOf = (codes: readonly string[]) =>
    fc.record({
      product_tax_code: fc.constantFrom(...codes),
      quantity: fc.constantFrom('1', '2', '0.5'),
      unit_price: dollars(400_000),
      fulfillment: fc.constantFrom('ship', 'pickup', 'electronic', 'none', null, null, null, null),
    });
  const cart = fc.record({
    to: fc.constantFrom(...cities),
    // The first line is always shipped goods.
    lines: fc
      .tuple(lineOf(sold.filter((code) => !isFee(code))), fc.array(lineOf(sold), { maxLength: 3 }))
      .map(([first, others]) => [{ ...first, fulfillment: 'ship' as const }, ...others]),
    elsewhere: fc.option(fc.tuple(fc.nat(), fc.constantFrom(...cities)), { nil: null }),
    charge: fc.record({
      amount: dollars(5_000),
      discount: fc.nat(100),
      product_tax_code: fc.constantFrom(...shippingCodes),
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

  const percentOf = (amount: number, percent: number) => (Math.floor(amount * percent) / 100).toFixed(2);

  /** A cart as a request with its charge in `shipping`, and one with the charge as a line item. */
  const bothWays = ({ lines, elsewhere, charge, position, ...others }: Cart) => {
    const goods = lines.map((one, index) => ({
      ...one,
      id: `l${index}`,
      ...(one.fulfillment === 'pickup' && { ship_from: { address: others.to } }),
      ...(elsewhere && elsewhere[0] % lines.length === index && { customer: { address: elsewhere[1] } }),
    }));
    // A discount of the document does not apply to fees.
    const discounted = goods.filter(({ product_tax_code }) => !isFee(product_tax_code));
    const total = discounted.reduce(
      (sum, { quantity, unit_price }) => sum + Math.round(Number(quantity) * Number(unit_price) * 100),
      0,
    );
    const discount = (Math.floor((total * others.discount) / 100) / 100).toFixed(2);
    const base = {
      to: others.to,
      tax_date: others.day,
      tax_included: others.tax_included,
      discount_amount: discount,
      discount_applies_to: others.discount_applies_to,
    };
    const { amount, product_tax_code, address } = charge;
    const own = { product_tax_code, discount_amount: percentOf(Number(amount), charge.discount) };
    const freight = {
      ...own,
      id: 'freight',
      quantity: '1',
      unit_price: amount,
      ...(address && { customer: { address } }),
    };
    return {
      field: { ...base, line_items: goods, shipping: { ...own, amount, ...(address && { ship_to: { address } }) } },
      asLine: { ...base, line_items: goods.toSpliced(position % (goods.length + 1), 0, freight as never) },
    };
  };

  type Charge = Pick<
    Outcome['line_items'][number],
    'taxes' | 'tax_amount' | 'taxable_amount' | 'exempt_amount' | 'net_amount' | 'applied_discount_amount'
  >;

  const figuresOf = (charge: Charge | undefined) =>
    charge && [
      charge.taxes,
      charge.tax_amount,
      charge.taxable_amount,
      charge.exempt_amount,
      charge.net_amount,
      charge.applied_discount_amount,
    ];

  /**
   * The shipping is the first line, and the fee of the seller comes after it: each takes its share of the band of an
   * article.
   */
  const besideFee: Cart = {
    to: cities.find(({ state }) => state === 'TN') as (typeof cities)[number],
    lines: [
      { product_tax_code: 'GENERAL', quantity: '0.5', unit_price: '1066.01', fulfillment: 'ship' },
      { product_tax_code: 'FEES.GIFT_WRAP', quantity: '1', unit_price: '0.12', fulfillment: null },
    ],
    elsewhere: null,
    charge: { amount: '22.00', discount: 0, product_tax_code: 'SHIPPING.DELIVERY', address: null },
    position: 0,
    discount: 0,
    discount_applies_to: 'line_items',
    tax_included: false,
    rounding: 'line',
    day: '2026-11-20',
  };

  describe('a shipping charge', () => {
    it('is taxed the same as a line item and in `shipping`, in every state', () => {
      fc.assert(
        fc.property(cart, (one) => {
          const { field, asLine } = bothWays(one);
          const options = { settings: { rounding: one.rounding } };
          const [left, right] = [ask(field, options), ask(asLine, options)];
          const freight = right.line_items.find(({ id }) => id === 'freight');
          expect(figuresOf(freight)).toEqual(figuresOf(onlyShipping<Charge>(left.shipping)));
          expect(right.line_items.filter(({ id }) => id !== 'freight').map(figuresOf)).toEqual(
            left.line_items.map(figuresOf),
          );
          for (const name of [
            'tax_amount',
            'taxable_amount',
            'exempt_amount',
            'total_amount',
            'applied_discount_amount',
          ] as const)
            expect(right[name]).toBe(left[name]);
          expect(right.tax_summary.toSorted(byCode)).toEqual(left.tax_summary.toSorted(byCode));
        }),
        { numRuns: 400, examples: [[besideFee]] },
      );
    });
  });

  const byCode = (a: Outcome['tax_summary'][number], b: Outcome['tax_summary'][number]) =>
    `${a.jurisdiction_code} ${a.rate}` < `${b.jurisdiction_code} ${b.rate}` ? -1 : 1;

  const goods = (id: string, unit_price: string, product_tax_code = 'GENERAL', more: object = {}) => ({
    ...{ id, unit_price, product_tax_code, quantity: '1' },
    ...more,
  });

  describe('the line items that a shipping charge delivers', () => {
    const omaha = cities.find(({ state }) => state === 'NE');
    const taxableOf = (line_items: readonly object[], shipping: object = { amount: '10.00' }) =>
      shippingCharges(
        ask({ to: omaha as never, line_items: line_items as never, shipping: shipping as never }).shipping,
      ).map(({ taxable_amount }) => taxable_amount);
    const mug = goods('mug', '10.00');
    const food = goods('food', '90.00', 'FOOD.GROCERY');

    it.each([
      ['FEES.GIFT_CARDS', 'a gift card'],
      ['FEES.DONATIONS', 'a donation'],
      ['SERVICES.PROFESSIONAL', 'a service'],
      ['SOFTWARE.SAAS', 'software as a service'],
      ['DIGITAL.EBOOKS', 'a download'],
      ['SOFTWARE.PREWRITTEN_SOFTWARE._ELECTRONIC_DELIVERY', 'software that is downloaded'],
      ['ADMISSIONS.EVENT_TICKETS', 'a ticket'],
    ])('are not %s: %s has no share', (code) => {
      expect(taxableOf([mug, goods('other', '90.00', code)])).toEqual(['10.00']);
      expect(taxableOf([food, goods('other', '10.00', code)])).toEqual(['0.00']);
    });

    it('are those with the fulfillment "ship", whatever their code', () => {
      const picked = { ...mug, fulfillment: 'pickup' as const, ship_from: { address: minnesota as never } };
      expect(taxableOf([food, picked])).toEqual(['0.00']);
      expect(taxableOf([mug, goods('card', '10.00', 'FEES.GIFT_CARDS', { fulfillment: 'ship' })])).toEqual(['5.00']);
      expect(taxableOf([mug, goods('disc', '10.00', 'SOFTWARE.PREWRITTEN_SOFTWARE._TANGIBLE_MEDIA')])).toEqual([
        '10.00',
      ]);
    });

    it('are those that the charge names', () => {
      const charges = [
        { id: 'a', amount: '10.00', line_item_ids: ['mug'] },
        { id: 'b', amount: '10.00', line_item_ids: ['food'] },
        { id: 'c', amount: '10.00' },
      ];
      expect(taxableOf([mug, food], charges)).toEqual(['10.00', '0.00', '1.00']);
    });

    it('may have no id of their own', () => {
      const charges = [{ amount: '10.00', line_item_ids: ['line_2'] }];
      expect(
        taxableOf(
          [
            { ...food, id: null },
            { ...mug, id: null },
          ],
          charges,
        ),
      ).toEqual(['10.00']);
    });

    it.each([
      [{ line_item_ids: ['cup'] }, '/shipping/line_item_ids/0', 'No line item has the id "cup"'],
      [{ line_item_ids: ['mug', 'mug'] }, '/shipping/line_item_ids/1', 'named twice'],
      [{ line_item_ids: ['picked'] }, '/shipping/line_item_ids/0', 'has the fulfillment pickup'],
      [{ line_item_ids: ['freight'] }, '/shipping/line_item_ids/0', 'is a shipping charge or a fee itself'],
    ])('are refused where %j is not delivered', (charge, pointer, detail) => {
      const line_items = [
        mug,
        { ...food, id: 'picked', fulfillment: 'pickup' as const },
        goods('freight', '1.00', 'SHIPPING.DELIVERY'),
      ];
      const problems = refusal({ to: omaha as never, line_items, shipping: { amount: '10.00', ...charge } });
      expect(problems).toMatchObject([{ source: { pointer }, detail: expect.stringContaining(detail) }]);
    });

    it('must exist, unless the charge is zero', () => {
      const card = goods('card', '50.00', 'FEES.GIFT_CARDS');
      const refused = (shipping: object) =>
        refusal({ to: omaha as never, line_items: [card], shipping: shipping as never });
      expect(refused({ amount: '10.00' })).toMatchObject([{ source: { pointer: '/shipping' } }]);
      expect(refused([{ amount: '0.00' }, { amount: '10.00' }])).toMatchObject([
        { source: { pointer: '/shipping/1' } },
      ]);
      expect(refused({ amount: '0.00' })).toEqual([]);
      expect(
        refusal({ to: omaha as never, line_items: [card, goods('freight', '5.00', 'SHIPPING.DELIVERY')] }),
      ).toMatchObject([{ source: { pointer: '/line_items/1' } }]);
    });
  });

  describe('several shipping charges', () => {
    it('are taxed where each delivers, and use up an exempt amount one after the other', () => {
      const clothes = 'CLOTHING.APPAREL';
      const outcome = ask({
        to: { state: 'RI', postal_code: '02903', country: 'US' },
        line_items: [goods('suit', '240.00', clothes)],
        shipping: [{ amount: '8.00' }, { amount: '8.00' }],
      });
      // The suit and its delivery cost 256.00, of which 6.00 is above 250.00: 7 % of it is 0.42.
      expect(
        shippingCharges(outcome.shipping).map(({ taxable_amount, tax_amount }) => [taxable_amount, tax_amount]),
      ).toEqual([
        ['0.00', '0.00'],
        ['6.00', '0.42'],
      ]);
    });

    it('have their own destinations', () => {
      const outcome = ask({
        to: michigan as never,
        line_items: [goods('mug', '10.00')],
        shipping: [{ amount: '10.00' }, { amount: '10.00', ship_to: { address: minnesota as never } }],
      });
      const [here, there] = shippingCharges(outcome.shipping);
      expect(here?.taxes.map(({ jurisdiction_code }) => jurisdiction_code)).toEqual(['US-MI']);
      expect(there?.taxes[0]?.jurisdiction_code).toBe('US-MN');
      expect(there?.tax_amount).toBe('0.90');
      expect(Object.keys(outcome.content_releases).toSorted()).toEqual(['US-MI', 'US-MN']);
    });

    it('have their own discounts, and a share of a discount of the document that includes shipping', () => {
      const line_items = [goods('mug', '30.00')];
      const shipping = { amount: '10.00', discount_amount: '2.00' };
      const of = (discount_applies_to: 'line_items' | 'line_items_and_shipping') => {
        const outcome = ask({
          to: minnesota as never,
          line_items,
          shipping,
          discount_amount: '3.80',
          discount_applies_to,
        });
        const { applied_discount_amount, net_amount } = onlyShipping(outcome.shipping) ?? {};
        return [
          outcome.line_items[0]?.net_amount,
          applied_discount_amount,
          net_amount,
          outcome.shipping_amount,
          outcome.applied_discount_amount,
        ];
      };
      expect(of('line_items')).toEqual(['26.20', '2.00', '8.00', '10.00', '5.80']);
      // 3.80 in proportion to 30.00 and 8.00.
      expect(of('line_items_and_shipping')).toEqual(['27.00', '2.80', '7.20', '10.00', '5.80']);
    });
  });

  describe('a document of shipping alone', () => {
    it('is taxed as the delivery of taxable goods, with a warning', () => {
      const outcome = ask({ to: minnesota as never, line_items: [goods('freight', '10.00', 'SHIPPING.DELIVERY')] });
      expect(outcome.tax_amount).toBe('0.90');
      expect(outcome.warnings).toContainEqual(
        expect.objectContaining({ code: 'taxability_not_established', pointer: '/line_items/0' }),
      );
    });
  });

  describe('the line items of all charges together', () => {
    const lines = Array.from({ length: 100 }, (_, index) => goods(`g${index}`, '1.00'));
    const chargesOf = (count: number, fields: object = {}) =>
      Array.from({ length: count }, (_, index) => ({ id: `s${index}`, amount: '1.00', ...fields }));
    const tooMany = (pointer: string) => [{ code: 'validation_invalid_format', source: { pointer } }];

    it('are at most 5,000, counted once for each charge', () => {
      const request = { to: michigan as never, line_items: lines };
      expect(ask({ ...request, shipping: chargesOf(50) }).shipping_amount).toBe('50.00');
      expect(refusal({ ...request, shipping: chargesOf(51) })).toMatchObject(tooMany('/shipping/50'));
      const line_item_ids = lines.slice(0, 50).map(({ id }) => id);
      expect(ask({ ...request, shipping: chargesOf(100, { line_item_ids }) }).shipping_amount).toBe('100.00');
    });

    it('include line items that are fees, and are refused with the other problems of a body', () => {
      const fees = Array.from({ length: 51 }, (_, index) => goods(`f${index}`, '1.00', 'FEES.GIFT_WRAP'));
      const line_items = [...lines, ...fees];
      expect(refusal({ to: michigan as never, line_items })).toMatchObject(tooMany('/line_items/150'));
      expect(calculationProblems({ customer: { address: michigan }, line_items }, testNow)).toMatchObject(
        tooMany('/line_items/150'),
      );
    });
  });

  describe('a line that is picked up', () => {
    const line = goods('mug', '100.00', 'GENERAL', { fulfillment: 'pickup' });

    it('is taxed where the seller hands it over, whatever the address of the buyer', () => {
      const ship_from = { address: minnesota as never };
      const own = { ...line, customer: { address: michigan as never } };
      expect(ask({ to: michigan as never, line_items: [line], ship_from }).tax_amount).toBe('9.03');
      expect(ask({ to: michigan as never, line_items: [own], ship_from }).tax_amount).toBe('9.03');
      expect(ask({ line_items: [line], ship_from }).tax_amount).toBe('9.03');
    });

    it('is refused without an origin', () => {
      expect(refusal({ to: michigan as never, line_items: [goods('cup', '5.00'), line] })).toMatchObject([
        { code: 'validation_required_field', source: { pointer: '/ship_from/address' } },
      ]);
    });
  });
});

describe('delivery fees', () => {
  /** The retail delivery fees of Minnesota (Minn. Stat. 168E) and Colorado (C.R.S. 43-4-218): due, added or left out. */

  const minneapolis = { city: 'Minneapolis', state: 'MN', postal_code: '55401', country: 'US' };
  const denver = { city: 'Denver', state: 'CO', postal_code: '80202', country: 'US' };
  const detroit = { city: 'Detroit', state: 'MI', postal_code: '48226', country: 'US' };
  const warning = { settings: { retail_delivery_fee: 'warn' } } as const;
  const adding = { settings: { retail_delivery_fee: 'add' } } as const;
  type Line = NonNullable<Parameters<typeof ask>[0]['line_items']>[number];

  const due = ({ warnings }: Outcome) =>
    warnings
      .filter(({ code }) => code === 'retail_delivery_fee_due')
      .map(({ message }) => /^(\w+) retail delivery fee: (\S+) is due/.exec(message)?.slice(1).join(' '));
  const feesOf = ({ line_items }: Outcome) =>
    line_items
      .filter(({ product_tax_code }) => product_tax_code === 'FEES.RETAIL_DELIVERY_FEE')
      .map(({ id, tax_amount, taxes }) => [id, tax_amount, ...taxes.map(({ jurisdiction_code }) => jurisdiction_code)]);
  const to = (address: Parameters<typeof ask>[0]['to'], line_items: readonly Line[], others: object = {}) =>
    ask({ ...(address && { to: address }), line_items, ...others }, warning);

  describe('a fee without a line is reported', () => {
    const goods = (unit_price: string, others: Line = {}): Line => ({ unit_price, ...others });
    const clothing = { product_tax_code: 'CLOTHING.APPAREL' };
    it.each([
      ['at the threshold', minneapolis, [goods('100.00')], ['Minnesota 0.50']],
      ['a cent below it', minneapolis, [goods('99.99')], []],
      [
        'clothing counts, although it is exempt',
        minneapolis,
        [goods('40.00'), goods('60.00', clothing)],
        ['Minnesota 0.50'],
      ],
      ['food does not count', minneapolis, [goods('99.99'), goods('500.00', { product_tax_code: 'FOOD.GROCERY' })], []],
      [
        'goods that are picked up do not',
        minneapolis,
        [goods('500.00', { fulfillment: 'pickup', ship_from: { address: minneapolis } })],
        [],
      ],
      ['downloads do not', minneapolis, [goods('500.00', { product_tax_code: 'DIGITAL.EBOOKS' })], []],
      ['one taxed item of a cent is enough', denver, [goods('0.01')], ['Colorado 0.28']],
      ['exempt goods alone are not', denver, [goods('500.00', { product_tax_code: 'HEALTH.DRUGS._PRESCRIPTION' })], []],
      ['no other state has one', detroit, [goods('500.00')], []],
      [
        'each state has its own',
        null,
        [goods('150.00', { customer: { address: denver } }), goods('150.00', { customer: { address: minneapolis } })],
        ['Colorado 0.28', 'Minnesota 0.50'],
      ],
      [
        'not beside a line for it',
        minneapolis,
        [goods('150.00'), { product_tax_code: 'FEES.RETAIL_DELIVERY_FEE', unit_price: '0.00' }],
        [],
      ],
    ] as const)('%s', (_, address, lines, expected) => expect(due(to(address ?? undefined, lines))).toEqual(expected));

    it('with the delivery charges of the goods that count', () => {
      expect(due(to(minneapolis, [goods('95.00')], { shipping: { amount: '5.00' } }))).toEqual(['Minnesota 0.50']);
      expect(due(to(minneapolis, [goods('95.00')], { shipping: { amount: '4.99' } }))).toEqual([]);
    });

    it('not where the seller does not collect, and not on a credit', () => {
      const lines = [goods('150.00')];
      expect(due(to(minneapolis, lines, { collected_by: 'marketplace' }))).toEqual([]);
      expect(due(to(minneapolis, lines, { type: 'credit' }))).toEqual([]);
      expect(
        due(ask({ to: minneapolis, line_items: lines }, { settings: { ...warning.settings, registrations: [] } })),
      ).toEqual([]);
      expect(due(ask({ to: minneapolis, line_items: lines }, { settings: { retail_delivery_fee: 'none' } }))).toEqual(
        [],
      );
    });

    it('measured without tax that the prices include', () => {
      // The five taxes on 100.00 are 9.03 together, each rounded.
      expect(due(to(minneapolis, [goods('109.03')], { tax_included: true }))).toEqual(['Minnesota 0.50']);
      expect(due(to(minneapolis, [goods('109.00')], { tax_included: true }))).toEqual([]);
    });
  });

  describe('the account setting retail_delivery_fee=add', () => {
    const sold = ask({ to: minneapolis, line_items: [{ id: 'a', unit_price: '150.00' }] }, adding);

    it('adds a line of its own, whose fee is in no base', () => {
      expect(feesOf(sold)).toEqual([['retail_delivery_fee', '0.50', 'US-MN-RDF']]);
      expect(due(sold)).toEqual([]);
      // 9.025 % of 150.00 is 13.5375.
      expect(sold).toMatchObject({ subtotal_amount: '150.00', tax_amount: '14.04', total_amount: '164.04' });
      expect(sold.tax_summary.find(({ jurisdiction_code }) => jurisdiction_code === 'US-MN-RDF')).toMatchObject({
        taxable_amount: '0.00',
        tax_amount: '0.50',
      });
    });

    it('adds it once when the answer is calculated again, and removes it when it is no longer due', () => {
      const { line_items, ...input } = restoreInput({ ...sold, type: 'sale' });
      const again = (changes: object) => ask({ ...input, line_items, ...changes }, adding);
      expect(feesOf(again({}))).toEqual(feesOf(sold));
      expect(feesOf(again({ customer: { address: detroit } }))).toEqual([]);
      const [line] = line_items;
      expect(feesOf(again({ line_items: [{ ...line, unit_price: '50.00' }, ...line_items.slice(1)] }))).toEqual([]);
    });

    it('adds a line for each state, at its place', () => {
      const lines = [
        { unit_price: '150.00', customer: { address: denver } },
        { id: 'retail_delivery_fee', unit_price: '150.00', customer: { address: minneapolis } },
      ];
      expect(feesOf(ask({ line_items: lines }, adding))).toEqual([
        ['retail_delivery_fee_2', '0.28', 'US-CO-RDF'],
        ['retail_delivery_fee_3', '0.50', 'US-MN-RDF'],
      ]);
    });

    const stored = (outcome: Outcome, retail_delivery_fee: 'add' | 'warn' = 'add'): StoredTransaction =>
      newTransaction(
        { type: 'sale', status: 'finalized', parent_transaction_id: null },
        outcome,
        outcome.tax_amount,
        { creditOf: null, settingsSnapshot: { ...snapshotSettings(defaultSettings('v')), retail_delivery_fee } },
        24,
        { newId: () => 'txn_1', now: () => testNow },
      );

    it('does not take the line items that were sent as a change', () => {
      const line_items = [{ id: 'a', product_tax_code: 'GENERAL', quantity: '1', unit_price: '150.00' }];
      expect(requestedChanges({ line_items }, stored(sold)).inputs).toEqual([]);
      expect(requestedChanges({ line_items }, stored(sold, 'warn')).inputs).toEqual(['line_items']);
      const [line] = line_items;
      const changed = [{ ...line, quantity: '2', unit_price: '75.00' }];
      expect(requestedChanges({ line_items: changed }, stored(sold)).inputs).toEqual(['line_items']);
    });

    it('keeps the fee apart from the sales of the return', () => {
      const [entry] = listLiabilityEntries(stored(sold));
      expect(entry?.base).toEqual({ taxable: 15_000n, exempt: 0n, tax: 0n });
      const ofFee = entry?.amounts.filter(({ jurisdiction_code }) => jurisdiction_code === 'US-MN-RDF');
      expect(ofFee).toMatchObject([{ rate: '0', taxable: 0n, tax: 50n }]);
      // The five taxes on 150.00 are 13.54 together.
      const included = ask({
        to: minneapolis,
        tax_included: true,
        line_items: [{ unit_price: '163.54' }, { product_tax_code: 'FEES.RETAIL_DELIVERY_FEE', unit_price: '0.50' }],
      });
      const [other] = listLiabilityEntries(stored(included));
      expect(other?.base).toEqual(entry?.base);
      expect(other?.amounts).toContainEqual(ofFee?.[0]);
    });
  });

  describe('the price of a fee', () => {
    const line = (unit_price: string) => ({ product_tax_code: 'FEES.RETAIL_DELIVERY_FEE', unit_price });
    const lines = (price: string) => [{ id: 'a', unit_price: '163.54' }, line(price)];

    it('is refused where prices do not include tax', () =>
      expect(refusal({ to: minneapolis, line_items: lines('0.50') })).toMatchObject([
        { code: 'validation_invalid_format', source: { pointer: '/line_items/1/unit_price' } },
      ]));

    it('is compared with the fee that is due where they include it', () => {
      const codes = (price: string, address = minneapolis) =>
        to(address, lines(price), { tax_included: true })
          .warnings.filter(({ code }) => code === 'retail_delivery_fee_due')
          .map(({ pointer }) => pointer);
      expect(codes('0.50')).toEqual([]);
      expect(codes('5.00')).toEqual(['/line_items/1']);
      expect(codes('0.50', detroit)).toEqual(['/line_items/1']);
    });

    it('takes no part of a fee of the seller, of shipping, or of a discount', () => {
      const others = { shipping: { amount: '10.00' }, discount_amount: '100.00' };
      const wrap = { product_tax_code: 'FEES.GIFT_WRAP', unit_price: '5.00' };
      const sent = ask({ to: minneapolis, line_items: [{ unit_price: '250.00' }, wrap, line('0.00')], ...others });
      // 9.025 % of 150.00, 5.00 and 10.00, each tax of a line rounded.
      expect(sent.line_items.map(({ tax_amount }) => tax_amount)).toEqual(['13.54', '0.45', '0.50']);
      expect(sent.line_items.map((one) => one.applied_discount_amount)).toEqual(['100.00', '0.00', '0.00']);
    });

    it('takes no part of a discount that applies to shipping', () => {
      const others = { tax_included: true, shipping: { amount: '50.00' } };
      const sent = ask({
        ...{ to: minneapolis, line_items: [{ unit_price: '200.00' }, line('0.50')] },
        ...{ ...others, discount_amount: '50.00', discount_applies_to: 'line_items_and_shipping' as const },
      });
      expect(sent.line_items.map((one) => one.applied_discount_amount)).toEqual(['40.00', '0.00']);
    });

    it('alone leaves no goods for a discount', () => {
      const body = requestOf({ to: minneapolis, line_items: [line('0.00')], discount_amount: '5.00' });
      expect(crossFieldProblems(body)).toMatchObject([{ source: { pointer: '/discount_amount' } }]);
    });
  });
});

describe('seller fees', () => {
  /** Fees of the seller that are taxed as the goods of the order that they are for (SSUTA, Library of Definitions: sales price). */

  const newark = { city: 'Newark', state: 'NJ', postal_code: '07102', country: 'US' };
  const oakland = { city: 'Oakland', state: 'CA', postal_code: '94612', country: 'US' };
  const shirt = { id: 'shirt', product_tax_code: 'CLOTHING.APPAREL', unit_price: '60.00' };
  const lamp = { id: 'lamp', product_tax_code: 'GENERAL', unit_price: '40.00' };
  const wrap = { product_tax_code: 'FEES.GIFT_WRAP', unit_price: '5.00' };

  /** The taxable part of the last line. New Jersey taxes the lamp and not the shirt. */
  const taxable = (lines: Parameters<typeof ask>[0]['line_items'], others: object = {}, to = newark) =>
    ask({ to, ...(lines && { line_items: lines }), ...others }).line_items.at(-1)?.taxable_amount;

  describe('a fee is taxed', () => {
    it.each([
      ['as the goods', [lamp, wrap], '5.00'],
      ['as exempt goods', [shirt, wrap], '0.00'],
      ['in proportion to the goods', [shirt, lamp, wrap], '2.00'],
      ['as the line that it names', [shirt, lamp, { ...wrap, parent_line_item_id: 'shirt' }], '0.00'],
      [
        'as goods that are picked up',
        [{ ...lamp, fulfillment: 'pickup', ship_from: { address: newark } }, wrap],
        '5.00',
      ],
      [
        'as what is shipped, not as a gift card',
        [shirt, { product_tax_code: 'FEES.GIFT_CARDS', unit_price: '9.00' }, wrap],
        '0.00',
      ],
      [
        'as what is shipped, not as a download',
        [lamp, { product_tax_code: 'DIGITAL.EBOOKS', unit_price: '9.00' }, wrap],
        '5.00',
      ],
      ['as a payment surcharge', [lamp, { ...wrap, product_tax_code: 'FEES.CARD_SURCHARGE' }], '5.00'],
      ['as a fee for a small order', [shirt, { ...wrap, product_tax_code: 'FEES.ORDER_FEE' }], '0.00'],
    ] as const)('%s', (_, lines, part) => expect(taxable(lines)).toBe(part));

    it('without a warning where the states agreed on it, and with one elsewhere', () => {
      expect(ask({ to: newark, line_items: [lamp, wrap] }).warnings).toEqual([]);
      expect(warningCodes(ask({ to: oakland, line_items: [lamp, wrap] }))).toContain('content_unconfirmed');
    });

    it('with a warning where there are no goods', () =>
      expect(warningCodes(ask({ to: newark, line_items: [wrap] }))).toEqual(['taxability_not_established']));

    it('and takes no part of the shipping or of a discount of the document', () => {
      const answer = ask({
        to: newark,
        line_items: [lamp, wrap],
        discount_amount: '10.00',
        shipping: { amount: '9.00' },
      });
      expect(answer.line_items.map((line) => line.applied_discount_amount)).toEqual(['10.00', '0.00']);
      // 30.00, 5.00 and 9.00 at 6.625 %: 1.99, 0.33 and 0.60.
      expect(answer).toMatchObject({ tax_amount: '2.92', taxable_amount: '44.00' });
    });

    it('and is refused for a line that is not there', () =>
      expect(refusal({ to: newark, line_items: [lamp, { ...wrap, parent_line_item_id: 'mug' }] })[0]?.source).toEqual({
        pointer: '/line_items/1/parent_line_item_id',
      }));
  });

  it('California taxes the deposit on a bottle as its drink (CDTFA Annotation 195.0245)', () => {
    const deposit = { product_tax_code: 'FEES.CONTAINER_DEPOSIT', unit_price: '1.00' };
    const tea = { product_tax_code: 'BEVERAGES.COFFEE_TEA', unit_price: '10.00' };
    const cola = { product_tax_code: 'BEVERAGES.SOFT_DRINKS', unit_price: '10.00' };
    expect(taxable([lamp, tea, deposit], {}, oakland)).toBe('0.00');
    expect(taxable([lamp, cola, deposit], {}, oakland)).toBe('1.00');
  });
});
