import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import { beforeAll, expect, it, vi } from 'vitest';
import { createTables } from '../../infra/local/create-tables.ts';

// A sweep meets the drafts of every account: here it has a table of its own, and leaves those of other tests alone. The
// environment is read once, so everything that rests on it is imported anew.
process.env['TABLE_TRANSACTIONS'] = `transactions_${crypto.randomUUID()}`;
vi.resetModules();
const { environment } = await import('../../shared/config/environment.ts');
const { database } = await import('../../shared/store/client.ts');
const { headKey } = await import('../../shared/store/keys.ts');
const { handlers } = await import('../../infra/local/handlers.ts');
const { newCaller } = await import('../support/api.ts');
const { clientOf, creditOf, dayMs, hourMs, later, made, sale, sold } = await import('../support/sales.ts');

beforeAll(() => createTables(new DynamoDBClient({ endpoint: process.env['DYNAMODB_ENDPOINT'] as string })));

/** Run the schedule with so many milliseconds to go, by the reading. */
const sweep = (remainingMs: () => number = () => 240_000) =>
  handlers.schedules['sweep-drafts']({}, { getRemainingTimeInMillis: remainingMs } as Context);
const newClient = async (draft_ttl_hours = 24) => clientOf(await newCaller({ settings: { draft_ttl_hours } }));

it('voids the expired drafts of all accounts as they have read since, and finds nothing the second time', async () => {
  const [client, other] = await Promise.all([newClient(), newClient()]);
  const drafts = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      made(
        (index % 2 === 0 ? client : other).create(sale({ reference_id: `r${index}`, metadata: { at: `${index}` } })),
      ),
    ),
  );
  await later(dayMs, async () => {
    const read = () => Promise.all(drafts.map(({ id }, index) => (index % 2 === 0 ? client : other).get(id)));
    const before = await read();
    expect(await sweep()).toEqual({ voided: 60, skipped: 0, complete: true });
    const after = await read();
    expect(after.map(({ text }) => text)).toEqual(before.map(({ text }) => text));
    expect(after.map(({ headers }) => headers.get('etag'))).toEqual(Array(60).fill('"2"'));
    expect(await sweep()).toEqual({ voided: 0, skipped: 0, complete: true });
    expect((await client.create(sale({ reference_id: 'r0' }))).status).toBe(201);
  });
  // It is true in the table now: set back, the clock brings no draft back.
  expect((await made(client.get(drafts[0].id))).status).toBe('void');
  expect((await made(client.list({ status: 'void', limit: '100' }))).data).toHaveLength(30);
});

it('leaves alone what is no expired draft', async () => {
  const [client, patient] = await Promise.all([newClient(), newClient(30)]);
  const parent = await sold(client);
  const kept = [
    parent,
    await made(client.create(creditOf(parent, { line_items: [{ id: 'item_1', quantity: '1' }] }))),
    await made(patient.create(sale())),
  ];
  const finalized = await made(client.create(sale()));
  const voided = await made(client.create(sale()));
  const expired = await made(client.create(creditOf(parent, { status: 'draft', credit_remaining: true })));
  kept.push(await made(client.update(finalized.id, { status: 'finalized' })));
  kept.push(await made(client.update(voided.id, { status: 'void', void_reason: 'mine' })));
  const owners = [client, client, patient, client, client];
  const texts = () => Promise.all(kept.map(({ id }, index) => owners[index]?.get(id).then(({ text }) => text)));
  const before = await texts();
  await later(dayMs + hourMs, async () => {
    expect(await sweep()).toEqual({ voided: 1, skipped: 0, complete: true });
    expect((await made(client.get(expired.id))).void_reason).toBe('draft_expired');
    expect(await texts()).toEqual(before);
  });
});

it('does each draft once where two sweeps run at the same time', async () => {
  const client = await newClient();
  await Promise.all(Array.from({ length: 20 }, () => client.create(sale())));
  await later(dayMs, async () => {
    const runs = (await Promise.all([sweep(), sweep()])) as { voided: number; complete: boolean }[];
    // Both write the same, so that either may take the other's write for its own.
    expect(runs.reduce((sum, { voided }) => sum + voided, 0)).toBeGreaterThanOrEqual(20);
    expect(runs.every(({ complete }) => complete)).toBe(true);
    const { data } = await made(client.list({ status: 'void', limit: '100' }));
    expect(data.map(({ version }: any) => version)).toEqual(Array(20).fill(2));
  });
});

it('begins nothing with less than ten seconds to go, and the next run finishes', async () => {
  const client = await newClient();
  // More than one batch of 25 for most of the eight shards.
  for (let block = 0; block < 15; block++) await Promise.all(Array.from({ length: 20 }, () => client.create(sale())));
  await later(dayMs, async () => {
    expect(await sweep(() => 10_000)).toEqual({ voided: 0, skipped: 0, complete: false });
    // Every shard begins one batch, and then the time is nearly up.
    let asked = 0;
    const first = (await sweep(() => (asked++ < 8 ? 20_000 : 9000))) as { voided: number; complete: boolean };
    expect(first.complete).toBe(false);
    expect(first.voided).toBeGreaterThan(0);
    expect(first.voided).toBeLessThanOrEqual(200);
    let voided = first.voided;
    // On a machine that is busy a run may miss some.
    for (let runs = 0, isComplete = false; !isComplete && runs < 5; runs++) {
      const run = (await sweep()) as { voided: number; complete: boolean };
      voided += run.voided;
      isComplete = run.complete;
    }
    expect(voided).toBe(300);
    expect(await sweep()).toEqual({ voided: 0, skipped: 0, complete: true });
  });
});

it('voids the others where one cannot be read, and says that it did not see the end', async () => {
  const caller = await newCaller();
  const client = clientOf(caller);
  const drafts: { id: string }[] = [];
  for (let index = 0; index < 16; index++) drafts.push(await made(client.create(sale())));
  const broken = drafts[0]?.id as string;
  await database.send(
    new UpdateCommand({
      TableName: environment.tables.transactions,
      Key: headKey(caller.account.id, broken),
      UpdateExpression: 'SET summary = :junk',
      ExpressionAttributeValues: { ':junk': Buffer.from('junk') },
    }),
  );
  await later(dayMs, async () => {
    expect(await sweep()).toMatchObject({ voided: 15, complete: false });
    for (const { id } of drafts.slice(1)) expect((await made(client.get(id))).version).toBe(2);
  });
});
