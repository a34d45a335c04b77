import type { Account } from '../../accounts/account.ts';
import { findAccount } from '../../store/accounts/account-store.ts';
import { findNamedKey } from '../../store/accounts/api-key-store.ts';
import { CommandError } from '../terminal/errors.ts';

/** The key that an operator names by its id. A key itself is no name: it would stay in the history of the shell. */
export const requireKey = async (accountId: string, id: string) => {
  if (id.startsWith('levy_'))
    throw new CommandError(
      'That is a key itself, and now it stands in the history of your shell. Name it by its id (key_…); where you have nothing but the key, send it to `npm run accounts -- keys revoke --leaked` on standard input.',
    );
  const account = await requireAccount(accountId);
  const key = await findNamedKey(account.id, id);
  if (key) return key;
  throw new CommandError(
    `The account ${account.id} has no key ${id}. See which there are with \`npm run accounts -- keys list --account ${account.id}\`.`,
  );
};

/** The account that an option names. */
export const requireAccount = async (id: string): Promise<Account> => {
  const account = await findAccount(id);
  if (account) return account;
  throw new CommandError(`There is no account ${id}. See which there are with \`npm run accounts -- list\`.`);
};
