import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type * as z from 'zod/mini';
import { invoke } from '../../infra/local/gateway.ts';
import { handlers } from '../../infra/local/handlers.ts';
import { matchResource, parseTarget, toProxyEvent } from '../../infra/local/proxy-event.ts';
import { newAccount } from '../../shared/accounts/account.ts';
import { type BodyDefinition, parseBody } from '../../shared/api/body.ts';
import type { RequestContext } from '../../shared/api/request-context.ts';
import { currentVersion } from '../../shared/api/versions.ts';
import type { Problem } from '../../shared/base/result.ts';
import type { ApiResponse, Request } from './http.ts';

/** A request without a caller, and with a body that is not parsed. */
export const requestContext = (others: Partial<RequestContext> = {}): RequestContext => ({
  requestId: 'req_1',
  method: 'POST',
  path: '/calculations',
  pathParameters: {},
  headers: new Map([['content-type', ['application/json']]]),
  query: new Map(),
  rawBody: Buffer.from('{}'),
  remainingMs: () => 1000,
  responseHeaders: {},
  ...others,
});

const caller = {
  account: newAccount({ name: 'Test', serviceVersion: currentVersion, createdMs: Date.parse('2026-11-01') }),
  credential: 'key_test',
  scopes: new Set<never>(),
};

/** Returns the problems of an operation's body. */
export const parseSent = <Body extends z.ZodMiniType>(
  definition: BodyDefinition<Body>,
  body: unknown,
  prefer?: string,
): ReturnType<typeof parseBody<Body>> =>
  parseBody(definition, requestContext({ body, caller, headers: new Map(prefer ? [['prefer', [prefer]]] : []) }));

/** Returns the location of a problem in the request. */
export const getPlace = ({ source }: Problem): string | undefined =>
  source && ('pointer' in source ? source.pointer : 'parameter' in source ? source.parameter : undefined);

/** Builds the event that API Gateway sends to the function of a request; `null` if no resource has its path. */
export const buildEvent = (method: string, path: string, rawHeaders: readonly string[], body: Buffer) => {
  const target = parseTarget(path);
  const resource = matchResource(method, target.path);
  const message = { method, rawHeaders, headers: {}, httpVersion: '1.1', socket: { remoteAddress: '127.0.0.1' } };
  const request = { message: message as unknown as IncomingMessage, requestId: randomUUID(), target, body };
  return resource && { operation: resource.operation, event: toProxyEvent({ ...request, resource }) };
};

/** Builds the event of a request. `path` may have a query. */
export const getEvent = (method: string, path: string, { body, headers = {} }: Request = {}): APIGatewayProxyEvent => {
  const sent = { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers };
  const rawHeaders = Object.entries(sent).flatMap(([name, value]) => [name, String(value)]);
  const built = buildEvent(method, path, rawHeaders, Buffer.from(body === undefined ? '' : JSON.stringify(body)));
  if (!built) throw new Error(`No resource is at ${path}.`);
  return built.event;
};

/** Calls the function of an endpoint in this process, through its whole middleware but no socket. */
export const callHandler = async (
  method: string,
  path: string,
  request: Request = {},
  timeoutMs = 10_000,
): Promise<ApiResponse<any>> => {
  const event = getEvent(method, path, request);
  const operation = matchResource(method, event.path)?.operation;
  if (!operation) throw new Error(`${method} is not offered at ${path}.`);
  const invocation = { functionName: operation, requestId: event.requestContext.requestId, timeoutMs };
  const { statusCode, headers, body } = await invoke(handlers.endpoints[operation], event, invocation);
  const pairs = Object.entries(headers ?? {}).map(([name, value]): [string, string] => [name, String(value)]);
  return { status: statusCode, headers: new Headers(pairs), body: body === '' ? null : JSON.parse(body), text: body };
};
