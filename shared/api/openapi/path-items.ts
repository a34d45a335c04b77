import type {
  ZodObjectInput,
  ZodOpenApiOperationObject,
  ZodOpenApiPathsObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { type DocumentedEndpoint, operationId } from '../endpoint.ts';
import type { RequestHeader } from './headers.ts';
import { errorResponses, successHeaders } from './responses.ts';
import { exampleCustomer, exampleFilingId, exampleId } from './sample-requests.ts';
import * as samples from './samples.ts';

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

const requestBody = ({ body, requests = {} }: DocumentedEndpoint) =>
  body && {
    requestBody: {
      required: true,
      content: { 'application/json': { schema: body.schema, examples: { ...requests } } },
    },
  };

const buildContent = async ({ schema, type, example, csvExample }: DocumentedEndpoint['responses'][number]) => ({
  [type ?? 'application/json']: { schema, example: await example(samples) },
  ...(csvExample && { 'text/csv': { schema: { type: 'string' as const }, example: csvExample(samples) } }),
});

const buildSuccesses = async (endpoint: DocumentedEndpoint) => {
  const successes: ZodOpenApiResponsesObject = {};
  for (const response of endpoint.responses)
    successes[`${response.status}`] = {
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

const operationObject = async (endpoint: DocumentedEndpoint): Promise<ZodOpenApiOperationObject> => {
  const { name, path, scope, tag, summary, description, query } = endpoint;
  return {
    operationId: operationId(name),
    tags: [tag],
    summary,
    description: scope === null ? description : `${description}\n\nThe credential needs the scope \`${scope}\`.`,
    ...(scope === null && { security: [] }),
    parameters: [...pathParameters(path), ...headerParameters(endpoint).map(parameterRef)],
    ...(query && { requestParams: { query: query as ZodObjectInput } }),
    ...requestBody(endpoint),
    responses: await buildResponses(endpoint),
  };
};

export const pathItems = async (endpoints: readonly DocumentedEndpoint[]): Promise<ZodOpenApiPathsObject> => {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const endpoint of endpoints)
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: await operationObject(endpoint),
    };
  return paths;
};
