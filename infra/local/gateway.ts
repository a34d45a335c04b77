import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { assert } from '../../shared/base/assert.ts';
import type { Problem } from '../../shared/base/problem.ts';
import { failureLine } from '../../shared/observability/failure-line.ts';
import { bodyTooLarge, broken, malformed, notFound, unavailable } from '../gateway-problems.ts';
import { answerControl, isControl } from './controls.ts';
import type { Handlers } from './handlers.ts';
import { invoke, TimedOut } from './invoke.ts';
import { toProxyEvent } from './proxy-event.ts';
import { json, refusal } from './refusal.ts';
import { matchResource, nearestPath, parseTarget, type RequestTarget } from './resources.ts';

export type GatewayOptions = {
  readonly handlers: Handlers;
  /** The time limit of a function; the deployed functions have the same default. */
  readonly timeoutMs?: number;
};

/** The limit of API Gateway (Amazon API Gateway quotas). */
const bodyLimitBytes = 10 * 1024 * 1024;

/**
 * The request's body, or `null` for one over the limit. Throws when the client hangs up.
 *
 * The rest of a body over the limit is read and dropped: a client that is still sending could miss the response.
 */
const readBody = async (request: IncomingMessage): Promise<Buffer | null> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= bodyLimitBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  return bytes <= bodyLimitBytes ? Buffer.concat(chunks) : null;
};

const failed: Problem = { ...broken, detail: `${broken.detail} See the log of the local service.` };

// A deployment has the API behind its stage. The same URLs work here.
const withoutStage = (target: RequestTarget): RequestTarget => ({
  ...target,
  path: target.path.replace(/^\/v1(?=\/|$)/, '') || '/',
});

const answer = async (message: IncomingMessage, requestId: string, options: GatewayOptions) => {
  const { handlers, timeoutMs = 10_000 } = options;
  const body = await readBody(message);
  const target = withoutStage(parseTarget(message.url ?? '/'));
  if (isControl(target.path))
    return body ? answerControl({ message, target, body, requestId }, handlers) : refusal(bodyTooLarge, requestId);
  const resource = matchResource(message.method ?? 'GET', target.path);
  if (target.path === '/' && message.method === 'GET') return json(302, {}, requestId, { Location: '/docs' });
  if (!resource) {
    const nearest = nearestPath(target.path);
    const detail = nearest === null ? notFound.detail : `No operation has this path. Did you mean ${nearest}?`;
    return refusal({ ...notFound, detail }, requestId);
  }
  if (!body) return refusal(bodyTooLarge, requestId);
  // As in the deployed API, the method ANY handles all other methods of a path.
  const functionName = resource.operation ?? 'method-not-allowed';
  const event = toProxyEvent({ message, requestId, target, resource, body });
  const result = await invoke(handlers.endpoints[functionName], event, { functionName, requestId, timeoutMs });
  assert(Number.isInteger(result?.statusCode), `${functionName} answered without a status.`);
  return result;
};

const send = (response: ServerResponse, result: APIGatewayProxyResult): void => {
  const { statusCode, headers = {}, multiValueHeaders = {}, body, isBase64Encoded } = result;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, String(value));
  for (const [name, values] of Object.entries(multiValueHeaders)) response.setHeader(name, values.map(String));
  // The default of API Gateway.
  if (statusCode !== 204 && statusCode !== 304 && !response.hasHeader('Content-Type'))
    response.setHeader('Content-Type', 'application/json');
  // `writeHead` would write before the length is known, and the response would be chunked.
  response.statusCode = statusCode;
  // Text is not converted to a Buffer: Node then sends head and body in one packet.
  response.end(isBase64Encoded ? Buffer.from(body, 'base64') : body);
};

const serve = async (message: IncomingMessage, response: ServerResponse, options: GatewayOptions): Promise<void> => {
  const requestId = randomUUID();
  try {
    send(response, await answer(message, requestId, options));
  } catch (error) {
    // The client hung up.
    if (message.errored || response.destroyed) return;
    console.error(`Request ${requestId} failed:`, failureLine(error));
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    send(response, refusal(error instanceof TimedOut ? unavailable : failed, requestId));
  }
};

// The request is not HTTP, or its head is too long. Node's own response would lack the envelope.
const refuseUnreadable = (_error: Error, socket: Duplex): void => {
  if (!socket.writable) return;
  const { headers = {}, body } = refusal(malformed, randomUUID(), { Connection: 'close' });
  const lines = Object.entries({ ...headers, 'Content-Length': Buffer.byteLength(body) });
  const head = ['HTTP/1.1 400 Bad Request', ...lines.map(([name, value]) => `${name}: ${value}`)];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};

/** The limit of request line and headers together (Amazon API Gateway quotas). */
const headBytesMax = 10_240;

/** The deployed API on node:http: the same endpoints and functions, and the behavior of API Gateway. The caller listens. */
export const createGateway = (options: GatewayOptions): Server =>
  createServer({ maxHeaderSize: headBytesMax }, (message, response) => void serve(message, response, options)).on(
    'clientError',
    refuseUnreadable,
  );
