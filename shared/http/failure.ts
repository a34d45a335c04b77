import { failureLine } from '../observability/failure-line.ts';
import { Refusal } from './exchange.ts';

// The database or the network, not our code: the client may retry.
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

/**
 * The response to a bug or an outage. Logs one line with the name and the place of the error, never the request.
 *
 * Lambda's JSON log format adds the time, the level and the function.
 */
export const failure = (thrown: unknown, requestId: string): Refusal => {
  const error = thrown instanceof Error ? thrown : new Error('Something other than an error was thrown.');
  const outage = isOutage(error);
  console.error({ request_id: requestId, outage, ...failureLine(error) });
  return outage
    ? new Refusal(
        [
          {
            code: 'system_service_unavailable',
            title: 'Service Unavailable',
            // The write may have succeeded with only its reply lost.
            detail:
              'A dependency of the service is unavailable. Retry the request; retry a POST with the same Idempotency-Key.',
          },
        ],
        { 'Retry-After': '1' },
      )
    : new Refusal([
        {
          code: 'system_internal_error',
          title: 'Internal Error',
          detail: 'Something failed on our side. The team has been notified.',
        },
      ]);
};
