import { auditEntry } from '../transactions/audit.ts';
import type { HeadChange } from '../transactions/ledger.ts';
import { openEntriesOf } from '../transactions/open-entries.ts';
import type { StoredTransaction, Transaction } from '../transactions/transaction.ts';
import { filingCommit } from './begin.ts';
import type { FilingCommit, Phase, ShardProgress, StoredFiling } from './ledger.ts';
import { lastMonthOf } from './periods.ts';
import type { FilingPorts } from './ports.ts';
import { withEntries } from './totals.ts';

type StepPorts = Pick<FilingPorts, 'filings' | 'ledger' | 'now' | 'storedSize'>;

/** What a step does with the next entries of a shard, at most `limit`, and how far the shard is after it. */
export type Step = { readonly commit: FilingCommit; readonly after: ShardProgress };

type Plan = (filing: StoredFiling, progress: ShardProgress, limit: number, ports: StepPorts) => Promise<Step>;

// Whatever a step does with entries is written together with the progress, on the condition of the progress before it:
// no entry is counted twice, and none moves in a shard that is done.
const stepTo = (
  filing: StoredFiling,
  before: ShardProgress,
  nowMs: number,
  progress: Partial<ShardProgress>,
  changes: Partial<FilingCommit> = {},
): Step => {
  const after = { ...before, ...progress, version: before.version + 1 };
  return { after, commit: filingCommit(filing, nowMs, { progress: [{ before, after }], ...changes }) };
};

const placeOf = ({ account, id, state }: StoredFiling, { shard }: ShardProgress) => ({ account, id, state, shard });

/** The oldest open entries go into the filing, until there is none. What comes after that falls into the next period. */
const move: Plan = async (filing, progress, limit, { filings, now }) => {
  const { entries } = await filings.openEntries(
    placeOf(filing, progress),
    lastMonthOf({ end: filing.period_end }),
    limit,
    null,
  );
  if (entries.length === 0) return stepTo(filing, progress, now(), { isDone: true });
  return stepTo(
    filing,
    progress,
    now(),
    {
      entries: { ...progress.entries, moved: progress.entries.moved + entries.length },
      totals: withEntries(progress.totals, entries),
    },
    { take: entries },
  );
};

/** The entries of a canceled filing are open again. */
const reopen: Plan = async (filing, progress, limit, { filings, now }) => {
  const { entries } = await filings.filedEntries(placeOf(filing, progress), limit, null);
  if (entries.length === 0) return stepTo(filing, progress, now(), { isDone: true });
  const reopened = progress.entries.reopened + entries.length;
  return stepTo(filing, progress, now(), { entries: { ...progress.entries, reopened } }, { giveBack: entries });
};

// A transaction of the database takes 4 MB, and a head at the most some 300 KB of them.
const headBytesMax = 3_500_000;
const headsReadMax = 12;

/** The transactions, in their order, as far as there is room for them in one write: one at least. */
const readHeads = async (account: string, ids: readonly string[], { ledger, storedSize }: StepPorts) => {
  const fitting: StoredTransaction[] = [];
  let bytes = 0;
  for (let at = 0; at < ids.length; at += headsReadMax) {
    const some = ids.slice(at, at + headsReadMax);
    const found = new Map((await ledger.findSome(account, some)).map((stored) => [stored.transaction.id, stored]));
    for (const id of some) {
      const stored = found.get(id);
      if (!stored) throw new Error('A filing has an entry of a transaction that is not there.');
      bytes += storedSize(stored);
      if (fitting.length > 0 && bytes > headBytesMax) return fitting;
      fitting.push(stored);
    }
  }
  return fitting;
};

/**
 * A transaction with this filing: filed as soon as all states that wait for it have been (interface decisions 8). `null`
 * where it has it already.
 */
const marked = (before: StoredTransaction, filing: StoredFiling, nowMs: number): HeadChange | null => {
  const { transaction } = before;
  if (transaction.filings.some(({ id }) => id === filing.id)) return null;
  if (transaction.status !== 'finalized')
    throw new Error('A filing has an entry of a transaction that is not finalized.');
  const at = new Date(nowMs).toISOString();
  const filings = [...transaction.filings, { id: filing.id, state: filing.state, status: 'filed' }];
  const filed = new Set(filings.map(({ state }) => state));
  const isFiled = openEntriesOf(transaction).every(({ state }) => filed.has(state));
  const after: Transaction = {
    ...transaction,
    ...(isFiled && { status: 'filed', filed_at: at }),
    filings,
    updated_at: at,
    version: transaction.version + 1,
  };
  const fields = ['filings', ...(isFiled ? ['status'] : [])];
  const entry = auditEntry({ before, after, at, by: filing.filed_by ?? filing.asked_by, fields });
  return { before, after: { ...before, transaction: after, auditHash: entry.hash }, entry };
};

/** The transactions of the entries after the cursor are told that they have been filed. */
const mark: Plan = async (filing, progress, limit, ports) => {
  const { entries } = await ports.filings.filedEntries(placeOf(filing, progress), limit, progress.cursor);
  const nowMs = ports.now();
  if (entries.length === 0) return stepTo(filing, progress, nowMs, { isDone: true });
  const ids = entries.map(({ transactionId }) => transactionId);
  const stored = await readHeads(filing.account, ids, ports);
  const last = entries[stored.length - 1];
  return stepTo(
    filing,
    progress,
    nowMs,
    {
      entries: { ...progress.entries, marked: progress.entries.marked + stored.length },
      cursor: last ? { transactionId: last.transactionId, currency: last.currency } : progress.cursor,
    },
    { heads: stored.map((before) => marked(before, filing, nowMs)).filter((change) => change !== null) },
  );
};

/** The next step of each phase. */
export const planStep: Readonly<Record<Phase, Plan>> = { move, mark, reopen };
