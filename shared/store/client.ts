import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { environment } from '../config/environment.ts';

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
