/** `accounts keys revoke`: revoke a key permanently. */
import { AssertionError } from 'node:assert';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { type ApiKey, digestOf } from '../../../accounts/api-key.ts';
import { findKey, revokeKey } from '../../../store/accounts/api-key-store.ts';
import { CommandError } from '../../terminal/errors.ts';
import { print, printJson } from '../../terminal/output.ts';
import { requireKey } from '../key-terms.ts';

type Options = { readonly account?: string; readonly leaked?: boolean; readonly json?: boolean };

// The finder of a leaked key knows neither its id nor its account.
const leakedKey = async (): Promise<ApiKey> => {
  if (process.stdin.isTTY) process.stderr.write('Paste the key, press Enter, then Ctrl-D.\n');
  const key = await findKey(digestOf((await text(process.stdin)).trim()));
  if (key) return key;
  throw new CommandError('No account has the key from standard input. Check the AWS account and the region.');
};

const namedKey = async (id: string | undefined, account: string | undefined): Promise<ApiKey> => {
  if (id === undefined || account === undefined)
    throw new CommandError('Send the id of the key and --account, or send the key on standard input with --leaked.');
  return (await requireKey(account, id)).key;
};

const revoke = async (named: string | undefined, { account: owner, leaked, json }: Options): Promise<void> => {
  if (leaked && (named !== undefined || owner !== undefined))
    throw new CommandError('--leaked reads the key from standard input. Leave out the id and --account.');
  const key = leaked ? await leakedKey() : await namedKey(named, owner);
  const { id, account, label, revoked_at } = key;
  if (!(await revokeKey(account, id))) throw new AssertionError({ message: `The key ${id} has no name.` });
  if (json) return printJson({ id, account, label: label ?? null, was_revoked_at: revoked_at ?? null });
  const name = `${id}${label === undefined ? '' : ` (${label})`} of ${account}`;
  if (revoked_at !== undefined) return print(`${name} was already revoked at ${revoked_at}.`);
  print(`${name} is revoked. Running instances notice within 60 seconds.`);
};

export const addRevoke = (keys: Command): void => {
  keys
    .command('revoke')
    .summary('revoke a key permanently')
    .description('Revoke an API key. It stops working within 60 seconds and cannot be restored.')
    .argument('[key]', 'its id, such as key_01K6ZV5N5M3V7C8Z2Y4T6R9W0X')
    .option('--account <id>', 'the account, such as acct_demo')
    .option('--leaked', 'read the key from standard input, without its id and account')
    .option('--json', 'one JSON object')
    .addHelpText(
      'after',
      '\nExamples:\n  npm run accounts -- keys revoke key_01K6ZV5N5M3V7C8Z2Y4T6R9W0X --account acct_demo\n  npm run accounts -- keys revoke --leaked < found-key.txt',
    )
    .action(revoke);
};
