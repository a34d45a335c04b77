import { isDeepStrictEqual } from 'node:util';
import { ulid } from 'ulid';
import * as z from 'zod/mini';
import { Account, type Settings } from '../../accounts/account.ts';
import { ApiKey } from '../../accounts/api-key.ts';
import { readPages } from '../../base/collections.ts';
import { now } from '../../config/clock.ts';
import { environment } from '../../config/environment.ts';
import { registeredStates } from '../../filings/periods.ts';
import type { Page } from '../../ledger/page-limit.ts';
import { batchGet, partitionQuery, queryPage, readItem, readRows } from '../client/reads.ts';
import {
  absent,
  firstObstacle,
  listCodes,
  returned,
  staleOrThrow,
  throwCanceled,
  writeTogether,
} from '../client/writes.ts';
import { putDue } from '../filings/due-index.ts';
import { accountKey, accountRegister, accountRegisterKey, settingChanges } from '../keys.ts';
import { keyPuts, whileOpen } from './api-key-store.ts';

const TableName = environment.tables.accounts;

/** Returns the account with this id, open or closed. A deleted account leaves an item that reserves its id. */
export const findAccount = async (id: string): Promise<Account | undefined> => {
  const item = await readItem(TableName, accountKey(id));
  return item === undefined || 'deleted_at' in item ? undefined : Account.parse(item);
};

/**
 * Returns the accounts that exist, of at most 100 ids, as functions that parse them. An invalid account therefore does
 * not affect the others.
 */
export const findAccounts = async (ids: readonly string[]): Promise<ReadonlyMap<string, () => Account>> => {
  const items = await batchGet(TableName, ids.map(accountKey));
  const accounts = items.filter((item) => !('deleted_at' in item));
  return new Map(accounts.map((item) => [String(item['id']), () => Account.parse(item)]));
};

/** The first API key of a new account: the key, and the digest of its secret. */
type FirstKey = { readonly key: ApiKey; readonly digest: string };

const accountPuts = (account: Account) => [
  { Put: { TableName, Item: { ...accountKey(account.id), ...account }, ...absent, ...returned } },
  { Put: { TableName, Item: accountRegisterKey(account.id), ...absent } },
  ...dueNow(account.id, account.settings.registrations),
];

/** Returns due entries for every registered state. The schedule's next run reads them and computes the due day. */
export const dueNow = (account: string, registrations: Settings['registrations']) => {
  const at = new Date(now()).toISOString();
  return registeredStates(registrations).map((state) => putDue({ account, subject: state, at }));
};

/**
 * Creates an account with its register entry, its due-index entries and, if given, its first API key, atomically.
 * Succeeds if an identical account exists; throws if the id belongs to a different account.
 */
export const provisionAccount = async (account: Account, first?: FirstKey): Promise<void> => {
  const requested = Account.parse(account);
  const keyWrites = first ? keyPuts(ApiKey.parse(first.key), first.digest) : [];
  await writeTogether([...accountPuts(requested), ...keyWrites], (exception) => {
    const stored = firstObstacle(exception) ?? throwCanceled(exception);
    if (isDeepStrictEqual(Account.parse(stored), requested)) return;
    throw new Error(`Account ${account.id} already exists with different settings.`, { cause: exception });
  });
};

const registerPage = 100;

/** Returns a page of account ids in ascending order, after the given id. */
export const listAccountIds = (after: string | null): Promise<Page<string>> => {
  const query = { ...partitionQuery(TableName, accountRegister), ConsistentRead: false };
  return readRows(query, ({ sk }) => sk, registerPage, after === null ? null : accountRegisterKey(after));
};

/** Yields every account, ordered by id. Makes two database calls per 100 accounts. */
export async function* allAccounts(): AsyncGenerator<Account> {
  for await (const { rows } of readPages(listAccountIds)) {
    const accounts = [...(await findAccounts(rows)).values()].map((read) => read());
    yield* accounts.sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}

/** A setting as JSON, without taxpayer and account numbers. */
const getText = (setting: keyof Settings, value: unknown): string =>
  setting === 'return_identity' && value !== null ? '"set"' : JSON.stringify(value);

const changesListed = 50;
const Change = z.object({
  changes: z.array(
    z.object({ at: z.string(), by: z.string(), setting: z.string(), before: z.string(), after: z.string() }),
  ),
});

/** Returns the last changes of an account's settings, newest first. */
export const listSettingChanges = async (account: string) => {
  const { items } = await queryPage({
    ...partitionQuery(TableName, settingChanges(account)),
    ScanIndexForward: false,
    Limit: changesListed,
  });
  return items.flatMap((item) => Change.parse(item).changes).slice(0, changesListed);
};

/** The settings that determine when a period closes. */
const closingSettings = new Set<keyof Settings>(['registrations', 'books_open_from', 'review_days', 'time_zone']);

/**
 * Changes settings of an account. Each changed setting must still have the value that was read, or already the new one
 * (a retry after a lost reply); otherwise returns `false`.
 *
 * Other settings are untouched, including concurrent changes to them. Running instances apply the change within 60 s.
 * A change that affects when a state's period closes updates the due index atomically. The change is recorded with
 * `by`: an API key, a token or `operator`. With `isUnchanged`, no setting at all may have changed since it was read.
 */
export const changeSettings = async (
  { id, settings, settings_changed_at }: Account,
  changed: Partial<Settings>,
  { by = 'operator', isUnchanged = false }: { readonly by?: string; readonly isUnchanged?: boolean } = {},
): Promise<boolean> => {
  const at = new Date(now()).toISOString();
  const unchanged =
    settings_changed_at === undefined ? 'attribute_not_exists(settings_changed_at)' : 'settings_changed_at = :changed';
  const names = Object.keys(changed) as (keyof Settings)[];
  const each = (text: (at: number) => string) => names.map((_, at) => text(at));
  const update = {
    TableName,
    Key: accountKey(id),
    UpdateExpression: `SET ${[...each((at) => `settings.#n${at} = :new${at}`), 'settings_changed_at = :now'].join(', ')}`,
    ConditionExpression: [
      whileOpen.ConditionExpression,
      ...each((at) => `settings.#n${at} IN (:seen${at}, :new${at})`),
      ...(isUnchanged ? [unchanged] : []),
    ].join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name, at) => [`#n${at}`, name])),
    ExpressionAttributeValues: {
      ':now': at,
      ...(isUnchanged && settings_changed_at !== undefined && { ':changed': settings_changed_at }),
      ...Object.fromEntries(
        names.flatMap((name, at) => [
          [`:new${at}`, changed[name]],
          [`:seen${at}`, settings[name]],
        ]),
      ),
    },
  };
  const due = names.some((name) => closingSettings.has(name))
    ? dueNow(id, { ...settings, ...changed }.registrations)
    : [];
  const recorded = names.map((setting) => ({
    at,
    by,
    setting,
    before: getText(setting, settings[setting]),
    after: getText(setting, changed[setting]),
  }));
  const change = { pk: settingChanges(id), sk: `${at}#${ulid(now())}`, changes: recorded };
  const writes = [{ Update: update }, { Put: { TableName, Item: change, ...absent } }, ...due];
  const written = await writeTogether(writes, (exception) =>
    // The key of the change is new, so its item is from an earlier attempt of this call whose reply was lost.
    listCodes(exception)[1] === 'ConditionalCheckFailed' ? { kind: 'committed' as const } : staleOrThrow(exception),
  );
  return written.kind === 'committed';
};
