import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { compress, compressBytes } from '../../shared/store/client/compressed.ts';
import {
  storedSize,
  summaryFrom,
  transactionFrom,
  transactionItem,
} from '../../shared/store/ledger/transaction-item.ts';
import { changed, created, finalized, line } from '../support/transactions.ts';

const attributesOf = (changes: Parameters<typeof created>[0]) => transactionItem('acct_1', created(changes).after);
const explanation = ['address', 'rounding'].map((step) => ({
  step: step as 'address',
  pointer: '/line_items/0',
  text: 'Lansing, by zip5.',
  rule_id: null,
  citation: null,
}));
const thousand = Array.from({ length: 1000 }, (_, at) =>
  line({ id: `line_${at}`, unit_price: `${at}.99`, metadata: { sku: `SKU-${at * 7919}` } }),
);

describe('a transaction as an item', () => {
  it('has the top-level attributes for conditions, lists and operators only', () => {
    const { summary, lines, ...attributes } = attributesOf({
      id: 'txn_1',
      reference_id: 'a#b',
      parent_transaction_id: 'txn_0',
      customer: { id: 'c' },
      tax_date: '2026-10-08T01:02:03+00:00',
    });
    expect(attributes).toEqual({
      pk: 'T#acct_1#txn_1',
      sk: 'H',
      account: 'acct_1',
      id: 'txn_1',
      status: 'draft',
      type: 'sale',
      version: 1,
      created_at: '2026-10-08T12:00:00.000Z',
      expires_at: '2026-10-09T12:00:00.000Z',
      draft_shard: expect.stringMatching(/^D#[0-7]$/),
      tax_day: '2026-10-08',
      tax_date_id: '2026-10-08T01:02:03.000Z#txn_1',
      total_amount: '10.60',
      tax_amount: '0.60',
      credited_amount: '0.00',
      credited_tax_amount: '0.00',
      reference_id: 'a#b',
      account_reference: 'acct_1#a#b',
      parent_transaction_id: 'txn_0',
      account_parent: 'acct_1#txn_0',
      customer_id: 'c',
      account_customer: 'acct_1#c',
      audit_hash: expect.any(String),
    });
  });

  it('is in no index of what it does not have', () => {
    const sparse = ['account_customer', 'account_parent', 'account_reference'];
    expect(Object.keys(attributesOf({ customer: null })).filter((name) => sparse.includes(name))).toEqual([]);
    const deadlines = ['expires_at', 'draft_shard'];
    // An old deadline that a caller leaves in place is no draft's any more.
    const final = Object.keys(attributesOf({ ...finalized, expires_at: '2026-10-09T12:00:00.000Z' }));
    expect(final.filter((name) => deadlines.includes(name))).toEqual([]);
  });

  it.each([
    ['one line', created()],
    ['a thousand lines', created({ line_items: thousand })],
    ['an explanation', created({ explanation })],
    ['counters', changed({ ...created().after, creditOf: 'lines' }, finalized)],
  ])('reads back as it was with %s', (_what, { after }) => {
    const item = transactionItem('acct_1', after);
    expect(transactionFrom(item)).toEqual(after);
    const row = { ...after.transaction, line_items: null, explanation: null };
    expect(summaryFrom(item)).toEqual(row);
  });
});

it('keeps the credited amounts of a line with any id', () => {
  const { after } = created({ line_items: ['one', '__proto__', 'three'].map((id) => line({ id })) });
  const lines = Object.fromEntries([['__proto__', { ...after.credited.shipping, net: '1.00', tax: '0.06' }]]);
  const read = transactionFrom(transactionItem('acct_1', { ...after, credited: { ...after.credited, lines } }));
  expect(Object.entries(read.credited.lines)).toEqual(Object.entries(lines));
});

// A rollback across one deployment must read what this one writes: version 0.1.0 refuses counters with more parts.
it('keeps credited amounts in the form of earlier versions, and their calculated taxes apart', () => {
  const row = { taxable: '10.00', exempt: '0.00', tax: '0.80', calculated: '0.60' };
  const { after } = created({ line_items: ['one', 'two'].map((id) => line({ id })) });
  const one = { ...after.credited.shipping, net: '10.00', tax: '0.80', taxable: '10.00', rows: [row] };
  const stored = { ...after, credited: { ...after.credited, lines: { one } } };
  const item = transactionItem('acct_1', stored);
  const textOf = (name: string) => gunzipSync(item[name] as Uint8Array).toString('hex');
  expect(textOf('credited').replace('f', '').split('b')).toEqual(['1000a80aaa1000aa1000aa80', '', 'aaaaa', 'a']);
  expect(textOf('credited_calculated').replace('f', '').split('b')).toEqual(['60', '', '']);
  expect(transactionFrom(item)).toEqual(stored);
  const { credited_calculated: _, ...rolledBack } = item;
  const ofTax = { ...stored.credited, lines: { one: { ...one, rows: [{ ...row, calculated: '0.80' }] } } };
  expect(transactionFrom(rolledBack).credited).toEqual(ofTax);
});

it('has counters of nothing but its own lines', () => {
  const { after } = created();
  const lines = { another: after.credited.shipping };
  const wrong = { ...after, credited: { ...after.credited, lines } };
  expect(() => transactionItem('acct_1', wrong)).toThrow('a line that the sale does not have');
});

it('takes as many bytes as are compressed, and of a sale what its counters may take', () => {
  const { after } = created({ line_items: thousand });
  expect(JSON.stringify(after).length).toBeGreaterThan(400_000);
  const { summary, lines } = transactionItem('acct_1', after) as Record<string, Uint8Array>;
  const compressed = (summary?.byteLength ?? 0) + (lines?.byteLength ?? 0);
  expect(compressed).toBeLessThan(60_000);
  expect(storedSize({ ...after, transaction: { ...after.transaction, type: 'credit' } })).toBeLessThan(60_000);
  expect(storedSize(after) - compressed).toBeGreaterThan(10_000);
  expect(storedSize(after) - compressed).toBeLessThan(50_000);
});

describe('an item that this service did not write', () => {
  const item = transactionItem('acct_1', created().after);
  const { summary } = item as { summary: Uint8Array };
  const lines = { line_items: [line()], explanation: null, creditOf: null, pinned: { rounding: 'line' } };

  it.each([
    ['no lines', { ...item, lines: undefined }],
    ['no audit hash', { ...item, audit_hash: undefined }],
    ['a damaged summary', { ...item, summary: summary.with(summary.length - 6, (summary.at(-6) ?? 0) ^ 1) }],
    ['another version', { ...item, version: 2 }],
    ['another status', { ...item, status: 'finalized' }],
    ['another id', { ...item, pk: 'T#acct_1#txn_0' }],
    ['another kind of item', { ...item, pk: 'F#acct_1#txn_0' }],
    ['another kind of summary', { ...item, summary: compress({ object: 'filing' }) }],
    ['a summary of nothing', { ...item, summary: compress(null) }],
    ['counters of another', { ...item, credited: compressBytes(Buffer.from('bbb1a', 'hex')) }],
    ['damaged counters', { ...item, credited: Buffer.from('junk') }],
    ['nothing pinned', { ...item, lines: compress({ ...lines, pinned: undefined }) }],
    ['no explanation', { ...item, lines: compress({ ...lines, explanation: undefined }) }],
    ['lines that are none', { ...item, lines: compress({ ...lines, line_items: [null] }) }],
  ])('is not read: %s', (_what, wrong) => {
    expect(() => transactionFrom(wrong)).toThrow();
  });
});
