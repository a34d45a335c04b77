import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { type Account, defaults, retailDeliveryFees, type Settings } from '../../accounts/account.ts';
import { isTimeZone } from '../../accounts/time-zone.ts';
import { supportedVersions } from '../../api/versions.ts';
import { isDay } from '../../base/calendar.ts';
import { type AccountUpdate, checkSetting, settingSchemas } from '../../settings/request.ts';
import { changeSettings } from '../../store/accounts/account-store.ts';
import { problemIn, type Reading, requireAccount, requireOpenAccount } from '../terminal/arguments.ts';
import { print, printJson, textTable } from '../terminal/output.ts';
import { CommandError, type LevyCommand } from '../terminal/run-command.ts';

/** Settings as command-line arguments: `rate_limit=500`. */

/** Reads a setting from JSON with the schema and the check of the API. */
const readerOf =
  <Name extends keyof typeof settingSchemas>(name: Name) =>
  (value: unknown): Reading<Exclude<AccountUpdate[Name], undefined>> => {
    const { success, data, error } = settingSchemas[name].safeParse(value);
    if (!success) return { send: `${shapes[name]} (${problemIn(error).replaceAll('Send ', 'Pass ')})` };
    const check = (checkSetting as Partial<Record<Name, (value: unknown) => string | null>>)[name];
    const send = check?.(data) ?? null;
    return send === null ? { value: data as Exclude<AccountUpdate[Name], undefined> } : { send };
  };

const shapes: Partial<Record<keyof typeof settingSchemas, string>> = {
  registrations: '"all", null or an array of {state, from, to, frequency}',
  remote_seller_elections: 'an array of {state, election, from, to}, or [] for none',
  ship_from: 'null or an address of line1, city, state, postal_code, country',
  return_identity: 'null or an object with legal_name, tin {type, number}, sst_id and state_ids',
  filing_reminder_days: 'null or an array of at most five whole numbers from 1 to 60, such as [7,2]',
};

type Assignable = Omit<Settings, 'service_version'>;
type Readers = { readonly [Field in keyof Assignable]: (text: string) => Reading<Assignable[Field]> };

const wholeNumber =
  (low: number, high: number) =>
  (text: string): Reading<number> => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    const isWithin = value >= low && value <= high;
    return isWithin ? { value } : { send: `a whole number from ${low} to ${high.toLocaleString('en-US')}` };
  };

const daysOrNull =
  (low: number, high: number, effect: string) =>
  (text: string): Reading<number | null> => {
    if (text === 'null') return { value: null };
    const reading = wholeNumber(low, high)(text);
    return 'send' in reading ? { send: `${reading.send} days, or null to ${effect}` } : reading;
  };

const oneOf =
  <Value extends string>(...values: readonly Value[]) =>
  (text: string): Reading<Value> => {
    const value = values.find((known) => known === text);
    return value === undefined ? { send: `one of ${values.join(', ')}` } : { value };
  };

const trueOrFalse = (text: string): Reading<boolean> => {
  if (text === 'true' || text === 'false') return { value: text === 'true' };
  return { send: 'true or false' };
};

const dayOrNull = (text: string): Reading<string | null> => {
  if (text === 'null') return { value: null };
  return isDay(text)
    ? { value: text }
    : { send: 'a date such as 2025-01-01, or null for four years before the account was created' };
};

const regions: Readonly<Record<string, string>> = {
  ...{ CST: 'America/Chicago', EST: 'America/New_York', HST: 'Pacific/Honolulu' },
  ...{ MST: 'America/Denver', PST: 'America/Los_Angeles' },
};

const timeZone = (text: string): Reading<string> => {
  if (isTimeZone(text)) return { value: text };
  return { send: regions[text.slice(0, 3).toUpperCase()] ?? 'an IANA time zone such as America/New_York, or UTC' };
};

// JSON is hard to quote in a shell, so the value can be read from a file.
const contentOf = (text: string): string => (text.startsWith('@') ? readFileSync(text.slice(1), 'utf8') : text);

const json =
  <Value>(read: (value: unknown) => Reading<Value>, example: string) =>
  (text: string): Reading<Value> => {
    let value: unknown;
    try {
      value = JSON.parse(contentOf(text));
    } catch (error) {
      if (error instanceof SyntaxError) return { send: `JSON such as ${example}, or @ followed by a file name` };
      throw error;
    }
    return read(value);
  };

const registrationsJson = json(
  (value): Reading<Settings['registrations']> =>
    value === null || value === 'all' ? { value } : readerOf('registrations')(value),
  '[{"state":"MI","from":"2026-01-01","to":null,"frequency":"month"}]',
);

const readers: Readers = {
  rate_limit: wholeNumber(0, 1_000_000),
  draft_ttl_hours: wholeNumber(1, 8760),
  rounding: oneOf('line', 'invoice'),
  ambiguous_address: oneOf('warn', 'reject', 'highest_rate'),
  incomplete_coverage: oneOf('warn', 'reject'),
  // Operators type `all` without the quotes that JSON requires.
  registrations: (text) => (text === 'all' ? { value: text } : registrationsJson(text)),
  ship_from: json(readerOf('ship_from'), '{"state":"MI","postal_code":"48226"}'),
  pass_on_general_excise: trueOrFalse,
  remote_seller_elections: json(
    readerOf('remote_seller_elections'),
    '[{"state":"TX","election":"single_local_use_tax","from":"2026-01-01","to":null}]',
  ),
  retail_delivery_fee: oneOf(...retailDeliveryFees),
  books_open_from: dayOrNull,
  time_zone: timeZone,
  review_days: daysOrNull(0, 20, 'close periods only by request'),
  filing_reminder_days: json(readerOf('filing_reminder_days'), '[7,2]'),
  retain_personal_data_days: daysOrNull(30, 36_500, 'keep the data'),
  return_identity: json(
    readerOf('return_identity'),
    '{"legal_name":"A Shop LLC","tin":{"type":"FEIN","number":"123456789"},"sst_id":"S12345678","state_ids":{}}',
  ),
};

/** The list of settings for `--help`. */
export const fieldsHelp = `Settings:
  ${`rate_limit=${defaults.rateLimit}`.padEnd(28)}  requests per 10 s; 0 refuses all
  ${`draft_ttl_hours=${defaults.draftTtlHours}`.padEnd(28)}  hours until a draft expires
  rounding=line                 or invoice
  ambiguous_address=warn        or reject, highest_rate
  incomplete_coverage=warn      or reject
  registrations=null            states where tax is collected, as a JSON array, or all; null is every state, with a warning
  ship_from=null                default address to ship from, as JSON
  pass_on_general_excise=false  or true: charge Hawaii's highest visible rate (4.7120 %)
  remote_seller_elections=[]    rates that you elected for sales from other states, as a JSON array: Alabama's flat tax, Texas' single local rate
  retail_delivery_fee=warn      or add, none: if Colorado's or Minnesota's fee is due but the order has no line for it
  books_open_from=null          first day of transactions and filings, such as 2025-01-01; null is four years before the account was created
  time_zone=UTC                 time zone that determines the tax day of a timestamp, such as America/New_York
  ${`review_days=${defaults.reviewDays}`.padEnd(28)}  days after a period's end before the schedule closes it, 0 to 20; with null, only requests close periods
  ${`filing_reminder_days=${JSON.stringify(defaults.filingReminderDays)}`.padEnd(28)}  days before the due date with an event filing.due_soon, as a JSON array; null sends no reminders
  return_identity=null          who files the returns, as JSON: legal_name, tin, sst_id, state_ids
  retain_personal_data_days=null  days after which the personal data of a transaction is removed, 30 to 36,500
  JSON can be read from a file: registrations=@registrations.json`;

const isField = (name: string): name is keyof Assignable => Object.hasOwn(readers, name);

const unknownField = (name: string): CommandError =>
  new CommandError(
    name === 'service_version'
      ? 'service_version sets the format of requests and responses. Change it with `settings --service-version`.'
      : `Unknown setting "${name}". The settings are ${Object.keys(readers).join(', ')}.`,
  );

/** Read arguments of the form `setting=value`. Refuses unknown and repeated settings, and wrong values. */
export const assignmentsFrom = (texts: readonly string[]): Partial<Assignable> => {
  const read: Record<string, unknown> = {};
  for (const text of texts) {
    const at = text.indexOf('=');
    if (at < 0) throw new CommandError(`"${text}" has no value. Pass a setting such as rate_limit=500.`);
    const [name, value] = [text.slice(0, at), text.slice(at + 1)];
    if (!isField(name)) throw unknownField(name);
    if (Object.hasOwn(read, name)) throw new CommandError(`${name} is set twice. Pass it once.`);
    const reading = readers[name](value);
    if ('send' in reading)
      throw new CommandError(`${name} cannot be ${value || 'empty'}. Pass ${reading.send.replace(/\.$/, '')}.`);
    read[name] = reading.value;
  }
  return read;
};

/** `accounts settings`: show and change the settings of an account. */

type Options = { readonly account: string; readonly serviceVersion?: string; readonly json?: boolean };

const versionFrom = (version: string | undefined): Partial<Settings> => {
  if (version === undefined) return {};
  if (supportedVersions.includes(version)) return { service_version: version };
  throw new CommandError(
    `--service-version cannot be "${version}". Pass a supported version: ${supportedVersions.join(', ')}.`,
  );
};

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const show = ({ id, name, settings, settings_changed_at, closed_at }: Account): void => {
  const changed = settings_changed_at === undefined ? '' : `, settings changed at ${settings_changed_at}`;
  print(`${id} (${name})${changed}${closed_at === undefined ? '' : `, closed at ${closed_at}`}`);
  print(
    textTable([['setting', 'value'], ...Object.entries(settings).map(([name, value]) => [name, valueText(value)])]),
  );
};

const settingsOf = async (assignments: readonly string[], options: Options): Promise<void> => {
  const { json, serviceVersion } = options;
  const requested: Partial<Settings> = { ...assignmentsFrom(assignments), ...versionFrom(serviceVersion) };
  const names = Object.keys(requested) as (keyof Settings)[];
  const account = await (names.length > 0 ? requireOpenAccount : requireAccount)(options.account);
  const changes = names.filter((name) => !isDeepStrictEqual(requested[name], account.settings[name]));
  const changed = Object.fromEntries(changes.map((name) => [name, requested[name]])) as Partial<Settings>;
  if (changes.length > 0 && !(await changeSettings(account, changed)))
    throw new CommandError(
      'Another operator has just changed the same settings; nothing was changed. Check the settings and run this again.',
    );
  if (json) {
    const { id, name, settings, settings_changed_at = null } = await requireAccount(account.id);
    return printJson({ id, name, settings_changed_at, settings });
  }
  if (names.length === 0) return show(account);
  for (const name of names) {
    const [before, value] = [valueText(account.settings[name]), valueText(requested[name])];
    print(changes.includes(name) ? `${name} is now ${value}; it was ${before}.` : `${name} is already ${value}.`);
  }
  if (changes.length > 0) print('Running instances notice within 60 seconds.');
};

export const addSettings = (program: LevyCommand): LevyCommand =>
  program
    .command('settings')
    .summary("show or change an account's settings")
    .description(
      'Show the settings of an account, or change the settings that you pass. If one of them was changed concurrently, nothing is changed.',
    )
    .argument('[setting=value...]', 'the settings to change')
    .account()
    .option(
      '--service-version <version>',
      'pin the account to a different API version, which changes its request and response formats',
    )
    .option('--json', 'one JSON object, with the settings after the change')
    .addHelpText(
      'after',
      `\n${fieldsHelp}\n\nExample:\n  npm run accounts -- settings --account acct_demo rate_limit=500 rounding=invoice`,
    )
    .action(settingsOf);
