import { assert } from '../base/assert.ts';
import { buildHeadChange, type HeadChange } from '../ledger/audit.ts';
import { statesToFile } from '../ledger/entries/entries.ts';
import type { LiabilityEntry } from '../ledger/entries/entry.ts';
import { isLive, type StoredTransaction, type Transaction } from '../ledger/transaction.ts';
import type { StoredFiling } from './filing.ts';
import { monthOfEnd } from './periods.ts';
import { type FilingCommit, type FilingPorts, type Phase, type ShardProgress, toEntryPlace } from './ports.ts';
import { noTotals, withEntries } from './totals.ts';
import { addToShard, partsReader, partsWith, type ShardTotalsUpdate } from './totals-parts.ts';

type StepPorts = Pick<FilingPorts, 'filings' | 'ledger' | 'now' | 'storedSize' | 'stepEntriesMax' | 'totalsRowsMax'>;

/** One step on the next entries of a shard, at most `limit`: the writes, and the shard's progress after it. */
type Step = {
  readonly commit: FilingCommit;
  readonly after: ShardProgress;
  /** A smaller limit of entries, if that many did not fit in one write. */
  readonly limit?: number;
};

type Plan = (filing: StoredFiling, progress: ShardProgress, limit: number, ports: StepPorts) => Promise<Step>;

// A step writes its entries together with the progress, conditional on the previous progress, so no entry is counted
// twice or moves in a finished shard.
const stepTo = (
  filing: StoredFiling,
  before: ShardProgress,
  nowMs: number,
  progress: Partial<ShardProgress>,
  changes: Partial<FilingCommit> = {},
): Step => {
  const after = { ...before, ...progress, version: before.version + 1 };
  return { after, commit: { filing, nowMs, progress: [{ before, after }], ...changes } };
};

const entryPlace = ({ account, id, state }: StoredFiling, { shard }: ShardProgress) => ({ account, id, state, shard });

// A DynamoDB transaction is limited to 4 MB: 1 MB of entries, and parts of at most 210 KB.
const partsWrittenMax = 12;

/**
 * Returns the first entries whose step fits in one write, at least one, and the resulting totals. A single entry always
 * fits: its currency has a few dozen parts, because the tax content bounds the jurisdictions of a state and their
 * rates.
 */
const addFittingEntries = async (
  filing: StoredFiling,
  progress: ShardProgress,
  found: readonly LiabilityEntry[],
  { filings, stepEntriesMax, totalsRowsMax }: StepPorts,
): Promise<{ readonly entries: readonly LiabilityEntry[]; readonly update: ShardTotalsUpdate }> => {
  const read = partsReader(filing, progress, filings);
  // Each entry needs two writes, and each part one.
  const fittingCount = (count: number, parts: number): number =>
    parts > partsWrittenMax
      ? Math.ceil(count / 2)
      : Math.min(count, Math.max(1, stepEntriesMax - Math.ceil(parts / 2)));
  for (let count = found.length; ; ) {
    const entries = found.slice(0, count);
    const added = withEntries(noTotals, entries);
    count = fittingCount(count, partsWith(progress, added));
    if (count < entries.length) continue;
    const update = await addToShard(progress, added, totalsRowsMax, read);
    count = fittingCount(count, update.written.length);
    if (count === entries.length) return { entries, update };
  }
};

/**
 * Moves the oldest open entries into the filing. The step that reads the last entries finishes the shard. Later entries
 * belong to the next period.
 */
const move: Plan = async (filing, progress, limit, ports) => {
  const lastMonth = monthOfEnd(filing.period_end);
  const place = entryPlace(filing, progress);
  const { rows: found, next } = await ports.filings.openEntries(place, lastMonth, limit, null);
  const { entries, update } = await addFittingEntries(filing, progress, found, ports);
  const { written, ...totals } = update;
  const isAll = entries.length === found.length;
  const step = stepTo(
    filing,
    progress,
    ports.now(),
    {
      isDone: next === null && isAll,
      entries: { ...progress.entries, moved: progress.entries.moved + entries.length },
      ...totals,
    },
    { take: entries, parts: written },
  );
  return { ...step, ...(!isAll && { limit: entries.length }) };
};

/** Moves the entries of a canceled filing back to the open entries. */
const reopen: Plan = async (filing, progress, limit, { filings, now }) => {
  const { rows: entries, next } = await filings.filedEntries(entryPlace(filing, progress), limit, null);
  const reopened = progress.entries.reopened + entries.length;
  const after = { isDone: next === null, entries: { ...progress.entries, reopened } };
  return stepTo(filing, progress, now(), after, { giveBack: entries });
};

// A DynamoDB transaction is limited to 4 MB, and a head is about 300 KB.
const headBytesMax = 3_500_000;
const headsReadMax = 12;

/** Returns the first transactions that fit in one write, at least one. */
const readHeads = async (account: string, ids: readonly string[], { ledger, storedSize }: StepPorts) => {
  const fitting: StoredTransaction[] = [];
  let bytes = 0;
  for (let at = 0; at < ids.length; at += headsReadMax) {
    const some = ids.slice(at, at + headsReadMax);
    const found = new Map((await ledger.findSome(account, some)).map((stored) => [stored.transaction.id, stored]));
    for (const id of some) {
      const stored = found.get(id);
      assert(stored !== undefined, 'A filing has an entry of a missing transaction.');
      bytes += storedSize(stored);
      if (fitting.length > 0 && bytes > headBytesMax) return fitting;
      fitting.push(stored);
    }
  }
  return fitting;
};

/**
 * Returns the transaction after this filing was filed. Its status becomes filed as soon as all of its states have
 * filed.
 */
const marked = (before: StoredTransaction, filing: StoredFiling, nowMs: number): HeadChange => {
  const { transaction } = before;
  assert(isLive(transaction), 'A filing has an entry of a transaction that is not finalized.');
  assert(filing.filed_by !== null, 'A filing is being marked without a request.');
  const at = new Date(nowMs).toISOString();
  const filings = [...transaction.filings, { id: filing.id, state: filing.state, status: 'filed' }];
  const filed = new Set(filings.map(({ state }) => state));
  // A filing in a state without a due return can follow the transaction's last due filing.
  const isFiled = transaction.status !== 'filed' && statesToFile(before).every((state) => filed.has(state));
  const after: Transaction = {
    ...transaction,
    ...(isFiled && { status: 'filed', filed_at: at }),
    filings,
    updated_at: at,
    version: transaction.version + 1,
  };
  const fields = ['filings', ...(isFiled ? ['status'] : [])];
  return buildHeadChange(before, { ...before, transaction: after }, filing.filed_by, fields);
};

/** Marks the transactions of the entries after the cursor as filed. */
const mark: Plan = async (filing, progress, limit, ports) => {
  const place = entryPlace(filing, progress);
  const { rows: entries, next } = await ports.filings.filedEntries(place, limit, progress.cursor);
  const nowMs = ports.now();
  const ids = entries.map(({ transactionId }) => transactionId);
  const stored = await readHeads(filing.account, ids, ports);
  const last = entries[stored.length - 1];
  return stepTo(
    filing,
    progress,
    nowMs,
    {
      isDone: next === null && stored.length === entries.length,
      entries: { ...progress.entries, marked: progress.entries.marked + stored.length },
      cursor: last ? toEntryPlace(last) : progress.cursor,
    },
    { heads: stored.map((before) => marked(before, filing, nowMs)) },
  );
};

/** The next step of each phase. */
export const planStep: Readonly<Record<Phase, Plan>> = { move, mark, reopen };
