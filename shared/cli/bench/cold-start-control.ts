import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';

const { AWS_REGION = 'us-east-1', DYNAMODB_ENDPOINT = '' } = process.env;
const client = new DynamoDBClient({
  region: AWS_REGION,
  endpoint: DYNAMODB_ENDPOINT,
  maxAttempts: 1,
  requestHandler: {},
});

/** The least that a function with a database does: a bare client reads one item. What cold starts are held against. */
export const handler = async (): Promise<{ statusCode: number }> => {
  const key = { pk: { S: 'bench' }, sk: { S: 'bench' } };
  await client.send(new GetItemCommand({ TableName: 'accounts', Key: key, ConsistentRead: true }));
  return { statusCode: 200 };
};
