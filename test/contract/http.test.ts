/** Requests as raw bytes over HTTP: split bodies, media types, and the number of errors. */
import { request as startRequest } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { Context } from 'aws-lambda';
import { beforeAll, expect, it } from 'vitest';
import { handlers } from '../../infra/local/handlers.ts';
import { anonymous, type Caller, newCaller, startApi } from '../support/api.ts';
import { getEvent } from '../support/handler-calls.ts';
import type { Refused } from '../support/http.ts';
import { sale } from '../support/sales.ts';

let caller: Caller;
beforeAll(async () => {
  caller = await newCaller();
});

it('accepts a body in two chunks, split at any byte', async () => {
  const { url } = await startApi();
  const body = { metadata: { 税: 'é👍' }, line_items: [{ quantity: '1', unit_price: 'é' }], 'x/~税': 1 };
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = { 'X-API-Key': caller.key, 'Content-Type': 'application/json', Prefer: 'handling=strict' };
  const readPointers = async (cut: number): Promise<string> => {
    const answer = Promise.withResolvers<string>();
    const outgoing = startRequest(`${url}/calculations`, { method: 'POST', headers }, (incoming) =>
      readText(incoming).then(answer.resolve, answer.reject),
    );
    outgoing.on('error', answer.reject);
    outgoing.write(bytes.subarray(0, cut), () => outgoing.end(bytes.subarray(cut)));
    const { errors }: { errors: Refused[] } = JSON.parse(await answer.promise);
    return errors.map(({ source }) => source.pointer).join(' ');
  };
  const results = await Promise.all(Array.from({ length: bytes.length - 1 }, (_, at) => readPointers(at + 1)));
  expect(new Set(results)).toEqual(new Set(['/line_items/0/unit_price /x~1~0税 /customer/address']));
});

const body = JSON.stringify(sale());
const json = 'application/json';
const utf16 = `${json}; charset=utf-16`;

it.each<[headers: Record<string, string>, rawBody: string | Uint8Array, refused: string | null]>([
  [{ 'Content-Type': `${json};charset="UTF-8"` }, body, null],
  [{ 'Content-Encoding': 'identity' }, body, null],
  [{ 'Content-Encoding': 'gzip' }, gzipSync(body), 'Content-Encoding'],
  [{ 'Content-Encoding': 'gzip' }, body, 'Content-Encoding'],
  [{ 'Content-Encoding': 'x-levy' }, body, 'Content-Encoding'],
  [{ 'Content-Type': utf16 }, Buffer.from(body, 'utf16le'), 'Content-Type'],
  [{ 'Content-Type': `${json}; charset=iso-8859-1` }, body, 'Content-Type'],
])(
  'reads a body with %j as UTF-8 or rejects it, over HTTP and in Lambda: case %#',
  async (headers, rawBody, refused) => {
    const getOutcome = (status: number, { errors: [error] = [] }: { readonly errors?: readonly Refused[] }) =>
      error ? [status, error.code, error.source.header] : [status];
    const answer = await caller.call('POST', '/calculations', { headers, rawBody });
    // Calls the function as Lambda does; `isBase64Encoded` is set as for a binary media type.
    const all = { 'Content-Type': json, ...headers, 'X-API-Key': caller.key };
    const sent = { body: Buffer.from(rawBody).toString('base64'), isBase64Encoded: true };
    const event = { ...getEvent('POST', '/calculations', { headers: all }), ...sent };
    const context = { getRemainingTimeInMillis: () => 9000 } as Context;
    const result = await handlers.endpoints['create-calculation'](event, context);
    const expected = refused === null ? [200] : [415, 'validation_unsupported_media_type', refused];
    expect(getOutcome(answer.status, answer.body)).toEqual(expected);
    expect(getOutcome(result.statusCode, JSON.parse(result.body))).toEqual(expected);
  },
);

const many = Array.from({ length: 400 }, (_, at) => `a${at}`);

it.each(['/product-attributes', '/docs', '/openapi.json'])('returns the first 20 of 400 errors at %s', async (path) => {
  const { call } = path === '/product-attributes' ? caller : anonymous;
  const { status, body, text } = await call('GET', `${path}?${many.join('=1&')}=1`);
  expect([status, body.errors.map(({ source }) => source.parameter)]).toEqual([422, many.slice(0, 20)]);
  expect(text.length).toBeLessThan(8000);
});

it("returns at most 20 errors, first the query's and then the body's", async () => {
  const body = sale({ ...Object.fromEntries(many.map((name) => [name, 1])), quantity: 1 });
  const answer = await caller.call('POST', '/calculations?a=1&b=2', { body, headers: { Prefer: 'handling=strict' } });
  const sources = answer.body.errors.map(({ source }) => source.parameter ?? source.pointer);
  expect([sources.length, ...sources.slice(0, 3)]).toEqual([20, 'a', 'b', '/a0']);
});
