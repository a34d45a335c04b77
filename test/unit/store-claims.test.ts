import { expect, it } from 'vitest';
import type { Transaction } from '../../shared/ledger/transaction.ts';
import { expired } from '../../shared/ledger/transaction.ts';
import { claimChanges, claimItem } from '../../shared/store/ledger/commit-writes.ts';
import { changed, created, createdMs, deadlineMs, finalized, voided } from '../support/transactions.ts';

const none = { reference_id: null };
const one = { reference_id: 'one' };
const other = { reference_id: 'other' };
const filed = { status: 'filed', expires_at: null } as const;
type State = Partial<Transaction>;

it.each<[string, State | null, State, string | null, string | null]>([
  ['a draft without a reference', null, none, null, null],
  ['a draft with one', null, one, 'one', null],
  ['a sale with one', null, { ...finalized, ...one }, 'one', null],
  ['a draft that is edited', one, one, null, null],
  ['a draft that gets one', none, one, 'one', null],
  ['a draft that gets another', one, other, 'other', 'one'],
  ['a draft that gives it up', one, none, null, 'one'],
  ['a draft that is finalized', one, { ...finalized, ...one }, 'one', null],
  ['a draft that is finalized under another', one, { ...finalized, ...other }, 'other', 'one'],
  ['a draft that is finalized and gives it up', one, { ...finalized, ...none }, null, 'one'],
  ['a draft that is finalized without one', none, { ...finalized, ...none }, null, null],
  ['a draft that is void', one, { ...voided, ...one }, null, 'one'],
  ['a sale that gets one', { ...finalized, ...none }, { ...finalized, ...one }, 'one', null],
  ['a sale that is edited', { ...finalized, ...one }, { ...finalized, ...one }, null, null],
  ['a sale that is filed', { ...finalized, ...one }, { ...filed, ...one }, null, null],
  ['a sale that is void', { ...finalized, ...one }, { ...voided, ...one }, null, 'one'],
  // A client may send this reason as well.
  [
    'a sale that is void, as if a draft had expired',
    { ...finalized, ...one },
    { ...voided, ...one, void_reason: 'draft_expired' },
    null,
    'one',
  ],
  ['a void one that is edited', { ...voided, ...one }, { ...voided, ...one }, null, null],
])('changes the claims of %s', (_what, before, after, take, release) => {
  const head = before === null ? created(after) : changed(created(before).after, after);
  expect(claimChanges(head, createdMs)).toEqual({ take, release });
});

it('leaves the claim of an expired draft alone', () => {
  const draft = created(one).after;
  const sweep = changed(draft, expired(draft.transaction));
  expect(claimChanges(sweep, deadlineMs)).toEqual({ take: null, release: null });
});

it('has a deadline only while it is a draft’s', () => {
  const deadline = { expires_at: new Date(deadlineMs).toISOString(), ttl: deadlineMs / 1000 + 3600 };
  expect(claimItem('acct_1', 'one', created(one).after)).toMatchObject(deadline);
  // An old deadline that a caller leaves in place.
  const final = claimItem('acct_1', 'one', created({ ...finalized, ...one, expires_at: deadline.expires_at }).after);
  expect(Object.keys(final).sort()).toEqual(['pk', 'sk', 'transaction_id']);
});
