/** `npm run ledger -- …` on ledgers that the API wrote, with and without changed items. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Finding, findingText, orphanedEntries } from '../../shared/cli/ledger/checks.ts';
import { filingBook } from '../../shared/cli/ledger/filing-book.ts';
import {
  chainFindings,
  periodFindings,
  verifyAccount,
  verifyFiling,
  verifyTransaction,
} from '../../shared/cli/ledger/verify-account.ts';
import { ledgerProgram } from '../../shared/cli/ledger.ts';
import { now } from '../../shared/config/clock.ts';
import { noTotals } from '../../shared/filings/totals.ts';
import { hashEntry } from '../../shared/ledger/audit.ts';
import { listLiabilityEntries } from '../../shared/ledger/entries/entries.ts';
import type { LiabilityEntry } from '../../shared/ledger/entries/entry.ts';
import type { Amounts, StoredTransaction, Transaction } from '../../shared/ledger/transaction.ts';
import { filingProgressFrom, filingProgressItem } from '../../shared/store/filings/filing-progress-item.ts';
import {
  auditKey,
  chainKey,
  claimKey,
  filedEntryKey,
  filingKey,
  headKey,
  type ItemKey,
  openEntryKey,
  periodKey,
} from '../../shared/store/keys.ts';
import { auditEntryFrom, auditItem } from '../../shared/store/ledger/audit-item.ts';
import { entryAttributes, openEntryItem } from '../../shared/store/ledger/open-entry-item.ts';
import { transactionFrom } from '../../shared/store/ledger/transaction-item.ts';
import { newCaller } from '../support/api.ts';
import { cancel, closedFiling, file, filerOf, soldOn } from '../support/filings.ts';
import { runCommand, runInProcess } from '../support/run-command.ts';
import { clientOf, creditOf, dayMs, goods, later, made, sale, sold } from '../support/sales.ts';
import { alter, forge, itemAt, ofTransaction, remove, tamper, undoTampering } from '../support/tampering.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const ledger = (...args: string[]) => runInProcess(ledgerProgram(), args);

const verified = async (account: string, pauseMs = 0) => {
  const findings: Finding[] = [];
  const counts = await verifyAccount({
    account,
    nowMs: now,
    pauseMs,
    onFinding: (finding) => findings.push(finding),
    onProgress: () => {},
  });
  return { counts, findings };
};

/** An account with something for every check. */
const newLedger = async () => {
  const caller = await newCaller();
  const client = clientOf(caller);
  const lines = [goods({ id: 'a' }), goods({ id: 'b', unit_price: '10.01', discount_amount: '1.00' })];
  const body = { line_items: lines, shipping: { amount: '7.95' }, discount_amount: '3.33' };
  const finalized = { status: 'finalized' };
  const sale1 = await made(client.create(sale({ ...body, ...finalized, reference_id: 'in_1' })));
  const credit = await made(client.create(creditOf(sale1, { line_items: [{ id: 'a', quantity: '1' }] })));
  const credit2 = await made(client.create(creditOf(sale1, { line_items: [{ id: 'b', quantity: '1' }] })));
  const voidedCredit = await made(client.create(creditOf(sale1, { credit_remaining: true })));
  await made(client.update(voidedCredit.id, { status: 'void' }));
  const draft = await made(client.create(sale({ ...body, reference_id: 'in_2' })));
  const edited = await made(client.create(sale({ reference_id: 'in_3' })));
  await made(client.update(edited.id, { line_items: [goods({ unit_price: '12.34' })] }));
  await made(client.update(edited.id, { ...finalized, tax_amount: '1.00' }));
  await made(client.update(edited.id, { metadata: { note: 'late' } }));
  const voided = await sold(client, { reference_id: 'in_4' });
  await made(client.update(voided.id, { status: 'void', void_reason: 'twice' }));
  const plain = await sold(client, { tax_included: true, reference_id: 'in_5' });
  const full = await sold(client, { reference_id: 'in_6' });
  await made(client.create(creditOf(full)));
  const transactions = { sale: sale1, credit, credit2, voidedCredit, draft, edited, voided, plain };
  return { ...caller, ...client, account: caller.account.id, transactions };
};
type Ledger = Awaited<ReturnType<typeof newLedger>>;
type Name = keyof Ledger['transactions'];

let books: Ledger;
beforeAll(async () => {
  books = await newLedger();
});
afterEach(undoTampering);

const owned = (name: Name) => ({ account: books.account, id: books.transactions[name].id as string });
const entryKey = (name: Name, version: number) => auditKey(books.account, owned(name).id, version);
const current = async (name: Name): Promise<StoredTransaction> => transactionFrom(await itemAt(head(name)));

const head = (name: Name) => headKey(books.account, owned(name).id);
const claimOf = (reference: string) => claimKey(books.account, reference);

type Tamper = (name: Name) => Promise<unknown>;
type Changes = Partial<Transaction> | ((transaction: Transaction) => Partial<Transaction>);

const setAttributes =
  (changes: object): Tamper =>
  (name) =>
    tamper(head(name), (item) => ({ ...item, ...changes }));
/** Change the transaction and write its newest audit entry again. */
const forged =
  (changes: Changes, others?: Parameters<typeof forge>[2]): Tamper =>
  (name) =>
    forge(owned(name), ofTransaction(typeof changes === 'function' ? changes : () => changes), others);
const withoutEntries =
  (...versions: number[]): Tamper =>
  async (name) => {
    for (const version of versions) await remove(entryKey(name, version));
  };
const changedEntry =
  (version: number, changes: object, isHashed = false): Tamper =>
  (name) =>
    tamper(entryKey(name, version), (item) => {
      if (!isHashed) return { ...item, ...changes };
      const { hash: _, ...covered } = auditEntryFrom({ ...item, ...changes });
      return { ...auditItem(books.account, { ...covered, hash: hashEntry(covered) }), ...entryKey(name, version) };
    });
const changedClaim =
  (reference: string, changes: object): Tamper =>
  () =>
    tamper(claimOf(reference), (item) => ({ ...claimOf(reference), ...item, ...changes }));
/** Change the counters of lines `a` and `b`, which no total shows and no hash covers. */
const changedCounters =
  (change: (a: Amounts, b: Amounts) => Record<'a' | 'b', Amounts>): Tamper =>
  (name) =>
    alter(owned(name), ({ credited, ...stored }) => {
      const [a, b] = [credited.charges.get('a'), credited.charges.get('b')];
      if (!a || !b) throw new Error('Both lines have credits.');
      return { ...stored, credited: { ...credited, charges: new Map(Object.entries(change(a, b))) } };
    });
const changedLines =
  (change: (line: Transaction['line_items'][number]) => Partial<typeof line>) =>
  ({ line_items }: Transaction) => ({ line_items: line_items.map((line) => ({ ...line, ...change(line) })) });
const openEntries = async (
  name: Name,
  change: (entry: LiabilityEntry) => LiabilityEntry | undefined,
): Promise<void> => {
  for (const entry of listLiabilityEntries(await current(name)))
    await tamper(openEntryKey(books.account, entry), () => {
      const changed = change(entry);
      return changed && openEntryItem(books.account, changed);
    });
};
const taxed = (tax: bigint) => (entry: LiabilityEntry) => ({
  ...entry,
  amounts: entry.amounts.map((sum) => ({ ...sum, tax })),
});

const voidSale = forged(({ updated_at }) => ({ status: 'void', voided_at: updated_at }));
const draftAgain = { status: 'draft', voided_at: null, void_reason: null, finalized_at: null } as const;
const january = '2026-01-01T00:00:00.000Z';

/** The changed item and transaction, the change, and the start of each expected finding. */
const tamperings: readonly (readonly [string, Name, Tamper, ...string[]])[] = [
  ['an indexed amount', 'sale', setAttributes({ total_amount: '1.00' }), 'head: attribute total_amount is 1.00'],
  ['the indexed status', 'draft', setAttributes({ status: 'finalized' }), 'head: transaction is not readable'],
  ['compressed bytes', 'sale', setAttributes({ lines: Buffer.from('x') }), 'head: transaction is not readable'],
  [
    'an added attribute',
    'sale',
    setAttributes({ draft_shard: 'D#1' }),
    'head: attribute draft_shard is D#1, should be',
  ],
  [
    'metadata, with every attribute that repeats it',
    'edited',
    () =>
      alter(
        owned('edited'),
        ofTransaction(() => ({ metadata: { note: 'another' } })),
      ),
    'chain: hash of the state in the newest entry',
  ],
  ['two deleted audit entries', 'edited', withoutEntries(2, 3), 'chain: entries 2 to 3 is none'],
  ['a deleted first audit entry', 'edited', withoutEntries(1), 'chain: entry 1 is none'],
  ['a deleted newest audit entry', 'edited', withoutEntries(4), 'chain: entry 4 is none'],
  ['the author of an audit entry', 'edited', changedEntry(2, { by: 'key_other' }), 'chain: entry 2: hash is'],
  [
    'the time of an audit entry, with its hash',
    'edited',
    changedEntry(2, { at: january }, true),
    'chain: entry 3: hash of the entry before is',
  ],
  [
    'the fields of the newest audit entry, with its hash',
    'edited',
    changedEntry(4, { fields: [] }, true),
    'chain: hash of the newest entry, as the transaction has it is',
  ],
  [
    'the version of an audit entry',
    'edited',
    changedEntry(3, { version: 2 }),
    'chain: entry 3: version is 2, should be 3',
    'chain: entry 3: hash is',
  ],
  [
    'the transaction of an audit entry',
    'edited',
    changedEntry(3, { transaction_id: 'txn_other' }, true),
    'chain: entry 3: transaction is txn_other',
    'chain: entry 4: hash of the entry before',
  ],
  ['an unreadable audit entry', 'edited', changedEntry(3, { at: 5 }), 'chain: entry 3 is not readable'],
  [
    'an audit entry after the newest',
    'edited',
    (name) => tamper(entryKey(name, 5), () => ({ ...entryKey(name, 5), version: 5 })),
    'chain: entry 5 is there, should be none',
  ],
  [
    'a void transaction made finalized',
    'voided',
    forged({ status: 'finalized', voided_at: null, void_reason: null }),
    'claims: claim on its reference_id is none',
    'entries: entry of US-MI',
  ],
  [
    'a status change that is not allowed',
    'voided',
    forged(() => ({ ...draftAgain, expires_at: new Date(now() + dayMs).toISOString() }), { to: 'draft' }),
    'chain: entry 2: state after finalized is draft, should be finalized or filed or void',
  ],
  [
    'no finalized_at',
    'plain',
    forged({ finalized_at: null }),
    'states: finalized_at of a finalized transaction is none',
    'chain: finalized_at is none',
  ],
  ['another finalized_at', 'plain', forged({ finalized_at: january }), `chain: finalized_at is ${january}`],
  ['another created_at', 'plain', forged({ created_at: january }), `chain: created_at is ${january}`],
  [
    'the tax of a line',
    'sale',
    forged(({ line_items: [line, ...rest] }) => {
      if (!line) throw new Error('The sale has lines.');
      const taxes = line.taxes.map((row) => ({ ...row, tax_amount: '6.66' }));
      return { line_items: [{ ...line, tax_amount: '6.66', taxes }, ...rest] };
    }),
    'totals: tax_amount is',
    'totals: tax_summary of US-MI',
    'entries: entry of US-MI',
  ],
  ['the total', 'plain', forged({ total_amount: '99.99' }), 'totals: total_amount is 99.99, should be 100.00'],
  [
    'the tax summary',
    'plain',
    forged(({ tax_summary }) => ({ tax_summary: tax_summary.map((row) => ({ ...row, rate: '0.05' })) })),
    'totals: tax_summary of US-MI at 0.05',
    'totals: tax_summary of US-MI at 0.06',
  ],
  ['the discount', 'sale', forged({ applied_discount_amount: '0.00' }), 'totals: applied_discount_amount is 0.00'],
  ['the shipping', 'sale', forged({ shipping_amount: '0.00' }), 'totals: shipping_amount is 0.00, should be 7.95'],
  [
    'the tax rows of a line',
    'plain',
    forged(changedLines(() => ({ taxes: [] }))),
    'totals: item_1: taxes is none',
    'totals: item_1: tax_amount is',
  ],
  ['a subtotal that is no number', 'plain', forged({ subtotal_amount: 'x' }), 'totals: subtotal_amount is x'],
  [
    'the tax of a row that is no number',
    'plain',
    forged(changedLines(({ taxes }) => ({ taxes: taxes.map((row) => ({ ...row, tax_amount: '1x' })) }))),
    'totals: stored data of this check is not readable',
    'entries: stored data of this check is not readable',
  ],
  [
    'the credit counters of a sale, so that it could be refunded again',
    'sale',
    forged({ credited_amount: '0.00', credited_tax_amount: '0.00', refund_status: 'none' }),
    'credits: credited_amount is 0.00',
    'credits: credited_tax_amount is 0.00',
    'credits: refund_status is none',
  ],
  [
    'the counters of two lines, swapped',
    'sale',
    changedCounters((a, b) => ({ a: b, b: a })),
    'credits: credited of a: net is',
    'credits: credited of b: net is',
  ],
  [
    'the counter of one tax row',
    'sale',
    changedCounters((a, b) => ({ a: { ...a, rows: a.rows.map((row) => ({ ...row, exempt: 100n })) }, b })),
    'credits: credited of a: rows is',
  ],
  [
    'an unreadable credit',
    'sale',
    () => setAttributes({ summary: Buffer.from('x') })('credit'),
    'credits: credit txn_',
    'credits: credited_amount is',
  ],
  ['a deleted credit', 'sale', () => remove(head('credit')), 'credits: credited_amount is'],
  [
    'a credit with its lines twice',
    'sale',
    () => forged(({ line_items }) => ({ line_items: [...line_items, ...line_items] }))('credit'),
    'credits: credited_amount is',
    'credits: credited of a: net is',
  ],
  [
    'a void credit made finalized',
    'sale',
    () => forged({ status: 'finalized', voided_at: null })('voidedCredit'),
    'credits: credited_amount is',
  ],
  ['a deleted sale with a credit', 'credit', () => remove(head('sale')), 'credits: sale that it credits is none'],
  [
    'a sale with credits made void',
    'sale',
    voidSale,
    'credits: void sale with live credits is 2',
    'claims: claim on its reference_id is kept',
  ],
  [
    'a sale made void, by its credit',
    'credit',
    () => voidSale('sale'),
    'credits: state of the sale that it credits is void',
  ],
  ['a deleted claim', 'edited', () => remove(claimOf('in_3')), 'claims: claim on its reference_id is none'],
  [
    'the transaction of a claim',
    'edited',
    changedClaim('in_3', { transaction_id: 'txn_other' }),
    'claims: claim on its reference_id is txn_other',
  ],
  [
    'a deadline of the claim of a finalized sale',
    'edited',
    changedClaim('in_3', { expires_at: january }),
    `claims: deadline of its claim is ${january}, should be none`,
  ],
  [
    'no deadline of the claim of a draft',
    'draft',
    () => tamper(claimOf('in_2'), ({ expires_at: _, ...item } = {}) => item),
    'claims: deadline of its claim is none',
  ],
  [
    'a claim of a void sale',
    'voided',
    (name) => changedClaim('in_4', { transaction_id: owned(name).id })(name),
    'claims: claim on its reference_id is kept, should be released',
  ],
  [
    'a claim of an unknown transaction',
    'voided',
    changedClaim('in_4', { transaction_id: 'txn_none' }),
    'claims: claim on its reference_id is txn_none, should be none',
  ],
  [
    'a deleted open entry',
    'plain',
    (name) => openEntries(name, () => undefined),
    'entries: entry of US-MI, 2026-10, USD is none',
  ],
  [
    'the tax of an open entry',
    'plain',
    (name) => openEntries(name, taxed(1n)),
    'entries: entry of US-MI, 2026-10, USD is 94.34 / 0.00, US-MI / 0.06 / 94.34 / 0.00 / 0.01',
  ],
];

describe('verify', () => {
  it('finds nothing in what the API wrote, and prints what it checked', async () => {
    const { code, out, err } = await runCommand(['shared/cli/ledger.ts', 'verify', '--account', books.account]);
    expect(out).toContain(books.account);
    expect(out.match(/\b\d+ [a-z]+/g)).toEqual([
      ...['10 transactions', '13 lines', '20 audit', '3 live', '5 claims', '7 entries', '0 filings'],
    ]);
    expect([code, out.endsWith('No findings.\n')]).toEqual([0, true]);
    expect(err).toContain('Verified 10 transactions');
  });

  it('prints each finding, and exits with 1', async () => {
    await forged({ credited_amount: '1.00' })('sale');
    await remove(claimOf('in_5'));
    await openEntries('plain', taxed(1n));
    const [entry] = listLiabilityEntries(await current('draft'));
    if (!entry) throw new Error('The draft is taxed.');
    await tamper(openEntryKey(books.account, entry), () => openEntryItem(books.account, entry));
    const args = ['verify', '--account', books.account];
    const [{ code, out }, asJson] = [await ledger(...args), await ledger(...args, '--json')];
    expect([code, asJson.code]).toEqual([1, 1]);
    expect(out.split('\n')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(`^${owned('sale').id}  credits: credited_amount is 1.00, should be \\d+\\.\\d\\d$`),
        `${owned('plain').id}  claims: claim on its reference_id is none, should be ${owned('plain').id}`,
        expect.stringContaining(`${owned('plain').id}  entries: entry of US-MI`),
        `${owned('draft').id}  entries: open entry of US-MI, 2026-10, USD is there, should be none`,
        '4 findings: credits 1, claims 1, entries 2.',
      ]),
    );
    // Nothing else is on standard output.
    const { findings, ...report } = JSON.parse(asJson.out);
    expect(report).toMatchObject({
      account: books.account,
      checked: { transactions: 10, lines: 13, audit_entries: 20, credits: 3, claims: 5, entries: 7, filings: 0 },
      findings_total: 4,
      findings_by_check: { head: 0, chain: 0, states: 0, totals: 0, credits: 1, claims: 1, entries: 2, filings: 0 },
    });
    expect(findings.map(findingText).sort()).toEqual(out.match(/^txn_.*$/gm)?.sort());
  });

  it.each([
    [['--account', 'acct_none'], 'There is no account acct_none'],
    [[], 'Pass either --account or --all.'],
  ])('refuses %j', async (args, message) => {
    const { code, out, err } = await ledger('verify', ...args);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(message);
  });

  it('reads more than one page of transactions, while they change', async () => {
    const caller = await newCaller();
    const busy = clientOf(caller);
    const first = await sold(busy);
    for (let block = 0; block < 11; block++) await Promise.all(Array.from({ length: 10 }, () => busy.create(sale())));
    const half = { line_items: [{ id: 'item_1', quantity: '0.1' }] };
    let isOver = false;
    const writing = (async () => {
      let last: { id: string } | null = null;
      while (!isOver) {
        if (last) await made(busy.update(last.id, { status: 'void' }));
        last = await made(busy.create(creditOf(first, half)));
        await made(busy.update(first.id, { metadata: { at: String(Math.random()) } }));
      }
    })();
    const { counts, findings } = await verified(caller.account.id, 150);
    isOver = true;
    await writing;
    expect(findings).toEqual([]);
    expect(counts.transactions).toBeGreaterThanOrEqual(111);
  });
});

describe('verify finds', () => {
  it.for(tamperings)('%s', async ([_title, name, run, ...expected]) => {
    await run(name);
    const book = await filingBook(books.account);
    const { findings } = await verifyTransaction({ ...owned(name), book, nowMs: now, pauseMs: 0 });
    const texts = findings.map(findingText);
    for (const text of expected)
      expect(texts).toEqual(expect.arrayContaining([expect.stringContaining(`${owned(name).id}  ${text}`)]));
  });

  it.each([
    ['of a draft', 'draft', {}],
    ['of a void sale', 'voided', {}],
    ['of another month', 'plain', { month: '2026-09' }],
    ['of an unknown transaction', 'plain', { transactionId: 'txn_none' }],
  ] as const)('a stray open entry %s', async (_title, name, changes) => {
    const [entry] = listLiabilityEntries(await current(name));
    if (!entry) throw new Error('The sale is taxed.');
    const stray = { ...entry, ...changes };
    await tamper(openEntryKey(books.account, stray), () => openEntryItem(books.account, stray));
    const findings = await Array.fromAsync(orphanedEntries(books.account, 'US-MI'));
    expect(findings.map(findingText)).toEqual([
      `${stray.transactionId}  entries: open entry of US-MI, ${stray.month}, USD is there, should be none`,
    ]);
  });

  it('finds nothing in expired drafts, swept or not, whose reference another transaction may have', async () => {
    const caller = await newCaller();
    const client = clientOf(caller);
    const drafts: { readonly id: string }[] = [];
    for (const reference_id of ['q', 'r', 's', 't']) drafts.push(await made(client.create(sale({ reference_id }))));
    await later(dayMs, async () => {
      const sweep = (at: number) => made(client.update(drafts[at]?.id ?? '', { metadata: { late: 'yes' } }));
      await sweep(1);
      await sold(client, { reference_id: 's' });
      await sold(client, { reference_id: 't' });
      await sweep(3);
      expect((await verified(caller.account.id)).findings).toEqual([]);
    });
  });
});

describe('verify, of filings', () => {
  /** September is filed, with an edited and a credited sale. October is closed, with a late sale. November is open. */
  const newFiledLedger = async () => {
    const caller = await newCaller();
    const filer = filerOf(caller);
    const september = await soldOn(filer, '2026-09-10', '100.00', { reference_id: 'sep' });
    await made(filer.create(creditOf(september, { tax_date: '2026-09-20', credit_remaining: true })));
    const filed = await file(filer, (await closedFiling(filer, 'MI', '2026-09-30')).id);
    await made(filer.update(september.id, { metadata: { paid: 'yes' } }));
    const late = await soldOn(filer, '2026-09-12', '20.00');
    const october = await soldOn(filer, '2026-10-10', '30.00');
    const canceled = await closedFiling(filer, 'MI', '2026-10-31');
    await cancel(filer, canceled.id);
    const closed = await closedFiling(filer, 'MI', '2026-10-31');
    const november = await soldOn(filer, '2026-11-10', '40.00');
    return {
      account: caller.account.id,
      transactions: { september, late, october, november },
      filings: { filed, canceled, closed },
    };
  };
  let filedBooks: Awaited<ReturnType<typeof newFiledLedger>>;
  beforeAll(async () => {
    filedBooks = await newFiledLedger();
  });
  type Sold = keyof (typeof filedBooks)['transactions'];
  type Filed = keyof (typeof filedBooks)['filings'];
  const filingId = (name: Filed): string => filedBooks.filings[name].id;
  const of = (name: Sold) => ({ account: filedBooks.account, id: filedBooks.transactions[name].id as string });
  /** `<name>` in a text becomes the id of that transaction or filing. */
  const withIds = (text: string): string =>
    text.replaceAll(/<(\w+)>/g, (_, name) => ({ ...filedBooks.transactions, ...filedBooks.filings })[name as Sold].id);
  const entryAt = (filing: Filed, name: Sold) =>
    filedEntryKey(filedBooks.account, filingId(filing), { transactionId: of(name).id, currency: 'USD' });
  const entryOf = async (name: Sold) => {
    const [entry] = listLiabilityEntries(transactionFrom(await itemAt(headKey(filedBooks.account, of(name).id))));
    if (!entry) throw new Error('The sale is taxed.');
    return entry;
  };
  const periodAt = (state: string, end: string) => periodKey(filedBooks.account, state, end);
  /** The progress of the shard that has the entry of September. */
  const septemberShard = () => ({ pk: entryAt('filed', 'september').pk, sk: '!' });
  const changed =
    (key: () => ItemKey, changes: () => object): Run =>
    () =>
      tamper(key(), (item) => ({ ...key(), ...item, ...changes() }));
  const october = () => entryAt('closed', 'october');
  const michigan = () => chainKey(filedBooks.account, 'US-MI');
  type Run = () => Promise<unknown>;

  it('finds nothing after periods were closed, filed and canceled, and a late sale', async () => {
    const { counts, findings } = await verified(filedBooks.account);
    expect(findings).toEqual([]);
    expect(counts).toMatchObject({ transactions: 5, entries: 5, filings: 3 });
  });

  it.for<readonly [string, Run, ...string[]]>([
    [
      'a deleted entry',
      () => remove(october()),
      '<october>  entries: entry of US-MI, 2026-10, USD is none',
      '<closed>  filings: entries of shard',
      '<closed>  filings: totals of shard',
      '<closed>  filings: summary is',
    ],
    [
      'the tax of an entry',
      async () => {
        const entry = taxed(1n)(await entryOf('october'));
        await tamper(october(), (item) => ({ ...item, ...entryAttributes(entry) }));
      },
      '<october>  entries: entry of US-MI, 2026-10, USD is 30.00 / 0.00, US-MI / 0.06 / 30.00 / 0.00 / 0.01',
      '<closed>  filings: totals of shard',
    ],
    [
      'an unreadable entry',
      changed(october, () => ({ figures: Buffer.from('x') })),
      '<october>  entries: entry of US-MI, 2026-10, USD is not readable',
      '<closed>  filings: filing or one of its entries is not readable',
    ],
    [
      'an entry that is also open',
      async () => {
        const entry = await entryOf('october');
        await tamper(openEntryKey(filedBooks.account, entry), () => openEntryItem(filedBooks.account, entry));
      },
      '<october>  filings: entry of US-MI, 2026-10, USD in <closed> is also open',
    ],
    [
      'an entry in two filings',
      async () => {
        const entry = await entryOf('september');
        await changed(
          () => entryAt('closed', 'september'),
          () => entryAttributes(entry),
        )();
      },
      '<september>  entries: place of the entry of US-MI, 2026-09, USD is in',
      '<closed>  filings: entries of shard',
    ],
    [
      'an entry of a deleted sale',
      () => remove(headKey(filedBooks.account, of('late').id)),
      '<late>  filings: entry of US-MI, 2026-09, USD in <closed> is there, should be none',
    ],
    [
      'the totals of a shard',
      () =>
        tamper(septemberShard(), (item) =>
          filingProgressItem(filedBooks.account, filingId('filed'), { ...filingProgressFrom(item), totals: noTotals }),
        ),
      '<filed>  filings: totals of shard',
    ],
    [
      'the number of entries of a shard',
      changed(septemberShard, () => ({ entries: { moved: 7, marked: 7, reopened: 0 } })),
      '<filed>  filings: entries of shard',
      '<filed>  filings: number of entries',
    ],
    ['a deleted shard', () => remove(septemberShard()), '<filed>  filings: number of shards is 7, should be 8'],
    [
      'the summary of a filing',
      changed(
        () => filingKey(filedBooks.account, filingId('filed')),
        () => ({ summary: [] }),
      ),
      '<filed>  filings: summary is []',
    ],
    [
      'the exceptions of a filing',
      changed(
        () => filingKey(filedBooks.account, filingId('filed')),
        () => ({ exceptions: { count: 7, gross_amount: '0.00', by_reason: [] } }),
      ),
      '<filed>  filings: number of exceptions is 7, should be 0',
    ],
    [
      'the first day of a filing',
      changed(
        () => filingKey(filedBooks.account, filingId('closed')),
        () => ({ period_start: '2026-09-15' }),
      ),
      '<closed>  filings: first day is 2026-09-15, should be 2026-10-01',
    ],
    [
      'a deleted period',
      () => remove(periodAt('US-MI', '2026-10-31')),
      '<closed>  filings: filing of the period of US-MI to 2026-10-31 is none, should be <closed>',
    ],
    [
      'a period of a canceled filing',
      changed(
        () => periodAt('US-MI', '2026-10-31'),
        () => ({ filing: filingId('canceled') }),
      ),
      '<closed>  filings: filing of the period of US-MI to 2026-10-31 is <canceled>, should be <closed>',
    ],
    [
      'a period of a state without filings',
      changed(
        () => periodAt('US-HI', '2026-11-30'),
        () => ({ filing: 'fil_other' }),
      ),
      'fil_other  filings: filing of the period of US-HI to 2026-11-30 is fil_other, should be none',
    ],
    [
      'the end of a chain',
      changed(michigan, () => ({ last: { period_end: '2026-09-30', filing: filingId('filed') } })),
      '<closed>  filings: end of the chain of US-MI is <filed> of 2026-09-30, should be <closed> of 2026-10-31',
    ],
    [
      'a deleted chain',
      () => remove(michigan()),
      '<closed>  filings: end of the chain of US-MI is none, should be <closed> of 2026-10-31',
    ],
    [
      'a busy chain',
      changed(michigan, () => ({ busy: true })),
      '<closed>  filings: busy flag of the chain of US-MI is true, should be false',
    ],
    [
      'an unreadable chain',
      changed(michigan, () => ({ last: 'x' })),
      '<closed>  filings: chain of US-MI is not readable',
    ],
    [
      'a filed sale without its filing',
      () =>
        forge(
          of('september'),
          ofTransaction(() => ({ filings: [] })),
        ),
      '<september>  entries: filings, of <filed> is none, should be named',
      '<september>  entries: status is filed, should be not filed',
    ],
    [
      'a sale with an unknown filing',
      () =>
        forge(
          of('november'),
          ofTransaction(() => ({ filings: [{ id: 'fil_other', state: 'US-MI', status: 'filed' }] })),
        ),
      '<november>  entries: filings, of fil_other is named',
      '<november>  entries: status is finalized, should be filed',
    ],
  ])('finds %s', async ([_title, run, ...expected]) => {
    await run();
    const { account, transactions, filings } = filedBooks;
    const book = await filingBook(account);
    const found = await Promise.all([
      ...Object.values(transactions).map(({ id }) => verifyTransaction({ account, id, book, nowMs: now, pauseMs: 0 })),
      ...Object.values(filings).map(({ id }) => verifyFiling(account, id)),
      { findings: periodFindings(book.all()) },
      { findings: await chainFindings(account, book.all()) },
    ]);
    const texts = found.flatMap(({ findings }) => findings.map(findingText));
    for (const text of expected.map(withIds))
      expect(texts).toEqual(expect.arrayContaining([expect.stringContaining(text)]));
  });
});

describe('history', () => {
  it('prints every change of a transaction, newest first', async () => {
    const args = ['history', owned('edited').id, '--account', books.account];
    const [{ code, out }, asJson] = [await ledger(...args), await ledger(...args, '--json')];
    const lines = out.trimEnd().split('\n');
    expect(code).toBe(0);
    expect(lines).toHaveLength(6);
    expect(lines[0]).toMatch(/^version\s+at\s+state\s+by\s+fields\s+hash$/);
    expect(lines[1]).toMatch(/^4\s.*finalized\s.*key_\S+\s+metadata\s/);
    expect(lines[2]).toMatch(/^3\s.*draft -> finalized\s.*status, tax_amount\s/);
    expect(lines[5]).toBe(`4 changes of ${owned('edited').id}.`);
    const { data } = await made(books.call('GET', `/transactions/${owned('edited').id}/history`));
    expect(JSON.parse(asJson.out)).toEqual(data);
  });

  it('takes a reference: of the transaction that is not void, otherwise of the newest one', async () => {
    const caller = await newCaller();
    const client = clientOf(caller);
    const first = await sold(client, { reference_id: 'order 7' });
    await made(client.update(first.id, { status: 'void' }));
    const second = await sold(client, { reference_id: 'order 7' });
    const outOf = async () => (await ledger('history', 'order 7', '--account', caller.account.id)).out;
    expect(await outOf()).toContain(`1 change of ${second.id}.`);
    await made(client.update(second.id, { status: 'void' }));
    expect(await outOf()).toContain(`2 changes of ${second.id}.`);
  });

  it('refuses an unknown transaction', async () => {
    const { code, err } = await ledger('history', 'txn_none', '--account', books.account);
    expect([code, err]).toEqual([1, expect.stringMatching(/txn_none.*\n$/)]);
  });
});

const script = /```python\n(.*?)```/s.exec(readFileSync(`${root}/shared/cli/ledger/README.md`, 'utf8'))?.[1] ?? '';
const hasPython = spawnSync('python3', ['-c', 'import sys; assert sys.version_info >= (3, 9)']).status === 0;

// Without Python, history.test.ts still computes the same hashes.
describe.runIf(hasPython)('the script of the README', () => {
  const check = (answer: unknown) =>
    spawnSync('python3', ['-c', script], { input: JSON.stringify(answer), encoding: 'utf8' });

  it('accepts transactions that the API returns, in any writing system', async () => {
    const metadata = { ключ: '値 "quoted" \\ / \u007f \u2028', Z: '\t\n', a: '🧾', '~': 'é' };
    await made(books.update(owned('draft').id, { metadata }));
    for (const name of ['draft', 'edited', 'sale'] as const) {
      const { status, stdout, stderr } = check(await made(books.get(`${owned(name).id}?expand=history`)));
      expect([status, stderr]).toEqual([0, '']);
      expect(stdout).toContain(`${owned(name).id}: the chain of`);
    }
  });

  it('finds a changed transaction or audit entry', async () => {
    const answer = await made(books.get(`${owned('edited').id}?expand=history`));
    const [newest, second, ...others] = answer.history ?? [];
    expect(check({ ...answer, total_amount: '1.00' }).stderr).toContain('The transaction was altered.');
    expect(check({ ...answer, history: [newest, { ...second, by: 'key_x' }, ...others] }).stderr).toContain(
      'Entry 3 was altered.',
    );
    expect(check({ ...answer, history: [newest, ...others] }).stderr).toContain('Entry 4 was altered.');
  });
});
