import type { Item } from '../../../store/ledger/ledger-walk.ts';
import { transactionItem } from '../../../store/ledger/transaction-item.ts';
import type { StoredTransaction, Transaction } from '../../../transactions/transaction.ts';
import { differing, type Fault, faultUnless } from '../finding.ts';

type Times = Pick<Transaction, 'finalized_at' | 'filed_at' | 'voided_at' | 'expires_at' | 'void_reason'>;

/** The fields that a status has (`true`) and does not have (`false`). Other fields are optional. */
const fieldsOf: Readonly<Record<Transaction['status'], Partial<Record<keyof Times, boolean>>>> = {
  draft: { finalized_at: false, filed_at: false, voided_at: false, void_reason: false, expires_at: true },
  finalized: { finalized_at: true, filed_at: false, voided_at: false, void_reason: false, expires_at: false },
  filed: { finalized_at: true, filed_at: true, voided_at: false, void_reason: false, expires_at: false },
  void: { filed_at: false, voided_at: true },
};

export const stateFaults = (transaction: Transaction): Fault[] => {
  const { status } = transaction;
  const expected = Object.entries(fieldsOf[status] ?? {}) as [keyof Times, boolean][];
  return expected.flatMap(([field, has]) => {
    const value = transaction[field];
    const what = `${field} of a ${status} transaction`;
    return faultUnless((value !== null) === has, what, value ?? 'none', has ? 'a value' : 'none');
  });
};

// Compressed attributes are read, but not compared: another compressor version may write other bytes.
const isCompressed = (value: unknown) => value instanceof Uint8Array;

/** Check that the attributes for conditions, lists and operators match the compressed transaction. */
export const attributeFaults = (account: string, item: Item, stored: StoredTransaction): Fault[] => {
  const expected: Item = transactionItem(account, stored);
  const names = [...new Set([...Object.keys(expected), ...Object.keys(item)])];
  return names
    .filter((name) => !(isCompressed(item[name]) && isCompressed(expected[name])))
    .flatMap((name) => differing(`attribute ${name}`, item[name], expected[name]));
};
