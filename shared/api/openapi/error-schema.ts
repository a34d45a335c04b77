import * as z from 'zod/mini';
import { described } from '../../base/described.ts';
import { type Code, errorCodes } from '../../base/error-codes.ts';

const codes = Object.keys(errorCodes) as [Code, ...Code[]];
const statuses = [...new Set(Object.values(errorCodes).map(({ status }) => String(status)))].sort();

const ErrorSource = described(
  z.strictObject({
    pointer: described(
      z.nullable(z.string()),
      'A JSON Pointer into the request body. `null` if the error is not in the body.',
    ),
    parameter: described(z.optional(z.string()), 'The name of the query parameter.'),
    header: described(z.optional(z.string()), 'The name of the request header.'),
  }),
  'The location of an error in the request: a pointer, a query parameter or a header.',
  { id: 'ErrorSource' },
);

const ErrorObject = described(
  z.strictObject({
    status: described(z.enum(statuses), 'The HTTP status, as a string.', { title: 'ErrorStatus' }),
    code: described(z.enum(codes), 'Machine-readable error code. New codes can be added; existing ones never change.', {
      // OpenAPI has no keyword for the meaning and remedy of a code.
      'x-error-codes': errorCodes,
      'x-extensible-enum': codes,
    }),
    title: described(z.string(), 'Short title. For a missing field, it names the field.'),
    detail: described(z.string(), 'What is wrong and what to send instead.'),
    source: described(z.nullable(ErrorSource), 'The location of the error in the request.'),
    meta: described(
      z.nullable(z.looseObject({ request_id: z.optional(z.string()) })),
      'The request id, and details that depend on the code.',
      { title: 'ErrorMeta' },
    ),
  }),
  'One error, in the style of JSON:API.',
  { id: 'ErrorObject' },
);

/** The envelope of every error response, as `envelope` in reply.ts builds it. */
export const ErrorResponse = described(
  z.strictObject({
    errors: described(
      z.array(ErrorObject).check(z.minLength(1)),
      'All errors of the request, in the order of its fields. At most 20.',
    ),
  }),
  'The envelope of every error response.',
  { id: 'ErrorResponse' },
);
