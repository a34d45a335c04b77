import type { oas31 } from 'zod-openapi';
import { defaults } from '../../accounts/account.ts';
import { currentVersion, supportedVersions } from '../versions.ts';
import headers from './headers.json' with { type: 'json' };

type Header = { readonly description: string; readonly schema?: oas31.SchemaObject };
type SentHeader = Header & { readonly name: string; readonly example?: string };
export type ResponseHeader = keyof typeof headers.response;
export type RequestHeader = keyof typeof headers.request;

const rateLimit = defaults.rate_limit.toLocaleString('en-US');

const described = ({ description, schema }: Header) => ({
  description: description.replace('{rateLimit}', rateLimit),
  schema: {
    type: 'string',
    ...schema,
    ...(schema?.title === 'ServiceVersion' && { enum: [...supportedVersions] }),
  } satisfies oas31.SchemaObject,
});

/** The response headers. Each response lists the headers that it always includes. */
export const responseHeaders = Object.fromEntries(
  Object.entries<Header>(headers.response).map(([name, header]) => [name, described(header)]),
) as Record<ResponseHeader, oas31.HeaderObject>;

/** The request headers that operations read, except the credential. The example of a version is the current version. */
export const requestHeaders = Object.fromEntries(
  Object.entries<SentHeader>(headers.request).map(([id, { name, example = currentVersion, ...header }]) => {
    const { description, schema } = described(header);
    return [id, { name, in: 'header', description, required: false, schema, example }];
  }),
) as Record<RequestHeader, oas31.ParameterObject>;
