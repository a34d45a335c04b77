import { type Command, CommanderError } from 'commander';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import type { Account } from '../../shared/accounts/account.ts';
import { accountsProgram } from '../../shared/cli/accounts.ts';
import { ledgerProgram } from '../../shared/cli/ledger.ts';
import { anonymous } from './api.ts';
import type { Ran } from './child-process.ts';

const withSubcommands = (command: Command): Command[] => [command, ...command.commands.flatMap(withSubcommands)];

/**
 * Runs a command-line program in this process, with the clock and the database client of the test. Only one can run at
 * a time.
 */
export const runInProcess = async (program: Command, args: readonly string[]): Promise<Ran> => {
  // Imported here, because a test may have reset the modules.
  const { explainError } = await import('../../shared/cli/terminal/run-command.ts');
  const output = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) => {
    const write = process[name].write.bind(process[name]);
    return vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      // The log line of a request to the API that runs in the same process.
      if (String(chunk).startsWith('{"_aws":')) return write(chunk);
      output[name] += chunk;
      return true;
    });
  });
  const exitCodeBefore = process.exitCode;
  process.exitCode = 0;
  for (const command of withSubcommands(program)) command.exitOverride();
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = error instanceof CommanderError ? error.exitCode : 1;
    if (!(error instanceof CommanderError)) output.stderr += `${explainError(error) ?? (error as Error).stack}\n`;
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  const code = Number(process.exitCode);
  process.exitCode = exitCodeBefore;
  return { code, out: output.stdout, err: output.stderr };
};

/** Runs a program as `runInProcess` does. Returns its output, or throws its error message. */
export const readOutput = async (program: Command, args: readonly string[]): Promise<string> => {
  const { code, out, err } = await runInProcess(program, args);
  if (code !== 0) throw new Error(err);
  return out;
};

/** Expects that a command succeeded, and printed this text. */
export const expectSuccess = ({ code, out, err }: Ran, text: string | RegExp): void => {
  expect(code, err).toBe(0);
  expect(out).toMatch(text);
};

/** Expects that a command failed with this message, without a stack, and printed nothing else (or `printed`). */
export const expectFailure = ({ code, out, err }: Ran, message: string | RegExp, printed: unknown = ''): void => {
  expect([code, out]).toEqual([1, printed]);
  expect(err).toMatch(message);
  expect(err).not.toMatch(/^ {4}at /m);
};

/** `npm run accounts -- …`, and requests with the keys that it creates. */

/** Runs the command and returns its exit code and output. */
export const accounts = (...args: readonly string[]) => runInProcess(accountsProgram(), args);
export const ledger = (...args: readonly string[]) => runInProcess(ledgerProgram(), args);

/** Runs the command and returns its output. Throws its error. */
export const ran = (...args: string[]): Promise<string> => readOutput(accountsProgram(), args);
export const ranJson = async <Printed>(...args: string[]): Promise<Printed> => JSON.parse(await ran(...args, '--json'));

export const get = (key: string) => anonymous.call('GET', '/coverage', { headers: { 'X-API-Key': key } });
export const responseTo = async (key: string): Promise<string> => {
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
export const listKeys = (account: string): Promise<PrintedKey[]> => ranJson('keys', 'list', '--account', account);

/** Disables database timeouts in a test file, so the use of a key is recorded even on a slow machine. */
export const waitForDatabase = (): void => {
  beforeAll(() => void vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal));
  afterAll(() => void vi.restoreAllMocks());
};
