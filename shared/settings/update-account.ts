import { isDeepStrictEqual } from 'node:util';
import { type Account, booksOpenFrom, type Settings } from '../accounts/account.ts';
import { settingsTag } from '../accounts/account-response.ts';
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

/** A state with open sales or credits, whose periods a change of a setting would exclude. */
type HiddenPeriods = {
  readonly setting: 'registrations' | 'books_open_from';
  readonly state: string;
  /** The oldest month with an open sale or credit, `YYYY-MM`. */
  readonly month: string;
};

/**
 * Returns a state whose open sales or credits the change would hide: it removes the state from the list of periods, or
 * moves the first day of the books after the oldest open month. Such a period would never be closed. `null` if there is
 * none. Does not check entries of concurrent requests.
 */
export const findHiddenPeriods = async (
  account: Account,
  changed: Partial<Settings>,
  { oldestOpenMonths }: OpenMonths,
): Promise<HiddenPeriods | null> => {
  const after = { ...account, settings: { ...account.settings, ...changed } };
  const remaining = registeredStates(after.settings.registrations);
  const opens = booksOpenFrom(after);
  const isLater = opens > booksOpenFrom(account);
  for (const state of registeredStates(account.settings.registrations)) {
    const isRemoved = !remaining.includes(state);
    if (!isRemoved && !isLater) continue;
    const month = findOldest(await oldestOpenMonths(account.id, state));
    if (month !== null && isRemoved) return { setting: 'registrations', state, month };
    if (month !== null && month < opens.slice(0, 7)) return { setting: 'books_open_from', state, month };
  }
  return null;
};

/** Explains why the change is refused, and what to do. */
export const explainHiddenPeriods = ({ setting, state, month }: HiddenPeriods): string => {
  const advice =
    setting === 'registrations'
      ? 'Close these periods first, or keep the registration and set the last day on which you collect there.'
      : `Close these periods first, or send ${month}-01 or an earlier day.`;
  return `${state} has sales or credits since ${month} that are not in a filing, and this change would exclude their periods. ${advice}`;
};

const hiddenPeriodsProblem = (hidden: HiddenPeriods): Problem => ({
  code: 'conflict_period_order',
  title: 'Periods are open',
  detail: explainHiddenPeriods(hidden),
  source: { pointer: `/${hidden.setting}` },
  meta: { state: hidden.state, period_end: lastDay(toMonth(hidden.month)) },
});

/** An example of the refusal, for the documentation. */
export const openPeriodsExample = hiddenPeriodsProblem({ setting: 'registrations', state: 'US-MI', month: '2026-03' });

/**
 * Changes settings of an account, and records the change with who made it. Settings that already have the value do not
 * change. A change is refused with `precondition_failed` if `ifMatch` is not `null` and lacks the tag of the settings,
 * and with `conflict_period_order` if it would hide open periods. Throws `Contention` if other requests keep changing
 * the same settings.
 */
export const updateAccount = async (
  id: string,
  requested: Partial<Settings>,
  { by, ifMatch }: { readonly by: string; readonly ifMatch: readonly string[] | null },
  filings: OpenMonths,
): Promise<Result<Account>> => {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const account = await findAccount(id);
    assert(account !== undefined, 'The account of a checked credential is missing.');
    const changed = Object.fromEntries(
      Object.entries(requested).filter(
        ([name, value]) => !isDeepStrictEqual(value, account.settings[name as keyof Settings]),
      ),
    );
    // Checked before If-Match: a repeated request whose first reply was lost has already made its change (RFC 9110,
    // 13.1.1).
    if (Object.keys(changed).length === 0) return accept(account);
    if (ifMatch && !ifMatch.includes('*') && !ifMatch.includes(settingsTag(account))) return refuse(otherSettings);
    const hidden = await findHiddenPeriods(account, changed, filings);
    if (hidden) return refuse(hiddenPeriodsProblem(hidden));
    const isUnchanged = ifMatch !== null && !ifMatch.includes('*');
    if (await changeSettings(account, changed, { by, isUnchanged })) {
      const after = await findAccount(id);
      assert(after !== undefined, 'The account of a credential was deleted.');
      return accept(after);
    }
  }
  throw new Contention('Other requests are changing the same settings.');
};
