import { randomBytes } from 'node:crypto';
import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { Account } from '../../shared/accounts/account.ts';
import { listLiabilityEntries } from '../../shared/ledger/entries/entries.ts';
import type { TransactionListQuery } from '../../shared/ledger/list-query.ts';
import { listTransactions } from '../../shared/ledger/list-transactions.ts';
import type { StoredTransaction, Transaction } from '../../shared/ledger/transaction.ts';
import { database } from '../../shared/store/client/client.ts';
import { ledger } from '../../shared/store/ledger/ledger-store.ts';
import { transactionIndex } from '../../shared/store/ledger/transaction-index.ts';
import { transactionItem } from '../../shared/store/ledger/transaction-item.ts';
import { tables } from '../../shared/store/table-definitions.ts';
import { itemSize } from '../support/raw-items.ts';
import {
  buildCommit,
  created,
  createdMs,
  finalized,
  keyed,
  line,
  newAccount,
  newTransactionId,
  voided,
} from '../support/transactions.ts';

/** Units of the table, then of each affected index, in `requests` round trips. */
type Units = { requests: number; table: number; indexes: Record<string, number> };
const used: Units = { requests: 0, table: 0, indexes: {} };

const add = ({ Table, GlobalSecondaryIndexes = {} }: ConsumedCapacity) => {
  used.table += Table?.CapacityUnits ?? 0;
  for (const [name, { CapacityUnits = 0 }] of Object.entries(GlobalSecondaryIndexes))
    if (CapacityUnits > 0) used.indexes[name] = (used.indexes[name] ?? 0) + CapacityUnits;
};

beforeEach(() => {
  database.middlewareStack.add(
    (next) => async (sent) => {
      const answer = await next({
        ...sent,
        input: { ...sent.input, ReturnConsumedCapacity: 'INDEXES' } as typeof sent.input,
      });
      const { ConsumedCapacity: consumed = [] } = answer.output as { ConsumedCapacity?: ConsumedCapacity[] };
      used.requests += 1;
      for (const one of [consumed].flat()) add(one);
      return answer;
    },
    { step: 'initialize', name: 'measure', priority: 'high' },
  );
});
afterEach(() => void database.middlewareStack.remove('measure'));

const getUnits = async (run: () => Promise<unknown>): Promise<Units> => {
  Object.assign(used, { requests: 0, table: 0, indexes: {} });
  await run();
  return structuredClone(used);
};

const both = { by_account: 1, by_tax_date: 1 };
const reference = { reference_id: 'INV-1' };
const address = { line1: '1201 Third Avenue', country: 'US', state: 'WA', city: 'Seattle', postal_code: '98101' };
const buildTax = (jurisdiction_code: string, jurisdiction_name: string, rate: string) => ({
  jurisdiction_code,
  jurisdiction_name,
  jurisdiction_type: 'state' as const,
  reporting_code: null,
  rate,
  taxable_amount: '10.00',
  exempt_amount: '0.00',
  tax_amount: '0.65',
});
// About 150 bytes from the size at which the next unit begins, so a random id does not change the result.
const ordinary: Partial<Transaction> = {
  customer: { address },
  tax_summary: [buildTax('US-WA', 'Washington', '0.065'), buildTax('US-WA-KING', 'King County', '0.014')],
};
const customer = { customer: { id: 'cus_1', address } };
const create = (changes: Partial<Transaction>, isKeyed = true) => {
  const head = created({ ...ordinary, ...changes });
  const idempotency = isKeyed ? keyed('key', 'body', head.after.transaction) : null;
  const post = head.after.transaction.status === 'finalized' ? listLiabilityEntries(head.after) : [];
  return ledger.commit(buildCommit(newAccount(), head, { idempotency, openEntries: { post, remove: [] } }));
};

// DynamoDB Local counts the indexes of a transaction twice.
describe.runIf(inject('emulator') === 'memory')('capacity units', () => {
  // A transactional write takes 2 units per started KB of an item. Each item has one: head 2, audit 2, claim 2,
  // idempotency record 2, open entry 2. An index row takes 1 unit.
  it.each<[string, Partial<Transaction>, boolean, Omit<Units, 'requests'>]>([
    ['a draft', {}, false, { table: 4, indexes: { ...both, drafts: 1 } }],
    ['a sale', finalized, false, { table: 6, indexes: both }],
    [
      'a draft with a reference and a key',
      reference,
      true,
      { table: 8, indexes: { ...both, by_reference: 1, drafts: 1 } },
    ],
    [
      'a sale with a reference, a customer and a key',
      { ...finalized, ...reference, ...customer },
      true,
      { table: 10, indexes: { ...both, by_reference: 1, by_customer: 1 } },
    ],
  ])('the write of %s takes the expected units', async (_what, changes, isKeyed, units) => {
    expect(await getUnits(() => create(changes, isKeyed))).toEqual({ requests: 1, ...units });
  });

  describe('capacity units of lists', () => {
    const account = newAccount();
    const parent = { type: 'credit' as const, parent_transaction_id: newTransactionId() };
    const everywhere = { ...parent, reference_id: 'INV-1', customer: { id: 'cus_1' } };
    const rowBytes: Record<string, number> = {};

    // More than a page of 100, in every index, and all void, so a filter by a different status reads on without
    // matches.
    beforeAll(async () => {
      const heads = Array.from({ length: 420 }, () => created({ ...ordinary, ...voided, ...everywhere }));
      for (let from = 0; from < heads.length; from += 20)
        await Promise.all(heads.slice(from, from + 20).map((head) => ledger.commit(buildCommit(account, head))));
      const item = transactionItem(account, heads[0]?.after as StoredTransaction);
      for (const { name, partition, sort, include } of tables.transactions.indexes) {
        const projected = ['pk', 'sk', partition.name, sort.name, ...include];
        rowBytes[name] = itemSize(Object.fromEntries(Object.entries(item).filter(([key]) => projected.includes(key))));
      }
    });

    // Half a unit per started 4 KB of a page's rows together.
    const pageUnits = (index: string, rows: number) => Math.ceil((rows * (rowBytes[index] ?? 0)) / 4096) / 2;
    const { reference_id, parent_transaction_id } = everywhere;

    it.each<[string, TransactionListQuery]>([
      ['by_account', {}],
      ['by_reference', { reference_id }],
      ['by_parent', { parent_transaction_id }],
      ['by_customer', { customer_id: 'cus_1' }],
      ['by_tax_date', { 'tax_date[gte]': '2026-01-01' }],
      ['credits', { type: 'credit' }],
    ])('%s: match the estimate for a page, and for a filter without matches', async (index, query) => {
      const ports = { index: transactionIndex, ledger, now: () => createdMs };
      const caller = { id: account, cursor_secret: 's', settings: { time_zone: 'UTC' } } as Account;
      const list = (more: TransactionListQuery) =>
        getUnits(() => listTransactions({ ...query, ...more }, caller, ports));
      const within = (units: number, expected: number) => expect(Math.abs(units - expected)).toBeLessThanOrEqual(0.5);
      for (const limit of [25, 100]) {
        const used = await list({ limit });
        expect([used.requests, used.table, Object.keys(used.indexes)]).toEqual([1, 0, [index]]);
        // One row more than the page shows whether there are more.
        within(used.indexes[index] ?? 0, pageUnits(index, limit + 1));
        expect(used.indexes[index]).toBeLessThanOrEqual(limit === 25 ? 2 : 7);
      }
      // 100 rows, then the other 320.
      const worst = await list({ status: 'finalized', limit: 25 });
      expect([worst.requests, worst.table, Object.keys(worst.indexes)]).toEqual([2, 0, [index]]);
      const expected = pageUnits(index, 100) + pageUnits(index, 320);
      // Each of the two is rounded.
      expect(Math.abs((worst.indexes[index] ?? 0) - expected)).toBeLessThanOrEqual(1);
    });

    // The largest rows fill the 1 MB of a query response: 128 units, and no filter reads more than four responses.
    it('are limited to four responses of 1 MB', async () => {
      const heavy = newAccount();
      const noise = () => randomBytes(360).toString('base64');
      for (let at = 0; at < 60; at += 1) {
        const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, key) => [`key_${key}`, noise()]));
        await ledger.commit(buildCommit(heavy, created({ ...finalized, metadata })));
      }
      const ports = { index: transactionIndex, ledger, now: () => createdMs };
      const caller = { id: heavy, cursor_secret: 's', settings: { time_zone: 'UTC' } } as Account;
      const used = await getUnits(() => listTransactions({ status: 'void', limit: 25 }, caller, ports));
      expect(used.requests).toBeLessThanOrEqual(4);
      const units = used.indexes['by_account'] ?? 0;
      expect(units).toBeGreaterThan(100);
      expect(units / used.requests).toBeLessThanOrEqual((1024 * 1024) / 4096 / 2 + 8);
    });
  });

  it('a transaction with a thousand lines is one write that updates each index once', async () => {
    const line_items = Array.from({ length: 1000 }, (_, at) => line({ id: `line_${at}`, unit_price: `${at}.99` }));
    const units = await getUnits(() => create({ ...finalized, line_items }));
    expect(units).toMatchObject({ requests: 1, indexes: both });
    // Uncompressed they would exceed 700 KB and would not fit.
    expect(units.table).toBeLessThan(60);
  });
});
