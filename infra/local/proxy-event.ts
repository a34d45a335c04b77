import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { endpoints, type Operation } from '../../functions/endpoints.ts';
import { endpoint as taxjar } from '../../functions/taxjar.ts';
import { envelope, proxyResult } from '../../shared/api/response.ts';
import { currentVersion } from '../../shared/api/versions.ts';
import type { Problem } from '../../shared/base/result.ts';
import { closest } from '../../shared/vocabulary/closest.ts';

/**
 * Splits the target of a request without changing a byte.
 *
 * Not `new URL`: it resolves `..`, parses `//host/path` as a host, and throws on targets that a client can send.
 */
export const parseTarget = (target: string) => {
  // The authority of an absolute-form target (RFC 9112, 3.2.2) overrides the Host header.
  const [, authority = null, rest = target] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(target) ?? [];
  const queryAt = rest.indexOf('?');
  const path = queryAt < 0 ? rest : rest.slice(0, queryAt);
  return { authority, path: path || '/', query: queryAt < 0 ? '' : rest.slice(queryAt + 1) };
};
export type RequestTarget = Readonly<ReturnType<typeof parseTarget>>;

type MatchedResource = {
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly operation: Operation | 'taxjar' | null;
};

// API Gateway routes `/transactions/` as `/transactions`.
const pathPattern = (path: string): RegExp =>
  new RegExp(`^${RegExp.escape(path).replaceAll(/\\\{(\w+)\\\}/g, '(?<$1>[^/]+)')}/?$`);

/** The paths of the API, which are resources in API Gateway. */
const resources: readonly (readonly [path: string, pattern: RegExp])[] = [
  ...[...new Set(Object.values(endpoints).map(({ path }) => path))]
    // A literal segment takes precedence over a parameter, regardless of the order of the endpoints.
    .sort((a, b) => a.split('{').length - b.split('{').length)
    .map((path) => [path, pathPattern(path)] as const),
  [taxjar.path, /^\/taxjar\/(?<proxy>.+)$/],
];

const findOperation = (method: string, path: string): MatchedResource['operation'] => {
  // The TaxJar-compatible API uses every method.
  if (path === taxjar.path) return taxjar.name;
  return Object.values(endpoints).find((one) => one.path === path && one.method === method)?.name ?? null;
};

/** Decodes the parameters once; returns `null` if one has malformed percent-encoding. */
const decoded = (parameters: Readonly<Record<string, string>>): Record<string, string> | null => {
  try {
    return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return null;
  }
};

/** Returns the resource of a path, and the endpoint of the method, or `null` if the resource does not have the method. */
export const matchResource = (method: string, path: string): MatchedResource | null => {
  for (const [resource, pattern] of resources) {
    const found = pattern.exec(path);
    if (!found) continue;
    const parameters = decoded(found.groups ?? {});
    // No object can exist under a malformed path.
    return parameters && { path: resource, parameters, operation: findOperation(method, resource) };
  }
  return null;
};

const firstSegments = [...new Set(resources.map(([path]) => path.split('/')[1] ?? ''))];

/**
 * Returns the documented path, such as `/transactions/{id}`, that an unknown path with a typo probably means. It does
 * not repeat an id, so every id gets the same response.
 */
export const nearestPath = (path: string): string | null => {
  const [, first = '', ...rest] = path.replace(/\/+$/, '').split('/');
  const nearest = ['', firstSegments.includes(first) ? first : closest(first, firstSegments), ...rest].join('/');
  return nearest === path ? null : (matchResource('GET', nearest)?.path ?? null);
};

export type ProxyRequest = {
  readonly message: IncomingMessage;
  readonly requestId: string;
  readonly target: RequestTarget;
  readonly resource: MatchedResource;
  readonly body: Buffer;
};

/** Returns the two maps of payload v1 for repeatable names: all values, and the last value. */
const toMaps = (pairs: Iterable<readonly [string, string]>) => {
  const grouped = [...Map.groupBy(pairs, ([name]) => name)];
  const multi = Object.fromEntries(grouped.map(([name, found]) => [name, found.map(([, value]) => value)]));
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
    // The rest of the type is for authorizers and client certificates, which the API does not use.
  }) as APIGatewayProxyEvent['requestContext'];

/** Builds the event of a REST API with Lambda proxy integration (payload v1). */
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
    // The API declares no binary media types, so a deployment also replaces bytes that are not UTF-8 with U+FFFD.
    body: body.length > 0 ? body.toString('utf8') : null,
    isBase64Encoded: false,
  };
};

type Headers = Readonly<Record<string, string>>;

export const json = (status: number, body: unknown, requestId: string, headers: Headers = {}): APIGatewayProxyResult =>
  proxyResult(
    { status, body, headers },
    { responseHeaders: { 'X-Request-Id': requestId, 'Service-Version': currentVersion } },
  );

/** An error of the gateway itself, in the error envelope of the API. */
export const refusal = (problem: Problem, requestId: string, headers: Headers = {}): APIGatewayProxyResult => {
  const { status, body } = envelope([problem], requestId);
  return json(status, body, requestId, headers);
};
