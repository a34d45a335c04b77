import { decodeTime } from 'ulid';
import { newestId, transactionIds } from '../../store/ledger/ledger-walk.ts';
import { addCounts, type Counts, noCounts } from './counts.ts';
import { type FilingBook, filingBook } from './filing-book.ts';
import { confirmed, type Finding } from './finding.ts';
import { statesOfEntries, strayEntries } from './stray-entries.ts';
import { chainFindings } from './verify-chains.ts';
import { periodFindings, verifyFiling } from './verify-filings.ts';
import { verifyTransaction } from './verify-transaction.ts';

export type Walk = {
  readonly account: string;
  readonly nowMs: () => number;
  /** How long to wait before something that was found is looked for again. */
  readonly pauseMs: number;
  /** Hears of each finding as it is made, so that none need be kept. */
  readonly onFinding: (finding: Finding) => void;
  /** How far the walk is, from 0 to 1. */
  readonly onProgress: (share: number, counts: Counts) => void;
};

const pageSize = 100;
const atOnce = 8;
/** The walk over the transactions is the most of it; then come the open entries by state, and the filings. */
const shareOfTransactions = 0.8;
const shareOfEntries = 0.1;

const timeOf = (id: string) => decodeTime(id.slice('txn_'.length));

/**
 * Walk over all of an account's transactions, oldest first, and then over its open entries and its filings, and check each.
 *
 * A few transactions are in memory at a time, whatever the size of the ledger.
 */
export const verifyAccount = async (walk: Walk): Promise<Counts> => {
  const counts = noCounts();
  const book = await filingBook(walk.account);
  await verifyTransactions(walk, book, counts);
  await verifyEntries(walk, counts);
  await verifyFilings(walk, book, counts);
  walk.onProgress(1, counts);
  return counts;
};

const verifyTransactions = async (
  { account, nowMs, pauseMs, onFinding, onProgress }: Walk,
  book: FilingBook,
  counts: Counts,
): Promise<void> => {
  const newest = await newestId(account);
  let oldest: string | undefined;
  for await (const ids of transactionIds(account, pageSize)) {
    oldest ??= ids[0];
    await inTurns(ids, async (id) => {
      const verified = await verifyTransaction({ account, id, book, nowMs, pauseMs });
      addCounts(counts, verified.counts);
      for (const finding of verified.findings) onFinding(finding);
    });
    const last = ids.at(-1);
    // The total is unknown. Ids are in the order of creation, so progress is estimated from their times.
    if (last && oldest && newest) {
      const span = Math.max(1, timeOf(newest) - timeOf(oldest));
      onProgress(shareOfTransactions * Math.min(1, (timeOf(last) - timeOf(oldest)) / span), counts);
    }
  }
};

const verifyEntries = async ({ account, onFinding, onProgress }: Walk, counts: Counts): Promise<void> => {
  const states = statesOfEntries();
  let done = 0;
  await inTurns(states, async (state) => {
    for await (const { findings } of strayEntries(account, state)) findings.forEach(onFinding);
    done += 1;
    onProgress(shareOfTransactions + shareOfEntries * (done / states.length), counts);
  });
};

const verifyFilings = async (
  { account, pauseMs, onFinding, onProgress }: Walk,
  book: FilingBook,
  counts: Counts,
): Promise<void> => {
  const periods = await confirmed(async () => {
    await book.refresh();
    return { findings: periodFindings(book.all()) };
  }, pauseMs);
  periods.findings.forEach(onFinding);
  const chains = await confirmed(async () => {
    await book.refresh();
    return { findings: await chainFindings(account, book.all()) };
  }, pauseMs);
  chains.findings.forEach(onFinding);
  const filings = book.all();
  for (const [index, { id }] of filings.entries()) {
    const { findings } = await confirmed(() => verifyFiling(account, id), pauseMs);
    findings.forEach(onFinding);
    counts.filings += 1;
    const share = (index + 1) / filings.length;
    onProgress(shareOfTransactions + shareOfEntries + (1 - shareOfTransactions - shareOfEntries) * share, counts);
  }
};

/** A few at a time, each begun when another is done. */
const inTurns = async <Value>(values: readonly Value[], run: (value: Value) => Promise<void>): Promise<void> => {
  const waiting = values.values();
  const next = async () => {
    for (const value of waiting) await run(value);
  };
  await Promise.all(Array.from({ length: atOnce }, next));
};
