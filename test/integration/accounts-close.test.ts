/** `accounts close`, `reopen` and `delete`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Context } from 'aws-lambda';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { handler as countTransactions } from '../../functions/count-transactions.ts';
import { customersProgram } from '../../shared/cli/customers.ts';
import { environment } from '../../shared/config/environment.ts';
import { database } from '../../shared/store/client/client.ts';
import { countedKey } from '../../shared/store/keys.ts';
import { findClaimItem, headItem } from '../../shared/store/ledger/ledger-walk.ts';
import { newCaller } from '../support/api.ts';
import { failSends, intercept, noFaults } from '../support/faults.ts';
import { cancel, closedFiling, createFiler, file as fileReturn, monthly, soldOn } from '../support/filings.ts';
import { runSchedule } from '../support/gateway.ts';
import { scannedItems } from '../support/raw-items.ts';
import { accounts, ledger, runInProcess } from '../support/run-command.ts';
import { buildCreditRequest, dayMs, later, made, minuteMs, sale } from '../support/sales.ts';
import { createFolder } from '../support/temporary-files.ts';

afterEach(noFaults);

const newFile = () => join(createFolder(), 'ledger.ndjson');

const tableNames = [environment.tables.transactions, environment.tables.accounts];

/** Returns every item of both tables that has the account in any attribute. */
const readRaw = async (account: string): Promise<string[]> => {
  const items = (await Promise.all(tableNames.map(scannedItems))).flat().map((item) => JSON.stringify(item));
  return items.filter((item) => item.includes(account)).sort();
};

/** Returns a function that restores the account's items to their current state. */
const readSnapshot = async (account: string) => {
  const tables = await Promise.all(
    tableNames.map(async (TableName) => {
      const items = (await scannedItems(TableName)).filter((item) => JSON.stringify(item).includes(account));
      return items.map((Item) => new PutCommand({ TableName, Item }));
    }),
  );
  return () => Promise.all(tables.flat().map((put) => database.send(put)));
};

/** Creates an account with an item under every key prefix. */
const newShop = async () => {
  const caller = await newCaller({ settings: { registrations: [monthly('MI')], draft_ttl_hours: 48 } });
  const filer = createFiler(caller);
  const certificates = newFile();
  writeFileSync(certificates, JSON.stringify([{ id: 'cus_1', name: 'A buyer', exemptions: [] }]));
  await runInProcess(customersProgram(), ['put', '--account', caller.account.id, '--file', certificates]);
  const body = sale({ status: 'finalized', reference_id: 'in_1' });
  const first = await made(filer.create(body, { 'Idempotency-Key': 'key-1' }));
  await made(filer.create(buildCreditRequest(first, { line_items: [{ id: 'item_1', quantity: '1' }] })));
  const draft = await made(filer.create(sale({ reference_id: 'in_2' })));
  await made(filer.update(draft.id, { metadata: { note: 'x' } }));
  await soldOn(filer, '2026-08-05');
  await fileReturn(filer, (await closedFiling(filer, 'MI', '2026-08-31')).id);
  await soldOn(filer, '2026-09-05');
  await cancel(filer, (await closedFiling(filer, 'MI', '2026-09-30')).id);
  await ledger('recount', '--account', caller.account.id);
  return { ...caller, id: caller.account.id, filer };
};

const exported = async (id: string) => {
  const out = newFile();
  const { err } = await ledger('export', id, '--out', out);
  expect(err).toBe('');
  return out;
};

const context = { getRemainingTimeInMillis: () => 240_000 } as Context;

/** Returns the stream record of a transaction's current state. */
const readRecord = async (account: string, reference: string) => {
  const claim = await findClaimItem(account, reference);
  const item = await headItem(account, String(claim?.['transaction_id']));
  return { dynamodb: { SequenceNumber: '1', NewImage: marshall(item) } };
};

it('closes an account: revokes its keys, removes its due periods and blocks new keys and settings', async () => {
  const { id, call, filer } = await newShop();
  // Tax that was recorded without a registration is due, so it is in an open entry.
  const customer = { address: { city: 'Columbus', state: 'OH', postal_code: '43215', country: 'US' } };
  await soldOn(filer, '2026-10-05', '100.00', { customer, tax_amount: '5.00' });
  expect((await call('GET', '/transactions')).status).toBe(200);
  expect((await accounts('close', '--account', id)).err).toContain('--yes');
  expect((await call('GET', '/transactions')).status).toBe(200);
  const closed = await accounts('close', '--account', id, '--yes');
  expect(closed.code).toBe(0);
  expect(closed.out).toContain('2026-09');
  expect(closed.out).toContain('US-OH: transactions since 2026-10');
  await later(minuteMs, async () => {
    const { status, body } = await call('GET', '/transactions');
    expect([status, body.errors[0].code]).toEqual([401, 'auth_api_key_not_found']);
  });
  const before = await readRaw(id);
  for (const [args, words] of [
    [['close', '--account', id, '--yes'], 'already closed'],
    [['close', '--account', 'acct_none', '--yes'], 'account acct_none does not exist'],
    [['keys', 'create', '--account', id, '--scopes', 'read'], 'was closed at'],
    [['settings', '--account', id, 'rate_limit=5'], 'was closed at'],
    [['delete', '--account', id, '--export', 'none', '--yes'], 'can be deleted from'],
  ] as const) {
    const { code, err } = await accounts(...args);
    expect([code, err.includes(words)], `${args.join(' ')}: ${err}`).toEqual([1, true]);
  }
  expect(await readRaw(id)).toEqual(before);
  await later(200 * dayMs, async () => {
    for (let run = 0; run < 3; run++) await runSchedule('close-periods');
  });
  const filings = (items: readonly string[]) => items.filter((item) => item.includes(`"F#${id}"`));
  expect(filings(await readRaw(id))).toEqual(filings(before));
  expect((await readRaw(id)).some((item) => item.includes('"DUE#'))).toBe(false);
});

it('restores the due periods of a reopened account, but not its keys', async () => {
  const { id, call } = await newShop();
  await accounts('close', '--account', id, '--yes');
  await later(200 * dayMs, () => runSchedule('close-periods'));
  const reopened = await accounts('reopen', '--account', id);
  expect([reopened.code, reopened.out]).toEqual([0, expect.stringContaining(`--account ${id} --scopes read,write`)]);
  expect((await accounts('reopen', '--account', id)).err).toContain('is open');
  expect((await readRaw(id)).filter((item) => item.includes('"DUE#'))).toHaveLength(1);
  await later(minuteMs, async () => expect((await call('GET', '/transactions')).status).toBe(401));
  expect((await accounts('keys', 'create', '--account', id, '--scopes', 'read')).code).toBe(0);
});

const remove = (id: string, path: string) =>
  later(2 * dayMs, () => accounts('delete', '--account', id, '--export', path, '--yes'));

it('deletes an account only after a verified export, and leaves other accounts unchanged', async () => {
  const [shop, neighbour] = [await newShop(), await newShop()];
  const { id } = shop;
  const early = await exported(id);
  await made(shop.filer.create(sale({ status: 'finalized' })));
  expect((await remove(id, early)).err).toContain('is open');
  await accounts('close', '--account', id, '--yes');
  const whole = await exported(id);
  const lines = readFileSync(whole, 'utf8').split('\n');
  const cut = newFile();
  writeFileSync(cut, lines.filter((_, at) => at !== 3).join('\n'));
  const before = await readRaw(id);
  expect(before.some((item) => item.includes(`"S#${id}"`))).toBe(true);
  expect((await remove(id, early)).err).toMatch(/line \d+ differs/);
  expect((await remove(id, await exported(neighbour.id))).err).toContain('line 1 differs');
  expect((await remove(id, cut)).err).toContain('Line 4');
  expect(await readRaw(id)).toEqual(before);
  const others = await readRaw(neighbour.id);
  const lateRecord = await readRecord(id, 'in_1');

  const deleted = await remove(id, whole);
  expect(deleted.err.split('\n').at(-2)).toContain('Deleted 6 transactions');
  expect(deleted.code).toBe(0);
  expect(await readRaw(neighbour.id)).toEqual(others);
  const left = (await readRaw(id)).map((item) => JSON.parse(item));
  const { true: kept = [], false: expiring = [] } = Object.groupBy(left, ({ ttl }) => String(ttl === undefined));
  expect(expiring.every(({ pk }) => /^(I|RATE)#/.test(pk))).toBe(true);
  expect(kept).toMatchObject([{ pk: `ACCOUNT#${id}`, deletion: {}, deleted_at: expect.any(String) }]);
  expect(JSON.stringify(kept)).not.toContain('Test');
  // A late stream record of the account writes nothing, and a record of another account is counted.
  const { id: sold } = await made(neighbour.filer.create(sale({ status: 'finalized', reference_id: 'in_9' })));
  await countTransactions({ Records: [lateRecord, await readRecord(neighbour.id, 'in_9')] }, context);
  expect((await readRaw(id)).map((item) => JSON.parse(item))).toEqual(left);
  const key = Object.values(countedKey(neighbour.id, sold)).map((text) => JSON.stringify(text));
  expect((await readRaw(neighbour.id)).filter((item) => key.every((text) => item.includes(text)))).toHaveLength(1);

  expect((await remove(id, whole)).err).toContain('already deleted');
  expect((await accounts('settings', '--account', id)).err).toContain('was deleted at');
  expect((await ledger('import', id, whole)).err).toContain('was deleted at');
  expect((await accounts('list')).out).not.toContain(id);
  const copy = await ledger('import', `acct_copy_of_${id.slice(-6)}`, whole);
  expect(copy.out).toContain('1 customer');
  expect(copy.out).toContain('Verified: no findings.');
});

it('deletes a draft that a schedule voids during the deletion', async () => {
  const { id, filer } = await newShop();
  const draft = await made(filer.create(sale({ reference_id: 'in_3' })));
  await accounts('close', '--account', id, '--yes');
  const whole = await exported(id);
  let sweeps = 0;
  intercept(async ({ input, pass }) => {
    const { Key } = input as { readonly Key?: { readonly pk: string; readonly sk: string } };
    // The account's other items are already deleted.
    const isHead = Key?.pk === `T#${id}#${draft.id}` && Key.sk === 'H' && !('ConsistentRead' in input);
    if (isHead && sweeps++ === 0) await runSchedule('sweep-drafts');
    return pass();
  });
  const deleted = await remove(id, whole);
  expect([deleted.code, sweeps > 0]).toEqual([0, true]);
  expect((await readRaw(id)).filter((item) => !item.includes('"ttl"'))).toHaveLength(1);
});

describe('interrupted deletions', () => {
  let shop: Awaited<ReturnType<typeof newShop>>;
  let whole: string;
  let restore: Awaited<ReturnType<typeof readSnapshot>>;
  beforeAll(async () => {
    shop = await newShop();
    await accounts('close', '--account', shop.id, '--yes');
    whole = await exported(shop.id);
    restore = await readSnapshot(shop.id);
  });

  it.each([1, 2, 5, 9, 14, 20, 27, 35, 44])('resumes after write %i', async (writes) => {
    const { id } = shop;
    await restore();
    const where = writes % 2 === 0 ? 'on the way there' : 'on the way back';
    failSends({ error: () => new Error('killed'), where, of: ['DeleteItem'], skips: writes });
    expect((await remove(id, whole)).code).toBe(1);
    noFaults();
    const other = newFile();
    writeFileSync(other, `${readFileSync(whole, 'utf8')} `);
    expect((await remove(id, other)).code).toBe(1);
    expect((await accounts('reopen', '--account', id)).err).toContain('is being deleted');
    expect((await remove(id, whole)).code).toBe(0);
    expect((await readRaw(id)).filter((item) => !item.includes('"ttl"'))).toHaveLength(1);
  });
});
