import { beforeAll, describe, expect, it } from 'vitest';
import { ledger } from '../../shared/store/ledger/ledger-store.ts';
import { transactionIndex } from '../../shared/store/ledger/transaction-index.ts';
import type { ListPage, ListQuery } from '../../shared/transactions/ledger.ts';
import type { StoredTransaction, Transaction } from '../../shared/transactions/transaction.ts';
import {
  changed,
  commitOf,
  created,
  createdMs,
  finalized,
  line,
  newAccount,
  newTransactionId,
  voided,
} from '../support/transactions.ts';

const account = newAccount();
// A `#` in a client's text must not reach what belongs to another.
const customer = { id: 'cus#1' };
const parent = newTransactionId();
// Written in every way that an instant may be sent, and out of the order in which the transactions are made.
const taxDates = ['2026-10-03', '2026-10-01T23:59:59.999Z', '2026-10-01T23:59:59Z', '2026-10-02T00:00+00:00'];

const all: ListQuery = { index: 'by_account', value: null, from: null, to: null, after: null, limit: 100 };
const without = (transaction: Transaction) => ({ ...transaction, line_items: null, explanation: null });
const newestFirst = <Row>(rows: readonly Row[], place: (row: Row) => string) =>
  rows.toSorted((one, other) => (place(one) < place(other) ? 1 : -1));
const byId = (rows: readonly Transaction[]) => newestFirst(rows, ({ id }) => id);
const instantOf = (taxDate: string) => new Date(taxDate).toISOString();
const byTaxDate = (rows: readonly Transaction[]) =>
  newestFirst(rows, ({ id, tax_date }) => `${instantOf(tax_date)}#${id}`);

const kept: Transaction[] = [];

const store = async (of: string, changes: Partial<Transaction>): Promise<StoredTransaction> => {
  const head = created(changes);
  expect(await ledger.commit(commitOf(of, head))).toEqual({ kind: 'committed' });
  return head.after;
};

beforeAll(async () => {
  for (let at = 0; at < 11; at += 1) {
    const stored = await store(account, {
      ...finalized,
      id: newTransactionId(createdMs + at),
      tax_date: taxDates[at % taxDates.length] as string,
      ...(at % 2 === 0 && { customer }),
      ...(at % 3 === 0 && { type: 'credit', parent_transaction_id: parent }),
    });
    kept.push(stored.transaction);
  }
  // A reference goes from one to the next when it is freed; the list shows all who ever had it.
  for (let at = 0; at < 3; at += 1) {
    const stored = await store(account, {
      ...finalized,
      id: newTransactionId(createdMs + 100 + at),
      reference_id: 'INV-1',
    });
    const undo = changed(stored, voided);
    await ledger.commit(commitOf(account, undo));
    kept.push(undo.after.transaction);
  }
  await store(newAccount(), { ...finalized, customer, parent_transaction_id: parent, reference_id: 'INV-1' });
});

const pagesOf = async (query: ListQuery): Promise<ListPage[]> => {
  const page = await transactionIndex.page(account, query);
  return page.next === null ? [page] : [page, ...(await pagesOf({ ...query, after: page.next }))];
};

const ofCustomer = (one: Transaction) => one.customer?.id === customer.id;
const expectations: [ListQuery['index'], string | null, () => Transaction[]][] = [
  ['by_account', null, () => byId(kept)],
  ['by_customer', customer.id, () => byId(kept.filter(ofCustomer))],
  ['by_parent', parent, () => byId(kept.filter((one) => one.parent_transaction_id === parent))],
  ['by_reference', 'INV-1', () => byId(kept.filter((one) => one.reference_id === 'INV-1'))],
  ['by_tax_date', null, () => byTaxDate(kept)],
];

describe.each(expectations)('the index %s', (index, value, expected) => {
  it.each([2, 100])('lists each row once, newest first, as the heads are, in pages of %i', async (limit) => {
    const pages = await pagesOf({ ...all, index, value, limit });
    expect(expected().length).toBeGreaterThan(2);
    expect(pages.flatMap(({ rows }) => rows)).toEqual(expected().map(without));
    for (const { rows } of pages.slice(0, -1)) expect(rows).toHaveLength(limit);
    const heads = await Promise.all(expected().map(({ id }) => ledger.find(account, id)));
    expect(heads.map((head) => head?.transaction)).toEqual(expected());
  });

  it('has nothing of another account, nor of a value that begins alike', async () => {
    expect((await transactionIndex.page(newAccount(), { ...all, index, value })).rows).toEqual([]);
    const alike = { ...all, index, value: value === null ? 'x' : value.slice(0, -1) };
    expect((await transactionIndex.page(account, alike)).rows).toEqual([]);
  });
});

describe('bounds', () => {
  const rowsOf = async (query: Partial<ListQuery>) => (await transactionIndex.page(account, { ...all, ...query })).rows;

  it('hold both their ends, by id', async () => {
    const sorted = byId(kept);
    const [to, from] = [sorted[2]?.id as string, sorted[5]?.id as string];
    expect(await rowsOf({ from, to })).toEqual(sorted.slice(2, 6).map(without));
    expect(await rowsOf({ from })).toEqual(sorted.slice(0, 6).map(without));
    expect(await rowsOf({ to })).toEqual(sorted.slice(2).map(without));
  });

  it('hold both their ends, by tax date, however it is written', async () => {
    const between = (from: string, to: string) =>
      byTaxDate(kept.filter(({ tax_date }) => instantOf(tax_date) >= from && instantOf(tax_date) <= to)).map(without);
    const index = 'by_tax_date' as const;
    expect(await rowsOf({ index, from: '2026-10-01T23:59:59.999Z', to: '2026-10-02' })).toEqual(
      between('2026-10-01T23:59:59.999Z', '2026-10-02T00:00:00.000Z'),
    );
    const exact = await rowsOf({ index, from: '2026-10-01T23:59:59Z', to: '2026-10-01T23:59:59.000Z' });
    expect(exact).toEqual(between('2026-10-01T23:59:59.000Z', '2026-10-01T23:59:59.000Z'));
    expect(exact.length).toBeGreaterThan(1);
  });

  it('may cross, or leave the start outside', async () => {
    const sorted = byId(kept);
    const place = (at: number) => ({ id: sorted[at]?.id as string, tax_date: sorted[at]?.tax_date as string });
    const [to, from] = [place(2).id, place(5).id];
    expect(await rowsOf({ from: to, to: from })).toEqual([]);
    expect(await rowsOf({ from, to, after: place(0) })).toEqual(sorted.slice(2, 6).map(without));
    expect(await rowsOf({ from, to, after: place(3) })).toEqual(sorted.slice(4, 6).map(without));
    expect(await rowsOf({ from, to, after: place(5) })).toEqual([]);
    expect(await rowsOf({ from, to, after: place(7) })).toEqual([]);
  });
});

it('ends a page early, and goes on, where the rows are large', async () => {
  const mine = newAccount();
  const notes = Array.from({ length: 3_000 }, (_, at) => `${at} ${newTransactionId()}`);
  const warnings = notes.map((message) => ({ code: 'unknown_field' as const, message, pointer: null }));
  for (let at = 0; at < 24; at += 1) await store(mine, { ...finalized, warnings, line_items: [line()] });
  const first = await transactionIndex.page(mine, all);
  expect(first.rows.length).toBeLessThan(24);
  const second = await transactionIndex.page(mine, { ...all, after: first.next });
  expect(new Set([...first.rows, ...second.rows].map(({ id }) => id)).size).toBe(24);
});
