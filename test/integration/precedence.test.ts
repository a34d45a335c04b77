import { describe, expect, it } from 'vitest';
import { anonymous, newCaller, newClient } from '../support/api.ts';
import type { Request } from '../support/http.ts';
import { getRefusal, sale, sold } from '../support/sales.ts';

const version = 'aspen.2026-10-01';
const unknown = 'txn_01ARZ3NDEKTSV4RRFFQ69G5FAV';
type Fault = { readonly headers?: Record<string, string | null>; readonly rawBody?: string };

describe('the order of errors', () => {
  const malformed = '{"line_items": [';
  // Each request has a fault and all faults after it in this list. The first one determines the error.
  const faults: readonly (Fault & { readonly name: string; readonly refusal: string; readonly who?: string })[] = [
    { name: 'no credential', who: 'nobody', refusal: '401 | auth_error X-API-Key' },
    { name: 'no scope', who: 'reader', refusal: '403 | auth_forbidden' },
    { name: 'the rate limit', who: 'limited', refusal: '429 | rate_limit_error' },
    {
      name: 'the media type',
      headers: { 'Content-Type': 'text/plain' },
      refusal: '415 | validation_unsupported_media_type Content-Type',
    },
    {
      name: 'the content coding',
      headers: { 'Content-Encoding': 'gzip' },
      refusal: '415 | validation_unsupported_media_type Content-Encoding',
    },
    { name: 'the size', rawBody: malformed.padEnd(1024 * 1024 + 1, ' '), refusal: '413 | validation_body_too_large' },
    { name: 'the JSON', rawBody: malformed, refusal: '400 | validation_malformed_json' },
    {
      name: 'the version',
      headers: { 'Service-Version': 'birch.2027-01-01' },
      refusal: '422 | validation_unknown_service_version Service-Version',
    },
    { name: 'the fields', refusal: '422' },
  ];
  /** For each path, a body with two wrong fields. */
  const ofTransactions = [sale({ line_items: [], status: 'paid' }), '/line_items', '/status'] as const;
  const wrongFields: Readonly<Record<string, readonly [body: object, ...pointers: string[]]>> = {
    '/transactions': ofTransactions,
    [`/transactions/${unknown}`]: ofTransactions,
    '/filings': [{ period_end: 'soon', state: 'ZZ' }, '/period_end', '/state'],
    '/filings/fil_01ARZ3NDEKTSV4RRFFQ69G5FAV': [
      { confirmation_number: '', status: 'paid' },
      ...(['/confirmation_number', '/status'] as const),
    ],
  };

  it.each(faults.map(({ name, refusal }, index) => ({ name, refusal, index })))(
    'reports $name before the later faults',
    async ({ index, refusal }) => {
      const [writer, reader, limited] = await Promise.all([
        newCaller(),
        newCaller({ scopes: ['read'], settings: { rate_limit: 0 } }),
        newCaller({ settings: { rate_limit: 0 } }),
      ]);
      const present = faults.slice(index);
      const who = present.find((fault) => fault.who)?.who ?? 'writer';
      const caller = { nobody: anonymous, reader, limited, writer }[who] ?? writer;
      const headers = Object.assign({}, ...present.map((fault) => fault.headers ?? {}));
      const rawBody = present.find((fault) => fault.rawBody !== undefined)?.rawBody;
      for (const [path, [body, ...pointers]] of Object.entries(wrongFields)) {
        const request: Request = {
          ...(rawBody === undefined ? { body } : { rawBody }),
          headers: { 'Content-Type': 'application/json', 'If-Match': '"7"', 'Idempotency-Key': 'k', ...headers },
        };
        const ofFields = pointers.map((pointer) => `validation_invalid_format ${pointer}`);
        const expected = present.length === 1 ? [refusal, ...ofFields].join(' | ') : refusal;
        const response = await caller.call('POST', path, request);
        expect([path, getRefusal(response)]).toEqual([path, expected]);
        const limit = { nobody: null, writer: '2000' }[who];
        expect(['service-version', 'x-ratelimit-limit'].map((name) => response.headers.get(name))).toEqual([
          version,
          limit === undefined ? '0' : limit,
        ]);
      }
    },
  );

  it.each([
    ['GET', '/nothing', '404 | not_found', null],
    ['DELETE', `/transactions/${unknown}`, '405 | method_not_allowed', 'GET, POST'],
    ['PUT', '/transactions', '405 | method_not_allowed', 'GET, POST'],
    ['GET', '/calculations', '405 | method_not_allowed', 'POST'],
  ])('reports path and method before the credential: %s %s', async (method, path, refusal, allow) => {
    const response = await anonymous.call(method, path);
    expect([getRefusal(response), response.headers.get('allow')]).toEqual([refusal, allow]);
  });

  it('reports fields before 404, 404 before 412, and 412 before 409', async () => {
    const client = await newClient();
    const { id } = await sold(client);
    const stale = { 'If-Match': '"7"' };
    for (const [response, refusal] of [
      [await client.update(unknown, { status: 'paid' }, stale), '422 | validation_invalid_format /status'],
      [await client.update(unknown, { status: 'draft' }, stale), '404 | not_found'],
      [await client.update(id, { status: 'draft' }, stale), '412 | precondition_failed If-Match'],
      [await client.update(id, { status: 'draft' }), '409 | conflict_invalid_status_transition /status'],
    ] as const)
      expect(getRefusal(response)).toBe(refusal);
  });

  it('reports invalid query parameters, invalid fields and unknown fields together', async () => {
    const client = await newClient();
    const response = await client.call('POST', '/transactions?dry_run=1', {
      body: sale({ status: 'paid', colour: 'red' }),
      headers: { Prefer: 'handling=strict' },
    });
    expect(getRefusal(response)).toBe(
      '422 | validation_unknown_parameter dry_run | validation_invalid_format /status | validation_unknown_field /colour',
    );
  });

  it('reports a field that the status forbids before a duplicate reference_id', async () => {
    const client = await newClient();
    await sold(client, { reference_id: 'taken' });
    const { id } = await sold(client);
    expect(getRefusal(await client.update(id, { currency: 'EUR', reference_id: 'taken' }))).toBe(
      '409 | conflict_immutable_field /currency',
    );
  });
});
