/** `npm run ledger -- …`: check an account's ledger, look at a transaction's history, tell of it again, export and import. */
import { ledgerProgram } from './ledger/program.ts';
import { runCommand } from './terminal/run-command.ts';

await runCommand(ledgerProgram());
