/**
 * Responses that a gateway returns without calling a function, for the deployed gateway (api-definition.ts) and the
 * local one.
 */
import type { Problem } from '../shared/base/result.ts';

const problem = (code: Problem['code'], title: string, detail: string): Problem => ({ code, title, detail });

export const notFound = problem(
  'not_found',
  'Not Found',
  'No operation has this path. Check its spelling. GET /openapi.json lists the paths.',
);
export const forbidden = problem(
  'auth_forbidden',
  'Forbidden',
  'The request was refused before it reached the service.',
);
export const malformed = problem('validation_malformed_json', 'Bad Request', 'The request could not be read.');
export const tooMany = problem(
  'rate_limit_error',
  'Too Many Requests',
  'The service receives more requests than it accepts. Wait for the seconds in Retry-After, then send the request again.',
);
export const unavailable = problem(
  'system_service_unavailable',
  'Service Unavailable',
  'The service did not respond in time. Retry the request; retry a POST with the same Idempotency-Key.',
);
export const broken = problem('system_internal_error', 'Internal Error', 'Something failed on our side.');
export const bodyTooLarge = problem('validation_body_too_large', 'Body Too Large', 'Send at most 1 MiB.');
