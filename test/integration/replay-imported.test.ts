/** What replay and coverage make of releases that were imported, activated, replaced and lost. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, it, vi } from 'vitest';
import { createTables } from '../../infra/local/create-tables.ts';
import { problemsOf } from '../contract/validate-response.ts';
import { headOf, partOf } from '../support/imported.ts';

// What is active is so for everybody: the table is this file's own.
process.env['TABLE_CONTENT'] = `content_${crypto.randomUUID()}`;
vi.resetModules();
const { environment } = await import('../../shared/config/environment.ts');
const { database } = await import('../../shared/store/client/client.ts');
const { releaseHeadKey } = await import('../../shared/store/keys.ts');
const store = await import('../../shared/store/content/content-store.ts');
const { newCaller, onExchange } = await import('../support/api.ts');
const { clientOf, creditOf, goods, later, made, sale } = await import('../support/sales.ts');

// The modules are this file's own, and so is whoever looks at the answers.
onExchange(({ method, path, answer: { status, headers, body, text } }) => {
  expect(problemsOf({ method, path, status, headers, body: text === '' ? null : body })).toEqual([]);
});

const first = 'US-MN@2030-02-01.1';
const second = 'US-MN@2030-02-02.1';
const lost = 'US-MN@2030-02-03.1';
const rates = { [first]: '0.005', [second]: '0.015', [lost]: '0.025' } as const;

beforeAll(async () => {
  await createTables(new DynamoDBClient({ endpoint: process.env['DYNAMODB_ENDPOINT'] as string }));
  for (const [id, rate] of Object.entries(rates)) {
    const part = partOf('55401', { 'US-MN-MPLS': rate });
    const counts = { parts: 1, jurisdictions: 1, rates: 1, locations: 1 };
    await store.importRelease(headOf(id, { coverage: 'partial', counts }), [part]);
  }
});

let minutes = 0;
/** Activate a release, and go on when every instance has noticed. */
const activated = async <Value>(id: string | null, run: () => Promise<Value>): Promise<Value> => {
  const result = await store.activateRelease('US-MN', id, await store.readActiveReleases(), '2030-02-01T00:00:00.000Z');
  expect(result.ok).toBe(true);
  minutes += 2;
  return later(minutes * 60_000, run);
};

const minneapolis = {
  customer: { address: { state: 'MN', postal_code: '55401', country: 'US' } },
  line_items: [goods({ id: 'item_1', unit_price: '100.00', quantity: '1' })],
};
const sold = (client: ReturnType<typeof clientOf>) =>
  made(client.create(sale({ ...minneapolis, status: 'finalized' })));
const replayed = (client: ReturnType<typeof clientOf>, id: string) =>
  made(client.call('POST', `/transactions/${id}/replay`));

it('a sale, and its credits, come out as they were recorded after another release was activated, and after going back', async () => {
  const client = clientOf(await newCaller());
  const parent = await activated(first, () => sold(client));
  expect([parent.tax_amount, parent.content_releases]).toEqual(['7.38', { 'US-MN': first }]);
  const after = await activated(second, async () => {
    const credit = await made(client.create(creditOf(parent, { line_items: [{ id: 'item_1', quantity: '0.5' }] })));
    // This line matches none of the sale's: it is calculated at the sale's release.
    const other = [goods({ id: 'other', unit_price: '10.00', quantity: '1' })];
    const unmatched = await made(client.create(creditOf(parent, { line_items: other })));
    const later = await sold(client);
    expect([credit.content_releases, later.content_releases]).toEqual([{ 'US-MN': first }, { 'US-MN': second }]);
    return [parent, credit, unmatched, later];
  });
  for (const active of [second, first, null])
    await activated(active, async () => {
      for (const { id, content_releases } of after)
        expect(await replayed(client, id)).toMatchObject({ match: true, content_releases, differences: [] });
    });
});

it('says that it cannot know where an imported release was lost', async () => {
  const caller = await newCaller();
  const { id } = await activated(lost, () => sold(clientOf(caller)));
  await database.send(new DeleteCommand({ TableName: environment.tables.content, Key: releaseHeadKey(lost) }));
  vi.resetModules();
  // Another instance, which has nothing of it at hand.
  const { loadContent } = await import('../../shared/store/content/load-content.ts');
  const { ledgerReads } = await import('../../shared/store/ledger/ledger-reads.ts');
  const { replayTransaction } = await import('../../shared/transactions/replay/replay-transaction.ts');
  const replay = await replayTransaction(id, caller.account, { ledger: ledgerReads, loadContent, now: Date.now });
  expect(replay).toMatchObject({
    ok: true,
    value: { match: null, reason: 'release_not_found', detail: `The content no longer has ${lost}.` },
  });
});

it('coverage says at once what an imported release knows, and which it is', async () => {
  const client = clientOf(await newCaller());
  const get = async () => (await made(client.call('GET', '/coverage?state=MN'))).states[0];
  await activated(null, async () => expect((await get()).local.basis).toBe('by_place'));
  const result = await store.activateRelease(
    'US-MN',
    second,
    await store.readActiveReleases(),
    '2030-02-04T00:00:00.000Z',
  );
  expect(result.ok).toBe(true);
  expect(await get()).toMatchObject({
    release: second,
    as_of: '2030-02-02',
    general_rate: { rate: '0.06875', from: '2000-01-01' },
    local_rates: 'partial',
    local: { basis: 'by_file', share_missing: null },
  });
  const { states } = await made(client.call('GET', '/coverage'));
  expect([states.length, states.find(({ state }: any) => state === 'MI').release.slice(0, 5)]).toEqual([52, 'US-MI']);
});
