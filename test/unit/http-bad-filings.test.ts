import { describe, expect, it } from 'vitest';
import { readQuery } from '../../shared/api/field-problems.ts';
import type { Problem } from '../../shared/base/problem.ts';
import {
  FilingExceptionsQuery,
  FilingListQuery,
  FilingQuery,
  FilingRequest,
  FilingUpdate,
  filingUpdateProblems,
} from '../../shared/filings/request.ts';
import { parseSent, placeOf, requestContext } from '../support/parse-sent.ts';

const problemsIn = (problems: readonly Problem[]) =>
  problems.map((problem) => `${problem.code.slice(11)} ${placeOf(problem)}`);

const toClose = (body: unknown, prefer?: string) => parseSent({ schema: FilingRequest, answer: {} }, body, prefer);
const toChange = (body: unknown) =>
  problemsIn(parseSent({ schema: FilingUpdate, answer: {}, inspect: filingUpdateProblems }, body).problems);
const good = { state: 'MI', period_end: '2026-10-31' };
const filed = { status: 'filed', confirmation_number: 'x' };

describe('the body of POST /filings', () => {
  it.each([{}, { state: 'US-MI' }, { state: 'michigan' }, { dry_run: true }, { dry_run: null }])(
    'can have %o',
    (others) => {
      expect(toClose({ ...good, ...others }, 'handling=strict')).toMatchObject({ problems: [], unknownFields: [] });
    },
  );

  it.each<[string, ...unknown[]]>([
    ['state', 'ZZ', '', 'US-', 26, ['MI'], { code: 'MI' }, 'M\0'],
    ['period_end', '2026-10', '2026-10-31T00:00:00Z', '2026-02-30', '31.10.2026', '', 20261031, {}],
    ['dry_run', 'true', 1, {}],
  ])('is rejected with an invalid %s', (field, ...values) => {
    for (const value of values)
      expect(problemsIn(toClose({ ...good, [field]: value }).problems)).toEqual([`invalid_format /${field}`]);
  });

  it('is an object with a state and a period', () => {
    for (const body of [null, [], 'x', 0, true])
      expect(problemsIn(toClose(body).problems)).toEqual(['invalid_format ']);
    for (const body of [{}, { period_end: null, state: null }])
      expect(problemsIn(toClose(body).problems).sort()).toEqual([
        'required_field /period_end',
        'required_field /state',
      ]);
  });

  it('can have unknown fields, except in strict mode', () => {
    const body = { ...good, frequency: 'month' };
    expect(toClose(body)).toMatchObject({ problems: [], unknownFields: ['/frequency'] });
    expect(problemsIn(toClose(body, 'handling=strict').problems)).toEqual(['unknown_field /frequency']);
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
  const placesIn = (schema: Query, parameters: Record<string, string>) => {
    const query = new Map(Object.entries(parameters).map(([name, value]) => [name, [value]]));
    return problemsIn(readQuery(schema, { ...requestContext(null), query }).problems);
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
    for (const query of queries) expect(placesIn(schema, query)).toEqual([]);
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
      expect(placesIn(schema, { [name]: value })).toEqual([`invalid_format ${name}`]);
  });
});
