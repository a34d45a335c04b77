import { Command } from 'commander';
import { addEvents } from './events.ts';
import { addExport } from './export.ts';
import { addHistory } from './history.ts';
import { addImport } from './import.ts';
import { addVerify } from './verify.ts';

/** The commands with their options and help. An expected error throws a `CommandError`. */
export const ledgerProgram = (): Command => {
  const program = new Command('ledger')
    .usage('[command] [options]')
    .description(
      'The ledger of an account, in the Transactions table of AWS, or of the emulator that DYNAMODB_ENDPOINT names. Only `import` writes.',
    )
    .addHelpText('after', '\nExample:\n  npm run ledger -- verify --account acct_demo')
    .showHelpAfterError('See the options with --help.');
  for (const add of [addVerify, addHistory, addEvents, addExport, addImport]) add(program);
  return program;
};
