import { Command } from 'commander';
import { addCreate } from './create.ts';
import { addKeys } from './keys.ts';
import { addList } from './list.ts';
import { addSettings } from './settings.ts';

/** The commands with their options and help. An expected error throws a `CommandError`. */
export const accountsProgram = (): Command => {
  const program = new Command('accounts')
    .usage('[command] [options]')
    .description(
      'Accounts, their settings and their API keys, in the Accounts table of AWS, or of the emulator that DYNAMODB_ENDPOINT names.',
    )
    .addHelpText('after', '\nExample:\n  npm run accounts -- create --name "A shop" --key read,write')
    .showHelpAfterError('See the options with --help.');
  for (const add of [addCreate, addList, addSettings, addKeys]) add(program);
  return program;
};
