import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { expect, it } from 'vitest';
import { handler } from '../../functions/method-not-allowed.ts';
import { synthesize } from './synthesized.ts';

const [, methodNotAllowed] =
  synthesize()
    .ofType('AWS::Lambda::Function')
    .find(([id]) => id === 'MethodNotAllowed') ?? [];
Object.assign(process.env, methodNotAllowed?.Properties['Environment'].Variables);

const event = (resource: string): APIGatewayProxyEvent =>
  ({
    resource,
    path: resource.replace('{id}', 'txn_1'),
    httpMethod: 'DELETE',
    multiValueHeaders: {},
    requestContext: { requestId: 'request-1' },
  }) as unknown as APIGatewayProxyEvent;

it.each([
  ['/transactions', 'GET, POST'],
  ['/transactions/{id}', 'GET, POST'],
  ['/calculations', 'POST'],
  ['/product-attributes', 'GET'],
])('names what %s answers to, in the header and in words', async (resource, methods) => {
  const { statusCode, headers, body } = await handler(event(resource), {} as Context);
  expect(statusCode).toBe(405);
  expect(headers).toMatchObject({ Allow: methods, 'Content-Type': 'application/json', 'X-Request-Id': 'request-1' });
  expect(JSON.parse(body)).toEqual({
    errors: [
      {
        status: '405',
        code: 'method_not_allowed',
        title: 'Method Not Allowed',
        detail: `Use one of the methods of this path: ${methods}.`,
        source: { pointer: null },
        meta: { request_id: 'request-1' },
      },
    ],
  });
});
