/** The invariants of every response: it is documented, an error points at what is wrong, and no data is lost. */
import { endpoints } from '../../../functions/endpoints.ts';
import type { Endpoint } from '../../../shared/api/endpoint.ts';
import type { Document, Schema } from '../../../shared/api/openapi/types.ts';
import document from '../../../shared/api/openapi.json' with { type: 'json' };
import { type Code, errorStatuses } from '../../../shared/base/error-codes.ts';
import { dereferenced, listProblems, resolve, schemaProblems } from '../validate-response.ts';

const { paths } = document as unknown as Document;

/** Every documented endpoint. */
export const operations = Object.values<Endpoint>(endpoints).map(({ name, method, path, scope }) => {
  const { parameters = [], requestBody } = paths[path]?.[method.toLowerCase()] ?? {};
  return {
    name,
    method,
    path,
    scope,
    body: requestBody?.content['application/json'],
    parameters: parameters.map(dereferenced),
  };
});
export type Operation = (typeof operations)[number];

/** A request as sent over HTTP; `target` includes the query. */
export type WireRequest = {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
};

/** Resolves a schema's reference and removes `null`. */
export const plain = (schema: Schema = {}): Schema => {
  const inner = schema.$ref ? resolve<Schema>(schema.$ref) : schema.anyOf?.find(({ type }) => type !== 'null');
  return inner ? plain(inner) : schema;
};

export const describeType = ({ type, properties, items }: Schema): string =>
  [type].flat().find((one) => one && one !== 'null') ?? (properties ? 'object' : items ? 'array' : 'any');

type Refusal = {
  readonly code: string;
  readonly status: string;
  readonly title: string;
  readonly detail: string;
  readonly source: { readonly pointer: string | null; readonly parameter?: string; readonly header?: string };
  readonly meta?: { readonly request_id?: string };
};
/** The fields that the checks read from a response body. */
export type Body = {
  readonly errors?: readonly Refusal[];
  readonly warnings?: readonly { readonly pointer: unknown }[];
} | null;

export type WireResponse = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed JSON, or the raw string if it is not JSON; `null` without a body. */
  readonly body: unknown;
  /** The number of ledger writes that the request caused. */
  readonly writes: number;
  /** Path without the query; `/` if no operation matches. */
  readonly path: string;
};

/** The parsed request body; `undefined` if it is not JSON. */
const toJson = ({ body }: WireRequest): unknown => {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
};

const getQuery = ({ target }: WireRequest) => new URLSearchParams(target.split('?').slice(1).join('?'));

/**
 * Returns the position in a body of the value at a JSON Pointer (RFC 6901), as one number per name. Stops early at a
 * missing field that the schema defines. Returns `null` if the pointer does not resolve.
 */
const getPosition = (pointer: string, body: unknown, given: Schema): number[] | null => {
  if (!/^(\/([^~]|~[01])*)?$/s.test(pointer)) return null;
  let [value, schema]: [unknown, Schema | undefined] = [body, plain(given)];
  const position: number[] = [];
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const isAbsent = value === undefined || value === null;
    const holder = isAbsent ? {} : (value as Record<string, unknown>);
    if (typeof holder !== 'object') return null;
    const inner: Schema | undefined = Array.isArray(holder) ? schema?.items : schema?.properties?.[name];
    if (Object.hasOwn(holder, name))
      position.push(Array.isArray(holder) ? Number(name) : Object.keys(holder).indexOf(name));
    else if (!inner || Array.isArray(holder)) return null;
    value = Object.hasOwn(holder, name) ? holder[name] : undefined;
    schema = inner && plain(inner);
  }
  return position;
};

/** Returns whether a position is at or before another position. */
const isInOrder = (left: readonly number[], right: readonly number[]): boolean => {
  const at = left.findIndex((number, index) => number !== right[index]);
  return at < 0 || (left[at] as number) < (right[at] ?? -1);
};

// OpenAPI describes credentials and the media type outside the parameters.
const described = ['x-api-key', 'authorization', 'content-type', 'content-encoding'];

const sourceProblems = (
  { source, code }: Refusal,
  request: WireRequest,
  { parameters, body }: Operation,
  json: unknown,
): string[] => {
  const { pointer, parameter, header } = source;
  const isDocumented = (place: 'query' | 'header', name: string) =>
    parameters.some((one) => one.in === place && one.name === name);
  if (header !== undefined)
    return described.includes(header.toLowerCase()) || isDocumented('header', header)
      ? []
      : [`the header ${header} is not documented`];
  if (parameter !== undefined)
    return isDocumented('query', parameter)
      ? code === 'validation_unknown_parameter'
        ? [`the documented parameter "${parameter}" is unknown`]
        : []
      : code === 'validation_unknown_parameter' && getQuery(request).has(parameter)
        ? []
        : [`${code} about the parameter "${parameter}"`];
  if (pointer === null) return [];
  if (json === undefined || !body) return [`a pointer "${pointer}" without a body`];
  return getPosition(pointer, json, body.schema) ? [] : [`the pointer "${pointer}" leads nowhere`];
};

const refusalProblems = (request: WireRequest, response: WireResponse, operation: Operation | null): string[] => {
  const errors = (response.body as Body)?.errors ?? [];
  const json = toJson(request);
  const found: string[] = [];
  if (response.writes > 0) found.push('it was refused, and wrote to the ledger');
  if (errors[0]?.status !== String(response.status)) found.push('the first error has another status');
  if (errors.length > 20) found.push(`${errors.length} errors`);
  for (const error of errors) {
    if (String(errorStatuses[error.code as Code]) !== error.status) found.push(`${error.code} is ${error.status}`);
    if (!/\w.{8}/s.test(error.detail) || !error.title || error.detail === 'Invalid input')
      found.push(`it says only "${error.detail}"`);
    if (error.meta?.request_id !== response.headers.get('X-Request-Id')) found.push('the request id is another one');
    if (operation) found.push(...sourceProblems(error, request, operation, json));
  }
  const positions = errors.flatMap(({ source: { pointer } }) => {
    const position = pointer === null ? null : getPosition(pointer, json, {});
    return position ? [position] : [];
  });
  if (positions.some((position, at) => at > 0 && !isInOrder(positions[at - 1] as number[], position)))
    found.push('the errors are not in the order of the body');
  return found;
};

// `__proto__` is an unknown field of every object, so it is ignored with a warning.
const withoutProto = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutProto);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => name !== '__proto__');
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutProto(inner)]));
};

const acceptedProblems = (request: WireRequest, response: WireResponse, operation: Operation): string[] => {
  const { body, parameters, name: operationName, path } = operation;
  const found: string[] = [];
  const json = toJson(request);
  for (const [name, value] of body ? request.headers : [])
    if (/^content-encoding: .*(gzip|br|x)|^content-type: .*(utf-16|latin1)/i.test(`${name}: ${value}`))
      found.push(`it accepted ${name}: ${value}`);
  if (body)
    for (const problem of schemaProblems(body.schema, withoutProto(json)))
      found.push(`it accepted a body that the document refuses: ${problem}`);
  const query = getQuery(request);
  // The console accepts any query parameter, because an issuer can return any.
  for (const name of operationName === 'get-console' ? [] : query.keys())
    if (!parameters.some((one) => one.in === 'query' && one.name === name)) found.push(`it accepted "${name}"`);
  for (const { name, schema, in: place } of parameters) {
    const sent = request.headers.flatMap(([own, value]) => (own.toLowerCase() === name.toLowerCase() ? [value] : []));
    const given = place === 'query' ? query.getAll(name) : place === 'header' ? sent : [];
    if (place === 'query' && given.length > 1) found.push(`it accepted ${name} ${given.length} times`);
    for (const value of given) {
      const typed = schema.type === 'integer' && /^\d+$/.test(value) ? Number(value) : value;
      found.push(...schemaProblems(schema, typed).map((problem) => `it accepted ${name} "${value}": ${problem}`));
    }
  }
  // A read or changed object keeps the warnings from its creation.
  for (const { pointer } of path.includes('{') ? [] : ((response.body as Body)?.warnings ?? []))
    if (
      typeof pointer === 'string' &&
      body &&
      !getPosition(pointer, json, body.schema) &&
      !getPosition(pointer, response.body, {})
    )
      found.push(`the warning's pointer "${pointer}" leads nowhere`);
  return found;
};

/** Returns the contract violations of a response; empty if there are none. */
export const responseProblems = (
  request: WireRequest,
  response: WireResponse,
  operation: Operation | null,
): string[] => {
  const found = [
    ...(response.status >= 500 ? [`a ${response.status}`] : []),
    ...listProblems({ method: request.method, ...response }),
  ];
  if (found.length > 0) return found;
  if (response.status >= 400) return refusalProblems(request, response, operation);
  return operation ? acceptedProblems(request, response, operation) : ['a response without an operation'];
};
