import type { Account } from '../../accounts/account.ts';
import { findAccount } from '../../store/accounts/account-store.ts';
import { CommandError } from './errors.ts';

/** The account with this id. Refuses an unknown id. */
export const requireAccount = async (id: string): Promise<Account> => {
  const account = await findAccount(id);
  if (account) return account;
  throw new CommandError(`There is no account ${id}. List the accounts with \`npm run accounts -- list\`.`);
};
