import { compressCheaply, preparePlatform } from './platform.ts';
import type { Message, Order } from './pool.ts';
import { mutants } from './pool.ts';

/**
 * A process that runs schedules sequentially, because a schedule replaces the clock and random numbers of its process.
 * Its argument is an Order as JSON; it sends Messages.
 */

const order = JSON.parse(process.argv[2] ?? '{}') as Order;
const patches = order.mutant === null ? [] : mutants[order.mutant]?.patches;
if (!patches) throw new Error(`There is no mutant ${order.mutant}.`);
preparePlatform(patches, order.count === 1);
compressCheaply();

const { runSchedule } = await import('./schedule.ts');
const { atEveryCall } = await import('./every-call.ts');
const { MemoryDatabase } = await import('../support/memory-database.ts');
const { dawdleBySeed } = await import('./world.ts');
if (order.dawdles) dawdleBySeed(order.from);
const memory = new MemoryDatabase();

const send = (message: Message) => process.send?.(message);
const report = { schedules: 0, requests: 0, calls: 0, faults: {} as Record<string, number> };

async function* schedules() {
  for (let seed = order.from; seed < order.from + order.count; seed += order.step) yield runSchedule(seed, memory);
}

for await (const ran of order.atEveryCall ? atEveryCall(order, memory) : schedules()) {
  const { seed, violations, trace, faults, calls, requests } = ran;
  report.schedules++;
  report.calls += calls;
  report.requests += requests;
  for (const [fault, times] of faults) report.faults[fault] = (report.faults[fault] ?? 0) + times;
  if (order.traced) send({ kind: 'trace', seed, trace });
  if (violations.length > 0) send({ kind: 'violated', seed, violations });
  if (violations.length > 0 && order.mutant !== null) break;
}
send({ kind: 'done', report });
process.disconnect?.();
