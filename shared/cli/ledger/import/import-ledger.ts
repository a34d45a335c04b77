import { findAccount } from '../../../store/accounts/account-store.ts';
import { CommandError } from '../../terminal/errors.ts';
import { beginMark, type Mark, moveMark, readMark } from './import-mark.ts';
import { itemsOf } from './line-items.ts';
import { putItem } from './put-item.ts';
import { type Checked, linesBehind, type NumberedLine } from './read-export.ts';
import { provisionFrom, refuseUsedAccount } from './target.ts';

/** How many lines are written side by side: their items have some MB at the worst, one large transaction each. */
const batchSize = 32;
/** After how many batches it is written down how far the import is. */
const markEvery = 8;

export type Import = {
  readonly account: string;
  readonly path: string;
  readonly checked: Checked;
  readonly nowMs: () => number;
  readonly onProgress: (written: number, total: number) => void;
};

const markFor = async ({ account, checked, nowMs }: Import): Promise<Mark> => {
  const { sha256 } = checked.trailer;
  const first: Mark = { sha256, written: 1, started_at: new Date(nowMs()).toISOString(), finished_at: null };
  let mark = await readMark(account);
  if (!mark) {
    await refuseUsedAccount(account, await findAccount(account));
    mark = (await beginMark(account, first)) ? first : await readMark(account);
  }
  if (mark?.sha256 !== sha256)
    throw new CommandError(
      `Another file was imported into ${account}, or begun to be (SHA-256 ${mark?.sha256}). Go on with that one, or name another account.`,
    );
  return mark;
};

const writeLine = async (account: string, { number, line }: NumberedLine): Promise<void> => {
  const written = await Promise.all(itemsOf(account, line).map((item) => putItem(account, item)));
  if (written.includes(false))
    throw new CommandError(
      `Line ${number}: something else is in its place. The account ${account} is written to by others; import into one that is not there yet.`,
    );
};

/**
 * Write a checked file into an account, and make the account where there is none. An import that was broken off goes on
 * where it was: each item is put only where there is none, or the same.
 *
 * Answers whether there was something left to do.
 */
export const importLedger = async (work: Import): Promise<boolean> => {
  const { account, path, checked, nowMs, onProgress } = work;
  const mark = await markFor(work);
  if (mark.finished_at !== null) return false;
  const { lines } = checked.trailer;
  let batch: NumberedLine[] = [];
  let batches = 0;
  const flush = async () => {
    await Promise.all(batch.map((line) => writeLine(account, line)));
    const written = batch.at(-1)?.number;
    batch = [];
    batches += 1;
    if (written === undefined) return;
    if (batches % markEvery === 0) await moveMark(account, { ...mark, written });
    onProgress(written, lines);
  };
  for await (const line of linesBehind(path, mark.written, checked)) {
    batch.push(line);
    if (batch.length === batchSize) await flush();
  }
  await flush();
  await provisionFrom(account, checked.header);
  await moveMark(account, { ...mark, written: lines, finished_at: new Date(nowMs()).toISOString() });
  return true;
};
