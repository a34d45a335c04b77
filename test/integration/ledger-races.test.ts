import { expect, it } from 'vitest';
import { ledger } from '../../shared/store/ledger/ledger-store.ts';
import { changed, commitOf, created, finalized, itemsOf, keyed, kindsOf, newAccount } from '../support/transactions.ts';

it('lets one of eight change a version, and says to the others that it has moved', async () => {
  const account = newAccount();
  const head = created();
  await ledger.commit(commitOf(account, head));
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, at) =>
      ledger.commit(commitOf(account, changed(head.after, { metadata: { at: String(at) } }))),
    ),
  );
  expect(answers.map(({ kind }) => kind).sort()).toEqual(['committed', ...Array(7).fill('stale')]);
  const winner = answers.findIndex(({ kind }) => kind === 'committed');
  const stored = await ledger.find(account, head.after.transaction.id);
  expect(stored?.transaction).toMatchObject({ version: 2, metadata: { at: String(winner) } });
  expect(await kindsOf(account)).toBe('AAH');
});

it('stores nothing of a credit whose parent has moved', async () => {
  const account = newAccount();
  const sale = created(finalized);
  await ledger.commit(commitOf(account, sale));
  const { id } = sale.after.transaction;
  const credit = () => created({ ...finalized, type: 'credit', parent_transaction_id: id, reference_id: 'CR-1' });
  const parent = (amount: string) => changed(sale.after, { credited_amount: amount });
  expect(await ledger.commit(commitOf(account, credit(), { parent: parent('10.00') }))).toEqual({ kind: 'committed' });
  const before = await itemsOf(account);
  const late = created({ ...finalized, type: 'credit', parent_transaction_id: id });
  expect(
    await ledger.commit(commitOf(account, late, { parent: parent('5.00'), idempotency: keyed('key', 'body', {}) })),
  ).toEqual({ kind: 'stale' });
  expect(await itemsOf(account)).toEqual(before);
  expect((await ledger.find(account, id))?.transaction).toMatchObject({ version: 2, credited_amount: '10.00' });
});

it.each([
  ['a creation', (account: string) => commitOf(account, created({ reference_id: 'INV-1' })), 'AHR'],
  ['a creation without a reference', (account: string) => commitOf(account, created()), 'AH'],
])('takes %s that comes twice, with tokens of their own, for one', async (_what, commit, kinds) => {
  const account = newAccount();
  const asked = commit(account);
  expect(await ledger.commit(asked)).toEqual({ kind: 'committed' });
  const before = await itemsOf(account);
  expect(await ledger.commit(asked)).toEqual({ kind: 'committed', isRepeat: true });
  expect(await itemsOf(account)).toEqual(before);
  expect(await kindsOf(account)).toBe(kinds);
});

it('takes a change that comes twice for one, also after the next change', async () => {
  const account = newAccount();
  const draft = created({ reference_id: 'INV-1' });
  await ledger.commit(commitOf(account, draft));
  const first = commitOf(account, changed(draft.after, { reference_id: 'INV-2' }));
  expect(await ledger.commit(first)).toEqual({ kind: 'committed' });
  expect(await ledger.commit(first)).toEqual({ kind: 'committed', isRepeat: true });
  await ledger.commit(commitOf(account, changed(first.head.after, finalized)));
  const before = await itemsOf(account);
  expect(await ledger.commit(first)).toEqual({ kind: 'committed', isRepeat: true });
  expect(await itemsOf(account)).toEqual(before);
});
