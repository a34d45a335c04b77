import { describe, expect, it } from 'vitest';
import {
  auditKey,
  claimKey,
  draftPartition,
  draftShard,
  draftShards,
  headKey,
  headOwner,
  idempotencyKey,
  importClaimKey,
  importClaimPrefix,
  openEntryKey,
  partKey,
  partPartition,
  partShards,
  releaseHeadKey,
  releasePartition,
  stateOfRelease,
  taxDateId,
} from '../../shared/store/keys.ts';
import { newTransactionId } from '../support/transactions.ts';

it('is the table of the architecture', () => {
  expect(headKey('acct_1', 'txn_1')).toEqual({ pk: 'T#acct_1#txn_1', sk: 'H' });
  expect(auditKey('acct_1', 'txn_1', 7)).toEqual({ pk: 'T#acct_1#txn_1', sk: 'A#0000000007' });
  expect(claimKey('acct_1', 'abc')).toEqual({
    // The SHA-256 of FIPS 180-2's example.
    pk: 'R#acct_1#ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    sk: 'R',
  });
  expect(idempotencyKey('acct_1', 'digest')).toEqual({ pk: 'I#acct_1#digest', sk: 'I' });
  const entry = { transactionId: 'txn_1', state: 'US-MI', month: '2026-10', currency: 'USD' };
  expect(openEntryKey('acct_1', entry)).toEqual({
    pk: expect.stringMatching(/^O#acct_1#US-MI#[0-7]$/),
    sk: '2026-10#txn_1#USD',
  });
});

it('sorts audit entries by version', () => {
  const versions = [1, 2, 9, 10, 11, 99, 100, 1_000_000];
  const keys = versions.map((version) => auditKey('acct_1', 'txn_1', version).sk);
  expect(keys.toSorted()).toEqual(keys);
});

it.each([
  ['2026-10-08', '2026-10-08T00:00:00.000Z'],
  ['2026-10-08T12:30Z', '2026-10-08T12:30:00.000Z'],
  ['2026-10-08T12:30:01.5+00:00', '2026-10-08T12:30:01.500Z'],
  ['2026-10-08T12:30:01.123456789Z', '2026-10-08T12:30:01.123Z'],
])('writes the tax date %s as %s', (sent, written) => {
  expect(taxDateId(sent, 'txn_1')).toBe(`${written}#txn_1`);
});

describe('a head', () => {
  it.each(['txn_1', 'a#b', 'two\nlines'])('returns the owner: %j', (id) => {
    expect(headOwner(headKey('acct_1', id).pk)).toEqual({ account: 'acct_1', id });
  });

  it('is nothing else', () => {
    expect(() => headOwner(claimKey('acct_1', 'txn_1').pk)).toThrow();
  });
});

it('spreads drafts over all shards', () => {
  const shards = Array.from({ length: 400 }, () => draftShard('acct_1', newTransactionId()));
  expect([...new Set(shards)].sort()).toEqual(Array.from({ length: draftShards }, (_, shard) => draftPartition(shard)));
});

describe('releases', () => {
  it('sort by day and number within their state', () => {
    const ids = ['US-MN@2026-11-21.2', 'US-MN@2026-11-21.10', 'US-MN@2026-11-22.1', 'US-MN@2027-01-01.100000'];
    const keys = ids.map(releaseHeadKey);
    expect(keys.map(({ sk }) => sk)).toEqual(keys.map(({ sk }) => sk).sort());
    expect(new Set(keys.map(({ pk }) => pk))).toEqual(new Set([releasePartition('US-MN')]));
  });

  it('have the claims of their imports beside their heads, after all of them', () => {
    const id = 'US-MN@2026-11-21.101';
    expect(importClaimKey(id)).toEqual({ pk: 'R#US-MN', sk: 'C#2026-11-21#000101' });
    expect(importClaimKey(id).sk.startsWith(importClaimPrefix)).toBe(true);
    expect(releaseHeadKey('US-MN@9999-12-31.999999').sk < importClaimPrefix).toBe(true);
  });

  it.each([
    ...['', 'US-MN', 'US-MN@2026-11-21', 'US-MN@2026-11-21.0', 'US-MN@2026-11-21.01', 'us-mn@2026-11-21.1'],
    ...['US-MN@2026-11-21.1 '],
  ])('have ids of their own form: %j is none', (id) => {
    expect(stateOfRelease(id)).toBeUndefined();
    expect(() => releaseHeadKey(id)).toThrow('has a state, a day');
  });

  it('have their parts in all of sixteen partitions, each in that of its key', () => {
    const keys = Array.from({ length: 500 }, (_, index) => partKey('US-MN@2026-11-21.1', String(55001 + index)));
    const partitions = Array.from({ length: partShards }, (_, shard) => partPartition('US-MN@2026-11-21.1', shard));
    expect(new Set(keys.map(({ pk }) => pk))).toEqual(new Set(partitions));
    expect(partShards).toBe(16);
    expect(partKey('US-MN@2026-11-21.1', '55401')).toEqual(partKey('US-MN@2026-11-21.1', '55401'));
  });
});
