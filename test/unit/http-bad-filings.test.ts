import { describe, expect, it } from 'vitest';
import type { BodyDefinition } from '../../shared/api/body.ts';
import { readQuery } from '../../shared/api/query.ts';
import type { Problem } from '../../shared/base/problem.ts';
import {
  FilingListQuery,
  FilingQuery,
  FilingRequest,
  FilingUpdate,
  filingUpdateProblems,
} from '../../shared/filings/request.ts';
import { parseSent, placeOf, requestContext } from '../support/parse-sent.ts';

const asked: BodyDefinition<typeof FilingRequest> = { schema: FilingRequest, answer: {} };
const changed: BodyDefinition<typeof FilingUpdate> = {
  schema: FilingUpdate,
  answer: {},
  inspect: filingUpdateProblems,
};
const problemsIn = (problems: readonly Problem[]) =>
  problems.map((problem) => [problem.code.slice(11), placeOf(problem)]);

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
    expect(parseSent(asked, body, 'handling=strict')).toMatchObject({ problems: [], unknownFields: [] });
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
  ])('$body is refused at the wrong field', ({ body, problems }) => {
    expect(problemsIn(parseSent(asked, body).problems)).toEqual(problems);
  });

  it('unknown fields are named, and refused where the client is strict', () => {
    const body = { ...good, frequency: 'month' };
    expect(parseSent(asked, body)).toMatchObject({ problems: [], unknownFields: ['/frequency'] });
    expect(problemsIn(parseSent(asked, body, 'handling=strict').problems)).toEqual([['unknown_field', '/frequency']]);
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
    expect(problemsIn(parseSent(changed, body).problems)).toEqual([]);
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
    { body: { status: 'canceled', confirmation_number: 'x' }, problems: [['invalid_format', '/confirmation_number']] },
  ])('$body is refused at the wrong field', ({ body, problems }) => {
    expect(problemsIn(parseSent(changed, body).problems)).toEqual(problems);
  });
});

describe('the query', () => {
  const query = (schema: typeof FilingListQuery | typeof FilingQuery, parameters: Record<string, string>) => ({
    ...readQuery(schema, {
      ...requestContext(null),
      query: new Map(Object.entries(parameters).map(([name, value]) => [name, [value]])),
    }),
  });

  it.each([
    {},
    { status: 'closed', state: 'MI', period_end: '2026-10-31', limit: '100', starting_after: 'x' },
    { state: 'us-mi', limit: '1' },
  ])('the query of GET /filings may be %o', (parameters) => {
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
  ])('the query of GET /filings may not be %o', (parameters) => {
    expect(problemsIn(query(FilingListQuery, parameters).problems)).toEqual([
      ['invalid_format', Object.keys(parameters)[0]],
    ]);
  });

  it.each([{}, { expand: 'entries' }, { expand: 'entries', limit: '100', starting_after: 'x' }])(
    'the query of GET /filings/{id} may be %o',
    (parameters) => {
      expect(query(FilingQuery, parameters).problems).toEqual([]);
    },
  );

  it.each([{ expand: 'totals' }, { limit: '5' }, { starting_after: 'x' }])(
    'the query of GET /filings/{id} may not be %o: pages are of entries',
    (parameters) => {
      expect(problemsIn(query(FilingQuery, parameters).problems)).toEqual([
        ['invalid_format', Object.keys(parameters)[0]],
      ]);
    },
  );
});
