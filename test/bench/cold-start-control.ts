import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';

const { AWS_REGION = 'us-east-1', DYNAMODB_ENDPOINT = '' } = process.env;
const client = new DynamoDBClient({
  region: AWS_REGION,
  endpoint: DYNAMODB_ENDPOINT,
  maxAttempts: 1,
  requestHandler: {},
});

/** The baseline for cold starts: a bare SDK client reads one item. */
export const handler = async (): Promise<{ statusCode: number }> => {
  const key = { pk: { S: 'bench' }, sk: { S: 'bench' } };
  await client.send(new GetItemCommand({ TableName: 'accounts', Key: key, ConsistentRead: true }));
  return { statusCode: 200 };
};
