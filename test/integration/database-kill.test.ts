import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { createTables } from '../../infra/local/create-tables.ts';
import { mortalEmulator } from '../support/mortal-emulator.ts';
import { drawFrom } from '../support/random-orders.ts';
import { stubbornClient } from '../support/stubborn-client.ts';
import { halvesOf } from '../support/whole-ledger.ts';

const kills = 20;
const clients = 6;
// Between two kills: some under way, others answered.
const answersBetween = 40;

// DynamoDB Local takes seconds to start.
const kind = inject('emulator') === 'dynoxide' ? 'dynoxide' : 'memory';
const emulator = await mortalEmulator(kind);
process.env['DYNAMODB_ENDPOINT'] = emulator.endpoint;
vi.resetModules();
const { newCaller, startApi } = await import('../support/api.ts');
const { itemsOf } = await import('../support/transactions.ts');
const { transactionFrom } = await import('../../shared/store/ledger/transaction-item.ts');
const { openEntryFrom } = await import('../../shared/store/ledger/open-entry-item.ts');
const read = { transactionFrom, openEntryFrom };

beforeAll(async () => {
  await emulator.start();
  await createTables(new DynamoDBClient({ endpoint: emulator.endpoint }));
});
afterAll(() => emulator.stop());
// Every outage is logged, and there are many.
vi.spyOn(console, 'error').mockReturnValue();
vi.spyOn(console, 'warn').mockReturnValue();

const startClient = async (seed: number) => {
  const { key, account } = await newCaller({ settings: { rate_limit: 1_000_000 } });
  const { url } = await startApi();
  return { account: account.id, ...stubbornClient({ url, apiKey: key, draw: drawFrom(seed) }) };
};

it('a database that is killed twenty times loses nothing that was told, and keeps nothing half', async () => {
  const all = await Promise.all(Array.from({ length: clients }, (_, at) => startClient(at + 1)));
  const answered = () => all.reduce((sum, { told }) => sum + told.length, 0);
  const runs = Promise.all(all.map(({ run }) => run()));
  const draw = drawFrom(99);
  for (let killed = 0; killed < kills; killed += 1) {
    const wanted = answered() + answersBetween;
    while (answered() < wanted) await Promise.race([sleep(2), runs]);
    await sleep(draw.below(20));
    await emulator.kill();
    await sleep(draw.below(40));
    await emulator.start();
  }
  for (const { seen } of all) seen.isOver = true;
  await runs;

  // It was under load: answers were missed, and some of what they would have told was written.
  const total = (of: 'unanswered' | 'replayed') => all.reduce((sum, { seen }) => sum + seen[of], 0);
  expect(total('unanswered')).toBeGreaterThan(kills);
  expect(answered()).toBeGreaterThanOrEqual(kills * answersBetween);
  console.info({ kills, answered: answered(), unanswered: total('unanswered'), replayed: total('replayed') });

  for (const { account, told, last, credits, get, repeat } of all) {
    // What was told last of a transaction is what it is; of a sale that was credited since, what the credit made of it.
    for (const [id, transaction] of last) {
      const now = await get(id);
      expect([id, now.status, now.body]).toEqual([id, 200, { ...transaction, history: null }]);
    }
    for (const [id, credit] of credits) {
      const isLive = last.get(credit).status === 'finalized';
      const { body } = await get(id);
      expect([id, body.version, body.credited_amount]).toEqual([id, isLive ? 2 : 3, isLive ? '5.00' : '0.00']);
    }
    const items = Object.values(await itemsOf(account));
    expect(halvesOf(account, items, read)).toEqual([]);
    // Whatever of it is taken away is missed, but for the records, which are looked at below.
    for (const kind of ['H', 'A', 'R', 'O']) {
      const one = items.findIndex(({ pk, sk }) =>
        (String(pk).startsWith('T') ? String(sk) : String(pk)).startsWith(kind),
      );
      expect([kind, halvesOf(account, items.toSpliced(one, 1), read).length > 0]).toEqual([kind, true]);
    }
    // One transaction of each request that makes one, and one record of each request.
    const heads = items.filter(({ sk }) => sk === 'H');
    const made = told.filter(({ answer }) => answer.status === 201);
    expect(heads.map(({ id }) => id).toSorted()).toEqual(made.map(({ answer }) => answer.body.id).toSorted());
    const digests = told.map(({ path, key }) => createHash('sha256').update(`POST\n${path}\n${key}`).digest('hex'));
    const records = items.filter(({ sk }) => sk === 'I').map(({ pk }) => String(pk).split('#')[2]);
    expect(records.toSorted()).toEqual(digests.toSorted());
    for (const one of told.slice(-10)) {
      const again = await repeat(one);
      expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([
        one.answer.status,
        one.answer.text,
        'true',
      ]);
    }
  }
}, 120_000);
