import type { Account } from '../accounts/account.ts';
import { dayMs, toDay } from '../base/calendar.ts';
import { concurrently } from '../base/collections.ts';
import type { SweepPosition } from '../ledger/ports.ts';
import type { FilingSequence, StoredFiling } from './filing.ts';
import {
  closesAt,
  findOldest,
  followingPeriod,
  isByOpenEntries,
  monthOfEnd,
  type Period,
  registrationsIn,
} from './periods.ts';
import type { Closed, ClosePorts, DueEntry } from './ports.ts';
import { remind } from './reminders.ts';
import { beginFiling, workOn } from './work-on.ts';

/** The value of `by` in filings and audit entries created by the schedule. */
const askedBy = 'close-periods';

/** The counts of the current run. */
type Tally = { created: number; worked: number; finished: number; failed: number };

const toInstant = (timeMs: number): string => new Date(timeMs).toISOString();

/** Returns whether too little time is left for a further step. */
const isTimeUp = ({ remainingMs, stepMsMax }: ClosePorts): boolean => remainingMs() <= stepMsMax;

/**
 * Continues unfinished filings, closes the due periods of every state in which an account is registered, including
 * empty periods, and stores the reminders of the day.
 *
 * States and filings take turns, so that neither a large filing nor a long backlog delays the others. A failure of one
 * filing or state does not stop the others. The next run continues where this one stopped.
 */
export const closePeriods = async (ports: ClosePorts): Promise<Closed> => {
  const tally: Tally = { created: 0, worked: 0, finished: 0, failed: 0 };
  const isThrough = await processDue(ports, tally);
  const unswept = isThrough ? await sweepAccounts(ports) : 0;
  const { failed: left, ...counts } = tally;
  const failed = left + unswept;
  return { ...counts, complete: isThrough && failed === 0, failed };
};

// The accounts of 96 entries from eight shards fit within the BatchGetItem limit of 100.
const entriesOfShard = 12;
// A filing uses a connection for each of its eight shards, and the client is limited to fifty.
const turnsAtOnce = 4;
/**
 * The time slice of a filing, in milliseconds. Its work continues after the slices of other filings, or in the next
 * run.
 */
const turnMs = 10_000;

const inOrder = (a: DueEntry, b: DueEntry): number =>
  `${a.at}#${a.account}#${a.subject}` < `${b.at}#${b.account}#${b.subject}` ? -1 : 1;

/**
 * Processes the due index round robin: each turn closes one period of one state, or works on an unfinished filing. A
 * state with a further due period moves to the end of the queue. While filings are unfinished, the queue begins again.
 * The next run continues from the index. Returns whether every due entry was processed and these filings are finished.
 */
const processDue = async (ports: ClosePorts, tally: Tally): Promise<boolean> => {
  const { due } = ports;
  const start: readonly (DueEntry | null)[] = Array.from({ length: due.shards }, () => null);
  let places = start;
  /** The number of turns before this pass that did not finish their filing. */
  let unfinishedBefore = 0;
  const failed = new Set<string>();
  while (!isTimeUp(ports)) {
    const upTo = toInstant(ports.now());
    const pages = await Promise.all(places.map((after, shard) => due.page(shard, upTo, entriesOfShard, after)));
    const entries = pages.flat().sort(inOrder);
    if (entries.length === 0) {
      const unfinished = tally.worked - tally.finished;
      if (unfinished === unfinishedBefore) return true;
      [places, unfinishedBefore] = [start, unfinished];
      continue;
    }
    places = places.map((place, shard) => pages[shard]?.at(-1) ?? place);
    const accounts = await ports.findAccounts([...new Set(entries.map(({ account }) => account))]);
    const takeTurns = async (entry: DueEntry) => {
      const key = `${entry.account}#${entry.subject}`;
      // The next run tries a failed entry again.
      if (isTimeUp(ports) || failed.has(key)) return;
      try {
        if (entry.subject.startsWith('fil_')) await continueFiling(entry, ports, tally);
        else await takeTurn(entry, accounts.get(entry.account)?.(), ports, tally);
      } catch (error) {
        ports.onFailure(error);
        tally.failed += 1;
        failed.add(key);
      }
    };
    await concurrently(entries, takeTurns, turnsAtOnce);
  }
  return false;
};

const continueFiling = async (entry: DueEntry, ports: ClosePorts, tally: Tally): Promise<void> => {
  const filing = await ports.filings.find(entry.account, entry.subject);
  if (filing?.isUnfinished) await workForTurn(filing, ports, tally);
  else await ports.due.move(entry, null);
};

const workForTurn = async (
  filing: StoredFiling,
  ports: ClosePorts,
  tally: Tally,
  begun?: Parameters<typeof workOn>[3],
): Promise<void> => {
  const leaveMs = Math.max(ports.stepMsMax, ports.remainingMs() - turnMs);
  const isFinished = await workOn(filing, ports, leaveMs, begun);
  tally.worked += 1;
  tally.finished += Number(isFinished);
};

/** Closes the state's due period, or moves the entry to the time from which the next one is due. */
const takeTurn = async (
  entry: DueEntry,
  account: Account | undefined,
  ports: ClosePorts,
  tally: Tally,
): Promise<void> => {
  const { subject: state } = entry;
  const [chain = null] = await ports.filings.chains(entry.account, [state]);
  // A filing that is being closed or canceled keeps its entry, because the next period may be due afterwards.
  if (chain?.isBusy) return;
  // The periods of a closed account do not change, and the schedule does not close a period that a client canceled. The
  // client's next request to close a period writes a new entry.
  if (!account || account.closed_at !== undefined || chain?.isHeld) return ports.due.move(entry, null);
  // The registration was removed. A new one writes a new entry.
  if (registrationsIn(state, account.settings.registrations).length === 0) return ports.due.move(entry, null);
  const lastEnd = chain?.last?.period_end ?? null;
  const isRead = isByOpenEntries(account, state, lastEnd);
  const months = isRead ? await ports.filings.oldestOpenMonths(entry.account, state) : null;
  const period = followingPeriod(account, state, lastEnd, findOldest(months ?? []));
  const at = period && closesAt(account, state, period);
  if (period && at && at <= toInstant(ports.now())) return close(entry, account, chain, period, months, ports, tally);
  await ports.due.move(entry, isRead ? nextCheck(account, lastEnd, at, ports.now()) : at);
};

/**
 * Returns when to check a state again whose next period depends on open entries, because sales write no due entries: on
 * the next day, or earlier if its period closes before. `null` if the schedule will not close the state's periods.
 */
const nextCheck = ({ settings }: Account, lastEnd: string | null, at: string | null, nowMs: number): string | null => {
  if (settings.review_days === null || (lastEnd !== null && at === null)) return null;
  // All checks use the same time, so a state has only one entry.
  const tomorrow = toInstant(Date.parse(toDay(nowMs + dayMs)));
  return at !== null && at < tomorrow ? at : tomorrow;
};

/**
 * Returns the time from which the schedule processes the state again. It is later than this entry and not in the past,
 * so waiting entries come first.
 */
const nextTurn = (entry: DueEntry, account: Account, { end }: Period, nowMs: number): string | null => {
  const next = followingPeriod(account, entry.subject, end, null);
  const at = next && closesAt(account, entry.subject, next);
  // Two writes of one commit cannot have the same key.
  const behind = toInstant(Math.max(nowMs, Date.parse(entry.at) + 1));
  return at && (at < behind || isByOpenEntries(account, entry.subject, end)) ? behind : at;
};

const close = async (
  entry: DueEntry,
  account: Account,
  before: FilingSequence | null,
  period: Period,
  knownMonths: readonly (string | null)[] | null,
  ports: ClosePorts,
  tally: Tally,
): Promise<void> => {
  const { filings } = ports;
  const { subject: state } = entry;
  const months = knownMonths ?? (await filings.oldestOpenMonths(account.id, state));
  const isEmpty = (shard: number) => (months[shard] ?? '9999-12') > monthOfEnd(period.end);
  const owner = { account: account.id, state, asked_by: askedBy };
  const { filing, commit, ...begun } = beginFiling(owner, period, before, ports, isEmpty);
  const at = nextTurn(entry, account, period, commit.nowMs);
  const due = { remove: entry, put: at === null ? null : { account: account.id, subject: state, at } };
  // Stale: a concurrent request or run closed the period, or the account's settings changed. The entry is kept.
  const settingsAsOf = account.settings_changed_at ?? null;
  if ((await filings.commit({ ...commit, due, settingsAsOf })).kind !== 'committed') return;
  tally.created += 1;
  await workForTurn(filing, ports, tally, begun);
};

/** The number of pages, of a hundred accounts each, per run. */
const pagesMax = 20;
const accountsAtOnce = 8;

/**
 * Stores the reminders of all accounts' returns once a day, spread over several runs. Returns the number of accounts
 * that failed.
 */
export const sweepAccounts = async (ports: ClosePorts): Promise<number> => {
  let failed = 0;
  const day = toDay(ports.now());
  let position = await ports.due.sweep.read();
  for (let page = 0; page < pagesMax && !isTimeUp(ports) && !(position?.day === day && position.isDone); page++) {
    const { rows: ids, next } = await ports.accountIds(position?.day === day ? position.after : null);
    const sweepAccount = async (read: () => Account) => {
      try {
        const account = read();
        if (account.closed_at === undefined) await remind(account, ports);
      } catch (error) {
        ports.onFailure(error);
        failed += 1;
      }
    };
    await concurrently((await ports.findAccounts(ids)).values(), sweepAccount, accountsAtOnce);
    const after: SweepPosition = { day, after: next, isDone: next === null };
    // A concurrent run moved the position and continues from it.
    if (!(await ports.due.sweep.move(position, after))) break;
    position = after;
  }
  return failed;
};
