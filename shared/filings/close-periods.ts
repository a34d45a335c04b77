import type { Account } from '../accounts/account.ts';
import { stateJurisdiction } from '../jurisdiction.ts';
import { beginning, newFiling, newShards } from './begin.ts';
import type { Chain, StoredFiling } from './ledger.ts';
import { isOver, nextPeriod, type Period, registeredUntil, registrationsIn } from './periods.ts';
import type { Closed, ClosePorts } from './ports.ts';
import { workOn } from './work-on.ts';

/** The name in `by` of filings and audit entries that the schedule caused. */
const askedBy = 'close-periods';

const nothing: Closed = { created: 0, worked: 0, finished: 0, complete: true, failed: 0 };

const sumOf = (parts: readonly Closed[]): Closed => ({
  created: parts.reduce((sum, { created }) => sum + created, 0),
  worked: parts.reduce((sum, { worked }) => sum + worked, 0),
  finished: parts.reduce((sum, { finished }) => sum + finished, 0),
  complete: parts.every(({ complete }) => complete),
  failed: parts.reduce((sum, { failed }) => sum + failed, 0),
});

const isTimeUp = ({ remainingMs, stepMsMax }: ClosePorts): boolean => remainingMs() <= stepMsMax;

/**
 * Continue unfinished filings, then close every past period of every state in which an account is registered, including
 * empty periods: the oldest first, up to the registration's end (interface decisions 8).
 *
 * A failure of one filing or account does not stop the others. A large filing gets a share of the time in its first turn,
 * and what is left afterwards. The next run continues an interrupted one.
 */
export const closePeriods = async (ports: ClosePorts): Promise<Closed> => {
  const closed = sumOf([await resumeAll(ports, turnShare), await closeAll(ports)]);
  return closed.complete || isTimeUp(ports) ? closed : sumOf([closed, await resumeAll(ports, 1)]);
};

const guarded = async (work: () => Promise<Closed>, ports: ClosePorts): Promise<Closed> => {
  if (isTimeUp(ports)) return { ...nothing, complete: false };
  try {
    return await work();
  } catch (error) {
    ports.onFailure(error);
    return { ...nothing, complete: false, failed: 1 };
  }
};

/** The share of the remaining time that one filing gets while others wait. */
const turnShare = 1 / 3;

const workedOn = async (filing: StoredFiling, ports: ClosePorts, share = turnShare): Promise<Closed> => {
  const leaveMs = Math.max(ports.stepMsMax, ports.remainingMs() * (1 - share));
  const isFinished = await workOn(filing, ports, leaveMs);
  return { ...nothing, worked: 1, finished: Number(isFinished), complete: isFinished };
};

const filingsAtATime = 25;

const resumeAll = async (ports: ClosePorts, share: number): Promise<Closed> => {
  let closed = nothing;
  let after: Parameters<ClosePorts['filings']['unfinished']>[0] = null;
  do {
    if (isTimeUp(ports)) return { ...closed, complete: false };
    const { filings, next } = await ports.filings.unfinished(after, filingsAtATime);
    for (const { account, id } of filings) {
      const resume = async () => {
        const filing = await ports.filings.find(account, id);
        return filing?.isUnfinished ? workedOn(filing, ports, share) : nothing;
      };
      closed = sumOf([closed, await guarded(resume, ports)]);
    }
    after = next;
  } while (after !== null);
  return closed;
};

// Each filing works on eight shards; the client has fifty connections.
const accountsAtATime = 4;

const closeAll = async (ports: ClosePorts): Promise<Closed> => {
  let closed = nothing;
  let after: string | null = null;
  do {
    if (isTimeUp(ports)) return { ...closed, complete: false };
    const page = await ports.accountIds(after);
    for (let at = 0; at < page.ids.length; at += accountsAtATime) {
      const some = page.ids.slice(at, at + accountsAtATime);
      closed = sumOf([closed, ...(await Promise.all(some.map((id) => guarded(() => closeAccount(id, ports), ports))))]);
    }
    after = page.next;
  } while (after !== null);
  return closed;
};

const statesOf = ({ settings: { registrations } }: Account): string[] => [
  ...new Set((registrations ?? []).flatMap(({ state }) => stateJurisdiction(state) ?? [])),
];

const closeAccount = async (id: string, ports: ClosePorts): Promise<Closed> => {
  const account = await ports.findAccount(id);
  const states = account ? statesOf(account) : [];
  if (!account || states.length === 0) return nothing;
  const chains = new Map((await ports.filings.chains(id, states)).map((chain) => [chain.state, chain]));
  let closed = nothing;
  for (const state of states)
    closed = sumOf([closed, await guarded(() => closeState(account, state, chains.get(state) ?? null, ports), ports)]);
  return closed;
};

/** The period that is due; none where the state's last filing is unfinished or was canceled by a client. */
const duePeriod = async (
  account: Account,
  state: string,
  chain: Chain | null,
  { filings, now }: ClosePorts,
): Promise<Period | null> => {
  if (chain?.isBusy || chain?.isHeld) return null;
  const until = registeredUntil(registrationsIn(state, account.settings.registrations));
  const period = await nextPeriod(account, state, chain, filings);
  return period && isOver(period.end, now()) && (until === null || period.start <= until) ? period : null;
};

const closeState = async (account: Account, state: string, seen: Chain | null, ports: ClosePorts): Promise<Closed> => {
  let closed = nothing;
  let chain = seen;
  while (!isTimeUp(ports)) {
    const period = await duePeriod(account, state, chain, ports);
    if (period === null) return closed;
    const nowMs = ports.now();
    const filing = newFiling(
      { account: account.id, id: ports.newId(nowMs), state, previous: chain?.last ?? null, asked_by: askedBy },
      period,
      nowMs,
    );
    const begun = await ports.filings.commit(beginning(filing, newShards(ports.filings.shards), chain, null));
    // A concurrent request closed the period.
    if (begun.kind !== 'committed') return closed;
    closed = sumOf([closed, { ...nothing, created: 1 }, await workedOn(filing, ports)]);
    [chain = null] = await ports.filings.chains(account.id, [state]);
  }
  return { ...closed, complete: false };
};
