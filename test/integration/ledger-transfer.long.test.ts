/** `ledger export` and `ledger import`: from a ledger to a file, and to an account of another database. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Account } from '../../shared/accounts/account.ts';
import { exportLedger } from '../../shared/cli/ledger/export.ts';
import { importLedger, refuseOtherContent, verifyImport } from '../../shared/cli/ledger/import.ts';
import { checkExport } from '../../shared/cli/ledger/read-export.ts';
import { environment } from '../../shared/config/environment.ts';
import { decodeEntry } from '../../shared/ledger/entries/entry.ts';
import { findAccount } from '../../shared/store/accounts/account-store.ts';
import { database } from '../../shared/store/client/client.ts';
import { filingKey, importMarkKey } from '../../shared/store/keys.ts';
import { openEntryItem } from '../../shared/store/ledger/open-entry-item.ts';
import { type Caller, connectClient, newCaller } from '../support/api.ts';
import { cancel, closedFiling, createFiler, file as fileReturn, soldOn } from '../support/filings.ts';
import { type Command, getInput, MemoryDatabase, responseFrom, sendAny } from '../support/memory-database.ts';
import { scannedItems, storedBytes } from '../support/raw-items.ts';
import { expectFailure, expectSuccess, ledger } from '../support/run-command.ts';
import { buildCreditRequest, dayMs, goods, later, made, sale, sold } from '../support/sales.ts';
import { seeded } from '../support/seeded.ts';
import { tamper, undoTampering } from '../support/tampering.ts';
import { createFolder } from '../support/temporary-files.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

const folder = createFolder();
afterEach(undoTampering);

let files = 0;
const newFile = () => join(folder, `${++files}.ndjson`);

const honolulu = { customer: { address: { city: 'Honolulu', state: 'HI', postal_code: '96813', country: 'US' } } };
const plainDrafts = 130;

/** An account with every kind of ledger item. */
const newLedger = async () => {
  const caller = await newCaller({ settings: { draft_ttl_hours: 48, rounding: 'invoice' } });
  const filer = createFiler(caller);
  const lines = [goods({ id: 'a' }), goods({ id: '__proto__', unit_price: '10.01', discount_amount: '1.00' })];
  const body = { line_items: lines, shipping: { amount: '7.95' }, discount_amount: '3.33', explain: true };
  const first = await made(
    filer.create(
      sale({ ...body, status: 'finalized', reference_id: 'in_1', customer: { ...sale().customer, id: 'cus_1' } }),
    ),
  );
  await made(filer.create(buildCreditRequest(first, { line_items: [{ id: 'a', quantity: '1' }] })));
  const voidedCredit = await made(filer.create(buildCreditRequest(first, { credit_remaining: true })));
  await made(filer.update(voidedCredit.id, { status: 'void' }));
  const draft = await made(filer.create(sale({ ...body, reference_id: 'in_2', metadata: { note: '🧾\u2028 "x"\n' } })));
  const edited = await made(filer.create(sale({ reference_id: 'in_3' })));
  for (let at = 0; at < 4; at++) await made(filer.update(edited.id, { metadata: { at: String(at) } }));
  await made(filer.update(edited.id, { status: 'finalized', tax_amount: '1.00' }));
  const voided = await sold(filer, { reference_id: 'in_4' });
  await made(filer.update(voided.id, { status: 'void', void_reason: 'twice' }));
  // This sale reuses the reference of the void sale.
  await sold(filer, { reference_id: 'in_4', tax_included: true });
  const september = await soldOn(filer, '2026-09-05');
  await made(filer.create(sale({ ...honolulu, status: 'finalized', tax_date: '2026-09-12' })));
  const filed = await closedFiling(filer, 'MI', '2026-09-30');
  await fileReturn(filer, filed.id);
  await made(filer.create(buildCreditRequest(september, { tax_date: '2026-09-20' })));
  const closed = await closedFiling(filer, 'MI', '2026-10-31');
  const exemption = { states: null, reason: 'resale', certificate_number: 'R-1', valid_from: null, valid_to: null };
  await made(caller.call('POST', '/customers', { body: { id: 'cus_9', name: 'A buyer', exemptions: [exemption] } }));
  const canceled = await closedFiling(filer, 'HI', '2026-09-30');
  await cancel(filer, canceled.id);
  for (let block = 0; block < plainDrafts / 10; block++)
    await Promise.all(
      Array.from({ length: 10 }, (_, at) => made(filer.create(sale({ reference_id: `d_${block}_${at}` })))),
    );
  // The calculated tax of the credit is counted separately, and does not reduce the over-collected tax.
  await made(
    filer.create(buildCreditRequest(edited, { line_items: [{ id: 'item_1', quantity: '1' }], tax_amount: '0.25' })),
  );
  return { caller, filer, account: caller.account, draft, filings: { filed, closed, canceled } };
};

let books: Awaited<ReturnType<typeof newLedger>>;
let file: string;

const exported = async (caller: Pick<Caller, 'account'>, out = newFile()) => {
  await exportLedger({ account: caller.account, pauseMs: 20 }, out);
  return out;
};

beforeAll(async () => {
  books = await newLedger();
  file = await exported(books.caller);
});

const listLines = (path: string): string[] => readFileSync(path, 'utf8').split('\n').slice(0, -1);

/**
 * Returns lines with recomputed sums and trailer, as the format description specifies. `forged` overrides fields of the
 * trailer.
 */
const resealed = (lines: readonly string[], forged: object = {}): string => {
  let sum = '';
  const all = createHash('sha256');
  const values = lines.map((line) => JSON.parse(line));
  const trailer = values.pop();
  const close = ({ sum: _, ...value }: Record<string, unknown>) => {
    const text = JSON.stringify(value);
    sum = createHash('sha256').update(`${sum}\n${text}`).digest('base64url');
    return `{"sum":"${sum}",${text.slice(1)}\n`;
  };
  let text = '';
  for (const value of values) {
    const line = close(value);
    all.update(line);
    text += line;
  }
  return text + close({ ...trailer, lines: values.length, sha256: all.digest('hex'), ...forged });
};

const written = (text: string | Uint8Array): string => {
  const path = newFile();
  writeFileSync(path, text);
  return path;
};

/** Runs a function with another database behind the service's client. */
const within = async <Value>(db: Pick<MemoryDatabase, 'send'>, run: () => Promise<Value>): Promise<Value> => {
  const restore = responseFrom(db.send);
  try {
    return await run();
  } finally {
    restore();
  }
};

const unverified = async (account: string, path: string) => {
  const checked = await checkExport(path);
  await refuseOtherContent(checked.trailer, false);
  const isNew = await importLedger({ account, path, checked, onProgress: () => undefined });
  return { checked, isNew };
};
const imported = async (account: string, path: string) => {
  const { checked, isNew } = await unverified(account, path);
  return { isNew, ...(await verifyImport(account, checked.trailer.counts, 1)) };
};
const fine = { isNew: true, findings: [], missing: [] };

const failure = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
  return 'none';
};

/** Returns an item without its account, uncompressed, and without the attributes that only events and sweeps use. */
const plain = (account: string, item: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(item)
      .filter(([name]) => !['draft_shard', 'about'].includes(name))
      .map(([name, value]) => [
        name,
        value instanceof Uint8Array
          ? storedBytes(value).toString('base64')
          : typeof value === 'string'
            ? value.replace(account, 'ACCOUNT')
            : value,
      ]),
  );

const getKey = ({ pk, sk }: Record<string, unknown>) => `${pk} ${sk}`;
const isOfLedger = ({ pk }: Record<string, unknown>, account: string) =>
  ['T', 'R', 'O', 'F', 'P', 'C'].some((letter) => (pk as string).startsWith(`${letter}#${account}`));

const plainItems = (account: string, items: readonly Record<string, unknown>[]) =>
  items
    .filter((item) => isOfLedger(item, account))
    .map((item) => plain(account, item))
    .toSorted((a, b) => (getKey(a) < getKey(b) ? -1 : 1));

/** Returns the account's ledger items in the emulator. */
const itemsInEmulator = async (account: string) =>
  plainItems(account, await scannedItems(environment.tables.transactions));

const itemsIn = (db: MemoryDatabase, account: string) =>
  plainItems(account, db.listItems(environment.tables.transactions));

describe('exports', () => {
  it('writes the number of lines of each kind, to a file that only its owner can read', () => {
    const [header, ...rest] = listLines(file).map((line) => JSON.parse(line));
    const trailer = rest.pop();
    const { kind, format, format_version, account } = header;
    const { counts } = trailer;
    expect({ kind, format, format_version }).toEqual({ kind: 'header', format: 'levy-ledger', format_version: 1 });
    const { id, name, created_at, settings } = books.account;
    expect(account).toEqual({ id, name, created_at, settings });
    const counted = Object.fromEntries(
      [...Map.groupBy(rest, (line) => line.kind)].map(([of, lines]) => [of, lines.length]),
    );
    // Totals have separate lines only if a shard has more than a thousand rows.
    expect(counts).toEqual({ filing_totals: 0, ...counted });
    expect(counted).toMatchObject({
      transaction: plainDrafts + 11,
      filing: 3,
      filing_shard: 24,
      chain: 2,
      customer: 1,
    });
    expect(trailer).toMatchObject({ kind: 'trailer', lines: rest.length + 1 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((one) => /unsealed|partial/.test(one))).toEqual([]);
  });

  it('writes no secret, and the account id only in the header', () => {
    const [header = '', ...rest] = listLines(file);
    expect(header).not.toContain(books.account.cursor_secret);
    expect(rest.filter((line) => line.includes(books.account.id))).toEqual([]);
  });

  it('writes an identical file in a second export', async () => {
    const values = (path: string) =>
      listLines(path).map((line) => ({ ...JSON.parse(line), sum: null, sha256: null, exported_at: null }));
    expect(values(await exported(books.caller))).toEqual(values(file));
  });

  it('rejects an export while a filing is unfinished', async () => {
    const { filed } = books.filings;
    await tamper(filingKey(books.account.id, filed.id), (item) => ({ ...item, isUnfinished: true, status: 'closing' }));
    const out = newFile();
    expect(await failure(exported(books.caller, out))).toMatch(`CommandError: The filing ${filed.id} is unfinished`);
    expect(readdirSync(folder).filter((one) => out.endsWith(one.split('.')[0] ?? ''))).toEqual([]);
  });

  it('rejects an export if the ledger changes meanwhile', async () => {
    const caller = await newCaller();
    const first = await sold(connectClient(caller));
    const real = database.send.bind(database);
    let restore: () => unknown = () => undefined;
    // Changes the ledger right after the export has read the transaction.
    const changing = async (command: Command) => {
      const response = await sendAny(command, real);
      if (command.constructor.name !== 'GetCommand' || !String(getInput(command).Key?.pk).startsWith('T#'))
        return response;
      restore();
      await made(connectClient(caller).update(first.id, { metadata: { at: 'once more' } }));
      return response;
    };
    restore = responseFrom(changing);
    const out = newFile();
    expect(await failure(exported(caller, out))).toMatch(/CommandError: The ledger changed during the export/);
    restore();
    expect(await failure(exported(caller, out))).toBe('none');
  });
});

const registration = { state: 'MI', from: '2026-01-01', to: null, frequency: 'month' as const };

describe('imports', () => {
  it('writes the items of the exported ledger, under the new account', async () => {
    const db = new MemoryDatabase();
    expect(await within(db, () => imported('acct_other', file))).toEqual(fine);
    // Imported items publish no events.
    expect(db.listItems(environment.tables.transactions).filter((item) => 'about' in item)).toEqual([]);
    const source = await itemsInEmulator(books.account.id);
    expect(source.length).toBeGreaterThan(plainDrafts * 3);
    expect(itemsIn(db, 'acct_other')).toEqual(source);
    const account = (await within(db, () => findAccount('acct_other'))) as Account;
    expect(account).toEqual({ ...books.account, id: 'acct_other', cursor_secret: account.cursor_secret });
    expect(account.cursor_secret).not.toBe(books.account.cursor_secret);
    expect(account.cursor_secret.length).toBeGreaterThan(40);
  });

  it('keeps a reference that a sale claimed from an expired draft', async () => {
    const caller = await newCaller({ settings: { draft_ttl_hours: 1 } });
    await made(connectClient(caller).create(sale({ reference_id: 'in_7' })));
    await later(dayMs, async () => {
      await sold(connectClient(caller), { reference_id: 'in_7' });
      const path = await exported(caller);
      const db = new MemoryDatabase();
      expect(await within(db, () => imported('acct_taken', path))).toEqual(fine);
      expect(itemsIn(db, 'acct_taken')).toEqual(await itemsInEmulator(caller.account.id));
    });
  });

  it('changes nothing in a second import, and rejects a different file', async () => {
    const db = new MemoryDatabase();
    await within(db, () => imported('acct_twice', file));
    const before = itemsIn(db, 'acct_twice');
    expect(await within(db, () => imported('acct_twice', file))).toEqual({ ...fine, isNew: false });
    expect(itemsIn(db, 'acct_twice')).toEqual(before);
    const other = await exported(await newCaller());
    expect(await failure(within(db, () => imported('acct_twice', other)))).toMatch(
      /CommandError: Another file was imported/,
    );
  });

  it.each([
    ['a ledger', {}, true, /already has a ledger/],
    ['registrations', { registrations: [registration] }, false, /is registered in states/],
    ['a retention period', { registrations: null, retain_personal_data_days: 30 }, false, /retain_personal_data_days/],
  ])('rejects an import into an account with %s', async (_, settings, hasDraft, message) => {
    const caller = await newCaller({ settings });
    if (hasDraft) await made(connectClient(caller).create(sale()));
    const before = await itemsInEmulator(caller.account.id);
    expect(await failure(imported(caller.account.id, file))).toMatch(message);
    expect(await itemsInEmulator(caller.account.id)).toEqual(before);
  });
});

const getLine = (kind: string, path = file) => listLines(path).findIndex((line) => JSON.parse(line).kind === kind);
const withLines = (change: (lines: string[]) => readonly string[]) =>
  written(`${change(listLines(file)).join('\n')}\n`);
const changedLine = (at: number, change: (line: string) => string) =>
  withLines((lines) => lines.with(at, change(lines[at] ?? '')));
/** The fields of an exported line that the tests change. */
type Exported = {
  readonly releases: Record<string, string>;
  readonly stored: { readonly transaction: object };
  readonly entry: { base?: unknown; readonly amounts: object[] };
};
const changedValue = (at: number, change: (value: Exported) => unknown) => {
  const lines = listLines(file);
  const value = JSON.parse(lines[at] ?? '');
  change(value);
  return written(resealed(lines.with(at, JSON.stringify(value))));
};
const without = (kind: string) => written(resealed(listLines(file).toSpliced(getLine(kind), 1)));

const noSuchLine = 'not in the format of `ledger export`';

/** Corrupt and forged files, by the error that they must cause. */
const damages: Readonly<Record<string, () => string>> = {
  'CommandError: Line 42: the line was altered': () =>
    changedLine(41, (line) => line.replace(/"(\d+)\.(\d\d)"/, '"1$1.$2"').replace('"fields":["', '"fields":["x')),
  'Line 21: the line was altered': () => withLines((lines) => lines.toSpliced(20, 1)),
  'Line 30: the line was altered': () =>
    withLines((lines) => lines.with(29, lines[30] ?? '').with(30, lines[29] ?? '')),
  ': the line was altered': () => written(Buffer.from(readFileSync(file)).fill(0xff, 3000, 3002)),
  ', which is not a trailer: it is truncated.': () => withLines((lines) => lines.slice(0, -1)),
  ': the file is truncated in this line': () => written(readFileSync(file).subarray(0, -1)),
  ': there is a line after the trailer': () => withLines((lines) => [...lines, '{}']),
  'The file is empty': () => written(''),
  'Line 1: the line is not the header of an exported ledger': () => written('{"hello":1}\n'),
  ': the transaction does not match its newest audit entry': () =>
    changedValue(getLine('transaction'), ({ stored }) => Object.assign(stored.transaction, { total_amount: '0.01' })),
  'Line 2: the hash does not match the audit entry': () =>
    changedValue(getLine('audit_entry'), ({ entry }) => Object.assign(entry, { by: 'nobody' })),
  ': the audit entry does not follow the previous one': () => without('audit_entry'),
  ': the counts in the trailer do not match the lines': () => without('transaction'),
  // The sums of the lines are correct, but the trailer is of another file.
  ': the SHA-256 in the trailer does not match the file. Nothing was written; export again.': () =>
    written(resealed(listLines(file), { sha256: '0'.repeat(64) })),
  ': the trailer records 7 lines, but': () => written(resealed(listLines(file), { lines: 7 })),
  // An entry without a field, and a line of an unknown kind.
  [noSuchLine]: () => changedValue(getLine('open_entry'), ({ entry }) => delete entry.base),
  [`: ${noSuchLine}`]: () => changedValue(getLine('chain'), (value) => Object.assign(value, { kind: 'link' })),
  'format version 2; this command reads version 1': () =>
    changedValue(0, (value) => Object.assign(value, { format_version: 2 })),
};

describe('invalid files', () => {
  it.each(Object.entries(damages))('rejects the file without a write: %s', async (message, damaged) => {
    const db = new MemoryDatabase();
    expect(await failure(within(db, () => imported('acct_none', damaged())))).toContain(message);
    expect(db.listItems(environment.tables.transactions)).toEqual([]);
  });

  it.each([
    ['is missing', 'US-MN@2030-01-01.1', /These releases are missing here: US-MN@2030-01-01\.1\./],
    [
      'has different content',
      'US-MI@2026-11-22.1',
      /These releases have different content here: US-MI@2026-11-22\.1\./,
    ],
  ])('rejects the file if a release %s', async (_, release, message) => {
    const other = changedValue(listLines(file).length - 1, (value) => {
      value.releases[release] = '0'.repeat(64);
    });
    const { trailer } = await checkExport(other);
    expect(await failure(refuseOtherContent(trailer, false))).toMatch(message);
    const allowed = await failure(refuseOtherContent(trailer, true));
    expect(allowed === 'none').toBe(release.startsWith('US-MN'));
  });
});

describe('interrupted imports', () => {
  /** A database that fails at its n-th write, before or after writing. */
  const failingAt = (db: MemoryDatabase, at: number, isDone: boolean) => {
    let writes = 0;
    return {
      writes: () => writes,
      send: async (command: Command) => {
        const isWrite = ['PutCommand', 'UpdateCommand', 'TransactWriteCommand'].includes(command.constructor.name);
        if (!isWrite || ++writes !== at) return db.send(command);
        if (isDone) await db.send(command);
        throw new Error('interrupted');
      },
    };
  };

  it('resumes after interruptions at any point, and ends with the same items', async () => {
    const whole = new MemoryDatabase();
    const counting = failingAt(whole, -1, false);
    await within(counting, () => unverified('acct_x', file));
    const total = counting.writes();
    expect(total).toBeGreaterThan(plainDrafts * 3);
    const expected = itemsIn(whole, 'acct_x');
    const random = seeded(1);
    const anywhere = () => 1 + Math.floor(random() * total);
    for (const at of [1, total, anywhere()]) {
      const db = new MemoryDatabase();
      for (const again of [at, anywhere()]) {
        const failing = failingAt(db, again, random() < 0.5);
        expect(await failure(within(failing, () => unverified('acct_x', file))), `at ${at}`).toMatch(
          /interrupted|none/,
        );
      }
      await within(db, () => unverified('acct_x', file));
      expect(itemsIn(db, 'acct_x'), `at ${at}`).toEqual(expected);
    }
  });

  it('resumes at its checkpoint, and creates the account last', async () => {
    const db = new MemoryDatabase();
    await failure(within(failingAt(db, 400, false), () => unverified('acct_x', file)));
    expect(await within(db, () => findAccount('acct_x'))).toBeUndefined();
    const mark = db.itemAt(environment.tables.transactions, importMarkKey('acct_x'));
    expect(mark).toMatchObject({ finished_at: null, written: expect.any(Number) });
    const counting = failingAt(db, -1, false);
    expect((await within(counting, () => unverified('acct_x', file))).isNew).toBe(true);
    expect(counting.writes()).toBeLessThan(300);
    expect(await within(db, () => findAccount('acct_x'))).toBeDefined();
  });

  it('rejects a different item in place of a written one', async () => {
    const db = new MemoryDatabase();
    await failure(within(failingAt(db, 5, false), () => imported('acct_x', file)));
    const { entry } = JSON.parse(listLines(file).find((line) => line.includes('"kind":"open_entry"')) ?? '{}');
    const Item = { ...openEntryItem('acct_x', decodeEntry(entry)), version: 77 };
    db.execute(new PutCommand({ TableName: environment.tables.transactions, Item }));
    expect(await failure(within(db, () => imported('acct_x', file)))).toMatch(
      new RegExp(`CommandError: Line ${getLine('open_entry') + 1}: its key already has a different item`),
    );
  });
});

describe('npm run ledger -- export and import', () => {
  beforeAll(() => vi.stubEnv('INIT_CWD', folder));
  afterAll(() => void vi.unstubAllEnvs());

  it('copies a ledger to another database, and verifies it there', async () => {
    const args = ['export', books.account.id, '--out', 'cli.ndjson'];
    const first = await ledger(...args);
    expect([first.code, first.err]).toEqual([0, '']);
    expect(first.out).toMatch(
      new RegExp(`^Exported ${books.account.id}: ${plainDrafts + 11} transactions, .* 3 filings`),
    );
    expect(first.out).toContain(JSON.parse(listLines(join(folder, 'cli.ndjson')).at(-1) ?? '').sha256);
    expectFailure(await ledger(...args), /already exists/);
    const db = new MemoryDatabase();
    expectSuccess(
      await within(db, () => ledger('import', 'acct_moved', 'cli.ndjson')),
      /Imported \S+ into acct_moved: .*\nVerified: no findings\.\n$/,
    );
    const forged = changedValue(getLine('open_entry'), ({ entry }) =>
      Object.assign(entry.amounts[0] ?? {}, { tax: '1' }),
    );
    expect(await within(new MemoryDatabase(), () => ledger('import', 'acct_forged', forged))).toMatchObject({
      code: 1,
      out: expect.stringMatching(/\n\S+ {2}entries: .*\nThe imported ledger differs/),
    });
  });

  it.each([
    [['export', 'acct_none', '--out', 'none.ndjson'], /The account acct_none does not exist/],
    [['import', 'acct_none', 'none.ndjson'], /The file .*none\.ndjson does not exist/],
    [['import', 'T#1', 'none.ndjson'], /"T#1" is not an account id/],
  ])('rejects %j with a message of one line', async (args, message) => {
    expectFailure(await ledger(...args), message);
  });
});
