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

type Case = [name: string, header: string, value: string, isRefused: boolean, rawBody?: Uint8Array];
const cases: Case[] = [
  ['a charset of UTF-8', 'Content-Type', 'application/json;charset="UTF-8"', false],
  ['the coding identity', 'Content-Encoding', 'identity', false],
  ['gzip', 'Content-Encoding', 'gzip', true, gzipSync(text)],
  ['gzip that was announced only', 'Content-Encoding', 'gzip', true],
  ['an unknown coding', 'Content-Encoding', 'x-levy', true],
  ['UTF-16', 'Content-Type', 'application/json; charset=utf-16', true, Buffer.from(text, 'utf16le')],
  ['another charset that was announced only', 'Content-Type', 'application/json; charset=iso-8859-1', true],
];

const json = { 'Content-Type': 'application/json' };

type Answered = { readonly errors?: readonly Refused[] };
const outcomeOf = (status: number, body: Answered) => {
  const [error] = body.errors ?? [];
  return error ? [status, error.code, error.source.header] : [status];
};
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

it.each<Case>(cases)(
  '%s in %s is accepted, or refused with 415',
  async (_name, header, value, isRefused, rawBody = Buffer.from(text)) => {
    const sent = { headers: { [header]: value }, rawBody };
    const expected = isRefused ? [415, 'validation_unsupported_media_type', header] : [200];
    expect([await overHttp(sent), await inLambda(sent)]).toEqual([expected, expected]);
  },
);
