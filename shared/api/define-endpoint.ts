import type * as z from 'zod/mini';
import { assert } from '../base/assert.ts';
import { mapResult, type Problem, type Result } from '../base/result.ts';
import { withCaller } from '../store/table-access.ts';
import { type BodyDefinition, parseBody, readBody } from './body.ts';
import type { Endpoint, EndpointDescription, Serve } from './endpoint.ts';
import { inBodyOrder, readQuery } from './field-problems.ts';
import { type Handler, lambdaHandler } from './lambda-handler.ts';
import { type Caller, Refusal, type RequestContext, requireCaller, type Scope } from './request-context.ts';
import { type EndpointResponse, envelope, ok, proxyResult } from './response.ts';
import { refuseUnknownVersion } from './versions.ts';

export type { Documentation, Samples } from './endpoint.ts';

/** The input of an implementation: a validated request. Only the context depends on HTTP. */
type Input<Body, Query> = {
  readonly body: Body;
  /** The raw body, including fields that the schema strips. */
  readonly sent: unknown;
  readonly query: Query;
  /** The `{id}` of the path. */
  readonly id: string;
  /** JSON Pointers of unknown body fields, which become warnings. */
  readonly unknownFields: readonly string[];
  readonly caller: Caller;
  readonly version: string;
  readonly context: RequestContext;
};

type Run<Body extends z.ZodMiniType, Query extends z.ZodMiniType, Value> = (
  input: Input<z.output<Body>, z.output<Query>>,
) => Promise<Result<Value>> | Result<Value>;

/** `run` returns the whole response; `respond` returns only the body of a 200 without extra headers. */
type Implementation<Body extends z.ZodMiniType, Query extends z.ZodMiniType> = {
  readonly body?: BodyDefinition<Body>;
  readonly query?: Query;
} & ({ readonly run: Run<Body, Query, EndpointResponse> } | { readonly respond: Run<Body, Query, object> });

const isSome = (problems: readonly Problem[]): problems is readonly [Problem, ...Problem[]] => problems.length > 0;

const serveWith =
  <Body extends z.ZodMiniType, Query extends z.ZodMiniType>(definition: Implementation<Body, Query>): Serve =>
  async (context) => {
    const { body, query } = definition;
    if (body) readBody(context);
    refuseUnknownVersion(context);
    const parsedQuery = readQuery(query, context);
    const sent = context.body;
    const parsedBody = body ? parseBody(body, context) : undefined;
    const problems: readonly Problem[] = [...parsedQuery.problems, ...(parsedBody?.problems ?? [])];
    if (isSome(problems)) throw new Refusal(problems);
    const { version, pathParameters } = context;
    assert(version !== undefined, 'The version was not resolved before the request.');
    const input = {
      body: parsedBody?.value as z.output<Body>,
      sent,
      query: parsedQuery.value as z.output<Query>,
      id: pathParameters['id'] ?? '',
      unknownFields: parsedBody?.unknownFields ?? [],
      caller: requireCaller(context),
      version,
      context,
    };
    const result = 'run' in definition ? await definition.run(input) : mapResult(await definition.respond(input), ok);
    if (result.ok) return proxyResult(result.value, context);
    // Problems are listed in the order of the body.
    const [first = result.problems[0], ...others] = inBodyOrder(result.problems, sent);
    return proxyResult(envelope([first, ...others], context.requestId), context);
  };

/**
 * Defines an endpoint that requires a credential, and its Lambda handler. Routes, IAM grants, scopes and the OpenAPI
 * document derive from this definition. After the handler's checks, `serve` checks in the published order: 415, 413,
 * 400, the version, all field problems at once, and then the checks of `run`.
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
