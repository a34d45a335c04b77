import { describe, expect, it, vi } from 'vitest';
import type { Account } from '../../shared/accounts/account.ts';
import { remind } from '../../shared/filings/reminders.ts';
import {
  atEveryCall,
  cancelIt,
  close,
  crashing,
  fileIt,
  filingOf,
  inMemory,
  itemsIn,
  levies,
  lostReply,
  newFiler,
  portsFor,
  post,
  racing,
  watched,
} from '../support/filing-ledger.ts';

inMemory();
vi.setConfig({ testTimeout: 120_000 });

/**
 * An account on 5 December with October closed, which was due on 20 November, and November open, which is due on 21
 * December.
 */
const newAccount = async () => {
  const registrations = [{ state: 'MI', from: '2026-10-01', to: null, frequency: 'month' as const }];
  const account = newFiler({ registrations, filing_reminder_days: [30, 5] });
  for (const day of ['2026-10-08', '2026-11-08']) await post(account, { day, levies: levies('MI', 1000) });
  return { account, id: filingOf(await close(account)).id };
};

const run = (account: Account) => remind(account, portsFor(account));

const stored = async ({ id }: Account) =>
  (await itemsIn(`P#${id}`)).map(({ sk, status, amounts_due }) => ({ sk, status, amounts_due }));

const october = {
  sk: 'REMINDER#US-MI#2026-10-31#overdue',
  status: 'closed',
  // 6 % and 1.25 % of 10.00, each rounded to the cent.
  amounts_due: [{ currency: 'USD', amount: '0.73' }],
};
const november = { sk: 'REMINDER#US-MI#2026-11-30#30', status: 'open', amounts_due: null };

describe.each([
  ['crash', crashing],
  ['lost reply', lostReply],
])('after a %s at any database call', (_kind, interrupting) => {
  it('stores each reminder once, and never changes it', async () => {
    const calls = await atEveryCall(async (call) => {
      const { account } = await newAccount();
      const interrupted = await watched(interrupting(call), () => run(account));
      const before = await itemsIn(`P#${account.id}`);
      await run(account);
      await run(account);
      expect(await stored(account)).toEqual([october, november]);
      expect((await itemsIn(`P#${account.id}`)).filter(({ sk }) => before.some((of) => of['sk'] === sk))).toEqual(
        before,
      );
      return interrupted.calls;
    });
    expect(calls).toBeGreaterThan(4);
  });
});

describe('with a race before any database call', () => {
  type Raced = { readonly account: Account; readonly id: string };
  const raced = async (race: (of: Raced) => Promise<unknown>, judge: (of: Raced) => Promise<unknown>) => {
    const calls = await atEveryCall(async (call) => {
      const of = await newAccount();
      const finished = await watched(
        racing(call, () => race(of)),
        () => run(of.account),
      );
      await judge(of);
      return finished.calls;
    });
    expect(calls).toBeGreaterThan(4);
  };

  it('stores each reminder once, if another run does the same', () => {
    const before = new Map<string, readonly unknown[]>();
    return raced(
      async ({ account }) => {
        await run(account);
        before.set(account.id, await itemsIn(`P#${account.id}`));
      },
      async ({ account }) => {
        expect(await stored(account)).toEqual([october, november]);
        const items = await itemsIn(`P#${account.id}`);
        expect(items).toEqual(before.get(account.id) ?? items);
      },
    );
  });

  it('stores no reminder after the return was filed', () => {
    const before = new Map<string, unknown>();
    const ofOctober = async (account: Account) => (await stored(account)).filter(({ sk }) => sk === october.sk);
    return raced(
      async ({ account, id }) => {
        await fileIt(account, id);
        before.set(account.id, await ofOctober(account));
      },
      async ({ account }) => {
        expect(await ofOctober(account)).toEqual(before.get(account.id) ?? [october]);
        expect((await stored(account)).filter(({ sk }) => sk === november.sk)).toEqual([november]);
      },
    );
  });

  it('has the amount of a period that was closed before, and none of a period that was opened before', () => {
    const before = new Map<string, readonly unknown[]>();
    return raced(
      async ({ account, id }) => {
        before.set(
          account.id,
          (await stored(account)).map(({ sk }) => sk),
        );
        await cancelIt(account, id);
        await close(account);
        await close(account, { period_end: '2026-11-30' });
      },
      async ({ account }) => {
        const closed = { ...november, status: 'closed', amounts_due: october.amounts_due };
        const isOpen = before.get(account.id)?.includes(november.sk) ?? true;
        expect(await stored(account)).toEqual([october, isOpen ? november : closed]);
      },
    );
  });
});
