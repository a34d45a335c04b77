import { answerFrom } from '../support/memory-database.ts';
import type { Backend } from './backend.ts';
import { violationsOf } from './checks/violations.ts';
import { Client, type Run } from './client.ts';
import { firstFiling } from './filing-requests.ts';
import { History } from './history.ts';
import { Invocation } from './invocation.ts';
import { nothingObserved, type Observed } from './observed.ts';
import { firstSale } from './requests.ts';
import { filingsEvery } from './schedule-kinds.ts';
import { Scheduler } from './scheduler.ts';
import { close, sweep } from './service.ts';
import { Transport } from './transport.ts';
import { beginWorld, between, chance, weighted, world } from './world.ts';

/** What came of one schedule. */
export type Ran = {
  readonly seed: number;
  /** What must never be, in words; empty where all is well. */
  readonly violations: readonly string[];
  readonly trace: readonly string[];
  readonly calls: number;
  readonly requests: number;
  readonly faults: ReadonlyMap<string, number>;
};

const dayMs = 24 * 3_600_000;

const clientsOf = (phase: string, run: Run) =>
  Array.from({ length: clientsIn() }, (_, at) => {
    // Most of them crowd into one account.
    const account = chance(0.65) ? 'acct_one' : 'acct_two';
    return new Client(`${phase}${at}`, account, run);
  });

// Small ones: what two or three do at the same time shows nearly every fault, and twice as many schedules fit a minute.
const clientsIn = (): number =>
  weighted([
    [6, 2],
    [3, 3],
    [1, 4],
  ]);

const requestsOf = (): number =>
  weighted([
    [5, 1],
    [4, 2],
    [1, 4],
  ]);

// What cannot even be read is a violation too.
const checked = (check: () => string[]): string[] => {
  try {
    return check();
  } catch (error) {
    return [`The check failed: ${error instanceof Error ? error.stack : error}`];
  }
};

/** Run the schedule of a seed: what happens, and in which order, follows from nothing else. */
export const runSchedule = async (seed: number, backend: Backend): Promise<Ran> => {
  await backend.clear();
  beginWorld(seed);
  const scheduler = new Scheduler();
  const history = new History(backend.memory, scheduler);
  const transport = new Transport(scheduler, backend, history);
  const observed = nothingObserved();
  const run = { scheduler, history, observed, isOfFilings: seed % filingsEvery === 0, trace: transport.trace };
  const stop = answerFrom(transport.send);
  const { faultShare } = transport;
  const failures: string[] = [];
  try {
    transport.faultShare = 0;
    await scheduler.run([() => begin(run)]);
    // A filing is dozens of calls: with the usual share hardly any would come to its end.
    transport.faultShare = run.isOfFilings ? faultShare / 3 : faultShare;
    for (const phase of chance(0.15) ? ['a', 'b'] : ['a']) {
      if (phase === 'b') world.nowMs += dayMs + between(0, dayMs / 2);
      const clients = clientsOf(phase, run);
      await scheduler.run(clients.map((client) => () => client.work(requestsOf())));
      transport.forgetSlow();
    }
    if (chance(run.isOfFilings ? 0.5 : 0.03)) {
      transport.faultShare = 0;
      await scheduler.run([() => finish(observed)]);
    }
  } catch (error) {
    failures.push(`The schedule failed: ${error instanceof Error ? error.stack : error}`);
  } finally {
    stop();
  }
  const violations = [
    ...failures,
    ...backend.differences,
    ...checked(() => violationsOf(history, observed, seed % 8 === 0)),
  ];
  return {
    seed,
    violations,
    trace: transport.trace,
    calls: transport.calls,
    requests: observed.sent.length,
    faults: transport.faults,
  };
};

/** What the schedules do when nothing goes wrong any more: everything that was left over. */
const finish = async (observed: Observed): Promise<void> => {
  const failures: unknown[] = [];
  world.nowMs += dayMs;
  const atMs = world.nowMs;
  await sweep(new Invocation('last.sweep', 'all'), (error) => failures.push(error));
  // One goes on with what is left over, and another with what that one began.
  for (const name of ['last.close1', 'last.close2'])
    await close(new Invocation(name, 'all'), (error) => failures.push(error));
  observed.finished = { atMs, failures };
};

const begin = async (run: Run): Promise<void> => {
  for (const account of run.isOfFilings ? ['acct_one', 'acct_two'] : ['acct_one']) {
    const first = new Client(`first ${account}`, account, run);
    const finalized = run.isOfFilings ? 2 : Number(chance(0.7));
    for (let at = 1; at <= finalized; at++)
      await first.send(firstSale('finalized', `${account}.${at}`), `${account}.${at}`);
    if (chance(0.4)) await first.send(firstSale('draft', `${account}.draft`), `${account}.draft`);
    if (run.isOfFilings && account === 'acct_one' && chance(0.4)) await first.send(firstFiling(), `${account}.filing`);
  }
};
