/** The options and output that the commands for API keys share. */
import type { Command } from 'commander';
import type { ApiKey } from '../../accounts/api-key.ts';
import { findNamedKey, type KeyTerms } from '../../store/accounts/api-key-store.ts';
import { requireAccount } from '../terminal/accounts.ts';
import { expiryOf, nameFrom } from '../terminal/arguments.ts';
import { CommandError } from '../terminal/errors.ts';
import { print } from '../terminal/output.ts';

/**
 * The state of a key at `nowMs` (milliseconds since 1970). A revoked or expired key does not authenticate. An overlapping
 * one is replaced by another key, and expires soon.
 */
export const stateOf = ({ revoked_at, expires_at, replaced_by }: ApiKey, nowMs: number) => {
  if (revoked_at !== undefined) return 'revoked';
  if (expires_at !== null && Date.parse(expires_at) <= nowMs) return 'expired';
  return replaced_by === undefined ? 'active' : 'overlapping';
};

/** A forgotten key expires, and a rotation once a quarter is in time. */
const expiresByDefault = '90d';

const scopes: ApiKey['scopes'] = ['read', 'write'];

/** Read scopes: one, or both with a comma. */
export const scopesOf = (text: string): ApiKey['scopes'] => {
  const named = text.split(',').map((scope) => scope.trim());
  const known = scopes.filter((scope) => named.includes(scope));
  if (known.length === 0 || known.length < new Set(named).size)
    throw new CommandError(`"${text}" has unknown scopes. Pass read, write, or read,write.`);
  return known;
};

export type TermOptions = { readonly expires: string; readonly label?: string };

/** The options of every command that makes a key. */
export const addTermOptions = (command: Command): Command =>
  command
    .option('--expires <when>', 'a duration (12h, 90d, 8w), an ISO instant, or never', expiresByDefault)
    .option('--label <text>', 'the user of the key; shown by `keys list`');

/** The expiry and label of a new key. */
export const termsOf = ({ expires, label }: TermOptions, nowMs: number): Pick<KeyTerms, 'expires_at' | 'label'> => ({
  expires_at: expiryOf(expires, nowMs),
  ...(label !== undefined && { label: nameFrom(label, '--label') }),
});

/** A new key for scripts, with its secret. */
export const withSecret = ({ id, account, label, created_at, expires_at, ...key }: ApiKey, secret: string) => {
  const answer = { id, account, label: label ?? null, scopes: key.scopes };
  return { ...answer, created_at, expires_at, secret };
};

/** Print a new key. */
export const printKey = ({ id, label, expires_at, ...key }: ApiKey, secret: string): void => {
  print(`Key      ${secret}`);
  print(`Id       ${id}${label === undefined ? '' : ` (${label})`}`);
  print(`Scopes   ${key.scopes.join(', ')}`);
  print(`Expires  ${expires_at ?? 'never'}`);
  print('The key is not shown again. Store it in your vault now. Send it in the header X-API-Key.');
};

/** The key with this id. Refuses a key itself, because it would stay in the shell history. */
export const requireKey = async (accountId: string, id: string) => {
  if (id.startsWith('levy_'))
    throw new CommandError(
      'Pass the id of the key (key_…), not the key itself, which is now in your shell history. If you have only the key, pass it to `npm run accounts -- keys revoke --leaked` on standard input.',
    );
  const account = await requireAccount(accountId);
  const key = await findNamedKey(account.id, id);
  if (key) return key;
  throw new CommandError(
    `The account ${account.id} has no key ${id}. List them with \`npm run accounts -- keys list --account ${account.id}\`.`,
  );
};
