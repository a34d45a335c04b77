import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { environment } from '../../config/environment.ts';
import { tally } from '../../observability/tally.ts';

const { dynamodbEndpoint, region } = environment;

const attempts = 3;
const connectMs = 300;
const answerMs = 1500;
// The SDK's own pauses before the second and the third attempt, where it is throttled: 500 ms, then 1 s.
const pausesMs = 1500;

/** How long one call may take at the worst, all attempts together. */
export const callMsMax = attempts * (connectMs + answerMs) + pausesMs;

/**
 * The one DynamoDB client of an instance, made once and kept open between invocations.
 *
 * One retry layer of three attempts; a hung request is given up after 1.5 s (`requestTimeout` alone only warns).
 * The bundles have a smaller client (`sdk/client.ts`), which refuses settings that it does not know.
 */
export const database = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    region,
    ...(dynamodbEndpoint && { endpoint: dynamodbEndpoint }),
    maxAttempts: attempts,
    requestHandler: { connectionTimeout: connectMs, requestTimeout: answerMs, throwOnRequestTimeout: true },
  }),
  { marshallOptions: { removeUndefinedValues: true } },
);

type Consumed = { readonly CapacityUnits?: number };

// All of a call's attempts are one call. One that fails says nothing of its units.
database.middlewareStack.add(
  (next) => async (sent) => {
    const own = tally();
    if (!own) return next(sent);
    own.calls += 1;
    const answer = await next({ ...sent, input: { ReturnConsumedCapacity: 'TOTAL', ...sent.input } as never });
    const { ConsumedCapacity = [] } = answer.output as { ConsumedCapacity?: Consumed | readonly Consumed[] };
    for (const { CapacityUnits = 0 } of [ConsumedCapacity].flat()) own.units += CapacityUnits;
    return answer;
  },
  { step: 'initialize', name: 'tally' },
);
