import { describe, expect, it, vi } from 'vitest';
import type { Account } from '../../shared/accounts/account.ts';
import { closePeriods } from '../../shared/filings/close-periods.ts';
import { remind } from '../../shared/filings/reminders.ts';
import { ledger } from '../../shared/store/ledger/ledger-store.ts';
import {
  annotate,
  atEveryCall,
  cancelIt,
  close,
  crashing,
  creditsEverywhere,
  fileIt,
  inMemory,
  itemsIn,
  judge,
  levies,
  listCodes,
  lostReply,
  newFiler,
  type Posted,
  portsFor,
  post,
  racing,
  read,
  readPlaces,
  requireFiling,
  resume,
  retax,
  undo,
  watched,
} from '../support/filing-ledger.ts';

inMemory();
vi.setConfig({ testTimeout: 120_000 });

const state = 'US-MI';
const october = { period_end: '2026-10-31' };
const day = '2026-10-08';

type Filer = { readonly account: Account; posted: Posted[]; id: string };

/** An account with three sales in October. Races change the first one. */
const filer = async (): Promise<Filer> => {
  const account = newFiler();
  const posted = [];
  for (const cents of [1001, 333, 209]) posted.push(await post(account, { day, levies: levies('MI', cents) }));
  return { account, posted, id: '' };
};

const closedFiler = async (): Promise<Filer> => {
  const one = await filer();
  one.id = requireFiling(await close(one.account, october)).id;
  return one;
};

/** Runs `race` before each database call of `work` in turn, each time with a new account. */
const beforeEveryCall = async (
  make: () => Promise<Filer>,
  work: (filer: Filer) => Promise<unknown>,
  race: (filer: Filer) => Promise<unknown>,
  judged: (filer: Filer) => Promise<unknown> = async () => null,
): Promise<void> => {
  const calls = await atEveryCall(async (call) => {
    const one = await make();
    let isRaced = false;
    const run = await watched(
      racing(call, async () => {
        isRaced = true;
        await race(one);
      }),
      () => work(one),
    );
    if (!isRaced) return call - 1;
    await resume(one.account);
    await judge(one.account, state, one.posted);
    await judged(one);
    return run.calls;
  });
  expect(calls).toBeGreaterThan(15);
};

const closing = async (one: Filer) => {
  one.id = requireFiling(await close(one.account, october)).id;
};
const getStatus = async (one: Filer) => (await read(one.account, one.id)).status;

/** Changes the first sale, which succeeds only before its period is closed. */
const replaced = async (one: Filer, change: Promise<Posted | string>) => {
  const after = await change;
  if (typeof after === 'string') expect(after).toBe('period_closed');
  else one.posted[0] = after;
};

describe('before any database call of closing a period,', () => {
  it('either voids a sale in time or refuses it', () =>
    beforeEveryCall(filer, closing, (one) => replaced(one, undo(one.account, one.posted[0] as Posted))));

  it('either replaces a tax in time or refuses it', () =>
    beforeEveryCall(filer, closing, (one) =>
      replaced(one, retax(one.account, one.posted[0] as Posted, levies('MI', 4711))),
    ));

  it('counts a credit in this period or the next one', () =>
    beforeEveryCall(filer, closing, async (one) => {
      one.posted.push(await post(one.account, { day, levies: levies('MI', 99), type: 'credit' }));
    }));

  it('has no duplicate effect if another worker closes it, with late credits before and after', () =>
    beforeEveryCall(
      filer,
      closing,
      async (one) => {
        one.posted.push(...(await creditsEverywhere(one.account, day)));
        one.id = requireFiling(await close(one.account, october)).id;
        await resume(one.account);
        one.posted.push(...(await creditsEverywhere(one.account, day)));
      },
      async (one) => {
        expect((await readPlaces(one.account, state)).filings.map(({ id }) => id)).toEqual([one.id]);
        expect(await getStatus(one)).toBe('closed');
      },
    ));
});

describe('before any database call of marking a filing,', () => {
  const marking = (one: Filer) => fileIt(one.account, one.id);

  it('keeps a change of a transaction, and still files it', () =>
    beforeEveryCall(
      closedFiler,
      marking,
      (one) => annotate(one.account, one.posted[0] as Posted, { note: 'kept' }),
      async (one) => {
        const id = (one.posted[0] as Posted).stored.transaction.id;
        expect((await ledger.find(one.account.id, id))?.transaction).toMatchObject({
          metadata: { note: 'kept' },
          status: 'filed',
        });
        expect(await getStatus(one)).toBe('filed');
      },
    ));

  it('has no duplicate effect if another worker files it', () =>
    beforeEveryCall(
      closedFiler,
      marking,
      async (one) => {
        await fileIt(one.account, one.id);
        await resume(one.account);
      },
      async (one) => {
        expect(await getStatus(one)).toBe('filed');
        const found = await ledger.findSome(
          one.account.id,
          one.posted.map(({ stored }) => stored.transaction.id),
        );
        expect(found.map(({ transaction }) => transaction.version)).toEqual([2, 2, 2]);
      },
    ));

  it('either cancels it or refuses the cancellation', () =>
    beforeEveryCall(closedFiler, marking, async (one) => {
      const answered = await cancelIt(one.account, one.id);
      if (!answered.ok) expect(listCodes(answered)).toEqual(['conflict_invalid_status_transition']);
    }));
});

it('allows voiding a sale and a second cancellation while a filing is being canceled', async () => {
  const canceling = (one: Filer) => cancelIt(one.account, one.id);
  await beforeEveryCall(closedFiler, canceling, (one) => replaced(one, undo(one.account, one.posted[0] as Posted)));
  await beforeEveryCall(closedFiler, canceling, (one) => resume(one.account));
});

it('applies every change once with two workers whose calls interleave', async () => {
  const one = await filer();
  const both = () => Promise.all([close(one.account, october), close(one.account, october)]);
  const [first, second] = (await watched({}, both)).value ?? [];
  await resume(one.account);
  await judge(one.account, state, one.posted);
  expect(requireFiling(first as NonNullable<typeof first>).id).toBe(
    requireFiling(second as NonNullable<typeof second>).id,
  );
  one.id = requireFiling(first as NonNullable<typeof first>).id;
  await watched({}, () => Promise.all([fileIt(one.account, one.id), fileIt(one.account, one.id), resume(one.account)]));
  await resume(one.account);
  await judge(one.account, state, one.posted);
  expect(await getStatus(one)).toBe('filed');
});

describe('before any database call of the schedule that closes a period,', () => {
  const registrations = [{ state: 'MI', from: '2026-10-01', to: '2026-10-15', frequency: 'month' as const }];
  const registered = async (): Promise<Filer> => {
    const account = newFiler({ registrations });
    return { account, posted: [await post(account, { day, levies: levies('MI', 1001) })], id: '' };
  };
  const run = ({ account }: Filer) => closePeriods(portsFor(account));

  it('counts an added or removed entry in exactly one place', async () => {
    // Also adds to shards that were read as empty.
    await beforeEveryCall(registered, run, async (one) => {
      one.posted.push(...(await creditsEverywhere(one.account, day)));
    });
    await beforeEveryCall(registered, run, (one) => replaced(one, undo(one.account, one.posted[0] as Posted)));
  });

  it('closes every due period once if another run starts', () =>
    beforeEveryCall(registered, run, run, async (one) => {
      expect((await readPlaces(one.account, state)).filings).toHaveLength(1);
    }));
});

/**
 * An account on 5 December with October closed, which was due on 20 November, and November open, which is due on 21
 * December.
 */
const newAccount = async () => {
  const registrations = [{ state: 'MI', from: '2026-10-01', to: null, frequency: 'month' as const }];
  const account = newFiler({ registrations, filing_reminder_days: [30, 5] });
  for (const day of ['2026-10-08', '2026-11-08']) await post(account, { day, levies: levies('MI', 1000) });
  return { account, id: requireFiling(await close(account)).id };
};

const run = (account: Account) => remind(account, portsFor(account));

const stored = async ({ id }: Account) =>
  (await itemsIn(`P#${id}`)).map(({ sk, status, amounts_due }) => ({ sk, status, amounts_due }));

const octoberReminder = {
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
      expect(await stored(account)).toEqual([octoberReminder, november]);
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
  /** `judge` receives the result of the race, unless the run had ended before. */
  const raced = async <Result>(
    race: (of: Raced) => Promise<Result>,
    judge: (of: Raced, result: Result | undefined) => Promise<unknown>,
  ) => {
    const calls = await atEveryCall(async (call) => {
      const of = await newAccount();
      let result: Result | undefined;
      const watch = racing(call, async () => {
        result = await race(of);
      });
      const finished = await watched(watch, () => run(of.account));
      await judge(of, result);
      return finished.calls;
    });
    expect(calls).toBeGreaterThan(4);
  };

  it('stores each reminder once, if another run does the same', () =>
    raced(
      async ({ account }) => {
        await run(account);
        return itemsIn(`P#${account.id}`);
      },
      async ({ account }, before) => {
        expect(await stored(account)).toEqual([octoberReminder, november]);
        if (before) expect(await itemsIn(`P#${account.id}`)).toEqual(before);
      },
    ));

  it('stores no reminder after the return was filed', () => {
    const ofOctober = async (account: Account) => (await stored(account)).filter(({ sk }) => sk === octoberReminder.sk);
    return raced(
      async ({ account, id }) => {
        await fileIt(account, id);
        return ofOctober(account);
      },
      async ({ account }, before = [octoberReminder]) => {
        expect(await ofOctober(account)).toEqual(before);
        expect((await stored(account)).filter(({ sk }) => sk === november.sk)).toEqual([november]);
      },
    );
  });

  it('has the amount of a period that was closed before, and none of a period that was opened before', () =>
    raced(
      async ({ account, id }) => {
        const before = await stored(account);
        await cancelIt(account, id);
        await close(account);
        await close(account, { period_end: '2026-11-30' });
        return before;
      },
      async ({ account }, before = [november]) => {
        const closed = { ...november, status: 'closed', amounts_due: octoberReminder.amounts_due };
        const isOpen = before.some(({ sk }) => sk === november.sk);
        expect(await stored(account)).toEqual([octoberReminder, isOpen ? november : closed]);
      },
    ));
});
