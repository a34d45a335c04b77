import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import * as client from '@aws-sdk/client-dynamodb';
import * as documents from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { bundledSdk } from '../support/bundled-sdk.ts';

type Sdk = ReturnType<typeof bundledSdk>;
type Sent = { readonly headers: Record<string, unknown>; readonly signed: readonly string[]; readonly body: unknown };

const sdks: readonly Sdk[] = [{ ...client, ...documents } as unknown as Sdk, bundledSdk()];
const [, bundled] = sdks as [Sdk, Sdk];
const [errorType, serviceError] = [
  'com.amazonaws.dynamodb.v20120810#',
  { 'content-type': 'application/x-amz-json-1.0' },
];

let answers: readonly [status: number, body: object][] = [];
let sent: Sent[] = [];
const server = createServer(async (request, response) => {
  const { authorization, ...headers } = request.headers;
  for (const name of ['x-amz-date', 'amz-sdk-invocation-id', 'user-agent', 'x-amz-user-agent']) delete headers[name];
  const signed = /SignedHeaders=([^,]+)/.exec(authorization ?? '')?.[1]?.split(';') ?? [];
  const body = JSON.parse(String(await buffer(request)));
  sent.push({ headers, signed: signed.filter((name) => name !== 'x-amz-user-agent'), body });
  const [status, reply] = answers[sent.length - 1] ?? answers.at(-1) ?? [0, {}];
  if (status > 0) response.writeHead(status, serviceError).end(JSON.stringify(reply));
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AWS_SESSION_TOKEN', 'session');
});
// Pauses between attempts are random up to a limit.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0.25));
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** What one of the SDKs sends for a call, and what the caller gets. */
const outcomeOf = async (sdk: Sdk, call: (sdk: Sdk) => object, replies: typeof answers) => {
  [answers, sent] = [replies, []];
  const { port } = server.address() as AddressInfo;
  const database = sdk.DynamoDBDocumentClient.from(
    new sdk.DynamoDBClient({
      region: 'eu-central-1',
      endpoint: `http://127.0.0.1:${port}`,
      maxAttempts: 3,
      requestHandler: { connectionTimeout: 300, requestTimeout: 150, throwOnRequestTimeout: true },
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  );
  const given = await database.send(call(sdk) as never).catch((error: Error) => error);
  return { given, plain: { name: (given as Error).name, message: (given as Error).message, ...given }, sent };
};

const both = async (call: (sdk: Sdk) => object, replies: typeof answers) => {
  const [real, ours] = [await outcomeOf(sdks[0] as Sdk, call, replies), await outcomeOf(bundled, call, replies)];
  expect(ours.sent).toEqual(real.sent);
  expect(ours.plain).toEqual(real.plain);
  return ours;
};

const key = { pk: 'a', sk: 1 };
const item = { ...key, text: 'ü', none: undefined, list: [1, '2', null, true], bytes: new Uint8Array([1, 2]) };
const stored = { pk: { S: 'a' }, sk: { N: '1' }, bytes: { B: 'AQI=' }, map: { M: { deep: { L: [{ NULL: true }] } } } };
const get = ({ GetCommand }: Sdk) => new GetCommand({ TableName: 'accounts', Key: key, ConsistentRead: true });
const put = ({ PutCommand }: Sdk) => new PutCommand({ TableName: 'accounts', Item: item, ConditionExpression: 'x' });
const write = ({ TransactWriteCommand }: Sdk) =>
  new TransactWriteCommand({
    ClientRequestToken: 'token',
    TransactItems: [{ Put: { TableName: 'accounts', Item: item } }, { Delete: { TableName: 'accounts', Key: key } }],
  });
const calls: Record<string, (sdk: Sdk) => object> = {
  get,
  put,
  write,
  item: ({ GetItemCommand }) => new GetItemCommand({ TableName: 'accounts', Key: { pk: { S: 'a' } } }),
  batch: ({ BatchGetCommand }) => new BatchGetCommand({ RequestItems: { accounts: { Keys: [key] } } }),
  query: ({ QueryCommand }) =>
    new QueryCommand({ TableName: 'a', KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': 'a' } }),
  update: ({ UpdateCommand }) =>
    new UpdateCommand({
      TableName: 'a',
      Key: key,
      UpdateExpression: 'ADD n :n',
      ExpressionAttributeValues: { ':n': 1 },
    }),
};

describe('the bundled SDK sends and reads what the SDK does', () => {
  const reply = { Item: stored, Items: [stored], Attributes: stored, Responses: { accounts: [stored] }, Count: 1 };

  it.each(Object.keys(calls))('for %s', async (name) => {
    const { sent, plain } = await both(calls[name] as (typeof calls)[string], [[200, reply]]);
    expect(sent).toHaveLength(1);
    expect(plain).toMatchObject({ $metadata: { httpStatusCode: 200, attempts: 1 } });
  });
});

describe('the bundled SDK fails as the SDK does', () => {
  it('with the reasons of a cancelled transaction, and the items in them', async () => {
    const reasons = [{ Code: 'None' }, { Code: 'ConditionalCheckFailed', Message: 'no', Item: stored }];
    const body = { __type: `${errorType}TransactionCanceledException`, message: 'no', CancellationReasons: reasons };
    const { given, sent, plain } = await both(write, [[400, body]]);
    expect(given).toBeInstanceOf(bundled.TransactionCanceledException);
    expect(plain).toMatchObject({ CancellationReasons: [{ Code: 'None' }, { Item: { pk: { S: 'a' } } }] });
    expect(sent).toHaveLength(1);
  });

  it('with a failed condition, which is not tried again', async () => {
    const { given, sent } = await both(put, [[400, { __type: `${errorType}ConditionalCheckFailedException` }]]);
    expect(given).toBeInstanceOf(bundled.ConditionalCheckFailedException);
    expect(sent).toHaveLength(1);
  });

  it.each([
    [400, 'ThrottlingException'],
    [400, 'ProvisionedThroughputExceededException'],
    [400, 'TransactionInProgressException'],
    [500, 'InternalServerError'],
    [503, 'ServiceUnavailable'],
    [400, 'SomethingNew'],
  ])('with %i %s, as often tried and after the same pauses', async (status, name) => {
    const { plain } = await both(get, [[status, { __type: errorType + name, message: 'busy' }]]);
    expect(plain.name).toBe(name);
  });

  it('with a throttled call that succeeds at the third attempt', async () => {
    const busy: [number, object] = [400, { __type: `${errorType}ThrottlingException` }];
    const { sent, plain } = await both(get, [busy, busy, [200, { Item: stored }]]);
    expect(sent).toHaveLength(3);
    // A quarter of 1 s and of 2 s.
    expect(plain).toMatchObject({ $metadata: { attempts: 3, totalRetryDelay: 750 } });
  });

  it('with a hung call, given up after three attempts', async () => {
    const { sent, plain } = await both(get, []);
    expect(sent).toHaveLength(3);
    expect(plain.name).toBe('TimeoutError');
  });
});
