import { encodeTime } from 'ulid';
import { assert } from '../../shared/base/assert.ts';
import { environment } from '../../shared/config/environment.ts';
import type { StoredTransaction } from '../../shared/ledger/transaction.ts';
import { ledgerReads } from '../../shared/store/ledger/ledger-reads.ts';
import { transactionItem } from '../../shared/store/ledger/transaction-item.ts';
import { newCaller } from '../support/api.ts';
import { goods } from '../support/sales.ts';
import { countDatabaseUse, putItems, type Use } from './database.ts';
import { type Send, senderWith } from './database-use.ts';
import { type Figure, rounded } from './figure.ts';

const defaultSizes = [1_000, 10_000, 100_000];
/** One in this many transactions is a credit, one is void, and one is in Wyoming. */
const rareOneOf = 1_000;
const pageLimit = 50;
const minuteMs = 60_000;

const addresses = {
  IL: { line1: '1 Main St', city: 'Chicago', state: 'IL', postal_code: '60601', country: 'US' },
  WY: { line1: '1 Main St', city: 'Cheyenne', state: 'WY', postal_code: '82001', country: 'US' },
};
const filters: readonly Readonly<Record<string, string>>[] = [
  {},
  { type: 'sale' },
  { type: 'credit' },
  { status: 'void' },
  { state: 'WY' },
  { state: 'WY', 'tax_date[gte]': '2000-01-01' },
];

/** Fills a ledger with copies of four recorded transactions, each a minute older than the previous one. */
const fillLedger = async (account: string, send: Send, size: number): Promise<void> => {
  const record = async (others: object): Promise<StoredTransaction> => {
    const { id } = await send('create-transaction', { status: 'finalized', ...others });
    const stored = await ledgerReads.find(account, id);
    assert(stored !== undefined, 'The transaction was not recorded.');
    return stored;
  };
  const line_items = ['a', 'b', 'c'].map((id) => goods({ id, quantity: '1', unit_price: '100.00' }));
  const sale = await record({ customer: { address: addresses.IL }, line_items });
  const wyoming = await record({ customer: { address: addresses.WY }, line_items });
  const parent_transaction_id = sale.transaction.id;
  const credit = await record({ type: 'credit', parent_transaction_id, line_items: [{ id: 'a', quantity: '0.5' }] });
  const draft = await record({ status: 'draft', customer: { address: addresses.IL }, line_items });
  const voided = { ...draft, transaction: { ...draft.transaction, status: 'void' as const, expires_at: null } };
  const rare = [credit, voided, wyoming];
  const newestMs = Date.now() - minuteMs;
  await putItems(environment.tables.transactions, size, (index) => {
    const stored = rare[(index % rareOneOf) - rareOneOf / 2] ?? sale;
    const at = newestMs - index * minuteMs;
    const id = `txn_${encodeTime(at, 10)}${String(index).padStart(16, '0')}`;
    const created_at = new Date(at).toISOString();
    return transactionItem(account, {
      ...stored,
      transaction: { ...stored.transaction, id, created_at, tax_date: created_at },
    });
  });
};

type Search = { readonly pages: number; readonly empty: number; readonly rows: number };

/** Requests pages until this many rows are found or the list ends. */
const search = async (send: Send, query: Readonly<Record<string, string>>, rowsMax: number): Promise<Search> => {
  let [pages, empty, rows] = [0, 0, 0];
  for (let cursor: string | null = ''; cursor !== null && rows < rowsMax; ) {
    const parameters = { ...query, limit: String(pageLimit), ...(cursor !== '' && { starting_after: cursor }) };
    const { data, next_cursor } = await send('list-transactions', undefined, '', parameters);
    pages += 1;
    empty += Number(data.length === 0);
    rows += data.length;
    cursor = next_cursor;
  }
  return { pages, empty, rows };
};

const measured = async <Value>(run: () => Promise<Value>) => {
  const start = performance.now();
  let value: Value | undefined;
  const use: Use = await countDatabaseUse(async () => {
    value = await run();
  });
  return { value: value as Value, use, ms: rounded(performance.now() - start) };
};

/**
 * Measures the cost of one page of `GET /transactions`, and of finding 50 rows or the end of the list, by filter and
 * ledger size.
 */
export const listFigures = async function* (sizes: readonly number[] = defaultSizes): AsyncGenerator<Figure> {
  for (const ledger of sizes) {
    const { account, key } = await newCaller({ settings: { rate_limit: 10_000_000 } });
    const send = senderWith(key);
    await fillLedger(account.id, send, ledger);
    for (const query of filters) {
      const of = new URLSearchParams(query).toString() || 'no filter';
      const first = await measured(() =>
        send('list-transactions', undefined, '', { ...query, limit: String(pageLimit) }),
      );
      const { reads: calls, readUnits: read_units, rows: rows_read } = first.use;
      yield {
        figure: 'list_page',
        of,
        ledger,
        rows: first.value.data.length,
        calls,
        rows_read,
        read_units,
        ms: first.ms,
      };
      const found = await measured(() => search(send, query, pageLimit));
      const { rows, pages, empty } = found.value;
      yield { figure: 'list_search', of, ledger, rows, pages, empty_pages: empty, ms: found.ms };
    }
  }
};
