import { describe, expect, it } from 'vitest';
import type { Line } from '../../shared/cli/ledger/format.ts';
import { itemsOf } from '../../shared/cli/ledger/read-export.ts';

/** The keys and attributes by which an item would appear in the lists of another account. */
const forged = {
  pk: 'T#acct_other#txn_1',
  sk: 'ANY',
  account: 'acct_other',
  id: 'txn_1',
  account_reference: 'acct_other#r',
};

const at = '2026-10-01T00:00:00.000Z';
const filing = {
  ...{ id: 'fil_1', state: 'US-OH', period_start: '2026-09-01', period_end: '2026-09-30', frequency: 'month' },
  ...{ status: 'closing', isUnfinished: true, confirmation_number: null, summary: [], exceptions: null },
  ...{ entries: { moved: 0, marked: 0, reopened: 0 }, asked_by: 'key_1', filed_by: null, created_at: at },
  ...{ closed_at: null, filed_at: null, canceled_at: null, previous: null, version: 1 },
};
const totals = { jurisdictions: [], summary: [], exceptions: [], parts: [] };
const progress = { shard: 0, phase: 'move', isDone: false, entries: filing.entries, cursor: null, totals, version: 1 };
const customer = { id: 'c1', name: null, exemptions: [], created_at: at, updated_at: at, version: 1 };

describe('a line of an exported file with keys of another account', () => {
  it.each([
    ['filing', { kind: 'filing', filing: { ...filing, ...forged } }],
    [
      'chain',
      { kind: 'chain', chain: { state: 'US-OH', last: null, isBusy: true, isHeld: false, version: 1, ...forged } },
    ],
    ['progress', { kind: 'filing_shard', filing: 'fil_1', progress: { ...progress, ...forged } }],
    ['totals', { kind: 'filing_totals', filing: 'fil_1', shard: 0, from: '', sums: [], ...forged }],
    ['customer', { kind: 'customer', customer: { ...customer, ...forged } }],
  ])('writes its %s into the given account only', (_kind, line) => {
    const items = itemsOf('acct_own', line as unknown as Line);
    expect(items).toHaveLength(1);
    for (const item of items) {
      expect(item.pk.split('#')[1]).toBe('acct_own');
      expect(Object.keys(item)).not.toEqual(expect.arrayContaining(['account']));
      expect(Object.values(item)).not.toContain('acct_other#r');
    }
  });
});
