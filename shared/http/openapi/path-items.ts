import type {
  ZodOpenApiOperationObject,
  ZodOpenApiPathsObject,
  ZodOpenApiRequestBodyObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { type Operation, type Route, routes } from '../routes.ts';
import type { RequestHeader } from './headers.ts';
import { type OperationDefinition, operations } from './operations.ts';
import { exampleFilingId, exampleId, requestExamples } from './request-examples.ts';
import { errorResponses, successHeaders } from './responses.ts';

const camelCase = (operation: string) => operation.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());

const parameterRef = (name: RequestHeader) => ({ $ref: `#/components/parameters/${name}` as const });

const pathParameters = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path' as const,
    required: true,
    description: path.startsWith('/filings') ? 'The id of the filing.' : 'The id of the transaction.',
    schema: { type: 'string' as const, minLength: 1 },
    example: path.startsWith('/filings') ? exampleFilingId : exampleId,
  }));

type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;

const requestBody = (
  operation: Operation,
  schema: NonNullable<OperationDefinition['body']>,
): ZodOpenApiRequestBodyObject => {
  const examples: Examples = { ...(requestExamples as Partial<Record<Operation, Examples>>)[operation] };
  return { required: true, content: { 'application/json': { schema, examples } } };
};

type Success = OperationDefinition['success'];

const successContent = ({ schema, example, csv, html }: Success) => ({
  [html ? 'text/html' : 'application/json']: { ...(schema && { schema }), ...(example !== undefined && { example }) },
  ...(csv !== undefined && { 'text/csv': { schema: { type: 'string' as const }, example: csv } }),
});

const responses = (operation: Operation, definition: OperationDefinition): ZodOpenApiResponsesObject => {
  const { success, otherSuccess } = definition;
  return {
    ...Object.fromEntries(
      [success, ...(otherSuccess ? [otherSuccess] : [])].map((one) => [
        `${one.status}`,
        {
          description: one.description,
          headers: successHeaders(operation, one.headers ?? [], one.sometimes ?? []),
          content: successContent(one),
        },
      ]),
    ),
    ...(definition.notModified && {
      304: { description: definition.notModified, headers: successHeaders(operation, ['ETag']) },
    }),
    ...errorResponses(operation),
  };
};

const operationObject = (
  operation: Operation,
  { path, scope }: Route,
  definition: OperationDefinition,
): ZodOpenApiOperationObject => {
  const { tag, summary, description, requestHeaders = [], query, body } = definition;
  return {
    operationId: camelCase(operation),
    tags: [tag],
    summary,
    description: scope === null ? description : `${description}\n\nThe credential needs the scope \`${scope}\`.`,
    ...(scope === null && { security: [] }),
    parameters: [...pathParameters(path), ...(['ServiceVersion', ...requestHeaders] as const).map(parameterRef)],
    ...(query && { requestParams: { query } }),
    ...(body && { requestBody: requestBody(operation, body) }),
    responses: responses(operation, definition),
  };
};

/** The paths of the route table, in its order. */
export const pathItems = (): ZodOpenApiPathsObject => {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const [operation, route] of Object.entries(routes) as [Operation, Route][]) {
    const item = { [route.method.toLowerCase()]: operationObject(operation, route, operations[operation]) };
    paths[route.path] = { ...paths[route.path], ...item };
  }
  return paths;
};
