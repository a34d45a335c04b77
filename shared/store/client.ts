import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { environment } from '../config/environment.ts';

const { dynamodbEndpoint, region } = environment;

/**
 * The one DynamoDB client of an instance, made once and kept open between invocations.
 *
 * One retry layer of three attempts; a hung request is given up after 1.5 s (`requestTimeout` alone only warns).
 */
export const database = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    region,
    ...(dynamodbEndpoint && { endpoint: dynamodbEndpoint }),
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 300, requestTimeout: 1500, throwOnRequestTimeout: true },
  }),
  { marshallOptions: { removeUndefinedValues: true } },
);
