import { encodeTime } from 'ulid';
import { namesCustomer } from '../../ledger/personal-data/fields.ts';
import type { Transaction } from '../../ledger/transaction.ts';
import { headKey } from '../../store/keys.ts';
import { creditIds, itemsAt, transactionIds } from '../../store/ledger/ledger-walk.ts';
import { transactionFrom } from '../../store/ledger/transaction-item.ts';
import { idsOfReference } from '../ledger/transaction-ids.ts';
import { CommandError } from '../terminal/errors.ts';

/** Which transactions to redact: one with its credits, all of a customer, or all created before an instant. */
export type Selection =
  | { readonly transaction: string }
  | { readonly customer: string }
  | { readonly beforeMs: number };

const pageSize = 100;

/** A transaction of the selection. */
export type Selected = Pick<Transaction, 'id' | 'redacted_at'>;

/** The transactions with these ids that are in the selection, from strongly consistent reads of the table. */
const matching = async (
  account: string,
  ids: readonly string[],
  matches: (transaction: Transaction) => boolean,
): Promise<readonly Selected[]> => {
  const items = await itemsAt(ids.map((id) => headKey(account, id)));
  return [...items.values()].map((item) => transactionFrom(item).transaction).filter(matches);
};

const ofTransaction = async function* (account: string, reference: string): AsyncGenerator<readonly Selected[]> {
  const found = await matching(account, await idsOfReference(account, reference), () => true);
  if (found.length === 0)
    throw new CommandError(
      `The account ${account} has no transaction with the id or reference ${reference}. Nothing was changed.`,
    );
  yield found;
  for (const { id } of found)
    for await (const ids of creditIds(account, id))
      yield await matching(account, ids, ({ parent_transaction_id }) => parent_transaction_id === id);
};

/** The transactions of a selection, in pages. A customer can be on any line, so that every transaction is read. */
export const selectedTransactions = async function* (
  account: string,
  selection: Selection,
): AsyncGenerator<readonly Selected[]> {
  if ('transaction' in selection) return yield* ofTransaction(account, selection.transaction);
  // An id begins with its creation time.
  const end = 'beforeMs' in selection ? `txn_${encodeTime(selection.beforeMs, 10)}` : '~';
  const matches = (transaction: Transaction) =>
    !('customer' in selection) || namesCustomer(transaction, selection.customer);
  for await (const page of transactionIds(account, pageSize)) {
    const ids = page.filter((id) => id < end);
    yield await matching(account, ids, matches);
    if (ids.length < page.length) return;
  }
};
