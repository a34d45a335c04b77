import type { Account } from '../accounts/account.ts';
import { filingCommitToBegin, newFiling, newShards } from './begin.ts';
import type { DueEntry, FilingSequence } from './ledger.ts';
import { closesAt, findOldest, followingPeriod, isByOpenEntries, monthOfEnd, type Period } from './periods.ts';
import { type ClosePorts, isTimeUp } from './ports.ts';
import { workOn } from './work-on.ts';

/** The name in `by` of filings and audit entries that the schedule caused. */
const askedBy = 'close-periods';

type Tally = { readonly created: number; readonly worked: number; readonly finished: number; readonly failed: number };
const nothing: Tally = { created: 0, worked: 0, finished: 0, failed: 0 };

/** The result of one pass over the due index. `isThrough`: every due entry was processed. */
type Turns = Tally & { readonly isThrough: boolean };

const toInstant = (timeMs: number): string => new Date(timeMs).toISOString();

// Eight shards have 96 entries, whose accounts fit into one BatchGetItem of 100.
const entriesOfShard = 12;
// A filing uses a connection for each of its eight shards, and the client has fifty.
const turnsAtOnce = 4;
/**
 * The time slice of a filing, in milliseconds. Its work continues after the slices of other filings, or in the next
 * run.
 */
const turnMs = 10_000;

const inOrder = (a: DueEntry, b: DueEntry): number =>
  `${a.at}#${a.account}#${a.state}` < `${b.at}#${b.account}#${b.state}` ? -1 : 1;

/**
 * Process the due index round robin: each turn closes one period of one state. A state with another due period moves
 * behind all waiting entries. So the index is the queue, and the next run continues there.
 */
export const closeDue = async (ports: ClosePorts): Promise<Turns> => {
  const { due } = ports;
  const places: (DueEntry | null)[] = Array.from({ length: due.shards }, () => null);
  const done = { ...nothing };
  while (!isTimeUp(ports)) {
    const upTo = toInstant(ports.now());
    const pages = await Promise.all(places.map((after, shard) => due.page(shard, upTo, entriesOfShard, after)));
    const entries = pages.flat().sort(inOrder);
    if (entries.length === 0) return { ...done, isThrough: true };
    for (const [shard, page] of pages.entries()) places[shard] = page.at(-1) ?? places[shard] ?? null;
    const accounts = await ports.findAccounts([...new Set(entries.map(({ account }) => account))]);
    const waiting = entries.values();
    const work = async () => {
      for (const entry of waiting) {
        if (isTimeUp(ports)) return;
        const turn = await guardedTurn(entry, accounts.get(entry.account), ports);
        for (const figure of Object.keys(nothing) as (keyof Tally)[]) done[figure] += turn[figure];
      }
    };
    await Promise.all(Array.from({ length: turnsAtOnce }, work));
  }
  return { ...done, isThrough: false };
};

type ReadAccount = (() => Account) | undefined;

const guardedTurn = async (entry: DueEntry, account: ReadAccount, ports: ClosePorts): Promise<Tally> => {
  try {
    return await takeTurn(entry, account?.() ?? null, ports);
  } catch (error) {
    ports.onFailure(error);
    return { ...nothing, failed: 1 };
  }
};

/** Close the state's due period, or move the entry to the instant from which the next one is due. */
const takeTurn = async (entry: DueEntry, found: Account | null, ports: ClosePorts): Promise<Tally> => {
  // The periods of a closed account do not change.
  const account = found?.closed_at === undefined ? found : null;
  const [chain = null] = await ports.filings.chains(entry.account, [entry.state]);
  // A filing that is being closed or canceled keeps its entry. After it, the next period may be due.
  if (chain?.isBusy) return nothing;
  const lastEnd = chain?.last?.period_end ?? null;
  const isRead = account !== null && isByOpenEntries(account, entry.state, lastEnd);
  const months = isRead ? await ports.filings.oldestOpenMonths(entry.account, entry.state) : null;
  // A client canceled the period, so the schedule does not close it. The client's next request to close a period writes
  // a new entry.
  const period =
    account && !chain?.isHeld ? followingPeriod(account, entry.state, lastEnd, findOldest(months ?? [])) : null;
  const at = account && period ? closesAt(account, entry.state, period) : null;
  if (account && period && at && at <= toInstant(ports.now()))
    return close(entry, account, chain, period, months, ports);
  await ports.due.move(entry, at);
  return nothing;
};

/**
 * The instant from which the schedule processes the state again after a period. It is later than this entry and not in
 * the past, so that waiting entries come first.
 */
const nextTurn = (entry: DueEntry, account: Account, { end }: Period, nowMs: number): string | null => {
  const next = followingPeriod(account, entry.state, end, null);
  const at = next && closesAt(account, entry.state, next);
  // Two writes of one commit cannot have the same key.
  const behind = toInstant(Math.max(nowMs, Date.parse(entry.at) + 1));
  return at && at < behind ? behind : at;
};

const close = async (
  entry: DueEntry,
  account: Account,
  before: FilingSequence | null,
  period: Period,
  knownMonths: readonly (string | null)[] | null,
  ports: ClosePorts,
): Promise<Tally> => {
  const { filings } = ports;
  const { state } = entry;
  const months = knownMonths ?? (await filings.oldestOpenMonths(account.id, state));
  const isEmpty = (shard: number) => (months[shard] ?? '9999-12') > monthOfEnd(period.end);
  const nowMs = ports.now();
  const filing = newFiling(
    { account: account.id, id: ports.newId(nowMs), state, previous: before?.last ?? null, asked_by: askedBy },
    period,
    nowMs,
  );
  const shards = newShards(filings.shards, isEmpty);
  const commit = filingCommitToBegin(filing, shards, before, null);
  const at = nextTurn(entry, account, period, nowMs);
  const due = { remove: entry, put: at === null ? null : { account: account.id, state, at } };
  // Stale: a concurrent request or run closed the period, or the account's settings changed. The entry stays.
  const settingsAsOf = account.settings_changed_at ?? null;
  if ((await filings.commit({ ...commit, due, settingsAsOf })).kind !== 'committed') return nothing;
  const leaveMs = Math.max(ports.stepMsMax, ports.remainingMs() - turnMs);
  const begun = commit.chain && { shards, chain: commit.chain.after };
  const isFinished = await workOn(filing, ports, leaveMs, begun ?? undefined);
  return { ...nothing, created: 1, worked: 1, finished: Number(isFinished) };
};
