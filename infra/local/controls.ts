import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { type ScheduleName, schedules } from '../../functions/endpoints.ts';
import { mediaTypeProblem, unreadable } from '../../shared/api/body.ts';
import { instantMs } from '../../shared/base/calendar.ts';
import { asObject } from '../../shared/base/json.ts';
import { invalidFormat, type Problem } from '../../shared/base/problem.ts';
import { advanceClock, now } from '../../shared/config/clock.ts';
import type { Handlers } from './handlers.ts';
import { invoke } from './invoke.ts';
import { json, refusal } from './refusal.ts';
import type { RequestTarget } from './resources.ts';

type ControlRequest = {
  readonly message: IncomingMessage;
  readonly target: RequestTarget;
  readonly body: Buffer;
  readonly requestId: string;
};

type Control = {
  readonly methods: readonly string[];
  readonly run: (request: ControlRequest) => APIGatewayProxyResult | Promise<APIGatewayProxyResult>;
};

// Ids and keys sort by time as text, so a year has four digits.
const latestMs = Date.UTC(9999, 11, 31);

const parsed = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
};

/** Set the service's clock to `now`, or move it by `advance_seconds`, which may be negative. */
const moveClock = (body: Buffer): Problem | null => {
  const fields = parsed(body);
  if (fields === undefined) return unreadable.malformed;
  const { now: instant, advance_seconds: seconds } = asObject(fields) ?? {};
  if ((instant === undefined) === (seconds === undefined))
    return invalidFormat('', 'Invalid Format', 'Send an object with now or advance_seconds.');
  const targetMs =
    typeof instant === 'string' ? instantMs(instant) : typeof seconds === 'number' ? now() + seconds * 1000 : null;
  if (targetMs === null || targetMs < 0 || targetMs > latestMs)
    return invalidFormat(
      instant === undefined ? '/advance_seconds' : '/now',
      'Invalid Format',
      'Send an instant in UTC, or a number of seconds, that leads to a time from 1970 to 9999.',
    );
  advanceClock(Math.round(targetMs - now()));
  return null;
};

const clock: Control = {
  methods: ['GET', 'PUT'],
  run: ({ message, body, requestId }) => {
    const problem = message.method === 'PUT' ? moveClock(body) : null;
    return problem ? refusal(problem, requestId) : json(200, { now: new Date(now()).toISOString() }, requestId);
  },
};

const schedule = (name: ScheduleName, handlers: Handlers): Control => ({
  methods: ['POST'],
  run: async ({ requestId }) => {
    const { timeoutSeconds } = schedules[name];
    // EventBridge Scheduler sends an empty event.
    const invocation = { functionName: name, requestId, timeoutMs: timeoutSeconds * 1000 };
    return json(200, (await invoke(handlers.schedules[name], {}, invocation)) ?? null, requestId);
  },
});

const controlAt = (path: string, handlers: Handlers): Control | null => {
  if (path === '/_local/clock') return clock;
  const name = /^\/_local\/schedules\/([a-z-]+)$/.exec(path)?.[1];
  return name && Object.hasOwn(schedules, name) ? schedule(name as ScheduleName, handlers) : null;
};

const isLoopback = (authority: string): boolean =>
  /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d{1,5})?$/i.test(authority);

const forbidden = (header: string, detail: string): Problem => ({
  code: 'auth_forbidden',
  title: 'Forbidden',
  detail,
  source: { header },
});

/** A web page can make a browser send requests here, but cannot hide its Origin, or the Host after DNS rebinding. */
const intrusion = ({ message, target }: ControlRequest): Problem | null => {
  const { host = [], origin } = message.headersDistinct;
  const authorities = target.authority === null ? host : [...host, target.authority];
  if (host.length !== 1 || !authorities.every(isLoopback))
    return forbidden('Host', 'The controls answer on a loopback Host only, such as 127.0.0.1.');
  return origin ? forbidden('Origin', 'Send no Origin header: the controls refuse requests of web pages.') : null;
};

const wrongBody = ({ message: { headers, headersDistinct }, body }: ControlRequest): Problem | null =>
  body.length === 0 ? null : mediaTypeProblem(headers['content-type'], headersDistinct['content-encoding']);

const unknownControl: Problem = {
  code: 'not_found',
  title: 'Not Found',
  detail: `The controls are /_local/clock and /_local/schedules/ with one of: ${Object.keys(schedules).join(', ')}.`,
};

const methodNotAllowed = (allowed: string): Problem => ({
  code: 'method_not_allowed',
  title: 'Method Not Allowed',
  detail: `Allowed here: ${allowed}.`,
});

export const isControl = (path: string): boolean => path === '/_local' || path.startsWith('/_local/');

/** Serve the controls of the local service: its clock and its schedules. */
export const answerControl = async (request: ControlRequest, handlers: Handlers): Promise<APIGatewayProxyResult> => {
  const { message, target, requestId } = request;
  const control = controlAt(target.path, handlers);
  if (!control) return refusal(unknownControl, requestId);
  if (!control.methods.includes(message.method ?? '')) {
    const Allow = control.methods.join(', ');
    return refusal(methodNotAllowed(Allow), requestId, { Allow });
  }
  const problem = intrusion(request) ?? wrongBody(request);
  return problem ? refusal(problem, requestId) : control.run(request);
};
