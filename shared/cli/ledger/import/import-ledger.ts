import { newAccount } from '../../../accounts/account.ts';
import { batchesOf } from '../../../base/collections.ts';
import { findDeletion } from '../../../store/accounts/account-closing.ts';
import { findAccount, provisionAccount } from '../../../store/accounts/account-store.ts';
import { filingReads } from '../../../store/filings/filing-reads.ts';
import { newestId } from '../../../store/ledger/ledger-walk.ts';
import { CommandError } from '../../terminal/errors.ts';
import type { Header } from '../export/format.ts';
import { itemsOf } from './line-items.ts';
import { type Checked, linesAfter, type NumberedLine } from './read-export.ts';
import { beginMark, type Mark, moveMark, putItem, readMark } from './writes.ts';

/** The number of lines that are written concurrently. A large transaction has some MB. */
const batchSize = 32;
/** The number of batches after which the mark moves. */
const markEvery = 8;

type Import = {
  readonly account: string;
  readonly path: string;
  readonly checked: Checked;
  readonly nowMs: () => number;
  readonly onProgress: (written: number) => void;
};

/** Refuse an account that has a ledger or registrations: the schedule could close its periods during the import. */
const refuseUsedAccount = async (id: string): Promise<void> => {
  const { tombstone } = await findDeletion(id);
  if (tombstone)
    throw new CommandError(`The account ${id} was deleted at ${tombstone.deleted_at}. Import into another id.`);
  const { rows } = await filingReads.page(id, null, 1);
  if (rows.length > 0 || (await newestId(id)) !== undefined)
    throw new CommandError(`The account ${id} already has a ledger. Import into an id that does not exist.`);
  if ((await findAccount(id))?.settings.registrations?.length)
    throw new CommandError(
      `The account ${id} is registered in states, so a schedule closes its periods. Import into an id that does not exist: the import creates the account with the settings of the file.`,
    );
};

const markFor = async ({ account, checked, nowMs }: Import): Promise<Mark> => {
  const { sha256 } = checked.trailer;
  const first: Mark = { sha256, written: 1, started_at: new Date(nowMs()).toISOString(), finished_at: null };
  let mark = await readMark(account);
  if (!mark) {
    await refuseUsedAccount(account);
    mark = (await beginMark(account, first)) ? first : await readMark(account);
  }
  if (mark?.sha256 !== sha256)
    throw new CommandError(
      `Another file was imported into ${account}, at least in part (SHA-256 ${mark?.sha256}). Continue with that file, or import into another account.`,
    );
  return mark;
};

/** Create the account of the file under its id here, after its ledger is complete: no schedule sees a part of the ledger. */
const provisionFrom = async (id: string, { account }: Header): Promise<void> => {
  if (await findAccount(id)) return;
  const { name, created_at, settings } = account;
  const createdMs = Date.parse(created_at);
  const created = newAccount({ id, name, serviceVersion: settings.service_version, createdMs, settings });
  await provisionAccount({ ...created, created_at });
};

const writeLine = async (account: string, { number, line }: NumberedLine): Promise<void> => {
  const written = await Promise.all(itemsOf(account, line).map((item) => putItem(account, item)));
  if (written.includes(false))
    throw new CommandError(
      `Line ${number}: another item has its key, so something else writes to ${account}. Import into an id that does not exist.`,
    );
};

/**
 * Write a checked file into an account, and create the account if it does not exist. An interrupted import resumes: an
 * item is written only if its key has no item, or the same one.
 *
 * Returns `false` if the import was already complete.
 */
export const importLedger = async (work: Import): Promise<boolean> => {
  const { account, path, checked, nowMs, onProgress } = work;
  const mark = await markFor(work);
  if (mark.finished_at !== null) return false;
  const { lines } = checked.trailer;
  let batches = 0;
  for await (const batch of batchesOf(linesAfter(path, mark.written, checked), batchSize)) {
    await Promise.all(batch.map((line) => writeLine(account, line)));
    const written = batch.at(-1)?.number ?? mark.written;
    batches += 1;
    if (batches % markEvery === 0) await moveMark(account, { ...mark, written });
    onProgress(written);
  }
  await provisionFrom(account, checked.header);
  await moveMark(account, { ...mark, written: lines, finished_at: new Date(nowMs()).toISOString() });
  return true;
};
