/**
 * Responses that a gateway returns without calling a function, for the deployed gateway (api-definition.ts) and the
 * local one.
 */
import type { Problem } from '../shared/base/problem.ts';

export const notFound: Problem = {
  code: 'not_found',
  title: 'Not Found',
  detail: 'No operation has this path. Check its spelling. GET /openapi.json lists the paths.',
};
export const forbidden: Problem = {
  code: 'auth_forbidden',
  title: 'Forbidden',
  detail: 'The request was refused before it reached the service.',
};
export const malformed: Problem = {
  code: 'validation_malformed_json',
  title: 'Bad Request',
  detail: 'The request could not be read.',
};
export const tooMany: Problem = {
  code: 'rate_limit_error',
  title: 'Too Many Requests',
  detail:
    'The service receives more requests than it accepts. Wait for the seconds in Retry-After, then send the request again.',
};
export const unavailable: Problem = {
  code: 'system_service_unavailable',
  title: 'Service Unavailable',
  detail: 'The service did not respond in time. Retry the request; retry a POST with the same Idempotency-Key.',
};
export const broken: Problem = {
  code: 'system_internal_error',
  title: 'Internal Error',
  detail: 'Something failed on our side.',
};
export const bodyTooLarge: Problem = {
  code: 'validation_body_too_large',
  title: 'Body Too Large',
  detail: 'Send at most 1 MiB.',
};
