import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { entityTag, matches } from '../shared/http/entity-tag.ts';
import { type Exchange, exchangeOf, Refusal } from '../shared/http/exchange.ts';
import { failure } from '../shared/http/failure.ts';
import document from '../shared/http/openapi.json' with { type: 'json' };
import { readQuery } from '../shared/http/query.ts';
import { envelope, proxyResult, type Reply } from '../shared/http/reply.ts';
import { presumeVersion, refuseUnknownVersion } from '../shared/http/versions.ts';

// Exactly the bytes of the committed file, which is written in the same way.
const text = `${JSON.stringify(document, null, 2)}\n`;
const tag = entityTag(text);

const headers = {
  ETag: tag,
  // It holds no account's data: anybody on the way may keep it, and asks again.
  'Cache-Control': 'public, no-cache',
};

const reply = (exchange: Exchange): Reply => {
  // There is no account whose pinned version could count.
  presumeVersion(exchange);
  refuseUnknownVersion(exchange);
  const [first, ...others] = readQuery(undefined, exchange).problems;
  if (first) throw new Refusal([first, ...others]);
  return matches(exchange.headers.get('if-none-match') ?? [], tag)
    ? { status: 304, body: '', headers }
    : { status: 200, body: text, headers };
};

/** The OpenAPI document, for anybody. It goes without the stack of the other functions, which would look for a caller. */
export const handler = async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
  const exchange = exchangeOf(event, () => 0);
  try {
    return proxyResult(reply(exchange), exchange);
  } catch (error) {
    const refusal = error instanceof Refusal ? error : failure(error, exchange.requestId);
    return proxyResult({ ...envelope(refusal.problems, exchange.requestId), headers: refusal.headers }, exchange);
  }
};
