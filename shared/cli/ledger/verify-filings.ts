import { dayAfter } from '../../calendar.ts';
import { countsOf } from '../../filings/answer.ts';
import type { EntryPlace, ShardProgress, StoredFiling } from '../../filings/ledger.ts';
import {
  answeredSummary,
  answeredTotals,
  noTotals,
  type Totals,
  totalsOfAll,
  withEntries,
} from '../../filings/totals.ts';
import { filingReads } from '../../store/filings/filing-reads.ts';
import { headKey, openEntryKey } from '../../store/keys.ts';
import { itemsAt } from '../../store/ledger/ledger-walk.ts';
import { transactionFrom } from '../../store/ledger/transaction-item.ts';
import type { OpenEntry } from '../../transactions/open-entries.ts';
import { entryName, entryPlace, expectedEntries } from './checks/entries.ts';
import { differing, type Fault, type Finding, orUnreadable } from './finding.ts';

const batch = 25;

type Report = (id: string, faults: readonly Fault[]) => void;

/**
 * Check one filing: each entry is that of a live transaction, and open no more; what the entries add up to is what the
 * filing says, by shard and as a whole.
 */
export const verifyFiling = async (account: string, id: string): Promise<{ readonly findings: readonly Finding[] }> => {
  const findings: Finding[] = [];
  const report: Report = (of, faults) =>
    findings.push(...faults.map((fault) => ({ id: of, check: 'filings' as const, ...fault })));
  report(id, await orUnreadable('filing, or an entry of it,', () => partFaults(account, id, report)));
  return { findings };
};

const partFaults = async (account: string, id: string, report: Report): Promise<readonly Fault[]> => {
  const filing = await filingReads.find(account, id);
  if (!filing) return [{ what: 'filing', actual: 'none', expected: 'there' }];
  const shards = await filingReads.progress(account, id);
  report(id, differing('number of shards', shards.length, filingReads.shards));
  const sums: Totals[] = [];
  for (const progress of shards) {
    const { count, totals } = await verifyShard(account, filing, progress.shard, report);
    report(id, shardFaults(progress, count, totals));
    sums.push(totals);
  }
  return headFaults(filing, shards, totalsOfAll(sums));
};

const totalsText = (totals: Totals) => JSON.stringify([answeredTotals(totals), answeredSummary(totals)]);

const shardFaults = ({ shard, phase, entries, totals }: ShardProgress, count: number, added: Totals) => [
  ...differing(`entries of shard ${shard}`, count, entries.moved - entries.reopened),
  // What was given back is still told, as it was.
  ...(phase === 'reopen' ? [] : differing(`totals of shard ${shard}`, totalsText(totals), totalsText(added))),
];

const headFaults = (filing: StoredFiling, shards: readonly ShardProgress[], added: Totals) => {
  // Until a phase is over, the shards are ahead of the filing.
  if (filing.isUnfinished) return [];
  const isKept = filing.status !== 'canceled';
  return [
    ...differing('number of entries', filing.entries, countsOf(shards)),
    ...(isKept ? differing('summary', JSON.stringify(filing.summary), JSON.stringify(answeredSummary(added))) : []),
  ];
};

const verifyShard = async (
  account: string,
  filing: StoredFiling,
  shard: number,
  report: Report,
): Promise<{ readonly count: number; readonly totals: Totals }> => {
  let totals = noTotals;
  let count = 0;
  let after: EntryPlace | null = null;
  do {
    const page: Awaited<ReturnType<typeof filingReads.filedEntries>> = await filingReads.filedEntries(
      { account, id: filing.id, shard },
      batch,
      after,
    );
    totals = withEntries(totals, page.entries);
    count += page.entries.length;
    await verifyEntries(account, filing, page.entries, report);
    after = page.next;
  } while (after !== null);
  return { count, totals };
};

const verifyEntries = async (
  account: string,
  { id, state }: StoredFiling,
  entries: readonly OpenEntry[],
  report: Report,
): Promise<void> => {
  if (entries.length === 0) return;
  const ids = [...new Set(entries.map(({ transactionId }) => transactionId))];
  const heads = await itemsAt(ids.map((of) => headKey(account, of)));
  const open = await itemsAt(entries.map((entry) => openEntryKey(account, entry)));
  const expected = new Set(
    [...heads.values()].flatMap((head) => {
      try {
        return expectedEntries(transactionFrom(head).transaction).map((entry) => entryPlace(account, entry));
      } catch {
        return [];
      }
    }),
  );
  for (const entry of entries) {
    const place = entryPlace(account, entry);
    const named = `${entryName(entry)} in ${id}`;
    if (!expected.has(place) || entry.state !== state)
      report(entry.transactionId, [{ what: named, actual: 'there', expected: 'none' }]);
    if (open.has(place))
      report(entry.transactionId, [{ what: named, actual: 'open as well', expected: 'at one place' }]);
  }
};

/** The periods of each state follow each other without gap or overlap. */
export const periodFindings = (filings: readonly StoredFiling[]): Finding[] => {
  const kept = filings.filter(({ status }) => status !== 'canceled');
  return [...Map.groupBy(kept, ({ state }) => state).values()].flatMap((ofState) => {
    const ordered = ofState.toSorted((one, other) => (one.period_start < other.period_start ? -1 : 1));
    return ordered.slice(1).flatMap(({ id, period_start }, index) =>
      differing('first day', period_start, dayAfter(ordered[index]?.period_end ?? '')).map((fault) => ({
        id,
        check: 'filings' as const,
        ...fault,
      })),
    );
  });
};
