import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import {
  accounts,
  answerTo,
  hourMs,
  keysOf,
  minuteMs,
  newAccount,
  ran,
  refusedInOneLine,
  waitForDatabase,
} from '../support/accounts-cli.ts';
import { newCaller } from '../support/api.ts';
import { runCommand } from '../support/run-command.ts';
import { later } from '../support/sales.ts';

waitForDatabase();

const leaked = (input: string) => runCommand(['shared/cli/accounts.ts', 'keys', 'revoke', '--leaked'], { input });

describe('revoke', () => {
  it('revokes a key within a minute, and keeps the first date', async () => {
    const { id, key } = await newAccount('--label', 'shop');
    expect(await answerTo(key.secret)).toBe('200');
    expect(await ran('keys', 'revoke', key.id, '--account', id)).toContain(`${key.id} (shop) of ${id}`);
    expect(await later(minuteMs, () => answerTo(key.secret))).toBe('401 auth_api_key_not_found');
    const [{ revoked_at, state } = {}] = await keysOf(id);
    expect(state).toBe('revoked');
    expect(await later(hourMs, () => ran('keys', 'revoke', key.id, '--account', id))).toContain(
      `already revoked at ${revoked_at}`,
    );
    expect((await keysOf(id))[0]?.revoked_at).toBe(revoked_at);
  });

  it('takes a leaked key on standard input, without its id and account', async () => {
    const { id, key } = await newAccount();
    const { code, out } = await leaked(`${key.secret}\n`);
    expect([code, out]).toEqual([0, expect.stringContaining(`${key.id} of ${id}`)]);
    expect(await answerTo(key.secret)).toBe('401 auth_api_key_not_found');
    const unknown = await leaked('levy_nothing');
    expect(unknown).toMatchObject({ code: 1, out: '', err: expect.stringContaining('No account has the key') });
  });

  it.each([
    [true, /Ctrl-D.*\n.*No account has the key/],
    [undefined, /^No account has the key/],
  ])('prints a prompt on a terminal (isTTY: %s)', async (isTTY, printed) => {
    const input = vi
      .spyOn(process, 'stdin', 'get')
      .mockReturnValue(Object.assign(Readable.from(['levy_nothing\n']), { isTTY }) as unknown as typeof process.stdin);
    try {
      const { code, err } = await accounts('keys', 'revoke', '--leaked');
      expect(code).toBe(1);
      expect(err).toMatch(printed);
    } finally {
      input.mockRestore();
    }
  });

  it('revokes only a key of the given account', async () => {
    const a = await newAccount();
    const b = await newAccount();
    await expect(ran('keys', 'revoke', b.key.id, '--account', a.id)).rejects.toThrow(`has no key ${b.key.id}`);
    expect(await later(minuteMs, () => answerTo(b.key.secret))).toBe('200');
  });

  it.each([[['key_1']], [['key_1', '--leaked']], [['--leaked', '--account', 'acct_1']], [[]]])(
    'needs either an id and an account, or --leaked: %o',
    async (args) => {
      expect(await accounts('keys', 'revoke', ...args)).toMatchObject(refusedInOneLine);
    },
  );

  it('does not repeat a key that was sent as an argument', async () => {
    const { key } = await newCaller();
    const { code, out, err } = await accounts('keys', 'revoke', key, '--account', 'acct_demo');
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('key_…');
    expect(err).not.toContain(key);
  });
});
