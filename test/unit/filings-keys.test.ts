import { expect, it } from 'vitest';
import {
  chainKey,
  filedEntryKey,
  filingKey,
  filingOfWork,
  filingProgressKey,
  filingShardPartition,
  filingWorkKey,
  openEntryKey,
  openEntryPartition,
  openEntryShards,
  periodKey,
} from '../../shared/store/keys.ts';
import { newTransactionId } from '../support/transactions.ts';

const entry = { transactionId: newTransactionId(), state: 'US-MI', month: '2026-10', currency: 'USD' };

const keysOf = (account: string) => [
  filingKey(account, 'fil_1'),
  chainKey(account, 'US-MI'),
  periodKey(account, 'US-MI', '2026-10-31'),
  filingProgressKey(account, 'fil_1', 3),
  filedEntryKey(account, 'fil_1', entry),
  filingWorkKey(account, 'fil_1'),
];

it('a filing’s keys name its account, so that no two accounts meet in an item', () => {
  const [first, second] = ['acct_1', 'acct_11'].map(keysOf);
  const text = (keys: typeof first) => (keys ?? []).map(({ pk, sk }) => `${pk} ${sk}`);
  expect(new Set([...text(first), ...text(second)]).size).toBe(12);
  for (const key of text(first)) expect(key).toMatch(/acct_1(#| )/);
});

it('an entry has one shard, open or filed, and each shard has its progress before all entries', () => {
  for (let at = 0; at < 200; at++) {
    const posted = { ...entry, transactionId: newTransactionId() };
    const filed = filedEntryKey('acct', 'fil', posted);
    const shard = Array.from({ length: openEntryShards }, (_, number) => number).find(
      (number) => openEntryPartition('acct', 'US-MI', number) === openEntryKey('acct', posted).pk,
    ) as number;
    expect(filed.pk).toBe(filingShardPartition('acct', 'fil', shard));
    expect(filingProgressKey('acct', 'fil', shard).pk).toBe(filed.pk);
    expect(filingProgressKey('acct', 'fil', shard).sk < filed.sk).toBe(true);
  }
});

it('the work item names the account of the filing', () => {
  expect(filingOfWork(filingWorkKey('acct_1', 'fil_1').sk)).toEqual({ account: 'acct_1', id: 'fil_1' });
});
