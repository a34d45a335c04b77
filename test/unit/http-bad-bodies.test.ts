import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../shared/accounts/account.ts';
import { calculationAnswerFields } from '../../shared/calculations/answer-fields.ts';
import { calculate } from '../../shared/calculations/calculate.ts';
import { CalculationRequest } from '../../shared/calculations/request.ts';
import { calculationProblems } from '../../shared/calculations/request-problems.ts';
import { now } from '../../shared/config/clock.ts';
import { builtInReleaseFor } from '../../shared/content/built-in.ts';
import { parseBody } from '../../shared/http/body.ts';
import type { Exchange } from '../../shared/http/exchange.ts';
import { type Problem, statusOf } from '../../shared/problem.ts';

const definition = { schema: CalculationRequest, answer: calculationAnswerFields, inspect: calculationProblems };
const exchangeOf = (body: unknown, prefer?: string): Exchange => ({
  requestId: 'req_1',
  method: 'POST',
  path: '/calculations',
  pathParameters: {},
  headers: new Map(prefer ? [['prefer', [prefer]]] : []),
  query: new Map(),
  rawBody: Buffer.alloc(0),
  remainingMs: () => 1000,
  replyHeaders: {},
  body,
});
const parse = (body: unknown, prefer?: string) => parseBody(definition, exchangeOf(body, prefer));
const pointerOf = ({ source }: Problem) => (source && 'pointer' in source ? source.pointer : undefined);
const told = (body: unknown, prefer?: string) =>
  parse(body, prefer).problems.map((problem) => [problem.code, pointerOf(problem)]);

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

  it('are at most twenty, the first in the body', () => {
    const line_items = Array.from({ length: 1000 }, () => ({ quantity: 1 }));
    const pointers = told({ line_items }).map(([, pointer]) => pointer);
    expect(pointers).toHaveLength(20);
    expect(pointers.at(-1)).toBe('/line_items/9/unit_price');
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
    expect(parse(body(), 'handling=strict').problems.length).toBeLessThanOrEqual(20);
  });
});

// Bodies that were good once: a value somewhere is replaced, a field removed, added or moved.
const full = {
  currency: 'USD',
  tax_date: '2026-10-08T00:00:00Z',
  customer: {
    id: 'cus_9',
    address: { line1: '1 Main St', ...address },
    use: 'personal',
    exemption: { type: 'resale', certificate_id: 'c', regions: ['OH'], valid_from: '2026-01-01', valid_to: null },
  },
  ship_from: { address: { state: 'PA', postal_code: '17101' } },
  discount_amount: '5.00',
  third_party_discount_amount: '1.00',
  shipping: { amount: '7.95', product_tax_code: 'SHIPPING.DELIVERY._SEPARATELY_STATED' },
  tax_included: false,
  collected_by: 'seller',
  type: 'sale',
  line_items: [
    {
      id: 'a',
      description: 'shoes',
      product_tax_code: 'CLOTHING.APPAREL._ATHLETIC',
      quantity: '2',
      unit_price: '50.00',
      discount_amount: '1.00',
      third_party_discount_amount: '0.50',
      customer: { address: { state: 'PA', postal_code: '19103' } },
      ship_from: null,
      metadata: { a: 'b' },
    },
    { id: 'b', product_tax_code: 'GENERAL', quantity: '2.5', unit_price: '9.99' },
    { quantity: '1', unit_price: '0.51', customer: { address: { state: 'MD' } } },
  ],
  metadata: { order: '7' },
  explain: true,
};

const hostile = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    0,
    -1,
    1.5,
    1e21,
    true,
    false,
    [],
    {},
    [[]],
    [null],
    'x',
    '0',
    '1',
    '1e5',
    '9'.repeat(40),
    '999999999999.9999999999',
  ),
  fc.constantFrom<unknown>(
    '__proto__',
    'constructor',
    'toString',
    'JPY',
    'KWD',
    'MI',
    'US',
    'CA',
    'PR',
    '48933',
    '42223',
    '00000',
    'credit',
    'marketplace',
    'business',
  ),
  fc.constantFrom<unknown>(
    'a\0b',
    '\ud800',
    '2026-02-30',
    '9999-12-31',
    '0000-01-01',
    '2015-06-01',
    'GENERAL',
    'SOFTWARE.SAAS',
    'CLOTHING',
    'GENERAL._ATHLETIC',
  ),
  fc.jsonValue({ maxDepth: 3 }),
);
const name = fc.constantFrom(
  '__proto__',
  'constructor',
  'length',
  'id',
  'address',
  'quantity',
  'line_items',
  'unit_price',
  'customer',
  'a/b~c',
  '0',
  '',
);
type Mutation = {
  readonly steps: readonly number[];
  readonly how: 'replace' | 'remove' | 'add' | 'repeat';
  readonly value: unknown;
  readonly name: string;
};
const mutation: fc.Arbitrary<Mutation> = fc.record({
  steps: fc.array(fc.nat(20), { minLength: 1, maxLength: 5 }),
  how: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'add', 'repeat'),
  value: hostile,
  name,
});

const isContainer = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const mutate = (body: Record<string, unknown>, { steps, how, value, name: key }: Mutation): void => {
  let holder = body;
  for (const step of steps.slice(1)) {
    const inner = Object.values(holder)[step % Math.max(1, Object.keys(holder).length)];
    if (isContainer(inner)) holder = inner;
  }
  const keys = Object.keys(holder);
  const chosen = keys[(steps[0] as number) % Math.max(1, keys.length)];
  // Nothing that JSON cannot say: no cycles, and no names on arrays.
  const copy = structuredClone(value);
  const set = (own: string) =>
    Object.defineProperty(holder, own, { value: copy, enumerable: true, configurable: true, writable: true });
  if (Array.isArray(holder) && how !== 'replace') holder.push(...(how === 'repeat' ? holder.slice(0, 2) : [copy]));
  else if (how === 'remove' && chosen !== undefined) delete holder[chosen];
  else if (how === 'replace' && chosen !== undefined) set(chosen);
  else if (!Array.isArray(holder)) set(key);
};

/** Every pointer of a body in document order: an oracle for where a problem may point, and in which order. */
const pointersOf = (value: unknown, pointer = ''): string[] => [
  pointer,
  ...(typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) =>
        pointersOf(inner, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
      )
    : []),
];

describe('mutated bodies', () => {
  const settings = defaultSettings('2026-10-08');
  const outcomes = { refused: 0, calculated: 0, unresolved: 0 };

  const examine = (mutations: readonly Mutation[], prefer: string | undefined) => {
    const body: Record<string, unknown> = structuredClone(full);
    for (const one of mutations) mutate(body, one);
    const { problems, value, unknownFields } = parse(body, prefer);
    const pointers = pointersOf(body);
    expect(problems.length).toBeLessThanOrEqual(20);
    for (const problem of problems) {
      const pointer = pointerOf(problem) as string;
      expect(Object.keys(statusOf)).toContain(problem.code);
      if (problem.code === 'validation_required_field') continue;
      expect(pointers).toContain(pointer);
    }
    const positions = problems
      .map((problem) => pointers.indexOf(pointerOf(problem) as string))
      .filter((position) => position >= 0);
    expect(positions).toEqual(positions.toSorted((one, other) => one - other));
    if (problems.length > 0) {
      outcomes.refused++;
      return;
    }
    if (value?.type === 'credit') return;
    const outcome = calculate(value as never, { settings, releaseFor: builtInReleaseFor, now: now() }, unknownFields);
    outcomes[outcome.ok ? 'calculated' : 'unresolved']++;
    if (!outcome.ok)
      for (const problem of outcome.problems)
        expect(pointers).toContain((pointerOf(problem) as string).replace(/\/(state|postal_code)$/, ''));
  };

  it('20,000 of them never throw: they are refused at pointers that resolve, in body order, or calculated', {
    timeout: 120_000,
  }, () => {
    fc.assert(
      fc.property(
        fc.array(mutation, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(undefined, 'handling=strict'),
        examine,
      ),
      { numRuns: 20_000 },
    );
    // Both ways out were taken, so the property is about something; nothing is left for the calculation to refuse.
    expect(outcomes.refused).toBeGreaterThan(5000);
    expect(outcomes.calculated).toBeGreaterThan(500);
    expect(outcomes.unresolved).toBe(0);
  });

  it('5,000 bodies that are anything at all never throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue({ maxDepth: 6 }), hostile), (body) => {
        expect(parse(body).problems.length).toBeGreaterThan(0);
      }),
      { numRuns: 5000 },
    );
  });

  it('5,000 values in the fields that are compared never throw', () => {
    const wild = fc.oneof(hostile, fc.string());
    const fields = [
      'id',
      'quantity',
      'unit_price',
      'discount_amount',
      'third_party_discount_amount',
      'customer',
    ] as const;
    const wildLine = fc.oneof(
      hostile,
      fc.record(Object.fromEntries(fields.map((field) => [field, wild])), { requiredKeys: [] }),
    );
    const document = fc.record(
      {
        currency: wild,
        tax_date: wild,
        type: wild,
        parent_transaction_id: wild,
        credit_remaining: wild,
        discount_amount: wild,
        customer: wild,
        line_items: fc.oneof(wild, fc.array(wildLine)),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(document, (body) => {
        expect(Array.isArray(calculationProblems(body, now()))).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });
});
