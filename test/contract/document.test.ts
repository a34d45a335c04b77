import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../functions/endpoints.ts';
import { listErrorCodes } from '../../shared/api/endpoint.ts';
import type { Document, Header, Parameter, Response } from '../../shared/api/openapi/types.ts';
import document from '../../shared/api/openapi.json' with { type: 'json' };
import { errorCodes } from '../../shared/base/error-codes.ts';
import { resolve, schemaProblems } from './validate-response.ts';

type Operation = Document['paths'][string][string] & { readonly tags: readonly string[] };
/** The fields that the tests read of any object of the document. */
type Node = {
  readonly $ref?: unknown;
  readonly in?: unknown;
  readonly schema?: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
};

const schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> = document.components.schemas;

/** Every object of the document, with its pointer. */
const nodes = (value: unknown, pointer = '#'): [string, Node][] =>
  typeof value !== 'object' || value === null
    ? []
    : [
        [pointer, value],
        ...Object.entries(value).flatMap(([key, inner]) =>
          nodes(inner, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
        ),
      ];

const dereferenced = <Value>(value: unknown): Value => {
  const reference = (value as Node | undefined)?.$ref;
  return typeof reference === 'string' ? resolve(reference) : (value as Value);
};

describe('the OpenAPI document', () => {
  it('refers only to what it has, and has no component that nothing refers to', () => {
    const references = nodes(document).flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : []));
    for (const reference of references) expect(resolve(reference)).toBeTypeOf('object');
    const { securitySchemes, ...components } = document.components;
    const named = Object.entries(components).flatMap(([kind, items]) =>
      Object.keys(items).map((name) => `#/components/${kind}/${name}`),
    );
    expect(named.filter((name) => !references.includes(name))).toEqual([]);
    expect(document.security).toEqual(Object.keys(securitySchemes).map((name) => ({ [name]: [] })));
  });

  it.each(Object.entries(endpoints))('describes %s completely', (_name, endpoint) => {
    const { path, method, scope } = endpoint;
    const operation = (document.paths as unknown as Document['paths'])[path]?.[method.toLowerCase()] as Operation;
    const parameters = operation.parameters.map(dereferenced<Parameter>);
    const pathNames = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
    expect(pathNames).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    expect(parameters.map(({ name }) => name)).toContain('Service-Version');
    expect(operation.security).toEqual(scope === null ? [] : undefined);
    expect(document.tags.map(({ name }) => name)).toContain(operation.tags[0]);
    const statuses = Object.keys(operation.responses).filter((status) => Number(status) >= 400);
    expect(statuses).toEqual(
      [...new Set(listErrorCodes(endpoint).map((code) => String(errorCodes[code].status)))].sort(),
    );
    for (const response of Object.values(operation.responses).map(dereferenced<Response>))
      expect(dereferenced<Header>(response.headers?.['X-Request-Id']).required).toBe(true);
  });

  it('assigns every error code to an operation', () => {
    expect(new Set(Object.values(endpoints).flatMap(listErrorCodes))).toEqual(new Set(Object.keys(errorCodes)));
    expect(document.components.schemas.ErrorObject.properties.code['x-extensible-enum']).toEqual(
      Object.keys(errorCodes),
    );
  });

  it('has no keyword beside $ref, no union, and a component for each enum', () => {
    const beside = nodes(document).filter(([, node]) => typeof node.$ref === 'string' && Object.keys(node).length > 1);
    expect(beside.map(([pointer]) => pointer)).toEqual([]);
    const enums = nodes(document).filter(([, node]) => 'enum' in node && Array.isArray(node.enum));
    expect(enums.length).toBeGreaterThan(30);
    for (const [pointer, node] of enums) expect(pointer).toBe(`#/components/schemas/${'title' in node && node.title}`);
    // Generated Java of a union of a text and a list does not compile.
    const unions = nodes(document).filter(
      ([, node]) =>
        'anyOf' in node && Array.isArray(node.anyOf) && node.anyOf.filter(({ type }) => type !== 'null').length > 1,
    );
    expect(unions.map(([pointer]) => pointer)).toEqual([]);
  });

  it('has an example for each request and response', () => {
    const media = nodes(document).filter(([pointer]) => /\/content\/[^/]+$/.test(pointer));
    expect(media.filter(([, { example, examples }]) => (example ?? examples) === undefined)).toEqual([]);
  });

  it('has no name that zod-openapi generated', () => {
    expect(Object.keys(schemas).filter((name) => /Output|__schema|Schema$|Response$|Row2/.test(name))).toEqual([
      'ErrorResponse',
      'ProductAttributesListResponse',
    ]);
  });

  it('has closed response schemas and open request schemas', () => {
    const isAsked = (name: string) =>
      /Request$|Update$|^(Customer|Exemption|PostalAddress|ShipFrom|ShipTo)$/.test(name);
    for (const [name, schema] of Object.entries(schemas).filter(([, { type }]) => type === 'object'))
      expect([name, schema['additionalProperties']]).toEqual([name, isAsked(name) ? undefined : false]);
  });

  it('has schemas that are JSON Schema 2020-12', () => {
    const ajv = new Ajv2020({ strict: false });
    const invalid = nodes(document)
      .filter(([pointer]) => /\/schema$|^#\/components\/schemas\/\w+$/.test(pointer))
      .filter(([, schema]) => !ajv.validateSchema(schema))
      .map(([pointer]) => pointer);
    expect(invalid).toEqual([]);
  });

  it('has examples that fit their schemas', () => {
    const bodies = nodes(document).filter(([pointer, node]) => /\/application~1json$/.test(pointer) && node.schema);
    const checked = bodies.flatMap(([pointer, { schema = {}, example, examples = {} }]) => {
      const values = [
        ...(example === undefined ? [] : [example]),
        ...Object.values(examples).map(({ value }) => value),
      ];
      return values.map((value) => ({ pointer, problems: schemaProblems(schema, value) }));
    });
    expect(checked.length).toBeGreaterThan(30);
    expect(checked.filter(({ problems }) => problems.length > 0)).toEqual([]);
    const others = nodes(document).filter(([, node]) => node.in && node.schema && node.example !== undefined);
    expect(others.filter(([, { schema = {}, example }]) => schemaProblems(schema, example).length > 0)).toEqual([]);
  });
});
