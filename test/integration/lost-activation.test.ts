import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { createTables } from '../../infra/local/create-tables.ts';
import { headOf } from '../support/imported.ts';

// What is active is so for everybody: the table is this file's own.
process.env['TABLE_CONTENT'] = `content_${crypto.randomUUID()}`;
vi.resetModules();
const store = await import('../../shared/store/content/content-store.ts');
const { failSends, lostReply, noFaults } = await import('../support/faults.ts');

beforeAll(() => createTables(new DynamoDBClient({ endpoint: process.env['DYNAMODB_ENDPOINT'] as string })));
afterEach(noFaults);

const at = '2026-11-21T12:00:00.000Z';
const state = 'US-IA';
const loseReplies = (sends: number) => failSends({ sends, error: lostReply, where: 'on the way back' });
const activate = async (id: string) => store.activateRelease(state, id, await store.readActiveReleases(), at);

it('a release is activated once, also where its replies are lost and the operator does it again', async () => {
  const [one, other] = ['US-IA@2030-01-01.1', 'US-IA@2030-01-01.2'] as const;
  for (const id of [one, other]) await store.importRelease(headOf(id), []);
  const seen = await store.readActiveReleases();
  loseReplies(2);
  expect((await store.activateRelease(state, one, seen, at)).ok).toBe(true);
  noFaults();
  const before = await store.readActiveReleases();
  loseReplies(3);
  await expect(store.activateRelease(state, other, before, at)).rejects.toMatchObject({ name: 'TimeoutError' });
  noFaults();
  expect((await activate(other)).ok).toBe(true);
  // Done twice, it is in the history once.
  expect((await store.readActiveReleases()).states[state]).toEqual({
    release: other,
    activated_at: at,
    previous: [{ release: one, activated_at: at }],
  });
});
