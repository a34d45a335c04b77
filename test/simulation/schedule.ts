import type { Account } from '../../shared/accounts/account.ts';
import { startOfLocalDay } from '../support/local-days.ts';
import { type MemoryDatabase, responseFrom } from '../support/memory-database.ts';
import { collectViolations } from './checks/violations.ts';
import { Client, nothingObserved, type Observed, type Run } from './client.ts';
import { History, Invocation } from './history.ts';
import { filingsEvery, redactionsEvery, variedFirst } from './pool.ts';
import { firstFiling, firstSale } from './requests.ts';
import { accountsOfRedactions, close, plainAccounts, storeAccounts, sweep, variedAccounts } from './service.ts';
import { Transport } from './transport.ts';
import { beginWorld, below, between, chance, pickOne, Scheduler, weighted, world } from './world.ts';

/** The result of one schedule. */
export type Ran = {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly trace: readonly string[];
  readonly calls: number;
  readonly requests: number;
  readonly faults: ReadonlyMap<string, number>;
};

const dayMs = 24 * 3_600_000;

const listClients = (phase: string, run: Run) =>
  Array.from({ length: clientsIn() }, (_, at) => {
    // Most clients share one account.
    const account = chance(0.65) ? 'acct_one' : 'acct_two';
    return new Client(`${phase}${at}`, account, run);
  });

// A few clients detect nearly every bug, and allow twice as many schedules per minute.
const clientsIn = (): number =>
  weighted([
    [6, 2],
    [3, 3],
    [1, 4],
  ]);

const listRequests = (): number =>
  weighted([
    [5, 1],
    [4, 2],
    [1, 4],
  ]);

// A check that fails on an unreadable item is also a violation.
const checked = (check: () => string[]): string[] => {
  try {
    return check();
  } catch (error) {
    return [`The check failed: ${error instanceof Error ? error.stack : error}`];
  }
};

type Kind = Pick<Run, 'accounts' | 'isVaried' | 'isOfFilings' | 'isOfRedactions'>;

/** Runs clients on an empty database in the world of a seed, and checks everything that they wrote and received. */
export const inWorld = async (
  seed: number,
  memory: MemoryDatabase,
  getKind: () => Kind,
  work: (run: Run, transport: Transport) => Promise<void>,
): Promise<Ran> => {
  memory.clear();
  beginWorld(seed);
  const scheduler = new Scheduler();
  const history = new History(memory, scheduler);
  const transport = new Transport(scheduler, memory, history);
  const observed = nothingObserved();
  const { trace } = transport;
  const run = { scheduler, history, observed, trace, ...getKind() };
  const stop = responseFrom(transport.send);
  const failures: string[] = [];
  try {
    await work(run, transport);
  } catch (error) {
    failures.push(`The schedule failed: ${error instanceof Error ? error.stack : error}`);
  } finally {
    stop();
  }
  const violations = [...failures, ...checked(() => collectViolations(history, observed, seed % 8 === 0))];
  const { calls, faults } = transport;
  return { seed, violations, trace, calls, requests: observed.sent.length, faults };
};

/** Runs the schedule of a seed. All events and their order depend only on the seed. */
export const runSchedule = (seed: number, memory: MemoryDatabase): Promise<Ran> => {
  const isVaried = seed % filingsEvery === variedFirst;
  const isOfRedactions = seed % redactionsEvery === 0;
  const getKind = () => {
    const accounts = isVaried ? variedAccounts() : isOfRedactions ? accountsOfRedactions : plainAccounts;
    if (isVaried) world.nowMs = aroundMonthEnd(accounts);
    return { accounts, isVaried, isOfFilings: isVaried || seed % filingsEvery === 0, isOfRedactions };
  };
  return inWorld(seed, memory, getKind, async (run, transport) => {
    const { scheduler, observed } = run;
    const { faultShare } = transport;
    transport.faultShare = 0;
    await scheduler.run([() => begin(run)]);
    // A filing makes dozens of calls, so with the usual share of faults hardly any filing would finish.
    transport.faultShare = run.isOfFilings ? faultShare / 3 : faultShare;
    for (const phase of chance(run.isOfFilings ? 0.3 : 0.15) ? ['a', 'b'] : ['a']) {
      if (phase === 'b') world.nowMs += dayMs + between(0, dayMs / 2);
      // A further period is due.
      if (phase === 'b' && run.isOfFilings) world.nowMs += pickOne([0, 15, 20]) * dayMs;
      const clients = listClients(phase, run);
      await scheduler.run(
        clients.map((client) => () => client.work(listRequests() + (run.isOfRedactions ? below(4) : 0))),
      );
      transport.forgetSlow();
    }
    if (chance(run.isOfFilings ? 0.5 : 0.03)) {
      transport.faultShare = 0;
      await scheduler.run([() => finish(observed)]);
    }
  });
};

/** Some seconds before or after the second account's midnight between two months. */
const aroundMonthEnd = (accounts: readonly Account[]): number =>
  startOfLocalDay(pickOne(['2026-11-01', '2026-12-01']), accounts[1]?.settings.time_zone ?? 'UTC') +
  between(-20_000, 5_000);

/** Without faults, the service's schedules finish all remaining work. */
export const finish = async (observed: Observed): Promise<void> => {
  const failures: unknown[] = [];
  world.nowMs += dayMs;
  const atMs = world.nowMs;
  await sweep(new Invocation('last.sweep', 'all'), (error) => failures.push(error));
  // The second run finishes the work of the first one.
  for (const name of ['last.close1', 'last.close2'])
    await close(new Invocation(name, 'all'), (error) => failures.push(error));
  observed.finished = { atMs, failures };
};

const begin = async (run: Run): Promise<void> => {
  if (run.isOfFilings) await storeAccounts(run.accounts, new Invocation('accounts', 'all'));
  for (const account of run.isOfFilings ? ['acct_one', 'acct_two'] : ['acct_one']) {
    const first = new Client(`first ${account}`, account, run);
    const finalized = run.isOfFilings ? 2 : Number(chance(0.7));
    for (let at = 1; at <= finalized; at++)
      await first.send(firstSale('finalized', `${account}.${at}`, run.isVaried), `${account}.${at}`);
    if (chance(0.4)) await first.send(firstSale('draft', `${account}.draft`, run.isVaried), `${account}.draft`);
    if (run.isOfFilings && account === 'acct_one' && chance(0.4)) await first.send(firstFiling(), `${account}.filing`);
  }
};
