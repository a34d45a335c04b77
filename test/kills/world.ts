/** A database and publishers for commands that are killed. They count the requests of the command, so that a kill can be placed. */
import { createServer, request as startRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AttributeValue, BatchWriteItemCommand, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { emulatorEnvironment, startEmulator } from '../../infra/local/emulator.ts';
import { openPublisherServer } from '../support/publisher-server.ts';

export type Item = Record<string, AttributeValue>;

const TableName = 'content';
const batch = 25;

/** Pass requests on to the database, and call `passed` for each. */
const startProxy = async (endpoint: string, passed: () => void) => {
  const server = createServer((incoming, outgoing) => {
    passed();
    const { method, headers } = incoming;
    const onward = startRequest(endpoint, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    // The command was killed: nobody waits for the answer.
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
};

/** Start an empty database and the publishers of some Streamlined states, and point this process at them. */
export const startWorld = async (states: readonly string[]) => {
  let onRequest: () => void = () => {};
  const emulator = await startEmulator();
  Object.assign(process.env, emulatorEnvironment(emulator));
  const publishers = await openPublisherServer(states);
  publishers.play('', () => {
    onRequest();
    return false;
  });
  const proxy = await startProxy(emulator.endpoint, () => onRequest());
  const client = new DynamoDBClient({ endpoint: emulator.endpoint });

  const items = async (): Promise<readonly Item[]> => {
    const found: Item[] = [];
    let ExclusiveStartKey: Item | undefined;
    do {
      const page = await client.send(new ScanCommand({ TableName, ...(ExclusiveStartKey && { ExclusiveStartKey }) }));
      found.push(...(page.Items ?? []));
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey);
    return found;
  };
  const write = async (requests: readonly object[]): Promise<void> => {
    for (let first = 0; first < requests.length; first += batch)
      await client.send(
        new BatchWriteItemCommand({ RequestItems: { [TableName]: requests.slice(first, first + batch) } }),
      );
  };
  /** Replace the content of the table. */
  const restore = async (saved: readonly Item[]): Promise<void> => {
    const found = await items();
    await write(found.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })));
    await write(saved.map((Item) => ({ PutRequest: { Item } })));
  };
  return {
    publishers,
    /** The database as commands reach it. */
    endpoint: proxy.url,
    items,
    restore,
    /** Call a function for each request of a command from now on. */
    watch: (watcher: () => void) => {
      onRequest = watcher;
    },
    stop: async () => {
      client.destroy();
      proxy.close();
      await publishers.close();
      await emulator.stop();
    },
  };
};
export type World = Awaited<ReturnType<typeof startWorld>>;
