import * as z from 'zod/mini';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { component, described, nullable, nullableString, string, stringEnum } from '../../base/described.ts';
import { type Code, errorStatuses, errorTexts } from '../../base/error-codes.ts';
import { type Problem, requiredField } from '../../base/result.ts';
import { overCredit } from '../../ledger/credits/problems.ts';
import { notFound, otherVersion } from '../../ledger/ports.ts';
import { noCredential, outOfScope } from '../authenticate.ts';
import { unreadable } from '../body.ts';
import { type DocumentedEndpoint, type Endpoint, listErrorCodes } from '../endpoint.ts';
import { overLimit } from '../limit-rate.ts';
import { envelope, failures } from '../response.ts';
import { unknownVersion } from '../versions.ts';
import { type ResponseHeader, responseHeaders } from './headers.ts';

const codes = Object.keys(errorStatuses) as [Code, ...Code[]];
const errorCodes = Object.fromEntries(
  codes.map((code) => {
    const { meaning, remedy } = errorTexts[code];
    return [code, { status: errorStatuses[code], meaning, remedy }] as const;
  }),
);

const statuses = [...new Set(Object.values(errorStatuses).map(String))].sort();

const ErrorSource = component(
  'ErrorSource',
  'The location of an error in the request: a pointer, a query parameter or a header.',
  {
    pointer: nullableString('A JSON Pointer into the request body. `null` if the error is not in the body.'),
    parameter: described(z.optional(z.string()), 'The name of the query parameter.'),
    header: described(z.optional(z.string()), 'The name of the request header.'),
  },
);

const ErrorObject = component('ErrorObject', 'One error, in the style of JSON:API.', {
  status: stringEnum('ErrorStatus', statuses, 'The HTTP status, as a string.'),
  code: described(z.enum(codes), 'Machine-readable error code. New codes can be added; existing ones never change.', {
    // OpenAPI has no keyword for the meaning of a code and what to do about it.
    'x-error-codes': errorCodes,
    'x-extensible-enum': codes,
  }),
  title: string('Short title. For a missing field, it names the field.'),
  detail: string('What is wrong and what to send instead.'),
  source: nullable(ErrorSource, 'The location of the error in the request.'),
  meta: nullable(
    z.looseObject({ request_id: z.optional(z.string()) }),
    'The request id, and details that depend on the code.',
    { title: 'ErrorMeta' },
  ),
});

/** The envelope of every error response, as `envelope` in response.ts builds it. */
const ErrorResponse = component('ErrorResponse', 'The envelope of every error response.', {
  errors: described(
    z.array(ErrorObject).check(z.minLength(1)),
    'All errors of the request, in the order of its fields. At most 20.',
  ),
});

// A required header is a component. An optional one differs in `required`, so it is written inline.
const listHeaders = (required: readonly ResponseHeader[], optional: readonly ResponseHeader[] = []) =>
  Object.fromEntries([
    ...required.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const),
    ...optional.map((name) => [name, { ...responseHeaders[name], required: false }] as const),
  ]);

const alwaysOptional = new Set([
  'Idempotent-Replayed',
  'Preference-Applied',
  'Searched-Back-To',
  'Link',
  'Content-Disposition',
  'Set-Cookie',
]);

/** The headers that at least one response requires, as components. */
export const headerComponents = () =>
  Object.fromEntries(
    Object.entries(responseHeaders)
      .filter(([name]) => !alwaysOptional.has(name))
      .map(([name, header]) => [name, { ...header, required: true }]),
  );

const rate = ['X-RateLimit-Limit', 'X-RateLimit-Remaining'] as const satisfies readonly ResponseHeader[];

/** The headers of a response when the caller and the version are known: the common headers and the endpoint's. */
export const successHeaders = (
  { scope }: Endpoint,
  required: readonly ResponseHeader[],
  optional: readonly ResponseHeader[] = [],
) => listHeaders(['X-Request-Id', 'Service-Version', 'Vary', ...(scope === null ? [] : rate), ...required], optional);

type StatusText = {
  /**
   * The name of the response that all endpoints share: a refusal of the gateway, or one before the caller and the
   * version are known.
   */
  readonly name?: string;
  readonly title: string;
  /** An error as the service returns it. */
  readonly example?: Problem;
};

const methodNotAllowed: Problem = {
  code: 'method_not_allowed',
  title: 'Method Not Allowed',
  detail: 'Use one of the methods of this path: GET, POST.',
};

const statusTexts: Readonly<Record<number, StatusText>> = {
  400: { name: 'MalformedJson', title: 'The body is not valid JSON.', example: unreadable.malformed },
  401: {
    name: 'Unauthorized',
    title: 'The credential is missing or not valid.',
    example: noCredential().problems[0],
  },
  403: { name: 'Forbidden', title: 'The credential lacks the required scope.', example: outOfScope('write') },
  404: { title: 'No resource has this id.', example: notFound },
  405: { name: 'MethodNotAllowed', title: 'The path does not support the method.', example: methodNotAllowed },
  409: { title: 'The request conflicts with the state of the resource or of a related one.' },
  412: { title: 'The current version does not match `If-Match`.', example: otherVersion(3) },
  413: { name: 'BodyTooLarge', title: 'The body is too large.', example: unreadable.tooLarge },
  415: {
    name: 'UnsupportedMediaType',
    title: 'The media type of the body is not supported.',
    example: unreadable.unsupportedMediaType,
  },
  422: { title: 'The request is not valid. The response lists at most 20 errors.', example: unknownVersion },
  429: { name: 'TooManyRequests', title: 'Too many requests.', example: overLimit(2000, 4) },
  500: { name: 'InternalError', title: 'Something failed on our side.', example: failures.bug },
  503: { name: 'ServiceUnavailable', title: 'A dependency of the service is unavailable.', example: failures.outage },
};

const sharedHeaders = (status: number) => {
  const optional: readonly ResponseHeader[] = ['Service-Version', 'Vary', ...rate];
  if (status === 401) return listHeaders(['X-Request-Id', 'WWW-Authenticate'], optional);
  if (status === 405) return listHeaders(['X-Request-Id', 'Allow']);
  if (status === 429) return listHeaders(['X-Request-Id', 'Retry-After', ...rate], ['Service-Version', 'Vary']);
  if (status === 503) return listHeaders(['X-Request-Id'], ['Retry-After', ...optional]);
  return listHeaders(['X-Request-Id'], optional);
};

const quantityMissing = requiredField(
  '/line_items/0/quantity',
  'Send quantity, a decimal as a string, such as "12.50": not negative, at most 12 digits before and 10 after the point.',
);

/** The errors that clients see most, for operations that can return them. */
const preferredExamples: readonly Problem[] = [
  quantityMissing,
  overCredit({ net: 5000n, tax: 300n }, 'USD', '/parent_transaction_id'),
];

const exampleRequestId = '0c5ef4e5-7d1b-4b8e-8a4e-0f6c3f0a9d11';

const problemExample = (status: number, codes: readonly Code[], own: readonly Problem[]) => {
  const problem =
    own.find(({ code }) => codes.includes(code)) ??
    preferredExamples.find(({ code }) => codes.includes(code)) ??
    statusTexts[status]?.example;
  return problem && envelope([problem], exampleRequestId).body;
};

/** The errors of one status. A separate schema for each would give generated clients a hundred error types. */
const errorResponse = (
  status: number,
  codes: readonly Code[],
  headers: ReturnType<typeof listHeaders>,
  own: readonly Problem[] = [],
): ZodOpenApiResponseObject => ({
  description: [
    statusTexts[status]?.title,
    '',
    ...codes.map((code) => `- \`${code}\`: ${errorTexts[code].meaning}`),
  ].join('\n'),
  headers,
  'x-codes': [...codes],
  content: { 'application/json': { schema: ErrorResponse, example: problemExample(status, codes, own) } },
});

const byStatus = (codes: readonly Code[]) =>
  [...Map.groupBy(codes, (code) => errorStatuses[code])].sort(([a], [b]) => a - b);

/** Every error that an endpoint can return, by status. */
export const errorResponses = (endpoint: DocumentedEndpoint): ZodOpenApiResponsesObject =>
  Object.fromEntries(
    byStatus(listErrorCodes(endpoint)).map(([status, codes]) => {
      const shared = statusTexts[status]?.name;
      const response = shared
        ? ({ $ref: `#/components/responses/${shared}` } as const)
        : errorResponse(status, codes, successHeaders(endpoint, []), endpoint.errorExamples?.());
      return [String(status), response];
    }),
  );

/** The error responses that endpoints share. */
export const responseComponents = (): Record<string, ZodOpenApiResponseObject> =>
  Object.fromEntries(
    byStatus(Object.keys(errorCodes) as Code[]).flatMap(([status, codes]) => {
      const shared = statusTexts[status]?.name;
      return shared ? [[shared, errorResponse(status, codes, sharedHeaders(status))]] : [];
    }),
  );
