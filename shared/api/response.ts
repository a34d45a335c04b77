import type { APIGatewayProxyResult } from 'aws-lambda';
import { type Code, errorStatuses } from '../base/error-codes.ts';
import type { Problem, Source } from '../base/result.ts';
import { failureLine } from '../observability/failure-line.ts';
import { recordRefusal } from '../observability/tally.ts';
import { Refusal, type RequestContext } from './request-context.ts';

/** The response of an endpoint: a status, a body (strings are sent unchanged, other values as JSON), and headers. */
export type EndpointResponse = {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The code of the first error, if this is a refusal. */
  readonly code?: Code;
};

export const ok = (body: unknown): EndpointResponse => ({ status: 200, body });

const withPointer = (source: Source | undefined) => ({ pointer: null, ...source });

const errorsMax = 20;

/** Builds the error envelope with the first 20 problems in order of precedence. The first one sets the status. */
export const envelope = (problems: readonly [Problem, ...Problem[]], requestId: string): EndpointResponse => ({
  status: errorStatuses[problems[0].code],
  code: problems[0].code,
  body: {
    errors: problems.slice(0, errorsMax).map(({ code, title, detail, source, meta }) => ({
      status: String(errorStatuses[code]),
      code,
      title,
      detail,
      source: withPointer(source),
      meta: { request_id: requestId, ...meta },
    })),
  },
});

/**
 * Prevents browsers from caching, sniffing, framing or running a response. An endpoint's headers override these: GET
 * /docs is a page. There are no CORS headers: a storefront's server calls the API, and a key in a browser would be
 * public.
 */
export const safetyHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
} as const;

/**
 * Converts a response for API Gateway. The response's headers override the headers of the middleware, which override the
 * security headers.
 */
export const proxyResult = (
  { status, body, headers, code }: EndpointResponse,
  { responseHeaders }: Pick<RequestContext, 'responseHeaders'>,
): APIGatewayProxyResult => {
  if (code) recordRefusal(code);
  return {
    statusCode: status,
    headers: {
      ...(status !== 304 && { 'Content-Type': 'application/json' }),
      ...safetyHeaders,
      ...responseHeaders,
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
};

// Database and network failures, which the client can retry.
const outages = new Set([
  'TimeoutError',
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'InternalServerError',
  'ServiceUnavailable',
  'TransactionInProgressException',
  'NetworkingError',
]);
const networkCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'ETIMEDOUT', 'EAI_AGAIN']);

const isOutage = (error: Error & { code?: unknown }) => outages.has(error.name) || networkCodes.has(String(error.code));

const outage: Problem = {
  code: 'system_service_unavailable',
  title: 'Service Unavailable',
  // The write may have succeeded with only its response lost.
  detail: 'A dependency of the service is unavailable. Retry the request; retry a POST with the same Idempotency-Key.',
};

const bug: Problem = {
  code: 'system_internal_error',
  title: 'Internal Error',
  detail: 'Something failed on our side. The team has been notified.',
};

/**
 * Returns the refusal for a bug or an outage. Logs one line with the error's name and location, never the request.
 *
 * Lambda's JSON log format adds the time, the level and the function.
 */
const failure = (thrown: unknown, requestId: string): Refusal => {
  const error = thrown instanceof Error ? thrown : new Error('A thrown value was not an Error.');
  const isDown = isOutage(error);
  console.error({ request_id: requestId, outage: isDown, ...failureLine(error) });
  return isDown ? new Refusal([outage], { 'Retry-After': '1' }) : new Refusal([bug]);
};

/** Converts a thrown refusal, bug or outage to a response. */
export const errorResult = (thrown: unknown, context: RequestContext): APIGatewayProxyResult => {
  const { problems, headers } = thrown instanceof Refusal ? thrown : failure(thrown, context.requestId);
  return proxyResult({ ...envelope(problems, context.requestId), headers }, context);
};

/** The fixed error messages of failures, for the OpenAPI document. */
export const failures = { outage, bug };
