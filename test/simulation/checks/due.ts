import type { Registration } from '../../../shared/accounts/account.ts';
import type { Item } from '../../support/memory-database.ts';
import type { History } from '../history.ts';
import type { Observed } from '../observed.ts';
import type { Change, Ledger } from './ledger.ts';

type Settings = { readonly registrations: readonly Registration[] | null; readonly review_days: number };
type Chain = { readonly last: { readonly period_end: string; readonly filing: string } | null; readonly held: boolean };

const dayMs = 86_400_000;

/** The last day of the month that is so many months after that of a day. */
const monthEnd = (day: string, months: number): number =>
  Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)) + months, 0);

/** When the schedule closes the next period, in milliseconds. All registrations of these schedules are monthly, and have no end. */
const closingMs = (chain: Chain | undefined, created: string, { from }: Registration, reviewDays: number): number => {
  const end = chain?.last ? monthEnd(chain.last.period_end, 1) : monthEnd(from > created ? from : created, 0);
  return end + (1 + reviewDays) * dayMs;
};

/** The items that decide what is due, at a step. */
class DueBooks {
  readonly #due = new Set<string>();
  readonly #chains = new Map<string, Chain>();
  readonly #accounts = new Map<string, Item>();
  /** Accounts from before the index are in it once a sweep was done. */
  #isSwept = false;

  take({ name, version: { item } }: Change): string[] {
    const [pk = '', sk = ''] = name.split(' ');
    if (pk === 'DUE#SWEEP') this.#isSwept ||= item?.['done'] === true;
    else if (pk.startsWith('DUE#')) {
      if (item) this.#due.add(sk);
      else this.#due.delete(sk);
    }
    if (sk !== 'CHAIN' || !item) return [];
    const before = this.#chains.get(pk);
    const chain = { last: item['last'] as Chain['last'], held: item['held'] === true };
    this.#chains.set(pk, chain);
    return before?.held && !chain.held ? [`${pk.split('#')[1]} ${chain.last?.filing}`] : [];
  }

  takeAccount(item: Item, hasEntries: boolean): void {
    this.#accounts.set(String(item['id']), item);
    this.#isSwept ||= hasEntries;
  }

  #states() {
    return [...this.#accounts].flatMap(([id, item]) => {
      const { registrations, review_days } = item['settings'] as Settings;
      return (registrations ?? []).flatMap((registration) => {
        const state = `US-${registration.state}`;
        const chain = this.#chains.get(`P#${id}#${state}`);
        const created = String(item['created_at']).slice(0, 10);
        return chain?.held ? [] : [{ id, state, closes: closingMs(chain, created, registration, review_days) }];
      });
    });
  }

  /** States whose next period has no entry at its closing day or before, and not yet either. */
  missing(nowMs: number): string[] {
    if (!this.#isSwept) return [];
    const entries = [...this.#due].map((sk) => sk.split('#'));
    return this.#states()
      .filter(({ id, state, closes }) => {
        // A state with another due period waits behind all that were due.
        const latest = Math.max(closes, nowMs + 1);
        return !entries.some(([at = '', account, of]) => account === id && of === state && Date.parse(at) <= latest);
      })
      .map(({ id, state }) => `${state} of ${id} is not in the due index in time`);
  }

  /** States with a period that the schedule should have closed. */
  overdue(nowMs: number): string[] {
    return this.#states()
      .filter(({ closes }) => closes <= nowMs)
      .map(({ id, state }) => `${state} of ${id} has a due period that was not closed`);
  }
}

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
