/** The deployed bundles behind the local gateway, using the emulator. */
// @isolated: a bundle reads its environment at import.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Operation } from '../../functions/endpoints.ts';
import { bundle } from '../../infra/bundling.ts';
import { createTables } from '../../infra/local/emulator.ts';
import type { Handler } from '../../shared/api/lambda-handler.ts';
import { type Client, connectClient, newCaller } from '../support/api.ts';
import { startGateway } from '../support/gateway.ts';
import { send } from '../support/http.ts';
import { openPublisherServer } from '../support/publisher-server.ts';
import { sale } from '../support/sales.ts';
import { createFolder } from '../support/temporary-files.ts';

const operations = [
  'create-calculation',
  'create-transaction',
  'update-transaction',
  'get-transaction',
  'list-transactions',
  'create-filing',
] as const satisfies readonly Operation[];

const folder = createFolder();
const require = createRequire(import.meta.url);
const getHandler = (operation: Operation): Handler => {
  bundle(operation, join(folder, operation));
  return require(join(folder, operation, 'index.js')).handler;
};

let gateway: Awaited<ReturnType<typeof startGateway>>;
let client: Client;

beforeAll(async () => {
  gateway = await startGateway(Object.fromEntries(operations.map((operation) => [operation, getHandler(operation)])));
  const { key } = await newCaller();
  client = connectClient({
    call: (method, path, request = {}) =>
      send(gateway.url, method, path, { ...request, headers: { 'X-API-Key': key, ...request.headers } }),
  });
});
afterAll(() => void gateway.close());

it('calculates, records, changes, refunds, lists and files with the bundled code', async () => {
  expect(await client.calculate(sale())).toMatchObject({ status: 200, body: { tax_amount: '6.00' } });
  const draft = await client.create(sale({ reference_id: 'inv_1' }));
  expect(draft).toMatchObject({ status: 201, body: { status: 'draft', tax_amount: '6.00' } });
  const { id } = draft.body;
  expect(await client.update(id, { status: 'finalized' })).toMatchObject({
    status: 200,
    body: { status: 'finalized' },
  });
  const credit = await client.create({ type: 'credit', status: 'finalized', parent_transaction_id: id });
  expect(credit).toMatchObject({ status: 201, body: { type: 'credit', tax_amount: '6.00' } });
  expect((await client.get(id)).body).toMatchObject({ reference_id: 'inv_1', status: 'finalized' });
  expect((await client.list()).body.data.map((row) => row.id)).toEqual([credit.body.id, id]);
  const filing = await client.call('POST', '/filings', {
    body: { state: 'MI', period_end: '2026-10-31', dry_run: true },
  });
  expect([filing.status, filing.body.errors]).toEqual([200, undefined]);
});

it('returns database errors as SDK errors from the bundled code', async () => {
  const first = { body: sale({ reference_id: 'inv_2' }), headers: { 'Idempotency-Key': 'once' } };
  const created = await client.create(first.body, first.headers);
  const repeated = await client.create(first.body, first.headers);
  expect([repeated.status, repeated.headers.get('Idempotent-Replayed'), repeated.text]).toEqual([
    201,
    'true',
    created.text,
  ]);
  expect(await client.create(first.body)).toMatchObject({
    status: 409,
    body: { errors: [{ code: 'conflict_duplicate_reference_id' }] },
  });
  expect((await client.get('tx_none')).status).toBe(404);
});

it('updates content from an HTML index, an archive and a workbook with the bundled code', async () => {
  const publisher = await openPublisherServer(['MI']);
  // A bundle reads its environment at import, and the others are already imported.
  Object.assign(process.env, {
    LEVY_CONTENT_MIRROR: publisher.url,
    LEVY_TEST_LOOPBACK_MIRROR: 'on',
    TABLE_CONTENT: `content_${crypto.randomUUID()}`,
    // The function empties its folder, which another test file may use.
    TMPDIR: folder,
  });
  await createTables(new DynamoDBClient({ endpoint: process.env['DYNAMODB_ENDPOINT'] as string }));
  bundle('update-content', join(folder, 'update-content'));
  const { handler } = require(join(folder, 'update-content', 'index.js'));
  for (const state of ['MI', 'VA'])
    expect([state, await handler({ state }, {})]).toEqual([
      state,
      { waiting: true, activated: false, failed: false, stale: expect.any(Boolean) },
    ]);
  await publisher.close();
});
