import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { observed } from '../observability/request-line.ts';
import { tally } from '../observability/tally.ts';
import { authenticate, authorize } from './authenticate.ts';
import type { Endpoint } from './endpoint.ts';
import { limitRate } from './limit-rate.ts';
import { errorResult } from './reply.ts';
import { type RequestContext, requestContext } from './request-context.ts';
import { resolveVersion, setRequestedVersion } from './versions.ts';

export type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** After the first step `event` is the context: middy passes `event`, and nothing else of the request, to the handler. */
type Request = middy.Request<RequestContext, APIGatewayProxyResult>;
type Step = (context: RequestContext) => void | Promise<void>;

// First in and last out, so that every response passes here.
const answerErrors = {
  before: (request: Request) => {
    request.event = requestContext(request.event as unknown as APIGatewayProxyEvent, () =>
      request.context.getRemainingTimeInMillis(),
    );
  },
  onError: (request: Request) => {
    const { error, event } = request;
    // An error before the first step is done is a bug in requestContext: let Lambda report it.
    if ('replyHeaders' in event) request.response = errorResult(error, event);
  },
};

// Steps refuse by throwing. A step must return nothing: middy would take a returned value for the response and skip `after`.
const step = (run: Step) => ({
  before: async ({ event }: Request) => {
    await run(event);
  },
});

// The log line names the account even if a later step refuses the request.
const authenticateAndTally: Step = async (context) => {
  await authenticate(context);
  const own = tally();
  if (own && context.caller) own.account = context.caller.account.id;
};

// In the published order: 401, 403, 429.
const listSteps = (endpoint: Endpoint): readonly Step[] => [
  setRequestedVersion,
  authenticateAndTally,
  resolveVersion,
  authorize(endpoint),
  limitRate,
];

// Lambda freezes the process after the response, so the work must end first. Return nothing, because middy would take a
// value for the response.
const awaitBackgroundWork = async ({ event }: Request): Promise<void> => {
  await event.backgroundWork;
};

/** Make the Lambda handler of an endpoint: find the caller, check the scope and the rate limit, and serve the request. */
export const lambdaHandler = (endpoint: Endpoint): Handler =>
  observed(
    endpoint.name,
    middy<RequestContext, APIGatewayProxyResult>({ timeoutEarlyInMillis: 500 })
      .use(answerErrors)
      .use({ after: awaitBackgroundWork, onError: awaitBackgroundWork })
      .use(listSteps(endpoint).map(step))
      .handler(endpoint.serve) as unknown as Handler,
  );
