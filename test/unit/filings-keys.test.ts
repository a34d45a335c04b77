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

it('includes the account in every key of a filing, so two accounts never share an item', () => {
  const keysOf = (account: string) =>
    [
      filingKey(account, 'fil_1'),
      chainKey(account, 'US-MI'),
      periodKey(account, 'US-MI', '2026-10-31'),
      filingProgressKey(account, 'fil_1', 3),
      filedEntryKey(account, 'fil_1', entry),
      filingWorkKey(account, 'fil_1'),
    ].map(({ pk, sk }) => `${pk} ${sk}`);
  expect(new Set([...keysOf('acct_1'), ...keysOf('acct_11')]).size).toBe(12);
  for (const key of keysOf('acct_1')) expect(key).toMatch(/acct_1(#| )/);
});

it('maps an entry to the same shard when open and filed, with the progress of a shard before its entries', () => {
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

it('includes the account of the filing in the work item', () => {
  expect(filingOfWork(filingWorkKey('acct_1', 'fil_1').sk)).toEqual({ account: 'acct_1', id: 'fil_1' });
});
