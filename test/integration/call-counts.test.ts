import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { Account } from '../../shared/accounts/account.ts';
import type { TransactionListQuery } from '../../shared/ledger/list-query.ts';
import { listTransactions } from '../../shared/ledger/list-transactions.ts';
import type { StoredTransaction } from '../../shared/ledger/transaction.ts';
import { ledger } from '../../shared/store/ledger/ledger-store.ts';
import { transactionIndex } from '../../shared/store/ledger/transaction-index.ts';
import { transactionItem } from '../../shared/store/ledger/transaction-item.ts';
import { tables } from '../../shared/store/table-definitions.ts';
import { admissionFigures } from '../bench/admission.ts';
import { getMeasures } from '../bench/cost/usage.ts';
import { requestSteps } from '../bench/database-use.ts';
import { type Client, newCaller, newClient } from '../support/api.ts';
import { used } from '../support/count-calls.ts';
import { itemSize } from '../support/raw-items.ts';
import { buildCreditRequest, later, made, michigan, sale, sold } from '../support/sales.ts';
import {
  buildCommit,
  created,
  createdMs,
  finalized,
  line,
  newAccount,
  newTransactionId,
  voided,
} from '../support/transactions.ts';

const key = { 'Idempotency-Key': 'k' };
const otherKey = { 'Idempotency-Key': 'c' };
const half = { line_items: [{ id: 'item_1', quantity: '1' }] };
const references = Array.from({ length: 101 }, (_, index) => `in_${index}`);
const october = { from: '2026-10-01', to: '2026-10-31' };
const reconcile = (client: Client, listed: readonly string[], others: object = {}) => {
  const amounts = { total_amount: '106.00', tax_amount: '6.00' };
  const transactions = listed.map((reference_id) => ({ reference_id, ...amounts }));
  return client.call('POST', '/reconciliations', { body: { transactions, ...others } });
};

const cheap = { quantity: '1', unit_price: '1.00' };
/** Builds a sale to a customer, optionally with lines for other customers. */
const to = (id: string, others: object = {}, lines = 0) =>
  sale({
    customer: { id, address: michigan, ...others },
    ...(lines > 0 && {
      line_items: Array.from({ length: lines }, (_, at) => ({ ...cheap, customer: { id: `c${at}` } })),
    }),
  });

const unmatched = { line_items: [{ ...cheap, id: 'x' }] };
type Ids = Readonly<Record<'parent' | 'credit' | 'draft' | 'known' | 'cursor', string>>;
type Run = (client: Client, ids: Ids) => Promise<unknown>;
const calculate =
  (body: object): Run =>
  (client) =>
    client.calculate(body);
const create =
  (body: Record<string, unknown>, headers = {}): Run =>
  (client) =>
    client.create(sale(body), headers);
const credit =
  (parent: keyof Ids, others: Record<string, unknown>, headers = {}): Run =>
  (client, ids) =>
    client.create(buildCreditRequest({ id: ids[parent] }, others), headers);
const change =
  (id: keyof Ids, body: object, headers = {}): Run =>
  (client, ids) =>
    client.update(ids[id], body, headers);
const customer =
  (path: string, body: object, headers = {}): Run =>
  (client) =>
    client.call('POST', `/customers${path}`, { body, headers });
/** Creates a customer later. An equal customer created at the same time would count as a retried write. */
const laterCustomer =
  (...request: Parameters<typeof customer>): Run =>
  (client, ids) =>
    later(1, () => customer(...request)(client, ids));
/** Reads a path with ids, as `:parent`. */
const get =
  (path: string): Run =>
  (client, ids) => {
    const withIds = path.replace(/:(\w+)/, (_, name: keyof Ids) => ids[name]);
    return client.call('GET', withIds);
  };

/**
 * The requests of a warm instance with their ledger calls, in order: some requests repeat or change data of earlier
 * requests.
 */
const requests: [name: string, run: Run, calls: string][] = [
  ['a calculation', calculate(sale()), ''],
  ['a calculation of a credit', (client, { parent: id }) => client.calculate(buildCreditRequest({ id })), 'GetItem'],
  ['a draft', create({}), 'TransactWriteItems'],
  ['a sale with a reference', create({ status: 'finalized', reference_id: 'r' }), 'TransactWriteItems'],
  ['a sale with a key', create({ status: 'finalized' }, key), 'TransactWriteItems'],
  ['its replay', create({ status: 'finalized' }, key), 'TransactWriteItems'],
  ['a credit', credit('parent', half), 'GetItem TransactWriteItems'],
  ['a credit with a key', credit('parent', { ...half, status: 'draft' }, otherKey), 'BatchGetItem TransactWriteItems'],
  ['a known customer', calculate(to('known')), 'BatchGetItem'],
  ['an unknown customer', calculate(to('unknown')), 'BatchGetItem'],
  ['a hundred customers', calculate(to('c0', {}, 100)), 'BatchGetItem'],
  ['more than a hundred customers', calculate(to('known', {}, 101)), 'BatchGetItem BatchGetItem'],
  ['an inline certificate', calculate(to('known', { exemption: { type: 'other' } })), ''],
  ['a draft of a customer', create(to('known')), 'BatchGetItem TransactWriteItems'],
  ['an edit of its inputs', change('known', { explain: true }), 'GetItem BatchGetItem TransactWriteItems'],
  ['a supplied tax', change('known', { tax_amount: '1.00' }), 'GetItem TransactWriteItems'],
  ['its finalization', change('known', { status: 'finalized' }), 'GetItem TransactWriteItems'],
  ['a credit of a customer', credit('known', half), 'GetItem TransactWriteItems'],
  ['an unmatched line of a credit', credit('known', unmatched), 'GetItem BatchGetItem TransactWriteItems'],
  ['a new customer', customer('', { id: 'a' }), 'TransactWriteItems'],
  ['an existing customer', laterCustomer('', { id: 'a' }), 'TransactWriteItems GetItem'],
  ['a new customer with a key', customer('', { id: 'b' }, key), 'TransactWriteItems'],
  ['a change of a customer', customer('/a', { name: 'A' }), 'GetItem TransactWriteItems'],
  ['a change of a customer with a key', customer('/a', { name: 'B' }, key), 'BatchGetItem TransactWriteItems'],
  ['an unchanged customer', customer('/a', { name: 'B' }), 'GetItem'],
  ['a change', change('draft', { metadata: { a: '1' } }), 'GetItem TransactWriteItems'],
  ['a change with a key', change('draft', { status: 'finalized' }, key), 'BatchGetItem TransactWriteItems'],
  ['no change', change('draft', { status: 'finalized' }), 'GetItem'],
  // The change also reads the sale of the credit.
  ['a change of a credit', change('credit', { status: 'finalized' }), 'GetItem GetItem TransactWriteItems'],
  ...['/customers/a', '/transactions/:parent'].map((path): (typeof requests)[number] => [path, get(path), 'GetItem']),
  ...[
    ...['/customers', '/customers?state=MI', '/customers?expiring_before=2030-01-01'],
    ...['/transactions/:parent?expand=history', '/transactions/:draft/history?limit=1&starting_after=2'],
    ...['/transactions', '/transactions?status=finalized', '/transactions?starting_after=:cursor'],
    '/transactions?customer_id=nobody',
  ].map((path): (typeof requests)[number] => [path, get(path), 'Query']),
  ['a list with lines', get('/transactions?expand=line_items&limit=10'), 'Query BatchGetItem'],
  ['a list after a transaction', get('/transactions?starting_after=:parent'), 'GetItem Query'],
  // The call reads active releases and update records.
  ...['', '?state=MN', '?state=DE'].map((query): (typeof requests)[number] => [
    `/coverage${query}`,
    get(`/coverage${query}`),
    'BatchGetItem GetItem',
  ]),
  ['a reconciliation of 100', (client) => reconcile(client, references.slice(1)), 'BatchGetItem BatchGetItem'],
  ['a reconciliation of 101', (client) => reconcile(client, references), Array(4).fill('BatchGetItem').join(' ')],
  ['unknown references', (client) => reconcile(client, ['in_1', 'x', 'y']), 'BatchGetItem BatchGetItem Query Query'],
  ['only an unknown reference', (client) => reconcile(client, ['x']), 'BatchGetItem Query'],
  ['a range', (client) => reconcile(client, ['in_1'], october), 'BatchGetItem BatchGetItem Query'],
];

it('makes the documented calls for each request of a warm instance', async () => {
  // Caches stay warm even on a slow machine.
  vi.useFakeTimers({ toFake: ['Date'] });
  const client = await newClient();
  await made(client.call('POST', '/customers', { body: { id: 'known', exemptions: [{ reason: 'resale' }] } }));
  for (const reference_id of references) await sold(client, { reference_id });
  const parent = await sold(client, { line_items: [{ id: 'item_1', quantity: '9', unit_price: '1.00' }] });
  const createId = async (body: object) => (await made(client.create(body))).id;
  const ids = {
    parent: parent.id,
    credit: await createId(buildCreditRequest(parent, { status: 'draft', ...half })),
    draft: await createId(sale()),
    known: await createId(to('known')),
    cursor: (await made(client.list({ limit: '2' }))).next_cursor,
  };
  const counted: string[][] = [];
  for (const [name, run] of requests) counted.push([name, (await used(() => run(client, ids))).calls.join(' ')]);
  vi.useRealTimers();
  // Calls that a request makes in parallel have no order.
  const sorted = (calls = '') => calls.split(' ').sort().join(' ');
  expect(counted.map(([name, calls]) => [name, sorted(calls)])).toEqual(
    requests.map(([name, , calls]) => [name, sorted(calls)]),
  );
});

// DynamoDB Local counts the indexes of a transaction twice.
describe.runIf(inject('emulator') === 'memory')('capacity units', () => {
  it('uses one read unit per claim and per transaction in a reconciliation', async () => {
    const client = await newClient();
    for (const reference_id of ['a', 'b', 'c']) await sold(client, { reference_id });
    // Three rows of the range are under 4 KB together, which is half a unit.
    const { table, indexes } = await used(() => reconcile(client, ['a', 'b', 'c'], october));
    expect([table, indexes]).toEqual([6, { by_tax_date: 0.5 }]);
    expect(await used(() => reconcile(client, ['x', 'y']))).toMatchObject({ table: 2, indexes: { by_reference: 1 } });
  });

  it('uses one write unit per index row in each operation, close to the units in `npm run cost`', async () => {
    const measured = await requestSteps(3);
    const { list, ...read } = Object.fromEntries(
      Object.entries(measured).map(([of, { calls, reads }]) => [of, [calls, reads]]),
    );
    expect(list).toEqual([1, expect.any(Number)]);
    const changed = { finalize: [2, 2], credit: [2, 2], void: [2, 2], 'update draft': [3, 3] };
    const others = { calculation: [1, 1], 'create draft': [2, 1], 'create finalized': [2, 1], get: [1, 1] };
    expect(read).toEqual({ ...changed, ...others });
    // A head has index rows by account, tax date, customer and reference. A draft also has a row by deadline; a credit
    // also has a row by parent and a row in the index of credits.
    const rows = { 'create draft': 5, 'update draft': 4, finalize: 5, 'create finalized': 4, credit: 6 + 4, void: 4 };
    for (const [of, count] of Object.entries(rows)) expect([of, measured[of]?.indexWrites]).toEqual([of, count]);
    // `npm run cost` measures different content, with four jurisdictions.
    const { steps } = getMeasures(3);
    for (const of of ['create draft', 'update draft', 'finalize', 'create finalized', 'credit'] as const) {
      const ratio = Number(measured[of]?.writes) / Number(steps[of].writes);
      expect(ratio > 0.75 && ratio < 1.25, of).toBe(true);
    }
  });

  it('updates each index once in the write of a sale with a thousand lines', async () => {
    const line_items = Array.from({ length: 1000 }, (_, at) => line({ id: `line_${at}`, unit_price: `${at}.99` }));
    const head = created({ ...finalized, line_items });
    const { calls, table, indexes } = await used(() => ledger.commit(buildCommit(newAccount(), head)));
    expect([calls, indexes]).toEqual([['TransactWriteItems'], { by_account: 1, by_tax_date: 1 }]);
    // Uncompressed, the lines would exceed 700 KB and would not fit.
    expect(table).toBeLessThan(60);
  });

  describe('capacity units of lists', () => {
    const account = newAccount();
    const parent = { type: 'credit' as const, parent_transaction_id: newTransactionId() };
    const everywhere = { ...parent, reference_id: 'INV-1', customer: { id: 'cus_1', address: michigan } };
    const rowBytes: Record<string, number> = {};
    const listFor = (id: string, query: TransactionListQuery) => {
      const ports = { index: transactionIndex, ledger, now: () => createdMs };
      const caller = { id, cursor_secret: 's', settings: { time_zone: 'UTC' } } as Account;
      return used(() => listTransactions(query, caller, ports));
    };

    // More than a page of 100 in every index. All are void, so a filter by a different status reads further pages
    // without a match.
    beforeAll(async () => {
      const heads = Array.from({ length: 420 }, () => created({ ...voided, ...everywhere }));
      for (let from = 0; from < heads.length; from += 20)
        await Promise.all(heads.slice(from, from + 20).map((head) => ledger.commit(buildCommit(account, head))));
      const item = transactionItem(account, heads[0]?.after as StoredTransaction);
      for (const { name, partition, sort, include } of tables.transactions.indexes) {
        const projected = ['pk', 'sk', partition, sort, ...include];
        rowBytes[name] = itemSize(Object.fromEntries(Object.entries(item).filter(([key]) => projected.includes(key))));
      }
    });

    // A read costs half a unit per started 4 KB of the page's rows together.
    const pageUnits = (index: string, rows: number) => Math.ceil((rows * (rowBytes[index] ?? 0)) / 4096) / 2;
    const { reference_id, parent_transaction_id } = everywhere;

    it.each<[string, TransactionListQuery]>([
      ['by_account', {}],
      ['by_reference', { reference_id }],
      ['by_parent', { parent_transaction_id }],
      ['by_customer', { customer_id: 'cus_1' }],
      ['by_tax_date', { 'tax_date[gte]': '2026-01-01' }],
      ['credits', { type: 'credit' }],
    ])('%s: matches the estimate for a page, and for a filter without matches', async (index, query) => {
      // The units of each read are rounded.
      const expectUnits = async (more: TransactionListQuery, calls: number, expected: number) => {
        const { indexes, ...seen } = await listFor(account, { ...query, ...more });
        expect([seen.calls.length, seen.table, Object.keys(indexes)]).toEqual([calls, 0, [index]]);
        expect(Math.abs((indexes[index] ?? 0) - expected)).toBeLessThanOrEqual(calls / 2);
      };
      // The list reads one row more than the page, to detect whether there are more.
      await expectUnits({ limit: 25 }, 1, pageUnits(index, 26));
      await expectUnits({ limit: 100 }, 1, pageUnits(index, 101));
      expect(pageUnits(index, 101)).toBeLessThanOrEqual(7);
      // The first call reads 100 rows, and the next one the other 320.
      await expectUnits({ status: 'finalized', limit: 25 }, 2, pageUnits(index, 100) + pageUnits(index, 320));
    });

    // The largest rows fill a 1 MB query response, which takes 128 units. A filtered list reads at most four responses.
    it('limits a list to four responses of 1 MB', async () => {
      const heavy = newAccount();
      const noise = () => randomBytes(360).toString('base64');
      for (let at = 0; at < 60; at += 1) {
        const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, key) => [`key_${key}`, noise()]));
        await ledger.commit(buildCommit(heavy, created({ ...finalized, metadata })));
      }
      const { calls, indexes } = await listFor(heavy, { status: 'void', limit: 25 });
      expect(calls.length).toBeLessThanOrEqual(4);
      const units = indexes['by_account'] ?? 0;
      expect(units).toBeGreaterThan(100);
      expect(units / calls.length).toBeLessThanOrEqual((1024 * 1024) / 4096 / 2 + 8);
    });
  });
});

it('needs no database call for authentication and rate limit in at least 90 % of the requests', async () => {
  // Five minutes of the service's clock. Keys and accounts are cached for a minute, and a rate-limit window is ten
  // seconds.
  const requests = 3000;
  const { account, key } = await newCaller();
  const figures = await admissionFigures(account.id, key);
  expect(figures.map(({ of }) => of)).toEqual(['API key', 'bearer token, RS256', 'bearer token, ES256']);
  for (const { of, ...figure } of figures) {
    expect(Number(figure['requests_without_call_percent']), String(of)).toBeGreaterThanOrEqual(90);
    // At least one lease per window, and one read of the account per minute.
    expect(Number(figure['writes_per_request'])).toBeGreaterThanOrEqual(30 / requests);
    const reads = Math.round(Number(figure['reads_per_request']) * requests);
    expect(reads).toBeGreaterThanOrEqual(5);
    expect(reads, String(of)).toBeLessThanOrEqual(of === 'API key' ? 12 : 6);
    expect(Number(figure['median_us'])).toBeGreaterThan(0);
  }
});
