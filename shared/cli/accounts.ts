/** `npm run accounts -- …`: create accounts and their API keys, and change their settings. */
import type { Account } from '../accounts/account.ts';
import { allAccounts } from '../store/accounts/account-store.ts';
import { addAdvice } from './accounts/advice.ts';
import { addCheck } from './accounts/check.ts';
import { addClose, addDelete, addReopen } from './accounts/close.ts';
import { addCreate } from './accounts/create.ts';
import { addKeys } from './accounts/keys.ts';
import { addRedact } from './accounts/redact.ts';
import { addSettings } from './accounts/settings.ts';
import { counted, instantText, print, printJson, textTable } from './terminal/output.ts';
import { LevyCommand, runCommand, withCommands } from './terminal/run-command.ts';

/** Returns an account as JSON output, without the secret that signs its cursors. */
const listed = ({ id, name, created_at, settings_changed_at, closed_at, settings }: Account) => ({
  id,
  name,
  created_at,
  settings_changed_at: settings_changed_at ?? null,
  closed_at: closed_at ?? null,
  settings,
});

const row = ({ id, name, created_at, settings, closed_at }: Account): readonly string[] => [
  id,
  name,
  instantText(created_at),
  settings.service_version,
  String(settings.rate_limit),
  closed_at === undefined ? 'open' : `closed ${instantText(closed_at)}`,
];
const headings = ['account', 'name', 'created (UTC)', 'service version', 'rate limit', 'state'];

const addList = (program: LevyCommand): LevyCommand =>
  program
    .command('list')
    .summary('all accounts')
    .description('List all accounts with their service version and their rate limit per 10 s.')
    .option('--json', 'one JSON array, with all settings')
    .action(async ({ json }: { json?: boolean }) => {
      const accounts = await Array.fromAsync(allAccounts());
      if (json) return printJson(accounts.map(listed));
      print(textTable([headings, ...accounts.map(row)]));
      print(`${counted(accounts.length, 'account')}.`);
    });

export const accountsProgram = (): LevyCommand =>
  withCommands(
    new LevyCommand('accounts').description(
      'Accounts, their settings and their API keys, in the Accounts table on AWS, or in the emulator at DYNAMODB_ENDPOINT.',
    ),
    'npm run accounts -- create --name "A shop" --key read,write',
    [addCreate, addList, addSettings, addCheck, addAdvice, addKeys, addRedact, addClose, addReopen, addDelete],
  );

if (import.meta.main) await runCommand(accountsProgram());
