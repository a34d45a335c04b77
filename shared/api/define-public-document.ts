import type { APIGatewayProxyEvent } from 'aws-lambda';
import { observed } from '../observability/request-line.ts';
import { textOf } from '../packed/unpack.ts';
import type { Endpoint, EndpointDescription } from './endpoint.ts';

import { entityTag, textOr304 } from './entity-tag.ts';
import { readQuery } from './field-problems.ts';
import { type EndpointResponse, errorResult, proxyResult } from './reply.ts';
import { Refusal, type RequestContext, requestContext } from './request-context.ts';
import { refuseUnknownVersion, setRequestedVersion } from './versions.ts';

/** A text that is the same for every client, and its headers. */
export type PublicDocument = { readonly text: string; readonly headers: Readonly<Record<string, string>> };

/** A page of `npm run pack`, with its policy. */
export type Page = { readonly page: string; readonly policy: string };

export const readPage = (name: 'docs' | 'console'): Page => JSON.parse(textOf(name));

/** A page as a public document, which no other site can frame. */
export const pageDocument = ({ page, policy }: Page): PublicDocument => ({
  text: page,
  headers: {
    'Content-Type': 'text/html; charset=utf-8',
    // The cache TTL: users have the new page within five minutes of a deployment.
    'Cache-Control': 'public, max-age=300',
    'Content-Security-Policy': policy,
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  },
});

type Definition<Name extends string> = Pick<EndpointDescription<Name>, 'name' | 'path'> & {
  /** Whether the page itself reads its query, such as a code that an issuer sends back. Otherwise a query is refused. */
  readonly hasOwnQuery?: boolean;
  /** Runs once, at the first request. */
  readonly read: () => PublicDocument | Promise<PublicDocument>;
};

const refuseQuery = (context: RequestContext): void => {
  const [first, ...more] = readQuery(undefined, context).problems;
  if (first) throw new Refusal([first, ...more]);
};

const replyWith = ({ text, headers }: PublicDocument, context: RequestContext): EndpointResponse => {
  const { 'Content-Type': type, ...own } = headers;
  // Shared caches may store it, and API Gateway compresses it for clients that accept that. A 304 replaces the headers
  // that the client stored, such as the policy of a page, so it has them all.
  const reply = textOr304(text, entityTag(text), { ...own, Vary: 'Accept-Encoding, Service-Version' }, context);
  return reply.status === 304 || !type ? reply : { ...reply, headers: { ...reply.headers, 'Content-Type': type } };
};

/**
 * Define an endpoint that returns the same text to every client, or 304 to a client that has it. The handler has none of the
 * steps of `lambdaHandler`, which need a caller and a database.
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
      // There is no account whose pinned version could count.
      setRequestedVersion(context);
      refuseUnknownVersion(context);
      if (!hasOwnQuery) refuseQuery(context);
      document ??= await read();
      return proxyResult(replyWith(document, context), context);
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
