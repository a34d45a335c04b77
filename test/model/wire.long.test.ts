import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { beforeAll, it, vi } from 'vitest';
import { createTables } from '../../infra/local/emulator.ts';
import { stillClock } from './world/memory.ts';

vi.mock('node:timers/promises', async (load) => (await import('./world/pauses.ts')).withoutPauses(load));

// A sweep processes the drafts of every account, so this test uses a separate table. The environment is read once, so
// all modules that depend on it are imported again.
process.env['TABLE_TRANSACTIONS'] = `transactions_${crypto.randomUUID()}`;
vi.resetModules();
const { runModel } = await import('./run.ts');
const { worldOfWires } = await import('./world/world.ts');

beforeAll(async () => {
  await createTables(new DynamoDBClient({ endpoint: process.env['DYNAMODB_ENDPOINT'] as string }));
  stillClock();
});

it('matches its model in 200 runs through the sockets of the gateway and the database', async () => {
  await runModel('test/model/wire.long.test.ts', 200, worldOfWires);
}, 600_000);
