import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { readQuery } from '../../shared/api/field-problems.ts';
import type { Problem } from '../../shared/base/result.ts';
import { identifier } from '../../shared/calculations/fields.ts';
import { CalculationRequest } from '../../shared/calculations/request.ts';
import { calculationProblems } from '../../shared/calculations/request-problems.ts';
import { calculationResponseFields } from '../../shared/calculations/response-fields.ts';
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
import rows from '../fixtures/bodies.json' with { type: 'json' };
import { readCases } from '../support/facts.ts';
import { getPlace, parseSent, requestContext } from '../support/handler-calls.ts';

it.each([' o1', 'o1 ', '\u00a0o1', 'o1\u3000', '\ufeffo1'])('rejects white space around an identifier: %j', (id) => {
  const [problem] = parseSent({ schema: CustomerRequest, ignored: {} }, { id }).problems;
  expect(problem?.detail).toContain('Send "o1"');
});

it('documents a pattern for each identifier that accepts the same values as the check', () => {
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

const address = { city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' };
const line = { quantity: '1', unit_price: '100.00' };
const good = { customer: { address }, line_items: [line] };
const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v']));

const calculation = { schema: CalculationRequest, ignored: calculationResponseFields, inspect: calculationProblems };
const parse = (body: unknown, prefer?: string) => parseSent(calculation, body, prefer);
const listPlaces = (problems: readonly Problem[]) =>
  problems.map((problem) => `${problem.code.replace('validation_', '')} ${getPlace(problem)}`);
const problemsIn = (body: unknown, prefer?: string) => listPlaces(parse(body, prefer).problems);

const inBody =
  (definition: Parameters<typeof parseSent>[0]) =>
  (body: unknown, prefer?: string): readonly Problem[] =>
    parseSent(definition, body, prefer).problems;
const inQuery = (schema: Parameters<typeof readQuery>[0]) => (query: unknown) =>
  readQuery(
    schema,
    requestContext({ query: new Map(Object.entries(Object(query)).map(([name, value]) => [name, [String(value)]])) }),
  ).problems;

const readers: Readonly<Record<string, (value: unknown, prefer?: string) => readonly Problem[]>> = {
  calculation: inBody(calculation),
  'fields of a calculation': inBody({ schema: CalculationRequest, ignored: {} }),
  transaction: inBody({ schema: TransactionRequest, ignored: {} }),
  'transaction update': inBody({ schema: TransactionUpdate, ignored: {} }),
  customer: inBody({ schema: CustomerRequest, ignored: {} }),
  'customer update': inBody({ schema: CustomerUpdate, ignored: {} }),
  reconciliation: inBody({ schema: ReconciliationRequest, ignored: {} }),
  'list of transactions': inQuery(TransactionListQuery),
  filing: inBody({ schema: FilingRequest, ignored: {} }),
  'filing update': inBody({ schema: FilingUpdate, ignored: {}, inspect: filingUpdateProblems }),
  'list of filings': inQuery(FilingListQuery),
  'query of a filing': inQuery(FilingQuery),
  'query of exceptions': inQuery(FilingExceptionsQuery),
};

/** Values with the same problems: complete bodies, or changes of a valid body or of its line. */
type Row = {
  readonly schema: string;
  readonly problems: string;
  readonly bodies?: readonly unknown[];
  readonly changes?: readonly object[];
  readonly lines?: readonly object[];
  readonly strict?: true;
};

const cases = readCases<Row>(rows, {
  required: ['schema', 'problems'],
  optional: ['strict'],
  oneOf: ['bodies', 'changes', 'lines'],
});

it.each(cases)('reports the problems "$problems" of a $schema', (row) => {
  const read = readers[row.schema];
  if (!read) throw new Error(`Unknown schema ${row.schema}`);
  const whole = row.schema === 'filing' ? { state: 'MI', period_end: '2026-10-31' } : good;
  const values = [
    ...(row.bodies ?? []),
    ...(row.changes ?? []).map((fields) => ({ ...whole, ...fields })),
    ...(row.lines ?? []).map((fields) => ({ ...good, line_items: [{ ...line, ...fields }] })),
  ];
  expect(values).not.toEqual([]);
  for (const value of values) {
    const found = read(value, row.strict && 'handling=strict');
    expect([value, listPlaces(found).join(', ')]).toEqual([value, row.problems]);
    for (const { detail, title } of found)
      expect([detail.length > 10, title.length > 5, detail === 'Invalid input']).toEqual([true, true, false]);
  }
});

describe('body validation', () => {
  it('limits lines, charges, fields of metadata and nesting', () => {
    const shipping = [...Array(100).fill({ amount: '1.00' }), null];
    const deep = JSON.parse(`${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`);
    for (const [more, ...places] of [
      [{ line_items: Array(1001).fill(line) }, '/line_items'],
      [{ line_items: [line, { ...line, unit_price: '-1.00' }], shipping }, '/shipping'],
      [{ metadata: fields(51) }, '/metadata'],
      [{ metadata: deep }, '/metadata/a', `/metadata${'/a'.repeat(15)}`],
    ] as const)
      expect(problemsIn({ ...good, ...more })).toEqual(places.map((place) => `invalid_format ${place}`));
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
      ].map((pointer) => `invalid_format ${pointer}`),
    );
  });

  it('accepts a tax date up to 31 days ahead', () => {
    const ahead = (days: number) => new Date(now() + days * 86_400_000).toISOString();
    expect(problemsIn({ ...good, tax_date: ahead(30.9) })).toEqual([]);
    expect(problemsIn({ ...good, tax_date: ahead(31.1) })).toEqual(['invalid_format /tax_date']);
  });

  it('treats fields named __proto__ as unknown, and ignores them', () => {
    const body =
      JSON.parse(`{"__proto__": {"currency": "XXX", "line_items": 7}, "customer": {"address": {"state": "MI", "__proto__": {"a": 1}}},
      "line_items": [{"quantity": "1", "unit_price": "1", "__proto__": {"quantity": "0"}}]}`);
    const { problems, unknownFields, value } = parse(body);
    expect(problems).toEqual([]);
    expect(unknownFields).toEqual(['/__proto__', '/customer/address/__proto__', '/line_items/0/__proto__']);
    expect(value?.line_items?.[0]?.quantity).toBe('1');
    expect(({} as Record<string, unknown>)['currency']).toBeUndefined();
    expect(problemsIn(JSON.parse('{"__proto__": {"line_items": [{"quantity": "1"}]}}'))).toEqual([
      'unknown_field /__proto__',
      'required_field /line_items',
    ]);
  });

  it('accepts any metadata name except __proto__, with a warning', () => {
    const metadata = JSON.parse('{"__proto__": "x", "constructor": "y"}');
    const { problems, unknownFields, value } = parse({ ...good, metadata, line_items: [{ ...line, metadata }] });
    expect([problems, unknownFields]).toEqual([[], ['/line_items/0/metadata/__proto__', '/metadata/__proto__']]);
    expect(Object.entries(value?.metadata ?? {})).toEqual([['constructor', 'y']]);
  });

  it.each<[string, () => object]>([
    ['300,000 items that are not objects', () => ({ line_items: Array(300_000).fill(1) })],
    ['200,000 empty lines', () => ({ line_items: Array(200_000).fill({}) })],
    ['100,000 unknown fields', () => fields(100_000)],
    ['50,000 unknown fields of a line', () => ({ line_items: [{ ...line, ...fields(50_000) }] })],
  ])('finds all problems within the time limit for any body of 1 MiB: %s', { timeout: 30_000 }, (_, build) => {
    expect(parse({ ...good, ...build() }, 'handling=strict').problems.length).toBeGreaterThan(0);
  });
});
