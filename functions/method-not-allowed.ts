import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { exchangeOf } from '../shared/http/exchange.ts';
import { envelope, proxyResult } from '../shared/http/reply.ts';
import { presumeVersion } from '../shared/http/versions.ts';
import { observed } from '../shared/observability/request-line.ts';

/** The variable with the methods of each path as JSON. This function carries no endpoint, so the gateway tells it. */
export const methodsVariable = 'METHODS_BY_PATH';

const methodsOf = (path: string): string => JSON.parse(process.env[methodsVariable] ?? '{}')[path] ?? '';

const refuse = async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
  const methods = methodsOf(event.resource);
  const exchange = exchangeOf(event, () => 0);
  presumeVersion(exchange);
  const refused = envelope(
    [{ code: 'method_not_allowed', title: 'Method Not Allowed', detail: `This path answers to: ${methods}.` }],
    exchange.requestId,
  );
  return proxyResult({ ...refused, headers: { Allow: methods } }, exchange);
};

/** Refuses any method that a known path does not have. API Gateway itself would answer 403. */
export const handler = observed('method-not-allowed', refuse);
