/** Filtered lists of a ledger with thousands of transactions, compared with the same filters on the written transactions. */
import { encodeTime } from 'ulid';
import { beforeAll, describe, expect, it } from 'vitest';
import { environment } from '../../shared/config/environment.ts';
import type { StoredTransaction } from '../../shared/ledger/transaction.ts';
import { ledgerReads } from '../../shared/store/ledger/ledger-reads.ts';
import { transactionItem } from '../../shared/store/ledger/transaction-item.ts';
import { putItems } from '../bench/database.ts';
import { type Caller, newCaller } from '../support/api.ts';
import { used } from '../support/count-calls.ts';
import { clientOf, creditOf, dayMs, made, michigan, sale } from '../support/sales.ts';

const size = 4_000;
const minuteMs = 60_000;
const newestMs = Date.parse('2026-11-01T12:00:00Z');
const cheyenne = { line1: '1 Main St', city: 'Cheyenne', state: 'WY', postal_code: '82001', country: 'US' };

/** The fields of a transaction that filters use. */
type Written = {
  readonly id: string;
  readonly created: string;
  readonly taxDate: string;
  readonly type: string;
  readonly status: string;
  readonly state: string;
  readonly customer: string | null;
  readonly reference: string | null;
};
let caller: Caller;
/** Newest first. */
let written: Written[];

/** Returns a transaction by its number: few are credits, void or in Wyoming, and only the newest are not filed yet. */
const writtenOf = (at: number): Written => {
  const createdMs = newestMs - at * minuteMs;
  return {
    id: `txn_${encodeTime(createdMs, 10)}${String(at).padStart(16, '0')}`,
    created: new Date(createdMs).toISOString(),
    // In a different order than the ids.
    taxDate: new Date(createdMs - ((at * 7) % 41) * dayMs).toISOString(),
    type: at % 500 === 7 ? 'credit' : 'sale',
    status: at % 700 === 3 ? 'void' : at < 300 ? 'finalized' : 'filed',
    state: at % 900 === 5 ? 'WY' : 'MI',
    customer: at % 3 === 0 ? 'cus_1' : null,
    reference: at % 800 === 11 ? `Straße-${at}` : null,
  };
};

beforeAll(async () => {
  caller = await newCaller({ settings: { time_zone: 'UTC' } });
  const other = await newCaller();
  const client = clientOf(other);
  const record = async (body: object): Promise<StoredTransaction> => {
    const { id } = await made(client.create(body));
    return (await ledgerReads.find(other.account.id, id)) as StoredTransaction;
  };
  const inMichigan = await record(sale({ status: 'finalized' }));
  const kinds = {
    MI: inMichigan,
    WY: await record(sale({ status: 'finalized', customer: { address: cheyenne } })),
    credit: await record(creditOf(inMichigan.transaction)),
  };
  written = Array.from({ length: size }, (_, at) => writtenOf(at));
  await putItems(environment.tables.transactions, size, (at) => {
    const { id, created, taxDate, type, status, state, customer, reference } = written[at] as Written;
    const stored = type === 'credit' ? kinds.credit : kinds[state as 'MI' | 'WY'];
    const address = state === 'WY' ? cheyenne : michigan;
    const fields = { id, created_at: created, tax_date: taxDate, status, reference_id: reference };
    const changes = { ...fields, customer: { id: customer, address } };
    return transactionItem(caller.account.id, {
      ...stored,
      transaction: { ...stored.transaction, ...changes } as never,
    });
  });
});

/** Returns whether a list filter matches a transaction. */
const keeps = (row: Written, [name, value]: [string, string]): boolean => {
  if (name === 'customer_id') return row.customer === value;
  if (name === 'search') {
    const simple = (text: string | null) => (text ?? '').toLowerCase().replaceAll('ß', 'ss');
    return [row.id, row.reference, row.customer].some((text) => simple(text).includes(simple(value)));
  }
  if (name === 'created_at[lt]') return Date.parse(row.created) < Date.parse(value);
  return ['limit', 'tax_date[gte]'].includes(name) || row[name as keyof Written] === value;
};

const cases: Record<string, string>[] = [
  { type: 'credit' },
  { type: 'credit', state: 'MI' },
  { type: 'sale', status: 'void' },
  { status: 'finalized' },
  { status: 'filed', limit: '100', 'created_at[lt]': '2026-10-30T00:00:00Z' },
  { status: 'draft' },
  { state: 'WY', limit: '1' },
  { state: 'AK' },
  { search: 'STRASSE-' },
  { search: 'aße-8', type: 'sale' },
  { search: 'US_1', status: 'void' },
  { search: `${String(3_456).padStart(16, '0')}` },
  { customer_id: 'cus_1', status: 'void' },
  { 'tax_date[gte]': '2021-01-01', state: 'WY' },
  { 'tax_date[gte]': '2021-01-01', customer_id: 'cus_1', type: 'credit' },
];

/** Returns one page of a list, with the number of database calls. */
const pageOf = async (query: Record<string, string>, after: string | null) => {
  const parameters = { ...query, ...(after !== null && { starting_after: after }) };
  let answer!: Awaited<ReturnType<ReturnType<typeof clientOf>['list']>>;
  const { calls } = await used(async () => {
    answer = await clientOf(caller).list(parameters);
    return answer;
  });
  return { ...answer.body, calls, backTo: answer.headers.get('Searched-Back-To') };
};

describe('the pages of a filtered list', () => {
  it.each(cases)('contain every match once, in order, and report how far they searched: %j', async (query) => {
    const by = 'tax_date[gte]' in query ? 'taxDate' : 'created';
    const newestFirst = (a: Written, b: Written) => `${b[by]}${b.id}`.localeCompare(`${a[by]}${a.id}`, 'en');
    const filters = Object.entries(query);
    const expected = written.filter((row) => filters.every((filter) => keeps(row, filter))).sort(newestFirst);
    const found: string[] = [];
    let [after, last, pages]: [string | null, string, number] = [null, '9999', 0];
    do {
      const { data, next_cursor, calls, backTo } = await pageOf(query, after);
      found.push(...data.map(({ id }) => id));
      pages += 1;
      after = next_cursor;
      expect(calls.length).toBeLessThanOrEqual(4);
      expect(new Set(calls)).toEqual(new Set(['Query']));
      expect(backTo === null).toBe(after === null);
      if (backTo === null) break;
      // No unlisted transaction is newer.
      const seen = new Set(found);
      expect(expected.filter((row) => row[by] > backTo && !seen.has(row.id))).toEqual([]);
      expect(backTo <= last).toBe(true);
      last = backTo;
    } while (after !== null);
    expect(found).toEqual(expected.map(({ id }) => id));
    // Two requests search the ledger.
    expect(pages).toBeLessThanOrEqual(2 + Math.ceil(expected.length / Number(query['limit'] ?? 25)));
  });

  it('of credits come from a separate index: one call, whatever else is in the ledger', async () => {
    expect(await pageOf({ type: 'credit' }, null)).toMatchObject({ calls: ['Query'], has_more: false });
  });

  it('are empty, with has_more and a cursor, if a request found no match in its part of the ledger', async () => {
    const first = await pageOf({ state: 'AK' }, null);
    expect(first).toMatchObject({ data: [], has_more: true, calls: ['Query', 'Query', 'Query', 'Query'] });
    expect(await pageOf({ state: 'AK' }, first.next_cursor)).toMatchObject({ data: [], has_more: false, backTo: null });
  });
});
