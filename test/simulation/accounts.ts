import { type Account, defaultSettings, type Registration, type Settings } from '../../shared/accounts/account.ts';
import { currentVersion } from '../../shared/api/versions.ts';
import { between, chance, oneOf, weighted } from './world.ts';

/** The accounts of a schedule, and changes of their settings. */

const draftHours: Readonly<Record<string, number>> = { acct_one: 24, acct_two: 0.0006 };

const monthlyIn = (...states: string[]): Registration[] =>
  states.map((state) => ({ state, from: '2026-09-01', to: null, frequency: 'month' }));

const newAccounts = (getSettings: (id: string) => Partial<Settings>): readonly Account[] =>
  Object.entries(draftHours).map(([id, hours]) => ({
    id,
    name: id,
    created_at: id === 'acct_one' ? '2026-10-01T00:00:00.000Z' : '2026-09-01T00:00:00.000Z',
    cursor_secret: `secret of ${id}`,
    settings: { ...defaultSettings(currentVersion), draft_ttl_hours: hours, ...getSettings(id) },
  }));

/** Drafts of the second account expire after seconds, while clients work on them, and a schedule closes its periods. */
export const plainAccounts = newAccounts((id) => ({
  registrations: id === 'acct_one' ? null : monthlyIn('MI', 'NJ'),
}));

/** Without reminders, whose calls make the races of redactions with filings rarer. */
export const accountsOfRedactions = plainAccounts.map((account) => ({
  ...account,
  settings: { ...account.settings, filing_reminder_days: null },
}));

/** A change of a setting of the second account on which closing days depend. */
export const plainChange = (): Partial<Settings> =>
  oneOf([
    { review_days: oneOf([0, 3, 20]) },
    { registrations: oneOf([monthlyIn('MI'), monthlyIn('MI', 'NJ'), monthlyIn('MI', 'NJ', 'OH')]) },
  ]);

const timeZones = ['UTC', 'America/New_York', 'Pacific/Honolulu', 'Pacific/Kiritimati', 'Asia/Kolkata'] as const;

const registered = (frequency: Registration['frequency'], from: string, to: string | null = null) => ({
  frequency,
  from,
  to,
});

/** Registrations of one state: with a later change of frequency, a gap of some months, an end, or none. */
const histories = [
  [3, []],
  [1, [registered('month', '2026-09-01')]],
  [1, [registered('quarter', '2026-07-01')]],
  [1, [registered('quarter', '2026-07-01', '2026-10-31'), registered('month', '2026-11-01')]],
  [1, [registered('year', '2026-01-01', '2026-09-30'), registered('month', '2026-10-01')]],
  [3, [registered('month', '2026-08-01', '2026-09-15'), registered('month', '2026-11-10')]],
  [1, [registered('month', '2026-08-01', '2026-10-31')]],
] as const;

const someRegistrations = (): Settings['registrations'] =>
  chance(0.1)
    ? null
    : ['MI', 'NJ'].flatMap((state) =>
        weighted<(typeof histories)[number][1]>(histories).map((one) => ({ state, ...one })),
      );

/** Accounts in different time zones with different registrations. */
export const variedAccounts = (): readonly Account[] =>
  newAccounts(() => ({
    time_zone: oneOf(timeZones),
    review_days: oneOf([0, 0, 3]),
    registrations: someRegistrations(),
  }));

export const variedChange = (): Partial<Settings> =>
  weighted<Partial<Settings>>([
    [2, { time_zone: oneOf(timeZones) }],
    [3, { registrations: someRegistrations() }],
    [1, { review_days: oneOf([0, 3, 20]) }],
  ]);

/** How long a running instance can use stale account settings. */
export const cachedMs = (): number => (chance(0.2) ? between(0, 60_000) : 0);
