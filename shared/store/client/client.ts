import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { environment } from '../../config/environment.ts';
import { tally } from '../../observability/tally.ts';

const attempts = 3;
const connectMs = 300;
const responseMs = 1500;
// The SDK's maximum backoff when DynamoDB throttles: 500 ms before the second attempt, 1 s before the third.
const backoffMs = 1500;

// An emulator shares the CPU with its callers, which can delay it by seconds.
const emulatorFactor = 10;

/** The maximum duration of one call, including all attempts. */
export const callMsMax = attempts * (connectMs + responseMs) + backoffMs;

type Consumed = { readonly CapacityUnits?: number };

// All attempts of a call count as one call. DynamoDB reports no capacity units for a failed call.
const countCalls = (client: DynamoDBDocumentClient): void =>
  client.middlewareStack.add(
    (next) => async (sent) => {
      const own = tally();
      if (!own) return next(sent);
      own.calls += 1;
      const response = await next({ ...sent, input: { ReturnConsumedCapacity: 'TOTAL' as const, ...sent.input } });
      const { ConsumedCapacity = [] } = response.output as { ConsumedCapacity?: Consumed | readonly Consumed[] };
      for (const { CapacityUnits = 0 } of [ConsumedCapacity].flat()) own.units += CapacityUnits;
      return response;
    },
    { step: 'initialize', name: 'tally' },
  );

/**
 * Creates the DynamoDB client that the deployed functions, `npm start`, the commands and the tests all use.
 *
 * It has one retry layer of three attempts. An attempt without a response is aborted after 1.5 s: `requestTimeout`
 * alone would only log a warning.
 */
const createClient = (): DynamoDBDocumentClient => {
  const { dynamodbEndpoint, region } = environment;
  const factor = dynamodbEndpoint ? emulatorFactor : 1;
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient({
      region,
      ...(dynamodbEndpoint && { endpoint: dynamodbEndpoint }),
      maxAttempts: attempts,
      endpointDiscoveryEnabled: false,
      requestHandler: {
        connectionTimeout: connectMs * factor,
        requestTimeout: responseMs * factor,
        throwOnRequestTimeout: true,
      },
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  );
  countCalls(client);
  // Even without a logger, the middleware formats each input and output: a third of the time of a query of 100 rows.
  client.middlewareStack.remove('loggerMiddleware');
  return client;
};

/** The shared client of the process. Its connections remain open between invocations. */
export const database = createClient();
