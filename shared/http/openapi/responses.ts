import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { type Code, errorCodes } from '../../error-codes.ts';
import type { Problem } from '../../problem.ts';
import { envelope } from '../reply.ts';
import { type Operation, routes } from '../routes.ts';
import { ErrorResponse } from './error-schema.ts';
import { filingProblemExamples } from './filing-problems.ts';
import { type ResponseHeader, responseHeaders } from './headers.ts';
import { operationCodes } from './operation-codes.ts';
import { preferredExamples, problemExamples } from './problem-examples.ts';

// What is always there is a component; what may be missing is not the same header to a validator, and stands inline.
const always = (required: readonly ResponseHeader[], sometimes: readonly ResponseHeader[] = []) =>
  Object.fromEntries([
    ...required.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const),
    ...sometimes.map((name) => [name, { ...responseHeaders[name], required: false }] as const),
  ]);

const onlySometimes = new Set(['Idempotent-Replayed', 'Preference-Applied', 'Link', 'Content-Disposition']);

/** The headers that some answer always has, as components. */
export const headerComponents = () =>
  Object.fromEntries(
    Object.entries(responseHeaders)
      .filter(([name]) => !onlySometimes.has(name))
      .map(([name, header]) => [name, { ...header, required: true }]),
  );

const rate = ['X-RateLimit-Limit', 'X-RateLimit-Remaining'] as const satisfies readonly ResponseHeader[];

/** What every answer of an operation carries once the caller and the version are known, and the operation's own beside it. */
export const successHeaders = (
  operation: Operation,
  required: readonly ResponseHeader[],
  sometimes: readonly ResponseHeader[] = [],
) =>
  always(
    ['X-Request-Id', 'Service-Version', 'Vary', ...(routes[operation].scope === null ? [] : rate), ...required],
    sometimes,
  );

const titles: Readonly<Record<number, string>> = {
  400: 'The body cannot be read.',
  401: 'No credential came that is valid.',
  403: 'The credential does not allow this.',
  404: 'There is nothing under this id.',
  405: 'The path does not answer to the method.',
  409: 'The state of what is asked for, or of something beside it, forbids it.',
  412: 'The transaction has changed since.',
  413: 'The body is too large.',
  415: 'The body is of another media type.',
  422: 'The request is not valid. All problems of its fields come together, at most 20.',
  429: 'Too many requests.',
  500: 'Something failed on our side.',
  503: 'Something that the service needs does not answer.',
};

// These come before the caller and the version are known, or from the gateway, which knows neither: they are the same of
// every operation. The others an operation itself answers.
const shared = {
  400: 'MalformedJson',
  401: 'Unauthorized',
  403: 'Forbidden',
  405: 'MethodNotAllowed',
  413: 'BodyTooLarge',
  415: 'UnsupportedMediaType',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
} as const;

const isShared = (status: number): status is keyof typeof shared => status in shared;

const sharedHeaders = (status: keyof typeof shared) => {
  const sometimes: readonly ResponseHeader[] = ['Service-Version', 'Vary', ...rate];
  if (status === 401) return always(['X-Request-Id', 'WWW-Authenticate'], sometimes);
  if (status === 405) return always(['X-Request-Id', 'Allow']);
  if (status === 429) return always(['X-Request-Id', 'Retry-After', ...rate], ['Service-Version', 'Vary']);
  if (status === 503) return always(['X-Request-Id'], ['Retry-After', ...sometimes]);
  return always(['X-Request-Id'], sometimes);
};

const exampleRequestId = '0c5ef4e5-7d1b-4b8e-8a4e-0f6c3f0a9d11';

const exampleOf = (status: number, codes: readonly Code[], own: readonly Problem[]) => {
  const problem =
    own.find(({ code }) => codes.includes(code)) ??
    preferredExamples.find(({ code }) => codes.includes(code)) ??
    problemExamples[status];
  return problem && envelope([problem], exampleRequestId).body;
};

/** The errors of one status: the envelope, narrowed to the codes that come with it. */
const errorResponse = (
  status: number,
  codes: readonly Code[],
  headers: ReturnType<typeof always>,
  own: readonly Problem[] = [],
): ZodOpenApiResponseObject => ({
  description: [titles[status], '', ...codes.map((code) => `- \`${code}\`: ${errorCodes[code].meaning}`)].join('\n'),
  headers,
  content: {
    'application/json': {
      schema: {
        $ref: '#/components/schemas/ErrorResponse',
        properties: {
          errors: {
            items: {
              $ref: '#/components/schemas/ErrorObject',
              properties: { status: { const: String(status) }, code: { enum: [...codes] } },
            },
          },
        },
      },
      example: exampleOf(status, codes, own),
    },
  },
});

const byStatus = (codes: readonly Code[]) =>
  [...Map.groupBy(codes, (code) => errorCodes[code].status)].sort(([left], [right]) => left - right);

/** Every error that an operation can answer with, by status. */
export const errorResponses = (operation: Operation): ZodOpenApiResponsesObject =>
  Object.fromEntries(
    byStatus(operationCodes[operation]).map(([status, codes]) => [
      String(status),
      isShared(status)
        ? { $ref: `#/components/responses/${shared[status]}` }
        : errorResponse(status, codes, successHeaders(operation, []), filingProblemExamples[operation]),
    ]),
  );

const unknownPath: ZodOpenApiResponseObject = {
  description: 'There is nothing at this path. No operation answers this, but the gateway.',
  headers: always(['X-Request-Id']),
  content: {
    'application/json': {
      schema: ErrorResponse,
      example: envelope(
        [{ code: 'not_found', title: 'Not Found', detail: 'There is nothing at this path.' }],
        exampleRequestId,
      ).body,
    },
  },
};

/** The answers that operations share, and that of a path that no operation has. */
export const responseComponents = (): Record<string, ZodOpenApiResponseObject> => ({
  ...Object.fromEntries(
    byStatus(Object.keys(errorCodes) as Code[]).flatMap(([status, codes]) =>
      isShared(status) ? [[shared[status], errorResponse(status, codes, sharedHeaders(status))]] : [],
    ),
  ),
  UnknownPath: unknownPath,
});
