/** `accounts list`: every account there is. */
import type { Command } from 'commander';
import type { Account } from '../../accounts/account.ts';
import { allAccounts } from '../../store/accounts/account-store.ts';
import { counted, instantText, print, printJson, textTable } from '../terminal/output.ts';

/** An account as operators get it: without the secret that signs its cursors. */
const listed = ({ id, name, created_at, settings_changed_at, settings }: Account) => ({
  id,
  name,
  created_at,
  settings_changed_at: settings_changed_at ?? null,
  settings,
});

const row = ({ id, name, created_at, settings }: Account): readonly string[] => [
  id,
  name,
  instantText(created_at),
  settings.service_version,
  String(settings.rate_limit),
];
const headings = ['account', 'name', 'created (UTC)', 'service version', 'rate limit'];

export const addList = (program: Command): void => {
  program
    .command('list')
    .summary('the accounts there are')
    .description('List all accounts with their service version and their requests in ten seconds.')
    .option('--json', 'one JSON array, with all settings')
    .action(async ({ json }: { json?: boolean }) => {
      const accounts = await Array.fromAsync(allAccounts());
      if (json) return printJson(accounts.map(listed));
      print(textTable([headings, ...accounts.map(row)]));
      print(`${counted(accounts.length, 'account')}.`);
    });
};
