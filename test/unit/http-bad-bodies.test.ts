import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../shared/accounts/account.ts';
import { calculationAnswerFields } from '../../shared/calculations/answer-fields.ts';
import { calculate } from '../../shared/calculations/calculate.ts';
import { type CalculationInput, CalculationRequest } from '../../shared/calculations/request.ts';
import { calculationProblems } from '../../shared/calculations/request-problems.ts';
import { builtInReleaseFor } from '../../shared/catalog/built-in.ts';
import { now } from '../../shared/config/clock.ts';
import { parseSent, placeOf } from '../support/parse-sent.ts';

const definition = { schema: CalculationRequest, answer: calculationAnswerFields, inspect: calculationProblems };
const parse = (body: unknown, prefer?: string) => parseSent(definition, body, prefer);
const problemsIn = (body: unknown, prefer?: string) =>
  parse(body, prefer).problems.map((problem) => [problem.code, placeOf(problem)]);

// A pointer means that its value is invalid. Other codes stand before the pointer.
const problemOf = (text: string) => {
  const [pointer = '', code = 'invalid_format'] = text.split(' ').reverse();
  return [`validation_${code}`, pointer];
};

const address = { city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' };
const line = { quantity: '1', unit_price: '100.00' };
const good = { customer: { address }, line_items: [line] };
const withLine = (fields: object) => ({ ...good, line_items: [{ ...line, ...fields }] });
const tooDeep = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

describe('a body that is not what it should be', () => {
  it.each<[title: string, body: unknown, ...problems: string[]]>([
    ['null', null, ''],
    ['an array', [], ''],
    ['a text', 'x', ''],
    ['a number', 0, ''],
    ['true', true, ''],
    ['nothing in it', {}, 'required_field /line_items'],
    ['line_items null', { ...good, line_items: null }, 'required_field /line_items'],
    ['line_items empty', { ...good, line_items: [] }, '/line_items'],
    ['line_items a text', { ...good, line_items: 'x' }, '/line_items'],
    ['line_items an object', { ...good, line_items: { 0: line } }, '/line_items'],
    [
      'null after 100 shipping charges',
      {
        ...withLine({}),
        line_items: [line, { ...line, unit_price: '-1.00' }],
        shipping: [...Array(100).fill({ amount: '1.00' }), null],
      },
      '/shipping',
    ],
    ['1001 lines', { ...good, line_items: Array(1001).fill(line) }, '/line_items'],
    ['lines that are no objects', { line_items: ['x', 7] }, '/line_items/0', '/line_items/1'],
    ['a customer that is no object', { ...good, customer: 'x' }, '/customer'],
    ['an address that is no object', { ...good, customer: { address: [] } }, '/customer/address'],
    ['no address', { line_items: [line] }, 'required_field /customer/address'],
    ['an address null', { ...good, customer: { address: null } }, 'required_field /customer/address'],
    [
      'no address for the second line',
      { line_items: [{ ...line, customer: { address } }, line] },
      'required_field /customer/address',
    ],
    [
      'a line without anything',
      { ...good, line_items: [{}] },
      'required_field /line_items/0/quantity',
      'required_field /line_items/0/unit_price',
    ],
    ['a price null', withLine({ unit_price: null }), 'required_field /line_items/0/unit_price'],
    ['an unknown currency', { ...good, currency: 'ABC' }, '/currency'],
    ['a currency in lower case', { ...good, currency: 'usd' }, '/currency'],
    ['a currency that is an inherited property', { ...good, currency: 'constructor' }, '/currency'],
    ['a currency __proto__', { ...good, currency: '__proto__' }, '/currency'],
    [
      'duplicate ids',
      { ...good, line_items: ['a', 'b', 'a', 'a'].map((id) => ({ ...line, id })) },
      '/line_items/2/id',
      '/line_items/3/id',
    ],
    ['an id with a control character', withLine({ id: 'a\tb' }), '/line_items/0/id'],
    ['an empty id', withLine({ id: '' }), '/line_items/0/id'],
    ['a parent on a sale', { ...good, parent_transaction_id: 'txn_1' }, '/parent_transaction_id'],
    ['NUL in a text', withLine({ description: 'a\0b' }), '/line_items/0/description'],
    ['NUL in a field name', { ...good, metadata: { 'a\0': 'x' } }, '/metadata'],
    ['a lone surrogate', { ...good, metadata: { a: '\ud800' } }, '/metadata/a'],
    ['a lone surrogate in a field that nobody knows', { ...good, x: '\udfff' }, '/x'],
    ['nesting without end', { ...good, metadata: tooDeep(2000) }, '/metadata/a', `/metadata${'/a'.repeat(15)}`],
    [
      'addresses, formats and unreadable text at once',
      {
        customer: { address: { state: 'ZZ' } },
        line_items: [
          {
            quantity: 1,
            unit_price: '1',
            description: 'a\0b',
            customer: { address: { state: 'MI', postal_code: '90210' } },
          },
        ],
      },
      'address_unresolvable /customer/address/state',
      '/line_items/0/quantity',
      '/line_items/0/description',
      'address_unresolvable /line_items/0/customer/address/postal_code',
    ],
    ['a discount above its line', withLine({ discount_amount: '100.01' }), '/line_items/0/discount_amount'],
    [
      'both discounts of a line together above it',
      withLine({ discount_amount: '60', third_party_discount_amount: '40.01' }),
      '/line_items/0/third_party_discount_amount',
    ],
    ['a discount above the document', { ...good, discount_amount: '100.01' }, '/discount_amount'],
    [
      'discounts of lines and document together above it',
      { ...withLine({ discount_amount: '50' }), discount_amount: '50.01' },
      '/discount_amount',
    ],
    [
      'a discount without lines to take it from',
      { customer: { address }, discount_amount: '5' },
      'required_field /line_items',
    ],
    ['tax_included a text', { ...good, tax_included: 'true' }, '/tax_included'],
    ['shipping without an amount', { ...good, shipping: {} }, 'required_field /shipping/amount'],
    ['metadata with a number', { ...good, metadata: { a: 1 } }, '/metadata/a'],
    [
      'metadata with 51 keys',
      { ...good, metadata: Object.fromEntries(Array.from({ length: 51 }, (_, key) => [`k${key}`, 'v'])) },
      '/metadata',
    ],
    [
      'an exemption for a region that nobody knows',
      { ...good, customer: { address, exemption: { type: 'resale', regions: ['IN', 'ZZ', 'US'] } } },
      '/customer/exemption/regions/1',
      '/customer/exemption/regions/2',
    ],
    [
      'an exemption that would hold nowhere',
      { ...good, customer: { address, exemption: { type: 'resale', regions: [] } } },
      '/customer/exemption/regions',
    ],
    [
      'an exemption that ends before it begins',
      {
        ...good,
        customer: { address, exemption: { type: 'resale', valid_from: '2026-12-01', valid_to: '2026-01-01' } },
      },
      '/customer/exemption/valid_to',
    ],
    [
      'an exemption of no type',
      { ...good, customer: { address, exemption: {} } },
      'required_field /customer/exemption/type',
    ],
    [
      'an exemption that is a text other than none',
      { ...good, customer: { address, exemption: 'None' } },
      '/customer/exemption',
    ],
    ['an exemption that is a number', { ...good, customer: { address, exemption: 1 } }, '/customer/exemption'],
    [
      'a whole order that is paid with SNAP benefits',
      { ...good, customer: { address, exemption: { type: 'snap' } } },
      '/customer/exemption/type',
    ],
    [
      'a code that nobody knows',
      withLine({ product_tax_code: 'NOTHING.AT_ALL' }),
      'unknown_product_tax_code /line_items/0/product_tax_code',
    ],
    [
      'an attribute that does not apply',
      withLine({ product_tax_code: 'GENERAL._ATHLETIC' }),
      'product_attribute_not_applicable /line_items/0/product_tax_code',
    ],
  ])('%s', (_title, body, ...problems) => {
    expect(problemsIn(body)).toEqual(problems.map(problemOf));
    expect(
      parse(body).problems.every(
        ({ detail, title }) => detail.length > 10 && title.length > 5 && detail !== 'Invalid input',
      ),
    ).toBe(true);
  });

  it.each([
    ...[1, 1.5, 1e5, '1e5', '-1.', '+1', ' 1', '1 ', '1,000', '.5', '1.', '0x10', 'NaN', 'Infinity', ''],
    ...['1'.repeat(13), '1'.repeat(40), `0.${'1'.repeat(11)}`, `${'1'.repeat(20)}.${'1'.repeat(20)}`, true, [], {}],
    ...['١٢', '1\n'],
  ])('%j is not a decimal in any amount field', (value) => {
    const amounts = { discount_amount: value, third_party_discount_amount: value };
    const body = {
      ...good,
      ...amounts,
      shipping: { amount: value },
      line_items: [{ quantity: value, unit_price: value, ...amounts }],
    };
    expect(problemsIn(body)).toEqual(
      [
        '/line_items/0/quantity',
        '/line_items/0/unit_price',
        '/line_items/0/discount_amount',
        '/line_items/0/third_party_discount_amount',
        '/discount_amount',
        '/third_party_discount_amount',
        '/shipping/amount',
      ].map((pointer) => ['validation_invalid_format', pointer]),
    );
  });

  it.each(['0', '0.0', '000', '0.0000000000'])('a quantity of %j is refused', (quantity) => {
    expect(problemsIn(withLine({ quantity }))).toEqual([['validation_invalid_format', '/line_items/0/quantity']]);
  });

  it.each(['0', '000000000000', '999999999999.9999999999', '0.0000000001'])(
    'a price of %j is accepted',
    (unit_price) => {
      expect(problemsIn(withLine({ unit_price }))).toEqual([]);
    },
  );

  it.each([
    ...['2026-02-30', '2026-13-01', '2026-10-08T25:00:00Z', '2026-10-08T24:00:00Z', '2026-10-08T12:00:00'],
    ...['2026-10-08T12:00:00+0200', '08.10.2026', 'now', '', 20261008, '2026-10-8', '12026-10-08'],
  ])('%j is no tax date', (tax_date) => {
    expect(problemsIn({ ...good, tax_date })).toEqual([['validation_invalid_format', '/tax_date']]);
  });

  it('a tax date is at most 31 days ahead', () => {
    const ahead = (days: number) => new Date(now() + days * 86_400_000).toISOString();
    expect(problemsIn({ ...good, tax_date: ahead(30.9) })).toEqual([]);
    expect(problemsIn({ ...good, tax_date: ahead(31.1) })).toEqual([['validation_invalid_format', '/tax_date']]);
  });

  it('fields named __proto__ are unknown fields, and change nothing', () => {
    const body =
      JSON.parse(`{"__proto__": {"currency": "XXX", "line_items": 7}, "customer": {"address": {"state": "MI", "__proto__": {"a": 1}}},
      "line_items": [{"quantity": "1", "unit_price": "1", "__proto__": {"quantity": "0"}}]}`);
    const { problems, unknownFields, value } = parse(body);
    expect(problems).toEqual([]);
    expect(unknownFields).toEqual(['/__proto__', '/customer/address/__proto__', '/line_items/0/__proto__']);
    expect(value?.line_items?.[0]?.quantity).toBe('1');
    expect(({} as Record<string, unknown>)['currency']).toBeUndefined();
    expect(problemsIn(JSON.parse('{"__proto__": {"line_items": [{"quantity": "1"}]}}'))).toEqual([
      ['validation_unknown_field', '/__proto__'],
      ['validation_required_field', '/line_items'],
    ]);
  });

  it('metadata keeps every name but __proto__, with a warning', () => {
    const metadata = JSON.parse('{"__proto__": "x", "constructor": "y"}');
    const { problems, unknownFields, value } = parse({ ...good, metadata, line_items: [{ ...line, metadata }] });
    expect([problems, unknownFields]).toEqual([[], ['/line_items/0/metadata/__proto__', '/metadata/__proto__']]);
    expect(Object.entries(value?.metadata ?? {})).toEqual([['constructor', 'y']]);
  });

  it('reports inherited names as unknown fields', () => {
    expect(parse({ ...good, constructor: 1, toString: 2, hasOwnProperty: 3 }).unknownFields).toEqual([
      '/constructor',
      '/toString',
      '/hasOwnProperty',
    ]);
  });

  it('unknown fields are errors where the client is strict, and pointers are escaped', () => {
    const body = { ...good, 'a/b~c': 1, line_items: [{ ...line, hs_code: '9' }] };
    expect(problemsIn(body)).toEqual([]);
    expect(parse(body).unknownFields).toEqual(['/line_items/0/hs_code', '/a~1b~0c']);
    expect(problemsIn(body, 'handling=strict')).toEqual([
      ['validation_unknown_field', '/line_items/0/hs_code'],
      ['validation_unknown_field', '/a~1b~0c'],
    ]);
  });

  it('the response of a calculation is a valid request', () => {
    const read = parse(good);
    const settings = defaultSettings('2026-10-08');
    const answer = calculate(
      read.value as CalculationInput,
      { settings, releaseFor: builtInReleaseFor, now: now() },
      [],
    );
    if (!answer.ok) throw new Error('the good body is refused');
    const back = { object: 'calculation', type: 'sale', parent_transaction_id: null, ...answer.value };
    expect(parse(JSON.parse(JSON.stringify(back)), 'handling=strict')).toMatchObject({
      problems: [],
      unknownFields: [],
    });
  });
});

describe('the problems of a body', () => {
  it('come all together, in the order of the body, missing fields after their siblings', () => {
    const body = {
      tax_included: 'yes',
      line_items: [
        { unit_price: 5, id: 'a' },
        { id: 'a', product_tax_code: 'NOTHING', quantity: '0', unit_price: '1' },
      ],
      currency: 'XYZ',
      customer: { use: 'both' },
      tax_date: 'soon',
    };
    expect(problemsIn(body)).toEqual([
      ['validation_invalid_format', '/tax_included'],
      ['validation_invalid_format', '/line_items/0/unit_price'],
      ['validation_required_field', '/line_items/0/quantity'],
      ['validation_invalid_format', '/line_items/1/id'],
      ['validation_unknown_product_tax_code', '/line_items/1/product_tax_code'],
      ['validation_invalid_format', '/line_items/1/quantity'],
      ['validation_invalid_format', '/currency'],
      ['validation_invalid_format', '/customer/use'],
      ['validation_required_field', '/customer/address'],
      ['validation_invalid_format', '/tax_date'],
    ]);
  });

  it('are ordered by number in an array, not by text', () => {
    const line_items = Array.from({ length: 12 }, () => ({ ...line, quantity: 'x' }));
    expect(problemsIn({ ...good, line_items }).map(([, pointer]) => pointer)).toEqual(
      line_items.map((_, index) => `/line_items/${index}/quantity`),
    );
  });

  it.each([
    { title: '300,000 items that are no lines', body: () => ({ ...good, line_items: Array(300_000).fill(1) }) },
    { title: '200,000 empty lines', body: () => ({ ...good, line_items: Array(200_000).fill({}) }) },
    {
      title: '100,000 unknown fields',
      body: () => ({ ...good, ...Object.fromEntries(Array.from({ length: 100_000 }, (_, key) => [`k${key}`, 1])) }),
    },
    {
      title: '50,000 unknown fields of a line',
      body: () => withLine(Object.fromEntries(Array.from({ length: 50_000 }, (_, key) => [`k${key}`, 1]))),
    },
  ])('are found in time for every body of 1 MiB: $title', { timeout: 30_000 }, ({ body }) => {
    expect(parse(body(), 'handling=strict').problems.length).toBeGreaterThan(0);
  });
});
