import { readFileSync } from 'node:fs';

type Named<Value> = Readonly<Record<string, Value>>;
type NumberLimit = 'minLength' | 'maxLength' | 'minItems' | 'maxItems' | 'maxProperties' | 'minimum' | 'maximum';

/** The parts of a schema that the page renders. */
export type Schema = Readonly<
  Partial<
    Record<'$ref' | 'description' | 'format' | 'pattern', string> &
      Record<NumberLimit, number> & {
        type: string | readonly string[];
        properties: Named<Schema>;
        required: readonly string[];
        additionalProperties: boolean | Schema;
        propertyNames: Schema;
        items: Schema;
        anyOf: readonly Schema[];
        allOf: readonly Schema[];
        'x-extensible-enum': readonly unknown[];
        enum: readonly unknown[];
        const: unknown;
        default: unknown;
        examples: readonly unknown[];
        'x-error-codes': Named<{ readonly status: number; readonly meaning: string; readonly remedy: string }>;
      }
  >
>;

export type Header = { readonly description: string; readonly required?: boolean; readonly schema: Schema };

export type Parameter = Header & {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly example?: unknown;
};

type Media = {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Named<{ readonly summary: string; readonly value: unknown }>;
};

export type Response = {
  readonly description: string;
  /** The error codes of the response. */
  readonly 'x-codes'?: readonly string[];
  readonly headers?: Named<Header>;
  readonly content?: Named<Media>;
};

/** An operation with its method and path. */
export type Operation = {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly unknown[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Named<Media> };
  readonly responses: Named<Response>;
};

type Document = {
  readonly info: Named<string> & { readonly license: { readonly name: string } };
  readonly paths: Named<Named<Omit<Operation, 'method' | 'path'>>>;
  readonly components: { readonly schemas: Named<Schema> };
};

const source: unknown = JSON.parse(readFileSync(new URL('../api/openapi.json', import.meta.url), 'utf8'));

const lookUp = (value: unknown, name: string): unknown => (value as Named<unknown>)[name];

const isEnum = (value: unknown): boolean => lookUp(value, 'enum') !== undefined;

/** A reference with a description, and an enum or null, as one schema. */
const flattened = (schema: Schema): Schema => {
  const { allOf, anyOf, ...own } = schema;
  if (allOf) return { ...allOf[0], ...own };
  if (anyOf?.length === 2 && isEnum(anyOf[0])) return { ...anyOf[0], type: ['string', 'null'], ...own };
  return own['x-extensible-enum'] ? { ...schema, enum: own['x-extensible-enum'] } : schema;
};

/** Replace references by what they refer to, except references to objects: the page links to those. */
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

/** Every operation by its id. */
export const operations: ReadonlyMap<string, Operation> = new Map(
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [
      operation.operationId,
      { ...operation, method: method.toUpperCase(), path },
    ]),
  ),
);

/** Every error code with its status, meaning and remedy. */
export const errorCodes = components.schemas['ErrorObject']?.properties?.['code']?.['x-error-codes'] ?? {};

/** The name of the schema that a reference names. */
export const schemaName = (reference: string): string => reference.split('/').at(-1) ?? '';

export const isPublic = ({ security }: Operation): boolean => security?.length === 0;
