/** An endpoint definition, used by the Lambda handler, the CDK app, the gateways and the OpenAPI document. */
import type { APIGatewayProxyResult } from 'aws-lambda';
import type * as z from 'zod/mini';
import { type Code, errorTexts } from '../base/error-codes.ts';
import type { Problem } from '../base/result.ts';
import type { TableAccess } from '../store/table-access.ts';
import type { BodyDefinition } from './body.ts';
import type { RequestHeader, ResponseHeader } from './openapi/headers.ts';
import type * as samples from './openapi/samples.ts';
import type { RequestContext, Scope } from './request-context.ts';

/** The fields that all endpoint examples share. */
export type Samples = typeof samples;

/** A successful response, as the OpenAPI document describes it. */
type DocumentedResponse = {
  /** Default: 200. */
  readonly status?: 200 | 201 | 202;
  readonly description: string;
  /** The zod schema or the JSON Schema of the body. */
  readonly schema: z.ZodMiniType | Readonly<Record<string, unknown>>;
  readonly example: (samples: Samples) => unknown;
  /** Default: `application/json`. */
  readonly type?: 'text/html';
  /** The CSV file that `Accept: text/csv` selects instead. */
  readonly csvExample?: (samples: Samples) => string;
  /** The electronic return that `Accept: application/xml` selects instead. */
  readonly returnExample?: (samples: Samples) => string;
  /** Headers of every such response, in addition to `successHeaders`. */
  readonly headers?: readonly ResponseHeader[];
  /** Headers of some of these responses, in addition to Idempotent-Replayed and Preference-Applied. */
  readonly optionalHeaders?: readonly ResponseHeader[];
};

/**
 * The description of an endpoint in the OpenAPI document and on the documentation page. It is a separate exported
 * function, so tree-shaking drops it from the bundles, together with the response schemas and the tax content that the
 * examples need.
 */
export type Documentation = {
  readonly summary: string;
  readonly description: string;
  /**
   * Headers that the endpoint reads, in addition to those implied by its scope, body and `notModified`
   * (openapi/document.ts).
   */
  readonly requestHeaders?: readonly RequestHeader[];
  /** Example requests that succeed as written, if their parent exists. */
  readonly requests?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
  readonly response: DocumentedResponse;
  readonly otherResponses?: readonly DocumentedResponse[];
  /** The meaning of a 304. If set, the endpoint reads If-None-Match, and each 200 has an ETag. */
  readonly notModified?: string;
  /** Examples of the most frequent refusals, which replace the examples of openapi/responses.ts. */
  readonly errorExamples?: () => readonly Problem[];
};

/** The parts of a definition that the CDK app, the gateways and the handlers read. */
export type EndpointDescription<Name extends string = string> = {
  /** The operation, which is also the name of the file in functions/, the metric dimension and the Lambda function. */
  readonly name: Name;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The required scope; `null` means that the endpoint is public and reads no account data. */
  readonly scope: Scope | null;
  /** Whether a request with this body changes nothing, so the scope `read` is enough. The body is not validated yet. */
  readonly readsOnly?: (body: unknown) => boolean;
  /** The function's table permissions. `defineEndpoint` adds the permissions for authentication. */
  readonly access: TableAccess;
};

/** Handles a request of an authenticated caller. */
export type Serve = (context: RequestContext) => Promise<APIGatewayProxyResult>;

export type Endpoint<Name extends string = string> = EndpointDescription<Name> & {
  readonly body?: BodyDefinition<z.ZodMiniType>;
  readonly query?: z.ZodMiniType;
  readonly serve: Serve;
};

export type DocumentedEndpoint<Name extends string = string> = Endpoint<Name> &
  Documentation & {
    /** The group in which the documentation page lists the endpoint. */
    readonly group: string;
  };

/** The id of an endpoint in the OpenAPI document. */
export const operationId = (name: string): string =>
  name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());

const hasField = (schema: unknown, field: string): boolean =>
  field in ((schema as Partial<z.ZodMiniObject> | undefined)?.shape ?? {});

/** Whether an endpoint belongs to a group of endpoints in `errorTexts`, by its definition. */
const byDefinition: Readonly<Record<string, (endpoint: DocumentedEndpoint) => boolean>> = {
  all: () => true,
  body: ({ body }) => body !== undefined,
  lines: ({ body }) => hasField(body?.schema, 'line_items'),
  query: ({ query }) => query !== undefined,
  scope: ({ scope }) => scope !== null,
  write: ({ scope }) => scope === 'write',
  id: ({ path }) => path.includes('{id}'),
  pages: ({ response }) => hasField(response.schema, 'next_cursor'),
};

/** Returns every error code that an endpoint can return. The contract tests check each response against this list. */
export const listErrorCodes = (endpoint: DocumentedEndpoint): readonly Code[] =>
  (Object.keys(errorTexts) as Code[]).filter((code) =>
    errorTexts[code].endpoints.some((one) => byDefinition[one]?.(endpoint) ?? one === endpoint.name),
  );
