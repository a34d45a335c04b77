import { expect, it } from 'vitest';
import type { Account } from '../../shared/accounts/account.ts';
import type { FilingLedger } from '../../shared/filings/ledger.ts';
import type { ClosePorts } from '../../shared/filings/ports.ts';
import { ledger } from '../../shared/store/ledger/ledger-store.ts';
import {
  annotate,
  Crash,
  close,
  creditsEverywhere,
  fileIt,
  filingOf,
  inMemory,
  judge,
  levies,
  newFiler,
  type Posted,
  portsFor,
  post,
  resume,
  retax,
  undo,
  type Watch,
  watched,
} from '../support/filing-ledger.ts';

inMemory();

// Bugs that could be made in the filings, each switched on in one worker, and each caught by the judge of the other tests.

type Filer = { readonly account: Account; posted: Posted[] };
type Write = { Put?: any; Delete?: any };
type Bug = {
  /** What the worker does wrong in the writes that it sends. */
  readonly sends?: (write: Write) => void;
  /** What it does wrong in how it uses the store. */
  readonly uses?: (filings: FilingLedger) => Partial<FilingLedger>;
};

const october = { period_end: '2026-10-31' };
const day = '2026-10-08';

const filer = async (): Promise<Filer> => {
  const account = newFiler();
  const posted = [];
  for (const cents of [1001, 333, 209]) posted.push(await post(account, { day, levies: levies('MI', cents) }));
  return { account, posted };
};

const portsWith = ({ uses = () => ({}) }: Bug, account: Account): ClosePorts => {
  const { filings } = portsFor(account);
  return portsFor(account, { filings: { ...filings, ...uses(filings) } });
};

const watchWith = ({ sends = () => undefined }: Bug, before: (call: number) => Promise<void> | void): Watch => ({
  before: async (call, input) => {
    for (const write of input.TransactItems ?? []) sends(write);
    await before(call);
  },
});

const first = ({ posted }: Filer) => posted[0] as Posted;

/** A scenario, interrupted or raced before its database call of this number; answers how many calls there were. */
type Scenario = (bug: Bug, call: number) => Promise<number>;

const raced =
  (race: (one: Filer) => Promise<unknown>): Scenario =>
  async (bug, at) => {
    const one = await filer();
    const watch = watchWith(bug, async (call) => void (call === at && (await race(one))));
    const { calls } = await watched(watch, () => close(one.account, october, portsWith(bug, one.account)));
    await resume(one.account);
    await judge(one.account, 'US-MI', one.posted);
    return calls;
  };

const crashed: Scenario = async (bug, at) => {
  const one = await filer();
  const watch = watchWith(bug, (call) => {
    if (call >= at) throw new Crash('crash');
  });
  const { calls } = await watched(watch, () => close(one.account, october, portsWith(bug, one.account)));
  await resume(one.account);
  await judge(one.account, 'US-MI', one.posted);
  return calls;
};

const marked: Scenario = async (bug, at) => {
  const one = await filer();
  const { id } = filingOf(await close(one.account, october));
  let isAnnotated = false;
  const watch = watchWith(bug, async (call) => {
    if (call !== at) return;
    isAnnotated = true;
    await annotate(one.account, first(one), { note: 'kept' });
  });
  const { calls } = await watched(watch, () => fileIt(one.account, id, portsWith(bug, one.account)));
  await resume(one.account);
  await judge(one.account, 'US-MI', one.posted);
  const found = await ledger.find(one.account.id, first(one).stored.transaction.id);
  if (isAnnotated) expect(found?.transaction.metadata).toEqual({ note: 'kept' });
  return calls;
};

const replaced = async (one: Filer, change: Promise<Posted | string>) => {
  const after = await change;
  if (typeof after !== 'string') one.posted[0] = after;
};

const scenarios = {
  voided: raced((one) => replaced(one, undo(one.account, first(one)))),
  retaxed: raced((one) => replaced(one, retax(one.account, first(one), levies('MI', 4711)))),
  'worked on by another, with late credits before and after': raced(async (one) => {
    one.posted.push(...(await creditsEverywhere(one.account, day)));
    await close(one.account, october);
    await resume(one.account);
    one.posted.push(...(await creditsEverywhere(one.account, day)));
  }),
  crashed,
  marked,
} as const satisfies Record<string, Scenario>;
type ScenarioName = keyof typeof scenarios;

const unconditional = (part: any) => {
  delete part.ConditionExpression;
  delete part.ExpressionAttributeValues;
};

/** A step in two writes: what comes first, and then the rest of the progress. */
const inTwoWrites =
  (kept: 'totals' | 'progress'): NonNullable<Bug['uses']> =>
  (filings) => ({
    commit: async (commit) => {
      const [progress] = commit.progress;
      if (commit.take.length === 0 || !progress?.before) return filings.commit(commit);
      const { before, after } = progress;
      const between = { ...after, totals: before.totals };
      const moved = { ...commit, progress: kept === 'totals' ? [{ before, after: between }] : [] };
      const done = await filings.commit(moved);
      if (done.kind !== 'committed') return done;
      const then = kept === 'totals' ? { before: between, after: { ...after, version: after.version + 1 } } : progress;
      await filings.commit({ ...commit, take: [], progress: [then] });
      return { kind: 'stale' };
    },
  });

const bugs: Record<string, { readonly bug: Bug; readonly by: readonly ScenarioName[] }> = {
  'a move takes an entry whatever its version': {
    bug: { sends: ({ Delete }) => Delete?.Key.pk.startsWith('O#') && unconditional(Delete) },
    by: ['voided', 'retaxed'],
  },
  'a shard that is done is worked on all the same': {
    bug: {
      uses: (filings) => ({
        progress: async (...of) => (await filings.progress(...of)).map((progress) => ({ ...progress, isDone: false })),
      }),
    },
    by: ['worked on by another, with late credits before and after'],
  },
  'progress is written whatever its version': {
    bug: { sends: ({ Put }) => Put?.Item.sk === '!' && unconditional(Put) },
    by: ['worked on by another, with late credits before and after'],
  },
  'totals come in a second write': { bug: { uses: inTwoWrites('totals') }, by: ['crashed'] },
  'progress comes in a second write': { bug: { uses: inTwoWrites('progress') }, by: ['crashed'] },
  'the work item is forgotten': {
    bug: { uses: (filings) => ({ commit: (commit) => filings.commit({ ...commit, work: null }) }) },
    by: ['crashed'],
  },
  'a filing begins whatever the chain says': {
    bug: { sends: ({ Put }) => Put?.Item.pk.startsWith('P#') && unconditional(Put) },
    by: ['worked on by another, with late credits before and after'],
  },
  'a transaction is marked whatever its version': {
    bug: { sends: ({ Put }) => Put?.Item.pk.startsWith('T#') && unconditional(Put) },
    by: ['marked'],
  },
};

const callsMax = 60;

/** The first call at which the scenario brings the bug to light; `null` if none does. */
const caughtAt = async (bug: Bug, scenario: Scenario): Promise<number | null> => {
  for (let call = 1; call <= callsMax; call++) {
    try {
      if ((await scenario(bug, call)) < call) return null;
    } catch (error) {
      if ((error as Error).name !== 'AssertionError') throw error;
      return call;
    }
  }
  throw new Error('The scenario does not end.');
};

const every = Object.entries(bugs).flatMap(([name, { bug, by }]) => by.map((scenario) => ({ name, bug, scenario })));

it.each(every)('catches that $name: $scenario', { timeout: 120_000 }, async ({ bug, scenario }) => {
  const call = await caughtAt(bug, scenarios[scenario]);
  expect(call).not.toBeNull();
  // Without the bug, the very same course is right.
  await scenarios[scenario]({}, call ?? 0);
});
