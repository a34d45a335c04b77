import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { endpoints, schedules } from '../../functions/endpoints.ts';
import { listErrorCodes } from '../../shared/api/endpoint.ts';
import { draft } from '../../shared/api/openapi/samples.ts';
import type { Document, Header, Operation } from '../../shared/api/openapi/types.ts';
import document from '../../shared/api/openapi.json' with { type: 'json' };
import { envelope } from '../../shared/api/response.ts';
import { type Code, errorStatuses, errorTexts } from '../../shared/base/error-codes.ts';
import { dereferenced, type Exchange, listProblems, resolve, schemaProblems } from './validate-response.ts';

/** The fields that the tests read from objects of the document. */
type Node = {
  readonly $ref?: unknown;
  readonly in?: unknown;
  readonly schema?: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
};

const schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> = document.components.schemas;

/** Returns every object of the document with its JSON Pointer. */
const nodes = (value: unknown, pointer = '#'): [string, Node][] =>
  typeof value !== 'object' || value === null
    ? []
    : [
        [pointer, value],
        ...Object.entries(value).flatMap(([key, inner]) =>
          nodes(inner, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
        ),
      ];

describe('the OpenAPI document', () => {
  it('contains no dangling reference and no unused component', () => {
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
    const parameters = operation.parameters.map(dereferenced);
    const pathNames = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
    expect(pathNames).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    expect(parameters.map(({ name }) => name)).toContain('Service-Version');
    expect(operation.security).toEqual(scope === null ? [] : undefined);
    expect(document.tags.map(({ name }) => name)).toContain(operation.tags[0]);
    const statuses = Object.keys(operation.responses).filter((status) => Number(status) >= 400);
    expect(statuses).toEqual([...new Set(listErrorCodes(endpoint).map((code) => String(errorStatuses[code])))].sort());
    for (const response of Object.values(operation.responses).map(dereferenced))
      expect(dereferenced(response.headers?.['X-Request-Id'] as Header).required).toBe(true);
  });

  it('assigns every error code to an operation', () => {
    expect(new Set(Object.values(endpoints).flatMap(listErrorCodes))).toEqual(new Set(Object.keys(errorStatuses)));
    const words = ['all', 'body', 'lines', 'query', 'scope', 'write', 'id', 'pages'];
    const named = Object.values(errorTexts).flatMap((text) => text.endpoints);
    expect(named.filter((name) => !words.includes(name) && !(name in endpoints))).toEqual([]);
    expect(document.components.schemas.ErrorObject.properties.code['x-extensible-enum']).toEqual(
      Object.keys(errorStatuses),
    );
  });

  it('uses no keyword next to $ref, no union, and a component for each enum', () => {
    const beside = nodes(document).filter(([, node]) => typeof node.$ref === 'string' && Object.keys(node).length > 1);
    expect(beside.map(([pointer]) => pointer)).toEqual([]);
    const enums = nodes(document).filter(([, node]) => 'enum' in node && Array.isArray(node.enum));
    expect(enums.length).toBeGreaterThan(30);
    for (const [pointer, node] of enums) expect(pointer).toBe(`#/components/schemas/${'title' in node && node.title}`);
    // Java code generated from a union of a string and a list does not compile.
    const unions = nodes(document).filter(
      ([, node]) =>
        'anyOf' in node && Array.isArray(node.anyOf) && node.anyOf.filter(({ type }) => type !== 'null').length > 1,
    );
    expect(unions.map(([pointer]) => pointer)).toEqual([]);
  });

  it('contains an example for each request and response', () => {
    const media = nodes(document).filter(([pointer]) => /\/content\/[^/]+$/.test(pointer));
    expect(media.filter(([, { example, examples }]) => (example ?? examples) === undefined)).toEqual([]);
  });

  it('contains no component name generated by zod-openapi', () => {
    expect(Object.keys(schemas).filter((name) => /Output|__schema|Schema$|Response$|Row2/.test(name))).toEqual([
      'ErrorResponse',
      'ProductAttributesListResponse',
    ]);
  });

  it('closes response schemas and leaves request schemas open', () => {
    const isAsked = (name: string) =>
      /Request$|Update$|^(Customer|Exemption|PostalAddress|ShipFrom|ShipTo)$/.test(name);
    for (const [name, schema] of Object.entries(schemas).filter(([, { type }]) => type === 'object'))
      expect([name, schema['additionalProperties']]).toEqual([name, isAsked(name) ? undefined : false]);
  });

  it('contains only valid JSON Schema 2020-12 schemas', () => {
    const ajv = new Ajv2020({ strict: false });
    const invalid = nodes(document)
      .filter(([pointer]) => /\/schema$|^#\/components\/schemas\/\w+$/.test(pointer))
      .filter(([, schema]) => !ajv.validateSchema(schema))
      .map(([pointer]) => pointer);
    expect(invalid).toEqual([]);
  });

  it('contains only examples that match their schemas', () => {
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

const common = {
  'X-Request-Id': 'request_1',
  'Service-Version': 'aspen.2026-10-01',
  Vary: 'Service-Version',
  'X-RateLimit-Limit': '2000',
  'X-RateLimit-Remaining': '1999',
  'Content-Type': 'application/json',
};

const created: Exchange = {
  method: 'POST',
  path: '/transactions',
  status: 201,
  headers: new Headers({ ...common, ETag: '"1"', Location: `transactions/${draft.id}` }),
  body: draft,
};

const without = (name: string, value?: string): Headers => {
  const headers = new Headers(created.headers);
  headers.delete(name);
  if (value !== undefined) headers.set(name, value);
  return headers;
};

const getRefusal = (code: Code): Exchange => {
  const { status, body } = envelope([{ code, title: 'Title', detail: 'Detail' }], 'request_1');
  return { method: 'POST', path: '/transactions', status, headers: new Headers(common), body };
};

describe('validateResponse', () => {
  it('accepts a response that matches the document', () => {
    expect(listProblems(created)).toEqual([]);
    expect(listProblems(getRefusal('conflict_duplicate_reference_id'))).toEqual([]);
    expect(listProblems({ ...created, path: '/_local/clock', status: 200, body: {} })).toEqual([]);
  });

  it.each<[says: string, change: Partial<Exchange>]>([
    ['additional properties', { body: { ...draft, table: 'T' } }],
    ['must be string', { body: { ...draft, tax_amount: 5.7 } }],
    ['allowed values', { body: { ...draft, status: 'open' } }],
    ['/line_items/0/taxes', { body: { ...draft, line_items: [{ ...draft.line_items[0], taxes: null }] } }],
    ['X-Request-Id is missing', { headers: without('X-Request-Id') }],
    ['content type', { headers: without('Content-Type', 'text/html') }],
    ['createTransaction has no 200', { status: 200 }],
    ['an unknown path', { path: '/nowhere' }],
    ['409 conflict_has_credits is not documented', getRefusal('conflict_has_credits')],
    [
      '422 validation_invalid_format is not documented',
      { ...getRefusal('conflict_over_credit'), body: getRefusal('validation_invalid_format').body },
    ],
  ])('reports: %s', (says, change) => {
    expect(listProblems({ ...created, ...change }).join('\n')).toContain(says);
  });

  it('reports an unexpected body', () => {
    const headers = new Headers({ ...common, ETag: '"a"' });
    const unchanged: Exchange = { method: 'GET', path: '/product-attributes', status: 304, headers, body: null };
    expect(listProblems(unchanged)).toEqual([]);
    expect(listProblems({ ...unchanged, body: {} }).join('\n')).toContain('a body came');
  });
});

const root = new URL('../../', import.meta.url);
// The list of endpoints, and functions that are neither scheduled nor an endpoint with a definition.
const others = [
  'announce-changes',
  'count-transactions',
  'endpoints',
  'method-not-allowed',
  'taxjar',
  'update-content',
];

it('lists every file of functions/ by name', () => {
  const files = readdirSync(new URL('functions', root)).map((file) => basename(file, '.ts'));
  expect([...Object.keys(endpoints), ...Object.keys(schedules), ...others].sort()).toEqual(files.sort());
});

it('assigns each method of a path to one endpoint', () => {
  const offered = Object.values(endpoints).map(({ method, path }) => `${method} ${path}`);
  expect(new Set(offered).size).toBe(offered.length);
});

it.each(Object.values(endpoints).filter(({ scope }) => scope !== null))(
  'contains an example of the request body of $name',
  ({ body, requests = {} }) => {
    expect(Object.keys(requests).length > 0).toBe(body !== undefined);
  },
);

it('imports every function without environment variables, and leaves nothing open that keeps the process alive', () => {
  const script = "await import('./functions/endpoints.ts');";
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: root,
    env: {},
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect([status, stderr]).toEqual([0, '']);
});
