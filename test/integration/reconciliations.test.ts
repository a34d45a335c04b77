import { describe, expect, it } from 'vitest';
import { environment } from '../../shared/config/environment.ts';
import { writeCursor } from '../../shared/ledger/list-transactions.ts';
import type { Transaction } from '../../shared/ledger/transaction.ts';
import { claimItem } from '../../shared/store/ledger/commit-writes.ts';
import { transactionItem } from '../../shared/store/ledger/transaction-item.ts';
import { putItems } from '../bench/database.ts';
import { type Caller, type Client, newClient } from '../support/api.ts';
import { intercept, noFaults } from '../support/faults.ts';
import { buildCreditRequest, dayMs, getRefusal, goods, later, made, sale, sold } from '../support/sales.ts';
import { created, finalized } from '../support/transactions.ts';

/** Writes transactions and their claims directly to the table: thousands of them in a second. */
const stored = async (
  { account }: Caller,
  references: readonly string[],
  isDraft: (at: number) => boolean = () => false,
  isClaimed: (at: number) => boolean = () => true,
) => {
  const items = references.flatMap((reference_id, at) => {
    const { after } = created({ reference_id, ...(isDraft(at) ? {} : finalized) });
    return [transactionItem(account.id, after), ...(isClaimed(at) ? [claimItem(account.id, reference_id, after)] : [])];
  });
  await putItems(environment.tables.transactions, items.length, (at) => items[at] ?? {});
};

const billed = (reference_id: string, total_amount = '106.00', tax_amount = '6.00') => {
  return { reference_id, total_amount, tax_amount };
};
const isFirst = (at: number) => at < 10;
const ask = (client: Client, transactions: unknown, others: object = {}, headers: Record<string, string> = {}) =>
  client.call('POST', '/reconciliations', { body: { transactions, ...others }, headers });
const reconciled = (client: Client, transactions: unknown, others: object = {}) =>
  made(ask(client, transactions, others));

describe('listed transactions', () => {
  it('matches a finalized transaction with the same amounts, in any notation', async () => {
    const client = await newClient();
    const rows = [billed('in_1'), billed('in_2', '106', '6.0000000000'), billed('🧾 #3/ü', '000106.0', '06')];
    for (const { reference_id } of rows) await sold(client, { reference_id });
    const whole = { from: null, to: null, extra: null, complete: true, next_cursor: null };
    const matched = { object: 'reconciliation', matched_count: 3, missing: [], different: [], warnings: [] };
    expect(await reconciled(client, rows)).toEqual({ ...matched, ...whole });
  });

  it('reports a difference in either amount, with both amounts and their difference', async () => {
    const client = await newClient();
    const sales = await Promise.all(['a', 'b', 'c', 'd'].map((reference_id) => sold(client, { reference_id })));
    const { matched_count, different, missing } = await reconciled(client, [
      billed('a', '105.99'),
      billed('b', '106.00', '6.0000000001'),
      billed('c', '999999999999.9999999999', '0'),
      billed('d'),
    ]);
    const recorded = { type: 'sale', status: 'finalized', recorded: { total_amount: '106.00', tax_amount: '6.00' } };
    const buildDifference = (at: number, total_amount: string, tax_amount: string, total: string, tax: string) => {
      const { reference_id, id: transaction_id } = sales[at] as (typeof sales)[number];
      const difference = { total_amount: total, tax_amount: tax };
      return { reference_id, transaction_id, ...recorded, sent: { total_amount, tax_amount }, difference };
    };
    expect([matched_count, missing]).toEqual([1, []]);
    expect(different).toEqual([
      buildDifference(0, '105.99', '6.00', '0.01', '0.00'),
      buildDifference(1, '106.00', '6.0000000001', '0.00', '-0.0000000001'),
      buildDifference(2, '999999999999.9999999999', '0', '-999999999893.9999999999', '6.00'),
    ]);
  });

  it('accepts credits, whose amounts are positive, and currencies without decimals', async () => {
    const client = await newClient();
    const parent = await sold(client, { reference_id: 'in_1' });
    const half = { line_items: [{ id: 'item_1', quantity: '1' }], reference_id: 'memo_1' };
    await made(client.create(buildCreditRequest(parent, half)));
    await sold(client, { reference_id: 'yen', currency: 'JPY', line_items: [goods({ unit_price: '50' })] });
    const rows = [billed('in_1'), billed('memo_1', '53.00', '3.00'), billed('yen', '106', '6')];
    expect(await reconciled(client, rows)).toMatchObject({ matched_count: 3, missing: [], different: [] });
  });

  it('reports missing transactions with the reason: unknown, not finalized, voided, or expired', async () => {
    const client = await newClient();
    const draft = await made(client.create(sale({ reference_id: 'draft' })));
    const voided = await sold(client, { reference_id: 'voided' });
    await made(client.update(voided.id, { status: 'void' }));
    const twice = await sold(client, { reference_id: 'twice' });
    await made(client.update(twice.id, { status: 'void' }));
    await sold(client, { reference_id: 'twice' });
    const rows = ['none', 'draft', 'voided', 'twice'].map((reference_id) => billed(reference_id));
    const expectAt = async (reason: 'draft' | 'void') =>
      expect(await reconciled(client, rows)).toMatchObject({
        matched_count: 1,
        different: [],
        missing: [
          { reference_id: 'none', transaction_id: null, reason: 'not_found' },
          { reference_id: 'draft', transaction_id: draft.id, reason },
          { reference_id: 'voided', transaction_id: voided.id, reason: 'void' },
        ],
      });
    await expectAt('draft');
    await later(dayMs, async () => {
      await expectAt('void');
      await made(client.update(draft.id, { metadata: { late: 'yes' } }));
      await expectAt('void');
    });
  });

  it('accepts up to a thousand transactions, and finds each in its batch', async () => {
    const client = await newClient();
    const references = Array.from({ length: 1000 }, (_, index) => `in_${index}`);
    // Every tenth does not exist.
    const { true: none = [], false: some = [] } = Object.groupBy(references, (name) => String(name.endsWith('7')));
    await stored(client, some);
    const rows = references.map((reference_id) => billed(reference_id, '10.60', '0.60'));
    const { matched_count, missing } = await reconciled(client, rows);
    expect(matched_count).toBe(900);
    expect(missing.map(({ reference_id }) => reference_id)).toEqual(none);
  });
});

describe('transactions not on the list', () => {
  const october = { from: '2026-10-01', to: '2026-10-31' };
  const day = { from: '2026-10-08', to: '2026-10-08' };

  it('reports finalized transactions in the range as extra, newest first', async () => {
    const client = await newClient();
    const dated = (tax_date: string, others: object = {}) => sold(client, { tax_date, ...others });
    await dated('2026-09-30T23:59:59.999Z', { reference_id: 'before' });
    const first = await dated('2026-10-01', { reference_id: 'first' });
    const last = await dated('2026-10-31T23:59:59.999Z', { reference_id: 'last' });
    await dated('2026-11-01', { reference_id: 'after' });
    const listed = await dated('2026-10-15', { reference_id: 'listed' });
    const unnamed = await dated('2026-10-16');
    const voided = await dated('2026-10-17', { reference_id: 'voided' });
    await made(client.update(voided.id, { status: 'void' }));
    await made(client.create(sale({ tax_date: '2026-10-18', reference_id: 'draft' })));
    const memo = { tax_date: '2026-10-20', reference_id: 'memo' };
    const credit = await made(client.create(buildCreditRequest(listed, memo)));
    const { extra, matched_count, complete } = await reconciled(client, [billed('listed'), billed('before')], october);
    expect([matched_count, complete]).toEqual([2, true]);
    const row = ({ id: transaction_id, ...others }: Transaction) => {
      const { reference_id, type, status, tax_date, currency, total_amount, tax_amount } = others;
      return { transaction_id, reference_id, type, status, tax_date, currency, total_amount, tax_amount };
    };
    expect(extra).toEqual([last, credit, unnamed, first].map(row));
  });

  it('finds transactions by exact timestamps, and by a date as the whole day', async () => {
    const client = await newClient();
    for (const hour of ['00', '12', '23'])
      await sold(client, { tax_date: `2026-10-08T${hour}:00:00Z`, reference_id: hour });
    const extra = async (from: string, to: string) =>
      (await reconciled(client, [billed('x')], { from, to })).extra.map(({ reference_id }) => reference_id);
    expect(await extra('2026-10-08', '2026-10-08')).toEqual(['23', '12', '00']);
    expect(await extra('2026-10-08T00:00:00.001Z', '2026-10-08T12:00:00Z')).toEqual(['12']);
    expect(await extra('2026-10-08T12:00:00.001Z', '2026-10-08T22:59:59Z')).toEqual([]);
    expect(await extra('1990-01-01', '2099-12-31')).toHaveLength(3);
  });

  it('stops after 2,000 rows of the index, and continues with the cursor without gaps or duplicates', async () => {
    const client = await newClient();
    // All at one instant, so only a cursor can continue. Most are drafts, which are not extra.
    const total = 2105;
    const isExtra = (index: number) => index % 5 === 0;
    const references = Array.from({ length: total }, (_, index) => `r_${index}`);
    await stored(client, references, (index) => !isExtra(index), isFirst);
    const named = ['r_0', 'r_5'].map((name) => billed(name, '10.60', '0.60'));
    const seen: string[] = [];
    const sizes: number[] = [];
    let starting_after: string | null = null;
    do {
      const after = { ...day, starting_after };
      const response: Awaited<ReturnType<typeof reconciled>> = await reconciled(client, named, after);
      expect(response.matched_count).toBe(2);
      expect(response.complete).toBe(response.next_cursor === null);
      seen.push(...response.extra.map(({ reference_id }) => String(reference_id)));
      sizes.push(response.extra.length);
      starting_after = response.next_cursor;
    } while (starting_after !== null);
    const expected = Array.from({ length: total }, (_, index) => index).filter((index) => isExtra(index) && index > 5);
    expect(new Set(seen)).toEqual(new Set(expected.map((index) => `r_${index}`)));
    expect(seen).toHaveLength(expected.length);
    expect(sizes.length).toBe(2);
  });

  it('returns at most 1,000 in a response, and continues after the last one', async () => {
    const client = await newClient();
    // The 100 drafts between the sales put the thousandth sale in the middle of an index page.
    const references = Array.from({ length: 1101 }, (_, index) => `r_${index}`);
    await stored(client, references, (index) => index % 11 === 4, isFirst);
    const first = await reconciled(client, [billed('none')], day);
    expect([first.extra.length, first.complete]).toEqual([1000, false]);
    const second = await reconciled(client, [billed('none')], { ...day, starting_after: first.next_cursor });
    expect([second.extra.length, second.complete, second.next_cursor]).toEqual([1, true, null]);
    expect(new Set([...first.extra, ...second.extra].map(({ reference_id }) => reference_id)).size).toBe(1001);
    // If one of the 1,001 transactions is on the list, the others fit in one response.
    const fitting = await reconciled(client, [billed('r_5')], day);
    expect([fitting.extra.length, fitting.complete]).toEqual([1000, true]);
  });

  it('rejects a cursor for another range', async () => {
    const client = await newClient();
    const position = { id: 'txn_01ARZ3NDEKTSV4RRFFQ69G5FAV', tax_date: '2026-10-08T00:00:00.000Z' };
    const write = (scope: object) => writeCursor(position, client.account.cursor_secret, scope);
    const continued = (starting_after: string) => ask(client, [billed('x')], { ...october, starting_after });
    const valid = write({ reconciliation: october });
    expect((await continued(valid)).status).toBe(200);
    const others = [write({}), write({ reconciliation: { ...october, to: '2026-11-30' } })];
    for (const other of [...others, 'x', 'x.y', `${valid}x`, position.id])
      expect(getRefusal(await continued(other))).toBe('422 | validation_invalid_cursor /starting_after');
  });
});

it('returns a warning for unknown fields, or an error in strict mode', async () => {
  const client = await newClient();
  const rows = [{ ...billed('a'), customer: 'x' }];
  const { warnings } = await reconciled(client, rows, { until: 'x' });
  const unknown = ['unknown_field /transactions/0/customer', 'unknown_field /until'];
  expect(warnings.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual(expect.arrayContaining(unknown));
  const strict = await ask(client, rows, {}, { Prefer: 'handling=strict' });
  expect(getRefusal(strict)).toBe('422 | validation_unknown_field /transactions/0/customer');
});

/** Runs a function between the read of the claims and the read of the transactions. */
const meanwhile = async <Value>(change: () => Promise<unknown>, run: () => Promise<Value>): Promise<Value> => {
  let changed: Promise<unknown> | null = null;
  intercept(async ({ command, pass }) => {
    const response = await pass();
    if (command === 'BatchGetItem' && changed === null) {
      changed = change();
      await changed;
    }
    return response;
  });
  try {
    const value = await run();
    expect(changed).not.toBeNull();
    return value;
  } finally {
    noFaults();
  }
};

describe('references that move during the read', () => {
  it('finds the reference at its new transaction', async () => {
    const client = await newClient();
    const first = await sold(client, { reference_id: 'r' });
    const change = async () => {
      await made(client.update(first.id, { status: 'void' }));
      await sold(client, { reference_id: 'r' });
    };
    const response = await meanwhile(change, () => reconciled(client, [billed('r')]));
    expect(response).toMatchObject({ matched_count: 1, missing: [], different: [] });
  });

  it('reports the reference as missing if its transaction now has a different reference', async () => {
    const client = await newClient();
    const { id } = await made(client.create(sale({ reference_id: 'r' })));
    const change = () => made(client.update(id, { reference_id: 's', status: 'finalized' }));
    const response = await meanwhile(change, () => reconciled(client, [billed('r')]));
    const missing = [{ reference_id: 'r', transaction_id: null, reason: 'not_found' }];
    expect(response).toMatchObject({ matched_count: 0, missing });
  });
});
