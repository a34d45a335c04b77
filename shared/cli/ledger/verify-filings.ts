import { batchesOf } from '../../base/collections.ts';
import { sumCounts } from '../../filings/answer.ts';
import type { FilingSequence, ShardProgress, StoredFiling } from '../../filings/ledger.ts';
import { noTotals, type Totals, totalsOfAll, withEntries } from '../../filings/totals.ts';
import { answeredExceptions, answeredSummary, answeredTotals } from '../../filings/totals-answer.ts';
import { sumsAfter } from '../../filings/totals-parts.ts';
import type { LiabilityEntry } from '../../ledger/entries/entry.ts';
import { differing, type Fault, faultUnless, periodFaults, shardCountFaults } from '../../ledger/invariants.ts';
import { chainFrom } from '../../store/filings/filing-item.ts';
import { filingReads } from '../../store/filings/filing-reads.ts';
import { openEntryKey } from '../../store/keys.ts';
import { type ChainItems, chainItems, itemsAt } from '../../store/ledger/ledger-walk.ts';
import { entryName, entryPlace, expectedPlaces, statesOfEntries } from './checks/entries.ts';
import { filedEntryPages } from './filing-book.ts';
import { type Finding, findingIfUnreadable, findingsOf } from './finding.ts';

const batch = 25;

/**
 * Check one filing: each entry belongs to a live transaction and is not open, and the entries add up to the totals of
 * each shard and to the summary.
 */
export const verifyFiling = async (account: string, id: string): Promise<{ readonly findings: readonly Finding[] }> => {
  const ofEntries: Finding[] = [];
  const faults = await findingIfUnreadable('filing or one of its entries', () => filingFaults(account, id, ofEntries));
  return { findings: [...ofEntries, ...findingsOf(id, 'filings', faults)] };
};

const filingFaults = async (account: string, id: string, ofEntries: Finding[]): Promise<readonly Fault[]> => {
  const filing = await filingReads.find(account, id);
  if (!filing) return [{ what: 'filing', actual: 'none', expected: 'there' }];
  const shards = await filingReads.progress(account, id);
  const faults = differing('number of shards', shards.length, filingReads.shards);
  const sums: Totals[] = [];
  for (const progress of shards) {
    let totals = noTotals;
    let count = 0;
    for await (const entries of filedEntryPages({ account, id, shard: progress.shard }, batch)) {
      totals = withEntries(totals, entries);
      count += entries.length;
      ofEntries.push(...(await entryFindings(account, filing, entries)));
    }
    faults.push(...shardFaults(progress, await wholeTotals(filing, progress), count, totals));
    sums.push({ ...totals, jurisdictions: noTotals.jurisdictions });
  }
  return [...faults, ...headFaults(filing, shards, totalsOfAll(sums))];
};

// Reporting codes are no figures, and a version without them may have added up entries that have them.
const totalsText = (totals: Totals) =>
  JSON.stringify([
    answeredTotals(totals).map(({ reporting_code: _, ...figures }) => figures),
    answeredSummary(totals),
    answeredExceptions(totals),
  ]);

/** The totals of a shard with the jurisdictions of its parts. */
const wholeTotals = async (filing: StoredFiling, progress: ShardProgress): Promise<Totals> => {
  const groups = await Array.fromAsync(sumsAfter(filing, [progress], '', filingReads));
  return { ...progress.totals, jurisdictions: new Map(groups.flat()) };
};

const shardFaults = ({ shard, phase, entries }: ShardProgress, totals: Totals, count: number, added: Totals) => [
  ...shardCountFaults(shard, count, entries),
  // The totals of a canceled filing stay as they were.
  ...(phase === 'reopen' ? [] : differing(`totals of shard ${shard}`, totalsText(totals), totalsText(added))),
];

const headFaults = (filing: StoredFiling, shards: readonly ShardProgress[], added: Totals) => {
  // Until a phase is complete, the shards are ahead of the filing.
  if (filing.isUnfinished) return [];
  const isKept = filing.status !== 'canceled';
  return [
    ...differing('number of entries', filing.entries, sumCounts(shards)),
    ...(isKept ? differing('summary', JSON.stringify(filing.summary), JSON.stringify(answeredSummary(added))) : []),
    ...(isKept && filing.exceptions
      ? differing('number of exceptions', filing.exceptions.count, answeredExceptions(added).count)
      : []),
  ];
};

const entryFindings = async (
  account: string,
  { id, state }: StoredFiling,
  entries: readonly LiabilityEntry[],
): Promise<Finding[]> => {
  const transactions = entries.map(({ transactionId }) => transactionId);
  const expected = await expectedPlaces(account, transactions);
  const open = await itemsAt(entries.map((entry) => openEntryKey(account, entry)));
  return entries.flatMap((entry) => {
    const place = entryPlace(account, entry);
    const name = `${entryName(entry)} in ${id}`;
    return findingsOf(entry.transactionId, 'filings', [
      ...faultUnless(expected.has(place) && entry.state === state, name, 'there', 'none'),
      ...faultUnless(!open.has(place), name, 'also open', 'in one place'),
    ]);
  });
};

/** The faults of the periods of all filings. */
export const periodFindings = (filings: readonly StoredFiling[]): Finding[] =>
  periodFaults(filings).flatMap(({ id, faults }) => findingsOf(id, 'filings', faults));

// The number of concurrent states equals the number of shards of a worker.
const atOnce = 8;

/** A canceled filing has its period until all of its entries are open again. */
const hasPeriod = ({ status, isUnfinished }: StoredFiling) => status !== 'canceled' || isUnfinished;

/**
 * Check the stored periods against the filings: each filing that is not canceled has the item of its period, there is no
 * other item, and the chain of its state ends with the newest filing.
 */
export const chainFindings = async (account: string, filings: readonly StoredFiling[]): Promise<Finding[]> => {
  const states = statesOfEntries(filings.map(({ state }) => state));
  const findings: Finding[] = [];
  for await (const some of batchesOf(states, atOnce))
    findings.push(...(await Promise.all(some.map((state) => ofState(account, state, filings)))).flat());
  return findings;
};

const ofState = async (account: string, state: string, filings: readonly StoredFiling[]): Promise<Finding[]> => {
  const items = await chainItems(account, state);
  const kept = filings
    .filter((filing) => filing.state === state && hasPeriod(filing))
    .toSorted((a, b) => (a.period_end < b.period_end ? -1 : 1));
  const newest = kept.at(-1);
  const faults = await findingIfUnreadable(`chain of ${state}`, () => chainFaults(items.chain, state, newest));
  return [...periodItemFindings(items, state, kept), ...findingsOf(newest?.id ?? state, 'filings', faults)];
};

const periodItemFindings = ({ periods }: ChainItems, state: string, kept: readonly StoredFiling[]): Finding[] => {
  const actual = new Map(periods.map(({ period_end, filing }) => [period_end, filing]));
  const expected = new Map(kept.map(({ period_end, id }) => [period_end, id]));
  return [...new Set([...expected.keys(), ...actual.keys()])].sort().flatMap((end) => {
    const faults = differing(`filing of the period of ${state} to ${end}`, actual.get(end), expected.get(end));
    return findingsOf(expected.get(end) ?? String(actual.get(end)), 'filings', faults);
  });
};

const endText = (end: FilingSequence['last']) => (end === null ? null : `${end.filing} of ${end.period_end}`);

const chainFaults = (item: unknown, state: string, newest: StoredFiling | undefined): Fault[] => {
  const chain = item === undefined ? null : chainFrom(item);
  const end = newest ? { period_end: newest.period_end, filing: newest.id } : null;
  const isBusy = newest ? newest.isUnfinished && newest.status !== 'marking' : false;
  return [
    ...differing(`end of the chain of ${state}`, endText(chain?.last ?? null), endText(end)),
    ...differing(`busy flag of the chain of ${state}`, chain?.isBusy ?? false, isBusy),
  ];
};
