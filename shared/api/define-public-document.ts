import type { APIGatewayProxyEvent } from 'aws-lambda';
import { observed } from '../observability/request-line.ts';
import { readText } from '../packed/unpack.ts';
import type { Endpoint, EndpointDescription } from './endpoint.ts';
import { entityTag, textOr304 } from './entity-tag.ts';
import { readQuery } from './field-problems.ts';
import { Refusal, type RequestContext, requestContext } from './request-context.ts';
import { type EndpointResponse, errorResult, proxyResult } from './response.ts';
import { refuseUnknownVersion, setRequestedVersion } from './versions.ts';

/** A document that is the same for every client, and its headers. */
export type PublicDocument = { readonly text: string; readonly headers: Readonly<Record<string, string>> };

/** A page built by `npm run pack`, with its Content-Security-Policy. */
type Page = { readonly page: string; readonly policy: string };

export const readPage = (name: 'docs' | 'console'): Page => JSON.parse(readText(name));

/** Turns a page into a public document that no other site can frame. */
export const pageDocument = ({ page, policy }: Page): PublicDocument => ({
  text: page,
  headers: {
    'Content-Type': 'text/html; charset=utf-8',
    // The cache TTL: users get the new page within five minutes of a deployment.
    'Cache-Control': 'public, max-age=300',
    'Content-Security-Policy': policy,
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  },
});

type Definition<Name extends string> = Pick<EndpointDescription<Name>, 'name' | 'path'> & {
  /**
   * Whether the page reads its query string, such as an authorization code from an issuer. Otherwise a query string is
   * refused.
   */
  readonly hasOwnQuery?: boolean;
  /** Runs once, at the first request. */
  readonly read: () => PublicDocument | Promise<PublicDocument>;
};

const refuseQuery = (context: RequestContext): void => {
  const [first, ...more] = readQuery(undefined, context).problems;
  if (first) throw new Refusal([first, ...more]);
};

const toResponse = ({ text, headers }: PublicDocument, context: RequestContext): EndpointResponse => {
  const { 'Content-Type': type, ...own } = headers;
  // Shared caches may store the document, and API Gateway compresses it for clients that accept compression. A 304
  // updates the headers that the client stored, such as a page's policy, so it includes all headers.
  const response = textOr304(text, entityTag(text), { ...own, Vary: 'Accept-Encoding, Service-Version' }, context);
  return response.status === 304 || !type
    ? response
    : { ...response, headers: { ...response.headers, 'Content-Type': type } };
};

/**
 * Defines an endpoint that returns the same text to every client, or 304 if the client's copy is current. Its handler
 * skips the middleware of `lambdaHandler`, which needs a caller and a database.
 */
export const definePublicDocument = <const Name extends string>({
  name,
  path,
  read,
  hasOwnQuery = false,
}: Definition<Name>) => {
  let document: PublicDocument | null = null;
  const endpoint: Endpoint<Name> = {
    name,
    path,
    method: 'GET',
    scope: null,
    access: { actions: {} },
    serve: async (context) => {
      // No account applies here, so there is no pinned version.
      setRequestedVersion(context);
      refuseUnknownVersion(context);
      if (!hasOwnQuery) refuseQuery(context);
      document ??= await read();
      return proxyResult(toResponse(document, context), context);
    },
  };
  const handler = observed(name, async (event: APIGatewayProxyEvent) => {
    const context = requestContext(event, () => 0);
    try {
      return await endpoint.serve(context);
    } catch (error) {
      return errorResult(error, context);
    }
  });
  return { endpoint, handler };
};
