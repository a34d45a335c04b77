/** `ledger migrate`: commitments for transactions of earlier versions. */
import type { Command } from 'commander';
import { headKey } from '../../store/keys.ts';
import { itemsAt, transactionIds } from '../../store/ledger/ledger-walk.ts';
import { redactionPorts } from '../../store/ledger/redaction-store.ts';
import { transactionFrom } from '../../store/ledger/transaction-item.ts';
import { migrateTransaction } from '../../transactions/personal-data/redact.ts';
import { requireAccount } from '../terminal/accounts.ts';
import { counted, print } from '../terminal/output.ts';
import { findingText } from './finding.ts';
import { concurrently } from './verify-account.ts';

const pageSize = 100;

const migrate = async ({ account }: { readonly account: string }): Promise<void> => {
  await requireAccount(account);
  const ports = redactionPorts();
  let [checked, migrated] = [0, 0];
  for await (const ids of transactionIds(account, pageSize)) {
    const items = await itemsAt(ids.map((id) => headKey(account, id)));
    const stored = [...items.values()].map(transactionFrom);
    await concurrently(
      stored.filter(({ commitments }) => commitments === undefined),
      async ({ transaction: { id } }) => {
        const done = await migrateTransaction(account, id, 'operator', ports);
        if (done === 'redacted') migrated += 1;
        if (done !== 'inconsistent') return;
        process.exitCode = 1;
        const what = 'hash of the state in the newest entry';
        print(findingText({ id, check: 'chain', what, actual: 'another', expected: 'that of the transaction' }));
      },
    );
    checked += ids.length;
  }
  print(`Migrated ${counted(migrated, 'transaction')} of ${checked}.`);
};

export const addMigrate = (program: Command): Command =>
  program
    .command('migrate')
    .summary('salted commitments for transactions of earlier versions')
    .description(
      'Append an audit entry to each transaction whose state hash an earlier version computed from its personal data. The new state hash covers salted commitments; the chain keeps the earlier hash. Figures stay. A redaction does the same, so this is only needed to be ready for partial proofs. Run it again after an interruption.',
    )
    .requiredOption('--account <id>', 'the account, such as acct_demo')
    .action(migrate);
