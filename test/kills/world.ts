import { createServer, request as startRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AttributeValue, BatchWriteItemCommand, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { emulatorEnvironment, startEmulator } from '../../infra/local/emulator.ts';
import { headFrom, partFrom } from '../../shared/store/content/content-item.ts';
import { activeReleasesKey, contentSourceKey, releaseHeadKey } from '../../shared/store/keys.ts';
import { openPublisherServer } from '../support/publisher-server.ts';

/**
 * A database and publishers for commands that are killed. They count the command's requests, so a kill can be timed.
 */

type Item = Record<string, AttributeValue>;

const TableName = 'content';
const batch = 25;

/** Forwards requests to the database, and calls `passed` for each. */
const startProxy = async (endpoint: string, passed: () => void) => {
  const server = createServer((incoming, outgoing) => {
    passed();
    const { method, headers } = incoming;
    const onward = startRequest(endpoint, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    // The command was killed, so nothing waits for the response.
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

/** Starts an empty database and the publishers of some Streamlined states, and configures this process to use them. */
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
  /** Replaces the content of the table. */
  const restore = async (saved: readonly Item[]): Promise<void> => {
    const found = await items();
    await write(found.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })));
    await write(saved.map((Item) => ({ PutRequest: { Item } })));
  };
  return {
    publishers,
    /** The database URL for commands. */
    endpoint: proxy.url,
    items,
    restore,
    /** Calls a function for each request of a command from now on. */
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

/** Returns the state of the content table, without the ids and times that differ between runs. */

type Source = {
  readonly files: unknown;
  readonly release: string;
  readonly activated: boolean;
  readonly failure: unknown;
};

type StateContent = {
  readonly head: object;
  readonly parts: Readonly<Record<string, object>>;
  readonly source: object;
  /** The number of finished releases of the state. */
  readonly releases: number;
};

type EndState = {
  readonly content: Readonly<Record<string, StateContent>>;
  /** The claims of unfinished imports. */
  readonly unfinished: number;
};

const stateContent = (items: readonly Record<string, any>[], state: string, active: string): StateContent => {
  const find = ({ pk, sk }: { readonly pk: string; readonly sk: string }) =>
    items.find((item) => item['pk'] === pk && item['sk'] === sk);
  const {
    id: _id,
    content_hash: _hash,
    imported_at: _at,
    ...head
  } = headFrom(active, find(releaseHeadKey(active))).value;
  const own = items.filter(({ pk }) => pk.startsWith(`P#${active}#`));
  const parts = own.map((item) => [item['sk'], partFrom({ release: active, key: item['sk'] }, item).value] as const);
  const { files, release, activated, failure } = find(contentSourceKey(state)) as Source;
  return {
    head,
    parts: Object.fromEntries(parts.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    source: { files, activated, failure, isActive: release === active },
    releases: items.filter(({ pk, sk }) => pk === `R#US-${state}` && !sk.startsWith('C#')).length,
  };
};

/** Returns the state of a table after an update of these states. */
export const endStateOf = (stored: readonly Item[], states: readonly string[]): EndState => {
  const items = stored.map((item) => unmarshall(item));
  const directory = items.find(({ pk, sk }) => pk === activeReleasesKey.pk && sk === activeReleasesKey.sk);
  const active: Record<string, { readonly release: string }> = JSON.parse(directory?.['states'] ?? '{}');
  return {
    content: Object.fromEntries(
      states.map((state) => [state, stateContent(items, state, active[`US-${state}`]?.release ?? '')]),
    ),
    unfinished: items.filter(({ pk, sk }) => pk.startsWith('R#') && sk.startsWith('C#')).length,
  };
};

/** Counts the states that use a different release than in an earlier table. */
export const activatedSince = (stored: readonly Item[], before: readonly Item[]): number => {
  const statesOf = (items: readonly Item[]): Record<string, { readonly release: string }> =>
    JSON.parse(items.find(({ pk }) => pk?.S === activeReleasesKey.pk)?.['states']?.S ?? '{}');
  const [now, then] = [statesOf(stored), statesOf(before)];
  return Object.keys(now).filter((state) => now[state]?.release !== then[state]?.release).length;
};
