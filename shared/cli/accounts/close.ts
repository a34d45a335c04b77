/** `accounts close` and `accounts reopen`. */
import type { Command } from 'commander';
import { type Account, listRegistrations } from '../../accounts/account.ts';
import { now } from '../../config/clock.ts';
import { registeredStates } from '../../filings/periods.ts';
import { closeAccount, reopenAccount } from '../../store/accounts/account-closing.ts';
import { listKeys, revokeKey } from '../../store/accounts/api-key-store.ts';
import { filingReads } from '../../store/filings/filing-reads.ts';
import { stateJurisdictions } from '../../vocabulary/jurisdiction.ts';
import { filingBook } from '../ledger/filing-book.ts';
import { requireAccount } from '../terminal/accounts.ts';
import { type Confirmation, requireConfirmation } from '../terminal/confirm.ts';
import { CommandError } from '../terminal/errors.ts';
import { counted, print, printJson } from '../terminal/output.ts';

type Options = Confirmation & { readonly account: string };

/** Work that an operator may finish before the account is closed. */
const unfinishedOf = async ({ id, settings }: Account): Promise<readonly string[]> => {
  const open: string[] = [];
  const registrations = listRegistrations(settings);
  for (const state of registrations ? registeredStates(registrations) : stateJurisdictions) {
    const months = await filingReads.oldestOpenMonths(id, state);
    const [oldest] = months.filter((month) => month !== null).sort();
    if (oldest !== undefined) open.push(`${state}: transactions since ${oldest} are not in a filing.`);
  }
  for (const { id: filing, state, status, period_end } of (await filingBook(id)).all())
    if (status === 'closed') open.push(`${state}: the return to ${period_end} (${filing}) is not filed.`);
  return open;
};

/** Revokes every active key, including keys that a concurrent command created. Returns how many. */
const revokeKeys = async (account: string): Promise<number> => {
  const active = (await listKeys(account)).filter(({ revoked_at }) => revoked_at === undefined);
  for (const { id } of active) await revokeKey(account, id);
  return active.length;
};

const close = async ({ account: id, yes, json }: Options): Promise<void> => {
  const account = await requireAccount(id);
  if (account.closed_at !== undefined) {
    const left = await revokeKeys(id);
    const finished = left > 0 ? ` ${counted(left, 'key')} of it were active and are revoked now.` : '';
    throw new CommandError(`The account ${id} was already closed at ${account.closed_at}.${finished}`);
  }
  const unfinished = await unfinishedOf(account);
  for (const line of json ? [] : unfinished) print(line);
  const message = `Close ${id} (${account.name})? Its keys are revoked, and no period of it closes by itself.`;
  await requireConfirmation(message, { yes: yes ?? false, json: json ?? false });
  const closedAt = new Date(now()).toISOString();
  if (!(await closeAccount(id, closedAt)))
    throw new CommandError(`Another operator closed ${id} just now. Run this again to see it.`);
  const revoked = await revokeKeys(id);
  if (json) return printJson({ id, closed_at: closedAt, revoked_keys: revoked, unfinished });
  print(`Closed ${id}; ${counted(revoked, 'key')} revoked. Running instances notice within 60 seconds.`);
  print(
    `Next: export it with \`npm run ledger -- export ${id} --out ${id}.ndjson\`; after 24 hours it can be deleted.`,
  );
};

const reopen = async ({ account: id, json }: Options): Promise<void> => {
  const account = await requireAccount(id);
  if (account.closed_at === undefined) throw new CommandError(`The account ${id} is open; nothing was changed.`);
  if (!(await reopenAccount(account, new Date(now()).toISOString())))
    throw new CommandError(`The account ${id} is being deleted, or was reopened just now. Nothing was changed.`);
  if (json) return printJson({ id, closed_at: null });
  print(
    `Reopened ${id}. Its keys stay revoked: create one with \`npm run accounts -- keys create --account ${id} --scopes read,write\`.`,
  );
};

export const addClose = (program: Command): Command =>
  program
    .command('close')
    .summary('end an account: revoke its keys, stop its schedules')
    .description(
      'Show what is unfinished, ask for confirmation, and close the account: its keys are revoked, tokens that name it are refused, and no period of it closes by itself. Its ledger stays, and operators can still close and file periods, export and verify it.',
    )
    .requiredOption('--account <id>', 'the account, such as acct_demo')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'one JSON object; needs --yes')
    .addHelpText('after', '\nExample:\n  npm run accounts -- close --account acct_demo')
    .action(close);

export const addReopen = (program: Command): Command =>
  program
    .command('reopen')
    .summary('open a closed account again')
    .description('Open an account that was closed and not deleted. Its keys stay revoked.')
    .requiredOption('--account <id>', 'the account, such as acct_demo')
    .option('--json', 'one JSON object')
    .action(reopen);
