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
  waitForDatabase,
} from '../support/accounts-cli.ts';
import { newCaller } from '../support/api.ts';
import { later } from '../support/sales.ts';

waitForDatabase();

describe('revoke', () => {
  it('ends a key within a minute, for good, and keeps its first date', async () => {
    const { id, key } = await newAccount('--label', 'shop');
    expect(await answerTo(key.secret)).toBe('200');
    expect(await ran('keys', 'revoke', key.id, '--account', id)).toBe(
      `${key.id} (shop) of ${id} is revoked. Running instances notice within 60 seconds.\n`,
    );
    expect(await later(minuteMs, () => answerTo(key.secret))).toBe('401 auth_api_key_not_found');
    const [{ revoked_at, state }] = await keysOf(id);
    expect(state).toBe('revoked');
    expect(await later(hourMs, () => ran('keys', 'revoke', key.id, '--account', id))).toBe(
      `${key.id} (shop) of ${id} was revoked already, at ${revoked_at}.\n`,
    );
    expect((await keysOf(id))[0].revoked_at).toBe(revoked_at);
  });

  it('takes a leaked key on standard input, of which nothing else is known', async () => {
    const { id, key } = await newAccount();
    const { code, out } = await accounts(['keys', 'revoke', '--leaked'], { input: `${key.secret}\n` });
    expect([code, out]).toEqual([0, `${key.id} of ${id} is revoked. Running instances notice within 60 seconds.\n`]);
    expect(await answerTo(key.secret)).toBe('401 auth_api_key_not_found');
    const unknown = await accounts(['keys', 'revoke', '--leaked'], { input: 'levy_nothing' });
    expect(unknown).toMatchObject({ code: 1, out: '' });
    expect(unknown.err).toBe(
      'No account has the key that came on standard input. Is this the right AWS account and region?\n',
    );
  });

  it.each([
    [true, [['Paste the key, press Enter, then Ctrl-D.\n']]],
    [undefined, []],
  ])('says what it waits for where somebody sits at a terminal (%s)', async (isTTY, said) => {
    const input = vi
      .spyOn(process, 'stdin', 'get')
      .mockReturnValue(Object.assign(Readable.from(['levy_nothing\n']), { isTTY }) as never);
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      await expect(ran('keys', 'revoke', '--leaked')).rejects.toThrow('No account has the key');
      expect(write.mock.calls).toEqual(said);
    } finally {
      input.mockRestore();
      write.mockRestore();
    }
  });

  it('ends only a key of the account that is named', async () => {
    const [one, other] = [await newAccount(), await newAccount()];
    await expect(ran('keys', 'revoke', other.key.id, '--account', one.id)).rejects.toThrow(
      `has no key ${other.key.id}`,
    );
    expect(await later(minuteMs, () => answerTo(other.key.secret))).toBe('200');
  });

  it.each([
    [['key_1']],
    [['--account', 'acct_1']],
    [['key_1', '--leaked']],
    [['--leaked', '--account', 'acct_1']],
    [[]],
  ])('wants either a name or a leaked key, not %o', async (args) => {
    await expect(ran('keys', 'revoke', ...args)).rejects.toMatchObject({ name: 'CommandError' });
  });

  it('does not repeat a key that was sent as an argument', async () => {
    const { key } = await newCaller();
    const error: Error = await ran('keys', 'revoke', key, '--account', 'acct_demo').catch((thrown) => thrown);
    expect(error.message).toContain('key_…');
    expect(error.message).not.toContain(key);
  });
});
