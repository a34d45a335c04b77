import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { type Account, defaults, type Settings } from '../../accounts/account.ts';
import { settingSchemas } from '../../accounts/setting-schemas.ts';
import { supportedVersions } from '../../api/versions.ts';
import { jsonOrRefuse, rewordAdvice } from '../../base/command-error.ts';
import { described, nullable, readDescription, stringEnum } from '../../base/described.ts';
import { describeJsonError } from '../../base/json.ts';
import { checkSetting, toSettings } from '../../settings/request.ts';
import { explainHiddenPeriods, findHiddenPeriods } from '../../settings/update-account.ts';
import { changeSettings } from '../../store/accounts/account-store.ts';
import { filingReads } from '../../store/filings/filing-reads.ts';
import { problemIn, refuseValue, requireAccount, requireOpenAccount, resolvePath } from '../terminal/arguments.ts';
import { readText } from '../terminal/files.ts';
import { print, printJson, textTable } from '../terminal/output.ts';
import { account, CommandError, flag, optional, subcommand } from '../terminal/run-command.ts';

/** Settings as command-line arguments: `rate_limit=500`. */

type Assignable = Omit<Settings, 'service_version'>;

const wholeNumber = (low: number, high: number, rest = '') => {
  const advice = `Send a whole number from ${low} to ${high.toLocaleString('en-US')}${rest}.`;
  return z.int(advice).check(z.gte(low, advice), z.lte(high, advice));
};

/** The settings of the API, and the settings that only operators change. */
const schemas = {
  rate_limit: described(wholeNumber(0, 1_000_000), 'The number of requests per 10 s. 0 refuses all.'),
  draft_ttl_hours: described(wholeNumber(1, 8760), 'Hours from the creation of a draft until it expires.'),
  rounding: stringEnum('Rounding', ['line', 'invoice'], 'Whether the tax of each line or of the invoice is rounded.'),
  pass_on_general_excise: described(
    z.boolean('Send true or false.'),
    "Whether buyers are charged Hawaii's maximum pass-on rate (4.7120 %).",
  ),
  retain_personal_data_days: nullable(
    wholeNumber(30, 36_500, ' days, or null to keep the data'),
    'Days from the creation of a transaction until its personal data is removed, 30 to 36,500. `null` keeps the data.',
  ),
  ...settingSchemas,
  registrations: described(
    settingSchemas.registrations,
    'The registrations to collect tax. `all` and `null` collect tax in every state; `null` adds a warning.',
  ),
} satisfies Record<keyof Assignable, z.ZodMiniType>;

/** The form of the settings that are written as JSON. */
const jsonForms: Partial<Record<keyof Assignable, string>> = {
  registrations: '"all", null or an array of {state, from, to, frequency}',
  remote_seller_elections: 'an array of {state, election, from, to}, or [] for none',
  ship_from: 'null or an address of line1, city, state, postal_code, country',
  return_identity: 'null or an object with legal_name, tin {type, number}, sst_id and state_ids',
  filing_reminder_days: 'null or an array of at most five whole numbers from 1 to 60, such as [7,2]',
};

const regions: Readonly<Record<string, string>> = {
  CST: 'America/Chicago',
  EST: 'America/New_York',
  HST: 'Pacific/Honolulu',
  MST: 'America/Denver',
  PST: 'America/Los_Angeles',
};

/**
 * Parses a value: `@` and the name of a JSON file, because shells make JSON hard to quote; or JSON; or a text, which
 * operators type without quotes.
 */
const parseValue = (text: string): unknown => {
  if (text.startsWith('@')) {
    const file = resolvePath(text.slice(1));
    return jsonOrRefuse(readText(file), `The file ${file} is`);
  }
  const value: unknown = describeJsonError(text) === null ? JSON.parse(text) : text;
  // A number in another notation, such as 1e1, is probably a typing error.
  return typeof value === 'number' && String(value) !== text ? text : value;
};

/** Reads a value with the schema and the check of the API. Refuses a wrong value, and names what to pass instead. */
const readSetting = (name: keyof Assignable, text: string): unknown => {
  const refuse = (advice: string): CommandError =>
    new CommandError(`${name} cannot be ${text || 'empty'}. Pass ${rewordAdvice(advice, 'Pass').replace(/\.$/, '')}.`);
  const value = parseValue(text);
  if (name === 'registrations' && (value === 'all' || value === null)) return value;
  const { success, data, error } = (schemas[name] as z.ZodMiniType).safeParse(value);
  if (!success) {
    const region = name === 'time_zone' ? regions[text.slice(0, 3).toUpperCase()] : undefined;
    const problem = problemIn(error);
    const form = jsonForms[name];
    if (!form) throw refuse(region ?? problem.replace('Send ', ''));
    // The error for the whole value only repeats the expected format.
    const isWhole = error.issues.every(({ code, path }) => path.length === 0 && code !== 'unrecognized_keys');
    throw refuse(isWhole ? form : `${form} (${problem})`);
  }
  const advice = (checkSetting as Partial<Record<string, (value: unknown) => string | null>>)[name]?.(data) ?? null;
  if (advice !== null) throw refuse(advice);
  return data;
};

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const settingNames = Object.keys(schemas) as (keyof Assignable)[];

const alternatives = new Intl.ListFormat('en', { type: 'disjunction' });

const helpLine = (name: keyof Assignable): string => {
  const schema = schemas[name];
  const form = jsonForms[name] ?? (schema instanceof z.ZodMiniEnum ? alternatives.format(schema.options) : '');
  const text = readDescription(schema).replaceAll('`', '');
  return `  ${`${name}=${valueText(defaults[name])}`.padEnd(28)}  ${text}${form && ` Pass ${form}.`}`;
};

/** The list of settings for `--help`, with their defaults. */
export const fieldsHelp = `Settings:
${settingNames.map(helpLine).join('\n')}
  JSON can be read from a file: registrations=@registrations.json`;

const isField = (name: string): name is keyof Assignable => Object.hasOwn(schemas, name);

const unknownField = (name: string): CommandError =>
  new CommandError(
    name === 'service_version'
      ? 'service_version sets the format of requests and responses. Change it with `settings --service-version`.'
      : `Unknown setting "${name}". The settings are ${settingNames.join(', ')}.`,
  );

/** Reads arguments of the form `setting=value`. Refuses unknown and repeated settings, and wrong values. */
export const assignmentsFrom = (texts: readonly string[]): Partial<Assignable> => {
  const read: Record<string, unknown> = {};
  for (const text of texts) {
    const at = text.indexOf('=');
    if (at < 0) throw new CommandError(`"${text}" has no value. Pass a setting such as rate_limit=500.`);
    const [name, value] = [text.slice(0, at), text.slice(at + 1)];
    if (!isField(name)) throw unknownField(name);
    if (Object.hasOwn(read, name)) throw new CommandError(`${name} is set twice. Pass it once.`);
    read[name] = readSetting(name, value);
  }
  // The API has a different field for the values `all` and `null`.
  const { registrations } = read;
  const isCollectedIn = registrations === 'all' || registrations === null;
  return isCollectedIn ? { ...toSettings({ ...read, registrations: undefined }), registrations } : toSettings(read);
};

/** `accounts settings`: show and change the settings of an account. */

const parseVersion = (text: string): string =>
  supportedVersions.includes(text) ? text : refuseValue(`Pass a supported version: ${supportedVersions.join(', ')}.`);

const show = ({ id, name, settings, settings_changed_at, closed_at }: Account): void => {
  const changed = settings_changed_at === undefined ? '' : `, settings changed at ${settings_changed_at}`;
  print(`${id} (${name})${changed}${closed_at === undefined ? '' : `, closed at ${closed_at}`}`);
  print(
    textTable([['setting', 'value'], ...Object.entries(settings).map(([name, value]) => [name, valueText(value)])]),
  );
};

export const settings = subcommand({
  name: 'settings',
  summary: "show or change an account's settings",
  description:
    'Show the settings of an account, or change the settings that you pass. If one of them was changed concurrently, nothing is changed.',
  arguments: [['[setting=value...]', 'the settings to change']],
  options: {
    account,
    serviceVersion: optional(
      '<version>',
      'pin the account to a different API version, which changes its request and response formats',
      parseVersion,
    ),
    json: flag('one JSON object, with the settings after the change'),
  },
  help: fieldsHelp,
  examples: ['accounts -- settings --account acct_demo rate_limit=500 rounding=invoice'],
  run: async ({ account: named, json, serviceVersion: service_version }, assignments: readonly string[]) => {
    const requested: Partial<Settings> = {
      ...assignmentsFrom(assignments),
      ...(service_version && { service_version }),
    };
    const names = Object.keys(requested) as (keyof Settings)[];
    const account = await (names.length > 0 ? requireOpenAccount : requireAccount)(named);
    const changes = names.filter((name) => !isDeepStrictEqual(requested[name], account.settings[name]));
    const changed = Object.fromEntries(changes.map((name) => [name, requested[name]])) as Partial<Settings>;
    const hidden = await findHiddenPeriods(account, changed, filingReads);
    if (hidden)
      throw new CommandError(
        `${hidden.setting} cannot be changed; nothing was changed. ${rewordAdvice(explainHiddenPeriods(hidden), 'Pass')}`,
      );
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
    if (changes.includes('registrations'))
      print('Recorded sales do not change: `npm run accounts -- advice` names those to record again.');
    if (changes.length > 0) print('Running instances apply the change within 60 seconds.');
  },
});
