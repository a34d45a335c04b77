import type { oas31 } from 'zod-openapi';
import { defaults } from '../../accounts/account.ts';
import { supportedVersions } from '../versions.ts';

const text = (description: string, schema: oas31.SchemaObject = {}): oas31.HeaderObject => ({
  description,
  schema: { type: 'string', ...schema },
});

const entityTag = { pattern: '^"[^"]*"$' };
const wholeNumber = { pattern: '^\\d+$' };

/** The response headers. Each response lists the headers that it always includes. */
export const responseHeaders = {
  'X-Request-Id': text(
    'Identifies this request. Quote it in support requests. The `meta` of every error also contains it.',
  ),
  'Service-Version': text('The API version of this response.', {
    title: 'ServiceVersion',
    enum: [...supportedVersions],
  }),
  'X-RateLimit-Limit': text(
    `The number of requests that the account may send per 10 s. Default: ${defaults.rateLimit.toLocaleString('en-US')}.`,
    wholeNumber,
  ),
  'X-RateLimit-Remaining': text('The number of requests left in the current 10 s window.', wholeNumber),
  'Retry-After': text('The number of seconds to wait before a retry.', wholeNumber),
  'WWW-Authenticate': text(
    'The accepted credentials. API Gateway renames this header to `x-amzn-Remapped-WWW-Authenticate`.',
    {
      examples: ['ApiKey realm="levy", header="X-API-Key", Bearer realm="levy"'],
    },
  ),
  Allow: text('The methods that the path supports.', { pattern: '^[A-Z]+(, [A-Z]+)*$' }),
  Location: text('The URL of the created resource, relative to the URL of the request (RFC 3986, section 5.2).', {
    pattern: '^(transactions|filings|customers)/[^/]+$',
  }),
  ETag: text(
    'A strong entity tag. For a transaction, it is the version: send it in `If-Match` to change only the version that you have read.',
    entityTag,
  ),
  'Idempotent-Replayed': text(
    '`true` if this is the saved response of an earlier request with the same `Idempotency-Key`. Absent otherwise.',
    { const: 'true' },
  ),
  Vary: text('The request headers that the response depends on.'),
  'Searched-Back-To': text(
    'The list was searched back to this time: a creation time, or a tax date if the request has a range on `tax_date`. Absent on the last page.',
    { format: 'date-time' },
  ),
  Link: text(
    'The URL of the next page of a CSV file, relative to the URL of the request (RFC 8288). Absent on the last page.',
    {
      pattern: '^<\\?[^>]+>; rel="next"$',
    },
  ),
  'Content-Disposition': text('The name of a CSV or XML file.', { pattern: '^attachment; filename="[^"]+"$' }),
  'Set-Cookie': text('The cookie of the session, or its removal: HttpOnly, SameSite=Strict, and Secure over https.'),
  'Preference-Applied': text('`handling=strict` if the request sent it in `Prefer`.', { const: 'handling=strict' }),
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

/** The request headers that operations read, except the credential. */
export const requestHeaders = {
  ServiceVersion: parameter(
    'Service-Version',
    'Pins the API version of the request and response: `<release_name>.<YYYY-MM-DD>`. Recommended. Default: the version with which the account was created. A version fixes field names and types, never rates.',
    { title: 'ServiceVersion', enum: [...supportedVersions] },
    supportedVersions[0] as string,
  ),
  IdempotencyKey: parameter(
    'Idempotency-Key',
    'Makes retries safe. For 24 hours, a request with the same key and body returns the saved response of the first success instead of writing again. The same key with a different body returns 422.',
    { minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7E]*$' },
    '7c1f3c52-5f0c-4d0e-9f57-2f1f8f6d8a11',
  ),
  IfMatch: parameter(
    'If-Match',
    'The `ETag` of the transaction, a list of them, or `*`. If the version does not match, Levy returns 412 and changes nothing.',
    {},
    '"1"',
  ),
  IfNoneMatch: parameter(
    'If-None-Match',
    'The `ETag` of an earlier response, a list of them, or `*`. If one matches, Levy returns 304 without a body.',
    {},
    '"x5oZ0Wm3n1nQm0N0uT7xR2v0d4JXk3yq2mS8cQ2r9a0"',
  ),
  Prefer: parameter(
    'Prefer',
    '`handling=strict` (RFC 7240) rejects unknown body fields. By default, Levy ignores them with a warning.',
    {},
    'handling=strict',
  ),
} as const satisfies Record<string, oas31.ParameterObject>;

export type RequestHeader = keyof typeof requestHeaders;
