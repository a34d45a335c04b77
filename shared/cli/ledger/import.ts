import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { newAccount } from '../../accounts/account.ts';
import { toBatches } from '../../base/collections.ts';
import { retryThrottled } from '../../base/contention.ts';
import { now } from '../../config/clock.ts';
import { environment } from '../../config/environment.ts';
import { findDeletion } from '../../store/accounts/account-closing.ts';
import { findAccount, provisionAccount } from '../../store/accounts/account-store.ts';
import { decompressBytes } from '../../store/client/compressed.ts';
import { readItem } from '../../store/client/reads.ts';
import { absent, putItem, updateItem } from '../../store/client/writes.ts';
import { filingReads } from '../../store/filings/filing-reads.ts';
import { auditKey, type Item, importMarkKey } from '../../store/keys.ts';
import { newestId } from '../../store/ledger/ledger-walk.ts';
import { resolvePath } from '../terminal/arguments.ts';
import { counted, print } from '../terminal/output.ts';
import { withProgress } from '../terminal/progress.ts';
import { CommandError, flag, subcommand } from '../terminal/run-command.ts';
import { type Finding, findingText } from './checks.ts';
import { countsText } from './export.ts';
import { type Counts, type Header, releaseHash, type Trailer } from './format.ts';
import { type Checked, checkExport, linesAfter, type NumberedLine, toItems } from './read-export.ts';
import { type Progress, verifyAccount } from './verify-account.ts';

const TableName = environment.tables.transactions;

/** Puts an item; returns `false` if an item with this key exists. */
const putNew = (Item: Item): Promise<boolean> => putItem({ TableName, Item, ...absent });

/** The checkpoint of an import (file and last written line), so an interrupted import can resume. */
const Mark = z.object({
  sha256: z.string(),
  written: z.int(),
  started_at: z.string(),
  finished_at: z.nullable(z.string()),
});
type Mark = z.infer<typeof Mark>;

const readMark = async (account: string): Promise<Mark | undefined> => {
  const item = await readItem(TableName, importMarkKey(account));
  return item && Mark.parse(item);
};

/** Advances the import checkpoint. If two imports of one file run concurrently, the higher position wins. */
const moveMark = (account: string, { sha256, written, finished_at }: Mark): Promise<boolean> =>
  updateItem({
    TableName,
    Key: importMarkKey(account),
    UpdateExpression: 'SET written = :written, finished_at = :finished',
    ConditionExpression: 'sha256 = :file AND written <= :written',
    ExpressionAttributeValues: { ':file': sha256, ':written': written, ':finished': finished_at },
  });

// A different compressor version may write different bytes for the same content.
const uncompressed = (item: object) =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? decompressBytes(value).toString('base64') : value,
    ]),
  );

/**
 * Whether the stored transaction is a later version of this one, because an expired draft may be swept during the
 * import.
 */
const isSuccessor = async (account: string, stored: Item, item: Item): Promise<boolean> => {
  const { sk, id, version } = item;
  if (sk !== 'H' || !(Number(stored['version']) > Number(version))) return false;
  const entry = await readItem(TableName, auditKey(account, String(id), Number(version)));
  return entry?.['hash'] === item['auditHash'];
};

/** Puts an item unless the same item exists; returns `false` if its key has a different item. */
const putOrCompare = (account: string, item: Item): Promise<boolean> =>
  retryThrottled(async () => {
    if (await putNew(item)) return true;
    const stored = await readItem(TableName, { pk: item.pk, sk: item.sk });
    if (stored === undefined) return false;
    return isDeepStrictEqual(uncompressed(stored), uncompressed(item)) || isSuccessor(account, stored, item);
  });

/** The number of lines written concurrently. A large transaction can be several MB. */
const batchSize = 32;
/** The number of batches between two updates of the checkpoint. */
const markEvery = 8;

type Import = {
  readonly account: string;
  readonly path: string;
  readonly checked: Checked;
  readonly onProgress: (written: number) => void;
};

/**
 * Refuses an account with a ledger, registrations or a retention period. During the import, the schedule could close
 * periods of a registered state. The retention sweep reads transactions by id, and would skip transactions that are
 * imported behind its position.
 */
const refuseUsedAccount = async (id: string): Promise<void> => {
  const { tombstone } = await findDeletion(id);
  if (tombstone)
    throw new CommandError(`The account ${id} was deleted at ${tombstone.deleted_at}. Import into a different id.`);
  const { rows } = await filingReads.page(id, null, 1);
  if (rows.length > 0 || (await newestId(id)) !== undefined)
    throw new CommandError(`The account ${id} already has a ledger. Import into an id that does not exist.`);
  const { registrations, retain_personal_data_days: days = null } = (await findAccount(id))?.settings ?? {};
  const advice = 'Import into an id that does not exist: the import creates the account with the settings of the file.';
  if (registrations?.length)
    throw new CommandError(`The account ${id} is registered in states, so a schedule closes its periods. ${advice}`);
  if (days !== null)
    throw new CommandError(`${id} has retain_personal_data_days, so a schedule removes personal data. ${advice}`);
};

/** Returns the checkpoint, which it creates. Refuses an account with another ledger. */
const markFor = async ({ account, checked }: Pick<Import, 'account' | 'checked'>): Promise<Mark> => {
  const { sha256 } = checked.trailer;
  const first: Mark = { sha256, written: 1, started_at: new Date(now()).toISOString(), finished_at: null };
  let mark = await readMark(account);
  if (!mark) {
    await refuseUsedAccount(account);
    // Another import may have written its checkpoint in the meantime.
    mark = (await putNew({ ...importMarkKey(account), ...first })) ? first : await readMark(account);
  }
  if (mark?.sha256 !== sha256)
    throw new CommandError(
      `Another file was imported into ${account}, at least in part (SHA-256 ${mark?.sha256}). Continue with that file, or import into a different account.`,
    );
  return mark;
};

/**
 * Creates the account of the file under its id here, after its ledger is complete, so no schedule processes a partial
 * ledger.
 */
const provisionFrom = async (id: string, { account }: Header): Promise<void> => {
  if (await findAccount(id)) return;
  const { name, created_at, settings } = account;
  const createdMs = Date.parse(created_at);
  const created = newAccount({ id, name, serviceVersion: settings.service_version, createdMs, settings });
  await provisionAccount({ ...created, created_at });
};

const writeLine = async (account: string, { number, line }: NumberedLine): Promise<void> => {
  const written = await Promise.all(toItems(account, line).map((item) => putOrCompare(account, item)));
  if (written.includes(false))
    throw new CommandError(
      `Line ${number}: its key already has a different item, so another process writes to ${account}. Import into an id that does not exist.`,
    );
};

/**
 * Writes a checked file into an account, and creates the account if it does not exist. An interrupted import resumes: an
 * item is written only if its key is free or has the same item.
 *
 * Returns `false` if the import was already complete.
 */
export const importLedger = async (work: Import): Promise<boolean> => {
  const { account, path, checked, onProgress } = work;
  const mark = await markFor(work);
  if (mark.finished_at !== null) return false;
  const { lines } = checked.trailer;
  let batches = 0;
  for await (const batch of toBatches(linesAfter(path, mark.written, checked), batchSize)) {
    await Promise.all(batch.map((line) => writeLine(account, line)));
    const written = batch.at(-1)?.number ?? mark.written;
    batches += 1;
    if (batches % markEvery === 0) await moveMark(account, { ...mark, written });
    onProgress(written);
  }
  await provisionFrom(account, checked.header);
  await moveMark(account, { ...mark, written: lines, finished_at: new Date(now()).toISOString() });
  return true;
};

/** `ledger import`: write an exported ledger into an account. */

const readings = 5;
const accountId = /^acct_[A-Za-z0-9_]{1,59}$/;

/**
 * Refuses releases with different content here, and missing releases unless they are allowed. Returns the missing
 * releases.
 */
export const refuseOtherContent = async ({ releases }: Trailer, allowsMissing: boolean): Promise<readonly string[]> => {
  const missing: string[] = [];
  const other: string[] = [];
  for (const [release, hash] of Object.entries(releases)) {
    const here = await releaseHash(release);
    if (here === null) missing.push(release);
    else if (here !== hash) other.push(release);
  }
  if (other.length > 0)
    throw new CommandError(
      `These releases have different content here: ${other.join(', ')}. Replays of the transactions would differ. Restore the Content table of the export first.`,
    );
  if (missing.length > 0 && !allowsMissing)
    throw new CommandError(
      `These releases are missing here: ${missing.join(', ')}. Copy the Content table first, or pass --without-content: the ledger is complete without them, but its transactions cannot be replayed.`,
    );
  return missing;
};

/**
 * Returns the kinds of items of which the table has fewer than the file. It can have more, because sweeping expired
 * drafts adds items.
 */
const missingItems = (counts: Counts, verified: Progress['counts']): string[] =>
  (
    [
      ['transactions', counts.transaction],
      ['audit_entries', counts.audit_entry],
      ['filings', counts.filing],
      ['entries', counts.open_entry + counts.filed_entry],
    ] as const
  ).flatMap(([name, inFile]) =>
    verified[name] >= inFile ? [] : [`only ${verified[name]} of ${inFile} ${name.replace('_', ' ')} found`],
  );

/**
 * Checks the imported ledger like `ledger verify`, and its completeness. Repeats the check, because indexes may lag.
 */
export const verifyImport = async (account: string, counts: Counts, pauseMs = 500) => {
  for (let reading = 1; ; reading++) {
    const findings: Finding[] = [];
    const onFinding = (finding: Finding) => void findings.push(finding);
    const verified = await verifyAccount({ account, pauseMs, onFinding });
    const missing = missingItems(counts, verified.counts);
    if ((missing.length === 0 && findings.length === 0) || reading === readings) return { findings, missing };
    await pause(pauseMs * 2 ** reading);
  }
};

export const importCommand = subcommand({
  name: 'import',
  summary: 'write an exported ledger into an account',
  description:
    'Check a whole file of `ledger export`, write it into an account that has no ledger, create the account with its settings if it does not exist, and verify it. After an interruption, run it again to continue.',
  arguments: [
    ['<account>', 'the account to import into; its id can differ from the exported account'],
    ['<file>', 'the file of `ledger export`'],
  ],
  options: { withoutContent: flag('allow missing releases; their transactions cannot be replayed') },
  examples: ['ledger -- import acct_demo acct_demo.ndjson'],
  run: async ({ withoutContent = false }, account: string, file: string) => {
    if (!accountId.test(account))
      throw new CommandError(`"${account}" is not an account id. Pass an id such as acct_demo.`);
    const path = resolvePath(file);
    const checked = await checkExport(path);
    const { header, trailer } = checked;
    const missing = await refuseOtherContent(trailer, withoutContent);
    // Called before `withProgress`, because a refusal is not an interruption.
    await markFor({ account, checked });
    const interrupted = 'Interrupted: run the same command again to continue';
    await withProgress(`Importing into ${account}`, trailer.lines, interrupted, async ({ reach, finish }) => {
      const onProgress = (written: number) => reach(written, counted(written, 'line'));
      const isNew = await importLedger({ account, path, checked, onProgress });
      finish(isNew ? `Wrote ${counted(trailer.lines, 'line')}` : 'Already written');
    });
    print(`Imported ${header.account.id} into ${account}: ${countsText(trailer.counts)}.`);
    if (missing.length > 0) print(`Missing releases, so their transactions cannot be replayed: ${missing.join(', ')}.`);
    const verified = await verifyImport(account, trailer.counts);
    for (const line of [...verified.findings.map(findingText), ...verified.missing]) print(line);
    const isComplete = verified.findings.length === 0 && verified.missing.length === 0;
    print(isComplete ? 'Verified: no findings.' : 'The imported ledger differs from the file or is inconsistent.');
    if (!isComplete) process.exitCode = 1;
  },
});
