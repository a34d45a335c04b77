/** `npm run accounts -- …`, and requests with the keys that it creates. */
import { afterAll, beforeAll, vi } from 'vitest';
import type { Account } from '../../shared/accounts/account.ts';
import { accountsProgram } from '../../shared/cli/accounts.ts';
import { anonymous } from './api.ts';
import { outputOf, runInProcess } from './run-command.ts';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Runs the command and returns its exit code and output. */
export const accounts = (...args: readonly string[]) => runInProcess(accountsProgram(), args);

/** Runs the command and returns its output. Throws its error. */
export const ran = (...args: string[]): Promise<string> => outputOf(accountsProgram(), args);
export const ranJson = async <Printed>(...args: string[]): Promise<Printed> => JSON.parse(await ran(...args, '--json'));

export const get = (key: string) => anonymous.call('GET', '/coverage', { headers: { 'X-API-Key': key } });
export const answerTo = async (key: string): Promise<string> => {
  const { status, body } = await get(key);
  return status === 200 ? '200' : `${status} ${body.errors[0].code}`;
};

/** A key as a command prints it. Only a new key includes its secret. */
export type PrintedKey = Readonly<
  Record<'id' | 'secret' | 'label' | 'state' | 'created_at' | 'expires_at' | 'revoked_at' | 'last_used_at', string>
>;
/** An account with its first key. */
export const newAccount = (...others: string[]): Promise<Account & { readonly key: PrintedKey }> =>
  ranJson('create', '--name', 'A shop', '--key', 'read,write', ...others);
export const keysOf = (account: string): Promise<PrintedKey[]> => ranJson('keys', 'list', '--account', account);

/** Disables database timeouts in a test file, so the use of a key is recorded even on a slow machine. */
export const waitForDatabase = (): void => {
  beforeAll(() => void vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal));
  afterAll(() => void vi.restoreAllMocks());
};
