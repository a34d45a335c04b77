/** `accounts check`: the settings of an account to review before it goes live. */
import { type Account, type Frequency, listRegistrations, type Registration } from '../../accounts/account.ts';
import { addDays, firstDay, lastDay, toDay, toMonth } from '../../base/calendar.ts';
import { builtInRelease } from '../../catalog/built-in.ts';
import { listElections } from '../../catalog/remote-sales.ts';
import { isStreamlinedMember } from '../../catalog/streamlined.ts';
import { now } from '../../config/clock.ts';
import { releaseDay } from '../../coverage/local-rates.ts';
import { findFilingTerms, listFrequencies } from '../../filings/filing-calendar.ts';
import { isRegisteredIn, periodAround, registeredStates, registrationsIn } from '../../filings/periods.ts';
import { publishers } from '../../importers/updates/publishers.ts';
import { staleness } from '../../importers/updates/staleness.ts';
import { formatAmount, minorDigits } from '../../money/currency.ts';
import { registrationAdvice } from '../../registrations/advice.ts';
import { monthText } from '../../reports/by-state.ts';
import { listKeys } from '../../store/accounts/api-key-store.ts';
import { readContentSource } from '../../store/content/content-sources.ts';
import { reportReads } from '../../store/report-store.ts';
import { stateCode, stateJurisdiction, stateOfJurisdiction } from '../../vocabulary/jurisdiction.ts';
import { requireAccount } from '../terminal/arguments.ts';
import { counted, print, printJson, textTable } from '../terminal/output.ts';
import { account, flag, subcommand } from '../terminal/run-command.ts';
import { getState } from './keys.ts';

/** `missing` must be set before production, `check` should be confirmed, and `ok` needs no action. */
type Status = 'missing' | 'check' | 'ok';
type Finding = { readonly status: Status; readonly subject: string; readonly found: string; readonly action: string };

const getFinding =
  (status: Status) =>
  (subject: string, found: string, action = ''): Finding => ({ status, subject, found, action });
const [missing, checkFinding, ok] = [getFinding('missing'), getFinding('check'), getFinding('ok')];

const settingsCommand = ({ id }: Account, assignment: string): string =>
  `npm run accounts -- settings --account ${id} ${assignment}`;

const registrationFindings = (account: Account, today: string): Finding[] => {
  const { registrations } = account.settings;
  const subject = 'registrations';
  if (registrations === null) {
    const action = `Set the states where you are registered, or registrations=all: ${settingsCommand(account, 'registrations=@registrations.json')}`;
    return [missing(subject, 'not set: tax is collected in every state', action)];
  }
  if (registrations === 'all')
    return [checkFinding(subject, 'tax is collected in every state', 'Confirm that you are registered everywhere.')];
  if (registrations.length === 0)
    return [missing(subject, 'none: no tax is collected anywhere', 'Set the states where you are registered.')];
  return registrations.map((registration) => frequencyFinding(registration, today));
};

const frequencyText = (frequency: Frequency): string => frequency.replace('_', ' ');

/** Returns the advice for returns without a due date, which are never overdue and get no reminder. */
const noDueDate = (state: string, frequency: Frequency, rule: string | null): string => {
  const known = listFrequencies(state).filter((one) => one !== frequency);
  const advice =
    known.length > 0
      ? ` Compare the frequency with the state: the calendar has ${known.map(frequencyText).join(', ')}.`
      : '';
  return `Enter the due dates${rule === null ? '' : ` (${rule})`} in your own calendar: Levy lists no overdue return and sends no reminder.${advice}`;
};

const frequencyFinding = ({ state, from, to, frequency }: Registration, today: string): Finding => {
  const code = stateJurisdiction(state) ?? state;
  const own = [{ state, from, to, frequency }];
  const period = periodAround(today, own);
  const { end: lastEnd } = periodAround(addDays(period.start, -1), own);
  const lastDue = lastEnd < from ? null : findFilingTerms(code, frequency, lastEnd).due_date;
  // The return of the previous period may still be due, before the return of this period.
  const end = lastDue !== null && lastDue >= today ? lastEnd : period.end;
  const { due_date, terms } = findFilingTerms(code, frequency, end);
  const isCurrent = from.slice(0, 10) <= today && (to === null || to.slice(0, 10) >= today);
  const days = `from ${from.slice(0, 10)}${to === null ? '' : ` to ${to.slice(0, 10)}`}`;
  const found = `${days}, files each ${frequencyText(frequency)}`;
  const subject = `registration ${code}`;
  if (!isCurrent) return ok(subject, found);
  return due_date === null
    ? checkFinding(subject, `${found}; no due date is known`, noDueDate(code, frequency, terms?.due_rule ?? null))
    : ok(
        subject,
        `${found}; the return of the period to ${end} is due ${due_date}`,
        'Compare the frequency with the state.',
      );
};

const nexusFindings = async (account: Account): Promise<Finding[]> => {
  const { data, warnings } = await registrationAdvice(account, { reports: reportReads, now });
  return [
    ...data.flatMap(({ state, status, advice }) => {
      if (status === 'reached') return [missing(`nexus ${state}`, `threshold ${status}`, advice)];
      if (status === 'upcoming') return [checkFinding(`nexus ${state}`, `threshold ${status}`, advice)];
      return status === 'registered_later'
        ? [checkFinding(`registration ${state}`, 'sales recorded before it was set', advice)]
        : [];
    }),
    ...warnings.map(({ message }) => checkFinding('nexus', 'incomplete figures', message)),
  ];
};

const monthsBack = 36;

/**
 * Finds tax that was collected, after credits, in months without a registration. The schedule does not close their
 * periods.
 */
const collectedFindings = async ({ id, settings }: Account, today: string): Promise<Finding[]> => {
  const { registrations } = settings;
  if (registrations === null || registrations === 'all') return [];
  const rows = await reportReads.rows(id, monthText(toMonth(today) - monthsBack), today.slice(0, 7));
  const unregistered = rows.filter(({ state, month }) => {
    const days = { start: firstDay(toMonth(month)), end: lastDay(toMonth(month)) };
    return !isRegisteredIn(days, registrationsIn(state, registrations));
  });
  return [...Map.groupBy(unregistered, ({ state, currency }) => `${state} ${currency}`).values()].flatMap((own) => {
    const tax = own.reduce((sum, { sales, credits }) => sum + sales.tax - credits.tax, 0n);
    const [first] = own;
    if (!first || tax <= 0n) return [];
    const { state, currency, month } = first;
    const found = `${formatAmount(tax, minorDigits(currency))} ${currency} of tax collected without a registration since ${month}`;
    const action = `Refund it with credits, or close the period and pay it to the state with a return: npm run filings -- close --account ${id} --state ${stateOfJurisdiction(state)} --period-end …`;
    return [checkFinding(`collected ${state}`, found, action)];
  });
};

const continues = 'warn: the sale continues with a warning';

/** Settings with the value to review, what it means, and what to do. */
const reviewed = [
  ['incomplete_coverage', 'warn', continues, 'Read the warnings, or set incomplete_coverage=reject.'],
  ['ambiguous_address', 'warn', continues, 'Read the warnings, or set ambiguous_address=reject.'],
  ['time_zone', 'UTC', 'UTC', 'Set the time zone of your books, such as time_zone=America/New_York.'],
  ['review_days', null, 'null: only requests close periods', 'Set review_days=3 after past orders are imported.'],
  [
    'retain_personal_data_days',
    null,
    'personal data is kept',
    'Set a number of days if your privacy policy limits retention.',
  ],
] as const;

const policyFindings = (account: Account): Finding[] => {
  const { ship_from } = account.settings;
  const unset = 'not set: sales in states that tax by origin are calculated by destination';
  const example = settingsCommand(account, `'ship_from={"state":"MI","postal_code":"48226"}'`);
  return [
    ship_from === null
      ? missing('ship_from', unset, `Set the address that you ship from: ${example}`)
      : ok('ship_from', [ship_from.city, ship_from.state, ship_from.postal_code].filter(Boolean).join(', ')),
    ...reviewed.map(([name, value, found, action]) =>
      account.settings[name] === value ? checkFinding(name, found, action) : ok(name, String(account.settings[name])),
    ),
  ];
};

/** Finds the periods that begin before the first day of the books: their first return lacks the earlier sales. */
const booksFindings = ({ settings }: Account, states: readonly string[]): Finding[] => {
  const { books_open_from: opens, registrations } = settings;
  if (opens === null) return [];
  const divided = states.flatMap((state) => {
    const own = registrationsIn(state, registrations);
    const { start, end } = periodAround(opens, own);
    const isRegisteredBefore = own.some(({ from, to }) => from < opens && (to === null || to >= start));
    return start < opens && isRegisteredBefore ? [`${state} (${start} to ${end})`] : [];
  });
  if (divided.length === 0) return [];
  const action =
    'Set the first day of these periods and import their orders from that day, or add the earlier sales to the first return.';
  return [checkFinding('books_open_from', `${opens} is within a period of ${divided.join(', ')}`, action)];
};

/** Checks whether the account can file electronic returns in the member states in which it is registered. */
const identityFindings = (account: Account, states: readonly string[]): Finding[] => {
  const { return_identity: identity } = account.settings;
  const unnamed = states.filter(
    (state) => isStreamlinedMember(state) && !identity?.sst_id && !identity?.state_ids[stateOfJurisdiction(state)],
  );
  if (unnamed.length === 0) return [];
  const action = `Set it to file electronic returns there: ${settingsCommand(account, 'return_identity=@identity.json')}`;
  return [checkFinding('return_identity', `no id for ${unnamed.join(', ')}`, action)];
};

const contentFinding = async (state: string, today: string): Promise<Finding> => {
  const code = stateOfJurisdiction(state);
  const publisher = publishers.find((one) => one.state === code);
  const source = await readContentSource(code);
  const age = publisher ? staleness(publisher, source, today) : null;
  const subject = `content ${state}`;
  if (age?.reason) return missing(subject, age.reason, `Run npm run content -- update --state ${code}.`);
  if (age?.asOf) return ok(subject, `official files from ${age.asOf}, next due by ${age.nextExpected}`);
  const release = builtInRelease(code);
  const found = release ? `built-in rates of ${releaseDay(release)}` : 'no rates';
  const action =
    publisher && publisher.format !== null
      ? `Import the official files: npm run content -- update --state ${code}`
      : 'Levy cannot import official files of this state: compare the rates with the state each quarter.';
  return (release ? checkFinding : missing)(subject, found, action);
};

/**
 * Checks the elections that a remote seller has made or can make in a state. They do not apply to an account that ships
 * from the state.
 */
const electionFindings = ({ settings }: Account, state: string): Finding[] => {
  const { remote_seller_elections, ship_from } = settings;
  const release = builtInRelease(stateOfJurisdiction(state));
  const made = remote_seller_elections.filter((one) => stateJurisdiction(one.state) === state);
  const isHome = ship_from?.state != null && stateJurisdiction(ship_from.state) === state;
  return (release ? listElections(release) : []).flatMap((election) => {
    const own = made.find((one) => one.election === election);
    const subject = `election ${state}`;
    if (!own && isHome) return [];
    if (!own)
      return [checkFinding(subject, 'none', `If you elected ${election} with the state, set remote_seller_elections.`)];
    if (!isHome) return [ok(subject, `${election} from ${own.from}${own.to === null ? '' : ` to ${own.to}`}`)];
    const action = 'The election applies only to sales from other states: remove it if you make none.';
    return [checkFinding(subject, `${election}, but the account ships from the state`, action)];
  });
};

// Allows time to plan a rotation and to deploy the new key.
const rotationDays = 30;

const keyFinding = async ({ id }: Account): Promise<Finding> => {
  const nowMs = now();
  const valid = (await listKeys(id)).filter((key) => ['active', 'overlapping'].includes(getState(key, nowMs)));
  if (valid.length === 0) {
    const create = `npm run accounts -- keys create --account ${id} --scopes read,write`;
    return checkFinding('API keys', 'none', `Create one, unless clients send bearer tokens: ${create}`);
  }
  const keys = counted(valid.length, 'active key');
  if (valid.some(({ expires_at }) => expires_at === null))
    return ok('API keys', `${keys}, at least one of which never expires`);
  const last = valid.reduce((a, b) => ((a.expires_at ?? '') > (b.expires_at ?? '') ? a : b));
  const day = (last.expires_at ?? '').slice(0, 10);
  const found = `${keys}; the last one expires ${day}`;
  if (day > addDays(toDay(nowMs), rotationDays)) return ok('API keys', found);
  const rotate = `npm run accounts -- keys rotate ${last.id} --account ${id}`;
  return missing('API keys', found, `Rotate it before then: ${rotate}`);
};

const alarms = checkFinding(
  'alarms',
  'not visible in the tables',
  'Deploy with alarmEmail, confirm the subscription, and test the alarm route (infra/runbook.md).',
);

const readFindings = async (account: Account): Promise<readonly Finding[]> => {
  const today = toDay(now());
  const states = registeredStates(listRegistrations(account.settings)).filter((state) =>
    stateCode(stateOfJurisdiction(state)),
  );
  const elected = account.settings.remote_seller_elections.flatMap(({ state }) => stateJurisdiction(state) ?? []);
  return [
    ...registrationFindings(account, today),
    ...(await nexusFindings(account)),
    ...(await collectedFindings(account, today)),
    ...policyFindings(account),
    ...booksFindings(account, states),
    ...identityFindings(account, states),
    ...[...new Set([...states, ...elected])].flatMap((state) => electionFindings(account, state)),
    ...(await Promise.all(states.map((state) => contentFinding(state, today)))),
    await keyFinding(account),
    alarms,
  ];
};

export const check = subcommand({
  name: 'check',
  summary: 'show what to decide before production',
  description:
    'Review an account before production: registrations and nexus, ship-from address, policies, time zone, filing frequencies, the age of the content of each registered state, keys and alarms. Prints what to do for each. Exits with 2 if something is missing.',
  options: { account, json: flag('one JSON object') },
  run: async ({ account: id, json }) => {
    const findings = await readFindings(await requireAccount(id));
    const count = findings.filter(({ status }) => status === 'missing').length;
    if (count > 0) process.exitCode = 2;
    if (json) return printJson({ account: id, missing: count, findings });
    print(textTable([['status', 'subject', 'found'], ...findings.map((one) => [one.status, one.subject, one.found])]));
    print();
    for (const { status, subject, action } of findings) if (status !== 'ok') print(`${subject}: ${action}`);
    print(count === 0 ? 'Nothing is missing.' : `${counted(count, 'decision')} missing.`);
  },
});
