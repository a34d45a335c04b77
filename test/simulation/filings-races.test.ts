import { describe, expect, it, vi } from 'vitest';
import type { Account } from '../../shared/accounts/account.ts';
import { closePeriods } from '../../shared/filings/close-periods.ts';
import { ledger } from '../../shared/store/ledger/ledger-store.ts';
import {
  annotate,
  atEveryCall,
  cancelIt,
  close,
  codesOf,
  creditsEverywhere,
  fileIt,
  filingOf,
  inMemory,
  judge,
  levies,
  newFiler,
  type Posted,
  placesOf,
  portsFor,
  post,
  racing,
  read,
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
  one.id = filingOf(await close(one.account, october)).id;
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
  one.id = filingOf(await close(one.account, october)).id;
};
const statusOf = async (one: Filer) => (await read(one.account, one.id)).status;

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
        one.id = filingOf(await close(one.account, october)).id;
        await resume(one.account);
        one.posted.push(...(await creditsEverywhere(one.account, day)));
      },
      async (one) => {
        expect((await placesOf(one.account, state)).filings.map(({ id }) => id)).toEqual([one.id]);
        expect(await statusOf(one)).toBe('closed');
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
        expect(await statusOf(one)).toBe('filed');
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
        expect(await statusOf(one)).toBe('filed');
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
      if (!answered.ok) expect(codesOf(answered)).toEqual(['conflict_invalid_status_transition']);
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
  expect(filingOf(first as NonNullable<typeof first>).id).toBe(filingOf(second as NonNullable<typeof second>).id);
  one.id = filingOf(first as NonNullable<typeof first>).id;
  await watched({}, () => Promise.all([fileIt(one.account, one.id), fileIt(one.account, one.id), resume(one.account)]));
  await resume(one.account);
  await judge(one.account, state, one.posted);
  expect(await statusOf(one)).toBe('filed');
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
      expect((await placesOf(one.account, state)).filings).toHaveLength(1);
    }));
});
