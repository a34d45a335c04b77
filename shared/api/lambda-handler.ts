import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { observed } from '../observability/request-line.ts';
import { tally } from '../observability/tally.ts';
import { authenticate, authorize } from './authenticate.ts';
import type { Endpoint } from './endpoint.ts';
import { limitRate } from './limit-rate.ts';
import { type RequestContext, requestContext } from './request-context.ts';
import { errorResult } from './response.ts';
import { resolveVersion, setRequestedVersion } from './versions.ts';

export type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** After the first step, `event` is the context, because middy passes only `event` to the handler. */
type Request = middy.Request<RequestContext, APIGatewayProxyResult>;
type Step = (context: RequestContext) => void | Promise<void>;

// The outermost step, so every response passes through it.
const returnErrors = {
  before: (request: Request) => {
    request.event = requestContext(request.event as unknown as APIGatewayProxyEvent, () =>
      request.context.getRemainingTimeInMillis(),
    );
  },
  onError: (request: Request) => {
    const { error, event } = request;
    // An error before the first step completes is a bug in requestContext, so Lambda reports it.
    if ('responseHeaders' in event) request.response = errorResult(error, event);
  },
};

// Steps refuse by throwing. A step must return `undefined`: middy treats any other value as the response and skips
// `after`.
const step = (run: Step) => ({
  before: async ({ event }: Request) => {
    await run(event);
  },
});

// The log line includes the account even if a later step refuses the request.
const authenticateAndTally: Step = async (context) => {
  await authenticate(context);
  const own = tally();
  if (own && context.caller) own.account = context.caller.account.id;
};

// The steps run in the published order of errors: 401, 403, 429.
const listSteps = (endpoint: Endpoint): readonly Step[] => [
  setRequestedVersion,
  authenticateAndTally,
  resolveVersion,
  authorize(endpoint),
  limitRate,
];

// Lambda freezes the process after the response, so background work must end first. Returns `undefined`, because middy
// would treat a value as the response.
const awaitBackgroundWork = async ({ event }: Request): Promise<void> => {
  await event.backgroundWork;
};

/**
 * Creates the Lambda handler of an endpoint, which authenticates, checks the scope and the rate limit, and serves the
 * request.
 */
export const lambdaHandler = (endpoint: Endpoint): Handler =>
  observed(
    endpoint.name,
    middy<RequestContext, APIGatewayProxyResult>({ timeoutEarlyInMillis: 500 })
      .use(returnErrors)
      .use({ after: awaitBackgroundWork, onError: awaitBackgroundWork })
      .use(listSteps(endpoint).map(step))
      .handler(endpoint.serve) as unknown as Handler,
  );
