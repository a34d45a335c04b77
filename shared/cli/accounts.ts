/** `npm run accounts -- …`: create accounts and their API keys, and change their settings. */
import { Command } from 'commander';
import { addCreate } from './accounts/create.ts';
import { addKeys } from './accounts/keys.ts';
import { addList } from './accounts/list.ts';
import { addSettings } from './accounts/settings.ts';
import { runCommand, withCommands } from './terminal/run-command.ts';

export const accountsProgram = (): Command =>
  withCommands(
    new Command('accounts').description(
      'Accounts, their settings and their API keys, in the Accounts table of AWS, or of the emulator that DYNAMODB_ENDPOINT names.',
    ),
    'npm run accounts -- create --name "A shop" --key read,write',
    [addCreate, addList, addSettings, addKeys],
  );

if (import.meta.main) await runCommand(accountsProgram());
