import { readFileSync } from 'node:fs';
import {
  createDocument,
  type oas31,
  type ZodObjectInput,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { defaults } from '../../accounts/account.ts';
import { assert } from '../../base/assert.ts';
import { type DocumentedEndpoint, operationId } from '../endpoint.ts';
import { type RequestHeader, requestHeaders } from './headers.ts';
import { echoSuffix, refined, simplified, withNamedEnums } from './refine.ts';
import { errorResponses, headerComponents, responseComponents, successHeaders } from './responses.ts';
import { exampleCustomer, exampleFilingId, exampleId } from './sample-requests.ts';
import * as samples from './samples.ts';

/** The description of the API, with the default settings of an account. */
const introduction = readFileSync(new URL('./introduction.md', import.meta.url), 'utf8')
  .replace('{draftTtlHours}', String(defaults.draft_ttl_hours))
  .replace('{rateLimit}', defaults.rate_limit.toLocaleString('en-US'));

const parameterRef = (name: RequestHeader) => ({ $ref: `#/components/parameters/${name}` as const });

/** Returns the first segment of a path: `/filings` for `/filings/{id}`. */
const firstSegment = (path: string): string => path.split('/', 2).join('/');

/** The tags of the operations: the first segments of their paths, and their descriptions. */
type Tags = Readonly<Record<string, { readonly paths: readonly string[]; readonly description: string }>>;

const findTag = (tags: Tags, path: string): string => {
  const [tag] = Object.entries(tags).find(([, { paths }]) => paths.includes(firstSegment(path))) ?? [];
  assert(tag !== undefined, `No tag has the path ${path}.`);
  return tag;
};

const resources: Readonly<Record<string, { readonly description: string; readonly example: string }>> = {
  '/customers': { description: 'The id of the customer in your system, percent-encoded.', example: exampleCustomer.id },
  '/filings': { description: 'The id of the filing.', example: exampleFilingId },
  '/transactions': { description: 'The id of the transaction.', example: exampleId },
};

const pathParameters = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path' as const,
    required: true,
    schema: { type: 'string' as const, minLength: 1 },
    description: '',
    ...resources[firstSegment(path)],
  }));

const requestBody = ({ body, requests = {} }: DocumentedEndpoint) =>
  body && {
    requestBody: {
      required: true,
      content: { 'application/json': { schema: body.schema, examples: { ...requests } } },
    },
  };

const buildContent = async ({ schema, type, example, csvExample, returnExample }: DocumentedEndpoint['response']) => ({
  [type ?? 'application/json']: { schema, example: await example(samples) },
  ...(csvExample && { 'text/csv': { schema: { type: 'string' as const }, example: csvExample(samples) } }),
  ...(returnExample && { 'application/xml': { schema: { type: 'string' as const }, example: returnExample(samples) } }),
});

const buildSuccesses = async (endpoint: DocumentedEndpoint) => {
  const successes: ZodOpenApiResponsesObject = {};
  for (const response of [endpoint.response, ...(endpoint.otherResponses ?? [])])
    successes[`${response.status ?? 200}`] = {
      description: response.description,
      headers: successHeaders(
        endpoint,
        [...(response.headers ?? []), ...(endpoint.notModified ? (['ETag'] as const) : [])],
        [
          ...(response.optionalHeaders ?? []),
          ...(endpoint.scope === 'write' ? (['Idempotent-Replayed'] as const) : []),
          ...(endpoint.body ? (['Preference-Applied'] as const) : []),
        ],
      ),
      content: await buildContent(response),
    };
  return successes;
};

const buildResponses = async (endpoint: DocumentedEndpoint) => ({
  ...(await buildSuccesses(endpoint)),
  ...(endpoint.notModified && {
    304: { description: endpoint.notModified, headers: successHeaders(endpoint, ['ETag']) },
  }),
  ...errorResponses(endpoint),
});

const headerParameters = ({
  scope,
  body,
  notModified,
  requestHeaders = [],
}: DocumentedEndpoint): readonly RequestHeader[] => [
  'ServiceVersion',
  ...(scope === 'write' ? (['IdempotencyKey'] as const) : []),
  ...requestHeaders,
  ...(body ? (['Prefer'] as const) : []),
  ...(notModified ? (['IfNoneMatch'] as const) : []),
];

const operationObject = async (endpoint: DocumentedEndpoint, tags: Tags): Promise<ZodOpenApiOperationObject> => {
  const { name, path, scope, summary, description, query } = endpoint;
  return {
    operationId: operationId(name),
    tags: [findTag(tags, path)],
    summary,
    description: scope === null ? description : `${description}\n\nThe credential needs the scope \`${scope}\`.`,
    ...(scope === null && { security: [] }),
    parameters: [...pathParameters(path), ...headerParameters(endpoint).map(parameterRef)],
    ...(query && { requestParams: { query: query as ZodObjectInput } }),
    ...requestBody(endpoint),
    responses: await buildResponses(endpoint),
  };
};

const pathItems = async (endpoints: readonly DocumentedEndpoint[], tags: Tags): Promise<ZodOpenApiPathsObject> => {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const endpoint of endpoints)
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: await operationObject(endpoint, tags),
    };
  return paths;
};

const frame: Omit<ZodOpenApiObject, 'paths'> = {
  openapi: '3.1.0',
  info: {
    title: 'Levy',
    version: '0.1.0',
    summary: 'Sales tax calculation and a tax transaction ledger',
    description: introduction,
    contact: { name: 'The operator of this Levy service' },
    license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
  },
  servers: [
    {
      url: 'http://127.0.0.1:{port}',
      description: 'The service on this machine: npm start',
      variables: { port: { default: '3000', description: 'PORT' } },
    },
    {
      url: 'https://{api}.execute-api.{region}.amazonaws.com/v1',
      description: 'The service in your own AWS account: npm run deploy prints the address',
      variables: { api: { default: 'api' }, region: { default: 'us-east-1' } },
    },
  ],
  security: [{ apiKey: [] }, { bearer: [] }],
};

const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'The standard way. Keys start with `levy_`, belong to an account, and carry scopes and an expiry.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'A token from the configured OIDC issuer. The claim `levy_account` names the account, unless another claim is configured.',
  },
} as const;

type Parameter = oas31.ParameterObject | oas31.ReferenceObject;

// zod-openapi repeats the description of a parameter in its schema.
const withText = (parameter: Parameter): Parameter => {
  if ('$ref' in parameter || parameter.in === 'header') return parameter;
  const { name, in: place, description, schema, ...rest } = parameter;
  assert(
    description !== undefined && description !== '',
    `The parameter ${name} has no description: see shared/base/described.ts.`,
  );
  const { description: _, ...type } = { ...(schema as oas31.SchemaObject | undefined) };
  return { name, in: place, description, ...rest, schema: type };
};

const withTexts = (paths: oas31.PathsObject): oas31.PathsObject => {
  for (const item of Object.values(paths))
    for (const operation of Object.values(item) as oas31.OperationObject[])
      operation.parameters = (operation.parameters ?? []).map(withText);
  return paths;
};

/** Generates the OpenAPI document from the endpoints and their schemas. The output is deterministic. */
const openApiDocument = async (endpoints: readonly DocumentedEndpoint[], tags: Tags): Promise<oas31.OpenAPIObject> => {
  const made = createDocument(
    {
      ...frame,
      tags: Object.entries(tags).map(([name, { description }]) => ({ name, description })),
      paths: await pathItems(endpoints, tags),
      components: {
        securitySchemes,
        parameters: requestHeaders,
        headers: headerComponents(),
        responses: responseComponents(),
      },
    },
    { outputIdSuffix: echoSuffix },
  ) as oas31.OpenAPIObject;
  const { schemas = {}, ...components } = made.components ?? {};
  return withNamedEnums({
    ...made,
    paths: withTexts(simplified(made.paths ?? {})),
    components: { schemas: refined(schemas as Record<string, oas31.SchemaObject>), ...components },
  });
};

/** The OpenAPI document as served. */
export const openApiText = async (endpoints: readonly DocumentedEndpoint[], tags: Tags): Promise<string> =>
  `${JSON.stringify(await openApiDocument(endpoints, tags), null, 2)}\n`;
