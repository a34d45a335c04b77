import type { Account } from '../../accounts/account.ts';
import { findAccount } from '../../store/accounts/account-store.ts';
import { findNamedKey } from '../../store/accounts/api-key-store.ts';
import { CommandError } from '../terminal/errors.ts';

/** The key with this id. Refuses a key itself, because it would stay in the shell history. */
export const requireKey = async (accountId: string, id: string) => {
  if (id.startsWith('levy_'))
    throw new CommandError(
      'Send the id of the key (key_…), not the key itself, which is now in your shell history. If you have only the key, send it to `npm run accounts -- keys revoke --leaked` on standard input.',
    );
  const account = await requireAccount(accountId);
  const key = await findNamedKey(account.id, id);
  if (key) return key;
  throw new CommandError(
    `The account ${account.id} has no key ${id}. List them with \`npm run accounts -- keys list --account ${account.id}\`.`,
  );
};

/** The account with this id. */
export const requireAccount = async (id: string): Promise<Account> => {
  const account = await findAccount(id);
  if (account) return account;
  throw new CommandError(`There is no account ${id}. List the accounts with \`npm run accounts -- list\`.`);
};
