import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Problem } from '../base/problem.ts';
import { failureLine } from '../observability/failure-line.ts';
import { envelope, proxyResult } from './reply.ts';
import { Refusal, type RequestContext } from './request-context.ts';

// Failures of the database or the network, which the client may retry.
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
  // The write may have succeeded with only its reply lost.
  detail: 'A dependency of the service is unavailable. Retry the request; retry a POST with the same Idempotency-Key.',
};

const bug: Problem = {
  code: 'system_internal_error',
  title: 'Internal Error',
  detail: 'Something failed on our side. The team has been notified.',
};

/**
 * The refusal for a bug or an outage. Logs one line with the name and the place of the error, never the request.
 *
 * Lambda's JSON log format adds the time, the level and the function.
 */
const failure = (thrown: unknown, requestId: string): Refusal => {
  const error = thrown instanceof Error ? thrown : new Error('A thrown value was not an Error.');
  const isDown = isOutage(error);
  console.error({ request_id: requestId, outage: isDown, ...failureLine(error) });
  return isDown ? new Refusal([outage], { 'Retry-After': '1' }) : new Refusal([bug]);
};

/** The response to a thrown refusal, bug or outage. */
export const errorResult = (thrown: unknown, context: RequestContext): APIGatewayProxyResult => {
  const { problems, headers } = thrown instanceof Refusal ? thrown : failure(thrown, context.requestId);
  return proxyResult({ ...envelope(problems, context.requestId), headers }, context);
};

/** The fixed texts of failures, for the OpenAPI document. */
export const failures = { outage, bug };
