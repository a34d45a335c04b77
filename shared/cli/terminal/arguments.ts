import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import type * as z from 'zod/mini';
import type { Account } from '../../accounts/account.ts';
import { instantMs as instantOrDayMs, isDay } from '../../base/calendar.ts';
import { jsonOrRefuse } from '../../base/command-error.ts';
import { findDeletion } from '../../store/accounts/account-closing.ts';
import { findAccount } from '../../store/accounts/account-store.ts';
import { stateJurisdiction } from '../../vocabulary/jurisdiction.ts';
import { readText } from './files.ts';
import { CommandError } from './run-command.ts';

/** Parses paths, numbers, names, durations and timestamps in options. */

/** Refuses the value of an option. commander puts the option and the value before the advice. */
export const refuseValue = (advice: string): never => {
  throw new InvalidArgumentError(advice);
};

/** Describes the first problem of a JSON value with its entry and field. */
export const problemIn = ({ issues: [issue] }: z.core.$ZodError): string => {
  if (!issue) return '';
  const place = issue.path.map((step) => (typeof step === 'number' ? `entry ${step + 1}` : String(step))).join(', ');
  const unknown = issue.code === 'unrecognized_keys' ? `Unknown field ${issue.keys.join(' or ')}.` : issue.message;
  return place === '' ? unknown : `${place}: ${unknown}`;
};

/** Resolves a path against the folder where npm was called, because npm runs scripts in the project folder. */
export const resolvePath = (file: string): string => resolve(process.env['INIT_CWD'] ?? '', file);

/** Returns a parser of whole numbers within an inclusive range. */
export const wholeNumber =
  (from: number, to: number) =>
  (text: string): number => {
    if (!/^\d{1,15}$/.test(text) || Number(text) < from || Number(text) > to) {
      const range = `from ${from.toLocaleString('en-US')} to ${to.toLocaleString('en-US')}`;
      refuseValue(`Pass a whole number ${range}, without separators.`);
    }
    return Number(text);
  };

/** Parses a state to its jurisdiction code: `US-MI` for MI or Michigan. */
export const parseState = (text: string): string =>
  stateJurisdiction(text) ?? refuseValue(`"${text}" is not a state. Pass the code or the name of a state.`);

/** Parses states, separated by commas. */
export const parseStates = (text: string): readonly string[] =>
  text.split(',').map((state) => parseState(state.trim()));

export const parseDay = (text: string): string => (isDay(text) ? text : refuseValue('Pass a date such as 2026-10-31.'));

const lengthMax = 100;

/** Parses a name. It is printed, so it must be one line without control characters. A refusal does not print it. */
export const parseName = (text: string): string => {
  const name = text.trim();
  const isPrintable = name !== '' && name.length <= lengthMax && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name);
  if (isPrintable) return name;
  throw new CommandError(`Pass a name or label of 1 to ${lengthMax} characters, without control characters.`);
};

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** A longer duration is probably a typo. `never` creates a key that does not expire. */
const longestMs = 3660 * unitMs.d;

const spanMs = (text: string): number | null => {
  const { count, unit } = /^(?<count>\d{1,6})(?<unit>[mhdw])$/.exec(text)?.groups ?? {};
  return count === undefined ? null : Number(count) * unitMs[unit as keyof typeof unitMs];
};

const instantMs = (text: string): number | null => (text.includes('T') ? instantOrDayMs(text) : null);

/** Parses a timestamp with `Z` or an offset to milliseconds. Refuses a day. */
export const parseInstant = (text: string): number =>
  instantMs(text) ?? refuseValue('Pass a timestamp such as 2026-11-21T08:00:00Z.');

/**
 * Parses the expiry of a key to a UTC timestamp: a duration, a timestamp with `Z` or an offset, or `never` (`null`).
 * Refuses times in the past or more than ten years away.
 */
export const parseExpiry = (text: string, nowMs: number): string | null => {
  if (text === 'never') return null;
  const span = spanMs(text);
  const endMs = span === null ? instantMs(text) : nowMs + span;
  if (endMs === null)
    throw new CommandError(
      `--expires cannot be "${text}". Pass a duration such as 12h, 90d or 8w, a timestamp such as 2027-06-30T00:00:00Z, or never.`,
    );
  if (endMs <= nowMs) throw new CommandError(`--expires ${text} has already passed. Pass a later time.`);
  if (endMs - nowMs > longestMs)
    throw new CommandError(`--expires ${text} is more than ten years away. Pass an earlier time.`);
  return new Date(endMs).toISOString();
};

/** Parses how long a rotated key remains valid, in milliseconds: a duration of at most 90 days, or `0`. */
export const overlapMs = (text: string): number => {
  const ms = text === '0' ? 0 : spanMs(text);
  if (ms === null || ms > 90 * unitMs.d)
    throw new CommandError(`--overlap cannot be "${text}". Pass a duration of at most 90d, such as 24h, or 0.`);
  return ms;
};

/**
 * Parses the address of a service. Refuses plain HTTP to other machines, because requests contain a key. A refusal does
 * not print the address, which can contain a password.
 */
export const parseAddress = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isLocal = url !== null && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (!url || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)))
    throw new CommandError('Pass https://…, or http://127.0.0.1:3000 on this machine: requests contain a key.');
  if (url.search || url.hash || url.username || url.password)
    throw new CommandError('Pass the address without a user name, password, query or fragment.');
  return url.href;
};

/** Returns the account with this id. Refuses an unknown id. */
export const requireAccount = async (id: string): Promise<Account> => {
  const account = await findAccount(id);
  if (account) return account;
  const { tombstone } = await findDeletion(id);
  if (tombstone) throw new CommandError(`The account ${id} was deleted at ${tombstone.deleted_at}.`);
  throw new CommandError(`The account ${id} does not exist. List the accounts with \`npm run accounts -- list\`.`);
};

/** Returns the account with this id. Refuses an unknown id and a closed account. */
export const requireOpenAccount = async (id: string): Promise<Account> => {
  const account = await requireAccount(id);
  if (account.closed_at === undefined) return account;
  throw new CommandError(
    `The account ${id} was closed at ${account.closed_at}. Reopen it with \`npm run accounts -- reopen --account ${id}\`.`,
  );
};

/** Reads a JSON file. Throws a CommandError with `refusal` and the reason if it cannot be parsed. */
export const jsonFile = <Value>(file: string, schema: z.ZodMiniType<Value>, refusal: string): Value => {
  const { data, error } = schema.safeParse(jsonOrRefuse(readText(file), `${refusal}: it is`));
  if (error) throw new CommandError(`${refusal}: ${problemIn(error)}`);
  return data;
};
