import { isDeepStrictEqual } from 'node:util';
import type { Account } from '../../accounts/account.ts';
import { now } from '../../config/clock.ts';
import { hashFile } from '../../importers/files/open-file.ts';
import {
  beginDeletion,
  closeAccount,
  endDeletion,
  findDeletion,
  reopenAccount,
} from '../../store/accounts/account-closing.ts';
import { deleteAccountItems } from '../../store/accounts/account-items.ts';
import { listKeys, revokeKey } from '../../store/accounts/api-key-store.ts';
import { allFilings } from '../../store/filings/entry-places.ts';
import { filingReads } from '../../store/filings/filing-reads.ts';
import { stateJurisdictions } from '../../vocabulary/jurisdiction.ts';
import { countsText, firstDifference } from '../ledger/export.ts';
import { type Checked, checkExport, linesAfter } from '../ledger/read-export.ts';
import { requireAccount, resolvePath } from '../terminal/arguments.ts';
import { counted, print, printJson } from '../terminal/output.ts';
import { type Confirmation, requireConfirmation, withProgress } from '../terminal/progress.ts';
import { account, CommandError, flag, required, subcommand, yes } from '../terminal/run-command.ts';

/** `accounts close` and `accounts reopen`. */

/** Lists unfinished work to review before the account is closed. */
const readUnfinished = async (id: string): Promise<readonly string[]> => {
  const open: string[] = [];
  // Reads every state, because a state can have open entries after its registration was removed.
  for (const state of stateJurisdictions) {
    const months = await filingReads.oldestOpenMonths(id, state);
    const [oldest] = months.filter((month) => month !== null).sort();
    if (oldest !== undefined) open.push(`${state}: transactions since ${oldest} are not in a filing.`);
  }
  for (const { id: filing, state, status, period_end } of await allFilings(id))
    if (status === 'closed') open.push(`${state}: the return to ${period_end} (${filing}) is not filed.`);
  return open;
};

/** Revokes every active key, including keys that a concurrent command created. Returns how many. */
const revokeKeys = async (account: string): Promise<number> => {
  const active = (await listKeys(account)).filter(({ revoked_at }) => revoked_at === undefined);
  for (const { id } of active) await revokeKey(account, id);
  return active.length;
};

export const close = subcommand({
  name: 'close',
  summary: 'close an account: revoke its keys, stop its schedules',
  description:
    'Show what is unfinished, ask for confirmation, and close the account: its keys are revoked, its bearer tokens are refused, and its periods no longer close automatically. Its ledger is kept, and operators can still close and file periods, export and verify it.',
  options: { account, yes, json: flag('one JSON object; needs --yes') },
  examples: ['accounts -- close --account acct_demo'],
  run: async ({ account: id, ...options }) => {
    const { json } = options;
    const account = await requireAccount(id);
    if (account.closed_at !== undefined) {
      const left = await revokeKeys(id);
      const finished = left > 0 ? ` Revoked ${counted(left, 'key')} that were still active.` : '';
      throw new CommandError(`The account ${id} was already closed at ${account.closed_at}.${finished}`);
    }
    const unfinished = await readUnfinished(id);
    for (const line of json ? [] : unfinished) print(line);
    const message = `Close ${id} (${account.name})? Its keys are revoked, and its periods no longer close automatically.`;
    await requireConfirmation(message, options);
    const closedAt = new Date(now()).toISOString();
    if (!(await closeAccount(id, closedAt)))
      throw new CommandError(`Another operator has just closed ${id}. Run the command again to see the current state.`);
    const revoked = await revokeKeys(id);
    if (json) return printJson({ id, closed_at: closedAt, revoked_keys: revoked, unfinished });
    print(`Closed ${id}; ${counted(revoked, 'key')} revoked. Running instances apply this within 60 seconds.`);
    print(
      `Next: export it with \`npm run ledger -- export ${id} --out ${id}.ndjson\`; after 24 hours it can be deleted.`,
    );
  },
});

export const reopen = subcommand({
  name: 'reopen',
  summary: 'reopen a closed account',
  description: 'Reopen an account that was closed but not deleted. Its keys remain revoked.',
  options: { account, json: flag('one JSON object') },
  run: async ({ account: id, json }) => {
    const account = await requireAccount(id);
    if (account.closed_at === undefined) throw new CommandError(`The account ${id} is open; nothing was changed.`);
    if (!(await reopenAccount(account, new Date(now()).toISOString())))
      throw new CommandError(`The account ${id} is being deleted or has just been reopened. Nothing was changed.`);
    if (json) return printJson({ id, closed_at: null });
    print(
      `Reopened ${id}. Its keys remain revoked: create one with \`npm run accounts -- keys create --account ${id} --scopes read,write\`.`,
    );
  },
});

/** `accounts delete`: delete a closed account after checking its export. */

/** After this time, saved responses have expired and no request that began before the closing is still running. */
const closedForMs = 24 * 3_600_000;
const pauseMs = 2000;

const refuseUnlessClosed = ({ id, closed_at }: Account, nowMs: number): void => {
  if (closed_at === undefined)
    throw new CommandError(`The account ${id} is open. Close it with \`npm run accounts -- close --account ${id}\`.`);
  const from = Date.parse(closed_at) + closedForMs;
  if (nowMs < from)
    throw new CommandError(
      `The account ${id} was closed at ${closed_at}. It can be deleted from ${new Date(from).toISOString()}, when its saved responses have expired.`,
    );
};

/** Checks that the export is complete, so deleting the account loses no data. */
const refuseOtherExport = async (account: Account, path: string, checked: Checked): Promise<void> => {
  const { id, name, created_at, settings } = account;
  const isSame = isDeepStrictEqual(checked.header.account, { id, name, created_at, settings });
  const line = isSame ? await firstDifference({ account, pauseMs }, linesAfter(path, 1, checked)) : 1;
  if (line !== null)
    throw new CommandError(
      `${path} does not match the current state of ${id}: line ${line} differs. Nothing was deleted. Export again with \`npm run ledger -- export ${id} --out FILE\`.`,
    );
};

const deletionFor = async (account: Account, path: string, checked: Checked, options: Confirmation) => {
  const sha256 = await hashFile(path);
  const { deletion: begun } = await findDeletion(account.id);
  if (begun) {
    if (begun.export_sha256 === sha256) return begun;
    throw new CommandError(
      `${account.id} is being deleted with a different export (SHA-256 ${begun.export_sha256}). Pass that file to continue.`,
    );
  }
  await refuseOtherExport(account, path, checked);
  const message = `Delete ${account.id} (${account.name}) with ${countsText(checked.trailer.counts)}? ${path} contains all of it. States require records of sales for years.`;
  await requireConfirmation(message, options);
  const deletion = { export_sha256: sha256, started_at: new Date(now()).toISOString() };
  if (await beginDeletion(account, deletion)) return deletion;
  throw new CommandError(`${account.id} was reopened, or another command is deleting it. Nothing was deleted.`);
};

export const deleteAccount = subcommand({
  name: 'delete',
  summary: 'delete a closed account after checking its export',
  description:
    'Check that a file of `ledger export` contains the complete account, which must have been closed for at least 24 hours, ask for confirmation, and delete all of its items. After an interruption, run it again to continue. Backups keep the account until they expire.',
  options: {
    account,
    export: required('<file>', 'the file of `ledger export`, made after the account was closed', resolvePath),
    yes,
    json: flag('one JSON object; needs --yes'),
  },
  examples: ['accounts -- delete --account acct_demo --export acct_demo.ndjson'],
  run: async (options) => {
    const { account: id, json } = options;
    const { tombstone: ended } = await findDeletion(id);
    if (ended) {
      // An interrupted run may have left the entry in the register.
      await endDeletion(ended);
      throw new CommandError(`The account ${id} was already deleted at ${ended.deleted_at}.`);
    }
    const account = await requireAccount(id);
    refuseUnlessClosed(account, now());
    const { export: path } = options;
    const checked = await checkExport(path);
    const { counts } = checked.trailer;
    const deletion = await deletionFor(account, path, checked, options);
    const interrupted = 'Interrupted: run the same command to continue';
    await withProgress(`Deleting ${id}`, counts.transaction, interrupted, async (progress) => {
      let done = 0;
      await deleteAccountItems(id, (some) => {
        done += some;
        progress.reach(done, counted(done, 'transaction'));
      });
      progress.finish(`Deleted ${countsText(counts)}`);
    });
    const deleted_at = new Date(now()).toISOString();
    await endDeletion({ id, closed_at: account.closed_at ?? deleted_at, deleted_at, deletion });
    if (json) return printJson({ id, deleted_at, export_sha256: deletion.export_sha256, counts });
    print(`Deleted ${id}. Its id remains reserved, with the SHA-256 of the export: ${deletion.export_sha256}.`);
  },
});
