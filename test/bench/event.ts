import type { APIGatewayProxyEvent } from 'aws-lambda';
import { endpoints, type Operation } from '../../functions/endpoints.ts';

type Request = {
  readonly operation: Operation;
  readonly apiKey: string;
  readonly body?: unknown;
  readonly pathParameters?: Readonly<Record<string, string>>;
  readonly idempotencyKey?: string;
};

/**
 * Builds the event that API Gateway sends to a function (REST API, payload v1), with the fields that a handler reads.
 */
export const eventOf = ({ operation, apiKey, body, pathParameters = {}, idempotencyKey }: Request) => {
  const { method, path } = endpoints[operation];
  const headers = {
    'X-API-Key': apiKey,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
  };
  return {
    resource: path,
    path: path.replace('{id}', pathParameters['id'] ?? ''),
    httpMethod: method,
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters,
    stageVariables: null,
    requestContext: { requestId: 'bench' } as APIGatewayProxyEvent['requestContext'],
    body: body === undefined ? null : JSON.stringify(body),
    isBase64Encoded: false,
  } satisfies APIGatewayProxyEvent;
};
