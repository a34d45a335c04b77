import { decodeTime } from 'ulid';
import { newestId, transactionIds } from '../../store/ledger/ledger-walk.ts';
import { orphanedEntries, statesOfEntries } from './checks/entries.ts';
import { type FilingBook, filingBook } from './filing-book.ts';
import { confirmed, type Finding } from './finding.ts';
import { chainFindings, periodFindings, verifyFiling } from './verify-filings.ts';
import { addCounts, type Counts, noCounts, type Subject, verifyTransaction } from './verify-transaction.ts';

export type VerifyOptions = Pick<Subject, 'account' | 'nowMs' | 'pauseMs'> & {
  /** Called for each finding, so that memory does not grow with them. */
  readonly onFinding: (finding: Finding) => void;
  /** Called with the progress from 0 to 1. */
  readonly onProgress: (share: number, counts: Counts) => void;
  /** Where an interrupted walk continues: after the transactions up to this one, with their counts. */
  readonly from?: { readonly after: string | null; readonly counts: Counts };
  /** Called when all transactions up to this one are checked. */
  readonly onPage?: (after: string, counts: Counts) => void;
  /** Which transactions are checked; all without it. Open entries and filings are always checked. */
  readonly isSampled?: (id: string) => boolean;
};

const pageSize = 100;
const atOnce = 8;
/** Shares of the progress: transactions, then open entries by state, then filings. */
const shareOfTransactions = 0.8;
const shareOfEntries = 0.1;

const timeOf = (id: string) => decodeTime(id.slice('txn_'.length));

/**
 * Check all of an account's transactions, oldest first, then its open entries, then its filings.
 *
 * Memory does not grow with the ledger.
 */
export const verifyAccount = async (options: VerifyOptions): Promise<Counts> => {
  const counts = { ...(options.from?.counts ?? noCounts()) };
  const book = await filingBook(options.account);
  await verifyTransactions(options, book, counts);
  await verifyEntries(options, counts);
  await verifyFilings(options, book, counts);
  options.onProgress(1, counts);
  return counts;
};

const verifyTransactions = async (
  { account, nowMs, pauseMs, onFinding, onProgress, from, onPage, isSampled = () => true }: VerifyOptions,
  book: FilingBook,
  counts: Counts,
): Promise<void> => {
  const newest = await newestId(account);
  let oldest: string | undefined;
  for await (const ids of transactionIds(account, pageSize, from?.after)) {
    oldest ??= ids[0];
    await concurrently(ids.filter(isSampled), async (id) => {
      const verified = await verifyTransaction({ account, id, book, nowMs, pauseMs });
      addCounts(counts, verified.counts);
      for (const finding of verified.findings) onFinding(finding);
    });
    const last = ids.at(-1);
    if (last) onPage?.(last, counts);
    // The total is unknown. Ids are in the order of creation, so their times estimate the progress.
    if (last && oldest && newest) {
      const span = Math.max(1, timeOf(newest) - timeOf(oldest));
      onProgress(shareOfTransactions * Math.min(1, (timeOf(last) - timeOf(oldest)) / span), counts);
    }
  }
};

const verifyEntries = async ({ account, onFinding, onProgress }: VerifyOptions, counts: Counts): Promise<void> => {
  const states = statesOfEntries();
  let done = 0;
  await concurrently(states, async (state) => {
    for await (const finding of orphanedEntries(account, state)) onFinding(finding);
    done += 1;
    onProgress(shareOfTransactions + shareOfEntries * (done / states.length), counts);
  });
};

const verifyFilings = async (
  { account, pauseMs, onFinding, onProgress }: VerifyOptions,
  book: FilingBook,
  counts: Counts,
): Promise<void> => {
  const periods = await confirmed(async () => {
    await book.refresh();
    return { findings: [...periodFindings(book.all()), ...(await chainFindings(account, book.all()))] };
  }, pauseMs);
  periods.findings.forEach(onFinding);
  const filings = book.all();
  for (const [index, { id }] of filings.entries()) {
    const { findings } = await confirmed(() => verifyFiling(account, id), pauseMs);
    findings.forEach(onFinding);
    counts.filings += 1;
    const done = shareOfTransactions + shareOfEntries;
    onProgress(done + ((1 - done) * (index + 1)) / filings.length, counts);
  }
};

/** Run a function for all values with limited concurrency. */
export const concurrently = async <Value>(
  values: readonly Value[],
  run: (value: Value) => Promise<void>,
  parallel = atOnce,
): Promise<void> => {
  // All workers share the generator, so it ends for all of them when one throws.
  const waiting = (function* () {
    yield* values;
  })();
  const next = async () => {
    for (const value of waiting) await run(value);
  };
  await Promise.all(Array.from({ length: parallel }, next));
};
