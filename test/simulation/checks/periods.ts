import { Account } from '../../../shared/accounts/account.ts';
import { daysAfter, getFirstDay, getLastDay, getMonth, localDay, Registered } from '../../support/local-days.ts';
import type { Item } from '../../support/memory-database.ts';
import type { Observed, Sent } from '../client.ts';
import type { History, Version } from '../history.ts';
import { getKind } from './decode.ts';
import type { Audit, Book, Change, Ledger, Reign } from './ledger.ts';

/**
 * Returns the problem of the tax day that a request just set, if any. `sent` is the requested date or timestamp, if
 * any.
 */
const ofDay = ({ head, version }: Reign, sent: string | undefined, timeZone: string): string[] => {
  const { tax_date } = head.transaction;
  const ms = Date.parse(tax_date);
  const isSent = sent === undefined ? ms >= version.invocation.beganMs && ms <= version.nowMs : ms === Date.parse(sent);
  const day = sent?.length === 10 ? sent : localDay(ms, timeZone);
  return isSent && tax_date.startsWith(day)
    ? []
    : [`is dated ${tax_date}, but ${sent ?? 'now'} is ${day} in ${timeZone}`];
};

/** Returns whether a request sets the tax day of this state: of a new transaction, or of one whose date it changes. */
const isDated = ({ head }: Reign, { request }: Sent, audit: Audit): boolean =>
  head.version === 1 || (request.body?.['tax_date'] !== undefined && audit.listFields(head).includes('tax_date'));

/** Every tax day that a request sets is the sent date, or the time of the request, in the account's time zone. */
export const taxDayViolations = (ledger: Ledger, audit: Audit, { sent }: Observed): string[] => {
  const sentBy = new Map(sent.flatMap((one) => one.attempts.map(({ invocation }) => [invocation, one] as const)));
  return [...ledger.reigns.values()].flat().flatMap((reign) => {
    const { head, version } = reign;
    const request = sentBy.get(version.invocation);
    const { settings } = version.invocation.caller ?? {};
    // The sale of a new credit is excluded.
    const isOwn = request?.request.id === head.id || head.version === 1;
    if (!request || !settings || !isOwn || !isDated(reign, request, audit)) return [];
    const day = request.request.body?.['tax_date'] as string | undefined;
    const wrong = ofDay(reign, day, settings.time_zone);
    return wrong.map((words) => `${head.id} at version ${head.version} ${words}`);
  });
};

type Chain = { readonly last: { readonly period_end: string } | null };
/** An open entry, with the instants at which it was written and removed. */
type Open = { readonly state: string; readonly month: number; readonly fromMs: number; untilMs: number };

/** The fields of a new filing about its period. */
type Period = {
  readonly state: string;
  readonly period_start: string;
  readonly period_end: string;
  readonly frequency: string;
  readonly asked_by: string;
  readonly created_at: string;
};

const isOpen = ({ untilMs }: Open) => untilMs === Number.POSITIVE_INFINITY;

const isSchedule = ({ asked_by }: Period) => asked_by === 'close-periods';

/** A filing covers the months of its period after the last filing, and begins when these months are over. */
const ofDays = (period: Period, before: Chain | undefined, account: Account): string[] => {
  const { settings } = account;
  const { first, last, frequency } = new Registered(settings.registrations, period.state).getPeriod(
    getMonth(period.period_end),
  );
  const after = before?.last ? getMonth(before.last.period_end) + 1 : first;
  const expected = `${getFirstDay(Math.max(first, after))} to ${getLastDay(last)} by ${frequency}`;
  const actual = `${period.period_start} to ${period.period_end} by ${period.frequency}`;
  const wrong = actual === expected ? [] : [`is from ${actual}, not from ${expected}`];
  const day = localDay(Date.parse(period.created_at), settings.time_zone);
  // Without review days, the schedule closes nothing.
  const days = isSchedule(period) ? settings.review_days : 0;
  const earliest = days === null ? '9999' : daysAfter(period.period_end, 1 + days);
  return day >= earliest ? wrong : [...wrong, `of ${period.period_end} began on ${day}, before ${earliest}`];
};

/** Only months without a registration are skipped, and the schedule closes skipped months that have entries. */
const ofGaps = (
  period: Period,
  before: Chain | undefined,
  registered: Registered,
  open: readonly Open[],
  beganMs: number,
): string[] => {
  if (!before?.last) return [];
  const [first, last] = [getMonth(period.period_start), getMonth(period.period_end)];
  const skipped = Array.from({ length: first - getMonth(before.last.period_end) - 1 }, (_, at) => first - 1 - at);
  const due = skipped.filter((month) => !registered.isGap(month));
  const wrong = due.map((month) => `leaves out the month until ${getLastDay(month)}, which is due`);
  if (!isSchedule(period)) return wrong;
  if (registered.isGap(last) && !open.some(({ month }) => month <= last))
    wrong.push('is of a month without a registration and without entries');
  const left = open.find((entry) => isOpen(entry) && entry.fromMs < beganMs && skipped.some((of) => entry.month <= of));
  return left ? [...wrong, `leaves out the entries of a month until ${getLastDay(left.month)}`] : wrong;
};

/** Each filing has the period that its account's registrations and time zone define when the filing begins. */
export class PeriodBook implements Book {
  readonly #history: History;
  readonly #open = new Map<string, Open[]>();
  readonly #chains = new Map<string, Chain>();

  constructor(history: History) {
    this.#history = history;
  }

  step(changes: readonly Change[]): string[] {
    if (this.#history.accounts.length === 0) return [];
    const wrong = changes.flatMap(({ name, version, before }) =>
      /^F#[^#]+ /.test(name) && !before && version.item ? this.#filing(version.item, version) : [],
    );
    for (const { name, version } of changes) this.#take(name, version);
    return wrong;
  }

  #take(name: string, { item, nowMs }: Version): void {
    const [pk = '', sk = ''] = name.split(' ');
    if (sk === 'CHAIN' && item) this.#chains.set(pk, { last: item['last'] as Chain['last'] });
    if (!pk.startsWith('O#') || getKind(name) !== 'entry') return;
    const all = this.#open.get(name) ?? [];
    this.#open.set(name, all);
    const current = all.find(isOpen);
    if (current && !item) current.untilMs = nowMs;
    if (item && !current) {
      const [state, month] = [item['state'] as string, getMonth(item['month'] as string)];
      all.push({ state, month, fromMs: nowMs, untilMs: Number.POSITIVE_INFINITY });
    }
  }

  #filing(item: Item, { invocation, step }: Version): string[] {
    const [, id = ''] = String(item['pk']).split('#');
    const account = invocation.caller ?? this.#history.accountAfter(id, (one) => one.step <= step);
    if (!account) return [];
    const period = item as unknown as Period;
    const before = this.#chains.get(`P#${id}#${period.state}`);
    const { beganMs } = invocation;
    const registered = new Registered(account.settings.registrations, period.state);
    const open = [...this.#open]
      .filter(([name]) => name.split('#')[1] === id)
      .flatMap(([, all]) => all)
      .filter(({ state, untilMs }) => state === period.state && untilMs >= beganMs);
    const wrong = [...ofDays(period, before, account), ...ofGaps(period, before, registered, open, beganMs)];
    return wrong.map((words) => `${item['sk']} of ${period.state} ${words}`);
  }
}

type HeldChain = {
  readonly last: { readonly period_end: string; readonly filing: string } | null;
  readonly held: boolean;
};

/** The day on which the schedule closes the next period of a state with a return; `null` without one. */
const closingDay = (chain: HeldChain | undefined, { created_at, settings }: Account, state: string): string | null => {
  const registered = new Registered(settings.registrations, state);
  const month = registered.nextFrom(chain?.last ? getMonth(chain.last.period_end) + 1 : getMonth(created_at));
  const { review_days } = settings;
  if (month === null || review_days === null) return null;
  return daysAfter(getLastDay(registered.getPeriod(month).last), 1 + review_days);
};

/** The items that determine the due periods at a step. */
class DueBooks {
  readonly #due = new Set<string>();
  readonly #chains = new Map<string, HeldChain>();
  readonly #accounts = new Map<string, Account>();

  take({ name, version: { item } }: Change): string[] {
    const [pk = '', sk = ''] = name.split(' ');
    if (pk.startsWith('DUE#')) {
      if (item) this.#due.add(sk);
      else this.#due.delete(sk);
    }
    if (sk !== 'CHAIN' || !item) return [];
    const before = this.#chains.get(pk);
    const chain = { last: item['last'] as HeldChain['last'], held: item['isHeld'] === true };
    this.#chains.set(pk, chain);
    return before?.held && !chain.held ? [`${pk.split('#')[1]} ${chain.last?.filing}`] : [];
  }

  takeAccount(item: Item): void {
    this.#accounts.set(String(item['id']), Account.parse(item));
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

  /** Returns states whose next period has no due entry by its closing day or by now. */
  missing(nowMs: number): string[] {
    const entries = [...this.#due].map((sk) => sk.split('#'));
    return this.#states()
      .filter(({ id, state, zone, closes }) => {
        // The entry of a state with another due period is moved to now, behind the states that are already due.
        const isInTime = (ms: number) => ms <= nowMs + 1 || localDay(ms - 1, zone) < closes;
        return !entries.some(([at = '', account, of]) => account === id && of === state && isInTime(Date.parse(at)));
      })
      .map(({ id, state }) => `${state} of ${id} has no entry in the due index until its closing day`);
  }

  /** States with a period that the schedule should have closed. */
  overdue(nowMs: number): string[] {
    return this.#states()
      .filter(({ zone, closes }) => closes <= localDay(nowMs, zone))
      .map(({ id, state }) => `${state} of ${id} has a due period that was not closed`);
  }
}

/**
 * Each state that the schedule must close is always in the due index, and a canceled period is closed only by request.
 */
export const dueViolations = ({ accounts }: History, ledger: Ledger, { finished }: Observed): string[] => {
  if (accounts.length === 0) return [];
  const books = new DueBooks();
  const wrong: string[] = [];
  const heads = new Map(ledger.others.map(([name, versions]) => [name, versions[0]?.item]));
  let next = 0;
  let nowMs = 0;
  const accountsUntil = (step: number) => {
    for (; (accounts[next]?.step ?? Number.POSITIVE_INFINITY) <= step; next++)
      books.takeAccount(accounts[next]?.item as Item);
  };
  for (const changes of ledger.steps) {
    const { step, nowMs: time } = (changes[0] as Change).version;
    nowMs = time;
    for (const filing of changes.flatMap((change) => books.take(change))) {
      const [account, id] = filing.split(' ');
      if (heads.get(`F#${account} ${id}`)?.['asked_by'] === 'close-periods')
        wrong.push(`${id} of ${account} was canceled by a client, and closed again by the schedule (step ${step})`);
    }
    accountsUntil(step);
    wrong.push(...books.missing(nowMs).map((words) => `${words} (step ${step})`));
  }
  accountsUntil(Number.MAX_SAFE_INTEGER);
  return [...wrong, ...books.missing(nowMs), ...(finished ? books.overdue(finished.atMs) : [])];
};
