import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../shared/accounts/account.ts';
import { calculationAnswerFields } from '../../shared/calculations/answer-fields.ts';
import { calculate } from '../../shared/calculations/calculate.ts';
import { CalculationRequest } from '../../shared/calculations/request.ts';
import { calculationProblems } from '../../shared/calculations/request-problems.ts';
import { now } from '../../shared/config/clock.ts';
import { builtInReleaseFor } from '../../shared/content/built-in.ts';
import { envelope } from '../../shared/http/reply.ts';
import type { Problem } from '../../shared/problem.ts';
import { parseSent, placeOf } from '../support/parse-sent.ts';

const definition = { schema: CalculationRequest, answer: calculationAnswerFields, inspect: calculationProblems };
const parse = (body: unknown, prefer?: string) => parseSent(definition, body, prefer);
const told = (body: unknown, prefer?: string) =>
  parse(body, prefer).problems.map((problem) => [problem.code, placeOf(problem)]);

const address = { city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' };
const line = { quantity: '1', unit_price: '100.00' };
const good = { customer: { address }, line_items: [line] };
const withLine = (fields: object) => ({ ...good, line_items: [{ ...line, ...fields }] });
const tooDeep = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

describe('a body that is not what it should be', () => {
  it.each<{ title: string; body: unknown; problems: [string, string][] }>([
    { title: 'null', body: null, problems: [['validation_invalid_format', '']] },
    { title: 'an array', body: [], problems: [['validation_invalid_format', '']] },
    { title: 'a text', body: 'x', problems: [['validation_invalid_format', '']] },
    { title: 'a number', body: 0, problems: [['validation_invalid_format', '']] },
    { title: 'true', body: true, problems: [['validation_invalid_format', '']] },
    { title: 'nothing in it', body: {}, problems: [['validation_required_field', '/line_items']] },
    {
      title: 'line_items null',
      body: { ...good, line_items: null },
      problems: [['validation_required_field', '/line_items']],
    },
    {
      title: 'line_items empty',
      body: { ...good, line_items: [] },
      problems: [['validation_invalid_format', '/line_items']],
    },
    {
      title: 'line_items a text',
      body: { ...good, line_items: 'x' },
      problems: [['validation_invalid_format', '/line_items']],
    },
    {
      title: 'line_items an object',
      body: { ...good, line_items: { 0: line } },
      problems: [['validation_invalid_format', '/line_items']],
    },
    {
      title: '1001 lines',
      body: { ...good, line_items: Array(1001).fill(line) },
      problems: [['validation_invalid_format', '/line_items']],
    },
    {
      title: 'lines that are no objects',
      body: { line_items: ['x', 7] },
      problems: [
        ['validation_invalid_format', '/line_items/0'],
        ['validation_invalid_format', '/line_items/1'],
      ],
    },
    {
      title: 'a customer that is no object',
      body: { ...good, customer: 'x' },
      problems: [['validation_invalid_format', '/customer']],
    },
    {
      title: 'an address that is no object',
      body: { ...good, customer: { address: [] } },
      problems: [['validation_invalid_format', '/customer/address']],
    },
    {
      title: 'no address',
      body: { line_items: [line] },
      problems: [['validation_required_field', '/customer/address']],
    },
    {
      title: 'an address null',
      body: { ...good, customer: { address: null } },
      problems: [['validation_required_field', '/customer/address']],
    },
    {
      title: 'no address for the second line',
      body: { line_items: [{ ...line, customer: { address } }, line] },
      problems: [['validation_required_field', '/customer/address']],
    },
    {
      title: 'a line without anything',
      body: { ...good, line_items: [{}] },
      problems: [
        ['validation_required_field', '/line_items/0/quantity'],
        ['validation_required_field', '/line_items/0/unit_price'],
      ],
    },
    {
      title: 'a price null',
      body: withLine({ unit_price: null }),
      problems: [['validation_required_field', '/line_items/0/unit_price']],
    },
    {
      title: 'an unknown currency',
      body: { ...good, currency: 'ABC' },
      problems: [['validation_invalid_format', '/currency']],
    },
    {
      title: 'a currency in lower case',
      body: { ...good, currency: 'usd' },
      problems: [['validation_invalid_format', '/currency']],
    },
    {
      title: 'a currency that is an inherited property',
      body: { ...good, currency: 'constructor' },
      problems: [['validation_invalid_format', '/currency']],
    },
    {
      title: 'a currency __proto__',
      body: { ...good, currency: '__proto__' },
      problems: [['validation_invalid_format', '/currency']],
    },
    {
      title: 'duplicate ids',
      body: { ...good, line_items: ['a', 'b', 'a', 'a'].map((id) => ({ ...line, id })) },
      problems: [
        ['validation_invalid_format', '/line_items/2/id'],
        ['validation_invalid_format', '/line_items/3/id'],
      ],
    },
    {
      title: 'an id with a control character',
      body: withLine({ id: 'a\tb' }),
      problems: [['validation_invalid_format', '/line_items/0/id']],
    },
    { title: 'an empty id', body: withLine({ id: '' }), problems: [['validation_invalid_format', '/line_items/0/id']] },
    {
      title: 'a parent on a sale',
      body: { ...good, parent_transaction_id: 'txn_1' },
      problems: [['validation_invalid_format', '/parent_transaction_id']],
    },
    {
      title: 'NUL in a text',
      body: withLine({ description: 'a\0b' }),
      problems: [['validation_invalid_format', '/line_items/0/description']],
    },
    {
      title: 'NUL in a field name',
      body: { ...good, metadata: { 'a\0': 'x' } },
      problems: [['validation_invalid_format', '/metadata']],
    },
    {
      title: 'a lone surrogate',
      body: { ...good, metadata: { a: '\ud800' } },
      problems: [['validation_invalid_format', '/metadata/a']],
    },
    {
      title: 'a lone surrogate in a field that nobody knows',
      body: { ...good, x: '\udfff' },
      problems: [['validation_invalid_format', '/x']],
    },
    {
      title: 'nesting without end',
      body: { ...good, metadata: tooDeep(2000) },
      problems: [
        ['validation_invalid_format', '/metadata/a'],
        ['validation_invalid_format', `/metadata${'/a'.repeat(15)}`],
      ],
    },
    {
      title: 'addresses, formats and unreadable text at once',
      body: {
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
      problems: [
        ['validation_address_unresolvable', '/customer/address/state'],
        ['validation_invalid_format', '/line_items/0/quantity'],
        ['validation_invalid_format', '/line_items/0/description'],
        ['validation_address_unresolvable', '/line_items/0/customer/address/postal_code'],
      ],
    },
    {
      title: 'a discount above its line',
      body: withLine({ discount_amount: '100.01' }),
      problems: [['validation_invalid_format', '/line_items/0/discount_amount']],
    },
    {
      title: 'both discounts of a line together above it',
      body: withLine({ discount_amount: '60', third_party_discount_amount: '40.01' }),
      problems: [['validation_invalid_format', '/line_items/0/third_party_discount_amount']],
    },
    {
      title: 'a discount above the document',
      body: { ...good, discount_amount: '100.01' },
      problems: [['validation_invalid_format', '/discount_amount']],
    },
    {
      title: 'discounts of lines and document together above it',
      body: { ...withLine({ discount_amount: '50' }), discount_amount: '50.01' },
      problems: [['validation_invalid_format', '/discount_amount']],
    },
    {
      title: 'a discount without lines to take it from',
      body: { customer: { address }, discount_amount: '5' },
      problems: [['validation_required_field', '/line_items']],
    },
    {
      title: 'tax_included a text',
      body: { ...good, tax_included: 'true' },
      problems: [['validation_invalid_format', '/tax_included']],
    },
    {
      title: 'shipping without an amount',
      body: { ...good, shipping: {} },
      problems: [['validation_required_field', '/shipping/amount']],
    },
    {
      title: 'metadata with a number',
      body: { ...good, metadata: { a: 1 } },
      problems: [['validation_invalid_format', '/metadata/a']],
    },
    {
      title: 'metadata with 51 keys',
      body: { ...good, metadata: Object.fromEntries(Array.from({ length: 51 }, (_, key) => [`k${key}`, 'v'])) },
      problems: [['validation_invalid_format', '/metadata']],
    },
    {
      title: 'an exemption for a region that nobody knows',
      body: { ...good, customer: { address, exemption: { type: 'resale', regions: ['IN', 'ZZ', 'US'] } } },
      problems: [
        ['validation_invalid_format', '/customer/exemption/regions/1'],
        ['validation_invalid_format', '/customer/exemption/regions/2'],
      ],
    },
    {
      title: 'an exemption that would hold nowhere',
      body: { ...good, customer: { address, exemption: { type: 'resale', regions: [] } } },
      problems: [['validation_invalid_format', '/customer/exemption/regions']],
    },
    {
      title: 'an exemption that ends before it begins',
      body: {
        ...good,
        customer: { address, exemption: { type: 'resale', valid_from: '2026-12-01', valid_to: '2026-01-01' } },
      },
      problems: [['validation_invalid_format', '/customer/exemption/valid_to']],
    },
    {
      title: 'an exemption of no type',
      body: { ...good, customer: { address, exemption: {} } },
      problems: [['validation_required_field', '/customer/exemption/type']],
    },
    {
      title: 'a code that nobody knows',
      body: withLine({ product_tax_code: 'NOTHING.AT_ALL' }),
      problems: [['validation_unknown_product_tax_code', '/line_items/0/product_tax_code']],
    },
    {
      title: 'an attribute that does not apply',
      body: withLine({ product_tax_code: 'GENERAL._ATHLETIC' }),
      problems: [['validation_product_attribute_not_applicable', '/line_items/0/product_tax_code']],
    },
  ])('$title', ({ body, problems }) => {
    expect(told(body)).toEqual(problems);
    expect(
      parse(body).problems.every(
        ({ detail, title }) => detail.length > 10 && title.length > 5 && detail !== 'Invalid input',
      ),
    ).toBe(true);
  });

  it.each([
    1,
    1.5,
    1e5,
    '1e5',
    '-1',
    '+1',
    ' 1',
    '1 ',
    '1,000',
    '.5',
    '1.',
    '0x10',
    'NaN',
    'Infinity',
    '',
    '1'.repeat(13),
    '1'.repeat(40),
    `0.${'1'.repeat(11)}`,
    `${'1'.repeat(20)}.${'1'.repeat(20)}`,
    true,
    [],
    {},
    '١٢',
    '1\n',
  ])('%j is no decimal, wherever an amount stands', (value) => {
    const amounts = { discount_amount: value, third_party_discount_amount: value };
    const body = {
      ...good,
      ...amounts,
      shipping: { amount: value },
      line_items: [{ quantity: value, unit_price: value, ...amounts }],
    };
    expect(told(body)).toEqual(
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
    expect(told(withLine({ quantity }))).toEqual([['validation_invalid_format', '/line_items/0/quantity']]);
  });

  it.each(['0', '000000000000', '999999999999.9999999999', '0.0000000001'])(
    'a price of %j is accepted',
    (unit_price) => {
      expect(told(withLine({ unit_price }))).toEqual([]);
    },
  );

  it.each([
    '2026-02-30',
    '2026-13-01',
    '2026-10-08T25:00:00Z',
    '2026-10-08T24:00:00Z',
    '2026-10-08T12:00:00',
    '2026-10-08T12:00:00+02:00',
    '08.10.2026',
    'now',
    '',
    20261008,
    '2026-10-8',
    '12026-10-08',
  ])('%j is no tax date', (tax_date) => {
    expect(told({ ...good, tax_date })).toEqual([['validation_invalid_format', '/tax_date']]);
  });

  it('a tax date is at most 31 days ahead', () => {
    const ahead = (days: number) => new Date(now() + days * 86_400_000).toISOString();
    expect(told({ ...good, tax_date: ahead(30.9) })).toEqual([]);
    expect(told({ ...good, tax_date: ahead(31.1) })).toEqual([['validation_invalid_format', '/tax_date']]);
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
    expect(told(JSON.parse('{"__proto__": {"line_items": [{"quantity": "1"}]}}'))).toEqual([
      ['validation_required_field', '/line_items'],
    ]);
  });

  it('metadata keeps every name but __proto__, and says so', () => {
    const metadata = JSON.parse('{"__proto__": "x", "constructor": "y"}');
    const { problems, unknownFields, value } = parse({ ...good, metadata, line_items: [{ ...line, metadata }] });
    expect([problems, unknownFields]).toEqual([[], ['/line_items/0/metadata/__proto__', '/metadata/__proto__']]);
    expect(Object.entries(value?.metadata ?? {})).toEqual([['constructor', 'y']]);
  });

  it('inherited names are unknown fields too', () => {
    expect(parse({ ...good, constructor: 1, toString: 2, hasOwnProperty: 3 }).unknownFields).toEqual([
      '/constructor',
      '/toString',
      '/hasOwnProperty',
    ]);
  });

  it('unknown fields are errors where the client is strict, and pointers are escaped', () => {
    const body = { ...good, 'a/b~c': 1, line_items: [{ ...line, hs_code: '9' }] };
    expect(told(body)).toEqual([]);
    expect(parse(body).unknownFields).toEqual(['/line_items/0/hs_code', '/a~1b~0c']);
    expect(told(body, 'handling=strict')).toEqual([
      ['validation_unknown_field', '/line_items/0/hs_code'],
      ['validation_unknown_field', '/a~1b~0c'],
    ]);
  });

  it('what a calculation answers may be sent back as it is', () => {
    const read = parse(good);
    const settings = defaultSettings('2026-10-08');
    const answer = calculate(read.value as never, { settings, releaseFor: builtInReleaseFor, now: now() }, []);
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
    expect(told(body)).toEqual([
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
    expect(told({ ...good, line_items }).map(([, pointer]) => pointer)).toEqual(
      line_items.map((_, index) => `/line_items/${index}/quantity`),
    );
  });

  it('are answered up to twenty, the first in the body', () => {
    const line_items = Array.from({ length: 1000 }, () => ({ quantity: 1 }));
    const [first, ...others] = parse({ line_items }).problems;
    const { errors }: any = envelope([first as Problem, ...others], 'req_1').body;
    expect(errors).toHaveLength(20);
    expect(errors.at(-1).source.pointer).toBe('/line_items/9/unit_price');
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
  ])('are found in time, whatever a mebibyte holds: $title', { timeout: 10_000 }, ({ body }) => {
    expect(parse(body(), 'handling=strict').problems.length).toBeGreaterThan(0);
  });
});
