import { isDeepStrictEqual } from 'node:util';
import { type Account, booksOpenFrom, type Settings } from '../accounts/account.ts';
import { settingsTag } from '../accounts/answer.ts';
import { assert } from '../base/assert.ts';
import { lastDay, toMonth } from '../base/calendar.ts';
import { Contention } from '../base/contention.ts';
import { accept, type Problem, type Result, refuse } from '../base/result.ts';
import { findOldest, registeredStates } from '../filings/periods.ts';
import type { FilingReads } from '../filings/ports.ts';
import { changeSettings, findAccount } from '../store/accounts/account-store.ts';

type OpenMonths = Pick<FilingReads, 'oldestOpenMonths'>;

export const otherSettings: Problem = {
  code: 'precondition_failed',
  title: 'Precondition Failed',
  detail: 'The settings changed after you read them. Read the account again, then retry with the new ETag.',
  source: { header: 'If-Match' },
};

const attempts = 3;

/**
 * Returns a problem if the change would remove a state with open sales or credits from the list of periods, or open the
 * books after one of them. Such a period would never be closed. Entries of requests at the same time are not checked.
 */
const hiddenPeriodProblem = async (
  account: Account,
  changed: Partial<Settings>,
  { oldestOpenMonths }: OpenMonths,
): Promise<Problem | null> => {
  const after = { ...account, settings: { ...account.settings, ...changed } };
  const remaining = registeredStates(after.settings.registrations);
  const opens = booksOpenFrom(after);
  const isLater = opens > booksOpenFrom(account);
  for (const state of registeredStates(account.settings.registrations)) {
    const isRemoved = !remaining.includes(state);
    if (!isRemoved && !isLater) continue;
    const month = findOldest(await oldestOpenMonths(account.id, state));
    if (month !== null && isRemoved) return stillOpen('/registrations', state, month, keepRegistration);
    if (month !== null && month < opens.slice(0, 7))
      return stillOpen('/books_open_from', state, month, fileFirst(month));
  }
  return null;
};

const keepRegistration = 'Keep the registration, and set the last day on which you collect there.';
const fileFirst = (month: string) => `Close these periods first, or send ${month}-01 or an earlier day.`;

const stillOpen = (pointer: string, state: string, month: string, advice: string): Problem => ({
  code: 'conflict_period_order',
  title: 'Periods are open',
  detail: `${state} has sales or credits since ${month} that are not in a filing, and this change would exclude their periods. ${advice}`,
  source: { pointer },
  meta: { state, period_end: lastDay(toMonth(month)) },
});

/** An example of the refusal, for the documentation. */
export const openPeriodsExample = stillOpen('/registrations', 'US-MI', '2026-03', keepRegistration);

/**
 * Changes settings of an account, and records the change with who made it. Settings that already have the value do not
 * change. A change is refused with `precondition_failed` if `ifMatch` is not `null` and lacks the tag of the settings,
 * and with `conflict_period_order` if it would hide open periods. Throws `Contention` if others keep changing the same
 * settings.
 */
export const updateAccount = async (
  id: string,
  requested: Partial<Settings>,
  { by, ifMatch }: { readonly by: string; readonly ifMatch: readonly string[] | null },
  filings: OpenMonths,
): Promise<Result<Account>> => {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const account = await findAccount(id);
    assert(account !== undefined, 'The credential was checked, so the account exists.');
    const changed = Object.fromEntries(
      Object.entries(requested).filter(
        ([name, value]) => !isDeepStrictEqual(value, account.settings[name as keyof Settings]),
      ),
    );
    // Before If-Match: the change of a repeated request, whose first reply was lost, is in place (RFC 9110, 13.1.1).
    if (Object.keys(changed).length === 0) return accept(account);
    if (ifMatch && !ifMatch.includes('*') && !ifMatch.includes(settingsTag(account))) return refuse(otherSettings);
    const hidden = await hiddenPeriodProblem(account, changed, filings);
    if (hidden) return refuse(hidden);
    const isUnchanged = ifMatch !== null && !ifMatch.includes('*');
    if (await changeSettings(account, changed, { by, isUnchanged })) {
      const after = await findAccount(id);
      assert(after !== undefined, 'An account with credentials is not deleted.');
      return accept(after);
    }
  }
  throw new Contention('Other requests are changing the same settings.');
};
