/** `npm run ledger -- …`: verify an account's ledger, print changes and events, export and import. */
import { addEvents } from './ledger/events.ts';
import { addExport } from './ledger/export.ts';
import { addHistory } from './ledger/history.ts';
import { addImport } from './ledger/import.ts';
import { addRecount } from './ledger/recount.ts';
import { addVerify } from './ledger/verify.ts';
import { LevyCommand, runCommand, withCommands } from './terminal/run-command.ts';

export const ledgerProgram = (): LevyCommand =>
  withCommands(
    new LevyCommand('ledger').description(
      'The ledger of an account, in the Transactions table on AWS, or in the emulator at DYNAMODB_ENDPOINT. Only `import` and `recount` write.',
    ),
    'npm run ledger -- verify --account acct_demo',
    [addVerify, addHistory, addEvents, addExport, addImport, addRecount],
  );

if (import.meta.main) await runCommand(ledgerProgram());
