import { type GatewayResponseOptions, ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { errorCodes } from '../shared/base/error-codes.ts';
import type { Problem } from '../shared/base/problem.ts';
import { unreadable } from '../shared/http/read-body.ts';
import { envelope, safetyHeaders } from '../shared/http/reply.ts';
import { currentVersion } from '../shared/http/versions.ts';
import { bodyTooLarge, broken, forbidden, malformed, notFound, tooMany, unavailable } from './gateway-problems.ts';
import { throttle } from './throttles.ts';

// Handlers authenticate. On an unknown path, API Gateway reads any Authorization header as a signature, so a bearer token
// there is INVALID_SIGNATURE.
const problems: readonly (readonly [ResponseType, Problem])[] = [
  [ResponseType.MISSING_AUTHENTICATION_TOKEN, notFound],
  [ResponseType.INVALID_SIGNATURE, notFound],
  [ResponseType.EXPIRED_TOKEN, notFound],
  [ResponseType.RESOURCE_NOT_FOUND, notFound],
  [ResponseType.DEFAULT_4XX, notFound],
  [ResponseType.UNAUTHORIZED, { code: 'auth_error', title: 'Unauthorized', detail: 'Send a credential.' }],
  [
    ResponseType.INVALID_API_KEY,
    { code: 'auth_api_key_not_found', title: 'Unauthorized', detail: 'Send an API key that exists.' },
  ],
  [ResponseType.ACCESS_DENIED, forbidden],
  [ResponseType.WAF_FILTERED, forbidden],
  [ResponseType.BAD_REQUEST_BODY, malformed],
  [ResponseType.BAD_REQUEST_PARAMETERS, malformed],
  [ResponseType.UNSUPPORTED_MEDIA_TYPE, unreadable.unsupportedMediaType],
  [ResponseType.REQUEST_TOO_LARGE, bodyTooLarge],
  [ResponseType.THROTTLED, tooMany],
  [ResponseType.QUOTA_EXCEEDED, tooMany],
  [ResponseType.INTEGRATION_TIMEOUT, unavailable],
  [ResponseType.INTEGRATION_FAILURE, unavailable],
  [ResponseType.DEFAULT_5XX, broken],
];

// API Gateway does not document quotes within quotes. An empty list allows as little as 'none' (Content Security Policy
// Level 3, "Does url match source list").
const withoutQuotes = (value: string): string => value.replaceAll(" 'none'", '');

// Each value is an expression: quoted text is meant literally.
const headers = {
  ...Object.fromEntries(Object.entries(safetyHeaders).map(([name, value]) => [name, `'${withoutQuotes(value)}'`])),
  'X-Request-Id': 'context.requestId',
  'Service-Version': `'${currentVersion}'`,
};
const rateLimitHeaders = {
  'Retry-After': "'1'",
  'X-RateLimit-Limit': `'${throttle.ratePerSecond}'`,
  'X-RateLimit-Remaining': "'0'",
};

/** Responses of API Gateway itself, in the error envelope. */
export const gatewayResponses: readonly GatewayResponseOptions[] = problems.map(([type, problem]) => ({
  type,
  statusCode: String(errorCodes[problem.code].status),
  responseHeaders: { ...headers, ...(problem.code === 'rate_limit_error' && rateLimitHeaders) },
  // This is not VTL: only variables are replaced.
  templates: { 'application/json': JSON.stringify(envelope([problem], '$context.requestId').body) },
}));
