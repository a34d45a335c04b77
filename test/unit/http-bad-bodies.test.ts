import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { defaultSettings } from '../../shared/accounts/account.ts';
import { readQuery } from '../../shared/api/field-problems.ts';
import type { Problem } from '../../shared/base/result.ts';
import { calculationAnswerFields } from '../../shared/calculations/answer-fields.ts';
import { calculate } from '../../shared/calculations/calculate.ts';
import { identifier } from '../../shared/calculations/fields.ts';
import { type CalculationInput, CalculationRequest } from '../../shared/calculations/request.ts';
import { calculationProblems } from '../../shared/calculations/request-problems.ts';
import { builtInReleaseFor } from '../../shared/catalog/built-in.ts';
import { now } from '../../shared/config/clock.ts';
import { CustomerRequest, CustomerUpdate } from '../../shared/customers/request.ts';
import {
  FilingExceptionsQuery,
  FilingListQuery,
  FilingQuery,
  FilingRequest,
  FilingUpdate,
  filingUpdateProblems,
} from '../../shared/filings/request.ts';
import { TransactionListQuery } from '../../shared/ledger/list-query.ts';
import { ReconciliationRequest } from '../../shared/ledger/reconciliation.ts';
import { TransactionRequest, TransactionUpdate } from '../../shared/ledger/request.ts';
import { getPlace, parseSent, requestContext } from '../support/handler-calls.ts';

const lansing = { state: 'MI', postal_code: '48933' };
const dollarLine = { quantity: '1', unit_price: '1.00' };
const order = { customer: { address: lansing }, line_items: [dollarLine] };

/** Each identifier field, as a request that sends the value in that field. */
const fields: [pointer: string, z.ZodMiniType, (value: string) => object][] = [
  ['/line_items/0/id', CalculationRequest, (id) => ({ ...order, line_items: [{ ...dollarLine, id }] })],
  [
    '/line_items/0/parent_line_item_id',
    CalculationRequest,
    (id) => ({ ...order, line_items: [{ ...dollarLine, parent_line_item_id: id }] }),
  ],
  ['/shipping/id', CalculationRequest, (id) => ({ ...order, shipping: { id, amount: '1.00' } })],
  [
    '/shipping/0/line_item_ids/0',
    CalculationRequest,
    (id) => ({ ...order, shipping: [{ amount: '1.00', line_item_ids: [id] }] }),
  ],
  ['/customer/id', CalculationRequest, (id) => ({ ...order, customer: { id, address: lansing } })],
  [
    '/line_items/0/customer/id',
    CalculationRequest,
    (id) => ({ line_items: [{ ...dollarLine, customer: { id, address: lansing } }] }),
  ],
  ['/reference_id', TransactionRequest, (reference_id) => ({ ...order, reference_id })],
  ['/reference_id', TransactionUpdate, (reference_id) => ({ reference_id })],
  ['/id', CustomerRequest, (id) => ({ id })],
  ['/id', CustomerUpdate, (id) => ({ id })],
  [
    '/transactions/0/reference_id',
    ReconciliationRequest,
    (reference_id) => ({ transactions: [{ reference_id, total_amount: '1.00', tax_amount: '0.06' }] }),
  ],
  ['/reference_id', TransactionListQuery, (reference_id) => ({ reference_id })],
  ['/customer_id', TransactionListQuery, (customer_id) => ({ customer_id })],
];

const listProblems = (schema: z.ZodMiniType, body: object) =>
  parseSent({ schema, answer: {} }, body).problems.map((problem) => [problem.code, getPlace(problem), problem.detail]);

it.each(fields)(
  'an identifier may have white space within it, and none around it: %s',
  (pointer, schema, buildBody) => {
    expect(listProblems(schema, buildBody('order  4711 a'))).toEqual([]);
    for (const value of [' o1', 'o1 ', '\u00a0o1', 'o1\u3000', '\ufeffo1']) {
      const advice = `You sent ${JSON.stringify(value)}. Send "o1", without white space at the start or the end.`;
      expect(listProblems(schema, buildBody(value))).toEqual([['validation_invalid_format', pointer, advice]]);
    }
    const alone = expect.stringContaining('Send 1 to 255 characters');
    expect(listProblems(schema, buildBody(' '))).toEqual([['validation_invalid_format', pointer, alone]]);
  },
);

it('documents a pattern for each identifier that accepts exactly what the check accepts', () => {
  const pattern = new RegExp((z.globalRegistry.get(identifier) as { readonly pattern: string }).pattern);
  const parts = ['', ' ', '\t', '\n', '\u00a0', '\u0085', '\u200b', '🧾', 'a', '/'];
  for (const start of parts)
    for (const middle of parts)
      for (const end of parts) {
        const value = `${start}${middle}${end}`;
        if (value === '') continue;
        expect([value, pattern.test(value)]).toEqual([value, identifier.safeParse(value).success]);
      }
});

const definition = { schema: CalculationRequest, answer: calculationAnswerFields, inspect: calculationProblems };
const parse = (body: unknown, prefer?: string) => parseSent(definition, body, prefer);
const problemsIn = (body: unknown, prefer?: string) =>
  parse(body, prefer).problems.map((problem) => [problem.code, getPlace(problem)]);

const getProblem = (text: string) => {
  const [pointer = '', code = 'invalid_format'] = text.split(' ').reverse();
  return [`validation_${code}`, pointer];
};

const address = { city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' };
const line = { quantity: '1', unit_price: '100.00' };
const good = { customer: { address }, line_items: [line] };
const withLine = (fields: object) => ({ ...good, line_items: [{ ...line, ...fields }] });
const exempt = (exemption: unknown) => ({ ...good, customer: { address, exemption } });
const tooDeep = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

/** Bodies by their problems: a pointer alone means that its value is invalid; other codes precede the pointer. */
const refused: readonly (readonly [problems: string, body: unknown])[] = [
  ...[null, [], 'x', 0, true].map((body) => ['', body] as const),
  ['required_field /line_items', {}],
  ['required_field /line_items', { ...good, line_items: null }],
  ...[[], 'x', { 0: line }, Array(1001).fill(line)].map(
    (line_items) => ['/line_items', { ...good, line_items }] as const,
  ),
  [
    '/shipping',
    {
      ...good,
      line_items: [line, { ...line, unit_price: '-1.00' }],
      shipping: [...Array(100).fill({ amount: '1.00' }), null],
    },
  ],
  ['/line_items/0, /line_items/1', { line_items: ['x', 7] }],
  ['/customer', { ...good, customer: 'x' }],
  ['/customer/address', { ...good, customer: { address: [] } }],
  ['required_field /customer/address', { line_items: [line] }],
  ['required_field /customer/address', { ...good, customer: { address: null } }],
  ['required_field /customer/address', { line_items: [{ ...line, customer: { address } }, line] }],
  ['required_field /line_items/0/quantity, required_field /line_items/0/unit_price', { ...good, line_items: [{}] }],
  ['required_field /line_items/0/unit_price', withLine({ unit_price: null })],
  ...['ABC', 'usd', 'constructor', '__proto__'].map((currency) => ['/currency', { ...good, currency }] as const),
  ['/line_items/2/id, /line_items/3/id', { ...good, line_items: ['a', 'b', 'a', 'a'].map((id) => ({ ...line, id })) }],
  ['/line_items/0/id', withLine({ id: 'a\tb' })],
  ['/line_items/0/id', withLine({ id: '' })],
  ['/parent_transaction_id', { ...good, parent_transaction_id: 'txn_1' }],
  ['/line_items/0/description', withLine({ description: 'a\0b' })],
  ['/metadata', { ...good, metadata: { 'a\0': 'x' } }],
  ['/metadata/a', { ...good, metadata: { a: '\ud800' } }],
  ['/x', { ...good, x: '\udfff' }],
  [`/metadata/a, /metadata${'/a'.repeat(15)}`, { ...good, metadata: tooDeep(2000) }],
  [
    'address_unresolvable /customer/address/state, /line_items/0/quantity, /line_items/0/description, address_unresolvable /line_items/0/customer/address/postal_code',
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
  ],
  ['/line_items/0/discount_amount', withLine({ discount_amount: '100.01' })],
  [
    '/line_items/0/third_party_discount_amount',
    withLine({ discount_amount: '60', third_party_discount_amount: '40.01' }),
  ],
  ['/discount_amount', { ...good, discount_amount: '100.01' }],
  ['/discount_amount', { ...withLine({ discount_amount: '50' }), discount_amount: '50.01' }],
  ['required_field /line_items', { customer: { address }, discount_amount: '5' }],
  ['/tax_included', { ...good, tax_included: 'true' }],
  ['required_field /shipping/amount', { ...good, shipping: {} }],
  ['/metadata/a', { ...good, metadata: { a: 1 } }],
  ['/metadata', { ...good, metadata: Object.fromEntries(Array.from({ length: 51 }, (_, key) => [`k${key}`, 'v'])) }],
  [
    '/customer/exemption/regions/1, /customer/exemption/regions/2',
    exempt({ type: 'resale', regions: ['IN', 'ZZ', 'US'] }),
  ],
  ['/customer/exemption/regions', exempt({ type: 'resale', regions: [] })],
  ['/customer/exemption/valid_to', exempt({ type: 'resale', valid_from: '2026-12-01', valid_to: '2026-01-01' })],
  ['required_field /customer/exemption/type', exempt({})],
  ['/customer/exemption', exempt('None')],
  ['/customer/exemption', exempt(1)],
  ['/customer/exemption/type', exempt({ type: 'snap' })],
  ['unknown_product_tax_code /line_items/0/product_tax_code', withLine({ product_tax_code: 'NOTHING.AT_ALL' })],
  [
    'product_attribute_not_applicable /line_items/0/product_tax_code',
    withLine({ product_tax_code: 'GENERAL._ATHLETIC' }),
  ],
];

describe('body validation', () => {
  it.each(refused)('is refused with the problems "%s"', (problems, body) => {
    expect(problemsIn(body)).toEqual(problems.split(', ').map(getProblem));
    for (const { detail, title } of parse(body).problems)
      expect([detail.length > 10, title.length > 5, detail === 'Invalid input']).toEqual([true, true, false]);
  });

  it.each([
    ...[1, 1.5, 1e5, '1e5', '-1.', '+1', ' 1', '1 ', '1,000', '.5', '1.', '0x10', 'NaN', 'Infinity', ''],
    ...['1'.repeat(13), '1'.repeat(40), `0.${'1'.repeat(11)}`, `${'1'.repeat(20)}.${'1'.repeat(20)}`, true, [], {}],
    ...['١٢', '1\n'],
  ])('rejects %j as a decimal in every amount field', (value) => {
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

  it.each([
    ...['0', '0.0', '000', '0.0000000000'].map(
      (quantity) => ['/line_items/0/quantity', withLine({ quantity })] as const,
    ),
    ...[
      ...['2026-02-30', '2026-13-01', '2026-10-08T25:00:00Z', '2026-10-08T24:00:00Z', '2026-10-08T12:00:00'],
      ...['2026-10-08T12:00:00+0200', '08.10.2026', 'now', '', 20261008, '2026-10-8', '12026-10-08'],
    ].map((tax_date) => ['/tax_date', { ...good, tax_date }] as const),
  ])('rejects %s in %j', (pointer, body) => {
    expect(problemsIn(body)).toEqual([['validation_invalid_format', pointer]]);
  });

  it('accepts prices from 0 up to the maximum number of digits', () => {
    for (const unit_price of ['0', '000000000000', '999999999999.9999999999', '0.0000000001'])
      expect(problemsIn(withLine({ unit_price }))).toEqual([]);
  });

  it('accepts a tax date up to 31 days ahead', () => {
    const ahead = (days: number) => new Date(now() + days * 86_400_000).toISOString();
    expect(problemsIn({ ...good, tax_date: ahead(30.9) })).toEqual([]);
    expect(problemsIn({ ...good, tax_date: ahead(31.1) })).toEqual([['validation_invalid_format', '/tax_date']]);
  });

  it('treats fields named __proto__ as unknown, and they change nothing', () => {
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

  it('accepts any metadata name except __proto__, with a warning', () => {
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

  it('rejects unknown fields in strict mode, and escapes pointers', () => {
    const body = { ...good, 'a/b~c': 1, line_items: [{ ...line, hs_code: '9' }] };
    expect(problemsIn(body)).toEqual([]);
    expect(parse(body).unknownFields).toEqual(['/line_items/0/hs_code', '/a~1b~0c']);
    expect(problemsIn(body, 'handling=strict')).toEqual([
      ['validation_unknown_field', '/line_items/0/hs_code'],
      ['validation_unknown_field', '/a~1b~0c'],
    ]);
  });

  it('accepts the response of a calculation as a request', () => {
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
  it('are reported together in the order of the body, with missing fields after their siblings', () => {
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

  it('are ordered by array index, not alphabetically', () => {
    const line_items = Array.from({ length: 12 }, () => ({ ...line, quantity: 'x' }));
    expect(problemsIn({ ...good, line_items }).map(([, pointer]) => pointer)).toEqual(
      line_items.map((_, index) => `/line_items/${index}/quantity`),
    );
  });

  it.each([
    { title: '300,000 items that are not objects', body: () => ({ ...good, line_items: Array(300_000).fill(1) }) },
    { title: '200,000 empty lines', body: () => ({ ...good, line_items: Array(200_000).fill({}) }) },
    {
      title: '100,000 unknown fields',
      body: () => ({ ...good, ...Object.fromEntries(Array.from({ length: 100_000 }, (_, key) => [`k${key}`, 1])) }),
    },
    {
      title: '50,000 unknown fields of a line',
      body: () => withLine(Object.fromEntries(Array.from({ length: 50_000 }, (_, key) => [`k${key}`, 1]))),
    },
  ])('are found within the time limit for any body of 1 MiB: $title', { timeout: 30_000 }, ({ body }) => {
    expect(parse(body(), 'handling=strict').problems.length).toBeGreaterThan(0);
  });
});

const listPlaces = (problems: readonly Problem[]) =>
  problems.map((problem) => `${problem.code.slice(11)} ${getPlace(problem)}`);

const toClose = (body: unknown, prefer?: string) => parseSent({ schema: FilingRequest, answer: {} }, body, prefer);
const toChange = (body: unknown) =>
  listPlaces(parseSent({ schema: FilingUpdate, answer: {}, inspect: filingUpdateProblems }, body).problems);
const period = { state: 'MI', period_end: '2026-10-31' };
const filed = { status: 'filed', confirmation_number: 'x' };

describe('the body of POST /filings', () => {
  it.each([{}, { state: 'US-MI' }, { state: 'michigan' }, { dry_run: true }, { dry_run: null }])(
    'can have %o',
    (others) => {
      expect(toClose({ ...period, ...others }, 'handling=strict')).toMatchObject({ problems: [], unknownFields: [] });
    },
  );

  it.each<[string, ...unknown[]]>([
    ['state', 'ZZ', '', 'US-', 26, ['MI'], { code: 'MI' }, 'M\0'],
    ['period_end', '2026-10', '2026-10-31T00:00:00Z', '2026-02-30', '31.10.2026', '', 20261031, {}],
    ['dry_run', 'true', 1, {}],
  ])('is rejected with an invalid %s', (field, ...values) => {
    for (const value of values)
      expect(listPlaces(toClose({ ...period, [field]: value }).problems)).toEqual([`invalid_format /${field}`]);
  });

  it('is an object with a state and a period', () => {
    for (const body of [null, [], 'x', 0, true])
      expect(listPlaces(toClose(body).problems)).toEqual(['invalid_format ']);
    for (const body of [{}, { period_end: null, state: null }])
      expect(listPlaces(toClose(body).problems).sort()).toEqual([
        'required_field /period_end',
        'required_field /state',
      ]);
  });

  it('can have unknown fields, except in strict mode', () => {
    const body = { ...period, frequency: 'month' };
    expect(toClose(body)).toMatchObject({ problems: [], unknownFields: ['/frequency'] });
    expect(listPlaces(toClose(body, 'handling=strict').problems)).toEqual(['unknown_field /frequency']);
  });
});

describe('the body of POST /filings/{id}', () => {
  it.each([
    filed,
    { ...filed, confirmation_number: 'é'.repeat(100), acknowledge_exceptions: 2 },
    { status: 'canceled' },
    { status: 'canceled', confirmation_number: null },
    // Rejected because of the filing's status, not its format.
    { status: 'closed' },
    { status: 'marking' },
  ])('can be %o', (body) => {
    expect(toChange(body)).toEqual([]);
  });

  it.each<[problem: string, ...bodies: unknown[]]>([
    ['invalid_format ', null],
    ['required_field /status', {}, { status: null }],
    ['invalid_format /status', { status: 'paid' }, { status: 'dry_run' }, { status: ['filed'] }],
    ['required_field /confirmation_number', { status: 'filed' }, { ...filed, confirmation_number: null }],
    [
      'invalid_format /confirmation_number',
      ...['', '   ', 'x'.repeat(101), 'a\u0007', 7, ['x']].map((number) => ({ ...filed, confirmation_number: number })),
      ...['closed', 'canceled', 'closing', 'marking'].map((status) => ({ ...filed, status })),
    ],
    [
      'invalid_format /acknowledge_exceptions',
      ...[-1, 1.5, '1', true].map((acknowledge_exceptions) => ({ ...filed, acknowledge_exceptions })),
      { status: 'canceled', acknowledge_exceptions: 1 },
    ],
  ])('is rejected with %s', (problem, ...bodies) => {
    for (const body of bodies) expect([body, toChange(body)]).toEqual([body, [problem]]);
  });
});

describe('the query', () => {
  type Query = typeof FilingListQuery | typeof FilingQuery | typeof FilingExceptionsQuery;
  const parametersIn = (schema: Query, parameters: Record<string, string>) => {
    const query = new Map(Object.entries(parameters).map(([name, value]) => [name, [value]]));
    return listPlaces(readQuery(schema, requestContext({ query })).problems);
  };

  it.each<[Query, ...Record<string, string>[]]>([
    [
      FilingListQuery,
      {},
      { status: 'closed', state: 'MI', period_end: '2026-10-31', limit: '100', starting_after: 'x' },
      { state: 'us-mi', limit: '1' },
    ],
    [FilingQuery, {}, { expand: 'entries' }, { expand: 'entries', limit: '100', starting_after: 'x' }],
    [FilingExceptionsQuery, {}, { list: 'review' }, { list: 'review', code: 'exemption_expired', limit: '100' }],
  ])('is accepted', (schema, ...queries) => {
    for (const query of queries) expect(parametersIn(schema, query)).toEqual([]);
  });

  it.each<[Query, ...[string, string][]]>([
    [
      FilingListQuery,
      ['status', 'open'],
      ['status', 'dry_run'],
      ['state', 'ZZ'],
      ['period_end', '2026-10'],
      ['limit', '0'],
      ['limit', '101'],
      ['limit', '1.0'],
      ['starting_after', ''],
    ],
    // Cursors and limits apply to entries.
    [FilingQuery, ['expand', 'totals'], ['limit', '5'], ['starting_after', 'x']],
    // A code needs the review list.
    [FilingExceptionsQuery, ['list', 'all'], ['code', 'exemption_expired'], ['limit', '0']],
  ])('is rejected at the invalid parameter', (schema, ...queries) => {
    for (const [name, value] of queries)
      expect(parametersIn(schema, { [name]: value })).toEqual([`invalid_format ${name}`]);
  });
});
