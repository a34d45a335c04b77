import { endpoints, type Operation } from '../../functions/endpoints.ts';
import { closest } from '../../shared/vocabulary/closest.ts';

export type RequestTarget = {
  /** The host and port of an absolute-form target (RFC 9112, 3.2.2), which outranks the Host header. */
  readonly authority: string | null;
  readonly path: string;
  readonly query: string;
};

/**
 * Split the target of a request without changing a byte.
 *
 * Not `new URL`: it resolves `..`, reads `//host/path` as a host, and throws on targets that a client may send.
 */
export const parseTarget = (target: string): RequestTarget => {
  const [, authority = null, rest = target] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(target) ?? [];
  const queryAt = rest.indexOf('?');
  const path = queryAt < 0 ? rest : rest.slice(0, queryAt);
  return { authority, path: path || '/', query: queryAt < 0 ? '' : rest.slice(queryAt + 1) };
};

/** A path of the API with its endpoints by method: a resource in API Gateway. */
type Resource = {
  readonly path: string;
  readonly pattern: RegExp;
  readonly operations: ReadonlyMap<string, Operation>;
};

export type MatchedResource = {
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly operation: Operation | null;
};

// API Gateway routes `/transactions/` as `/transactions`.
const pathPattern = (path: string): RegExp =>
  new RegExp(`^${RegExp.escape(path).replaceAll(/\\\{(\w+)\\\}/g, '(?<$1>[^/]+)')}/?$`);

const resources: readonly Resource[] = [...Map.groupBy(Object.values(endpoints), ({ path }) => path)]
  // A literal segment takes precedence over a parameter, in any order of the endpoints.
  .sort(([a], [b]) => a.split('{').length - b.split('{').length)
  .map(([path, offered]) => ({
    path,
    pattern: pathPattern(path),
    operations: new Map(offered.map(({ method, name }) => [method, name])),
  }));

/** The parameters, decoded once; `null` if one has malformed percent-encoding. */
const decoded = (parameters: Readonly<Record<string, string>>): Record<string, string> | null => {
  try {
    return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return null;
  }
};

/** The resource of a path, and the endpoint of the method, or `null` if the resource does not have the method. */
export const matchResource = (method: string, path: string): MatchedResource | null => {
  for (const resource of resources) {
    const found = resource.pattern.exec(path);
    if (!found) continue;
    const parameters = decoded(found.groups ?? {});
    // Nothing can exist under a malformed path.
    return parameters && { path: resource.path, parameters, operation: resource.operations.get(method) ?? null };
  }
  return null;
};

const firstSegments = [...new Set(resources.map(({ path }) => path.split('/')[1] ?? ''))];

/**
 * The path of an operation, such as `/transactions/{id}`, that an unknown path with a typo probably means. It does not repeat an
 * id, so that every id gets the same answer.
 */
export const nearestPath = (path: string): string | null => {
  const [, first = '', ...rest] = path.replace(/\/+$/, '').split('/');
  const nearest = ['', firstSegments.includes(first) ? first : closest(first, firstSegments), ...rest].join('/');
  return nearest === path ? null : (matchResource('GET', nearest)?.path ?? null);
};
