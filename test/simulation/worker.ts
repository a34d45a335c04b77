import { mutants } from './mutants.ts';
import type { Order, Told } from './order.ts';
import { compressCheaply, preparePlatform } from './platform.ts';

/**
 * A process that runs schedules, one after another: it has the time and the chance of the whole process to itself. What
 * it is to do is its argument; what comes of it goes to the parent process, or is printed as lines of JSON.
 */

const order = JSON.parse(process.argv[2] ?? '{}') as Order;
const patches = order.mutant === null ? [] : mutants[order.mutant];
if (!patches) throw new Error(`There is no mutant ${order.mutant}.`);
preparePlatform(patches, order.count === 1);
if (order.database === 'memory') compressCheaply();

const { runSchedule } = await import('./schedule.ts');
const { memoryBackend } = await import('./backend.ts');
const backend = order.database === 'memory' ? memoryBackend() : await (await import('./emulated.ts')).bothBackend();

const tell = (told: Told) => process.stdout.write(`${JSON.stringify(told)}\n`);
const report = { schedules: 0, requests: 0, calls: 0, faults: {} as Record<string, number>, violated: 0 };
const tellEvery = 500;

for (let seed = order.from; seed < order.from + order.count; seed += order.step) {
  const { violations, trace, faults, calls, requests } = await runSchedule(seed, backend);
  report.schedules++;
  report.calls += calls;
  report.requests += requests;
  for (const [fault, times] of faults) report.faults[fault] = (report.faults[fault] ?? 0) + times;
  if (order.traced) tell({ kind: 'trace', seed, trace });
  if (violations.length > 0) {
    report.violated++;
    tell({ kind: 'violated', seed, violations });
    if (order.endsAtFirst) break;
  }
  if (report.schedules % tellEvery === 0) tell({ kind: 'progress', schedules: report.schedules });
}
tell({ kind: 'done', ...report });
// A connection to the emulator may still be open.
process.exit(0);
