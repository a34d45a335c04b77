import type { Account } from '../../accounts/account.ts';
import { findAccount } from '../../store/accounts/account-store.ts';
import { CommandError } from '../terminal/errors.ts';

/** The account that an option names. */
export const theAccount = async (id: string): Promise<Account> => {
  const account = await findAccount(id);
  if (account) return account;
  throw new CommandError(`There is no account ${id}. See which there are with \`npm run accounts -- list\`.`);
};
