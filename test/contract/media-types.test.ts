import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { beforeAll, expect, it } from 'vitest';
import { handlers } from '../../infra/local/handlers.ts';
import { type Caller, newCaller } from '../support/api.ts';
import type { Refused } from '../support/http.ts';
import { sale } from '../support/sales.ts';

let caller: Caller;
beforeAll(async () => {
  caller = await newCaller();
});

const text = JSON.stringify(sale());
type Sent = { readonly headers: Readonly<Record<string, string>>; readonly rawBody: string | Uint8Array };

const accepted: readonly (readonly [string, Sent])[] = [
  ['a charset of UTF-8', { headers: { 'Content-Type': 'application/json;charset="UTF-8"' }, rawBody: text }],
  ['the coding identity', { headers: { 'Content-Encoding': 'identity' }, rawBody: text }],
];
const refused: readonly (readonly [string, string, Sent])[] = [
  ['gzip', 'Content-Encoding', { headers: { 'Content-Encoding': 'gzip' }, rawBody: gzipSync(text) }],
  ['gzip that was announced only', 'Content-Encoding', { headers: { 'Content-Encoding': 'gzip' }, rawBody: text }],
  ['an unknown coding', 'Content-Encoding', { headers: { 'Content-Encoding': 'x-levy' }, rawBody: text }],
  [
    'UTF-16',
    'Content-Type',
    { headers: { 'Content-Type': 'application/json; charset=utf-16' }, rawBody: Buffer.from(text, 'utf16le') },
  ],
  [
    'another charset that was announced only',
    'Content-Type',
    { headers: { 'Content-Type': 'application/json; charset=iso-8859-1' }, rawBody: text },
  ],
];

const json = { 'Content-Type': 'application/json' };

type Answered = { readonly errors?: readonly (Refused & { readonly detail: string })[] };
const outcomeOf = (status: number, body: Answered) => {
  const [error] = body.errors ?? [];
  return error ? [status, error.code, error.source.header, error.detail] : [status];
};
const refusal = (header: string, { headers }: Sent) => [
  415,
  'validation_unsupported_media_type',
  header,
  `You sent ${headers[header]}. ${
    header === 'Content-Type' ? 'Send application/json in UTF-8.' : 'Send the body without a Content-Encoding.'
  }`,
];

const overHttp = async ({ headers, rawBody }: Sent) => {
  const { status, body } = await caller.call('POST', '/calculations', { headers, rawBody });
  return outcomeOf(status, body);
};

/** The function as Lambda calls it; `isBase64Encoded` as with a binary media type. */
const inLambda = async ({ headers, rawBody }: Sent) => {
  const all = { ...json, ...headers, 'X-API-Key': caller.key };
  const event = {
    httpMethod: 'POST',
    resource: '/calculations',
    path: '/calculations',
    headers: all,
    body: Buffer.from(rawBody).toString('base64'),
    isBase64Encoded: true,
    multiValueHeaders: Object.fromEntries(Object.entries(all).map(([name, value]) => [name, [value]])),
    ...{ queryStringParameters: null, multiValueQueryStringParameters: null },
    ...{ pathParameters: null, stageVariables: null },
    requestContext: { requestId: 'request_1' } as APIGatewayProxyEvent['requestContext'],
  };
  const context = { getRemainingTimeInMillis: () => 9000 } as Context;
  const { statusCode, body } = await handlers.endpoints['create-calculation'](event, context);
  return outcomeOf(statusCode, JSON.parse(body));
};

it.each(accepted)('%s is accepted', async (_case, sent) => {
  expect([await overHttp(sent), await inLambda(sent)]).toEqual([[200], [200]]);
});

it.each(refused)('%s is refused with 415, naming %s', async (_case, header, sent) => {
  expect([await overHttp(sent), await inLambda(sent)]).toEqual([refusal(header, sent), refusal(header, sent)]);
});
