/** `npm run accounts -- …`, and the API as those see it who have the accounts and keys that it makes. */
import { afterAll, beforeAll, vi } from 'vitest';
import { accountsProgram } from '../../shared/cli/accounts/program.ts';
import { anonymous } from './api.ts';
import { runCommand } from './run-command.ts';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Run it as an operator does. */
export const accounts = (args: readonly string[], { input = '', env = {} }: { input?: string; env?: object } = {}) =>
  runCommand(['shared/cli/accounts.ts', ...args], { input, env: { ...process.env, ...env } });

/** Run it in this process, whose clock a test can move; answers what it prints. */
export const ran = async (...args: string[]): Promise<string> => {
  let out = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    out += chunk;
    return true;
  });
  try {
    await accountsProgram().parseAsync(args, { from: 'user' });
  } finally {
    write.mockRestore();
  }
  return out;
};
export const ranJson = async (...args: string[]): Promise<any> => JSON.parse(await ran(...args, '--json'));

export const get = (key: string) => anonymous.call('GET', '/coverage', { headers: { 'X-API-Key': key } });
export const answerTo = async (key: string): Promise<string> => {
  const { status, body } = await get(key);
  return status === 200 ? '200' : `${status} ${body.errors[0].code}`;
};

export const newAccount = async (...others: string[]) =>
  ranJson('create', '--name', 'A shop', '--key', 'read,write', ...others);
export const keysOf = (account: string): Promise<any[]> => ranJson('keys', 'list', '--account', account);

/** For a test file: a slow machine is not a database that does not answer, and the use of a key is recorded. */
export const waitForDatabase = (): void => {
  beforeAll(() => void vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal));
  afterAll(() => void vi.restoreAllMocks());
};
