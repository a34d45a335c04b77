import type { Account } from '../accounts/account.ts';
import { taxDateAt } from '../accounts/time-zone.ts';
import { addDays, daysBetween } from '../base/calendar.ts';
import { readPages } from '../base/collections.ts';
import { retryWhileStale } from '../base/contention.ts';
import { findFilingTerms } from './filing-calendar.ts';
import { openPeriods } from './filing-periods.ts';
import { isReturnDue, registeredStates } from './periods.ts';
import type { FilingPorts, NewReminder, ReminderStore } from './ports.ts';
import { amountsDue } from './totals-response.ts';

type Ports = Pick<FilingPorts, 'now' | 'remainingMs'> & {
  readonly filings: Pick<FilingPorts['filings'], 'chains' | 'oldestOpenMonths' | 'page'>;
  readonly reminders: ReminderStore;
};

/**
 * Returns that were due earlier get no reminder. Otherwise a new setting would send a reminder for each return that was
 * never marked as filed.
 */
const overdueDaysMax = 30;
/** The maximum number of days from a period's end to its due date (New Mexico: four months). */
const dueDaysMax = 130;

const filingsAtATime = 100;

type Return = Omit<NewReminder, 'account' | 'due_date' | 'days_until_due' | 'occasion' | 'at'>;

/** Yields the filings that are not filed, and that can be due or were due recently. */
async function* unfiled(account: Account, today: string, { filings }: Ports): AsyncGenerator<Return> {
  const since = addDays(today, -overdueDaysMax - dueDaysMax);
  for await (const { rows } of readPages((after: string | null) => filings.page(account.id, after, filingsAtATime))) {
    for (const filing of rows) {
      const { status } = filing;
      if (status === 'closing' || status === 'closed')
        yield {
          ...filing,
          filing: filing.id,
          status,
          amounts_due: status === 'closed' ? amountsDue(filing.summary) : null,
        };
    }
    // A filing is created after the end of its period.
    if (rows.some(({ created_at }) => created_at < since)) return;
  }
}

/** Returns the returns that are not filed, one for each state and period. */
const unfiledReturns = async (account: Account, today: string, ports: Ports): Promise<Iterable<Return>> => {
  const states = registeredStates(account.settings.registrations);
  const open = await openPeriods(account, states, ports);
  const returns: Return[] = open.map((taxReturn) => ({
    ...taxReturn,
    status: 'open',
    filing: null,
    amounts_due: null,
    version: null,
  }));
  // A period that was closed since the first read is in both; the filing, which was read later, replaces it.
  returns.push(...(await Array.fromAsync(unfiled(account, today, ports))));
  return new Map(returns.map((taxReturn) => [`${taxReturn.state} ${taxReturn.period_end}`, taxReturn])).values();
};

/** Returns the current occasion: the setting's smallest number of days that is not below the days left. */
const getOccasion = (daysLeft: number, reminderDays: readonly number[]): string | null => {
  if (daysLeft < 0) return daysLeft < -overdueDaysMax ? null : 'overdue';
  const reached = reminderDays.filter((days) => daysLeft <= days);
  return reached.length === 0 ? null : String(Math.min(...reached));
};

/** Returns the reminder of a return on a day; `null` without one, or without an established due date. */
const getReminder = (
  taxReturn: Return,
  account: string,
  reminderDays: readonly number[],
  today: string,
  nowMs: number,
): NewReminder | null => {
  const { due_date } = findFilingTerms(taxReturn.state, taxReturn.frequency, taxReturn.period_end);
  if (due_date === null) return null;
  const days = daysBetween(today, due_date);
  const occasion = getOccasion(days, reminderDays);
  if (occasion === null) return null;
  return {
    ...taxReturn,
    account,
    due_date,
    days_until_due: days,
    occasion,
    at: new Date(nowMs).toISOString(),
  };
};

/**
 * Stores the reminders that an account's returns need on its current day, by the setting `filing_reminder_days`. Safe to
 * repeat: each reminder is stored once. A filed return gets none.
 */
export const remind = async (account: Account, ports: Ports): Promise<void> => {
  const { filing_reminder_days, time_zone } = account.settings;
  if (filing_reminder_days === null) return;
  await retryWhileStale(async () => {
    const nowMs = ports.now();
    const today = taxDateAt(nowMs, time_zone).slice(0, 10);
    const returns = [...(await unfiledReturns(account, today, ports))];
    const reminders = returns
      .filter((taxReturn) => isReturnDue(account, taxReturn, taxReturn.amounts_due ?? []))
      .flatMap((taxReturn) => getReminder(taxReturn, account.id, filing_reminder_days, today, nowMs) ?? []);
    let outcome: 'done' | 'stale' = 'done';
    for (const reminder of await ports.reminders.missing(reminders))
      if ((await ports.reminders.add(reminder)).kind === 'stale') outcome = 'stale';
    return outcome;
  }, ports.remainingMs);
};
