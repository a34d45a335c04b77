import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { environment } from '../../shared/config/environment.ts';
import type { Committed, DraftIndex, ExpiredDraft } from '../../shared/ledger/ports.ts';
import { sweepDrafts } from '../../shared/ledger/sweep-drafts.ts';
import { database } from '../../shared/store/client/client.ts';
import { headKey } from '../../shared/store/keys.ts';
import { newClient } from '../support/api.ts';
import { runSchedule } from '../support/gateway.ts';
import { dayMs, later, made, sale } from '../support/sales.ts';
import { created } from '../support/transactions.ts';

const sweep = (remainingMs?: () => number) => runSchedule('sweep-drafts', remainingMs);

it('starts no batch without enough time, and the next run finishes', async () => {
  const client = await newClient();
  const drafts: { id: string }[] = [];
  for (let block = 0; block < 15; block++)
    drafts.push(...(await Promise.all(Array.from({ length: 20 }, () => made(client.create(sale()))))));
  await later(dayMs, async () => {
    // Three calls take at most 6.9 s each. A write is retried for 8 s, and its last attempt takes 6.9 s: 35.6 s in
    // total.
    expect(await sweep(() => 35_600)).toEqual({ voided: 0, skipped: 0, complete: false });
    // Three shards start one batch of 25, and then the time is nearly up. At least 225 drafts remain, so one of the eight
    // shards has more than one index page in the next run.
    let asked = 0;
    const first = (await sweep(() => (asked++ < 3 ? 60_000 : 35_600))) as { voided: number; complete: boolean };
    expect(first.complete).toBe(false);
    expect(first.voided).toBeGreaterThan(0);
    expect(first.voided).toBeLessThanOrEqual(75);
    // On a busy machine, a run can miss some drafts.
    for (let runs = 0, isComplete = false; !isComplete && runs < 5; runs++)
      isComplete = ((await sweep()) as { complete: boolean }).complete;
    expect(await sweep()).toEqual({ voided: 0, skipped: 0, complete: true });
  });
  // Checks the drafts, not the runs, because a run whose response was lost does not count what it voided. The clock is set
  // back.
  const statuses = await Promise.all(drafts.map(async ({ id }) => (await made(client.get(id))).status));
  expect(statuses).toEqual(Array(300).fill('void'));
});

it('voids the other drafts if one cannot be read, and reports an incomplete run', async () => {
  const client = await newClient();
  const drafts: { id: string }[] = [];
  for (let index = 0; index < 16; index++) drafts.push(await made(client.create(sale())));
  const broken = drafts[0]?.id as string;
  const replaceSummary = async (summary: Uint8Array) =>
    database.send(
      new UpdateCommand({
        TableName: environment.tables.transactions,
        Key: headKey(client.account.id, broken),
        UpdateExpression: 'SET summary = :summary',
        ExpressionAttributeValues: { ':summary': summary },
        ReturnValues: 'ALL_OLD',
      }),
    );
  const { Attributes } = await replaceSummary(Buffer.from('junk'));
  await later(dayMs, async () => {
    expect(await sweep()).toMatchObject({ voided: 15, complete: false });
    for (const { id } of drafts.slice(1)) expect((await made(client.get(id))).version).toBe(2);
  });
  await replaceSummary(Attributes?.['summary']);
});

describe('sweeps with failing shards', () => {
  const draft = (at: number): ExpiredDraft => ({ account: 'acct_1', id: `txn_${at}`, expires_at: `2026-10-01T${at}` });
  const drafts = Array.from({ length: 60 }, (_, at) => draft(at));
  const { after: stored } = created({ expires_at: '2026-10-01T00:00:00.000Z' });
  const ports = {
    now: () => Date.parse('2026-10-08'),
    batchMsMax: 1000,
    remainingMs: () => 2000,
    drafts: {
      shards: 1,
      expired: async (_shard: number, _nowMs: number, limit: number, after: ExpiredDraft | null) => {
        const from = after === null ? 0 : drafts.findIndex(({ id }) => id === after.id) + 1;
        const page = drafts.slice(from, from + limit);
        return { rows: page, next: from + limit < drafts.length ? (page.at(-1) ?? null) : null };
      },
    },
    ledger: { find: async () => stored, commit: async (): Promise<Committed> => ({ kind: 'committed' }) },
    onFailure: vi.fn(),
  };
  const brokenUpTo = (last: number) => async (_account: string, id: string) => {
    if (Number(id.slice(4)) <= last) throw new Error('junk');
    return stored;
  };

  it('continues after a batch that cannot be voided at all', async () => {
    const swept = await sweepDrafts({ ...ports, ledger: { ...ports.ledger, find: brokenUpTo(29) } });
    expect(swept).toEqual({ voided: 30, skipped: 30, complete: false });
  });

  it('continues after a batch that is still in the index', async () => {
    const find = async (_account: string, id: string) => (Number(id.slice(4)) < 30 ? undefined : stored);
    const swept = await sweepDrafts({ ...ports, ledger: { ...ports.ledger, find } });
    expect(swept).toEqual({ voided: 30, skipped: 30, complete: true });
  });

  it('ends only the shard whose query fails', async () => {
    const onFailure = vi.fn();
    const expired: DraftIndex['expired'] = (shard, ...rest) => {
      if (shard === 0) return Promise.reject(new Error('no index'));
      return ports.drafts.expired(shard, ...rest);
    };
    const swept = await sweepDrafts({ ...ports, drafts: { shards: 2, expired }, onFailure });
    expect([swept, onFailure.mock.calls.length]).toEqual([{ voided: 60, skipped: 0, complete: false }, 1]);
  });

  it('does not report completion if a concurrent change prevented a void', async () => {
    const commit = async (): Promise<Committed> => ({ kind: 'stale' });
    const swept = await sweepDrafts({ ...ports, ledger: { ...ports.ledger, commit } });
    expect(swept).toEqual({ voided: 0, skipped: 60, complete: false });
  });
});
