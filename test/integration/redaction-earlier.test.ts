/** Ledgers of earlier versions, whose hashes cover personal data itself: migrated, redacted, exported and imported. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { accountsProgram } from '../../shared/cli/accounts.ts';
import { ledgerProgram } from '../../shared/cli/ledger.ts';
import type { ReleaseHead, ReleasePart } from '../../shared/content/content.ts';
import { importRelease } from '../../shared/store/content/content-store.ts';
import { personalShop } from '../support/personal-shop.ts';
import { rawItemsOf } from '../support/raw-items.ts';
import { runInProcess } from '../support/run-command.ts';
import { later } from '../support/sales.ts';

await vi.hoisted(async () => (await import('../support/own-tables.ts')).useOwnTables());

const folder = mkdtempSync(join(tmpdir(), 'levy-redacted-'));
afterAll(() => rmSync(folder, { recursive: true }));

const done = async (ran: ReturnType<typeof runInProcess>) => {
  const { code, out, err } = await ran;
  expect({ code, out: code === 0 ? '' : out, err }).toEqual({
    code: 0,
    out: '',
    err: expect.not.stringContaining('rror:'),
  });
  return out;
};
const ledger = (...args: readonly string[]) => done(runInProcess(ledgerProgram(), args));
const redactAll = (account: string) =>
  done(runInProcess(accountsProgram(), ['redact', '--account', account, '--older-than', '0', '--yes', '--json']));
const verified = async (account: string) => JSON.parse(await ledger('verify', '--account', account, '--json'));

beforeAll(async () => {
  const { head, parts }: { head: ReleaseHead; parts: ReleasePart[] } = JSON.parse(
    readFileSync('test/fixtures/recorded-ledger/release.json', 'utf8'),
  );
  await importRelease(head, parts);
});

const importRecorded = async (account: string) => {
  const file = join(folder, `${account}.ndjson`);
  writeFileSync(file, gunzipSync(readFileSync('test/fixtures/recorded-ledger/export.ndjson.gz')));
  await ledger('import', account, file);
};

it('are migrated without a gap in the chain, and then redacted', async () => {
  // Before the recorded drafts expire: a migration would first void them.
  const theDayAfter = Date.parse('2026-11-23');
  await later(theDayAfter - Date.now(), async () => {
    const account = `acct_migrated_${process.pid}`;
    await importRecorded(account);
    const before = (await verified(account)).checked;
    expect([before.without_commitments, before.redacted]).toEqual([before.transactions, 0]);
    expect(await ledger('migrate', '--account', account)).toMatch(
      new RegExp(` ${before.transactions} .* ${before.transactions}\\b`),
    );
    expect(await ledger('migrate', '--account', account)).toMatch(new RegExp(` 0 .* ${before.transactions}\\b`));
    const migrated = (await verified(account)).checked;
    expect(migrated).toEqual({
      ...before,
      audit_entries: before.audit_entries + before.transactions,
      without_commitments: 0,
    });
    expect(JSON.parse(await redactAll(account))).toMatchObject({ transactions: before.transactions, inconsistent: [] });
    expect((await verified(account)).checked).toMatchObject({ redacted: before.transactions, without_commitments: 0 });
  });
});

it('are redacted without a migration, and exports of redacted ledgers verify where they are imported', async () => {
  const account = `acct_unmigrated_${process.pid}`;
  await importRecorded(account);
  await redactAll(account);
  const { checked } = await verified(account);
  expect(checked.redacted).toBe(checked.transactions);
  expect((await rawItemsOf(account)).filter((item) => item.includes('Woodward'))).toEqual([]);
  const file = join(folder, 'redacted.ndjson');
  await ledger('export', account, '--out', file);
  await ledger('import', `${account}_copy`, file);
  expect((await verified(`${account}_copy`)).checked).toEqual(checked);
});

it('transactions of this version keep salts and redactions in an export, so that the rest can be redacted later', async () => {
  const { caller } = await personalShop(7, 6);
  const { id } = caller.account;
  await done(runInProcess(accountsProgram(), ['redact', '--account', id, '--customer', 'privbuyerA', '--yes']));
  const file = join(folder, 'part.ndjson');
  await ledger('export', id, '--out', file);
  expect(readFileSync(file, 'utf8')).not.toContain('privbuyerA');
  const copy = `${id}_copy`;
  await ledger('import', copy, file);
  expect((await verified(copy)).checked).toEqual((await verified(id)).checked);
  await redactAll(copy);
  for (const customer of ['privbuyerB', 'privbuyerC'])
    await done(runInProcess(accountsProgram(), ['redact', '--account', copy, '--customer', customer, '--yes']));
  expect((await rawItemsOf(copy)).filter((item) => item.includes('priv'))).toEqual([]);
  expect((await verified(copy)).findings).toEqual([]);
});
