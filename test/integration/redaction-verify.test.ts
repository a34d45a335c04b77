import { afterEach, beforeAll, expect, it } from 'vitest';
import { accountsProgram } from '../../shared/cli/accounts.ts';
import { ledgerProgram } from '../../shared/cli/ledger.ts';
import { newSalt } from '../../shared/ledger/personal-data/fields.ts';
import type { StoredTransaction, Transaction } from '../../shared/ledger/transaction.ts';
import { newCaller } from '../support/api.ts';
import { runInProcess } from '../support/run-command.ts';
import { clientOf, michigan, sold } from '../support/sales.ts';
import { alter, forge, ofTransaction, undoTampering } from '../support/tampering.ts';

/** Changes of a ledger after a redaction, each found by `ledger verify`. */

const personal = { customer: { id: 'cus_9', address: michigan }, metadata: { email: 'a@example.org' } };
let account: string;
let redacted: { readonly account: string; readonly id: string };
let other: { readonly account: string; readonly id: string };

beforeAll(async () => {
  const caller = await newCaller();
  account = caller.account.id;
  const client = clientOf(caller);
  redacted = { account, id: (await sold(client, personal)).id };
  other = { account, id: (await sold(client, personal)).id };
  const args = ['redact', '--account', account, '--transaction', redacted.id, '--yes'];
  expect(await runInProcess(accountsProgram(), args)).toMatchObject({ code: 0 });
});
afterEach(undoTampering);

const found = async (): Promise<string[]> => {
  const { out } = await runInProcess(ledgerProgram(), ['verify', '--account', account, '--json']);
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

/** A change of the redacted transaction or the other one, without or with a new hash in the newest audit entry. */
const changes: readonly (readonly [string, 'redacted' | 'other', (stored: StoredTransaction) => StoredTransaction])[] =
  [
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

it('finds nothing in a ledger with a redacted transaction', async () => {
  expect(await found()).toEqual([]);
});

it.each([
  ...changes.map(([title, which, change]) => [title, which, change, alter] as const),
  ...rehashed.map(([title, which, change]) => [`${title}, with a new hash`, which, change, forge] as const),
])('finds a change of %s', async (_, which, change, apply) => {
  const changed = which === 'redacted' ? redacted : other;
  await apply(changed, change);
  expect(await found()).toContain(`chain ${changed.id}`);
});

it('does not redact a transaction whose state differs from its audit chain', async () => {
  await alter(other, set({ tax_date: '2026-10-09' }));
  const args = ['redact', '--account', account, '--transaction', other.id, '--yes', '--json'];
  const { code, out } = await runInProcess(accountsProgram(), args);
  expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 1, transactions: 0, inconsistent: [other.id] });
});
