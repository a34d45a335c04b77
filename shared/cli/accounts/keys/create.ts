/** `accounts keys create`: a new API key. */
import type { Command } from 'commander';
import { newApiKey } from '../../../accounts/api-key.ts';
import { now } from '../../../config/clock.ts';
import { provisionKey } from '../../../store/accounts/api-key-store.ts';
import { requireAccount } from '../../terminal/accounts.ts';
import { print, printJson } from '../../terminal/output.ts';
import { addTermOptions, printKey, scopesOf, type TermOptions, termsOf, withSecret } from '../key-terms.ts';

type Options = TermOptions & {
  readonly account: string;
  readonly scopes: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
};

const create = async ({ account: id, scopes, json, quiet, ...options }: Options): Promise<void> => {
  const createdMs = now();
  const terms = { scopes: scopesOf(scopes), ...termsOf(options, createdMs) };
  const account = await requireAccount(id);
  const secret = newApiKey();
  const key = await provisionKey({ account: account.id, secret, createdMs, ...terms });
  if (json) return printJson(withSecret(key, secret));
  if (quiet) return print(secret);
  print(`Account  ${account.id} (${account.name})`);
  printKey(key, secret);
};

export const addCreate = (keys: Command): void => {
  const command = keys
    .command('create')
    .summary('create a key and show it once')
    .description('Create an API key and print it. It is not shown again: Levy stores only its SHA-256 digest.')
    .requiredOption('--account <id>', 'the account, such as acct_demo')
    .requiredOption('--scopes <scopes>', 'read, write, or read,write');
  addTermOptions(command)
    .option('--quiet', 'print only the key')
    .option('--json', 'one JSON object, with the key in `secret`')
    .addHelpText(
      'after',
      '\nExample:\n  npm run accounts -- keys create --account acct_demo --scopes read --label "web shop"',
    )
    .action(create);
};
