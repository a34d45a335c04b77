import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FilingListQuery, FilingQuery } from '../../shared/filings/query.ts';
import { FilingRequest, FilingUpdate, filingUpdateProblems } from '../../shared/filings/request.ts';
import { type BodyDefinition, parseBody } from '../../shared/http/body.ts';
import type { Exchange } from '../../shared/http/exchange.ts';
import { readQuery } from '../../shared/http/query.ts';
import { type Problem, statusOf } from '../../shared/problem.ts';

const exchangeOf = (body: unknown, prefer?: string): Exchange => ({
  requestId: 'req_1',
  method: 'POST',
  path: '/filings',
  pathParameters: {},
  headers: new Map(prefer ? [['prefer', [prefer]]] : []),
  query: new Map(),
  rawBody: Buffer.alloc(0),
  remainingMs: () => 1000,
  replyHeaders: {},
  body,
});
const asked: BodyDefinition<typeof FilingRequest> = { schema: FilingRequest, answer: {} };
const changed: BodyDefinition<typeof FilingUpdate> = {
  schema: FilingUpdate,
  answer: {},
  inspect: filingUpdateProblems,
};
const placeOf = ({ source }: Problem) =>
  source && ('pointer' in source ? source.pointer : 'parameter' in source ? source.parameter : null);
const told = (problems: readonly Problem[]) => problems.map((problem) => [problem.code.slice(11), placeOf(problem)]);

const good = { state: 'MI', period_end: '2026-10-31' };
const control = String.fromCharCode(7);

describe('the body of POST /filings', () => {
  it.each([
    good,
    { ...good, state: 'US-MI' },
    { ...good, state: 'michigan' },
    { ...good, dry_run: true },
    { ...good, dry_run: null },
  ])('%o is good', (body) => {
    expect(parseBody(asked, exchangeOf(body, 'handling=strict'))).toMatchObject({ problems: [], unknownFields: [] });
  });

  it.each<{ body: unknown; problems: [string, string][] }>([
    ...[null, [], 'x', 0, true].map((body) => ({ body, problems: [['invalid_format', '']] as [string, string][] })),
    {
      body: {},
      problems: [
        ['required_field', '/state'],
        ['required_field', '/period_end'],
      ],
    },
    {
      body: { period_end: null, state: null },
      problems: [
        ['required_field', '/period_end'],
        ['required_field', '/state'],
      ],
    },
    ...['ZZ', '', 'US-', 26, ['MI'], { code: 'MI' }].map((state) => ({
      body: { ...good, state },
      problems: [['invalid_format', '/state']] as [string, string][],
    })),
    ...['2026-10', '2026-10-31T00:00:00Z', '2026-02-30', '31.10.2026', '', 20261031, {}].map((period_end) => ({
      body: { ...good, period_end },
      problems: [['invalid_format', '/period_end']] as [string, string][],
    })),
    ...['true', 1, {}].map((dry_run) => ({
      body: { ...good, dry_run },
      problems: [['invalid_format', '/dry_run']] as [string, string][],
    })),
    { body: { ...good, state: 'M\0' }, problems: [['invalid_format', '/state']] },
  ])('$body is told what is wrong', ({ body, problems }) => {
    expect(told(parseBody(asked, exchangeOf(body)).problems)).toEqual(problems);
  });

  it('unknown fields are named, and refused where the client is strict', () => {
    const body = { ...good, frequency: 'month' };
    expect(parseBody(asked, exchangeOf(body))).toMatchObject({ problems: [], unknownFields: ['/frequency'] });
    expect(told(parseBody(asked, exchangeOf(body, 'handling=strict')).problems)).toEqual([
      ['unknown_field', '/frequency'],
    ]);
  });
});

describe('the body of POST /filings/{id}', () => {
  it.each([
    { status: 'filed', confirmation_number: 'x' },
    { status: 'filed', confirmation_number: 'é'.repeat(100) },
    { status: 'canceled' },
    { status: 'canceled', confirmation_number: null },
    // Refused by what the filing is, not by their form.
    { status: 'closed' },
    { status: 'marking' },
  ])('%o is good', (body) => {
    expect(told(parseBody(changed, exchangeOf(body)).problems)).toEqual([]);
  });

  it.each<{ body: unknown; problems: [string, string][] }>([
    { body: null, problems: [['invalid_format', '']] },
    { body: {}, problems: [['required_field', '/status']] },
    { body: { status: null }, problems: [['required_field', '/status']] },
    { body: { status: 'paid' }, problems: [['invalid_format', '/status']] },
    { body: { status: 'dry_run' }, problems: [['invalid_format', '/status']] },
    { body: { status: ['filed'] }, problems: [['invalid_format', '/status']] },
    { body: { status: 'filed' }, problems: [['required_field', '/confirmation_number']] },
    { body: { confirmation_number: null, status: 'filed' }, problems: [['required_field', '/confirmation_number']] },
    ...['', '   ', 'x'.repeat(101), `a${control}`, 7, ['x']].map((confirmation_number) => ({
      body: { status: 'filed', confirmation_number },
      problems: [['invalid_format', '/confirmation_number']] as [string, string][],
    })),
    {
      body: { status: 'canceled', confirmation_number: 'x' },
      problems: [['invalid_format', '/confirmation_number']],
    },
  ])('$body is told what is wrong', ({ body, problems }) => {
    expect(told(parseBody(changed, exchangeOf(body)).problems)).toEqual(problems);
  });
});

it('bodies that are anything at all never throw, and what is wrong has a code and a place', () => {
  const field = fc.constantFrom('state', 'period_end', 'dry_run', 'status', 'confirmation_number', '__proto__', 'a/b');
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom<unknown>('MI', '2026-10-31', 'filed', 'canceled', true, null, 'a\0b', '\ud800'),
  );
  const body = fc.oneof(
    fc.jsonValue(),
    fc.array(fc.tuple(field, value)).map((entries) => Object.fromEntries(entries)),
    // Nearly good, and sometimes good.
    fc.record(
      {
        state: fc.constantFrom<unknown>('MI', 'US-OH', 'Hawaii', 'ZZ', null),
        period_end: fc.constantFrom<unknown>('2026-10-31', '2026-12-31', 'soon'),
        dry_run: fc.constantFrom<unknown>(true, null, 'yes'),
        status: fc.constantFrom<unknown>('filed', 'canceled', 'closed', 'paid'),
        confirmation_number: fc.constantFrom<unknown>('c', 'd', null, ''),
      },
      { requiredKeys: ['state', 'period_end', 'status'] },
    ),
  );
  const outcomes = { good: 0, wrong: 0 };
  fc.assert(
    fc.property(body, fc.boolean(), (sent, strict) => {
      for (const definition of [asked, changed] as BodyDefinition<any>[]) {
        const { problems } = parseBody(definition, exchangeOf(sent, strict ? 'handling=strict' : undefined));
        outcomes[problems.length > 0 ? 'wrong' : 'good']++;
        expect(problems.length).toBeLessThanOrEqual(20);
        for (const problem of problems) {
          expect(Object.keys(statusOf)).toContain(problem.code);
          expect(placeOf(problem)).toMatch(/^(\/.*)?$/s);
        }
      }
    }),
    { numRuns: 5000 },
  );
  expect(outcomes.wrong).toBeGreaterThan(1000);
  expect(outcomes.good).toBeGreaterThan(300);
});

describe('the query', () => {
  const query = (schema: typeof FilingListQuery | typeof FilingQuery, parameters: Record<string, string>) => ({
    ...readQuery(schema, {
      ...exchangeOf(null),
      query: new Map(Object.entries(parameters).map(([name, value]) => [name, [value]])),
    }),
  });

  it.each([
    {},
    { status: 'closed', state: 'MI', period_end: '2026-10-31', limit: '100', starting_after: 'x' },
    { state: 'us-mi', limit: '1' },
  ])('of GET /filings may be %o', (parameters) => {
    expect(query(FilingListQuery, parameters).problems).toEqual([]);
  });

  it.each([
    { status: 'open' },
    { status: 'dry_run' },
    { state: 'ZZ' },
    { period_end: '2026-10' },
    { limit: '0' },
    { limit: '101' },
    { limit: '1.0' },
    { starting_after: '' },
  ])('of GET /filings may not be %o', (parameters) => {
    expect(told(query(FilingListQuery, parameters).problems)).toEqual([['invalid_format', Object.keys(parameters)[0]]]);
  });

  it.each([{}, { expand: 'entries' }, { expand: 'entries', limit: '100', starting_after: 'x' }])(
    'of GET /filings/{id} may be %o',
    (parameters) => {
      expect(query(FilingQuery, parameters).problems).toEqual([]);
    },
  );

  it.each([{ expand: 'totals' }, { limit: '5' }, { starting_after: 'x' }])(
    'of GET /filings/{id} may not be %o: pages are of entries',
    (parameters) => {
      expect(told(query(FilingQuery, parameters).problems)).toEqual([['invalid_format', Object.keys(parameters)[0]]]);
    },
  );
});
