/**
 * A ledger that an earlier version of the service wrote (commit bf2f6b3), exported by that version: sales and credits in
 * every status, supplied taxes, an imported release, and filings that are filed, closed and canceled.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newApiKey } from '../../shared/accounts/api-key.ts';
import { ledgerProgram } from '../../shared/cli/ledger.ts';
import type { ReleaseHead, ReleasePart } from '../../shared/content/content.ts';
import { provisionKey } from '../../shared/store/accounts/api-key-store.ts';
import { importRelease } from '../../shared/store/content/content-store.ts';
import type { StoredTransaction } from '../../shared/transactions/transaction.ts';
import { startApi } from '../support/api.ts';
import { type Schema, send } from '../support/http.ts';
import { runCommand, runInProcess } from '../support/run-command.ts';

type Line =
  | { readonly kind: 'transaction'; readonly stored: StoredTransaction }
  | {
      readonly kind: 'filing';
      readonly filing: { readonly id: string; readonly status: string; readonly summary: unknown };
    }
  | { readonly kind: 'other' };

const fixture = 'test/fixtures/recorded-ledger';
const exported = gunzipSync(readFileSync(`${fixture}/export.ndjson.gz`)).toString();
const lines = exported
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Line);
const transactions = lines.flatMap((line) => (line.kind === 'transaction' ? [line.stored.transaction] : []));
const filings = lines.flatMap((line) => (line.kind === 'filing' ? [line.filing] : []));

const folder = mkdtempSync(join(tmpdir(), 'levy-recorded-'));
afterAll(() => rmSync(folder, { recursive: true }));

const account = `acct_recorded_${process.pid}`;
const secret = newApiKey();
const get = async <Path extends string, Method extends string = 'GET'>(
  path: Path,
  method = 'GET' as Method,
  body?: unknown,
) =>
  send((await startApi()).url, method, path, { headers: { 'X-API-Key': secret }, ...(body !== undefined && { body }) });
const post = <Path extends string>(path: Path, body: unknown) => get(path, 'POST', body);

beforeAll(async () => {
  const { head, parts }: { head: ReleaseHead; parts: ReleasePart[] } = JSON.parse(
    readFileSync(`${fixture}/release.json`, 'utf8'),
  );
  await importRelease(head, parts);
  const file = join(folder, 'export.ndjson');
  writeFileSync(file, exported);
  expect(await runCommand(['shared/cli/ledger.ts', 'import', account, file])).toMatchObject({ code: 0 });
  await provisionKey({ account, secret, scopes: ['read', 'write'], expires_at: null });
});

it('records every status', () => {
  const statuses = new Set(transactions.map(({ type, status }) => `${type} ${status}`));
  expect([...statuses].sort()).toEqual([
    'credit finalized',
    'credit void',
    'sale draft',
    'sale filed',
    'sale finalized',
    'sale void',
  ]);
  expect(filings.map(({ status }) => status).sort()).toEqual(['canceled', 'closed', 'filed']);
});

it('is verified without findings', async () => {
  const { code, out } = await runInProcess(ledgerProgram(), ['verify', '--account', account]);
  expect([code, out]).toEqual([0, expect.stringMatching(/No findings\.\n$/)]);
});

it('is returned by the API as it was recorded, and every transaction can be calculated again', async () => {
  // A draft has expired by now, and is returned as void.
  const settled = transactions.filter(({ status }) => status !== 'draft');
  for (const transaction of settled) {
    const { body } = await get(`/transactions/${transaction.id}`);
    expect(body).toEqual({ ...transaction, history: null });
    const replay = await get(`/transactions/${transaction.id}/replay`, 'POST');
    expect([transaction.id, replay.body.match]).toEqual([transaction.id, true]);
  }
  for (const { id, status, summary } of filings)
    expect((await get(`/filings/${id}`)).body).toMatchObject({ id, status, summary });
});

it('can be voided, taxed otherwise, closed and filed as before, and moved to another account', async () => {
  const saleIn = (code: string) =>
    transactions.find(
      ({ line_items, status }) => status === 'finalized' && line_items[0]?.taxes[0]?.jurisdiction_code === code,
    );
  const statusOf = async <Path extends string>(path: Path, body: object) => (await post(path, body)).status;
  expect(await statusOf(`/transactions/${saleIn('US-CA')?.id}`, { status: 'void' })).toBe(200);
  expect(await statusOf(`/transactions/${saleIn('US-TX')?.id}`, { tax_amount: '9.00' })).toBe(200);
  const dryRun = async (state: string) =>
    (await post('/filings', { state, period_end: '2026-10-31', dry_run: true })).body;
  expect((await dryRun('CA')).summary).toEqual([]);
  // The new entry knows what was calculated; the old one of Florida knows what it says.
  expect(await dryRun('TX')).toMatchObject({
    summary: [{ tax_amount: '9.00', calculated_tax_amount: '8.75', over_collected_amount: '0.25', count: 1 }],
    exceptions: { count: 1, by_reason: [{ reason: 'over_collected' }] },
  });
  expect(await dryRun('FL')).toMatchObject({
    summary: [{ tax_amount: '9.80', calculated_tax_amount: '9.80', credit_count: 0 }],
    exceptions: { count: 0 },
  });
  const done = async (id: string): Promise<Schema<'Filing'>> => {
    for (let asked = 0; asked < 50; asked++) {
      const { body } = await get(`/filings/${id}`);
      if (body.progress.complete) return body;
      await post('/filings', { state: body.state, period_end: body.period_end });
    }
    throw new Error('The filing is not done.');
  };
  const florida = (await post('/filings', { state: 'FL', period_end: '2026-10-31' })).body;
  await done(florida.id);
  const michigan = filings.find(({ status }) => status === 'closed')?.id ?? '';
  for (const id of [florida.id, michigan]) {
    expect(await statusOf(`/filings/${id}`, { status: 'filed', confirmation_number: 'c' })).toBe(202);
    expect((await done(id)).status).toBe('filed');
  }
  expect(await get(`/transactions/${saleIn('US-FL')?.id}`)).toMatchObject({ body: { status: 'filed' } });

  const copy = `${account}_copy`;
  const moved = join(folder, 'moved.ndjson');
  const verified = [0, expect.stringMatching(/No findings\.\n$/)];
  for (const args of [
    ['verify', '--account', account],
    ['export', account, '--out', moved],
    ['import', copy, moved],
    ['verify', '--account', copy],
  ]) {
    const { code, out, err } = await runInProcess(ledgerProgram(), args);
    if (args[0] === 'verify') expect([code, out]).toEqual(verified);
    else expect([code, err]).toEqual([0, expect.any(String)]);
  }
});
