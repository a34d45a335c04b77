import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newSalt } from '../../shared/ledger/personal-data/fields.ts';
import type { StoredTransaction, Transaction } from '../../shared/ledger/transaction.ts';
import { newCaller } from '../support/api.ts';
import { csv } from '../support/filings.ts';
import { readRawItems } from '../support/raw-items.ts';
import { accounts, ledger } from '../support/run-command.ts';
import { connectClient, creditOf, getRefusal, goods, later, made, michigan, sale, sold } from '../support/sales.ts';
import { alter, forge, ofTransaction, undoTampering } from '../support/tampering.ts';

describe('redacted data', () => {
  const redact = (...args: readonly string[]) => accounts('redact', '--account', ...args);

  const personal = {
    customer: { id: 'cus_9', address: { ...michigan, postal_code: '48226-1234' } },
    metadata: { email: 'a@example.org' },
  };

  const shop = async () => {
    const caller = await newCaller();
    const { account } = caller;
    const run = async (...args: readonly string[]) => {
      const ran = await redact(account.id, ...args, '--yes');
      expect(ran).toMatchObject({ code: 0 });
      return ran;
    };
    return { ...caller, id: account.id, client: connectClient(caller), run };
  };

  it('is returned as null with the time of the redaction, in GET, lists and CSV', async () => {
    const { client, call, run } = await shop();
    const lines = [goods({ id: 'item_1', description: 'Engraved: for J.', metadata: { gift: 'yes' } })];
    const { id, version } = await sold(client, { ...personal, line_items: lines, reference_id: 'order-1' });
    await run('--transaction', 'order-1');
    const after = await made(client.get(id));
    expect(after).toMatchObject({
      customer: { id: null, address: { ...michigan, line1: null, postal_code: '48226' } },
      metadata: {},
      line_items: [{ description: null, metadata: {} }],
      redacted_at: expect.any(String),
      updated_at: after.redacted_at,
      version: version + 1,
    });
    expect((await made(client.list())).data[0]).toMatchObject({ id, redacted_at: after.redacted_at });
    const { text } = await call('GET', '/transactions', { headers: csv });
    expect(text).toContain(`${id},sale,finalized,order-1,,,2026-10-08`);
    const { data } = await made(call('GET', `/transactions/${id}/history` as '/transactions/{id}/history'));
    expect(data[0]).toMatchObject({
      by: 'operator',
      fields: ['customer', 'line_items', 'metadata', 'redacted_at', 'warnings'].filter(
        (field) => field !== 'warnings' || after.warnings.length > 0,
      ),
    });
  });

  it('cannot be replayed or replaced', async () => {
    const { client, call, run } = await shop();
    const { id } = await sold(client, personal);
    await run('--transaction', id);
    const replay = await made(call('POST', `/transactions/${id}/replay` as '/transactions/{id}/replay'));
    expect(replay).toMatchObject({ match: null, reason: 'redacted', difference_count: 0 });
    for (const [field, body] of [
      ['metadata', { metadata: { email: 'again' } }],
      ['tax_amount', { tax_amount: '1.00' }],
      ['void_reason', { status: 'void', void_reason: 'A. asked' }],
    ] as const)
      expect(getRefusal(await client.update(id, body))).toBe(`409 | conflict_immutable_field /${field}`);
    expect(await made(client.update(id, { status: 'void' }))).toMatchObject({ status: 'void', metadata: {} });
  });

  it('includes the credits of a sale and an expired draft, and a repeated run is complete', async () => {
    const { client, run, id: account } = await shop();
    const parent = await sold(client, personal);
    await made(client.create(creditOf(parent, { line_items: [{ id: 'item_1', quantity: '1' }] })));
    const ran = JSON.parse((await run('--transaction', parent.id, '--json')).out);
    expect(ran).toMatchObject({ transactions: 2, already: 0 });
    expect(JSON.parse((await run('--transaction', parent.id, '--json')).out)).toMatchObject({
      transactions: 0,
      already: 2,
    });
    const draft = await made(client.create(sale(personal)));
    await later(25 * 3_600_000, () => run('--transaction', draft.id));
    expect(await made(client.get(draft.id))).toMatchObject({ status: 'void', version: 3, customer: { id: null } });
    expect((await readRawItems(account)).filter((item) => item.includes('Woodward'))).toEqual([]);
  });

  it('requires a known object and a confirmation, and a dry run only counts', async () => {
    const { client, id: account } = await shop();
    const { id } = await sold(client, personal);
    const before = await readRawItems(account);
    const refused = [
      [account, '--transaction', 'order-unknown', '--yes'],
      [account, '--customer', 'cus_unknown', '--yes'],
      [account, '--older-than', '2999-01-01', '--yes'],
      [account, '--older-than', 'soon', '--yes'],
      [account, '--yes'],
      [account, '--customer', 'cus_9', '--transaction', id, '--yes'],
      [account, '--customer', 'cus_9'],
      ['acct_unknown', '--customer', 'cus_9', '--yes'],
    ];
    for (const args of refused) expect(await redact(...args)).toMatchObject({ code: 1, out: '' });
    const dry = await redact(account, '--customer', 'cus_9', '--dry-run', '--json');
    expect(JSON.parse(dry.out)).toMatchObject({ dry_run: true, transactions: 1, customer: false });
    expect((await readRawItems(account)).sort()).toEqual(before.sort());
  });
});

describe('ledger verify after a redaction', () => {
  const personal = { customer: { id: 'cus_9', address: michigan }, metadata: { email: 'a@example.org' } };
  let account: string;
  let redacted: { readonly account: string; readonly id: string };
  let other: { readonly account: string; readonly id: string };

  beforeAll(async () => {
    const caller = await newCaller();
    account = caller.account.id;
    const client = connectClient(caller);
    redacted = { account, id: (await sold(client, personal)).id };
    other = { account, id: (await sold(client, personal)).id };
    const args = ['redact', '--account', account, '--transaction', redacted.id, '--yes'];
    expect(await accounts(...args)).toMatchObject({ code: 0 });
  });
  afterEach(undoTampering);

  const found = async (): Promise<string[]> => {
    const { out } = await ledger('verify', '--account', account, '--json');
    return JSON.parse(out).findings.map(({ id, check }: { id: string; check: string }) => `${check} ${id}`);
  };

  const at = '2026-11-20T12:00:00.000Z';
  const claim = (stored: StoredTransaction): StoredTransaction => ({
    ...stored,
    transaction: { ...stored.transaction, redacted_at: at },
    commitments: { digest: newSalt() },
  });
  const withDigest = (stored: StoredTransaction): StoredTransaction => ({
    ...stored,
    commitments: { digest: newSalt() },
  });

  const set = (changes: Partial<Transaction> | ((transaction: Transaction) => Partial<Transaction>)) =>
    ofTransaction(typeof changes === 'function' ? changes : () => changes);
  const otherTax = set(({ line_items }) => ({
    line_items: line_items.map((line) => ({ ...line, tax_amount: '0.06' })),
  }));

  /** Changes of the redacted or the other transaction. `rehashed` also recomputes the hash of the newest audit entry. */
  const changes: readonly (readonly [
    string,
    'redacted' | 'other',
    (stored: StoredTransaction) => StoredTransaction,
  ])[] = [
    ['a figure', 'redacted', otherTax],
    ['a figure that nothing adds up to', 'redacted', set({ tax_date: '2026-10-09' })],
    ['the digest of the commitments', 'redacted', withDigest],
    ['data that is put back', 'redacted', set({ metadata: { email: 'b@example.org' } })],
    ['the time of the redaction', 'redacted', set({ redacted_at: at })],
    ['a claim of a redaction', 'other', claim],
    ['the salt of one that is not redacted', 'other', (stored) => ({ ...stored, commitments: { salt: newSalt() } })],
    ['personal data that is not redacted', 'other', set({ metadata: { email: 'b@example.org' } })],
    ['data that is gone without a redaction', 'other', set({ metadata: {} })],
  ];
  const rehashed: typeof changes = [
    ['a redaction that is denied', 'redacted', set({ redacted_at: undefined })],
    ['a claim of a redaction', 'other', claim],
  ];

  it('reports no findings in a ledger with a redacted transaction', async () => {
    expect(await found()).toEqual([]);
  });

  it.each([
    ...changes.map(([title, which, change]) => [title, which, change, alter] as const),
    ...rehashed.map(([title, which, change]) => [`${title}, with a new hash`, which, change, forge] as const),
  ])('reports a change of %s', async (_, which, change, apply) => {
    const changed = which === 'redacted' ? redacted : other;
    await apply(changed, change);
    expect(await found()).toContain(`chain ${changed.id}`);
  });

  it('does not redact a transaction whose state differs from its audit chain', async () => {
    await alter(other, set({ tax_date: '2026-10-09' }));
    const args = ['redact', '--account', account, '--transaction', other.id, '--yes', '--json'];
    const { code, out } = await accounts(...args);
    expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 1, transactions: 0, inconsistent: [other.id] });
  });
});
