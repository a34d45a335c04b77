/** A vitest setup file: replays every transaction that a test recorded through test/support/api.ts, and all must match. */
import { afterAll, expect } from 'vitest';
import { digestOf } from '../../shared/accounts/api-key.ts';
import { now } from '../../shared/config/clock.ts';
import { onExchange } from './api.ts';
import type { Answer, Schema } from './http.ts';

const recorded = new Map<string, string>();

onExchange(({ method, path, request, answer }) => {
  const key = request.headers?.['X-API-Key'];
  if (method === 'POST' && path === '/transactions' && answer.status === 201 && typeof key === 'string')
    recorded.set((answer as Answer<Schema<'Transaction'>>).body.id, key);
});

afterAll(async () => {
  if (recorded.size === 0) return;
  // Not over HTTP, because an account of a test may have used up its requests, or lack the scope.
  const { findAccount } = await import('../../shared/store/accounts/account-store.ts');
  const { findKey } = await import('../../shared/store/accounts/api-key-store.ts');
  const { ledgerReads } = await import('../../shared/store/ledger/ledger-reads.ts');
  const { loadContent } = await import('../../shared/store/content/load-content.ts');
  const { replayTransaction } = await import('../../shared/transactions/replay/replay-transaction.ts');
  const ports = { ledger: ledgerReads, loadContent, now };
  const others: unknown[] = [];
  const replayNext = async () => {
    for (const [id, secret] of recorded) {
      recorded.delete(id);
      const key = await findKey(digestOf(secret));
      // A test may have deleted the account.
      if (!key) continue;
      const account = await findAccount(key.account);
      const replay = account && (await replayTransaction(id, account, ports));
      const isEqual = replay?.ok && (replay.value.match === true || replay.value.reason === 'redacted');
      if (!isEqual) others.push({ id, replay });
    }
  };
  await Promise.all(Array.from({ length: 8 }, replayNext));
  expect(others.slice(0, 3)).toEqual([]);
});
