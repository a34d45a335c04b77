import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { exchangeOf } from '../shared/http/exchange.ts';
import { envelope, proxyResult } from '../shared/http/reply.ts';
import { allowed } from '../shared/http/routes.ts';
import { presumeVersion } from '../shared/http/versions.ts';
import { observed } from '../shared/observability/request-line.ts';

const refuse = async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
  const methods = allowed(event.resource);
  const exchange = exchangeOf(event, () => 0);
  presumeVersion(exchange);
  const refused = envelope(
    [{ code: 'method_not_allowed', title: 'Method Not Allowed', detail: `This path answers to: ${methods}.` }],
    exchange.requestId,
  );
  return proxyResult({ ...refused, headers: { Allow: methods } }, exchange);
};

/** Any method that a known path does not have. The gateway itself would say 403. */
export const handler = observed('method-not-allowed', refuse);
