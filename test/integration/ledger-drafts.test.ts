import { expect, it } from 'vitest';
import { draftPartition, draftShard } from '../../shared/store/keys.ts';
import { draftIndex } from '../../shared/store/ledger/draft-index.ts';
import { ledger } from '../../shared/store/ledger/ledger-store.ts';
import { expired } from '../../shared/transactions/lifecycle.ts';
import type { StoredTransaction, Transaction } from '../../shared/transactions/transaction.ts';
import {
  changed,
  commitOf,
  created,
  deadlineMs,
  finalized,
  newAccount,
  newTransactionId,
} from '../support/transactions.ts';

const account = newAccount();

const store = async (changes: Partial<Transaction> = {}): Promise<StoredTransaction> => {
  const head = created(changes);
  expect(await ledger.commit(commitOf(account, head))).toEqual({ kind: 'committed' });
  return head.after;
};

/** The ids of this account's expired drafts in all shards; the index has those of every account. */
const expiredAt = async (nowMs: number): Promise<string[]> => {
  const shards = Array.from({ length: draftIndex.shards }, (_, shard) => draftIndex.expired(shard, nowMs, 1000, null));
  const drafts = (await Promise.all(shards)).flatMap((page) => page.drafts);
  return drafts.filter((draft) => draft.account === account).map(({ id }) => id);
};

it('has the drafts at their deadline, in every shard, until they are something else', async () => {
  const drafts: StoredTransaction[] = [];
  for (let at = 0; at < 40; at += 1) drafts.push(await store());
  await ledger.commit(commitOf(account, changed(await store(), finalized)));
  expect(await expiredAt(deadlineMs - 1)).toEqual([]);
  expect((await expiredAt(deadlineMs)).sort()).toEqual(drafts.map(({ transaction }) => transaction.id).sort());
  for (const draft of drafts)
    await ledger.commit(commitOf(account, changed(draft, expired(draft.transaction)), { nowMs: deadlineMs }));
  expect(await expiredAt(deadlineMs)).toEqual([]);
});

it('has the oldest deadline first, and no more than asked for', async () => {
  const shard = 3;
  const idInShard = (): string => {
    const id = newTransactionId();
    return draftShard(account, id) === draftPartition(shard) ? id : idInShard();
  };
  // Before every other draft's, and before those of an earlier run.
  const oldestMs = Math.floor(Math.random() * Date.parse('2000-01-01'));
  const ids: string[] = [];
  for (const after of [3, 1, 0, 2]) {
    const { transaction } = await store({ id: idInShard(), expires_at: new Date(oldestMs + after).toISOString() });
    ids[after] = transaction.id;
  }
  const found = async (nowMs: number, limit: number) =>
    (await draftIndex.expired(shard, nowMs, limit, null)).drafts
      .filter((draft) => draft.account === account)
      .map(({ id }) => id);
  expect(await found(oldestMs + 2, 1000)).toEqual(ids.slice(0, 3));
  const { drafts, next } = await draftIndex.expired(shard, deadlineMs, 2, null);
  expect([drafts.length, next]).toEqual([2, drafts[1]]);
  const [third] = (await draftIndex.expired(shard, deadlineMs, 3, null)).drafts.slice(2);
  expect((await draftIndex.expired(shard, deadlineMs, 1, next)).drafts).toEqual([third]);
});
