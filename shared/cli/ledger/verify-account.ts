import { decodeTime } from 'ulid';
import * as z from 'zod/mini';
import { concurrently } from '../../base/collections.ts';
import { now } from '../../config/clock.ts';
import type { FilingSequence, StoredFiling } from '../../filings/filing.ts';
import { sumCounts } from '../../filings/filing-response.ts';
import type { ShardProgress } from '../../filings/ports.ts';
import { noTotals, type Totals, totalsOfAll, withEntries } from '../../filings/totals.ts';
import { sumsAfter } from '../../filings/totals-parts.ts';
import { toExceptionSums, toFilingSummary, toFilingTotals, toReviewSums } from '../../filings/totals-response.ts';
import type { LiabilityEntry } from '../../ledger/entries/entry.ts';
import {
  differing,
  type Fault,
  faultUnless,
  holdsReference,
  periodFaults,
  shardCountFaults,
  statusFaults,
  sumFaults,
} from '../../ledger/invariants.ts';
import { isLive, type StoredTransaction, type Transaction } from '../../ledger/transaction.ts';
import { allFilings, filedEntryPages } from '../../store/filings/entry-places.ts';
import { filingReads } from '../../store/filings/filing-reads.ts';
import { headKey, type Item, openEntryKey } from '../../store/keys.ts';
import {
  auditItems,
  creditIds,
  findClaimItem,
  headItem,
  itemsAt,
  newestId,
  transactionIds,
} from '../../store/ledger/ledger-walk.ts';
import { transactionFrom } from '../../store/ledger/transaction-item.ts';
import {
  attributeFaults,
  type Check,
  checkChain,
  checkCredits,
  checkEntries,
  checks,
  confirmed,
  entryName,
  entryPlace,
  expectedPlaces,
  type Finding,
  findingIfUnreadable,
  hasAmounts,
  leftoverClaimFaults,
  listFindings,
  missingClaimFaults,
  orphanedEntries,
  parseOrNull,
  statesOfEntries,
} from './checks.ts';

const batch = 25;

/**
 * Checks one filing: each entry belongs to a live transaction and is not open, and the entries add up to each shard's
 * totals and to the summary.
 */
export const verifyFiling = async (account: string, id: string): Promise<{ readonly findings: readonly Finding[] }> => {
  const ofEntries: Finding[] = [];
  const faults = await findingIfUnreadable('filing or one of its entries', () => filingFaults(account, id, ofEntries));
  return { findings: [...ofEntries, ...listFindings(id, 'filings', faults)] };
};

const filingFaults = async (account: string, id: string, ofEntries: Finding[]): Promise<readonly Fault[]> => {
  const filing = await filingReads.find(account, id);
  if (!filing) return [{ what: 'filing', actual: 'absent', expected: 'present' }];
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
    faults.push(...(await shardFaults(filing, progress, count, totals)));
    sums.push({ ...totals, jurisdictions: noTotals.jurisdictions });
  }
  return [...faults, ...headFaults(filing, shards, totalsOfAll(sums))];
};

// Leaves out the reporting codes, which are not amounts.
const totalsText = (totals: Totals) =>
  JSON.stringify([
    toFilingTotals(totals).map(({ reporting_code: _, ...figures }) => figures),
    toFilingSummary(totals),
    toExceptionSums(totals),
    toReviewSums(totals),
  ]);

const shardFaults = async (filing: StoredFiling, progress: ShardProgress, count: number, added: Totals) => {
  const { shard, phase, entries } = progress;
  const faults = shardCountFaults(shard, count, entries);
  // A canceled filing keeps its totals.
  if (phase === 'reopen') return faults;
  const parts = await Array.fromAsync(sumsAfter(filing, [progress], '', filingReads));
  const totals = { ...progress.totals, jurisdictions: new Map(parts.flat()) };
  return [...faults, ...differing(`totals of shard ${shard}`, totalsText(totals), totalsText(added))];
};

const headFaults = (filing: StoredFiling, shards: readonly ShardProgress[], added: Totals): Fault[] => {
  // Until a phase is complete, the shards are ahead of the filing.
  if (filing.isUnfinished) return [];
  const faults = differing('number of entries', filing.entries, sumCounts(shards));
  if (filing.status === 'canceled') return faults;
  const exceptions = filing.exceptions && toExceptionSums(added).count;
  return [
    ...faults,
    ...differing('summary', filing.summary, toFilingSummary(added)),
    ...differing('number of exceptions', filing.exceptions?.count, exceptions),
    ...differing('number of entries to review', filing.review?.count, filing.review && toReviewSums(added).count),
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
    return listFindings(entry.transactionId, 'filings', [
      ...faultUnless(expected.has(place) && entry.state === state, name, 'present', 'absent'),
      ...faultUnless(!open.has(place), name, 'also open', 'in one place'),
    ]);
  });
};

/** Whether a filing occupies its period. A canceled filing occupies it until all of its entries are open again. */
const hasPeriod = ({ status, isUnfinished }: StoredFiling) => status !== 'canceled' || isUnfinished;

/** Checks the periods of the filings: each filing refers to the one before it, and each state's chain to the newest one. */
export const periodFindings = async (account: string, filings: readonly StoredFiling[]): Promise<Finding[]> => {
  const findings = periodFaults(filings).flatMap(({ id, faults }) => listFindings(id, 'filings', faults));
  await concurrently(statesOfEntries(filings.map(({ state }) => state)), async (state) => {
    const newest = filings
      .filter((filing) => filing.state === state && hasPeriod(filing))
      .toSorted((a, b) => (a.period_end < b.period_end ? -1 : 1))
      .at(-1);
    const faults = await findingIfUnreadable(`chain of ${state}`, async () => {
      const [chain = null] = await filingReads.chains(account, [state]);
      return chainFaults(chain, state, newest);
    });
    findings.push(...listFindings(newest?.id ?? state, 'filings', faults));
  });
  return findings;
};

const endText = (end: FilingSequence['last']) => (end === null ? null : `${end.filing} of ${end.period_end}`);

const chainFaults = (chain: FilingSequence | null, state: string, newest: StoredFiling | undefined): Fault[] => {
  const end = newest ? { period_end: newest.period_end, filing: newest.id } : null;
  const isBusy = newest ? newest.isUnfinished && newest.status !== 'marking' : false;
  return [
    ...differing(`end of the chain of ${state}`, endText(chain?.last ?? null), endText(end)),
    ...differing(`busy flag of the chain of ${state}`, chain?.isBusy ?? false, isBusy),
  ];
};

const countedKinds = [
  ...(['transactions', 'audit_entries', 'lines', 'credits', 'claims', 'entries', 'filings'] as const),
  ...(['redacted'] as const),
] as const;

const Count = z.int().check(z.minimum(0));
/** The progress of the check of an account. */
export const Progress = z.strictObject({
  /** The last transaction of the last complete page. */
  after: z.nullable(z.string()),
  isDone: z.boolean(),
  /** The number of items that were checked. */
  counts: z.record(z.enum(countedKinds), Count),
  /** The number of findings. */
  findings: z.record(z.enum(checks), Count),
});
export type Progress = z.output<typeof Progress>;
type Counts = Progress['counts'];

const toZeros = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;

type CheckedTransaction = {
  readonly account: string;
  readonly id: string;
  /** Filings of the account. They are read again if there is a finding. */
  readonly filings: readonly StoredFiling[];
  /** Pause before data with findings is read again. */
  readonly pauseMs: number;
};

type Verified = { readonly counts: Counts; readonly findings: readonly Finding[] };

/** Checks one transaction and all items that must agree with it, with strongly consistent reads. */
export const verifyTransaction = (subject: CheckedTransaction): Promise<Verified> => {
  let isFirst = true;
  return confirmed(async () => {
    const filings = isFirst ? subject.filings : await allFilings(subject.account);
    isFirst = false;
    return readOnce({ ...subject, filings });
  }, subject.pauseMs);
};

const readOnce = async (subject: CheckedTransaction): Promise<Verified> => {
  const { account, id } = subject;
  const counts = { ...toZeros(countedKinds), transactions: 1 };
  const headFault = (what: string, actual: string, expected: string) => ({
    counts,
    findings: listFindings(id, 'head', [{ what, actual, expected }]),
  });
  const item = await headItem(account, id);
  if (!item) return headFault('transaction that the index lists', 'absent', 'present');
  const stored = parseStored(item);
  if (!stored) return headFault('transaction', 'not readable', 'attributes and checksum of the stored item');
  counts.lines = stored.transaction.line_items.length;
  counts.redacted = Number(stored.transaction.redacted_at !== undefined);
  const findings: Finding[] = [];
  for (const [check, run] of Object.entries(transactionChecks) as [Check, Run][]) {
    const faults = await findingIfUnreadable('stored data of this check', () =>
      run({ ...subject, item }, stored, counts),
    );
    findings.push(...listFindings(id, check, faults));
  }
  return { counts, findings };
};

const parseStored = (item: Item | undefined): StoredTransaction | undefined =>
  (item && parseOrNull(() => transactionFrom(item))) ?? undefined;

/** Returns the credits of a sale. Each unreadable credit becomes a fault. */
const readCredits = async function* (account: string, sale: string, unreadable: Fault[]) {
  for await (const ids of creditIds(account, sale))
    for (const item of (await itemsAt(ids.map((credit) => headKey(account, credit)))).values()) {
      const credit = parseStored(item);
      if (!credit) unreadable.push({ what: `credit ${item['id']}`, actual: 'not readable', expected: 'a transaction' });
      // The index may lag behind the transaction.
      else if (credit.transaction.parent_transaction_id === sale) yield credit;
    }
};

const parentFaults = async (account: string, transaction: Transaction): Promise<Fault[]> => {
  const { parent_transaction_id, currency } = transaction;
  if (parent_transaction_id === null || !isLive(transaction)) return [];
  const parent = parseStored(await headItem(account, parent_transaction_id))?.transaction;
  if (!parent) return [{ what: 'sale that it credits', actual: 'none', expected: parent_transaction_id }];
  const isAllowed = isLive(parent) || !hasAmounts(transaction);
  return [
    ...differing('type of the credited transaction', parent.type, 'sale'),
    ...faultUnless(isAllowed, 'state of the credited sale', parent.status, 'finalized or filed'),
    ...differing('currency of the credited sale', parent.currency, currency),
  ];
};

type Run = (
  subject: CheckedTransaction & { readonly item: Item },
  stored: StoredTransaction,
  counts: Counts,
) => Promise<readonly Fault[]> | readonly Fault[];

/** The checks of a transaction, in the order of the report. */
const transactionChecks: Partial<Record<Check, Run>> = {
  head: ({ account, item }, stored) => attributeFaults(account, item, stored),
  states: (_subject, { transaction }) => statusFaults(transaction),
  totals: (_subject, { transaction }) => sumFaults(transaction),
  chain: async ({ account, id }, stored, counts) => {
    const { count, faults } = await checkChain(account, stored, auditItems(account, id));
    counts.audit_entries = count;
    return faults;
  },
  credits: async ({ account, id }, stored, counts) => {
    const unreadable: Fault[] = [];
    const { live, faults } = await checkCredits(stored, readCredits(account, id, unreadable));
    counts.credits = live;
    return [...unreadable, ...faults, ...(await parentFaults(account, stored.transaction))];
  },
  claims: async ({ account }, { transaction }, counts) => {
    const { reference_id } = transaction;
    if (reference_id === null) return [];
    const claim = await findClaimItem(account, reference_id);
    if (!holdsReference(transaction, now())) {
      const holder = claim && parseStored(await headItem(account, String(claim['transaction_id'])))?.transaction;
      return leftoverClaimFaults(transaction, claim, holder, now());
    }
    counts.claims = 1;
    return missingClaimFaults(transaction, claim);
  },
  entries: async ({ account, filings }, stored, counts) => {
    const { count, faults } = await checkEntries(account, stored, filings);
    counts.entries = count;
    return faults;
  },
};

type VerifyOptions = Pick<CheckedTransaction, 'account' | 'pauseMs'> & {
  /** Called for each finding, so findings need not be kept in memory. */
  readonly onFinding: (finding: Finding) => void;
  /** Called after each page of transactions, with the estimated share of the work from 0 to 1. */
  readonly onProgress?: (progress: Progress, share: number) => void;
  /** Where to resume an interrupted check. */
  readonly from?: Progress | undefined;
  /** Selects the transactions to check; default: all. Open entries and filings are always checked. */
  readonly isSampled?: (id: string) => boolean;
};

const pageSize = 100;
/** The share of the progress bar for transactions; the rest is for open entries and filings. */
const shareOfTransactions = 0.9;

const getTime = (id: string) => decodeTime(id.slice('txn_'.length));

/**
 * Checks an account's transactions, oldest first, then its open entries, then its filings.
 *
 * Memory use is independent of the size of the ledger.
 */
export const verifyAccount = async (options: VerifyOptions): Promise<Progress> => {
  const { account, pauseMs, from, isSampled = () => true, onProgress } = options;
  if (from?.isDone) return from;
  const start = { after: null, isDone: false, counts: toZeros(countedKinds), findings: toZeros(checks) };
  const progress: Progress = structuredClone(from ?? start);
  const onFinding = (finding: Finding): void => {
    progress.findings[finding.check] += 1;
    options.onFinding(finding);
  };
  const filings = await allFilings(account);
  const newest = await newestId(account);
  let oldest: string | undefined;
  for await (const ids of transactionIds(account, pageSize, progress.after)) {
    await concurrently(ids.filter(isSampled), async (id) => {
      const { counts, findings } = await verifyTransaction({ account, id, filings, pauseMs });
      for (const name of countedKinds) progress.counts[name] += counts[name];
      findings.forEach(onFinding);
    });
    oldest ??= ids[0];
    const last = ids.at(-1);
    if (!last || !oldest) continue;
    progress.after = last;
    // The total is unknown. Ids are in the order of creation, so their times estimate the progress.
    const span = Math.max(1, getTime(newest ?? last) - getTime(oldest));
    const share = Math.min(1, (getTime(last) - getTime(oldest)) / span);
    onProgress?.(structuredClone(progress), shareOfTransactions * share);
  }
  await concurrently(statesOfEntries(), async (state) => {
    for await (const finding of orphanedEntries(account, state)) onFinding(finding);
  });
  progress.counts.filings += await verifyFilings(account, pauseMs, onFinding);
  return { ...progress, isDone: true };
};

/** Checks the periods and filings of an account. Returns the number of filings. */
const verifyFilings = async (account: string, pauseMs: number, onFinding: (finding: Finding) => void) => {
  let filings: readonly StoredFiling[] = [];
  const periods = await confirmed(async () => {
    filings = await allFilings(account);
    return { findings: await periodFindings(account, filings) };
  }, pauseMs);
  periods.findings.forEach(onFinding);
  for (const { id } of filings) (await confirmed(() => verifyFiling(account, id), pauseMs)).findings.forEach(onFinding);
  return filings.length;
};
