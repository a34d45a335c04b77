import { DescribeTableCommand, DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb';

const endpoint = () => process.env['DYNAMODB_ENDPOINT'] as string;

// No installed package has a client for DynamoDB Streams, so these calls use the JSON protocol of the service. Emulators
// check only the format of the credential.
const call = async <Body>(action: string, body: Record<string, unknown>): Promise<Body> => {
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
  return (await response.json()) as Body;
};

/** Enables the stream of a table in the emulator, as the deployed table has it (infra/tables.ts). Returns its ARN. */
export const openStream = async (TableName: string): Promise<string> => {
  const client = new DynamoDBClient({ endpoint: endpoint() });
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    if (Table?.LatestStreamArn) return Table.LatestStreamArn;
    const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' as const };
    const { TableDescription } = await client.send(new UpdateTableCommand({ TableName, StreamSpecification }));
    const arn = TableDescription?.LatestStreamArn;
    if (!arn) throw new Error('The emulator has no stream for the table.');
    return arn;
  } finally {
    client.destroy();
  }
};

export type StreamRecord = Record<string, unknown>;
type Page = { readonly Records: StreamRecord[]; readonly NextShardIterator?: string };

/**
 * Returns a reader of a stream from its beginning. Each call returns the records since the last call, at most 1,000 per
 * shard.
 */
export const streamReader = (StreamArn: string): (() => Promise<StreamRecord[]>) => {
  // `null` at the end of a closed shard.
  const positions = new Map<string, string | null>();
  const readIterator = async (ShardId: string): Promise<string | null> => {
    const known = positions.get(ShardId);
    if (known !== undefined) return known;
    const start = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' };
    return (await call<{ ShardIterator: string }>('GetShardIterator', start)).ShardIterator;
  };
  return async () => {
    const records: StreamRecord[] = [];
    const { StreamDescription } = await call<{ StreamDescription: { Shards: { ShardId: string }[] } }>(
      'DescribeStream',
      { StreamArn },
    );
    for (const { ShardId } of StreamDescription.Shards) {
      const ShardIterator = await readIterator(ShardId);
      if (ShardIterator === null) continue;
      const page = await call<Page>('GetRecords', { ShardIterator, Limit: 1000 });
      positions.set(ShardId, page.NextShardIterator ?? null);
      records.push(...page.Records);
    }
    return records;
  };
};

type Leaf = string | number | boolean | null | { readonly prefix: string };
export type Pattern = { readonly [field: string]: Pattern | readonly Leaf[] };

const fits = (leaf: Leaf, value: unknown): boolean =>
  typeof leaf === 'object' && leaf !== null
    ? typeof value === 'string' && value.startsWith(leaf.prefix)
    : leaf === value;

/**
 * Returns whether an EventBridge pattern matches an event (EventBridge user guide), for values and `prefix`: every
 * field of the pattern must exist and have one of its values.
 */
export const matches = (pattern: Pattern, event: unknown): boolean =>
  Object.entries(pattern).every(([field, expected]) => {
    const value = typeof event === 'object' && event !== null ? (event as Record<string, unknown>)[field] : undefined;
    if (!Array.isArray(expected)) return matches(expected as Pattern, value);
    for (const leaf of expected)
      if (typeof leaf === 'object' && leaf !== null && Object.keys(leaf).join() !== 'prefix')
        throw new Error('Unsupported operator.');
    // One matching list element is enough.
    return [value].flat().some((one) => one !== undefined && expected.some((leaf) => fits(leaf, one)));
  });
