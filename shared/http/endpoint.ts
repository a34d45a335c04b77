import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { Problem } from '../problem.ts';
import type { Result } from '../result.ts';
import { authenticate, authorize } from './authenticate.ts';
import { type BodyDefinition, parseBody, readBody } from './body.ts';
import { type Caller, type Exchange, exchangeOf, Refusal } from './exchange.ts';
import { failure } from './failure.ts';
import { limitRate } from './limit-rate.ts';
import { readQuery } from './query.ts';
import { envelope, proxyResult, type Reply } from './reply.ts';
import { type Operation, routes } from './routes.ts';
import { presumeVersion, refuseUnknownVersion, resolveVersion } from './versions.ts';

export type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

type Definition<Body extends z.ZodMiniType, Query extends z.ZodMiniType> = {
  readonly body?: BodyDefinition<Body>;
  readonly query?: Query;
  readonly run: (input: Input<z.output<Body>, z.output<Query>>) => Promise<Result<Reply>> | Result<Reply>;
};

/** What an operation gets: everything is checked, and nothing is left of HTTP but the exchange. */
export type Input<Body, Query> = {
  readonly body: Body;
  readonly query: Query;
  /** Body fields that nobody knows, as pointers; they become warnings. */
  readonly unknownFields: readonly string[];
  readonly caller: Caller;
  readonly version: string;
  readonly exchange: Exchange;
};

/** After the first step `event` is the exchange: middy hands `event`, and nothing else of the request, to the handler. */
type Request = middy.Request<Exchange, APIGatewayProxyResult>;
type Step = (exchange: Exchange) => void | Promise<void>;

// First in and last out, so that every answer of any kind passes here.
const answerErrors = {
  before: (request: Request) => {
    request.event = exchangeOf(request.event as unknown as APIGatewayProxyEvent, () =>
      request.context.getRemainingTimeInMillis(),
    );
  },
  onError: (request: Request) => {
    const { error, event } = request;
    // A failure before the first step is done would be a bug in exchangeOf itself: let Lambda report it.
    if (!('replyHeaders' in event)) return;
    const refusal = error instanceof Refusal ? error : failure(error, event.requestId);
    request.response = proxyResult({ ...envelope(refusal.problems, event.requestId), headers: refusal.headers }, event);
  },
};

// Steps refuse by throwing. A step must return nothing: middy takes a returned value for the answer and then runs no `after`.
const step = (run: Step) => ({
  before: async ({ event }: Request) => {
    await run(event);
  },
});

const stack = (operation: Operation, steps: readonly Step[]) =>
  middy<Exchange, APIGatewayProxyResult>({ timeoutEarlyInMillis: 500 })
    .use(answerErrors)
    .use(
      [presumeVersion, authenticate, resolveVersion, authorize(routes[operation].scope), limitRate, ...steps].map(step),
    );

/**
 * Turn one typed function into a Lambda handler: find the caller, check the request, run, and answer in the house format.
 *
 * Refusals come in the published order (interface decisions 9): 401, 403, 429, 415, 413, 400, the version, all field
 * problems at once, and then whatever the operation itself refuses.
 */
export const endpoint = <Body extends z.ZodMiniType = z.ZodMiniType, Query extends z.ZodMiniType = z.ZodMiniType>(
  operation: Operation,
  { body, query, run }: Definition<Body, Query>,
): Handler =>
  stack(operation, [...(body ? [readBody] : []), refuseUnknownVersion]).handler(async (exchange: Exchange) => {
    const readQueryResult = readQuery(query, exchange);
    const parsedBody = body ? parseBody(body, exchange) : undefined;
    const problems: readonly Problem[] = [...readQueryResult.problems, ...(parsedBody?.problems ?? [])];
    if (isSome(problems)) throw new Refusal(problems);
    const { caller, version } = exchange;
    if (!caller || version === undefined) throw new Error('The stack has found the caller and the version.');
    const result = await run({
      body: parsedBody?.value as z.output<Body>,
      query: readQueryResult.value as z.output<Query>,
      unknownFields: parsedBody?.unknownFields ?? [],
      caller,
      version,
      exchange,
    });
    return proxyResult(result.ok ? result.value : envelope(result.problems, exchange.requestId), exchange);
  }) as unknown as Handler;

const isSome = (problems: readonly Problem[]): problems is readonly [Problem, ...Problem[]] => problems.length > 0;
