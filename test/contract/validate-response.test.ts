import { describe, expect, it } from 'vitest';
import { draft } from '../../shared/api/openapi/samples.ts';
import { envelope } from '../../shared/api/reply.ts';
import type { Code } from '../../shared/base/error-codes.ts';
import { type Exchange, problemsOf } from './validate-response.ts';

const common = {
  'X-Request-Id': 'request_1',
  'Service-Version': 'aspen.2026-10-01',
  Vary: 'Service-Version',
  'X-RateLimit-Limit': '2000',
  'X-RateLimit-Remaining': '1999',
  'Content-Type': 'application/json',
};

const created: Exchange = {
  method: 'POST',
  path: '/transactions',
  status: 201,
  headers: new Headers({ ...common, ETag: '"1"', Location: `transactions/${draft.id}` }),
  body: draft,
};

const without = (name: string, value?: string): Headers => {
  const headers = new Headers(created.headers);
  headers.delete(name);
  if (value !== undefined) headers.set(name, value);
  return headers;
};

const refusalOf = (code: Code): Exchange => {
  const { status, body } = envelope([{ code, title: 'Title', detail: 'Detail' }], 'request_1');
  return { method: 'POST', path: '/transactions', status, headers: new Headers(common), body };
};

describe('validateResponse', () => {
  it('accepts a response that matches the document', () => {
    expect(problemsOf(created)).toEqual([]);
    expect(problemsOf(refusalOf('conflict_duplicate_reference_id'))).toEqual([]);
    expect(problemsOf({ ...created, path: '/_local/clock', status: 200, body: {} })).toEqual([]);
  });

  it.each<[says: string, change: Partial<Exchange>]>([
    ['additional properties', { body: { ...draft, table: 'T' } }],
    ['must be string', { body: { ...draft, tax_amount: 5.7 } }],
    ['allowed values', { body: { ...draft, status: 'open' } }],
    ['/line_items/0/taxes', { body: { ...draft, line_items: [{ ...draft.line_items[0], taxes: null }] } }],
    ['X-Request-Id is missing', { headers: without('X-Request-Id') }],
    ['content type', { headers: without('Content-Type', 'text/html') }],
    ['createTransaction has no 200', { status: 200 }],
    ['an unknown path', { path: '/nowhere' }],
    ['409 conflict_has_credits is not documented', refusalOf('conflict_has_credits')],
    [
      '422 validation_invalid_format is not documented',
      { ...refusalOf('conflict_over_credit'), body: refusalOf('validation_invalid_format').body },
    ],
  ])('reports: %s', (says, change) => {
    expect(problemsOf({ ...created, ...change }).join('\n')).toContain(says);
  });

  it('reports an unexpected body', () => {
    const headers = new Headers({ ...common, ETag: '"a"' });
    const unchanged: Exchange = { method: 'GET', path: '/product-attributes', status: 304, headers, body: null };
    expect(problemsOf(unchanged)).toEqual([]);
    expect(problemsOf({ ...unchanged, body: {} }).join('\n')).toContain('a body came');
  });
});
