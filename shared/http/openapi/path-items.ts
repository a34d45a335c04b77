import type { ZodObjectInput, ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import type { DocumentedResponse, Endpoint } from '../endpoint.ts';
import { examplesOf } from './examples.ts';
import type { RequestHeader } from './headers.ts';
import { exampleCustomer, exampleFilingId, exampleId } from './request-examples.ts';
import { responseSchemas } from './response-schemas.ts';
import { errorResponses, successHeaders } from './responses.ts';

const camelCase = (operation: string) => operation.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());

const parameterRef = (name: RequestHeader) => ({ $ref: `#/components/parameters/${name}` as const });

const resources: Readonly<Record<string, { readonly description: string; readonly example: string }>> = {
  customers: {
    description: 'The id of the customer in your system, percent-encoded.',
    example: exampleCustomer.id,
  },
  filings: { description: 'The id of the filing.', example: exampleFilingId },
  transactions: { description: 'The id of the transaction.', example: exampleId },
};

const pathParameters = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path' as const,
    required: true,
    schema: { type: 'string' as const, minLength: 1 },
    description: '',
    ...resources[path.split('/')[1] ?? ''],
  }));

const requestBody = ({ name, body }: Endpoint) =>
  body && {
    requestBody: {
      required: true,
      content: { 'application/json': { schema: body.schema, examples: { ...examplesOf(name).requests } } },
    },
  };

const contentOf = (operation: string, { status, schema, type, hasCsv }: DocumentedResponse) => {
  const { responses = {}, csv } = examplesOf(operation);
  return {
    [type ?? 'application/json']: {
      schema: typeof schema === 'string' ? responseSchemas[schema] : schema,
      ...(status in responses && { example: responses[status] }),
    },
    ...(hasCsv && { 'text/csv': { schema: { type: 'string' as const }, example: csv } }),
  };
};

const responsesOf = (endpoint: Endpoint) => ({
  ...Object.fromEntries(
    endpoint.responses.map((response) => [
      `${response.status}`,
      {
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
        content: contentOf(endpoint.name, response),
      },
    ]),
  ),
  ...(endpoint.notModified && {
    304: { description: endpoint.notModified, headers: successHeaders(endpoint, ['ETag']) },
  }),
  ...errorResponses(endpoint),
});

const headerParameters = ({ scope, body, notModified, requestHeaders = [] }: Endpoint): readonly RequestHeader[] => [
  'ServiceVersion',
  ...(scope === 'write' ? (['IdempotencyKey'] as const) : []),
  ...requestHeaders,
  ...(body ? (['Prefer'] as const) : []),
  ...(notModified ? (['IfNoneMatch'] as const) : []),
];

const operationObject = (endpoint: Endpoint): ZodOpenApiOperationObject => {
  const { name, path, scope, tag, summary, description, query } = endpoint;
  return {
    operationId: camelCase(name),
    tags: [tag],
    summary,
    description: scope === null ? description : `${description}\n\nThe credential needs the scope \`${scope}\`.`,
    ...(scope === null && { security: [] }),
    parameters: [...pathParameters(path), ...headerParameters(endpoint).map(parameterRef)],
    ...(query && { requestParams: { query: query as ZodObjectInput } }),
    ...requestBody(endpoint),
    responses: responsesOf(endpoint),
  };
};

export const pathItems = (endpoints: readonly Endpoint[]): ZodOpenApiPathsObject => {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const endpoint of endpoints)
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: operationObject(endpoint),
    };
  return paths;
};
