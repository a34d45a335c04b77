import type { APIGatewayProxyResult } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { Problem } from '../problem.ts';
import type { Result } from '../result.ts';
import { type BodyDefinition, parseBody, readBody } from './body.ts';
import { type Caller, type Exchange, Refusal } from './exchange.ts';
import { inBodyOrder } from './field-problems.ts';
import { readQuery } from './query.ts';
import { envelope, proxyResult, type Reply } from './reply.ts';
import { askedProblems, askedReply, currentBody } from './versions/shape.ts';
import { refuseUnknownVersion } from './versions.ts';

type Definition<Body extends z.ZodMiniType, Query extends z.ZodMiniType> = {
  readonly body?: BodyDefinition<Body>;
  readonly query?: Query;
  readonly run: (input: Input<z.output<Body>, z.output<Query>>) => Promise<Result<Reply>> | Result<Reply>;
};

/** What an operation gets: everything is checked, and nothing is left of HTTP but the exchange. */
type Input<Body, Query> = {
  readonly body: Body;
  readonly query: Query;
  /** Body fields that nobody knows, as pointers; they become warnings. */
  readonly unknownFields: readonly string[];
  readonly caller: Caller;
  readonly version: string;
  readonly exchange: Exchange;
};

/** Answers the request of a caller that is known. */
export type Serve = (exchange: Exchange) => Promise<APIGatewayProxyResult>;

const isSome = (problems: readonly Problem[]): problems is readonly [Problem, ...Problem[]] => problems.length > 0;

/**
 * Turn one typed function into what an endpoint serves: check the request, run, and answer in the house format.
 *
 * Refusals come in the published order (interface decisions 9), after those of the endpoint: 415, 413, 400, the version,
 * all field problems at once, and then whatever the function itself refuses.
 */
export const operation =
  <Body extends z.ZodMiniType = z.ZodMiniType, Query extends z.ZodMiniType = z.ZodMiniType>({
    body,
    query,
    run,
  }: Definition<Body, Query>): Serve =>
  async (exchange) => {
    if (body) readBody(exchange);
    refuseUnknownVersion(exchange);
    const readQueryResult = readQuery(query, exchange);
    const { changes = [] } = exchange;
    const sent = currentBody(exchange.body, changes);
    const parsedBody = body ? parseBody(body, { ...exchange, body: sent }) : undefined;
    const problems: readonly Problem[] = [...readQueryResult.problems, ...(parsedBody?.problems ?? [])];
    if (isSome(problems)) throw new Refusal(askedProblems(problems, changes));
    const { caller, version } = exchange;
    if (!caller || version === undefined) throw new Error('The endpoint has found the caller and the version.');
    const result = await run({
      body: parsedBody?.value as z.output<Body>,
      query: readQueryResult.value as z.output<Query>,
      unknownFields: parsedBody?.unknownFields ?? [],
      caller,
      version,
      exchange,
    });
    if (result.ok) return proxyResult(askedReply(result.value, changes), exchange);
    // As with the format of fields: what is wrong is named in the order of the body, whatever was found first.
    const [first = result.problems[0], ...others] = inBodyOrder(result.problems, sent);
    return proxyResult(envelope(askedProblems([first, ...others], changes), exchange.requestId), exchange);
  };
