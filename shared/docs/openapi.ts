import { readFileSync } from 'node:fs';
import type { Operation as Described, Document, Named, Schema } from '../api/openapi/types.ts';

/** An operation with its method and path. */
export type Operation = Described & { readonly method: string; readonly path: string };

const source: unknown = JSON.parse(readFileSync(new URL('../api/openapi.json', import.meta.url), 'utf8'));

const lookUp = (value: unknown, name: string): unknown => (value as Named<unknown>)[name];

const isEnum = (value: unknown): boolean => lookUp(value, 'enum') !== undefined;

/** Merges a reference with a description, or an enum with null, into one schema. */
const flattened = (schema: Schema): Schema => {
  const { allOf, anyOf, ...own } = schema;
  if (allOf) return { ...allOf[0], ...own };
  if (anyOf?.length === 2 && isEnum(anyOf[0])) return { ...anyOf[0], type: ['string', 'null'], ...own };
  return own['x-extensible-enum'] ? { ...schema, enum: own['x-extensible-enum'] } : schema;
};

/** Replaces references with their targets, except references to objects, to which the page links. */
const resolved = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(resolved);
  const { $ref } = value as Schema;
  const target = $ref?.split('/').slice(1).reduce(lookUp, source);
  if ($ref && (!$ref.startsWith('#/components/schemas/') || isEnum(target))) return resolved(target);
  return flattened(Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, resolved(inner)])));
};

const document = resolved(source) as Document;

/** The OpenAPI document that the page renders. Fields show the values of their enums. */
export const { info, paths } = document;
export const components = {
  schemas: Object.fromEntries(Object.entries(document.components.schemas).filter(([, schema]) => !isEnum(schema))),
};

/** Returns every operation by its id. */
export const operations: ReadonlyMap<string, Operation> = new Map(
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [
      operation.operationId,
      { ...operation, method: method.toUpperCase(), path },
    ]),
  ),
);

/** Every error code with its status, its meaning and what to do. */
export const errorCodes = components.schemas['ErrorObject']?.properties?.['code']?.['x-error-codes'] ?? {};

/** Returns the name of the schema that a reference points to. */
export const schemaName = (reference: string): string => reference.split('/').at(-1) ?? '';

export const isPublic = ({ security }: Operation): boolean => security?.length === 0;
