/**
 * The vitest setup file of the projects that call the API: creates empty tables for each file (in this process unless
 * an external emulator is used), checks each response against the OpenAPI document, and replays each recorded
 * transaction.
 */
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, inject } from 'vitest';
import { createTables } from '../../infra/local/emulator.ts';
import { newServer, newService, type Service } from '../../infra/local/memory-database/service.ts';
import { createTableInput } from '../../shared/store/client/create-table.ts';
import { tables } from '../../shared/store/table-definitions.ts';
import { type ApiResponse, listen, onExchange, type Schema } from './http.ts';

type Database = { service: Service; readonly endpoint: string; usesSdk: boolean };
const key = Symbol.for('levy test database');
const shared = globalThis as { [key]?: Database };
/** The variable with the suffix of this process's tables on an external emulator. */
const suffix = 'LEVY_TEST_TABLES';
// The original timers, because tests replace them.
const { setImmediate } = globalThis;

/** Serves a database on loopback for processes that a test starts and for the SDK. */
const startDatabase = async (): Promise<Database> => {
  const { url } = await listen(newServer((operation, body) => database.service.respond(operation, body)));
  const database: Database = { service: newService(null), endpoint: url, usesSdk: false };
  skipSdk(database);
  return database;
};

const itemCommand = /^(Get|Put|Update|Delete|BatchGet|TransactWrite)Item(s?)Command$|^(Query|Scan)Command$/;

/**
 * Document clients run their commands in the database of this process, below the middleware that counts and intercepts
 * them. The SDK's conversion, retries and transport would take a fifth of the CPU time of the tests. Child processes,
 * external emulators and tests that call `useSdk` use the whole SDK.
 */
const skipSdk = (database: Database): void => {
  const { from } = DynamoDBDocumentClient;
  DynamoDBDocumentClient.from = (client, config) => {
    const created = from.call(DynamoDBDocumentClient, client, config);
    created.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (sent) => {
          const url = await client.config.endpoint?.();
          const isOwn = url?.port === Number(new URL(database.endpoint).port) && itemCommand.test(commandName);
          if (!isOwn || database.usesSdk) return next(sent);
          const { copied } = await import('./memory-database.ts');
          await new Promise((resolve) => setImmediate(resolve));
          const name = commandName.replace(/Items?Command$/, 'Command');
          const input = copied(sent.input) as Readonly<Record<string, unknown>>;
          const output = copied(database.service.run({ constructor: { name }, input }));
          return { output: { ...output, $metadata: {} }, response: {} };
        },
      { step: 'initialize', name: 'skipSdk', priority: 'low' },
    );
    return created;
  };
};

if (inject('emulator') === 'memory') {
  shared[key] ??= await startDatabase();
  shared[key].service = newService(null);
  process.env['DYNAMODB_ENDPOINT'] = shared[key].endpoint;
  shared[key].usesSdk = false;
  for (const [name, definition] of Object.entries(tables))
    shared[key].service.respond('CreateTable', JSON.stringify(createTableInput(name, definition)));
} else {
  const client = new DynamoDBClient({ endpoint: inject('endpoint') });
  // The modules of a process read the names once, so files that share them use the same names.
  const earlier = process.env[suffix];
  process.env[suffix] ??= crypto.randomUUID();
  for (const table of Object.keys(tables)) {
    const TableName = `${table}_${process.env[suffix]}`;
    process.env[`TABLE_${table.toUpperCase()}`] = TableName;
    if (earlier) await client.send(new DeleteTableCommand({ TableName }));
  }
  await createTables(client);
}

const stopComparing = onExchange(async ({ method, path, response: { status, headers, body, text } }) => {
  const { listProblems } = await import('../contract/validate-response.ts');
  const { safetyHeaders } = await import('../../shared/api/response.ts');
  const isJson = headers.get('Content-Type')?.startsWith('application/json') === true;
  const sent = isJson ? body : text;
  // A cacheable response has different values of these headers.
  const isCacheable = headers.get('Cache-Control')?.startsWith('no-store') === false;
  const unsafe = Object.entries(safetyHeaders).filter(([name, value]) =>
    isCacheable && status < 400 ? !headers.has(name) : headers.get(name) !== value,
  );
  const problems = [
    ...listProblems({ method, path, status, headers, body: text === '' ? null : sent }),
    ...unsafe.map(([name]) => `${method} ${path} ${status}: ${name} is ${headers.get(name)}`),
  ];
  if (problems.length > 0) throw new Error(`The response breaks its contract.\n${problems.join('\n')}`);
});
afterAll(stopComparing);

afterAll(async () => {
  const { noFaults } = await import('./faults.ts');
  const { advanceClock } = await import('../../shared/config/clock.ts');
  const { readAddress } = await import('../../shared/catalog/location/address.ts');
  const { loadContent } = await import('../../shared/store/content/load-content.ts');
  noFaults();
  // The next file in this process must not use the cached releases of this one. An entry from the future counts as
  // stale, and no test moves the clock so far.
  const centuryMs = 100 * 365 * 86_400_000;
  const address = readAddress({ state: 'MI' }, '');
  advanceClock(centuryMs);
  await loadContent(address.ok ? [address.value] : []);
  advanceClock(-centuryMs);
});

const recorded = new Map<string, string>();

const stopRecording = onExchange(({ method, path, request, response }) => {
  const key = request.headers?.['X-API-Key'];
  if (method === 'POST' && path === '/transactions' && response.status === 201 && typeof key === 'string')
    recorded.set((response as ApiResponse<Schema<'Transaction'>>).body.id, key);
});

afterAll(async () => {
  stopRecording();
  if (recorded.size === 0) return;
  // Does not use HTTP, because the test's account may have exhausted its rate limit or lack the scope.
  const { now } = await import('../../shared/config/clock.ts');
  const { hashKey } = await import('../../shared/accounts/api-key.ts');
  const { findAccount } = await import('../../shared/store/accounts/account-store.ts');
  const { findKey } = await import('../../shared/store/accounts/api-key-store.ts');
  const { ledgerReads } = await import('../../shared/store/ledger/ledger-reads.ts');
  const { loadContent } = await import('../../shared/store/content/load-content.ts');
  const { replayTransaction } = await import('../../shared/ledger/replay.ts');
  const ports = { ledger: ledgerReads, loadContent, now };
  const others: unknown[] = [];
  const replayNext = async () => {
    for (const [id, secret] of recorded) {
      recorded.delete(id);
      const key = await findKey(hashKey(secret));
      // The test may have deleted the account.
      if (!key) continue;
      const account = await findAccount(key.account);
      const replay = account && (await replayTransaction(id, account, ports));
      const isEqual = replay?.ok && (replay.value.match === true || replay.value.reason === 'redacted');
      if (!isEqual) others.push({ id, replay });
    }
  };
  await Promise.all(Array.from({ length: 8 }, replayNext));
  expect(others.slice(0, 3)).toEqual([]);
});
