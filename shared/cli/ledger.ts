/** `npm run ledger -- …`: verify an account's ledger, print changes and events, export and import. */
import { countTransaction, countTransactions } from '../reports/count-transactions.ts';
import { ledgerReads } from '../store/ledger/ledger-reads.ts';
import { transactionIds } from '../store/ledger/ledger-walk.ts';
import { countStoreWithin } from '../store/report-store.ts';
import { events } from './ledger/events.ts';
import { exportCommand } from './ledger/export.ts';
import { history } from './ledger/history.ts';
import { importCommand } from './ledger/import.ts';
import { verify } from './ledger/verify.ts';
import { requireOpenAccount } from './terminal/arguments.ts';
import { counted, print } from './terminal/output.ts';
import { account, createProgram, runCommand, subcommand } from './terminal/run-command.ts';

const pageSize = 100;

const recount = subcommand({
  name: 'recount',
  summary: 'add missing transactions to the reports',
  description:
    'Add transactions to the reports by state that are missing because the stream could not deliver them. No transaction is counted twice, even while the service runs. Run it again after an interruption.',
  options: { account },
  run: async ({ account }) => {
    await requireOpenAccount(account);
    let [checked, added] = [0, 0];
    for await (const ids of transactionIds(account, pageSize)) {
      const versions = (await ledgerReads.findSome(account, ids)).flatMap((stored) => {
        const { id, version, finalized_at } = stored.transaction;
        // Transactions that were never finalized were never counted, and need no mark.
        return finalized_at === null ? [] : [{ account, id, version, counted: countTransaction(stored) }];
      });
      added += await countTransactions(versions, countStoreWithin());
      checked += ids.length;
    }
    print(`Checked ${counted(checked, 'transaction')}: added ${added} that were missing from the reports.`);
  },
});

export const ledgerProgram = () =>
  createProgram(
    'ledger',
    'The ledger of an account, in the Transactions table on AWS, or in the emulator at DYNAMODB_ENDPOINT. Only `import` and `recount` write.',
    'ledger -- verify --account acct_demo',
    [verify, history, events, exportCommand, importCommand, recount],
  );

if (import.meta.main) await runCommand(ledgerProgram());
