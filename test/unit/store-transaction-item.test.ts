import { describe, expect, it } from 'vitest';
import { noAmounts } from '../../shared/ledger/credits/amounts.ts';
import { summaryFrom, transactionFrom, transactionItem } from '../../shared/store/ledger/transaction-item.ts';
import { storedBytes } from '../support/stored-bytes.ts';
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
      tax_summary: ['US-IL', 'US-MI', 'US-IL-00-031'].map((jurisdiction_code) => ({ jurisdiction_code }) as never),
    });
    expect(attributes).toEqual({
      pk: 'T#acct_1#txn_1',
      sk: 'H',
      account: 'acct_1',
      id: 'txn_1',
      status: 'draft',
      type: 'sale',
      states: ['IL', 'MI'],
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
      auditHash: expect.any(String),
      commitments: { salt: expect.any(String) },
    });
  });

  it('is in no index of what it does not have', () => {
    const sparse = ['account_credit', 'account_customer', 'account_parent', 'account_reference'];
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
  const charges = new Map([['__proto__', { ...noAmounts, net: 100n, tax: 6n }]]);
  const read = transactionFrom(transactionItem('acct_1', { ...after, credited: { ...after.credited, charges } }));
  expect(read.credited.charges).toEqual(charges);
});

it('keeps credited amounts as a compact text, with the difference of the calculated tax', () => {
  const row = { taxable: 1000n, exempt: 0n, tax: 80n, calculated: 60n };
  const { after } = created({ line_items: ['one', 'two'].map((id) => line({ id })) });
  const one = { ...noAmounts, net: 1000n, tax: 80n, taxable: 1000n, rows: [row] };
  const stored = { ...after, credited: { ...after.credited, charges: new Map([['one', one]]) } };
  const item = transactionItem('acct_1', stored);
  const text = storedBytes(item['credited']).toString('hex');
  expect(text.replace('f', '').split('b')).toEqual(['1000a80aaa1000aa1000aa80ac20', '', 'a']);
  expect(transactionFrom(item)).toEqual(stored);
});

it('has counters of nothing but its own lines', () => {
  const { after } = created();
  const wrong = { ...after, credited: { ...after.credited, charges: new Map([['another', noAmounts]]) } };
  expect(() => transactionItem('acct_1', wrong)).toThrow('a charge that the sale does not have');
});
