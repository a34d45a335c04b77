import { expect } from 'vitest';
import type { Handler } from '../../shared/api/lambda-handler.ts';
import { problemsOf } from './validate-response.ts';

export type Request = { readonly headers?: Record<string, string>; readonly query?: Record<string, string[]> };

/** The response of a public function, compared with the OpenAPI document. */
export const publicAnswer = async (serve: Handler, path: string, { headers = {}, query = {} }: Request = {}) => {
  const result = await serve(
    {
      httpMethod: 'GET',
      resource: path,
      path,
      requestContext: { requestId: 'request_1' },
      multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
      multiValueQueryStringParameters: query,
      body: null,
    } as unknown as Parameters<Handler>[0],
    {} as Parameters<Handler>[1],
  );
  const answer = {
    status: result.statusCode,
    headers: new Headers(result.headers as Record<string, string>),
    text: result.body,
  };
  const isJson = answer.headers.get('Content-Type') === 'application/json';
  const body = answer.text === '' ? null : isJson ? JSON.parse(answer.text) : answer.text;
  expect(problemsOf({ method: 'GET', path, ...answer, body })).toEqual([]);
  return { ...answer, body };
};
