import type { Chance } from './chance.ts';
import { damaged } from './damaged-text.ts';
import { hostileHeader } from './hostile-headers.ts';
import { jsonText } from './json-text.ts';
import type { Known } from './known.ts';
import { mutateBody } from './mutate-body.ts';
import type { DocumentedOperation } from './operations.ts';
import { richSale } from './rich-bodies.ts';
import { validValue } from './schema-values.ts';
import { hostilePath, queryOf } from './targets.ts';

/** A request as it comes over the wire. */
export type WireRequest = {
  readonly method: string;
  /** With the query. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
};

const bodyOf = (operation: DocumentedOperation, known: Known, chance: Chance): unknown => {
  if (!operation.body) return null;
  const { schema, examples } = operation.body;
  const isSale = schema.$ref?.endsWith('/TransactionRequest') || schema.$ref?.endsWith('/CalculationRequest');
  const body = chance.weighted<() => unknown>([
    [5, () => chance.pick(examples)],
    [
      isSale ? 5 : 0,
      () => ({ ...richSale, ...(operation.scope === 'write' && { status: chance.pick(['draft', 'finalized']) }) }),
    ],
    [2, () => validValue(schema, chance)],
  ])();
  return JSON.parse(known.inPlaceOfExamples(JSON.stringify(body), chance));
};

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'get', 'PROPFIND'];

type Part = 'nothing' | 'body' | 'bytes' | 'query' | 'headers' | 'path' | 'method';

const partsOf = ({ body, path }: DocumentedOperation): readonly (readonly [number, Part])[] => [
  [1, 'nothing'],
  [body ? 12 : 0, 'body'],
  [body ? 1.5 : 0.3, 'bytes'],
  [body ? 1 : 6, 'query'],
  [2, 'headers'],
  [path.includes('{') ? 2 : 0.3, 'path'],
  [0.2, 'method'],
];

type Headers = WireRequest['headers'];

const headersOf = (operation: DocumentedOperation, apiKey: string, chance: Chance): Headers => {
  const headers: [string, string][] = [['X-API-Key', apiKey]];
  if (operation.body) headers.push(['Content-Type', 'application/json']);
  if (operation.scope === 'write' && chance.is(0.15)) headers.push(['Idempotency-Key', chance.pick([...'abcdefgh'])]);
  if (chance.is(0.1)) headers.push(['Prefer', 'handling=strict']);
  return headers;
};

// In the place of a good one, beside it, or as nothing at all.
const withHostile = (headers: Headers, hostile: readonly [string, string], chance: Chance): Headers => {
  const others = headers.filter(([name]) => name.toLowerCase() !== hostile[0].toLowerCase());
  return chance.weighted([
    [6, [...others, hostile]],
    [3, [...headers, hostile]],
    [1, others],
  ]);
};

/** A request of an operation that is good, but for one part of it that mostly is not. */
export const requestOf = (
  operation: DocumentedOperation,
  known: Known,
  apiKey: string,
  chance: Chance,
): WireRequest => {
  const part = chance.weighted(partsOf(operation));
  const body = bodyOf(operation, known, chance);
  if (part === 'body' && operation.body) mutateBody(body, operation.body.schema, chance);
  const text = body === null ? (part === 'bytes' ? '{"a":1}' : '') : jsonText(body);
  const pairs = operation.body && part !== 'query' ? [] : queryOf(operation, known, chance, part === 'query');
  const path =
    part === 'path'
      ? hostilePath(operation, known, chance)
      : operation.path.replace('{id}', () => known.idFor(operation.path, chance));
  const headers = headersOf(operation, apiKey, chance);
  return {
    method: part === 'method' ? chance.pick(methods) : operation.method,
    target: pairs.length > 0 ? `${path}?${pairs.join('&')}` : path,
    headers: part === 'headers' ? withHostile(headers, hostileHeader(operation, known, chance), chance) : headers,
    body: part === 'bytes' ? damaged(text, chance) : Buffer.from(text, 'utf8'),
  };
};
