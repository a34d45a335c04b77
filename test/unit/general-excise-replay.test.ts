/** Recorded transactions in Hawaii do not change with the account's later general excise setting. */
import { expect, it } from 'vitest';
import { Account, defaultSettings, newAccount, type Settings } from '../../shared/accounts/account.ts';
import { compress, decompress } from '../../shared/store/client/compressed.ts';
import { transactionFrom, transactionItem } from '../../shared/store/ledger/transaction-item.ts';
import { createCalculation } from '../../shared/transactions/create-calculation.ts';
import { replayTransaction } from '../../shared/transactions/replay/replay-transaction.ts';
import type { StoredTransaction } from '../../shared/transactions/transaction.ts';
import { Recorder } from '../support/recorder.ts';
import { contentOf } from '../support/replay-content.ts';

const request = {
  status: 'finalized' as const,
  tax_date: '2026-11-22',
  customer: { address: { city: 'Honolulu', state: 'HI', postal_code: '96813' } },
  line_items: [{ quantity: '1', unit_price: '100.00' }],
};
const account = (pass_on_general_excise: boolean) => {
  const settings: Settings = { ...defaultSettings('aspen.2026-10-01'), pass_on_general_excise };
  return { ...newAccount({ id: 'acct_replay', name: 'Replay', serviceVersion: '', createdMs: 0 }), settings };
};

const recorded = async (isOn: boolean): Promise<StoredTransaction> => {
  const recorder = new Recorder([]);
  recorder.activate([]);
  await recorder.record('txn_1', { request, settings: { pass_on_general_excise: isOn } });
  return recorder.stored.get('txn_1') as StoredTransaction;
};

const loadContent = contentOf([]);
const now = () => Date.parse('2026-11-23');
const replayed = async (stored: StoredTransaction, isOn: boolean) => {
  const ports = { ledger: { find: async () => stored }, loadContent, now };
  const result = await replayTransaction('txn_1', account(isOn), ports);
  return result.ok ? [result.value.match, result.value.differences] : result;
};

it.each([
  [true, '4.71'],
  [false, '4.50'],
])('recorded with the setting %s it replays to %s after the account changed', async (isOn, tax) => {
  const stored = await recorded(isOn);
  expect(stored.transaction.tax_amount).toBe(tax);
  const read = transactionFrom(transactionItem('acct_replay', stored));
  expect(await replayed(read, !isOn)).toEqual([true, []]);
});

// A stored transaction without the setting.
const withoutSetting = (stored: StoredTransaction): StoredTransaction => {
  const item = transactionItem('acct_replay', stored);
  const { pinned, ...others } = decompress(item['lines'] as Uint8Array) as { readonly pinned: Settings };
  const { pass_on_general_excise: _, ...older } = pinned;
  expect(Object.keys(pinned)).toHaveLength(Object.keys(older).length + 1);
  return transactionFrom({ ...item, lines: compress({ ...others, pinned: older }) });
};

it('stored before there was the setting it replays as without it', async () => {
  const old = withoutSetting(await recorded(false));
  expect(await replayed(old, true)).toEqual([true, []]);
});

it('is credited as recorded, even with other lines', async () => {
  const line_items = [{ id: 'other', quantity: '1', unit_price: '10.00' }];
  for (const [stored, taxes] of [
    [await recorded(true), ['4.71', '0.47']],
    [withoutSetting(await recorded(false)), ['4.50', '0.45']],
  ] as const) {
    const isOn = stored.pinned.pass_on_general_excise;
    const ports = {
      now,
      loadContent,
      ledger: { find: async () => stored },
      customers: { findSome: async () => new Map() },
    };
    const credits = [{}, { line_items }].map((lines) =>
      createCalculation({ type: 'credit', parent_transaction_id: 'txn_1', ...lines }, [], account(!isOn), ports),
    );
    const found = (await Promise.all(credits)).map((credit) => (credit.ok ? credit.value.tax_amount : credit.problems));
    expect(found).toEqual(taxes);
  }
});

it('an account that was stored before there was the setting does not pass on', () => {
  const { settings, ...others } = account(true);
  const { pass_on_general_excise: _, ...older } = settings;
  expect(Account.parse({ ...others, settings: older }).settings.pass_on_general_excise).toBe(false);
  expect(Account.parse({ ...others, settings }).settings.pass_on_general_excise).toBe(true);
});
