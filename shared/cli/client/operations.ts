import { endpoints } from '../../../functions/endpoints.ts';
import type { Schema } from './schema-type.ts';

type Reference = { readonly $ref: string };
type Content = Readonly<Record<string, { readonly schema?: Schema }>>;
export type Parameter = {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: Schema;
};
export type Response = { readonly status: number; readonly content: Content };
type Described = {
  readonly operationId: string;
  readonly summary?: string;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content } | Reference>>;
};
export type Document = {
  readonly paths: object;
  readonly components: { readonly schemas: object; readonly parameters: object };
};

/** An operation of the document, with its references looked up. */
export type Operation = {
  readonly id: string;
  readonly summary: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  readonly responses: readonly Response[];
  readonly takesKey: boolean;
  readonly changesNothing: boolean;
};

const resolve = <Value>(value: Value | Reference, document: Document): Value => {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as Value;
  let found: unknown = document;
  for (const part of value.$ref.split('/').slice(1)) found = (found as Record<string, unknown> | undefined)?.[part];
  if (found === undefined) throw new Error(`The document has nothing at ${value.$ref}.`);
  return found as Value;
};

// What only reads asks for no more than the scope to read. The document itself has no word for it.
const onlyReads = (method: string, path: string): boolean =>
  Object.values(endpoints).some(
    (endpoint) => endpoint.method === method && endpoint.path === path && endpoint.scope !== 'write',
  );

const operationAt = (path: string, method: string, described: Described, document: Document): Operation => {
  const parameters = (described.parameters ?? []).map((parameter) => resolve(parameter, document));
  return {
    id: described.operationId,
    summary: described.summary ?? described.operationId,
    method: method.toUpperCase(),
    path,
    parameters,
    body: described.requestBody?.content['application/json']?.schema,
    responses: Object.entries(described.responses).map(([status, response]) => ({
      status: Number(status),
      content: resolve(response, document).content ?? {},
    })),
    takesKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
    changesNothing: method === 'get' || onlyReads(method.toUpperCase(), path),
  };
};

/** The operations of a document, in its order. */
export const operationsOf = (document: Document): Operation[] =>
  Object.entries(document.paths as Record<string, Record<string, Described>>).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, described]) => 'operationId' in described)
      .map(([method, described]) => operationAt(path, method, described, document)),
  );
