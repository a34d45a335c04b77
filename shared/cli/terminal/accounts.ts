import type { Account } from '../../accounts/account.ts';
import { findDeletion } from '../../store/accounts/account-closing.ts';
import { findAccount } from '../../store/accounts/account-store.ts';
import { CommandError } from './errors.ts';

/** The account with this id. Refuses an unknown id. */
export const requireAccount = async (id: string): Promise<Account> => {
  const account = await findAccount(id);
  if (account) return account;
  const { tombstone } = await findDeletion(id);
  if (tombstone) throw new CommandError(`The account ${id} was deleted at ${tombstone.deleted_at}.`);
  throw new CommandError(`There is no account ${id}. List the accounts with \`npm run accounts -- list\`.`);
};

/** The account with this id. Refuses an unknown id and a closed account. */
export const requireOpenAccount = async (id: string): Promise<Account> => {
  const account = await requireAccount(id);
  if (account.closed_at === undefined) return account;
  throw new CommandError(
    `The account ${id} was closed at ${account.closed_at}. Reopen it with \`npm run accounts -- reopen --account ${id}\`.`,
  );
};
