import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { beforeAll, it, vi } from 'vitest';
import { createTables } from '../../infra/local/emulator.ts';
import { stillClock } from './world/memory.ts';

vi.mock('node:timers/promises', async (load) => (await import('./world/pauses.ts')).withoutPauses(load));

// A sweep meets the drafts of every account: here it has a table of its own, so that it does not touch the drafts of
// other tests. The environment is read once, so everything that rests on it is imported anew.
process.env['TABLE_TRANSACTIONS'] = `transactions_${crypto.randomUUID()}`;
vi.resetModules();
const { runModel } = await import('./run.ts');
const { worldOfWires } = await import('./world/world.ts');

beforeAll(async () => {
  await createTables(new DynamoDBClient({ endpoint: process.env['DYNAMODB_ENDPOINT'] as string }));
  stillClock();
});

it('matches its model through the sockets of the gateway and of the database, in 200 runs', async () => {
  await runModel('test/model/wire.long.test.ts', 200, worldOfWires);
}, 600_000);
