import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { answerTo, hourMs, keysOf, minuteMs, newAccount, ran, waitForDatabase } from '../support/accounts-cli.ts';
import { newCaller } from '../support/api.ts';
import { runCommand } from '../support/run-command.ts';
import { later } from '../support/sales.ts';

waitForDatabase();

const leaked = (input: string) => runCommand(['shared/cli/accounts.ts', 'keys', 'revoke', '--leaked'], { input });

describe('revoke', () => {
  it('revokes a key within a minute, and keeps the first date', async () => {
    const { id, key } = await newAccount('--label', 'shop');
    expect(await answerTo(key.secret)).toBe('200');
    expect(await ran('keys', 'revoke', key.id, '--account', id)).toBe(
      `${key.id} (shop) of ${id} is revoked. Running instances notice within 60 seconds.\n`,
    );
    expect(await later(minuteMs, () => answerTo(key.secret))).toBe('401 auth_api_key_not_found');
    const [{ revoked_at, state } = {}] = await keysOf(id);
    expect(state).toBe('revoked');
    expect(await later(hourMs, () => ran('keys', 'revoke', key.id, '--account', id))).toBe(
      `${key.id} (shop) of ${id} was already revoked at ${revoked_at}.\n`,
    );
    expect((await keysOf(id))[0]?.revoked_at).toBe(revoked_at);
  });

  it('takes a leaked key on standard input, without its id and account', async () => {
    const { id, key } = await newAccount();
    const { code, out } = await leaked(`${key.secret}\n`);
    expect([code, out]).toEqual([0, `${key.id} of ${id} is revoked. Running instances notice within 60 seconds.\n`]);
    expect(await answerTo(key.secret)).toBe('401 auth_api_key_not_found');
    const unknown = await leaked('levy_nothing');
    expect(unknown).toMatchObject({ code: 1, out: '', err: expect.stringContaining('No account has the key') });
  });

  it.each([
    [true, [['Paste the key, press Enter, then Ctrl-D.\n']]],
    [undefined, []],
  ])('prints a prompt on a terminal (isTTY: %s)', async (isTTY, said) => {
    const input = vi
      .spyOn(process, 'stdin', 'get')
      .mockReturnValue(Object.assign(Readable.from(['levy_nothing\n']), { isTTY }) as unknown as typeof process.stdin);
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      await expect(ran('keys', 'revoke', '--leaked')).rejects.toThrow('No account has the key');
      expect(write.mock.calls).toEqual(said);
    } finally {
      input.mockRestore();
      write.mockRestore();
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
      await expect(ran('keys', 'revoke', ...args)).rejects.toMatchObject({ name: 'CommandError' });
    },
  );

  it('does not repeat a key that was sent as an argument', async () => {
    const { key } = await newCaller();
    const error: Error = await ran('keys', 'revoke', key, '--account', 'acct_demo').catch((thrown) => thrown);
    expect(error.message).toContain('key_…');
    expect(error.message).not.toContain(key);
  });
});
