/** The definition of an endpoint, as the Lambda handler, the CDK app, the gateways and the OpenAPI document read it. */
import type { APIGatewayProxyResult } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { Code } from '../base/error-codes.ts';
import type { TableAccess } from '../store/table-access.ts';
import type { BodyDefinition } from './body.ts';
import type { Exchange, Scope } from './exchange.ts';
import type { RequestHeader, ResponseHeader } from './openapi/headers.ts';
import type { ResponseSchemaName } from './openapi/response-schemas.ts';

/** The groups of endpoints, in their order on the documentation page. */
export const tags = [
  {
    name: 'Product attributes',
    description: 'Facts about a product that can change its tax, to append to product tax codes.',
  },
  { name: 'Product tax codes', description: 'Kinds of products that states tax differently.' },
  { name: 'Calculations', description: 'The tax on an order or a refund. Levy stores nothing.' },
  { name: 'Transactions', description: 'Recorded sales and credits, from draft to filed.' },
  { name: 'Customers', description: 'Buyers and their exemption certificates.' },
  { name: 'Filings', description: 'Tax returns: the figures of a state and period, and whether the return was sent.' },
  { name: 'Reports', description: 'Sums of the ledger by state and month.' },
  { name: 'Registrations', description: 'Where the account must register to collect tax (economic nexus).' },
  { name: 'Account', description: 'The account of a credential, and its settings.' },
  { name: 'Rates', description: 'The tax rates of an address, without an order.' },
  { name: 'Coverage', description: 'The states, taxes and products that the tax content covers, with sources.' },
  { name: 'Documentation', description: 'The OpenAPI document and the documentation page.' },
] as const;
export type Tag = (typeof tags)[number]['name'];

/** A successful response, as the OpenAPI document describes it. */
export type DocumentedResponse = {
  readonly status: 200 | 201 | 202;
  readonly description: string;
  /**
   * The name of the schema of the body (openapi/response-schemas.ts), or a JSON Schema. A name, because the function does
   * not use the zod schema and would build it at every cold start.
   */
  readonly schema: ResponseSchemaName | Readonly<Record<string, unknown>>;
  /** `application/json` unless named. */
  readonly type?: 'text/html';
  /** Whether `Accept: text/csv` selects a CSV file instead. */
  readonly hasCsv?: true;
  /** Headers of every such response, besides those that `successHeaders` adds. */
  readonly headers?: readonly ResponseHeader[];
  /** Headers of some such responses, besides Idempotent-Replayed and Preference-Applied. */
  readonly optionalHeaders?: readonly ResponseHeader[];
};

/** The parts of a definition that the CDK app, the gateways and the OpenAPI document read. */
export type EndpointDescription<Name extends string = string> = {
  /** The operation: also the name of the file in functions/, of the metric dimension and of the Lambda function. */
  readonly name: Name;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The scope that a credential needs; `null` is public and reads no account's data. */
  readonly scope: Scope | null;
  /** Whether a body changes nothing, so that the scope `read` is enough. The body is not checked yet. */
  readonly readsOnly?: (body: unknown) => boolean;
  /** The function's permissions on the tables. `defineEndpoint` adds those for authentication. */
  readonly access: TableAccess;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  /**
   * Headers that the endpoint reads, besides those that its scope, body and `notModified` imply
   * (openapi/path-items.ts).
   */
  readonly requestHeaders?: readonly RequestHeader[];
  readonly responses: readonly [DocumentedResponse, ...DocumentedResponse[]];
  /** The meaning of 304. The endpoint then reads If-None-Match, and each 200 has an ETag. */
  readonly notModified?: string;
  /** The error codes of this endpoint; those of every endpoint, credential, body and query follow (endpoint-errors.ts). */
  readonly errors: readonly Code[];
};

/** Answers the request of a known caller. */
export type Serve = (exchange: Exchange) => Promise<APIGatewayProxyResult>;

export type Endpoint<Name extends string = string> = EndpointDescription<Name> & {
  readonly body?: BodyDefinition<z.ZodMiniType>;
  readonly query?: z.ZodMiniType;
  readonly serve: Serve;
};
