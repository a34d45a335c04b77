import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { observed } from '../observability/request-line.ts';
import { entityTag, matches } from './entity-tag.ts';
import { type Exchange, exchangeOf, Refusal } from './exchange.ts';
import { failure } from './failure.ts';
import { readQuery } from './query.ts';
import { envelope, proxyResult, type Reply } from './reply.ts';
import type { Operation } from './routes.ts';
import { presumeVersion, refuseUnknownVersion } from './versions.ts';

/** A text that is the same for everybody, and the headers that are its own. */
export type PublicDocument = { readonly text: string; readonly headers: Readonly<Record<string, string>> };
type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

const replyWith = ({ text, headers }: PublicDocument, exchange: Exchange): Reply => {
  // There is no account whose pinned version could count.
  presumeVersion(exchange);
  refuseUnknownVersion(exchange);
  const [first, ...more] = readQuery(undefined, exchange).problems;
  if (first) throw new Refusal([first, ...more]);
  const tag = entityTag(text);
  const { 'Content-Type': type, ...own } = headers;
  // Caches between may keep it, and API Gateway compresses it for clients that can unpack it.
  const others = { ...own, Vary: 'Accept-Encoding, Service-Version' };
  // The headers of a 304 take the place of those that the client kept, such as the policy of a page: it has them all.
  return matches(exchange.headers.get('if-none-match') ?? [], tag)
    ? { status: 304, body: '', headers: { ETag: tag, ...others } }
    : { status: 200, body: text, headers: { ETag: tag, ...others, ...(type && { 'Content-Type': type }) } };
};

/**
 * Make the Lambda handler that answers a text to anybody, and 304 to whoever has it already.
 *
 * It goes without the stack of the other functions, which would look for a caller. `read` runs at the first request.
 */
export const publicDocument = (operation: Operation, read: () => PublicDocument): Handler => {
  let document: PublicDocument | null = null;
  return observed(operation, async (event) => {
    const exchange = exchangeOf(event, () => 0);
    try {
      document ??= read();
      return proxyResult(replyWith(document, exchange), exchange);
    } catch (error) {
      const refusal = error instanceof Refusal ? error : failure(error, exchange.requestId);
      return proxyResult({ ...envelope(refusal.problems, exchange.requestId), headers: refusal.headers }, exchange);
    }
  });
};
