import { expect, it } from 'vitest';
import { ledger } from '../../shared/store/ledger/ledger-store.ts';
import { openEntryFrom } from '../../shared/store/ledger/open-entry-item.ts';
import { type OpenEntry, openEntriesOf } from '../../shared/transactions/open-entries.ts';
import {
  changed,
  commitOf,
  created,
  finalized,
  itemsOf,
  kindsOf,
  newAccount,
  voided,
} from '../support/transactions.ts';

const openOf = async (account: string): Promise<OpenEntry[]> =>
  Object.values(await itemsOf(account))
    .filter(({ pk }) => String(pk).startsWith('O#'))
    .map(openEntryFrom);

const none = { post: [], remove: [] };

/** A finalized sale with its open entry. */
const saleIn = async (account: string) => {
  const head = created(finalized);
  const entries = openEntriesOf(head.after.transaction);
  await ledger.commit(commitOf(account, head, { openEntries: { ...none, post: entries } }));
  return { head, entries };
};

it('posts a sale’s liability with the sale', async () => {
  const account = newAccount();
  const { entries } = await saleIn(account);
  expect(entries).toHaveLength(1);
  expect(await openOf(account)).toEqual(entries);
  expect(await kindsOf(account)).toBe('AHO');
});

it('takes it back with the void', async () => {
  const account = newAccount();
  const { head, entries } = await saleIn(account);
  const undo = commitOf(account, changed(head.after, voided), { openEntries: { ...none, remove: entries } });
  expect(await ledger.commit(undo)).toEqual({ kind: 'committed' });
  expect(await openOf(account)).toEqual([]);
  // A lost reply: the entry is gone because of this very commit.
  expect(await ledger.commit(undo)).toEqual({ kind: 'committed', isRepeat: true });
});

it('replaces the amounts of an entry in place', async () => {
  const account = newAccount();
  const { head, entries } = await saleIn(account);
  const other = entries.map((entry) => ({
    ...entry,
    amounts: entry.amounts.map((amounts) => ({ ...amounts, tax_amount: '0.61' })),
  }));
  const change = commitOf(account, changed(head.after, { tax_amount: '0.61' }), {
    openEntries: { post: other, remove: entries },
  });
  expect(await ledger.commit(change)).toEqual({ kind: 'committed' });
  expect(await openOf(account)).toEqual(other);
});

it.each(['void', 'new amounts'])(
  'refuses %s once the entry has gone into a filing, and changes nothing',
  async (what) => {
    const account = newAccount();
    // As when it has gone: a head without its open entry.
    const head = created(finalized);
    await ledger.commit(commitOf(account, head));
    const before = await itemsOf(account);
    const entries = openEntriesOf(head.after.transaction);
    const openEntries = { post: what === 'void' ? [] : entries, remove: entries };
    const change = what === 'void' ? voided : { tax_amount: '0.61' };
    expect(await ledger.commit(commitOf(account, changed(head.after, change), { openEntries }))).toEqual({
      kind: 'period_closed',
    });
    expect(await itemsOf(account)).toEqual(before);
  },
);

it('blames a version that has moved, not the filing', async () => {
  const account = newAccount();
  const { head, entries } = await saleIn(account);
  const undo = (reason: string) =>
    commitOf(account, changed(head.after, { ...voided, void_reason: reason }), {
      openEntries: { ...none, remove: entries },
    });
  expect(await ledger.commit(undo('one'))).toEqual({ kind: 'committed' });
  expect(await ledger.commit(undo('two'))).toEqual({ kind: 'stale' });
});
