import type { Account } from '../../../accounts/account.ts';
import { newAccount } from '../../../accounts/account.ts';
import { findAccount, provisionAccount } from '../../../store/accounts/account-store.ts';
import { filingReads } from '../../../store/filings/filing-reads.ts';
import { newestId } from '../../../store/ledger/ledger-walk.ts';
import { CommandError } from '../../terminal/errors.ts';
import type { Header } from '../export/format.ts';
import { releaseHash } from '../export/releases.ts';

/** Every release that the ledger rests on is here, and is the same one; or what the operator must do. */
export const refuseOtherContent = async ({ releases }: Header, missingMayBe: boolean): Promise<readonly string[]> => {
  const missing: string[] = [];
  const other: string[] = [];
  for (const [release, hash] of Object.entries(releases)) {
    const here = await releaseHash(release);
    if (here === null) missing.push(release);
    else if (here !== hash) other.push(release);
  }
  if (other.length > 0)
    throw new CommandError(
      `These releases have another content here: ${other.join(', ')}. Transactions could not be computed again as they were.`,
    );
  if (missing.length > 0 && !missingMayBe)
    throw new CommandError(
      `These releases are not here: ${missing.join(', ')}. Copy the content's table first; or send --without-content: the ledger is whole without them, but what rests on them cannot be computed again.`,
    );
  return missing;
};

/** Refuse an account that has a ledger or registrations: the schedule could close its periods during the import. */
export const refuseUsedAccount = async (id: string, account: Account | undefined): Promise<void> => {
  const { rows } = await filingReads.page(id, null, 1);
  if (rows.length > 0 || (await newestId(id)) !== undefined)
    throw new CommandError(`The account ${id} has a ledger already. Import into one that is not there yet.`);
  if (account?.settings.registrations?.length)
    throw new CommandError(
      `The account ${id} is registered in states, so a schedule closes its periods. Import into an id that does not exist: the import creates the account with the settings of the file.`,
    );
};

/** The account as it was exported, under its id here: made when its ledger is whole, so that no schedule meets half of it. */
export const provisionFrom = async (id: string, { account }: Header): Promise<void> => {
  if (await findAccount(id)) return;
  const { name, created_at, settings } = account;
  const createdMs = Date.parse(created_at);
  const made = newAccount({ id, name, serviceVersion: settings.service_version, createdMs, settings });
  await provisionAccount({ ...made, created_at });
};
