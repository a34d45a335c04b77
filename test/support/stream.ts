import { DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb';

const endpoint = () => process.env['DYNAMODB_ENDPOINT'] as string;

// No client for streams among the packages: two calls of one JSON protocol. Emulators look at the credential's form alone.
const ask = async <Reply>(action: string, body: Record<string, unknown>): Promise<Reply> => {
  const response = await fetch(endpoint(), {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-amz-json-1.0',
      'X-Amz-Target': `DynamoDBStreams_20120810.${action}`,
      'X-Amz-Date': '20261001T000000Z',
      Authorization:
        'AWS4-HMAC-SHA256 Credential=local/20261001/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${action}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Reply;
};

/** Have the emulator keep a stream of a table, as the deployed one has (infra/tables.ts); answers its ARN. */
export const openStream = async (table: string): Promise<string> => {
  const { TableDescription } = await new DynamoDBClient({ endpoint: endpoint() }).send(
    new UpdateTableCommand({
      TableName: table,
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    }),
  );
  const arn = TableDescription?.LatestStreamArn;
  if (!arn) throw new Error('The emulator keeps no stream.');
  return arn;
};

/** Every record that the stream has by now, as DynamoDB writes them. */
export const recordsOf = async (StreamArn: string): Promise<Record<string, unknown>[]> => {
  const records: Record<string, unknown>[] = [];
  const { StreamDescription } = await ask<{ StreamDescription: { Shards: { ShardId: string }[] } }>('DescribeStream', {
    StreamArn,
  });
  for (const { ShardId } of StreamDescription.Shards) {
    const start = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' };
    let { ShardIterator } = await ask<{ ShardIterator: string }>('GetShardIterator', start);
    for (;;) {
      const page = await ask<{ Records: Record<string, unknown>[]; NextShardIterator?: string }>('GetRecords', {
        ShardIterator,
        Limit: 1000,
      });
      // An open shard goes on for ever.
      if (page.Records.length === 0) break;
      records.push(...page.Records);
      if (!page.NextShardIterator) break;
      ShardIterator = page.NextShardIterator;
    }
  }
  return records;
};
