/** `ledger recount`: count transactions that the reports miss. */
import { countTransaction, countTransactions } from '../../reports/count-transactions.ts';
import { headKey } from '../../store/keys.ts';
import { itemsAt, transactionIds } from '../../store/ledger/ledger-walk.ts';
import { transactionFrom } from '../../store/ledger/transaction-item.ts';
import { countStoreWithin } from '../../store/report-store.ts';
import { requireOpenAccount } from '../terminal/arguments.ts';
import { counted, print } from '../terminal/output.ts';
import type { LevyCommand } from '../terminal/run-command.ts';

const pageSize = 100;

const recount = async ({ account }: { readonly account: string }): Promise<void> => {
  await requireOpenAccount(account);
  let [checked, added] = [0, 0];
  for await (const ids of transactionIds(account, pageSize)) {
    const items = await itemsAt(ids.map((id) => headKey(account, id)));
    const versions = [...items.values()].map(transactionFrom).flatMap((stored) => {
      const { id, version, finalized_at } = stored.transaction;
      // Transactions that were never finalized were never counted, and need no mark.
      return finalized_at === null ? [] : [{ account, id, version, counted: countTransaction(stored) }];
    });
    added += await countTransactions(versions, countStoreWithin());
    checked += ids.length;
  }
  print(`Checked ${counted(checked, 'transaction')}: ${added} were missing from the reports and are now counted.`);
};

export const addRecount = (program: LevyCommand): LevyCommand =>
  program
    .command('recount')
    .summary('count transactions that the reports miss')
    .description(
      'Count the transactions that the reports by state miss because the stream could not deliver them. Nothing counts twice, also while the service runs. Run it again after an interruption.',
    )
    .account()
    .action(recount);
