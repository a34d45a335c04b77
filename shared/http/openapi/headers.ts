import type { oas31 } from 'zod-openapi';
import { supportedVersions } from '../versions.ts';

const text = (description: string, schema: oas31.SchemaObject = {}): oas31.HeaderObject => ({
  description,
  schema: { type: 'string', ...schema },
});

const entityTag = { pattern: '^"[^"]*"$' };
const wholeNumber = { pattern: '^\\d+$' };

/** The headers of answers. Each response says which of them it always has. */
export const responseHeaders = {
  'X-Request-Id': text('Names this request. Quote it when you ask about it; it is also in the `meta` of every error.'),
  'Service-Version': text('The version that shaped this answer.', { enum: [...supportedVersions] }),
  'X-RateLimit-Limit': text('How many requests the account may send in a window of ten seconds.', wholeNumber),
  'X-RateLimit-Remaining': text('How many requests are left in the current window.', wholeNumber),
  'Retry-After': text('After how many seconds to send the request again.', wholeNumber),
  'WWW-Authenticate': text(
    'The credentials that the service takes. API Gateway calls it `x-amzn-Remapped-WWW-Authenticate`.',
    {
      examples: ['ApiKey realm="levy", header="X-API-Key", Bearer realm="levy"'],
    },
  ),
  Allow: text('The methods that the path answers to.', { pattern: '^[A-Z]+(, [A-Z]+)*$' }),
  Location: text("Where the created one is, relative to the request's address (RFC 3986, section 5.2).", {
    pattern: '^(transactions|filings)/[^/]+$',
  }),
  ETag: text(
    'A strong entity tag. That of a transaction is its version: send it in If-Match to change what you have seen, and nothing newer.',
    entityTag,
  ),
  'Idempotent-Replayed': text(
    '`true` on the saved answer of an earlier request with the same Idempotency-Key. Absent otherwise.',
    { const: 'true' },
  ),
  Vary: text('What of the request decided about the form of the answer.'),
  Link: text("Where a CSV file goes on, relative to the request's address (RFC 8288). Absent on the last page.", {
    pattern: '^<\\?[^>]+>; rel="next"$',
  }),
  'Content-Disposition': text('The name of a CSV file.', { pattern: '^attachment; filename="[^"]+"$' }),
  'Preference-Applied': text('`handling=strict` where the request preferred that.', { const: 'handling=strict' }),
} as const satisfies Record<string, oas31.HeaderObject>;

export type ResponseHeader = keyof typeof responseHeaders;

const parameter = (
  name: string,
  description: string,
  schema: oas31.SchemaObject,
  example: string,
): oas31.ParameterObject => ({
  name,
  in: 'header',
  description,
  required: false,
  schema: { type: 'string', ...schema },
  example,
});

/** The request headers that operations look at, beside the credential's. */
export const requestHeaders = {
  ServiceVersion: parameter(
    'Service-Version',
    'Pins the behavior of responses: `<release_name>.<YYYY-MM-DD>`. Recommended. Without it, the version counts that the account was created with. A version fixes shapes, never rates.',
    { enum: [...supportedVersions] },
    supportedVersions[0] as string,
  ),
  IdempotencyKey: parameter(
    'Idempotency-Key',
    'Makes a retry safe: for 24 hours, the same key with the same body answers the saved success instead of writing again. Only successes are saved. Another body under the same key is refused.',
    { minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7E]*$' },
    '7c1f3c52-5f0c-4d0e-9f57-2f1f8f6d8a11',
  ),
  IfMatch: parameter(
    'If-Match',
    'The ETag of the transaction as you know it, a list of them, or `*`. Another version is refused with 412, and nothing changes.',
    {},
    '"1"',
  ),
  IfNoneMatch: parameter(
    'If-None-Match',
    'The ETag of an earlier answer, a list of them, or `*`. A match answers 304 without a body.',
    {},
    '"x5oZ0Wm3n1nQm0N0uT7xR2v0d4JXk3yq2mS8cQ2r9a0"',
  ),
  Prefer: parameter(
    'Prefer',
    '`handling=strict` (RFC 7240) refuses unknown body fields, which are otherwise ignored with a warning.',
    {},
    'handling=strict',
  ),
} as const satisfies Record<string, oas31.ParameterObject>;

export type RequestHeader = keyof typeof requestHeaders;
