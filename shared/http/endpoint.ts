import { setImmediate as nextTurn } from 'node:timers/promises';
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { observed } from '../observability/request-line.ts';
import { tally } from '../observability/tally.ts';
import { authenticate, authorize } from './authenticate.ts';
import { type Exchange, exchangeOf, Refusal } from './exchange.ts';
import { failure } from './failure.ts';
import { limitRate } from './limit-rate.ts';
import type { Serve } from './operation.ts';
import { envelope, proxyResult } from './reply.ts';
import type { Operation } from './routes.ts';
import { scopes } from './scopes.ts';
import type { Version } from './versions/version.ts';
import { presumeVersion, resolveVersion } from './versions.ts';

export type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

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

// Also where the caller is refused later on.
const authenticateAndNote: Step = async (exchange) => {
  await authenticate(exchange);
  const own = tally();
  if (own && exchange.caller) own.account = exchange.caller.account.id;
};

type Loaded = { readonly serve: Serve };
type Load = () => Promise<Loaded>;

// To ask for a module again takes longer than many a request.
const once = (load: Load): Load => {
  let loaded: Loaded | undefined;
  return async () => {
    loaded ??= await load();
    return loaded;
  };
};

// The count waits for the database. Meanwhile the operation loads, a turn later: the count is on its way by then.
const limitRateAndLoad =
  (load: Load): Step =>
  async (exchange) => {
    await Promise.all([limitRate(exchange), nextTurn().then(load)]);
  };

// In the published order (interface decisions 9): 401, 403, 429.
const stepsOf = (operation: Operation, load: Load, versions: readonly Version[] | undefined): readonly Step[] => [
  presumeVersion,
  authenticateAndNote,
  resolveVersion(operation, versions),
  authorize(scopes[operation]),
  limitRateAndLoad(load),
];

// By its end it is mostly long done. Nothing is returned: middy would take it for the answer.
const endBeside = async ({ event }: Request): Promise<void> => {
  await event.beside;
};

/**
 * Make the Lambda handler of an operation: find the caller, and let the operation check the request, run, and answer.
 *
 * The operation is loaded for the first caller who may have it: neither the start nor a stranger waits for it (decision 0006).
 */
export const endpoint = (operation: Operation, load: Load, versions?: readonly Version[]): Handler => {
  const loaded = once(load);
  return observed(
    operation,
    middy<Exchange, APIGatewayProxyResult>({ timeoutEarlyInMillis: 500 })
      .use(answerErrors)
      .use({ after: endBeside, onError: endBeside })
      .use(stepsOf(operation, loaded, versions).map(step))
      .handler(async (exchange: Exchange) => (await loaded()).serve(exchange)) as unknown as Handler,
  );
};
