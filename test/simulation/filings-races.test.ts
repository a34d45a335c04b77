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

/** A filer with three sales in October. Races change the first one. */
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

/** Run `race` before each database call of `work` in turn, each time with a new filer. */
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

/** A change of the first sale, which succeeds only before its period is closed. */
const replaced = async (one: Filer, change: Promise<Posted | string>) => {
  const after = await change;
  if (typeof after === 'string') expect(after).toBe('period_closed');
  else one.posted[0] = after;
};

describe('while a period is being closed, before any of its database calls,', () => {
  it('a sale is voided in time or not at all', () =>
    beforeEveryCall(filer, closing, (one) => replaced(one, undo(one.account, one.posted[0] as Posted))));

  it('a tax is replaced in time or not at all', () =>
    beforeEveryCall(filer, closing, (one) =>
      replaced(one, retax(one.account, one.posted[0] as Posted, levies('MI', 4711))),
    ));

  it('a credit is in time or belongs to the next period', () =>
    beforeEveryCall(filer, closing, async (one) => {
      one.posted.push(await post(one.account, { day, levies: levies('MI', 99), type: 'credit' }));
    }));

  it('another worker closes it, with late credits before and after, and nothing happens twice', () =>
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

describe('while a filing is being marked, before any of its database calls,', () => {
  const marking = (one: Filer) => fileIt(one.account, one.id);

  it('a change of a transaction is not lost, and the transaction is still filed', () =>
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

  it('another worker files it, and nothing happens twice', () =>
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

  it('it is canceled, or the cancellation is refused', () =>
    beforeEveryCall(closedFiler, marking, async (one) => {
      const answered = await cancelIt(one.account, one.id);
      if (!answered.ok) expect(codesOf(answered)).toEqual(['conflict_invalid_status_transition']);
    }));
});

it('while a filing is being canceled, a sale is voided or not, and another worker can cancel it', async () => {
  const canceling = (one: Filer) => cancelIt(one.account, one.id);
  await beforeEveryCall(closedFiler, canceling, (one) => replaced(one, undo(one.account, one.posted[0] as Posted)));
  await beforeEveryCall(closedFiler, canceling, (one) => resume(one.account));
});

it('two workers with interleaved calls do everything once', async () => {
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

describe('while the schedule closes a period, before any of its database calls,', () => {
  const registrations = [{ state: 'MI', from: '2026-10-01', to: '2026-10-15', frequency: 'month' as const }];
  const registered = async (): Promise<Filer> => {
    const account = newFiler({ registrations });
    return { account, posted: [await post(account, { day, levies: levies('MI', 1001) })], id: '' };
  };
  const run = ({ account }: Filer) => closePeriods(portsFor(account));

  it('an entry that comes or goes is in one place', async () => {
    // Even into shards that were read as empty.
    await beforeEveryCall(registered, run, async (one) => {
      one.posted.push(...(await creditsEverywhere(one.account, day)));
    });
    await beforeEveryCall(registered, run, (one) => replaced(one, undo(one.account, one.posted[0] as Posted)));
  });

  it('another run starts, and every due period is closed once', () =>
    beforeEveryCall(registered, run, run, async (one) => {
      expect((await placesOf(one.account, state)).filings).toHaveLength(1);
    }));
});
