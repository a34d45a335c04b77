import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { MatchedResource, RequestTarget } from './resources.ts';

type ProxyRequest = {
  readonly message: IncomingMessage;
  readonly requestId: string;
  readonly target: RequestTarget;
  readonly resource: MatchedResource;
  readonly body: Buffer;
};

/** The two maps of payload v1 for repeatable names: all values, and the last value. */
const toMaps = (pairs: Iterable<readonly [string, string]>) => {
  const multi: Record<string, string[]> = Object.create(null);
  for (const [name, value] of pairs) {
    multi[name] ??= [];
    multi[name].push(value);
  }
  const single = Object.fromEntries(Object.entries(multi).map(([name, values]) => [name, values.at(-1) as string]));
  return { multi, single };
};

const orNull = <Map extends object>(map: Map): Map | null => (Object.keys(map).length > 0 ? map : null);

// API Gateway does not change the case of header names.
const headerPairs = ({ rawHeaders }: IncomingMessage): [string, string][] =>
  Array.from({ length: rawHeaders.length / 2 }, (_, index) => [
    rawHeaders[2 * index] as string,
    rawHeaders[2 * index + 1] as string,
  ]);

const requestContext = ({ message, requestId, target, resource }: ProxyRequest) =>
  ({
    accountId: '000000000000',
    apiId: 'local',
    httpMethod: message.method,
    identity: { sourceIp: message.socket.remoteAddress, userAgent: message.headers['user-agent'] ?? null },
    path: target.path,
    protocol: `HTTP/${message.httpVersion}`,
    requestId,
    requestTimeEpoch: Date.now(),
    resourceId: resource.path,
    resourcePath: resource.path,
    stage: 'local',
    // The rest of the type is about authorizers and client certificates, which the API does not use.
  }) as APIGatewayProxyEvent['requestContext'];

/** The event of a REST API with Lambda proxy integration (payload v1). */
export const toProxyEvent = (request: ProxyRequest): APIGatewayProxyEvent => {
  const { message, target, resource, body } = request;
  const headers = toMaps(headerPairs(message));
  const query = toMaps(new URLSearchParams(target.query));
  return {
    resource: resource.path,
    path: target.path,
    httpMethod: message.method ?? 'GET',
    headers: headers.single,
    multiValueHeaders: headers.multi,
    queryStringParameters: orNull(query.single),
    multiValueQueryStringParameters: orNull(query.multi),
    pathParameters: orNull(resource.parameters),
    stageVariables: null,
    requestContext: requestContext(request),
    // The API declares no binary media types: bytes that are not UTF-8 become U+FFFD there as here.
    body: body.length > 0 ? body.toString('utf8') : null,
    isBase64Encoded: false,
  };
};
