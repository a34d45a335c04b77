import { expect, it } from 'vitest';
import { expired } from '../../shared/ledger/transaction.ts';
import { claimKey } from '../../shared/store/keys.ts';
import { ledger } from '../../shared/store/ledger/ledger-store.ts';
import {
  changed,
  commitOf,
  created,
  deadlineMs,
  finalized,
  itemsOf,
  newAccount,
  voided,
} from '../support/transactions.ts';

const reference = { reference_id: 'INV-1#7 ü' };
const committed = { kind: 'committed' };

const claimOf = async (account: string, of = reference.reference_id) => {
  const { pk, sk } = claimKey(account, of);
  return (await itemsOf(account))[`${pk} ${sk}`];
};

it('keeps a draft’s claim until its deadline, and then releases it', async () => {
  const account = newAccount();
  const first = created(reference);
  await ledger.commit(commitOf(account, first));
  expect(await claimOf(account)).toMatchObject({
    expires_at: new Date(deadlineMs).toISOString(),
    ttl: deadlineMs / 1000 + 3600,
  });
  const second = created(reference);
  expect(await ledger.commit(commitOf(account, second, { nowMs: deadlineMs - 1 }))).toEqual({
    kind: 'reference_taken',
    transactionId: first.after.transaction.id,
  });
  expect(await ledger.commit(commitOf(account, second, { nowMs: deadlineMs }))).toEqual(committed);

  // A later sweep must not release the claim of the second draft.
  const sweep = changed(first.after, expired(first.after.transaction));
  expect(await ledger.commit(commitOf(account, sweep, { nowMs: deadlineMs + 1000 }))).toEqual(committed);
  expect((await ledger.find(account, first.after.transaction.id))?.transaction.void_reason).toBe('draft_expired');
  expect((await claimOf(account))?.['transaction_id']).toBe(second.after.transaction.id);
});

it('refuses to finalize a draft whose reference another transaction took over', async () => {
  const account = newAccount();
  const first = created(reference);
  const second = created(reference);
  await ledger.commit(commitOf(account, first));
  await ledger.commit(commitOf(account, second, { nowMs: deadlineMs }));
  // With a slow clock, the use case still sees a draft.
  expect(await ledger.commit(commitOf(account, changed(first.after, finalized), { nowMs: deadlineMs - 5 }))).toEqual({
    kind: 'reference_taken',
    transactionId: second.after.transaction.id,
  });
  expect((await ledger.find(account, first.after.transaction.id))?.transaction.status).toBe('draft');
});

it.each([
  ['void', voided],
  ['cleared', { reference_id: null }],
])('keeps a claim that another transaction took over from a draft that is %s', async (_how, change) => {
  const account = newAccount();
  const [first, second] = [created(reference), created(reference)];
  await ledger.commit(commitOf(account, first));
  await ledger.commit(commitOf(account, second, { nowMs: deadlineMs }));
  const before = await itemsOf(account);
  const late = commitOf(account, changed(first.after, change), { nowMs: deadlineMs - 5 });
  // The retry reads the draft again, which has expired by then.
  expect(await ledger.commit(late)).toEqual({ kind: 'stale' });
  expect(await itemsOf(account)).toEqual(before);
});

it('keeps the old reference if the new one is taken', async () => {
  const account = newAccount();
  const [holder, draft] = [created({ reference_id: 'INV-2' }), created(reference)];
  await ledger.commit(commitOf(account, holder));
  await ledger.commit(commitOf(account, draft));
  const before = await itemsOf(account);
  expect(await ledger.commit(commitOf(account, changed(draft.after, { reference_id: 'INV-2' })))).toEqual({
    kind: 'reference_taken',
    transactionId: holder.after.transaction.id,
  });
  expect(await itemsOf(account)).toEqual(before);
});
