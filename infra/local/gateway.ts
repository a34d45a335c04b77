import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { APIGatewayProxyResult, Context } from 'aws-lambda';
import { type ScheduleName, schedules } from '../../functions/endpoints.ts';
import { mediaTypeProblem, unreadable } from '../../shared/api/body.ts';
import { assert } from '../../shared/base/assert.ts';
import { instantMs } from '../../shared/base/calendar.ts';
import { asObject, describeJsonError } from '../../shared/base/json.ts';
import { isLoopback } from '../../shared/base/loopback.ts';
import { invalidFormat, type Problem } from '../../shared/base/result.ts';
import { advanceClock, now } from '../../shared/config/clock.ts';
import { failureLine } from '../../shared/observability/failure-line.ts';
import { bodyTooLarge, broken, malformed, notFound, unavailable } from '../gateway-problems.ts';
import { sampleMonth } from './demo.ts';
import type { Handlers } from './handlers.ts';
import {
  json,
  matchResource,
  nearestPath,
  type ProxyRequest,
  parseTarget,
  type RequestTarget,
  refusal,
  toProxyEvent,
} from './proxy-event.ts';

type ControlRequest = Omit<ProxyRequest, 'resource'>;

type Control = (request: ControlRequest) => APIGatewayProxyResult | Promise<APIGatewayProxyResult>;

// Ids and keys sort by time as strings, so a year must have four digits.
const latestMs = Date.UTC(9999, 11, 31);

/** Sets the service's clock to `now`, or moves it by `advance_seconds`, which can be negative. */
const moveClock = (body: Buffer): Problem | null => {
  const text = body.toString('utf8');
  if (describeJsonError(text)) return unreadable.malformed;
  const { now: instant, advance_seconds: seconds } = asObject(JSON.parse(text)) ?? {};
  if ((instant === undefined) === (seconds === undefined))
    return invalidFormat('', 'Invalid Format', 'Send an object with now or advance_seconds.');
  const targetMs =
    typeof instant === 'string' ? instantMs(instant) : typeof seconds === 'number' ? now() + seconds * 1000 : null;
  if (targetMs === null || targetMs < 0 || targetMs > latestMs)
    return invalidFormat(
      instant === undefined ? '/advance_seconds' : '/now',
      'Invalid Format',
      'Send a timestamp in UTC, or a number of seconds, for a time from 1970 to 9999.',
    );
  advanceClock(Math.round(targetMs - now()));
  return null;
};

const showClock: Control = ({ requestId }) => json(200, { now: new Date(now()).toISOString() }, requestId);

const setClock: Control = (request) => {
  const problem = moveClock(request.body);
  return problem ? refusal(problem, request.requestId) : showClock(request);
};

const showSample: Control = ({ requestId }) => json(200, sampleMonth(now()), requestId);

const runSchedule =
  (name: ScheduleName, handlers: Handlers): Control =>
  async ({ requestId }) => {
    const { timeoutSeconds } = schedules[name];
    // EventBridge Scheduler sends an empty event.
    const invocation = { functionName: name, requestId, timeoutMs: timeoutSeconds * 1000 };
    return json(200, (await invoke(handlers.schedules[name], {}, invocation)) ?? null, requestId);
  };

const scheduleNames = Object.keys(schedules) as ScheduleName[];

/** The controls of the local service: its clock, its schedules and the sample month of the console. */
const listControls = (handlers: Handlers): readonly (readonly [method: string, path: string, run: Control])[] => [
  ['GET', '/_local/clock', showClock],
  ['PUT', '/_local/clock', setClock],
  ['GET', '/_local/sample-month', showSample],
  ...scheduleNames.map((name) => ['POST', `/_local/schedules/${name}`, runSchedule(name, handlers)] as const),
];

const forbidden = (header: string, detail: string): Problem => ({
  code: 'auth_forbidden',
  title: 'Forbidden',
  detail,
  source: { header },
});

/**
 * Refuses requests from web pages. A page can make a browser send requests here, but it cannot hide its Origin, or the
 * Host after DNS rebinding.
 */
const intrusion = ({ message, target }: ControlRequest): Problem | null => {
  const { host = [], origin } = message.headersDistinct;
  const authorities = target.authority === null ? host : [...host, target.authority];
  if (host.length !== 1 || !authorities.every(isLoopback))
    return forbidden('Host', 'The controls accept only a loopback Host, such as 127.0.0.1.');
  return origin ? forbidden('Origin', 'Send no Origin header: the controls refuse requests from web pages.') : null;
};

const wrongBody = ({ message: { headers, headersDistinct }, body }: ControlRequest): Problem | null =>
  body.length === 0 ? null : mediaTypeProblem(headers['content-type'], headersDistinct['content-encoding']);

const unknownControl: Problem = {
  code: 'not_found',
  title: 'Not Found',
  detail: `The controls are /_local/clock, /_local/sample-month and /_local/schedules/ with one of: ${scheduleNames.join(', ')}.`,
};

const methodNotAllowed = (allowed: string): Problem => ({
  code: 'method_not_allowed',
  title: 'Method Not Allowed',
  detail: `Allowed here: ${allowed}.`,
});

const runControl = async (request: ControlRequest, handlers: Handlers): Promise<APIGatewayProxyResult> => {
  const { message, target, requestId } = request;
  const onPath = listControls(handlers).filter(([, path]) => path === target.path);
  const [, , run] = onPath.find(([method]) => method === message.method) ?? [];
  if (onPath.length === 0) return refusal(unknownControl, requestId);
  if (!run) {
    const Allow = onPath.map(([method]) => method).join(', ');
    return refusal(methodNotAllowed(Allow), requestId, { Allow });
  }
  const problem = intrusion(request) ?? wrongBody(request);
  return problem ? refusal(problem, requestId) : run(request);
};

/** A function exceeded its timeout. */
class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

type Invocation = { readonly functionName: string; readonly requestId: string; readonly timeoutMs: number };
type Invocable<Event, Output> = (event: Event, context: Context) => Promise<Output>;

// Only the fields that handlers read: there is no log group and no ARN here.
const newContext = ({ functionName, requestId, timeoutMs }: Invocation): Context => {
  const deadline = performance.now() + timeoutMs;
  return {
    awsRequestId: requestId,
    functionName,
    functionVersion: '$LATEST',
    getRemainingTimeInMillis: () => Math.max(0, Math.round(deadline - performance.now())),
  } as Context;
};

/** Calls a handler as Lambda does: with a context that counts down, and a timeout. */
export const invoke = async <Event, Output>(
  handler: Invocable<Event, Output>,
  event: Event,
  invocation: Invocation,
): Promise<Output> => {
  const expired = Promise.withResolvers<never>();
  const timer = setTimeout(() => expired.reject(new TimedOut(invocation.functionName)), invocation.timeoutMs);
  try {
    const response = (async () => handler(event, newContext(invocation)))();
    return await Promise.race([response, expired.promise]);
  } finally {
    clearTimeout(timer);
  }
};

type GatewayOptions = {
  readonly handlers: Handlers;
  /** Timeout of a function; the deployed functions have the same default. */
  readonly timeoutMs?: number;
};

/** The limit of API Gateway (Amazon API Gateway quotas). */
const bodyLimitBytes = 10 * 1024 * 1024;

/**
 * Returns the request's body, or `null` if it exceeds the limit. Throws if the client hangs up.
 *
 * The rest of a body over the limit is read and discarded, because a client that is still sending could miss the
 * response.
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

// A deployment serves the API under its stage. The same URLs work here.
const withoutStage = (target: RequestTarget): RequestTarget => ({
  ...target,
  path: target.path.replace(/^\/v1(?=\/|$)/, '') || '/',
});

const respond = async (message: IncomingMessage, requestId: string, options: GatewayOptions) => {
  const { handlers, timeoutMs = 10_000 } = options;
  const body = await readBody(message);
  const target = withoutStage(parseTarget(message.url ?? '/'));
  if (/^\/_local(\/|$)/.test(target.path))
    return body ? runControl({ message, target, body, requestId }, handlers) : refusal(bodyTooLarge, requestId);
  const resource = matchResource(message.method ?? 'GET', target.path);
  if (target.path === '/' && message.method === 'GET') return json(302, {}, requestId, { Location: '/docs' });
  if (!resource) {
    const nearest = nearestPath(target.path);
    const detail = nearest === null ? notFound.detail : `No operation has this path. Did you mean ${nearest}?`;
    return refusal({ ...notFound, detail }, requestId);
  }
  if (!body) return refusal(bodyTooLarge, requestId);
  // As in the deployed API, the ANY method handles all other verbs of a path.
  const functionName = resource.operation ?? 'method-not-allowed';
  const event = toProxyEvent({ message, requestId, target, resource, body });
  const result = await invoke(handlers.endpoints[functionName], event, { functionName, requestId, timeoutMs });
  assert(Number.isInteger(result?.statusCode), `${functionName} returned no status.`);
  return result;
};

const send = (response: ServerResponse, result: APIGatewayProxyResult): void => {
  const { statusCode, headers = {}, multiValueHeaders = {}, body, isBase64Encoded } = result;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, String(value));
  for (const [name, values] of Object.entries(multiValueHeaders)) response.setHeader(name, values.map(String));
  // This is the default of API Gateway.
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
    send(response, await respond(message, requestId, options));
  } catch (error) {
    // The client hung up.
    if (message.errored || response.destroyed) return;
    console.error(`Request ${requestId} failed:`, failureLine(error));
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    send(response, refusal(error instanceof TimedOut ? unavailable : failed, requestId));
  }
};

// The request is not HTTP, or its head is too long. Node's default response would lack the envelope.
const refuseUnreadable = (_error: Error, socket: Duplex): void => {
  if (!socket.writable) return;
  const { headers = {}, body } = refusal(malformed, randomUUID(), { Connection: 'close' });
  const lines = Object.entries({ ...headers, 'Content-Length': Buffer.byteLength(body) });
  const head = ['HTTP/1.1 400 Bad Request', ...lines.map(([name, value]) => `${name}: ${value}`)];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};

/** The limit of request line and headers together (Amazon API Gateway quotas). */
const headBytesMax = 10_240;

/**
 * Runs the deployed API on node:http: the same endpoints and functions, and the behavior of API Gateway. The caller
 * listens.
 */
export const createGateway = (options: GatewayOptions): Server =>
  createServer({ maxHeaderSize: headBytesMax }, (message, response) => void serve(message, response, options)).on(
    'clientError',
    refuseUnreadable,
  );
