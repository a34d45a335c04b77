/** `accounts create`: a new account, optionally with its first API key. */

import { isCancel, text } from '@clack/prompts';
import { defaultSettings, newAccount } from '../../accounts/account.ts';
import { hashKey, newApiKey } from '../../accounts/api-key.ts';
import { isTimeZone } from '../../accounts/time-zone.ts';
import { currentVersion } from '../../api/versions.ts';
import { now } from '../../config/clock.ts';
import { provisionAccount } from '../../store/accounts/account-store.ts';
import { newKey } from '../../store/accounts/api-key-store.ts';
import { parseName } from '../terminal/arguments.ts';
import { print, printJson } from '../terminal/output.ts';
import { CommandError, flag, optional, required, subcommand } from '../terminal/run-command.ts';
import { getTerms, parseScopes, printKey, termOptions, withSecret } from './keys.ts';
import { assignmentsFrom, fieldsHelp } from './settings.ts';

type Quiet = { readonly json: boolean | undefined; readonly quiet: boolean | undefined };

/** Prompts for the time zone on a terminal: in UTC, evening sales in the United States fall on the next day. */
const promptTimeZone = async ({ json, quiet }: Quiet): Promise<string> => {
  const byDefault = defaultSettings(currentVersion).time_zone;
  if (json || quiet || !process.stdin.isTTY || !process.stdout.isTTY) return byDefault;
  const chosen = await text({
    message: 'Time zone used to derive the tax day from a timestamp',
    initialValue: Intl.DateTimeFormat().resolvedOptions().timeZone,
    validate: (name = '') =>
      isTimeZone(name) ? undefined : 'Pass an IANA time zone such as America/New_York, or UTC.',
  });
  if (isCancel(chosen)) throw new CommandError('Canceled; no account was created.');
  return chosen;
};

export const create = subcommand({
  name: 'create',
  summary: 'create an account, optionally with its first API key',
  description:
    'Create an account, pinned to the current service version, and print its id. Settings that are not passed have their defaults. --key also creates its first API key, in the same database transaction.',
  arguments: [['[setting=value...]', 'settings that differ from the defaults']],
  options: {
    name: required('<name>', 'the name of the account, for operators only', parseName),
    key: optional(
      '<scopes>',
      'create its first API key: read, write or settings, or several separated by commas',
      parseScopes,
    ),
    ...termOptions,
    quiet: flag('print only the id'),
    json: flag('one JSON object; with --key, the secret is in `key.secret`'),
  },
  help: fieldsHelp,
  examples: ['accounts -- create --name "A shop" --key read,write rate_limit=500'],
  run: async (options, assignments: readonly string[]) => {
    const { json, quiet, name, key: scopes } = options;
    if (quiet && scopes)
      throw new CommandError('--quiet prints only the id, so it cannot be combined with --key. Pass --json instead.');
    const createdMs = now();
    const sent = assignmentsFrom(assignments);
    const settings = { ...sent, time_zone: sent.time_zone ?? (await promptTimeZone(options)) };
    const account = newAccount({ name, serviceVersion: currentVersion, createdMs, settings });
    const { id, created_at } = account;
    const secret = newApiKey();
    const key = scopes && newKey({ account: id, scopes, ...getTerms(options, createdMs) }, createdMs);
    await provisionAccount(account, key ? { key, digest: hashKey(secret) } : undefined);
    const output = { id, name, created_at, settings: account.settings };
    if (json) return printJson({ ...output, ...(key && { key: withSecret(key, secret) }) });
    print(quiet ? id : `Account  ${id} (${name}), pinned to ${currentVersion}`);
    if (key) printKey(key, secret);
  },
});
