import { describe, expect, it } from 'vitest';
import { ask, warningCodes } from '../support/builders.ts';

const lansing = { state: 'MI', postal_code: '48933' };
const reasonsOf = ({ line_items }: ReturnType<typeof ask>) =>
  line_items.map(({ taxes }) => taxes[0]?.taxability_reason);

describe('a certificate of exemption', () => {
  const type = 'resale' as const;
  it.each([
    { exemption: { type }, isExempt: true, because: 'without regions or days it holds everywhere and always' },
    { exemption: { type, regions: null, valid_from: null, valid_to: null }, isExempt: true, because: 'null is absent' },
    { exemption: { type, regions: ['MI'] }, isExempt: true, because: 'the state is named' },
    { exemption: { type, regions: ['us-mi'] }, isExempt: true, because: 'by its code, in any case' },
    { exemption: { type, regions: ['OH', 'MI'] }, isExempt: true, because: 'it is one of several' },
    { exemption: { type, regions: ['OH'] }, isExempt: false, because: 'only another state is named' },
    { exemption: { type, regions: ['Michigan'] }, isExempt: true, because: 'a state may be named as in an address' },
    { exemption: { type, regions: ['Indiana', 'US-OH'] }, isExempt: false, because: 'others are named, in both ways' },
    { exemption: { type, valid_from: '2026-09-15' }, isExempt: true, because: 'its first day is inclusive' },
    { exemption: { type, valid_from: '2026-09-16' }, isExempt: false, because: 'it begins tomorrow' },
    { exemption: { type, valid_to: '2026-09-15' }, isExempt: true, because: 'its last day is inclusive' },
    { exemption: { type, valid_to: '2026-09-14' }, isExempt: false, because: 'it ended yesterday' },
    {
      exemption: { type, regions: ['MI'], valid_from: '2026-01-01', valid_to: '2026-12-31' },
      isExempt: true,
      because: 'all of it holds',
    },
  ])('$exemption exempts $isExempt on 2026-09-15 in Michigan: $because', ({ exemption, isExempt }) => {
    const outcome = ask({ customer: { address: lansing, exemption }, tax_date: '2026-09-15T23:00:00Z' });
    expect(outcome.tax_amount).toBe(isExempt ? '0.00' : '6.00');
    expect(reasonsOf(outcome)).toEqual([isExempt ? 'customer_exempt' : 'standard_rated']);
    expect(outcome.exempt_amount).toBe(isExempt ? '100.00' : '0.00');
  });

  it("prefers a line's certificate to the document's", () => {
    const customer = { address: lansing, exemption: { type } };
    const line_items = [{}, { customer: { exemption: { type, regions: ['OH'] } } }, { customer: { id: 'cus_1' } }];
    expect(reasonsOf(ask({ customer, line_items }))).toEqual(['customer_exempt', 'standard_rated', 'customer_exempt']);
  });

  it('exempts the shipping of its lines, and no other', () => {
    const to = { state: 'CT', postal_code: '06103' };
    const line_items = [{ customer: { exemption: { type } } }, {}];
    const outcome = ask({ to, line_items, shipping: { amount: '10.00' } });
    expect(outcome.shipping).toMatchObject({ taxable_amount: '5.00', exempt_amount: '5.00', tax_amount: '0.32' });
  });

  it('does not turn a state without the tax into an exemption', () => {
    const customer = { address: { state: 'OR' }, exemption: { type } };
    expect(reasonsOf(ask({ customer }))).toEqual(['not_subject_to_tax']);
  });
});

describe('an exemption of none', () => {
  const certified = { address: lansing, exemption: { type: 'resale' as const } };
  const none = { exemption: 'none' };
  const taxed = 'standard_rated';
  const exempt = 'customer_exempt';
  it.each([
    { customer: { address: lansing, ...none }, line: null, reason: taxed, because: 'the document says so' },
    { customer: certified, line: none, reason: taxed, because: 'a line overrides the certificate of the document' },
    {
      customer: { address: lansing, ...none },
      line: { exemption: { type: 'resale' as const } },
      reason: exempt,
      because: 'a certificate of the line overrides none of the document',
    },
    { customer: certified, line: { exemption: null }, reason: exempt, because: 'null is absent' },
    {
      customer: { address: lansing, ...none },
      line: { exemption: null },
      reason: taxed,
      because: 'null of a line leaves none of the document in force',
    },
  ])('$customer.exemption and $line.exemption: $reason, because $because', ({ customer, line, reason }) => {
    expect(reasonsOf(ask({ customer, line_items: [{ customer: line }] }))).toEqual([reason]);
  });
});

describe('a line that is paid with SNAP benefits', () => {
  const snap = { customer: { exemption: { type: 'snap' as const } } };
  // Kentucky taxes candy at 6 % and has no local taxes.
  const louisville = { state: 'KY', postal_code: '40202' };
  const candy = { product_tax_code: 'FOOD.CANDY', unit_price: '10.00' };

  it('is not taxed by the state or its cities, and no other line is exempt', () => {
    const outcome = ask({ to: louisville, line_items: [{ ...candy, ...snap }, candy] });
    expect(outcome.line_items.map(({ tax_amount }) => tax_amount)).toEqual(['0.00', '0.60']);
    expect(reasonsOf(outcome)).toEqual(['customer_exempt', 'standard_rated']);
    expect(outcome.line_items[0]?.applied_exemption).toMatchObject({ reason: 'snap', certificate_number: null });
    expect(warningCodes(outcome)).not.toContain('taxability_not_established');
    const chicago = ask({ to: { state: 'IL', postal_code: '60601' }, line_items: [{ ...candy, ...snap }] });
    expect(chicago.tax_amount).toBe('0.00');
  });

  it('is explained by the law', () => {
    const { explanation } = ask({ to: louisville, line_items: [{ ...candy, ...snap }], explain: true });
    expect(explanation?.map(({ text }) => text)).toContain(
      'Kentucky: no tax, because SNAP benefits pay for the goods (7 U.S.C. 2013(a)).',
    );
  });

  it.each([
    // Hawaii taxes every delivery, at 4 % and 0.5 % for Honolulu: 10.00 of delivery owe 0.45.
    { to: { state: 'HI', city: 'Honolulu', postal_code: '96813' }, tax: '0.45', because: 'deliveries are taxed' },
    { to: louisville, tax: '0.00', because: 'deliveries follow the goods' },
  ])('is delivered at a tax of $tax in $to.state, because $because', ({ to, tax }) => {
    const groceries = { product_tax_code: 'FOOD.GROCERY', ...snap };
    const outcome = ask({ to, line_items: [groceries], shipping: { amount: '10.00' } });
    expect(outcome.line_items[0]?.tax_amount).toBe('0.00');
    expect(outcome.shipping).toMatchObject({ tax_amount: tax });
  });

  const snapWarnings = (product_tax_code: string) =>
    ask({ to: lansing, line_items: [{}, { product_tax_code, ...snap }] }).warnings.filter(({ message }) =>
      message.startsWith('SNAP'),
    );

  it.each([
    'GENERAL',
    'FOOD.DIETARY_SUPPLEMENTS',
    'FOOD.PREPARED_FOOD._HEATED',
    'BEVERAGES.BEER',
    'BEVERAGES.WINE',
    'BEVERAGES.SPIRITS',
    'TOBACCO.CIGARETTES',
  ])('has a warning if benefits cannot pay for %s', (code) => {
    expect(snapWarnings(code)).toEqual([
      {
        code: 'taxability_not_established',
        message: `SNAP benefits do not pay for ${code}, which was not taxed, as sent. Send the code of the food, or leave the exemption out.`,
        pointer: '/line_items/1/customer/exemption',
      },
    ]);
  });

  it.each(['FOOD.GROCERY', 'FOOD.CANDY', 'BEVERAGES.SOFT_DRINKS', 'BEVERAGES.BOTTLED_WATER', 'BEVERAGES.COFFEE_TEA'])(
    'has no warning if benefits can pay for %s',
    (code) => expect(snapWarnings(code)).toEqual([]),
  );
});

describe('the use of what is sold', () => {
  it('comes from the line, else the document, and does not affect other lines', () => {
    const address = { state: 'CT', postal_code: '06103' };
    const lines = ([null, 'business', 'personal', null, 'business'] as const).map((use) => ({
      product_tax_code: 'SOFTWARE.SAAS',
      customer: use && { use },
    }));
    const taxes = (use: 'business' | null) =>
      ask({ customer: { address, use }, line_items: lines }).line_items.map(({ tax_amount }) => tax_amount);
    expect(taxes(null)).toEqual(['6.35', '1.00', '6.35', '6.35', '1.00']);
    expect(taxes('business')).toEqual(['1.00', '1.00', '6.35', '1.00', '1.00']);
  });
});

describe('registrations of the account', () => {
  const from = '2026-09-01';
  const registered = (state: string, to: string | null = null) => ({ state, from, to, frequency: 'month' as const });
  it.each([
    { registrations: null, tax: '6.00', because: 'unset is everywhere' },
    { registrations: [], tax: '0.00', because: 'an empty list is nowhere' },
    { registrations: [registered('MI')], tax: '6.00', because: 'it is registered' },
    { registrations: [registered('US-MI')], tax: '6.00', because: 'by its code' },
    { registrations: [registered('OH')], tax: '0.00', because: 'only elsewhere' },
    { registrations: [registered('MI', '2026-09-15')], tax: '6.00', because: 'the last day is inclusive' },
    { registrations: [registered('MI', '2026-09-14')], tax: '0.00', because: 'it ended yesterday' },
    { registrations: [{ ...registered('MI'), from: '2026-09-16' }], tax: '0.00', because: 'it begins tomorrow' },
  ])('$registrations: $tax in Michigan, $because', ({ registrations, tax }) => {
    const outcome = ask({ to: lansing }, { settings: { registrations } });
    expect(outcome.tax_amount).toBe(tax);
    expect(reasonsOf(outcome)).toEqual([tax === '0.00' ? 'not_collecting' : 'standard_rated']);
  });

  it('collects nothing elsewhere, without warnings about unknown rates there', () => {
    const outcome = ask({ to: { country: 'CA' } }, { settings: { registrations: [registered('MI')] } });
    expect(reasonsOf(outcome)).toEqual(['not_collecting']);
  });
});

describe('a marketplace that collects', () => {
  it('leaves no tax, the reason, and the gross', () => {
    const outcome = ask({
      to: { state: 'PA', postal_code: '19103' },
      collected_by: 'marketplace',
      shipping: { amount: '10.00' },
    });
    expect(outcome).toMatchObject({
      tax_amount: '0.00',
      exempt_amount: '110.00',
      total_amount: '110.00',
      collected_by: 'marketplace',
    });
    expect(outcome.line_items[0]?.taxes.map((row) => row.taxability_reason)).toEqual([
      'marketplace_collects',
      'marketplace_collects',
    ]);
  });

  it('does not matter where the account is not registered', () => {
    expect(reasonsOf(ask({ to: lansing, collected_by: 'marketplace' }, { settings: { registrations: [] } }))).toEqual([
      'not_collecting',
    ]);
  });
});

describe('the origin of a sale', () => {
  const harrisburg = { state: 'PA', postal_code: '17101' };
  const philadelphia = { state: 'PA', postal_code: '19103' };
  const figures = ({ tax_amount, line_items }: ReturnType<typeof ask>) => [
    tax_amount,
    line_items[0]?.taxes[0]?.sourcing,
  ];

  it.each([
    ['within Pennsylvania, an origin state, the origin decides', philadelphia, harrisburg, ['6.00', 'origin']],
    ['and the other way round', harrisburg, philadelphia, ['8.00', 'origin']],
    ['a remote sale is taxed at its destination', philadelphia, lansing, ['8.00', 'destination']],
    ['a sale into a destination state is taxed there', lansing, { state: 'MI' }, ['6.00', 'destination']],
    ['a sale from abroad is taxed at its destination', philadelphia, { country: 'CA' }, ['8.00', 'destination']],
  ])('%s', (_, to, from, expected) => {
    expect(figures(ask({ to, ship_from: { address: from } }))).toEqual(expected);
    expect(figures(ask({ to }, { settings: { ship_from: from } }))).toEqual(expected);
    expect(figures(ask({ to, line_items: [{ ship_from: { address: from } }] }))).toEqual(expected);
  });

  it('the origin of one line does not affect the others', () => {
    const own = { ship_from: { address: harrisburg } };
    const { line_items } = ask({ to: philadelphia, line_items: [{}, own, {}, own] });
    expect(line_items.map(({ tax_amount, taxes }) => [tax_amount, taxes[0]?.sourcing])).toEqual([
      ['8.00', 'destination'],
      ['6.00', 'origin'],
      ['8.00', 'destination'],
      ['6.00', 'origin'],
    ]);
  });

  it("prefers the origin of the line, then the document's, then the account's", () => {
    const settings = { ship_from: harrisburg };
    const document = { to: philadelphia, ship_from: { address: lansing } };
    expect(figures(ask({ ...document, line_items: [{ ship_from: { address: harrisburg } }] }, { settings }))).toEqual([
      '6.00',
      'origin',
    ]);
    expect(figures(ask(document, { settings }))).toEqual(['8.00', 'destination']);
    expect(figures(ask({ to: philadelphia, ship_from: { address: {} } }, { settings }))).toEqual(['6.00', 'origin']);
  });
});

describe('the answer', () => {
  it('echoes the request, with an id for lines that have none', () => {
    const outcome = ask({
      to: lansing,
      currency: 'USD',
      metadata: { order: '7', gone: null },
      line_items: [
        { quantity: '2.50', unit_price: '3.3333', description: 'x', metadata: { a: 'b' } },
        { id: 'line_1' },
        { id: 'mine' },
      ],
    });
    expect(outcome.line_items.map(({ id }) => id)).toEqual(['line_1_', 'line_1', 'mine']);
    expect(outcome.line_items[0]).toMatchObject({
      quantity: '2.50',
      unit_price: '3.3333',
      amount: '8.33',
      description: 'x',
      metadata: { a: 'b' },
      discount_amount: null,
      customer: null,
    });
    expect(outcome.metadata).toEqual({ order: '7' });
  });

  it('an answer without a tax date is for now, by the service clock', () => {
    const outcome = ask({ to: { state: 'DC', postal_code: '20001' }, tax_date: null });
    expect([outcome.tax_date, outcome.tax_amount]).toEqual(['2026-11-20T12:00:00.000Z', '7.00']);
  });

  it('lines without a product tax code are general goods, with one warning, at the first such line', () => {
    const outcome = ask({ to: lansing, line_items: [{}, { product_tax_code: null }, { product_tax_code: null }] });
    expect(outcome.tax_amount).toBe('18.00');
    expect(outcome.warnings).toMatchObject([{ code: 'product_tax_code_missing', pointer: '/line_items/1' }]);
  });

  it.each([
    { currency: 'JPY', price: '1000', amount: '1000', tax: '60', because: 'the yen has no decimals' },
    { currency: 'JPY', price: '1008.6', amount: '1009', tax: '61', because: '1,009 yen are taxed 60.54' },
    { currency: 'KWD', price: '1.2345', amount: '1.235', tax: '0.074', because: 'the dinar has three' },
    { currency: 'USD', price: '0.005', amount: '0.01', tax: '0.00', because: 'the dollar has two' },
  ])(
    'has the decimals of its currency: $currency $price is $amount, taxed $tax, $because',
    ({ currency, price, amount, tax }) => {
      const outcome = ask({ to: lansing, currency, line_items: [{ unit_price: price }] });
      expect(outcome).toMatchObject({ subtotal_amount: amount, tax_amount: tax });
    },
  );

  it.each([
    { rounding: 'line', taxes: ['0.01', '0.01', '0.01'] },
    { rounding: 'invoice', taxes: ['0.01', '0.01', '0.00'] },
  ] as const)('rounds by $rounding as the account says: three lines of 0.09 at 6 %', ({ rounding, taxes }) => {
    const line_items = [{ unit_price: '0.09' }, { unit_price: '0.09' }, { unit_price: '0.09' }];
    const outcome = ask({ to: lansing, line_items }, { settings: { rounding } });
    expect(outcome.line_items.map((line) => line.tax_amount)).toEqual(taxes);
  });

  it('keeps sources, places and rules of lines apart: three states in one document', () => {
    const line_items = [lansing, { state: 'OR' }, { country: 'CA' }, { state: 'PA', postal_code: '19103' }].map(
      (address) => ({ customer: { address } }),
    );
    const outcome = ask({ line_items });
    expect(outcome.line_items.map((line) => line.tax_amount)).toEqual(['6.00', '0.00', '0.00', '8.00']);
    expect(Object.keys(outcome.content_releases)).toEqual(['US-MI', 'US-OR', 'US-PA']);
    expect(warningCodes(outcome)).toEqual(['local_rates_by_place', 'not_covered']);
    expect(outcome.warnings.filter(({ pointer }) => !/^.line_items.[23]/.test(pointer ?? ''))).toEqual([]);
  });
});
