import type { Account } from '../accounts/account.ts';
import { toDay } from '../base/calendar.ts';
import type { SweepPosition } from '../ledger/ports.ts';
import type { DuePlace, FilingSequence } from './ledger.ts';
import { closesAt, followingPeriod, isByOpenEntries, nextPeriod, registeredStates } from './periods.ts';
import { type ClosePorts, isTimeUp } from './ports.ts';

/** Pages of a hundred accounts in one run. */
const pagesMax = 20;
const accountsAtOnce = 8;

type Swept = { readonly added: number; readonly failed: number };

/**
 * Walk over all accounts once a day, in parts of several runs, and write the entries of the due index that do not exist,
 * such as of states whose first sale is dated before their registration: a sale writes no entry.
 */
export const sweepDue = async (ports: ClosePorts): Promise<Swept> => {
  const swept = { added: 0, failed: 0 };
  const day = toDay(ports.now());
  let position = await ports.due.sweep();
  for (let page = 0; page < pagesMax && !isTimeUp(ports) && !(position?.day === day && position.isDone); page++) {
    const { ids, next } = await ports.accountIds(position?.day === day ? position.after : null);
    const accounts = await ports.findAccounts(ids);
    const waiting = accounts.values();
    const work = async () => {
      for (const read of waiting) {
        try {
          swept.added += await addMissing(read(), ports);
        } catch (error) {
          ports.onFailure(error);
          swept.failed += 1;
        }
      }
    };
    await Promise.all(Array.from({ length: accountsAtOnce }, work));
    const after: SweepPosition = { day, after: next, isDone: next === null };
    // A concurrent run moved the position and continues from it.
    if (!(await ports.due.moveSweep(position, after))) break;
    position = after;
  }
  return swept;
};

const addMissing = async (account: Account, ports: ClosePorts): Promise<number> => {
  const { id, closed_at } = account;
  if (closed_at !== undefined) return 0;
  const states = registeredStates(account.settings.registrations);
  if (states.length === 0) return 0;
  const chains = new Map((await ports.filings.chains(id, states)).map((chain) => [chain.state, chain]));
  const open = states.filter((state) => !chains.get(state)?.isHeld);
  const hasFirst = open.some((state) => !chains.get(state)?.last);
  const firstDay = hasFirst ? await ports.firstTaxDay(id) : null;
  const places: DuePlace[] = [];
  for (const state of open) {
    const at = await findClosing(account, state, chains.get(state) ?? null, firstDay, ports);
    if (at !== null) places.push({ account: id, state, at });
  }
  return ports.due.addMissing(places);
};

/** The instant from which the schedule closes the next period. Open entries are read only if they can be in an
 * earlier period. */
const findClosing = async (
  account: Account,
  state: string,
  chain: FilingSequence | null,
  firstDay: string | null,
  ports: ClosePorts,
): Promise<string | null> => {
  const lastEnd = chain?.last?.period_end ?? null;
  const known = followingPeriod(account, state, lastEnd, null);
  // After the registration's end the schedule closes nothing.
  if (chain?.last && known && closesAt(account, state, known) === null) return null;
  const canBeOlder = chain?.last
    ? isByOpenEntries(account, state, lastEnd)
    : firstDay !== null && (known === null || firstDay < known.start);
  const period = canBeOlder ? await nextPeriod(account, state, chain, ports.filings) : known;
  return period && closesAt(account, state, period);
};
