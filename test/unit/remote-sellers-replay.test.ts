/** Recorded sales with a remote seller's election do not change with the account's later elections. */
import { expect, it } from 'vitest';
import { defaultSettings, newAccount, type Settings } from '../../shared/accounts/account.ts';
import { compress, decompress } from '../../shared/store/client/compressed.ts';
import { transactionFrom, transactionItem } from '../../shared/store/ledger/transaction-item.ts';
import { createCalculation } from '../../shared/transactions/create-calculation.ts';
import { replayTransaction } from '../../shared/transactions/replay/replay-transaction.ts';
import type { StoredTransaction } from '../../shared/transactions/transaction.ts';
import { Recorder } from '../support/recorder.ts';
import { contentOf } from '../support/replay-content.ts';

const elections = {
  TX: [{ state: 'TX', election: 'single_local_use_tax', from: '2026-01-01', to: null }],
  AL: [{ state: 'AL', election: 'simplified_sellers_use_tax', from: '2026-01-01', to: null }],
} as const;
const cities = {
  TX: { city: 'Houston', state: 'TX', postal_code: '77002' },
  AL: { city: 'Birmingham', state: 'AL', postal_code: '35203' },
};
type State = keyof typeof cities;

const requestTo = (state: State) => ({
  status: 'finalized' as const,
  tax_date: '2026-11-22',
  customer: { address: cities[state] },
  ship_from: { address: { city: 'Detroit', state: 'MI', postal_code: '48226' } },
  line_items: [{ quantity: '1', unit_price: '100.00' }],
});

const settingsOf = (state: State, isOn: boolean) => ({ remote_seller_elections: isOn ? [...elections[state]] : [] });
const account = (state: State, isOn: boolean) => {
  const settings: Settings = { ...defaultSettings('aspen.2026-10-01'), ...settingsOf(state, isOn) };
  return { ...newAccount({ id: 'acct_replay', name: 'Replay', serviceVersion: '', createdMs: 0 }), settings };
};

const recorded = async (state: State, isOn: boolean): Promise<StoredTransaction> => {
  const recorder = new Recorder([]);
  recorder.activate([]);
  await recorder.record('txn_1', { request: requestTo(state), settings: settingsOf(state, isOn) });
  return recorder.stored.get('txn_1') as StoredTransaction;
};

const loadContent = contentOf([]);
// A credit may have lines with another origin, whose release the sale has not pinned.
const loadActive = contentOf([], { readActive: async () => ({ version: 1, states: {} }) });
const now = () => Date.parse('2026-11-23');
const replayed = async (stored: StoredTransaction, ofAccount: ReturnType<typeof account>) => {
  const result = await replayTransaction('txn_1', ofAccount, {
    ledger: { find: async () => stored },
    loadContent,
    now,
  });
  return result.ok ? [result.value.match, result.value.differences] : result;
};

const cases = [
  ['TX', true, '8.00', '0.80'],
  ['TX', false, '8.25', '0.83'],
  ['AL', true, '8.00', '0.80'],
  ['AL', false, '10.00', '1.00'],
] as const;

it.each(cases)('recorded in %s with the election %s it replays to %s after the account changed', async (...of) => {
  const [state, isOn, tax] = of;
  const stored = await recorded(state, isOn);
  expect(stored.transaction.tax_amount).toBe(tax);
  const read = transactionFrom(transactionItem('acct_replay', stored));
  expect(await replayed(read, account(state, !isOn))).toEqual([true, []]);
});

it.each(cases)(
  'recorded in %s with the election %s (%s) its credit of 10.00 has %s',
  async (state, isOn, tax, part) => {
    const stored = await recorded(state, isOn);
    const ledger = { find: async () => stored };
    const ports = { now, loadContent: loadActive, ledger, customers: { findSome: async () => new Map() } };
    const credits = [{}, { line_items: [{ id: 'other', quantity: '1', unit_price: '10.00' }] }].map((lines) =>
      createCalculation({ type: 'credit', parent_transaction_id: 'txn_1', ...lines }, [], account(state, !isOn), ports),
    );
    const found = (await Promise.all(credits)).map((credit) => (credit.ok ? credit.value.tax_amount : credit.problems));
    expect(found).toEqual([tax, part]);
  },
);

it('stored before there was the setting it replays as without it', async () => {
  const stored = await recorded('TX', false);
  const item = transactionItem('acct_replay', stored);
  const { pinned, ...others } = decompress(item['lines'] as Uint8Array) as { readonly pinned: Settings };
  const { remote_seller_elections: _, ...older } = pinned;
  expect(Object.keys(pinned)).toHaveLength(Object.keys(older).length + 1);
  const old = transactionFrom({ ...item, lines: compress({ ...others, pinned: older }) });
  expect(await replayed(old, account('TX', true))).toEqual([true, []]);
});
