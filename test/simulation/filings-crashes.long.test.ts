import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { closePeriods } from '../../shared/filings/close-periods.ts';
import {
  atEveryCall,
  cancelIt,
  close,
  crashing,
  fileIt,
  inMemory,
  judge,
  levies,
  lostReply,
  newFiler,
  portsFor,
  post,
  read,
  readPlaces,
  requireFiling,
  resume,
  type Watch,
  watched,
} from '../support/filing-ledger.ts';

inMemory();
vi.setConfig({ testTimeout: 120_000 });

const state = 'US-MI';

const september = { period_end: '2026-09-30' };

/**
 * An account with two sales and a credit in September, one of them also taxed by a second state, and a sale in October.
 */
const filer = async () => {
  const account = newFiler();
  const posted = [
    await post(account, { day: '2026-09-08', levies: levies('MI', 1001) }),
    await post(account, { day: '2026-09-30', levies: [...levies('MI', 333), ...levies('OH', 777)] }),
    await post(account, { day: '2026-09-30', levies: levies('MI', 101), type: 'credit' }),
    await post(account, { day: '2026-10-31', levies: levies('MI', 209) }),
  ];
  return { account, posted };
};

type Filer = Awaited<ReturnType<typeof filer>>;

/** The same account with September closed. */
const closedFiler = async () => {
  const one = await filer();
  return { ...one, id: requireFiling(await close(one.account, september)).id };
};

const interruptions = { crash: crashing, 'lost reply': lostReply } as const;

const end = async ({ account, posted }: Pick<Filer, 'account' | 'posted'>) => {
  expect(await resume(account)).toMatchObject({ complete: true, failed: 0 });
  await judge(account, state, posted);
};

describe.each(['crash', 'lost reply'] as const)('interrupted at any database call by a %s', (kind) => {
  /** Interrupts `work` at each database call in turn, finishes it, and then runs `again`. */
  const interrupted = async <One extends Filer>(
    make: () => Promise<One>,
    work: (one: One) => Promise<unknown>,
    again: (one: One) => Promise<unknown>,
  ) => {
    const calls = await atEveryCall(async (call) => {
      const one = await make();
      const run = await watched(interruptions[kind](call), () => work(one));
      await end(one);
      await again(one);
      return run.calls;
    });
    expect(calls).toBeGreaterThan(20);
  };

  it('finishes an interrupted closing in the next run, and counts every entry once', () =>
    interrupted(
      filer,
      ({ account }) => close(account, september),
      async (one) => {
        // Whether or not it had started, a repeated request results in one filing with the open entries.
        const { id } = requireFiling(await close(one.account, september));
        await end(one);
        expect(await read(one.account, id)).toMatchObject({ status: 'closed', progress: { entries_moved: 3 } });
        expect((await readPlaces(one.account, state)).filings).toHaveLength(1);
      },
    ));

  it('finishes an interrupted filing in the next run, and marks every transaction once', () =>
    interrupted(
      closedFiler,
      ({ account, id }) => fileIt(account, id),
      async (one) => {
        await fileIt(one.account, one.id);
        await end(one);
        expect(await read(one.account, one.id)).toMatchObject({ status: 'filed', progress: { entries_marked: 3 } });
      },
    ));

  it('finishes an interrupted cancellation in the next run, after which the period can be closed again', () => {
    const withLateSale = async () => {
      const one = await closedFiler();
      one.posted.push(await post(one.account, { day: '2026-09-05', levies: levies('MI', 55) }));
      return one;
    };
    return interrupted(
      withLateSale,
      ({ account, id }) => cancelIt(account, id),
      async (one) => {
        await cancelIt(one.account, one.id);
        await end(one);
        const canceled = { status: 'canceled', progress: { entries_reopened: 3 } };
        expect(await read(one.account, one.id)).toMatchObject(canceled);
        const { id } = requireFiling(await close(one.account, september));
        expect(id).not.toBe(one.id);
        await end(one);
        expect(await read(one.account, id)).toMatchObject({ status: 'closed', progress: { entries_moved: 4 } });
      },
    );
  });
});

it('closes the due periods of a crashed run in the next run of the schedule', async () => {
  const registrations = [{ state: 'MI', from: '2026-10-01', to: '2026-11-15', frequency: 'month' as const }];
  const calls = await atEveryCall(async (call) => {
    const account = newFiler({ registrations });
    const posted = [await post(account, { day: '2026-10-08', levies: levies('MI', 1001) })];
    const run = await watched(crashing(call), () => closePeriods(portsFor(account)));
    expect(await closePeriods(portsFor(account))).toMatchObject({ complete: true, failed: 0 });
    await judge(account, state, posted);
    const { filings } = await readPlaces(account, state);
    expect(filings.map(({ head, members }) => `${head['period_end']} ${members.length}`)).toEqual([
      '2026-10-31 1',
      '2026-11-30 0',
    ]);
    return run.calls;
  });
  expect(calls).toBeGreaterThan(40);
});

const conflict = (code: string) =>
  new TransactionCanceledException({
    message: 'Transaction cancelled.',
    $metadata: {},
    CancellationReasons: [{ Code: 'None' }, { Code: code }],
  });

it.each(['TransactionConflict', 'ThrottlingError'])(
  'a shard with permanent contention (%s) does not stop the others, and the next schedule finishes it',
  async (code) => {
    const one = await closedFiler();
    const errors: unknown[] = [];
    const contended: Watch = {
      before: (_, input) => {
        if (input.TransactItems?.some(({ Put }) => Put?.Item?.sk === 'H')) throw conflict(code);
      },
    };
    requireFiling(await fileIt(one.account, one.id, portsFor(one.account, { remainingMs: () => 2500 })));
    const { value } = await watched(contended, () =>
      // Leaves too little time for long pauses.
      resume(one.account, { remainingMs: () => 2050, stepMsMax: 0, onFailure: (error) => void errors.push(error) }),
    );
    expect(value).toMatchObject({ finished: 0, complete: false, failed: errors.length });
    expect(new Set(errors.map((error) => (error as Error).name))).toEqual(new Set(['ThrottlingException']));
    expect(await read(one.account, one.id)).toMatchObject({ status: 'marking', progress: { entries_marked: 0 } });
    await end(one);
    expect((await read(one.account, one.id)).status).toBe('filed');
  },
);
