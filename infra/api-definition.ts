/**
 * The OpenAPI definition that API Gateway imports: methods with their functions, and gateway responses. Clients get
 * openapi.json.
 */
import { Aws } from 'aws-cdk-lib';
import { type MethodDeploymentOptions, ResponseType } from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { unreadable } from '../shared/api/body.ts';
import type { Endpoint } from '../shared/api/endpoint.ts';
import { envelope, safetyHeaders } from '../shared/api/response.ts';
import { currentVersion } from '../shared/api/versions.ts';
import { errorStatuses } from '../shared/base/error-codes.ts';
import type { Problem } from '../shared/base/result.ts';
import { bodyTooLarge, broken, forbidden, malformed, notFound, tooMany, unavailable } from './gateway-problems.ts';

/**
 * Throttle of each method for all accounts together, below the AWS quota of 10,000 requests a second and bursts of
 * 5,000 per region. API Gateway applies it; the handlers limit each account.
 */
export const throttle = { ratePerSecond: 5000, burst: 2500 } as const;

/**
 * Throttle of each public document. Anyone can request these, and they are the API's largest responses: about 1.6 MB
 * for /docs, 0.7 MB for /openapi.json and 0.3 MB for /console, uncompressed. At this rate they send at most 500 GB a
 * day (infra/docs/deployment.md).
 */
const documentThrottle = { throttlingRateLimit: 2, throttlingBurstLimit: 20 } as const;

/**
 * Settings of the public documents among the deployed endpoints, by the path and method that the CDK expects. A method
 * override replaces all settings of the stage, so it repeats `stage`. API Gateway rejects an override for `ANY` at
 * deployment.
 */
export const documentMethods = (
  stage: MethodDeploymentOptions,
  endpoints: readonly Pick<Endpoint, 'scope' | 'path' | 'method'>[],
): Record<string, MethodDeploymentOptions> =>
  Object.fromEntries(
    endpoints
      .filter(({ scope }) => scope === null)
      .map(({ path, method }) => [`${path}/${method}`, { ...stage, ...documentThrottle }]),
  );

// Handlers authenticate. On an unknown path, API Gateway parses any Authorization header as a signature, so a bearer
// token there results in INVALID_SIGNATURE.
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

// API Gateway does not document nested quotes. An empty list allows as little as 'none' (Content Security Policy Level
// 3, "Does url match source list").
const withoutQuotes = (value: string): string => value.replaceAll(" 'none'", '');

// Each value is an expression. Quoted text is literal.
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

/** A response of API Gateway itself, in the error envelope. */
const gatewayResponse = (problem: Problem) => ({
  statusCode: errorStatuses[problem.code],
  responseParameters: Object.fromEntries(
    Object.entries({ ...headers, ...(problem.code === 'rate_limit_error' && rateLimitHeaders) }).map(
      ([name, value]) => [`gatewayresponse.header.${name}`, value],
    ),
  ),
  // This is not VTL: only variables are replaced.
  responseTemplates: { 'application/json': JSON.stringify(envelope([problem], '$context.requestId').body) },
});

/** A method of the API: a verb, or ANY for all other verbs of the path. */
export type Method = { readonly path: string; readonly method: string; readonly called: IFunction };

const operation = ({ called }: Method) => ({
  responses: {},
  'x-amazon-apigateway-integration': {
    type: 'aws_proxy',
    httpMethod: 'POST',
    uri: `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/2015-03-31/functions/${called.functionArn}/invocations`,
  },
});

/** Returns the API definition with its methods in the given order. `settings` are extensions of the whole API. */
export const apiDefinition = (title: string, methods: readonly Method[], settings: object) => ({
  openapi: '3.0.1',
  info: { title, version: currentVersion },
  ...settings,
  paths: Object.fromEntries(
    [...Map.groupBy(methods, ({ path }) => path)].map(([path, offered]) => [
      path,
      Object.fromEntries(
        offered.map((one) => [
          one.method === 'ANY' ? 'x-amazon-apigateway-any-method' : one.method.toLowerCase(),
          operation(one),
        ]),
      ),
    ]),
  ),
  'x-amazon-apigateway-gateway-responses': Object.fromEntries(
    problems.map(([{ responseType }, problem]) => [responseType, gatewayResponse(problem)]),
  ),
});
