import { expect, it } from 'vitest';
import { ledger } from '../../shared/store/ledger/ledger-store.ts';
import { changed, commitOf, created, createdMs, itemsOf, keyed, kindsOf, newAccount } from '../support/transactions.ts';

const dayMs = 24 * 3_600_000;
// Every kind of text that JSON, gzip or the database might not give back as it was.
const answer = { note: 'ü \u2028 \ud83d\ude00 \ud800 "\\"', amounts: ['0.10', '1.00'], nothing: null };

const commitWith = (account: string, key: string, body: string, nowMs = createdMs) =>
  ledger.commit(commitOf(account, created(), { idempotency: keyed(key, body, answer), nowMs }));

it('answers a request that comes again as it did, byte for byte, and stores nothing', async () => {
  const account = newAccount();
  const request = keyed('key', 'body', answer);
  expect(await commitWith(account, 'key', 'body')).toEqual({ kind: 'committed' });
  const before = await itemsOf(account);
  const replay = { kind: 'replay', answer: request.answer };
  expect(await commitWith(account, 'key', 'body')).toEqual(replay);
  expect(await ledger.findReplay(account, request, createdMs)).toEqual(replay);
  expect(await itemsOf(account)).toEqual(before);
});

it('refuses another request under the same key', async () => {
  const account = newAccount();
  await commitWith(account, 'key', 'body');
  expect(await commitWith(account, 'key', 'other')).toEqual({ kind: 'key_reused' });
  expect(await ledger.findReplay(account, keyed('key', 'other', answer), createdMs)).toEqual({ kind: 'key_reused' });
  expect(await kindsOf(account)).toBe('AHI');
});

it('reads the key’s record before it says that a reference is taken', async () => {
  const account = newAccount();
  const ask = () =>
    ledger.commit(commitOf(account, created({ reference_id: 'INV-1' }), { idempotency: keyed('key', 'body', answer) }));
  expect((await ask()).kind).toBe('committed');
  expect((await ask()).kind).toBe('replay');
});

it('forgets a key after 24 hours by the clock, whether it was tidied away or not', async () => {
  const account = newAccount();
  await commitWith(account, 'key', 'body');
  const record = Object.values(await itemsOf(account)).find(({ sk }) => sk === 'I');
  expect(record).toMatchObject({
    expires_at: new Date(createdMs + dayMs).toISOString(),
    ttl: (createdMs + dayMs) / 1000 + 3600,
  });
  expect(await commitWith(account, 'key', 'other', createdMs + dayMs - 1)).toEqual({ kind: 'key_reused' });
  expect(await ledger.findReplay(account, keyed('key', 'body', answer), createdMs + dayMs)).toBeUndefined();
  expect(await commitWith(account, 'key', 'other', createdMs + dayMs)).toEqual({ kind: 'committed' });
  expect(await commitWith(account, 'key', 'other', createdMs + dayMs)).toMatchObject({ kind: 'replay' });
});

it('knows no key of another account', async () => {
  await commitWith(newAccount(), 'key', 'body');
  expect(await ledger.findReplay(newAccount(), keyed('key', 'body', answer), createdMs)).toBeUndefined();
});

it('reads a transaction and a replay together, each only where there is one', async () => {
  const account = newAccount();
  const head = created();
  const { id } = head.after.transaction;
  const request = keyed('key', 'body', answer);
  await ledger.commit(commitOf(account, head, { idempotency: request }));
  const replay = { kind: 'replay', answer: request.answer };
  const other = keyed('other', 'body', answer);
  const findWithReplay = (of: string, with_: typeof request | null, nowMs = createdMs) =>
    ledger.findWithReplay(account, of, with_, nowMs);
  expect(await findWithReplay(id, request)).toEqual({ stored: head.after, replay });
  expect(await findWithReplay(id, other)).toEqual({ stored: head.after, replay: undefined });
  expect(await findWithReplay('txn_none', request)).toEqual({ stored: undefined, replay });
  expect(await findWithReplay(id, request, createdMs + dayMs)).toEqual({ stored: head.after, replay: undefined });
  expect(await findWithReplay(id, null)).toEqual({ stored: head.after, replay: undefined });
  expect(await findWithReplay('txn_none', null)).toEqual({ stored: undefined, replay: undefined });
  expect(await ledger.find(newAccount(), id)).toBeUndefined();
});

it('replays a change too, though its version has moved', async () => {
  const account = newAccount();
  const head = created();
  await ledger.commit(commitOf(account, head));
  const change = () =>
    ledger.commit(
      commitOf(account, changed(head.after, { metadata: { a: 'b' } }), { idempotency: keyed('key', 'body', answer) }),
    );
  expect(await change()).toEqual({ kind: 'committed' });
  expect(await change()).toMatchObject({ kind: 'replay' });
});
