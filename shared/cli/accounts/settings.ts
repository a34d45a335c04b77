/** `accounts settings`: show and change the settings of an account. */
import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import type { Account, Settings } from '../../accounts/account.ts';
import { supportedVersions } from '../../api/versions.ts';
import { changeSettings } from '../../store/accounts/account-store.ts';
import { requireAccount, requireOpenAccount } from '../terminal/accounts.ts';
import { CommandError } from '../terminal/errors.ts';
import { print, printJson, textTable } from '../terminal/output.ts';
import { assignmentsFrom, fieldsHelp } from './assignments.ts';

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
      'Another operator changed the same settings just now; nothing was changed. Check the settings, and run this again.',
    );
  if (json) {
    const { id, name, settings, settings_changed_at = null } = await requireAccount(account.id);
    return printJson({ id, name, settings_changed_at, settings });
  }
  if (names.length === 0) return show(account);
  for (const name of names) {
    const [before, value] = [valueText(account.settings[name]), valueText(requested[name])];
    print(
      changes.includes(name) ? `${name} is now ${value}; before it was ${before}.` : `${name} is already ${value}.`,
    );
  }
  if (changes.length > 0) print('Running instances notice within 60 seconds.');
};

export const addSettings = (program: Command): Command =>
  program
    .command('settings')
    .summary("an account's settings: show them, change some")
    .description(
      'Show the settings of an account, or change the named ones. If one of them was changed concurrently, nothing is changed.',
    )
    .argument('[setting=value...]', 'the settings to change')
    .requiredOption('--account <id>', 'the account, such as acct_demo')
    .option(
      '--service-version <version>',
      'pin the account to another version: the shapes of its requests and responses change',
    )
    .option('--json', 'one JSON object, with the settings after the change')
    .addHelpText(
      'after',
      `\n${fieldsHelp}\n\nExample:\n  npm run accounts -- settings --account acct_demo rate_limit=500 rounding=invoice`,
    )
    .action(settingsOf);
