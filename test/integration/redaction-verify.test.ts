import { afterEach, beforeAll, expect, it } from 'vitest';
import { accountsProgram } from '../../shared/cli/accounts.ts';
import { ledgerProgram } from '../../shared/cli/ledger.ts';
import { newSalt } from '../../shared/ledger/personal-data/fields.ts';
import type { StoredTransaction } from '../../shared/ledger/transaction.ts';
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

const changes: readonly (readonly [string, () => Promise<void>, 'redacted' | 'other'])[] = [
  [
    'a figure',
    () =>
      alter(
        redacted,
        ofTransaction(({ line_items }) => ({
          line_items: line_items.map((line) => ({ ...line, tax_amount: '0.06' })),
        })),
      ),
    'redacted',
  ],
  [
    'a figure that nothing adds up to',
    () =>
      alter(
        redacted,
        ofTransaction(() => ({ tax_date: '2026-10-09' })),
      ),
    'redacted',
  ],
  ['the digest of the commitments', () => alter(redacted, withDigest), 'redacted'],
  [
    'data that is put back',
    () =>
      alter(
        redacted,
        ofTransaction(() => ({ metadata: { email: 'b@example.org' } })),
      ),
    'redacted',
  ],
  [
    'the time of the redaction',
    () =>
      alter(
        redacted,
        ofTransaction(() => ({ redacted_at: at })),
      ),
    'redacted',
  ],
  [
    'a redaction that is denied, with a new hash',
    () =>
      forge(
        redacted,
        ofTransaction(() => ({ redacted_at: undefined })),
      ),
    'redacted',
  ],
  ['a claim of a redaction', () => alter(other, claim), 'other'],
  ['a claim of a redaction, with a new hash', () => forge(other, claim), 'other'],
  [
    'the salt of one that is not redacted',
    () => alter(other, (stored) => ({ ...stored, commitments: { salt: newSalt() } })),
    'other',
  ],
  [
    'personal data that is not redacted',
    () =>
      alter(
        other,
        ofTransaction(() => ({ metadata: { email: 'b@example.org' } })),
      ),
    'other',
  ],
  [
    'data that is gone without a redaction',
    () =>
      alter(
        other,
        ofTransaction(() => ({ metadata: {} })),
      ),
    'other',
  ],
];

it('finds nothing in a ledger with a redacted transaction', async () => {
  expect(await found()).toEqual([]);
});

it.each(changes)('finds a change of %s', async (_, change, which) => {
  await change();
  expect(await found()).toContain(`chain ${which === 'redacted' ? redacted.id : other.id}`);
});

it('does not redact a transaction whose state differs from its audit chain', async () => {
  await alter(
    other,
    ofTransaction(() => ({ tax_date: '2026-10-09' })),
  );
  const args = ['redact', '--account', account, '--transaction', other.id, '--yes', '--json'];
  const { code, out } = await runInProcess(accountsProgram(), args);
  expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 1, transactions: 0, inconsistent: [other.id] });
});
