import { type Code, errorCodes } from '../../../shared/base/error-codes.ts';
import { problemsOf, schemaProblems } from '../validate-response.ts';
import { type DocumentedOperation, operations } from './operations.ts';
import { areInBodyOrder, leadsSomewhere } from './pointers.ts';
import type { WireRequest } from './requests.ts';
import type { WireAnswer } from './service.ts';

type ApiError = {
  readonly code: string;
  readonly status: string;
  readonly title: string;
  readonly detail: string;
  readonly source: { readonly pointer: string | null; readonly parameter?: string; readonly header?: string };
  readonly meta?: { readonly request_id?: string };
};
type Answered = { readonly errors?: readonly ApiError[]; readonly warnings?: readonly { readonly pointer: unknown }[] };

const nothing = Symbol('no JSON');

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return nothing;
  }
};

const parsed = new WeakMap<WireRequest, unknown>();

/** The parsed JSON body, if it can be parsed. API Gateway passes it as text. */
export const sentJson = (request: WireRequest): unknown => {
  if (!parsed.has(request)) parsed.set(request, parse(request.body.toString('utf8')));
  return parsed.get(request);
};

// OpenAPI describes credentials and the media type elsewhere than in the parameters.
const described = ['x-api-key', 'authorization', 'content-type', 'content-encoding'];

const isKnownHeader = (name: string, operation: DocumentedOperation): boolean =>
  described.includes(name.toLowerCase()) ||
  operation.parameters.some((one) => one.in === 'header' && one.name === name);

const queryOf = ({ target }: WireRequest) =>
  new URLSearchParams(target.slice(target.indexOf('?') + 1 || target.length));

const sourceProblems = (
  { source, code }: ApiError,
  request: WireRequest,
  operation: DocumentedOperation,
  json: unknown,
): string[] => {
  const { pointer, parameter, header } = source;
  if (header !== undefined) return isKnownHeader(header, operation) ? [] : [`the header ${header} is not documented`];
  if (parameter !== undefined) {
    const isDocumented = operation.parameters.some((one) => one.in === 'query' && one.name === parameter);
    const isSent = queryOf(request).has(parameter);
    return isDocumented !== (code === 'validation_unknown_parameter') && (isSent || isDocumented)
      ? []
      : [`${code} about the parameter "${parameter}"`];
  }
  if (pointer === null) return [];
  if (json === nothing || !operation.body) return [`a pointer "${pointer}" into no body`];
  return leadsSomewhere(pointer, json, operation.body.schema) ? [] : [`the pointer "${pointer}" leads nowhere`];
};

const refusalProblems = (request: WireRequest, answer: WireAnswer, operation: DocumentedOperation | null): string[] => {
  const errors = (answer.body as Answered | null)?.errors ?? [];
  const json = sentJson(request);
  const found: string[] = [];
  if (answer.writes > 0) found.push('it was refused, and wrote to the ledger');
  if (errors[0]?.status !== String(answer.status)) found.push('the first error has another status');
  if (errors.length > 20) found.push(`${errors.length} errors`);
  for (const error of errors) {
    if (String(errorCodes[error.code as Code]?.status) !== error.status) found.push(`${error.code} is ${error.status}`);
    if (!/\w.{8}/s.test(error.detail) || !error.title || error.detail === 'Invalid input')
      found.push(`it says only "${error.detail}"`);
    if (error.meta?.request_id !== answer.headers.get('X-Request-Id')) found.push('the request id is another one');
    if (operation) found.push(...sourceProblems(error, request, operation, json));
  }
  const pointers = errors.flatMap(({ source }) => source?.pointer ?? []);
  if (pointers.length > 1 && !areInBodyOrder(pointers, json))
    found.push(`the errors are not in the order of the body: ${pointers}`);
  return found;
};

// The name is unknown in every object, so it is ignored with a warning.
const withoutProto = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(withoutProto)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value).flatMap(([name, inner]) => (name === '__proto__' ? [] : [[name, withoutProto(inner)]])),
        )
      : value;

/** Whether a body is not JSON in plain UTF-8: decided by the headers alone, without code of the service. */
const codingProblems = ({ headers }: WireRequest): string[] =>
  headers.flatMap(([name, value]) => {
    const isCoded = /^content-encoding$/i.test(name) && /gzip|br|x/.test(value);
    const isOtherCharset = /^content-type$/i.test(name) && /utf-16|latin1/.test(value);
    return isCoded || isOtherCharset ? [`it accepted ${name}: ${value}`] : [];
  });

const acceptedProblems = (request: WireRequest, answer: WireAnswer, operation: DocumentedOperation): string[] => {
  const found: string[] = [];
  const json = sentJson(request);
  if (operation.body)
    found.push(
      ...codingProblems(request),
      ...schemaProblems(operation.body.schema, withoutProto(json)).map(
        (problem) => `it accepted a body that the document refuses: ${problem}`,
      ),
    );
  const query = queryOf(request);
  // The console reads its own query, because an issuer may return any.
  for (const name of operation.name === 'get-console' ? [] : query.keys())
    if (!operation.parameters.some((one) => one.in === 'query' && one.name === name))
      found.push(`it accepted the parameter "${name}"`);
  for (const { name, schema, in: place } of operation.parameters) {
    const values =
      place === 'query'
        ? query.getAll(name)
        : place === 'header'
          ? request.headers.filter(([own]) => own.toLowerCase() === name.toLowerCase()).map(([, value]) => value)
          : [];
    if (place === 'query' && values.length > 1) found.push(`it accepted ${name} ${values.length} times`);
    for (const value of values) {
      const asked = schema.type === 'integer' && /^\d+$/.test(value) ? Number(value) : value;
      found.push(...schemaProblems(schema, asked).map((problem) => `it accepted ${name} "${value}": ${problem}`));
    }
  }
  // A read or changed object keeps the warnings of the request that created it.
  for (const { pointer } of operation.path.includes('{') ? [] : ((answer.body as Answered | null)?.warnings ?? []))
    if (
      typeof pointer === 'string' &&
      operation.body &&
      !leadsSomewhere(pointer, json, operation.body.schema) &&
      !leadsSomewhere(pointer, answer.body, {})
    )
      found.push(`the warning's pointer "${pointer}" leads nowhere`);
  return found;
};

/** The contract violations of a response to any request; empty if there are none. */
export const judge = (request: WireRequest, answer: WireAnswer): string[] => {
  const { method } = request;
  const { status, headers, body, path, resource } = answer;
  const operation = operations.find(({ name }) => name === resource?.operation) ?? null;
  const found = [
    ...(status >= 500 ? [`a ${status}`] : []),
    ...problemsOf({ method, path: resource ? path : '/', status, headers, body }),
  ];
  if (found.length > 0) return found;
  if (status >= 400) return refusalProblems(request, answer, operation);
  return operation ? acceptedProblems(request, answer, operation) : ['an answer without an operation'];
};
