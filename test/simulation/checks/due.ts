import { Account } from '../../../shared/accounts/account.ts';
import { type Fault, faultText, faultUnless } from '../../../shared/ledger/invariants.ts';
import { daysAfter, lastDayOf, localDay, monthOf } from '../../support/local-days.ts';
import type { Item } from '../../support/memory-database.ts';
import { Registered } from '../../support/registered.ts';
import type { History } from '../history.ts';
import type { Observed } from '../observed.ts';
import type { Change, Ledger } from './ledger.ts';

type Chain = { readonly last: { readonly period_end: string; readonly filing: string } | null; readonly held: boolean };

/** The day on which the schedule closes the next period of a state with a return; `null` without one. */
const closingDay = (chain: Chain | undefined, { created_at, settings }: Account, state: string): string | null => {
  const registered = new Registered(settings.registrations, state);
  const month = registered.nextFrom(chain?.last ? monthOf(chain.last.period_end) + 1 : monthOf(created_at));
  return month === null ? null : daysAfter(lastDayOf(registered.periodOf(month).last), 1 + settings.review_days);
};

/** The items that decide what is due, at a step. */
class DueBooks {
  readonly #due = new Set<string>();
  readonly #chains = new Map<string, Chain>();
  readonly #accounts = new Map<string, Account>();
  /** Accounts from before the index are in it once a sweep was done, or their settings were changed. */
  #isSwept = false;
  readonly #indexed = new Set<string>();

  take({ name, version: { item } }: Change): string[] {
    const [pk = '', sk = ''] = name.split(' ');
    if (pk === 'DUE#SWEEP') this.#isSwept ||= item?.['isDone'] === true;
    else if (pk.startsWith('DUE#')) {
      if (item) this.#due.add(sk);
      else this.#due.delete(sk);
    }
    if (sk !== 'CHAIN' || !item) return [];
    const before = this.#chains.get(pk);
    const chain = { last: item['last'] as Chain['last'], held: item['isHeld'] === true };
    this.#chains.set(pk, chain);
    return before?.held && !chain.held ? [`${pk.split('#')[1]} ${chain.last?.filing}`] : [];
  }

  takeAccount(item: Item, hasEntries: boolean): void {
    this.#accounts.set(String(item['id']), Account.parse(item));
    if (hasEntries) this.#indexed.add(String(item['id']));
  }

  #states() {
    return [...this.#accounts.values()].flatMap((account) => {
      const { registrations, time_zone: zone } = account.settings;
      const listed = Array.isArray(registrations) ? registrations : [];
      return [...new Set(listed.map(({ state }) => `US-${state}`))].flatMap((state) => {
        const chain = this.#chains.get(`P#${account.id}#${state}`);
        const closes = chain?.held ? null : closingDay(chain, account, state);
        return closes === null ? [] : [{ id: account.id, state, zone, closes }];
      });
    });
  }

  /** States whose next period has no entry at its closing day or before, and not yet either. */
  missing(nowMs: number): string[] {
    const entries = [...this.#due].map((sk) => {
      const [at = '', account = '', state = ''] = sk.split('#');
      return { account, state, atMs: Date.parse(at) };
    });
    const states = this.#states()
      .filter(({ id }) => this.#isSwept || this.#indexed.has(id))
      .map(({ id, state, zone, closes }) => ({
        account: id,
        state,
        // A state with another due period waits behind all that were due.
        isInTime: (ms: number) => ms <= nowMs + 1 || localDay(ms - 1, zone) < closes,
      }));
    return dueFaults(states, entries).map(faultText);
  }

  /** States with a period that the schedule should have closed. */
  overdue(nowMs: number): string[] {
    return this.#states()
      .filter(({ zone, closes }) => closes <= localDay(nowMs, zone))
      .map(({ id, state }) => `${state} of ${id} has a due period that was not closed`);
  }
}

type DueState = {
  readonly account: string;
  readonly state: string;
  /** Whether an instant is early enough to close the next period of the state. */
  readonly isInTime: (ms: number) => boolean;
};
type DueEntry = { readonly account: string; readonly state: string; readonly atMs: number };

/** Each state that the schedule is to close is in the due index in time. */
const dueFaults = (states: readonly DueState[], entries: readonly DueEntry[]): Fault[] =>
  states.flatMap(({ account, state, isInTime }) =>
    faultUnless(
      entries.some((entry) => entry.account === account && entry.state === state && isInTime(entry.atMs)),
      `entry of ${state} of ${account} in the due index`,
      'none in time',
      'one until its closing day',
    ),
  );

/** Each state that the schedule is to close is always in the due index, and a canceled period is closed by request only. */
export const dueViolations = ({ accounts }: History, ledger: Ledger, { finished }: Observed): string[] => {
  if (accounts.length === 0) return [];
  const books = new DueBooks();
  const wrong: string[] = [];
  const heads = new Map(ledger.others.map(([name, versions]) => [name, versions[0]?.item]));
  let next = 0;
  let nowMs = 0;
  const accountsUntil = (step: number, changes: readonly Change[]) => {
    for (; (accounts[next]?.step ?? Number.POSITIVE_INFINITY) <= step; next++)
      books.takeAccount(
        accounts[next]?.item as Item,
        changes.some(({ name, version }) => name.startsWith('DUE#') && version.step === accounts[next]?.step),
      );
  };
  for (const changes of ledger.steps) {
    const { step, nowMs: time } = (changes[0] as Change).version;
    nowMs = time;
    for (const filing of changes.flatMap((change) => books.take(change))) {
      const [account, id] = filing.split(' ');
      if (heads.get(`F#${account} ${id}`)?.['asked_by'] === 'close-periods')
        wrong.push(`${id} of ${account} was canceled by a client, and closed again by the schedule (step ${step})`);
    }
    accountsUntil(step, changes);
    wrong.push(...books.missing(nowMs).map((words) => `${words} (step ${step})`));
  }
  accountsUntil(Number.MAX_SAFE_INTEGER, []);
  return [...wrong, ...books.missing(nowMs), ...(finished ? books.overdue(finished.atMs) : [])];
};
