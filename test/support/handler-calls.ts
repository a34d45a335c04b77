import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { invoke } from '../../infra/local/gateway.ts';
import { handlers } from '../../infra/local/handlers.ts';
import { matchResource, parseTarget, toProxyEvent } from '../../infra/local/proxy-event.ts';
import type { Answer, Request } from './http.ts';

/** Builds the event that API Gateway sends to a function. `path` may have a query. */
export const getEvent = (method: string, path: string, { body, headers = {} }: Request = {}): APIGatewayProxyEvent => {
  const target = parseTarget(path);
  const resource = matchResource(method, target.path);
  if (!resource) throw new Error(`No resource is at ${target.path}.`);
  const sent = { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers };
  const rawHeaders = Object.entries(sent).flatMap(([name, value]) => [name, String(value)]);
  const message = { method, rawHeaders, headers: {}, httpVersion: '1.1', socket: { remoteAddress: '127.0.0.1' } };
  return toProxyEvent({
    message: message as unknown as IncomingMessage,
    requestId: randomUUID(),
    target,
    resource,
    body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
  });
};

/** Calls the function of an endpoint in this process, through its whole middleware but no socket. */
export const callHandler = async (
  method: string,
  path: string,
  request: Request = {},
  timeoutMs = 10_000,
): Promise<Answer<any>> => {
  const event = getEvent(method, path, request);
  const operation = matchResource(method, event.path)?.operation;
  if (!operation) throw new Error(`${method} is not offered at ${path}.`);
  const invocation = { functionName: operation, requestId: event.requestContext.requestId, timeoutMs };
  const { statusCode, headers, body } = await invoke(handlers.endpoints[operation], event, invocation);
  const pairs = Object.entries(headers ?? {}).map(([name, value]): [string, string] => [name, String(value)]);
  return { status: statusCode, headers: new Headers(pairs), body: body === '' ? null : JSON.parse(body), text: body };
};
