/** Runs `npm run ledger -- …` on ledgers written through the API, with and without corrupted items. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findingText, orphanedEntries } from '../../shared/cli/ledger/checks.ts';
import { periodFindings, verifyFiling, verifyTransaction } from '../../shared/cli/ledger/verify-account.ts';
import { now } from '../../shared/config/clock.ts';
import { noTotals } from '../../shared/filings/totals.ts';
import { hashEntry } from '../../shared/ledger/audit.ts';
import { listLiabilityEntries } from '../../shared/ledger/entries/entries.ts';
import type { LiabilityEntry } from '../../shared/ledger/entries/entry.ts';
import type { Amounts, Transaction } from '../../shared/ledger/transaction.ts';
import { allFilings } from '../../shared/store/filings/entry-places.ts';
import { filingProgressFrom, filingProgressItem } from '../../shared/store/filings/filing-item.ts';
import {
  auditKey,
  chainKey,
  claimKey,
  filedEntryKey,
  filingKey,
  headKey,
  type ItemKey,
  openEntryKey,
} from '../../shared/store/keys.ts';
import { auditEntryFrom, auditItem } from '../../shared/store/ledger/audit-item.ts';
import { entryAttributes, openEntryItem } from '../../shared/store/ledger/open-entry-item.ts';
import { transactionFrom } from '../../shared/store/ledger/transaction-item.ts';
import { connectClient, newCaller, newClient } from '../support/api.ts';
import { cancel, closedFiling, createFiler, file, soldOn } from '../support/filings.ts';
import { expectFailure, ledger } from '../support/run-command.ts';
import { buildCreditRequest, dayMs, goods, later, made, sale, sold } from '../support/sales.ts';
import { alter, forge, itemAt, ofTransaction, remove, tamper, undoTampering, verified } from '../support/tampering.ts';
import { createFolder } from '../support/temporary-files.ts';

/** An account with an object for every check of transactions. */
const newLedger = async () => {
  const caller = await newCaller();
  const client = connectClient(caller);
  const lines = [goods({ id: 'a' }), goods({ id: 'b', unit_price: '10.01', discount_amount: '1.00' })];
  const body = { line_items: lines, shipping: { amount: '7.95' }, discount_amount: '3.33' };
  const finalized = { status: 'finalized' };
  const sale1 = await made(client.create(sale({ ...body, ...finalized, reference_id: 'in_1' })));
  const credit = await made(client.create(buildCreditRequest(sale1, { line_items: [{ id: 'a', quantity: '1' }] })));
  await made(client.create(buildCreditRequest(sale1, { line_items: [{ id: 'b', quantity: '1' }] })));
  const voidedCredit = await made(client.create(buildCreditRequest(sale1, { credit_remaining: true })));
  await made(client.update(voidedCredit.id, { status: 'void' }));
  const draft = await made(client.create(sale({ ...body, reference_id: 'in_2' })));
  const edited = await made(client.create(sale({ reference_id: 'in_3' })));
  await made(client.update(edited.id, { line_items: [goods({ unit_price: '12.34' })] }));
  await made(client.update(edited.id, { ...finalized, tax_amount: '1.00' }));
  await made(client.update(edited.id, { metadata: { note: 'late' } }));
  const voided = await sold(client, { reference_id: 'in_4' });
  await made(client.update(voided.id, { status: 'void', void_reason: 'twice' }));
  const plain = await sold(client, { tax_included: true, reference_id: 'in_5' });
  await made(client.create(buildCreditRequest(await sold(client, { reference_id: 'in_6' }))));
  const objects = { sale: sale1, credit, voidedCredit, draft, edited, voided, plain };
  return { ...caller, ...client, account: caller.account.id, objects };
};

/** September is filed, with an edited and a credited sale. October is closed, with a late sale. November is open. */
const newFiledLedger = async () => {
  const caller = await newCaller();
  const filer = createFiler(caller);
  const september = await soldOn(filer, '2026-09-10', '100.00', { reference_id: 'sep' });
  await made(filer.create(buildCreditRequest(september, { tax_date: '2026-09-20', credit_remaining: true })));
  const filed = await file(filer, (await closedFiling(filer, 'MI', '2026-09-30')).id);
  await made(filer.update(september.id, { metadata: { paid: 'yes' } }));
  const late = await soldOn(filer, '2026-09-12', '20.00');
  const october = await soldOn(filer, '2026-10-10', '30.00');
  const canceled = await closedFiling(filer, 'MI', '2026-10-31');
  await cancel(filer, canceled.id);
  const closed = await closedFiling(filer, 'MI', '2026-10-31');
  const november = await soldOn(filer, '2026-11-10', '40.00');
  return { account: caller.account.id, objects: { september, late, october, november, filed, canceled, closed } };
};

let books: Awaited<ReturnType<typeof newLedger>>;
let filedBooks: Awaited<ReturnType<typeof newFiledLedger>>;
beforeAll(async () => {
  [books, filedBooks] = await Promise.all([newLedger(), newFiledLedger()]);
});
afterEach(undoTampering);

type Name = keyof typeof books.objects | keyof typeof filedBooks.objects;
const owned = (name: Name) => {
  const { account } = name in books.objects ? books : filedBooks;
  return { account, id: { ...books.objects, ...filedBooks.objects }[name].id };
};
/** Replaces `<name>` in a string by the id of that object. */
const withIds = (text: string): string => text.replaceAll(/<(\w+)>/g, (_, name) => owned(name as Name).id);

const head = (name: Name) => headKey(owned(name).account, owned(name).id);
const getClaim = (reference: string) => claimKey(books.account, reference);
const entryKey = (name: Name, version: number) => auditKey(owned(name).account, owned(name).id, version);
const filedEntry = (filing: Name, name: Name) =>
  filedEntryKey(filedBooks.account, owned(filing).id, { transactionId: owned(name).id, currency: 'USD' });
/** Returns the key of the progress of the shard that contains September's entry. */
const septemberShard = () => ({ pk: filedEntry('filed', 'september').pk, sk: '!' });
const filing = (name: Name) => filingKey(filedBooks.account, owned(name).id);
const michigan = () => chainKey(filedBooks.account, 'US-MI');
const liability = async (name: Name): Promise<LiabilityEntry> => {
  const [entry] = listLiabilityEntries(transactionFrom(await itemAt(head(name))));
  if (!entry) throw new Error('The sale is taxed.');
  return entry;
};

const change = (key: ItemKey, changes: object) => tamper(key, (item) => ({ ...key, ...item, ...changes }));
type Changes = Partial<Transaction> | ((transaction: Transaction) => Partial<Transaction>);
/** Changes the transaction and rewrites its newest audit entry. */
const forged = (name: Name, changes: Changes, others?: Parameters<typeof forge>[2]) =>
  forge(owned(name), ofTransaction(typeof changes === 'function' ? changes : () => changes), others);
/** Changes an audit entry and recomputes its hash. */
const rehashed = (version: number, changes: object) =>
  tamper(entryKey('edited', version), (item) => {
    const { hash: _, ...covered } = auditEntryFrom({ ...item, ...changes });
    return { ...auditItem(books.account, { ...covered, hash: hashEntry(covered) }), ...entryKey('edited', version) };
  });
/** Changes the counters of lines `a` and `b`, which are in no total and no hash. */
const changedCounters = (changed: (a: Amounts, b: Amounts) => Record<'a' | 'b', Amounts>) =>
  alter(owned('sale'), ({ credited, ...stored }) => {
    const [a, b] = [credited.charges.get('a'), credited.charges.get('b')];
    if (!a || !b) throw new Error('Both lines have credits.');
    return { ...stored, credited: { ...credited, charges: new Map(Object.entries(changed(a, b))) } };
  });
const changedLines =
  (changed: (line: Transaction['line_items'][number]) => Partial<typeof line>) =>
  ({ line_items }: Transaction) => ({ line_items: line_items.map((line) => ({ ...line, ...changed(line) })) });
/** Writes an entry that belongs to no filing. */
const openEntry = (name: Name, entry: LiabilityEntry) =>
  tamper(openEntryKey(owned(name).account, entry), () => openEntryItem(owned(name).account, entry));
/** Writes the entry of a transaction, with changes, as an open entry. */
const openLiability = async (name: Name, changes: Partial<LiabilityEntry> = {}) =>
  openEntry(name, { ...(await liability(name)), ...changes });
const taxedAt = (entry: LiabilityEntry, tax: bigint) => ({
  ...entry,
  amounts: entry.amounts.map((sum) => ({ ...sum, tax })),
});

const voidSale = () => forged('sale', ({ updated_at }) => ({ status: 'void', voided_at: updated_at }));
const january = '2026-01-01T00:00:00.000Z';

type Change = () => Promise<unknown>;
/** Changes, keyed by the start of the finding that each causes. An array also has the starts of further findings. */
type Tamperings = Readonly<Record<string, Change | readonly [Change, ...string[]]>>;

const ofTransactions: Tamperings = {
  '<sale>  head: attribute total_amount is 1.00': () => change(head('sale'), { total_amount: '1.00' }),
  '<draft>  head: transaction is not readable': () => change(head('draft'), { status: 'finalized' }),
  '<sale>  head: transaction is not readable': () => change(head('sale'), { lines: Buffer.from('x') }),
  '<sale>  head: attribute draft_shard is D#1, expected': () => change(head('sale'), { draft_shard: 'D#1' }),
  // The change includes every attribute that repeats the value.
  '<edited>  chain: hash of the state in the newest entry': () =>
    alter(
      owned('edited'),
      ofTransaction(() => ({ metadata: { note: 'another' } })),
    ),
  '<edited>  chain: each of entries 2 to 3 is absent': () =>
    remove(entryKey('edited', 2)).then(() => remove(entryKey('edited', 3))),
  '<edited>  chain: entry 1 is absent': () => remove(entryKey('edited', 1)),
  '<edited>  chain: entry 4 is absent': () => remove(entryKey('edited', 4)),
  '<edited>  chain: entry 2: hash is': () => change(entryKey('edited', 2), { by: 'key_other' }),
  '<edited>  chain: entry 3: previous hash is': () => rehashed(2, { at: january }),
  '<edited>  chain: hash of the newest entry, as stored with the transaction is': () => rehashed(4, { fields: [] }),
  '<edited>  chain: entry 3: version is 2, expected 3': [
    () => change(entryKey('edited', 3), { version: 2 }),
    '<edited>  chain: entry 3: hash is',
  ],
  '<edited>  chain: entry 3: transaction is txn_other': [
    () => rehashed(3, { transactionId: 'txn_other' }),
    '<edited>  chain: entry 4: previous hash',
  ],
  '<edited>  chain: entry 3 is not readable': () => change(entryKey('edited', 3), { at: 5 }),
  '<edited>  chain: entry 5 is present, expected absent': () => change(entryKey('edited', 5), { version: 5 }),
  '<voided>  claims: claim on its reference_id is none': [
    () => forged('voided', { status: 'finalized', voided_at: null, void_reason: null }),
    '<voided>  entries: entry of US-MI',
  ],
  '<voided>  chain: entry 2: status after finalized is draft, expected finalized or filed or void': () => {
    const expires_at = new Date(now() + dayMs).toISOString();
    const draftAgain = { status: 'draft', voided_at: null, void_reason: null, finalized_at: null, expires_at } as const;
    return forged('voided', draftAgain, { to: 'draft' });
  },
  '<plain>  states: finalized_at of a finalized transaction is none': [
    () => forged('plain', { finalized_at: null }),
    '<plain>  chain: finalized_at is none',
  ],
  [`<plain>  chain: finalized_at is ${january}`]: () => forged('plain', { finalized_at: january }),
  [`<plain>  chain: created_at is ${january}`]: () => forged('plain', { created_at: january }),
  '<sale>  totals: tax_amount is': [
    () =>
      forged('sale', ({ line_items: [line, ...rest] }) => {
        if (!line) throw new Error('The sale has lines.');
        const taxes = line.taxes.map((row) => ({ ...row, tax_amount: '6.66' }));
        return { line_items: [{ ...line, tax_amount: '6.66', taxes }, ...rest] };
      }),
    '<sale>  totals: tax_summary of US-MI',
    '<sale>  entries: entry of US-MI',
  ],
  '<plain>  totals: total_amount is 99.99, expected 100.00': () => forged('plain', { total_amount: '99.99' }),
  '<plain>  totals: tax_summary of US-MI at 0.05': [
    () => forged('plain', ({ tax_summary }) => ({ tax_summary: tax_summary.map((row) => ({ ...row, rate: '0.05' })) })),
    '<plain>  totals: tax_summary of US-MI at 0.06',
  ],
  '<sale>  totals: applied_discount_amount is 0.00': () => forged('sale', { applied_discount_amount: '0.00' }),
  '<sale>  totals: shipping_amount is 0.00, expected 7.95': () => forged('sale', { shipping_amount: '0.00' }),
  '<plain>  totals: item_1: taxes is none': [
    () =>
      forged(
        'plain',
        changedLines(() => ({ taxes: [] })),
      ),
    '<plain>  totals: item_1: tax_amount is',
  ],
  '<plain>  totals: subtotal_amount is x': () => forged('plain', { subtotal_amount: 'x' }),
  '<plain>  totals: stored data of this check is not readable': [
    () =>
      forged(
        'plain',
        changedLines(({ taxes }) => ({ taxes: taxes.map((row) => ({ ...row, tax_amount: '1x' })) })),
      ),
    '<plain>  entries: stored data of this check is not readable',
  ],
  // The transaction could then be refunded again.
  '<sale>  credits: credited_amount is 0.00': [
    () => forged('sale', { credited_amount: '0.00', credited_tax_amount: '0.00', refund_status: 'none' }),
    '<sale>  credits: credited_tax_amount is 0.00',
    '<sale>  credits: refund_status is none',
  ],
  '<sale>  credits: credited of a: net is': [
    () => changedCounters((a, b) => ({ a: b, b: a })),
    '<sale>  credits: credited of b: net is',
  ],
  '<sale>  credits: credited of a: rows is': () =>
    changedCounters((a, b) => ({ a: { ...a, rows: a.rows.map((row) => ({ ...row, exempt: 100n })) }, b })),
  '<sale>  credits: credit txn_': [
    () => change(head('credit'), { summary: Buffer.from('x') }),
    '<sale>  credits: credited_amount is',
  ],
  '<sale>  credits: credited_amount is 57.84, expected 9.24': () => remove(head('credit')),
  '<sale>  credits: credited_amount is 57.84, expected 106.44': [
    () => forged('credit', ({ line_items }) => ({ line_items: [...line_items, ...line_items] })),
    '<sale>  credits: credited of a: net is',
  ],
  '<sale>  credits: credited_amount is 57.84, expected 123.64': () =>
    forged('voidedCredit', { status: 'finalized', voided_at: null }),
  '<credit>  credits: sale that it credits is none': () => remove(head('sale')),
  '<sale>  credits: void sale with live credits is 2': [
    voidSale,
    '<sale>  claims: claim on its reference_id is kept',
    '<credit>  credits: state of the credited sale is void',
  ],
  '<edited>  claims: claim on its reference_id is none': () => remove(getClaim('in_3')),
  '<edited>  claims: claim on its reference_id is txn_other': () =>
    change(getClaim('in_3'), { transaction_id: 'txn_other' }),
  [`<edited>  claims: deadline of its claim is ${january}, expected none`]: () =>
    change(getClaim('in_3'), { expires_at: january }),
  '<draft>  claims: deadline of its claim is none': () =>
    tamper(getClaim('in_2'), ({ expires_at: _, ...item } = {}) => item),
  '<voided>  claims: claim on its reference_id is kept, expected released': () =>
    change(getClaim('in_4'), { transaction_id: owned('voided').id }),
  '<voided>  claims: claim on its reference_id is txn_none, expected none': () =>
    change(getClaim('in_4'), { transaction_id: 'txn_none' }),
  '<plain>  entries: entry of US-MI, 2026-10, USD is none': async () =>
    remove(openEntryKey(books.account, await liability('plain'))),
  '<plain>  entries: entry of US-MI, 2026-10, USD is 94.34 / 0.00, US-MI / 0.06 / 94.34 / 0.00 / 0.01': async () =>
    openEntry('plain', taxedAt(await liability('plain'), 1n)),
  '<draft>  entries: open entry of US-MI, 2026-10, USD is present, expected absent': () => openLiability('draft'),
  '<voided>  entries: open entry of US-MI, 2026-10, USD is present, expected absent': () => openLiability('voided'),
  '<plain>  entries: open entry of US-MI, 2026-09, USD is present, expected absent': () =>
    openLiability('plain', { month: '2026-09' }),
  'txn_none  entries: open entry of US-MI, 2026-10, USD is present, expected absent': () =>
    openLiability('plain', { transactionId: 'txn_none' }),
};

const ofFilings: Tamperings = {
  '<october>  entries: entry of US-MI, 2026-10, USD is none': [
    () => remove(filedEntry('closed', 'october')),
    '<closed>  filings: entries of shard',
    '<closed>  filings: totals of shard',
    '<closed>  filings: summary is',
  ],
  '<october>  entries: entry of US-MI, 2026-10, USD is 30.00 / 0.00, US-MI / 0.06 / 30.00 / 0.00 / 0.01': [
    async () => change(filedEntry('closed', 'october'), entryAttributes(taxedAt(await liability('october'), 1n))),
    '<closed>  filings: totals of shard',
  ],
  '<october>  entries: entry of US-MI, 2026-10, USD is not readable': [
    () => change(filedEntry('closed', 'october'), { figures: Buffer.from('x') }),
    '<closed>  filings: filing or one of its entries is not readable',
  ],
  '<october>  filings: entry of US-MI, 2026-10, USD in <closed> is also open': () => openLiability('october'),
  '<september>  entries: location of the entry of US-MI, 2026-09, USD is in': [
    async () => change(filedEntry('closed', 'september'), entryAttributes(await liability('september'))),
    '<closed>  filings: entries of shard',
  ],
  '<late>  filings: entry of US-MI, 2026-09, USD in <closed> is present, expected absent': () => remove(head('late')),
  '<filed>  filings: totals of shard': () =>
    tamper(septemberShard(), (item) =>
      filingProgressItem(filedBooks.account, owned('filed').id, { ...filingProgressFrom(item), totals: noTotals }),
    ),
  '<filed>  filings: entries of shard': [
    () => change(septemberShard(), { entries: { moved: 7, marked: 7, reopened: 0 } }),
    '<filed>  filings: number of entries',
  ],
  '<filed>  filings: number of shards is 7, expected 8': () => remove(septemberShard()),
  '<filed>  filings: summary is []': () => change(filing('filed'), { summary: [] }),
  '<filed>  filings: number of exceptions is 7, expected 0': () =>
    change(filing('filed'), { exceptions: { count: 7, gross_amount: '0.00', by_reason: [] } }),
  '<closed>  filings: first day is 2026-09-15, expected 2026-10-01': () =>
    change(filing('closed'), { period_start: '2026-09-15' }),
  '<closed>  filings: filing before it is none, expected <filed>': () => change(filing('closed'), { previous: null }),
  '<closed>  filings: filing before it is <canceled>, expected <filed>': () =>
    change(filing('closed'), { previous: { period_end: '2026-09-30', filing: owned('canceled').id } }),
  '<filed>  filings: filing before it is fil_other, expected none': () =>
    change(filing('filed'), { previous: { period_end: '2026-08-31', filing: 'fil_other' } }),
  '<closed>  filings: end of the chain of US-MI is <filed> of 2026-09-30, expected <closed> of 2026-10-31': () =>
    change(michigan(), { last: { period_end: '2026-09-30', filing: owned('filed').id } }),
  '<closed>  filings: end of the chain of US-MI is none, expected <closed> of 2026-10-31': () => remove(michigan()),
  '<closed>  filings: busy flag of the chain of US-MI is true, expected false': () =>
    change(michigan(), { isBusy: true }),
  '<closed>  filings: chain of US-MI is not readable': () => change(michigan(), { last: 'x' }),
  '<september>  entries: <filed> in filings is absent, expected present': [
    () => forged('september', { filings: [] }),
    '<september>  entries: status is filed, expected not filed',
  ],
  '<november>  entries: fil_other in filings is present': [
    () => forged('november', { filings: [{ id: 'fil_other', state: 'US-MI', status: 'filed' }] }),
    '<november>  entries: status is finalized, expected filed',
  ],
};

/** Returns the findings for the objects named in the strings, and for items that belong to no object. */
const findingsIn = async (account: string, texts: readonly string[]): Promise<string[]> => {
  const filings = await allFilings(account);
  const names = texts.flatMap((text) => [...text.matchAll(/<(\w+)>/g)].map(([, name]) => name as Name));
  const ids = new Set(names.map((name) => owned(name).id));
  const found = await Promise.all([
    ...[...ids].map((id) =>
      id.startsWith('txn_') ? verifyTransaction({ account, id, filings, pauseMs: 0 }) : verifyFiling(account, id),
    ),
    { findings: account === books.account ? [] : await periodFindings(account, filings) },
    { findings: await Array.fromAsync(orphanedEntries(account, 'US-MI')) },
  ]);
  return found.flatMap(({ findings }) => findings.map(findingText));
};

describe('verify', () => {
  it('reports no findings in what the API wrote, and prints what it checked', async () => {
    const { code, out, err } = await ledger('verify', '--account', books.account);
    expect(out).toContain(books.account);
    expect(out.match(/\b\d+ [a-z]+/g)).toEqual([
      ...['10 transactions', '13 lines', '20 audit', '3 live', '5 claims', '7 entries', '0 filings'],
    ]);
    expect([code, out.endsWith('No findings.\n')]).toEqual([0, true]);
    expect(err).toContain('Verified 10 transactions');
    const { counts, findings } = await verified(filedBooks.account);
    expect(findings).toEqual([]);
    expect(counts).toMatchObject({ transactions: 5, entries: 5, filings: 3 });
  });

  const listCases = (tamperings: Tamperings, readAccount: () => string) =>
    Object.entries(tamperings).map(([title, value]) => {
      const [run, ...others] = typeof value === 'function' ? [value] : value;
      return { title, run, expected: [title, ...others], readAccount };
    });

  it.for([...listCases(ofTransactions, () => books.account), ...listCases(ofFilings, () => filedBooks.account)])(
    'reports $title',
    async ({ run, expected, readAccount }) => {
      await run();
      const texts = await findingsIn(readAccount(), expected);
      for (const text of expected.map(withIds))
        expect(texts).toEqual(expect.arrayContaining([expect.stringContaining(text)]));
    },
  );

  it('prints each finding, and exits with 1', async () => {
    await forged('sale', { credited_amount: '1.00' });
    await remove(getClaim('in_5'));
    await openEntry('plain', taxedAt(await liability('plain'), 1n));
    await openLiability('draft');
    const args = ['verify', '--account', books.account];
    const [{ code, out }, asJson] = [await ledger(...args), await ledger(...args, '--json')];
    expect([code, asJson.code]).toEqual([1, 1]);
    expect(out.split('\n')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(withIds('^<sale>  credits: credited_amount is 1.00, expected \\d+\\.\\d\\d$')),
        withIds('<plain>  claims: claim on its reference_id is none, expected <plain>'),
        expect.stringContaining(withIds('<plain>  entries: entry of US-MI')),
        withIds('<draft>  entries: open entry of US-MI, 2026-10, USD is present, expected absent'),
        '4 findings: credits 1, claims 1, entries 2.',
      ]),
    );
    // Standard output contains nothing else.
    const { findings, ...report } = JSON.parse(asJson.out);
    expect(report).toMatchObject({
      account: books.account,
      checked: { transactions: 10, lines: 13, audit_entries: 20, credits: 3, claims: 5, entries: 7, filings: 0 },
      findings_total: 4,
      findings_by_check: { head: 0, chain: 0, states: 0, totals: 0, credits: 1, claims: 1, entries: 2, filings: 0 },
    });
    expect(findings.map(findingText).sort()).toEqual(out.match(/^txn_.*$/gm)?.sort());
  });

  it('reads several pages of transactions while they change', async () => {
    const caller = await newCaller();
    const busy = connectClient(caller);
    const first = await sold(busy);
    for (let block = 0; block < 11; block++) await Promise.all(Array.from({ length: 10 }, () => busy.create(sale())));
    const half = { line_items: [{ id: 'item_1', quantity: '0.1' }] };
    let isOver = false;
    const writing = (async () => {
      let last: { id: string } | null = null;
      while (!isOver) {
        if (last) await made(busy.update(last.id, { status: 'void' }));
        last = await made(busy.create(buildCreditRequest(first, half)));
        await made(busy.update(first.id, { metadata: { at: String(Math.random()) } }));
      }
    })();
    const { counts, findings } = await verified(caller.account.id, 150);
    isOver = true;
    await writing;
    expect(findings).toEqual([]);
    expect(counts.transactions).toBeGreaterThanOrEqual(111);
  });

  it('reports no findings if another transaction uses the reference of an expired draft, swept or not', async () => {
    const client = await newClient();
    const drafts: { readonly id: string }[] = [];
    for (const reference_id of ['q', 'r', 's', 't']) drafts.push(await made(client.create(sale({ reference_id }))));
    await later(dayMs, async () => {
      const sweep = (at: number) => made(client.update(drafts[at]?.id ?? '', { metadata: { late: 'yes' } }));
      await sweep(1);
      await sold(client, { reference_id: 's' });
      await sold(client, { reference_id: 't' });
      await sweep(3);
      expect((await verified(client.account.id)).findings).toEqual([]);
    });
  });
});

describe('history', () => {
  it('prints every change of a transaction, newest first', async () => {
    const { id } = owned('edited');
    const args = ['history', id, '--account', books.account];
    const [{ code, out }, asJson] = [await ledger(...args), await ledger(...args, '--json')];
    const lines = out.trimEnd().split('\n');
    expect([code, lines.length]).toEqual([0, 6]);
    expect(lines[0]).toMatch(/^version\s+at\s+state\s+by\s+fields\s+hash$/);
    expect(lines[1]).toMatch(/^4\s.*finalized\s.*key_\S+\s+metadata\s/);
    expect(lines[2]).toMatch(/^3\s.*draft -> finalized\s.*status, tax_amount\s/);
    expect(lines[5]).toBe(`4 changes of ${id}.`);
    const { data } = await made(books.call('GET', `/transactions/${id}/history`));
    expect(JSON.parse(asJson.out)).toEqual(data);
  });

  it('accepts a reference and selects its transaction that is not void, otherwise the newest one', async () => {
    const client = await newClient();
    const first = await sold(client, { reference_id: 'order 7' });
    await made(client.update(first.id, { status: 'void' }));
    const second = await sold(client, { reference_id: 'order 7' });
    const readOutput = async () => (await ledger('history', 'order 7', '--account', client.account.id)).out;
    expect(await readOutput()).toContain(`1 change of ${second.id}.`);
    await made(client.update(second.id, { status: 'void' }));
    expect(await readOutput()).toContain(`2 changes of ${second.id}.`);
  });
});

it.each([
  [['verify', '--account', 'acct_none'], 'The account acct_none does not exist'],
  [['verify'], 'Pass either --account or --all.'],
  [['history', 'txn_none', '--account', 'acct_none'], 'txn_none'],
])('rejects %j', async (args, message) => {
  expectFailure(await ledger(...args), message);
});

it('refuses to import into an account with a ledger, without advice on interruptions', async () => {
  const { account, ...client } = await newClient();
  await sold(client);
  const path = join(createFolder(), 'ledger.ndjson');
  expect((await ledger('export', account.id, '--out', path)).err).toBe('');
  const message = `The account ${account.id} already has a ledger. Import into an id that does not exist.`;
  expectFailure(await ledger('import', account.id, path), message);
  expect((await ledger('import', account.id, path)).err).toBe(`${message}\n`);
});

const readme = readFileSync(new URL('../../shared/cli/ledger/README.md', import.meta.url), 'utf8');
const script = /```python\n(.*?)```/s.exec(readme)?.[1] ?? '';
const hasPython = spawnSync('python3', ['-c', 'import sys; assert sys.version_info >= (3, 9)']).status === 0;

// If Python is missing, history.test.ts still computes the same hashes.
it.runIf(hasPython)("accepts API responses with the README's script, and detects changes", async () => {
  const check = (response: unknown) =>
    spawnSync('python3', ['-c', script], { input: JSON.stringify(response), encoding: 'utf8' });
  const metadata = { ключ: '値 "quoted" \\ / \u007f \u2028', Z: '\t\n', a: '🧾', '~': 'é' };
  await made(books.update(owned('draft').id, { metadata }));
  const getResponse = (name: Name) => made(books.get(`${owned(name).id}?expand=history`));
  for (const name of ['draft', 'sale'] as const) {
    const { status, stdout, stderr } = check(await getResponse(name));
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`${owned(name).id}: the chain of`);
  }
  const response = await getResponse('edited');
  const [newest, second, ...others] = response.history ?? [];
  expect(check({ ...response, total_amount: '1.00' }).stderr).toContain('The transaction was altered.');
  expect(check({ ...response, history: [newest, { ...second, by: 'key_x' }, ...others] }).stderr).toContain(
    'Entry 3 was altered.',
  );
  expect(check({ ...response, history: [newest, ...others] }).stderr).toContain('Entry 4 was altered.');
});
