import type { Item } from '../../../store/ledger/ledger-walk.ts';
import { transactionItem } from '../../../store/ledger/transaction-item.ts';
import type { StoredTransaction, Transaction } from '../../../transactions/transaction.ts';
import { differing, type Fault } from '../finding.ts';

type Times = Pick<Transaction, 'finalized_at' | 'filed_at' | 'voided_at' | 'expires_at' | 'void_reason'>;

/** Which fields a state has and which it has not; what is not named here it may have. */
const having: Readonly<Record<Transaction['status'], Partial<Record<keyof Times, boolean>>>> = {
  draft: { finalized_at: false, filed_at: false, voided_at: false, void_reason: false, expires_at: true },
  finalized: { finalized_at: true, filed_at: false, voided_at: false, void_reason: false, expires_at: false },
  filed: { finalized_at: true, filed_at: true, voided_at: false, void_reason: false, expires_at: false },
  void: { filed_at: false, voided_at: true },
};

/** A state has the times that belong to it, and no others. */
export const stateFaults = (transaction: Transaction): Fault[] => {
  const { status } = transaction;
  const expected = Object.entries(having[status] ?? {}) as [keyof Times, boolean][];
  return expected.flatMap(([field, has]) => {
    const value = transaction[field];
    if ((value !== null) === has) return [];
    return [
      { what: `${field} of a ${status} transaction`, actual: value ?? 'none', expected: has ? 'a value' : 'none' },
    ];
  });
};

// What is compressed is read, and not compared: compressing it again may give other bytes.
const isCompressed = (value: unknown) => value instanceof Uint8Array;

/** Check that the attributes for conditions, lists and operators match the compressed transaction. */
export const attributeFaults = (account: string, item: Item, stored: StoredTransaction): Fault[] => {
  const expected: Item = transactionItem(account, stored);
  const names = [...new Set([...Object.keys(expected), ...Object.keys(item)])];
  return names
    .filter((name) => !(isCompressed(item[name]) && isCompressed(expected[name])))
    .flatMap((name) => differing(`attribute ${name}`, item[name], expected[name]));
};
