import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { handlers } from '../../../infra/local/handlers.ts';
import { invoke } from '../../../infra/local/invoke.ts';
import { matchResource } from '../../../infra/local/resources.ts';
import type { Call } from '../../support/api.ts';
import type { Request } from '../../support/http.ts';

/** Sends one request of a caller, whoever carries it. */
export type Send = Call;

const eventOf = (method: string, path: string, { body, headers = {} }: Request): APIGatewayProxyEvent => {
  const { pathname, searchParams } = new URL(path, 'http://local');
  const resource = matchResource(method, pathname);
  if (!resource) throw new Error(`No resource is at ${pathname}.`);
  const text = body === undefined ? null : JSON.stringify(body);
  const sent = { ...(text !== null && { 'Content-Type': 'application/json' }), ...headers };
  const query = [...searchParams.keys()].map((name) => [name, searchParams.getAll(name)] as const);
  return {
    resource: resource.path,
    path: pathname,
    httpMethod: method,
    headers: sent as Record<string, string>,
    multiValueHeaders: Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, [value as string]])),
    queryStringParameters: query.length > 0 ? Object.fromEntries(searchParams) : null,
    multiValueQueryStringParameters: query.length > 0 ? Object.fromEntries(query) : null,
    pathParameters: resource.parameters,
    stageVariables: null,
    requestContext: { requestId: randomUUID() } as APIGatewayProxyEvent['requestContext'],
    body: text,
    isBase64Encoded: false,
  };
};

/**
 * A caller whose requests go to the Lambda handlers as API Gateway's proxy events, through the whole stack of each, and
 * through no socket.
 */
export const sendEvents =
  (key: string): Send =>
  async (method, path, request = {}) => {
    const event = eventOf(method, path, { ...request, headers: { 'X-API-Key': key, ...request.headers } });
    const operation = matchResource(method, event.path)?.operation;
    if (!operation) throw new Error(`${method} is not offered at ${path}.`);
    const invocation = { functionName: operation, requestId: event.requestContext.requestId, timeoutMs: 10_000 };
    const { statusCode, headers, body } = await invoke(handlers.endpoints[operation], event, invocation);
    const pairs = Object.entries(headers ?? {}).map(([name, value]): [string, string] => [name, String(value)]);
    return { status: statusCode, headers: new Headers(pairs), body: body === '' ? null : JSON.parse(body), text: body };
  };
