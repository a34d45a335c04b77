/** An endpoint definition, used by the Lambda handler, the CDK app, the gateways and the OpenAPI document. */
import type { APIGatewayProxyResult } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { Code } from '../base/error-codes.ts';
import type { Problem } from '../base/result.ts';
import type { TableAccess } from '../store/table-access.ts';
import type { BodyDefinition } from './body.ts';
import type { RequestHeader, ResponseHeader } from './openapi/headers.ts';
import type * as samples from './openapi/samples.ts';
import type { RequestContext, Scope } from './request-context.ts';

/**
 * The groups of endpoints on the documentation page, in the order of a typical integration, with an introduction in
 * Markdown, and the tags of operations in the OpenAPI document, in the order of the document.
 */
type Sections = typeof import('./openapi/sections.json', { with: { type: 'json' }});

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
  /** The group in which the documentation page lists the endpoint. */
  readonly group: keyof Sections['groups'];
  readonly tag: keyof Sections['tags'];
  readonly summary: string;
  readonly description: string;
  /**
   * Headers that the endpoint reads, in addition to those implied by its scope, body and `notModified`
   * (openapi/document.ts).
   */
  readonly requestHeaders?: readonly RequestHeader[];
  /** Requests that succeed unchanged. A request with a parent succeeds once the parent exists. */
  readonly requests?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
  readonly response: DocumentedResponse;
  readonly otherResponses?: readonly DocumentedResponse[];
  /** The meaning of a 304. If set, the endpoint reads If-None-Match, and each 200 has an ETag. */
  readonly notModified?: string;
  /**
   * The error codes of this endpoint. `listErrorCodes` adds the common codes for credentials, bodies and queries.
   */
  readonly errors?: readonly Code[];
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

export type DocumentedEndpoint<Name extends string = string> = Endpoint<Name> & Documentation;

/** The id of an endpoint in the OpenAPI document. */
export const operationId = (name: string): string =>
  name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** Refusals shared by `POST /calculations` and all other requests that calculate tax. */
export const calculationErrors = [
  'validation_unknown_product_tax_code',
  'validation_unknown_product_attribute',
  'validation_product_attribute_not_applicable',
  'validation_product_attribute_conflict',
  'validation_address_unresolvable',
  'validation_not_covered',
  'conflict_parent_not_creditable',
  'conflict_over_credit',
] as const satisfies readonly Code[];

const everyEndpoint = [
  'method_not_allowed',
  'validation_unknown_parameter',
  'validation_unknown_service_version',
  'rate_limit_error',
  'system_internal_error',
  'system_service_unavailable',
] as const satisfies readonly Code[];

const withCredential = [
  'auth_error',
  'auth_api_key_not_found',
  'auth_api_key_expired',
  'auth_token_invalid',
  'auth_forbidden',
] as const satisfies readonly Code[];

const withBody = [
  'validation_malformed_json',
  'validation_body_too_large',
  'validation_unsupported_media_type',
  'validation_required_field',
  'validation_invalid_format',
  'validation_unknown_field',
] as const satisfies readonly Code[];

/** Returns every error code that an endpoint can return. The contract tests check each response against this list. */
export const listErrorCodes = ({ scope, body, query, errors = [] }: DocumentedEndpoint): readonly Code[] => [
  ...new Set<Code>([
    ...everyEndpoint,
    ...(scope === null ? [] : withCredential),
    ...(body ? withBody : []),
    ...(scope === 'write' ? (['idempotency_key_reused'] as const) : []),
    ...(query ? (['validation_invalid_format'] as const) : []),
    ...errors,
  ]),
];
