import type { APIGatewayProxyResult } from 'aws-lambda';
import type * as z from 'zod/mini';
import { assert } from '../assert.ts';
import type { Code } from '../error-codes.ts';
import type { Problem } from '../problem.ts';
import type { Result } from '../result.ts';
import { type TableAccess, withCaller } from '../store/table-access.ts';
import { type BodyDefinition, parseBody } from './body.ts';
import { type Caller, callerOf, type Exchange, Refusal, type Scope } from './exchange.ts';
import { inBodyOrder } from './field-problems.ts';
import { type Handler, lambdaHandler } from './lambda-handler.ts';
import type { Tag } from './openapi/document.ts';
import type { RequestHeader, ResponseHeader } from './openapi/headers.ts';
import type { ResponseSchemaName } from './openapi/response-schemas.ts';
import { readQuery } from './query.ts';
import { readBody } from './read-body.ts';
import { envelope, proxyResult, type Reply } from './reply.ts';
import { currentBody, problemsInVersion, replyInVersion } from './versions/shape.ts';
import { refuseUnknownVersion } from './versions.ts';

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
  /** What the function may do to the tables. `defineEndpoint` adds what finding the caller takes. */
  readonly access: TableAccess;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  /** Headers that the endpoint reads, besides those that its scope, body and `notModified` imply (openapi/path-items.ts). */
  readonly requestHeaders?: readonly RequestHeader[];
  readonly responses: readonly [DocumentedResponse, ...DocumentedResponse[]];
  /** What 304 means. The endpoint then reads If-None-Match, and each 200 has an ETag. */
  readonly notModified?: string;
  /** The error codes of this endpoint; those of every endpoint, credential, body and query follow (endpoint-errors.ts). */
  readonly errors: readonly Code[];
};

/** The input of `run`: the request is checked, and only the exchange depends on HTTP. */
type Input<Body, Query> = {
  readonly body: Body;
  readonly query: Query;
  /** The `{id}` of the path. */
  readonly id: string;
  /** JSON Pointers of unknown body fields, which become warnings. */
  readonly unknownFields: readonly string[];
  readonly caller: Caller;
  readonly version: string;
  readonly exchange: Exchange;
};

type Implementation<Body extends z.ZodMiniType, Query extends z.ZodMiniType> = {
  readonly body?: BodyDefinition<Body>;
  readonly query?: Query;
  readonly run: (input: Input<z.output<Body>, z.output<Query>>) => Promise<Result<Reply>> | Result<Reply>;
};

/** Answers the request of a known caller. */
export type Serve = (exchange: Exchange) => Promise<APIGatewayProxyResult>;

export type Endpoint<Name extends string = string> = EndpointDescription<Name> & {
  readonly body?: BodyDefinition<z.ZodMiniType>;
  readonly query?: z.ZodMiniType;
  readonly serve: Serve;
};

const isSome = (problems: readonly Problem[]): problems is readonly [Problem, ...Problem[]] => problems.length > 0;

const serveWith =
  <Body extends z.ZodMiniType, Query extends z.ZodMiniType>({ body, query, run }: Implementation<Body, Query>): Serve =>
  async (exchange) => {
    if (body) readBody(exchange);
    refuseUnknownVersion(exchange);
    const parsedQuery = readQuery(query, exchange);
    const { changes = [] } = exchange;
    const sent = currentBody(exchange.body, changes);
    const parsedBody = body ? parseBody(body, { ...exchange, body: sent }) : undefined;
    const problems: readonly Problem[] = [...parsedQuery.problems, ...(parsedBody?.problems ?? [])];
    if (isSome(problems)) throw new Refusal(problemsInVersion(problems, changes));
    const { version, pathParameters } = exchange;
    assert(version !== undefined, 'The handler resolves the version first.');
    const result = await run({
      body: parsedBody?.value as z.output<Body>,
      query: parsedQuery.value as z.output<Query>,
      id: pathParameters['id'] ?? '',
      unknownFields: parsedBody?.unknownFields ?? [],
      caller: callerOf(exchange),
      version,
      exchange,
    });
    if (result.ok) return proxyResult(replyInVersion(result.value, changes), exchange);
    // Problems are listed in the order of the body.
    const [first = result.problems[0], ...others] = inBodyOrder(result.problems, sent);
    return proxyResult(envelope(problemsInVersion([first, ...others], changes), exchange.requestId), exchange);
  };

/**
 * Define an endpoint that needs a credential, and its Lambda handler. The routes, the IAM grants, the scopes and the OpenAPI
 * document derive from this definition.
 *
 * `serve` refuses in the published order (interface decisions 9), after the refusals of the handler: 415, 413, 400, the
 * version, all field problems at once, and then what `run` refuses.
 */
export const defineEndpoint = <
  const Name extends string,
  Body extends z.ZodMiniType = z.ZodMiniType,
  Query extends z.ZodMiniType = z.ZodMiniType,
>(
  definition: EndpointDescription<Name> & { readonly scope: Scope } & Implementation<Body, Query>,
): { readonly endpoint: Endpoint<Name>; readonly handler: Handler } => {
  const access = withCaller(definition.access);
  const endpoint: Endpoint<Name> = { ...definition, access, serve: serveWith(definition) };
  return { endpoint, handler: lambdaHandler(endpoint) };
};
