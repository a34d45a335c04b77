/** `npm run ledger -- …` on ledgers that the API made, and that somebody tampered with behind its back. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { filingBook } from '../../shared/cli/ledger/filing-book.ts';
import { type Finding, findingText } from '../../shared/cli/ledger/finding.ts';
import { strayEntries } from '../../shared/cli/ledger/stray-entries.ts';
import { verifyAccount } from '../../shared/cli/ledger/verify-account.ts';
import { chainFindings } from '../../shared/cli/ledger/verify-chains.ts';
import { periodFindings, verifyFiling } from '../../shared/cli/ledger/verify-filings.ts';
import { verifyTransaction } from '../../shared/cli/ledger/verify-transaction.ts';
import { now } from '../../shared/config/clock.ts';
import { noTotals } from '../../shared/filings/totals.ts';
import { filingProgressFrom, filingProgressItem } from '../../shared/store/filings/filing-progress-item.ts';
import {
  auditKey,
  chainKey,
  claimKey,
  filedEntryKey,
  filingKey,
  headKey,
  openEntryKey,
  periodKey,
} from '../../shared/store/keys.ts';
import { auditEntryFrom, auditItem } from '../../shared/store/ledger/audit-item.ts';
import { entryAttributes, openEntryItem } from '../../shared/store/ledger/open-entry-item.ts';
import { transactionFrom } from '../../shared/store/ledger/transaction-item.ts';
import { entryHashOf } from '../../shared/transactions/audit.ts';
import { openEntriesOf } from '../../shared/transactions/open-entries.ts';
import type { Transaction } from '../../shared/transactions/transaction.ts';
import { newCaller } from '../support/api.ts';
import { cancel, closedFiling, file, filerOf, soldOn } from '../support/filings.ts';
import { runCommand } from '../support/run-command.ts';
import { clientOf, creditOf, dayMs, goods, later, made, recorded, sale, sold } from '../support/sales.ts';
import { alter, forge, itemAt, ofTransaction, remove, tamper, undoTampering } from '../support/tampering.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const ledger = (...args: string[]) => runCommand(['shared/cli/ledger.ts', ...args]);

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

/** An account with everything in it that can be right or wrong. */
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
const current = async (name: Name): Promise<Transaction> => recorded(await made(books.get(owned(name).id)));

describe('verify', () => {
  it('finds nothing in what the API wrote, and counts what it looked at', async () => {
    const { code, out, err } = await ledger('verify', '--account', books.account);
    expect(out).toBe(
      `Checked of ${books.account}: 10 transactions, 13 lines, 20 audit entries, 3 live credits, 5 claims, 7 entries, 0 filings.\nNo findings.\n`,
    );
    expect(code).toBe(0);
    expect(err).toContain('Verified 10 transactions');
  });

  it('prints each finding, and exits with 1', async () => {
    await forge(
      owned('sale'),
      ofTransaction(() => ({ credited_amount: '1.00' })),
    );
    await remove(claimKey(books.account, 'in_5'));
    const args = ['verify', '--account', books.account];
    const [{ code, out }, asJson] = await Promise.all([ledger(...args), ledger(...args, '--json')]);
    expect([code, asJson.code]).toEqual([1, 1]);
    expect(out.split('\n')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(`^${owned('sale').id}  credits: credited_amount is 1.00, should be \\d+\\.\\d\\d$`),
        `${owned('plain').id}  claims: claim on its reference_id is none, should be ${owned('plain').id}`,
        '2 findings: credits 1, claims 1.',
      ]),
    );
    // Nothing else is on standard output.
    const { findings, ...report } = JSON.parse(asJson.out);
    expect(report).toEqual({
      account: books.account,
      checked: { transactions: 10, lines: 13, audit_entries: 20, credits: 3, claims: 5, entries: 7, filings: 0 },
      findings_total: 2,
      findings_by_check: {
        ...Object.fromEntries(['head', 'chain', 'states', 'totals', 'entries', 'filings'].map((check) => [check, 0])),
        credits: 1,
        claims: 1,
      },
    });
    expect(findings.map(findingText).sort()).toEqual(
      out
        .split('\n')
        .filter((line) => line.startsWith('txn_'))
        .sort(),
    );
  });

  it('does not say of an account that is not there that nothing is wrong with it', async () => {
    const runs = [['--account', 'acct_none'], []].map((args) => ledger('verify', ...args));
    for (const { code, out, err } of await Promise.all(runs)) {
      expect([code, out]).toEqual([1, '']);
      expect(err).toMatch(/There is no account acct_none|required option/);
      expect(err).not.toContain('    at ');
    }
  });

  it('walks over more transactions than a page has, while they change', async () => {
    const caller = await newCaller();
    expect((await verified(caller.account.id)).counts.transactions).toBe(0);
    const busy = clientOf(caller);
    const first = await sold(busy);
    for (let block = 0; block < 11; block++) await Promise.all(Array.from({ length: 10 }, () => busy.create(sale())));
    const half = { line_items: [{ id: 'item_1', quantity: '0.1' }] };
    let isOver = false;
    const writing = (async () => {
      let last: any = null;
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

/** How somebody tampers, with what must be found: the check, and a part of the text. */
type Tampering = readonly [string, Name, () => Promise<unknown>, readonly string[]];

const changeEntry = (name: Name, version: number, changes: object, isHashed = false) =>
  tamper(entryKey(name, version), (item) => {
    if (!isHashed) return { ...item, ...changes };
    const { hash: _, ...covered } = auditEntryFrom({ ...item, ...changes });
    return { ...auditItem(books.account, { ...covered, hash: entryHashOf(covered) }), ...entryKey(name, version) };
  });

const head = (name: Name) => headKey(books.account, owned(name).id);

/** The first line's and its only row's tax a cent higher, and whatever the forger thinks of beside. */
const raised = (others: (transaction: Transaction) => Partial<Transaction> = () => ({})) =>
  ofTransaction((transaction) => {
    const [line, ...rest] = transaction.line_items;
    if (!line) throw new Error('The sale has lines.');
    const tax_amount = '6.66';
    const raisedLine = { ...line, tax_amount, taxes: line.taxes.map((row) => ({ ...row, tax_amount })) };
    return { line_items: [raisedLine, ...rest], ...others(transaction) };
  });

const tamperings: readonly Tampering[] = [
  [
    'an amount that lists and operators read',
    'sale',
    () => tamper(head('sale'), (item) => ({ ...item, total_amount: '1.00' })),
    ['head: attribute total_amount is 1.00'],
  ],
  [
    'the day under which it is listed',
    'sale',
    () => tamper(head('sale'), (item) => ({ ...item, tax_date_id: `2020-01-01T00:00:00.000Z#${owned('sale').id}` })),
    ['head: attribute tax_date_id'],
  ],
  [
    'the state of the attributes alone',
    'draft',
    () => tamper(head('draft'), (item) => ({ ...item, status: 'finalized' })),
    ['head: transaction is not readable'],
  ],
  [
    'bytes',
    'sale',
    () => tamper(head('sale'), (item) => ({ ...item, lines: Buffer.from('x') })),
    ['head: transaction is not readable'],
  ],
  [
    'an attribute that nobody wrote',
    'sale',
    () => tamper(head('sale'), (item) => ({ ...item, draft_shard: 'D#1' })),
    ['head: attribute draft_shard is D#1, should be none'],
  ],
  [
    'a note, with every attribute that repeats it',
    'edited',
    () =>
      alter(
        owned('edited'),
        ofTransaction(() => ({ metadata: { note: 'another' } })),
      ),
    ['chain: hash of the state in the newest entry'],
  ],
  ['an entry gone', 'edited', () => remove(entryKey('edited', 2)), ['chain: entry 2 is none']],
  [
    'several entries gone',
    'edited',
    async () => {
      await remove(entryKey('edited', 2));
      await remove(entryKey('edited', 3));
    },
    ['chain: entries 2 to 3 is none'],
  ],
  ['the first entry gone', 'edited', () => remove(entryKey('edited', 1)), ['chain: entry 1 is none']],
  ['the newest entry gone', 'edited', () => remove(entryKey('edited', 4)), ['chain: entry 4 is none']],
  ['who it was', 'edited', () => changeEntry('edited', 2, { by: 'key_other' }), ['chain: entry 2: hash is']],
  [
    'when it was, with its hash',
    'edited',
    () => changeEntry('edited', 2, { at: '2026-01-01T00:00:00.000Z' }, true),
    ['chain: entry 3: hash of the entry before is'],
  ],
  [
    'what was changed, with the hash of the newest entry',
    'edited',
    () => changeEntry('edited', 4, { fields: [] }, true),
    ['chain: hash of the newest entry, as the transaction has it is'],
  ],
  [
    'an entry for another version',
    'edited',
    () => changeEntry('edited', 3, { version: 2 }),
    ['chain: entry 3: version is 2, should be 3', 'chain: entry 3: hash is'],
  ],
  [
    'an entry of another transaction',
    'edited',
    () => changeEntry('edited', 3, { transaction_id: 'txn_other' }, true),
    ['chain: entry 3: transaction is txn_other', 'chain: entry 4: hash of the entry before'],
  ],
  ['an entry that is none', 'edited', () => changeEntry('edited', 3, { at: 5 }), ['chain: entry 3 is not readable']],
  [
    'an entry above the newest',
    'edited',
    () => tamper(entryKey('edited', 5), () => ({ ...entryKey('edited', 5), version: 5 })),
    ['chain: entry 5 is there, should be none'],
  ],
  [
    'a void that never was, forged into the newest entry',
    'voided',
    () =>
      forge(
        owned('voided'),
        ofTransaction(() => ({ status: 'finalized', voided_at: null, void_reason: null })),
      ),
    ['claims: claim on its reference_id is none', 'entries: entry of US-MI'],
  ],
  [
    'states that cannot follow each other',
    'voided',
    () =>
      forge(
        owned('voided'),
        ofTransaction(() => ({
          status: 'draft',
          voided_at: null,
          void_reason: null,
          finalized_at: null,
          expires_at: new Date(now() + dayMs).toISOString(),
        })),
        { to: 'draft' },
      ),
    ['chain: entry 2: state after finalized is draft, should be finalized or filed or void'],
  ],
  [
    'no time of finalizing',
    'plain',
    () =>
      forge(
        owned('plain'),
        ofTransaction(() => ({ finalized_at: null })),
      ),
    ['states: finalized_at of a finalized transaction is none', 'chain: finalized_at is none'],
  ],
  [
    'another time of finalizing, so another period',
    'plain',
    () =>
      forge(
        owned('plain'),
        ofTransaction(() => ({ finalized_at: '2026-01-01T00:00:00.000Z' })),
      ),
    ['chain: finalized_at is 2026-01-01T00:00:00.000Z'],
  ],
  [
    'another time of creation, so another place in lists',
    'plain',
    () =>
      forge(
        owned('plain'),
        ofTransaction(() => ({ created_at: '2026-01-01T00:00:00.000Z' })),
      ),
    ['chain: created_at is 2026-01-01T00:00:00.000Z'],
  ],
  [
    'a line’s tax',
    'sale',
    () => forge(owned('sale'), raised()),
    ['totals: tax_amount is', 'totals: tax_summary of US-MI', 'entries: entry of US-MI'],
  ],
  [
    'the total',
    'plain',
    () =>
      forge(
        owned('plain'),
        ofTransaction(() => ({ total_amount: '99.99' })),
      ),
    ['totals: total_amount is 99.99, should be 100.00'],
  ],
  [
    'the summary',
    'plain',
    () =>
      forge(
        owned('plain'),
        ofTransaction(({ tax_summary }) => ({ tax_summary: tax_summary.map((row) => ({ ...row, rate: '0.05' })) })),
      ),
    ['totals: tax_summary of US-MI at 0.05', 'totals: tax_summary of US-MI at 0.06'],
  ],
  [
    'a discount',
    'sale',
    () =>
      forge(
        owned('sale'),
        ofTransaction(() => ({ applied_discount_amount: '0.00' })),
      ),
    ['totals: applied_discount_amount is 0.00'],
  ],
  [
    'the shipping',
    'sale',
    () =>
      forge(
        owned('sale'),
        ofTransaction(() => ({ shipping_amount: '0.00' })),
      ),
    ['totals: shipping_amount is 0.00, should be 7.95'],
  ],
  [
    'the reason of a line without tax',
    'plain',
    () =>
      forge(
        owned('plain'),
        ofTransaction(({ line_items }) => ({ line_items: line_items.map((line) => ({ ...line, taxes: [] })) })),
      ),
    ['totals: line item_1: taxes is none', 'totals: line item_1: tax_amount is'],
  ],
  [
    'an amount that is no number',
    'plain',
    () =>
      forge(
        owned('plain'),
        ofTransaction(() => ({ total_amount: 'much', subtotal_amount: 'x' })),
      ),
    ['totals: subtotal_amount is x'],
  ],
  [
    'a line’s amount that is no number',
    'draft',
    () =>
      forge(
        owned('draft'),
        ofTransaction(({ line_items }) => ({ line_items: line_items.map((line) => ({ ...line, amount: 'x' })) })),
      ),
    ['totals: what it is checked with is not readable'],
  ],
  [
    'the counter of a sale, so that it could be refunded again',
    'sale',
    () =>
      forge(
        owned('sale'),
        ofTransaction(() => ({ credited_amount: '0.00', credited_tax_amount: '0.00', refund_status: 'none' })),
      ),
    ['credits: credited_amount is 0.00', 'credits: credited_tax_amount is 0.00', 'credits: refund_status is none'],
  ],
  [
    'the counters of two lines against each other, which no total shows and no hash covers',
    'sale',
    () =>
      alter(owned('sale'), ({ credited, ...stored }) => {
        const { a, b } = credited.lines;
        if (!a || !b) throw new Error('Both lines were credited.');
        return { ...stored, credited: { ...credited, lines: { a: b, b: a } } };
      }),
    ['credits: credited of line a: net is', 'credits: credited of line b: net is'],
  ],
  [
    'the counter of one row of a line',
    'sale',
    () =>
      alter(owned('sale'), ({ credited, ...stored }) => {
        const { a } = credited.lines;
        if (!a) throw new Error('The line was credited.');
        const rows = a.rows.map((row) => ({ ...row, exempt: '1.00' }));
        return { ...stored, credited: { ...credited, lines: { ...credited.lines, a: { ...a, rows } } } };
      }),
    ['credits: credited of line a: rows is'],
  ],
  [
    'a credit that cannot be read',
    'sale',
    () => tamper(head('credit'), (item) => ({ ...item, summary: Buffer.from('x') })),
    ['credits: credit txn_', 'credits: credited_amount is'],
  ],
  [
    'a row’s tax that is no number',
    'plain',
    () =>
      forge(
        owned('plain'),
        ofTransaction(({ line_items }) => ({
          line_items: line_items.map((line) => ({
            ...line,
            taxes: line.taxes.map((row) => ({ ...row, tax_amount: '1x' })),
          })),
        })),
      ),
    ['totals: what it is checked with is not readable', 'entries: what it is checked with is not readable'],
  ],
  ['a credit gone', 'sale', () => remove(head('credit')), ['credits: credited_amount is']],
  [
    'a credit that takes its sale twice, with its sums',
    'sale',
    () =>
      forge(
        owned('credit'),
        ofTransaction(({ line_items }) => ({ line_items: [...line_items, ...line_items] })),
      ),
    ['credits: credited_amount is', 'credits: credited of line a: net is'],
  ],
  [
    'a credit whose voiding was undone',
    'sale',
    () =>
      forge(
        owned('voidedCredit'),
        ofTransaction(() => ({ status: 'finalized', voided_at: null })),
      ),
    ['credits: credited_amount is'],
  ],
  ['the sale of a credit gone', 'credit', () => remove(head('sale')), ['credits: sale that it credits is none']],
  [
    'a sale made void under its credits',
    'sale',
    () =>
      forge(
        owned('sale'),
        ofTransaction(({ updated_at }) => ({ status: 'void', voided_at: updated_at })),
      ),
    ['credits: void sale with live credits is 2', 'claims: claim on its reference_id is kept'],
  ],
  [
    'the same, as the credit sees it',
    'credit',
    () =>
      forge(
        owned('sale'),
        ofTransaction(({ updated_at }) => ({ status: 'void', voided_at: updated_at })),
      ),
    ['credits: state of the sale that it credits is void'],
  ],
  [
    'a claim gone',
    'edited',
    () => remove(claimKey(books.account, 'in_3')),
    ['claims: claim on its reference_id is none'],
  ],
  [
    'a claim for another one',
    'edited',
    () => tamper(claimKey(books.account, 'in_3'), (item) => ({ ...item, transaction_id: 'txn_other' })),
    ['claims: claim on its reference_id is txn_other'],
  ],
  [
    'a claim that somebody could take over',
    'edited',
    () => tamper(claimKey(books.account, 'in_3'), (item) => ({ ...item, expires_at: '2026-01-01T00:00:00.000Z' })),
    ['claims: deadline of its claim is 2026-01-01T00:00:00.000Z, should be none'],
  ],
  [
    'a draft’s claim that never ends',
    'draft',
    () => tamper(claimKey(books.account, 'in_2'), ({ expires_at: _, ...item } = {}) => item),
    ['claims: deadline of its claim is none'],
  ],
  [
    'a claim of what is void',
    'voided',
    () =>
      tamper(claimKey(books.account, 'in_4'), () => ({
        ...claimKey(books.account, 'in_4'),
        transaction_id: owned('voided').id,
      })),
    ['claims: claim on its reference_id is kept, should be released'],
  ],
  [
    'a claim of nobody, which keeps a reference from being used',
    'voided',
    () =>
      tamper(claimKey(books.account, 'in_4'), () => ({
        ...claimKey(books.account, 'in_4'),
        transaction_id: 'txn_none',
      })),
    ['claims: claim on its reference_id is txn_none, should be none'],
  ],
  [
    'a liability gone',
    'plain',
    async () => {
      for (const entry of openEntriesOf(await current('plain'))) await remove(openEntryKey(books.account, entry));
    },
    ['entries: entry of US-MI, 2026-10, USD is none'],
  ],
  [
    'a liability made smaller',
    'plain',
    async () => {
      for (const entry of openEntriesOf(await current('plain'))) {
        const amounts = entry.amounts.map((sum) => ({ ...sum, tax_amount: '0.01' }));
        await tamper(openEntryKey(books.account, entry), () => openEntryItem(books.account, { ...entry, amounts }));
      }
    },
    ['entries: entry of US-MI, 2026-10, USD is 94.34 / 0.00, US-MI / 0.06 / 94.34 / 0.00 / 0.01'],
  ],
];

describe('verify finds', () => {
  it.each(tamperings)('%s', async (_title, name, run, expected) => {
    await run();
    const { findings } = await verifyTransaction({
      ...owned(name),
      book: await filingBook(books.account),
      nowMs: now,
      pauseMs: 0,
    });
    const texts = findings.map(findingText);
    for (const text of expected)
      expect(texts).toEqual(expect.arrayContaining([expect.stringContaining(`${owned(name).id}  ${text}`)]));
  });

  it.each([
    ['an entry of a draft', 'draft', {}],
    ['an entry of what is void', 'voided', {}],
    ['a second entry, of another month', 'plain', { month: '2026-09' }],
    ['an entry of no transaction', 'plain', { transactionId: 'txn_none' }],
  ] as const)('an open entry that nothing stands behind: %s', async (_title, name, changes) => {
    const [entry] = openEntriesOf(await current(name));
    if (!entry) throw new Error('The sale is taxed.');
    const stray = { ...entry, ...changes };
    await tamper(openEntryKey(books.account, stray), () => openEntryItem(books.account, stray));
    const findings: Finding[] = [];
    for await (const found of strayEntries(books.account, 'US-MI')) findings.push(...found.findings);
    expect(findings.map(findingText)).toEqual([
      `${stray.transactionId}  entries: open entry of US-MI, ${stray.month}, USD is there, should be none`,
    ]);
    expect((await verified(books.account)).findings).toEqual(findings);
  });

  it('nothing once it is undone', async () => {
    expect((await verified(books.account)).findings).toEqual([]);
  });

  it('nothing about a draft after its deadline, before and after it is written as void, nor about who took its reference', async () => {
    const caller = await newCaller();
    const client = clientOf(caller);
    const draft = await made(client.create(sale({ reference_id: 'r' })));
    const other = await made(client.create(sale({ reference_id: 's' })));
    await later(dayMs, async () => {
      expect((await verified(caller.account.id)).findings).toEqual([]);
      await made(client.update(draft.id, { metadata: { late: 'yes' } }));
      await made(client.create(sale({ reference_id: 's', status: 'finalized' })));
      expect((await verified(caller.account.id)).findings).toEqual([]);
      await made(client.update(other.id, { metadata: { late: 'yes' } }));
      expect((await verified(caller.account.id)).findings).toEqual([]);
    });
  });
});

describe('verify, of filings', () => {
  /** A state's September is filed, with an edited and a credited sale; its October is closed, with a late one; November is open. */
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
  const of = (name: Sold) => ({ account: filedBooks.account, id: filedBooks.transactions[name].id as string });
  const filingId = (name: Filed): string => filedBooks.filings[name].id;
  const named = (name: Filed) => ({ filing: filingId(name) });
  const entryAt = (filing: Filed, name: Sold) =>
    filedEntryKey(filedBooks.account, filingId(filing), { transactionId: of(name).id, currency: 'USD' });
  const entryOf = async (name: Sold) => {
    const [entry] = openEntriesOf(transactionFrom(await itemAt(headKey(filedBooks.account, of(name).id))).transaction);
    if (!entry) throw new Error('The sale is taxed.');
    return entry;
  };
  /** The progress of the shard that has an entry. */
  const progressOf = (filing: Filed, name: Sold) => ({ pk: entryAt(filing, name).pk, sk: '!' });

  it('finds nothing where periods were closed, filed and canceled, and a late sale fell into the next one', async () => {
    const { counts, findings } = await verified(filedBooks.account);
    expect(findings).toEqual([]);
    expect(counts).toMatchObject({ transactions: 5, entries: 5, filings: 3 });
  });

  it.each<readonly [string, () => Promise<unknown>, readonly (() => string)[]]>([
    [
      'an entry gone',
      () => remove(entryAt('closed', 'october')),
      [
        () => `${of('october').id}  entries: entry of US-MI, 2026-10, USD is none`,
        () => `${filingId('closed')}  filings: entries of shard`,
        () => `${filingId('closed')}  filings: totals of shard`,
        () => `${filingId('closed')}  filings: summary is`,
      ],
    ],
    [
      'an entry made smaller',
      async () => {
        const entry = await entryOf('october');
        const amounts = entry.amounts.map((sum) => ({ ...sum, tax_amount: '0.01' }));
        await tamper(entryAt('closed', 'october'), (item) => ({ ...item, ...entryAttributes({ ...entry, amounts }) }));
      },
      [
        () =>
          `${of('october').id}  entries: entry of US-MI, 2026-10, USD is 30.00 / 0.00, US-MI / 0.06 / 30.00 / 0.00 / 0.01`,
        () => `${filingId('closed')}  filings: totals of shard`,
      ],
    ],
    [
      'an entry that cannot be read',
      () => tamper(entryAt('closed', 'october'), (item) => ({ ...item, figures: Buffer.from('x') })),
      [
        () => `${of('october').id}  entries: entry of US-MI, 2026-10, USD is not readable`,
        () => `${filingId('closed')}  filings: filing, or an entry of it, is not readable`,
      ],
    ],
    [
      'an entry that is open again as well',
      async () => {
        const entry = await entryOf('october');
        await tamper(openEntryKey(filedBooks.account, entry), () => openEntryItem(filedBooks.account, entry));
      },
      [() => `${of('october').id}  filings: entry of US-MI, 2026-10, USD in ${filingId('closed')} is open as well`],
    ],
    [
      'an entry in two filings',
      async () => {
        const entry = await entryOf('september');
        await tamper(entryAt('closed', 'september'), () => ({
          ...entryAt('closed', 'september'),
          ...entryAttributes(entry),
        }));
      },
      [
        () => `${of('september').id}  entries: entry of US-MI, 2026-09, USD, its place is in`,
        () => `${filingId('closed')}  filings: entries of shard`,
      ],
    ],
    [
      'an entry of a sale that is not there',
      () => remove(headKey(filedBooks.account, of('late').id)),
      [
        () =>
          `${of('late').id}  filings: entry of US-MI, 2026-09, USD in ${filingId('closed')} is there, should be none`,
      ],
    ],
    [
      'the totals of a shard',
      () =>
        tamper(progressOf('filed', 'september'), (item) => {
          const progress = filingProgressFrom(item);
          return filingProgressItem(filedBooks.account, filingId('filed'), { ...progress, totals: noTotals });
        }),
      [() => `${filingId('filed')}  filings: totals of shard`],
    ],
    [
      'how many entries a shard has had',
      () =>
        tamper(progressOf('filed', 'september'), (item) => ({
          ...item,
          entries: { moved: 7, marked: 7, reopened: 0 },
        })),
      [
        () => `${filingId('filed')}  filings: entries of shard`,
        () => `${filingId('filed')}  filings: number of entries`,
      ],
    ],
    [
      'a shard',
      () => remove(progressOf('filed', 'september')),
      [() => `${filingId('filed')}  filings: number of shards is 7, should be 8`],
    ],
    [
      'what the filing says it comes to',
      () => tamper(filingKey(filedBooks.account, filingId('filed')), (item) => ({ ...item, summary: [] })),
      [() => `${filingId('filed')}  filings: summary is []`],
    ],
    [
      'the period of a filing',
      () =>
        tamper(filingKey(filedBooks.account, filingId('closed')), (item) => ({ ...item, period_start: '2026-09-15' })),
      [() => `${filingId('closed')}  filings: first day is 2026-09-15, should be 2026-10-01`],
    ],
    [
      'the period item of a filing, gone',
      () => remove(periodKey(filedBooks.account, 'US-MI', '2026-10-31')),
      [
        () =>
          `${filingId('closed')}  filings: filing of the period of US-MI to 2026-10-31 is none, should be ${filingId('closed')}`,
      ],
    ],
    [
      'the period item of a filing, which names a canceled one',
      () => tamper(periodKey(filedBooks.account, 'US-MI', '2026-10-31'), (item) => ({ ...item, ...named('canceled') })),
      [
        () =>
          `${filingId('closed')}  filings: filing of the period of US-MI to 2026-10-31 is ${filingId('canceled')}, should be ${filingId('closed')}`,
      ],
    ],
    [
      'the periods: one more',
      () =>
        tamper(periodKey(filedBooks.account, 'US-MI', '2026-11-30'), () => ({
          ...periodKey(filedBooks.account, 'US-MI', '2026-11-30'),
          ...named('canceled'),
        })),
      [
        () =>
          `${filingId('canceled')}  filings: filing of the period of US-MI to 2026-11-30 is ${filingId('canceled')}, should be none`,
      ],
    ],
    [
      'the periods of a state that has no filing',
      () =>
        tamper(periodKey(filedBooks.account, 'US-HI', '2026-11-30'), () => ({
          ...periodKey(filedBooks.account, 'US-HI', '2026-11-30'),
          filing: 'fil_other',
        })),
      [() => 'fil_other  filings: filing of the period of US-HI to 2026-11-30 is fil_other, should be none'],
    ],
    [
      'the end of a chain',
      () =>
        tamper(chainKey(filedBooks.account, 'US-MI'), (item) => ({
          ...item,
          last: { period_end: '2026-09-30', filing: filingId('filed') },
        })),
      [
        () =>
          `${filingId('closed')}  filings: end of the chain of US-MI is ${filingId('filed')} of 2026-09-30, should be ${filingId('closed')} of 2026-10-31`,
      ],
    ],
    [
      'a chain, gone',
      () => remove(chainKey(filedBooks.account, 'US-MI')),
      [
        () =>
          `${filingId('closed')}  filings: end of the chain of US-MI is none, should be ${filingId('closed')} of 2026-10-31`,
      ],
    ],
    [
      'a chain that lets nothing through',
      () => tamper(chainKey(filedBooks.account, 'US-MI'), (item) => ({ ...item, busy: true })),
      [() => `${filingId('closed')}  filings: busy flag of the chain of US-MI is true, should be false`],
    ],
    [
      'a chain that cannot be read',
      () => tamper(chainKey(filedBooks.account, 'US-MI'), (item) => ({ ...item, last: 'x' })),
      [() => `${filingId('closed')}  filings: chain of US-MI is not readable`],
    ],
    [
      'which filing a sale was filed with',
      () =>
        forge(
          of('september'),
          ofTransaction(() => ({ filings: [] })),
        ),
      [
        () => `${of('september').id}  entries: filings, of ${filingId('filed')} is none, should be named`,
        () => `${of('september').id}  entries: status is filed, should be not filed`,
      ],
    ],
    [
      'a filing that a sale was not filed with',
      () =>
        forge(
          of('november'),
          ofTransaction(() => ({ filings: [{ id: 'fil_other', state: 'US-MI', status: 'filed' }] })),
        ),
      [
        () => `${of('november').id}  entries: filings, of fil_other is named`,
        () => `${of('november').id}  entries: status is finalized, should be filed`,
      ],
    ],
  ])('finds a change to %s', async (_title, run, expected) => {
    await run();
    const { account, transactions, filings } = filedBooks;
    const book = await filingBook(account);
    const ofTransactions = Object.values(transactions).map(({ id }) =>
      verifyTransaction({ account, id, book, nowMs: now, pauseMs: 0 }),
    );
    const ofFilings = Object.values(filings).map(({ id }) => verifyFiling(account, id));
    const findings = [
      ...(await Promise.all([...ofTransactions, ...ofFilings])),
      { findings: periodFindings(book.all()) },
      { findings: await chainFindings(account, book.all()) },
    ];
    const texts = findings.flatMap((found) => found.findings.map(findingText));
    for (const text of expected) expect(texts).toEqual(expect.arrayContaining([expect.stringContaining(text())]));
  });

  it('finds nothing once it is undone', async () => {
    expect((await verified(filedBooks.account)).findings).toEqual([]);
  });
});

describe('history', () => {
  it('tells every change of a transaction, newest first', async () => {
    const args = ['history', owned('edited').id, '--account', books.account];
    const [{ code, out }, asJson] = await Promise.all([ledger(...args), ledger(...args, '--json')]);
    const lines = out.trimEnd().split('\n');
    expect(code).toBe(0);
    expect(lines).toHaveLength(6);
    expect(lines[0]).toMatch(/^version\s+at\s+state\s+by\s+fields\s+hash$/);
    expect(lines[1]).toMatch(/^4\s.*finalized\s.*key_\S+\s+metadata\s/);
    expect(lines[2]).toMatch(/^3\s.*draft -> finalized\s.*status, tax_amount\s/);
    expect(lines[5]).toBe('4 changes.');
    const { data } = await made(books.get(`${owned('edited').id}/history`));
    expect(JSON.parse(asJson.out)).toEqual(data);
  });

  it('says so where there is none', async () => {
    const { code, err } = await ledger('history', 'txn_none', '--account', books.account);
    expect([code, err]).toEqual([1, `The account ${books.account} has no transaction txn_none.\n`]);
  });
});

const script = /```python\n(.*?)```/s.exec(readFileSync(`${root}/shared/cli/ledger/README.md`, 'utf8'))?.[1] ?? '';
const hasPython = spawnSync('python3', ['-c', 'import sys; assert sys.version_info >= (3, 9)']).status === 0;

// Where there is no Python, history.test.ts computes the same hashes by itself.
describe.runIf(hasPython)('the script of the README', () => {
  const check = (answer: unknown) =>
    spawnSync('python3', ['-c', script], { input: JSON.stringify(answer), encoding: 'utf8' });

  it('confirms every transaction that the API answers, in any script', async () => {
    const metadata = { ключ: '値 "quoted" \\ / \u007f \u2028', Z: '\t\n', a: '🧾', '~': 'é' };
    await made(books.update(owned('draft').id, { metadata }));
    for (const name of Object.keys(books.transactions) as Name[]) {
      const { status, stdout, stderr } = check(await made(books.get(`${owned(name).id}?expand=history`)));
      expect([status, stderr]).toEqual([0, '']);
      expect(stdout).toContain(`${owned(name).id}: the chain of`);
    }
  });

  it('sees a state or an entry that was altered', async () => {
    const answer: any = await made(books.get(`${owned('edited').id}?expand=history`));
    const [newest, second, ...others] = answer.history;
    expect(check({ ...answer, total_amount: '1.00' }).stderr).toContain('The transaction was altered.');
    expect(check({ ...answer, history: [newest, { ...second, by: 'key_x' }, ...others] }).stderr).toContain(
      'Entry 3 was altered.',
    );
    expect(check({ ...answer, history: [newest, ...others] }).stderr).toContain('Entry 4 was altered.');
  });
});
