/** `accounts delete`: delete a closed account after a proven export. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import type { Account } from '../../accounts/account.ts';
import { now } from '../../config/clock.ts';
import { beginDeletion, type Deletion, endDeletion, findDeletion } from '../../store/accounts/account-closing.ts';
import { deleteAccountItems } from '../../store/accounts/account-items.ts';
import { firstDifference } from '../ledger/export/export-ledger.ts';
import type { Header } from '../ledger/export/format.ts';
import { countsText } from '../ledger/export.ts';
import { checkExport, linesAfter } from '../ledger/import/read-export.ts';
import { requireAccount } from '../terminal/accounts.ts';
import { pathOf } from '../terminal/arguments.ts';
import { type Confirmation, requireConfirmation } from '../terminal/confirm.ts';
import { CommandError } from '../terminal/errors.ts';
import { counted, print, printJson } from '../terminal/output.ts';
import { withProgress } from '../terminal/progress.ts';

type Options = Confirmation & { readonly account: string; readonly export: string };

/** No saved response of the account is valid after this time, and no request that began before the closing is running. */
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

const sha256Of = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
};

/** Check that the file has everything of the account, so that deleting it loses nothing. */
const provenHeader = async (account: Account, path: string): Promise<Header> => {
  const { id, name, created_at, settings } = account;
  const checked = await checkExport(path);
  const { header } = checked;
  const refuse = (why: string) =>
    new CommandError(
      `${path} is not an export of ${id} as it is now: ${why}. Nothing was deleted. Export again with \`npm run ledger -- export ${id} --out FILE\`.`,
    );
  if (!isDeepStrictEqual(header.account, { id, name, created_at, settings })) throw refuse('line 1 differs');
  const line = await firstDifference({ account, pauseMs }, linesAfter(path, 1, checked));
  if (line !== null) throw refuse(`line ${line} differs`);
  return header;
};

const deletionFor = async (account: Account, path: string, options: Options): Promise<Deletion> => {
  const sha256 = await sha256Of(path);
  const begun = (await findDeletion(account.id)).deletion;
  if (begun) {
    if (begun.export_sha256 === sha256) return begun;
    throw new CommandError(
      `${account.id} is being deleted with another export (SHA-256 ${begun.export_sha256}). Pass that file to continue.`,
    );
  }
  const { counts } = await provenHeader(account, path);
  const message = `Delete ${account.id} (${account.name}) with ${countsText(counts)}? ${path} has all of it. States require records of sales for years.`;
  await requireConfirmation(message, options);
  const deletion = { export_sha256: sha256, started_at: new Date(now()).toISOString() };
  if (await beginDeletion(account, deletion)) return deletion;
  throw new CommandError(`The account ${account.id} was reopened or is being deleted. Nothing was deleted here.`);
};

const remove = async (options: Options): Promise<void> => {
  const { account: id, json } = options;
  const { tombstone: ended } = await findDeletion(id);
  if (ended) {
    // An interruption may have left the entry in the register.
    await endDeletion(ended);
    throw new CommandError(`The account ${id} was already deleted at ${ended.deleted_at}.`);
  }
  const account = await requireAccount(id);
  refuseUnlessClosed(account, now());
  const path = pathOf(options.export);
  const { header } = await checkExport(path);
  const deletion = await deletionFor(account, path, options);
  const total = header.counts.transaction;
  await withProgress(`Deleting ${id}`, total, 'Interrupted: run the same command to continue', async (progress) => {
    let done = 0;
    await deleteAccountItems(id, (some) => {
      done += some;
      progress.reach(done, counted(done, 'transaction'));
    });
    progress.finish(`Deleted ${countsText(header.counts)}`);
  });
  const deleted_at = new Date(now()).toISOString();
  await endDeletion({ id, closed_at: account.closed_at ?? deleted_at, deleted_at, deletion });
  if (json) return printJson({ id, deleted_at, export_sha256: deletion.export_sha256, counts: header.counts });
  print(`Deleted ${id}. Its id stays reserved, with the SHA-256 of the export: ${deletion.export_sha256}.`);
};

export const addDelete = (program: Command): Command =>
  program
    .command('delete')
    .summary('delete a closed account after a proven export')
    .description(
      'Check that a file of `ledger export` has everything of an account that was closed at least 24 hours ago, ask for confirmation, and delete all of its items. After an interruption, run it again to continue. Backups keep the account until they expire.',
    )
    .requiredOption('--account <id>', 'the account, such as acct_demo')
    .requiredOption('--export <file>', 'the file of `ledger export`, made after the account was closed')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'one JSON object; needs --yes')
    .addHelpText('after', '\nExample:\n  npm run accounts -- delete --account acct_demo --export acct_demo.ndjson')
    .action(remove);
