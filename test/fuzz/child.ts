/**
 * Runs inputs of a target, one after the other, and sends the measurements of each to the process that started it:
 * `node child.ts <target> <seed> <first input> <inputs>`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { CommandError } from '../../shared/base/command-error.ts';
import { getInput, targets } from './targets.ts';

export type Message =
  | { readonly kind: 'begin'; readonly input: number; readonly megabytes: number }
  | {
      readonly kind: 'end';
      readonly input: number;
      readonly megabytes: number;
      readonly ms: number;
      readonly bytes: number;
      readonly bug: string | null;
    };

const [name = '', seed, first, count] = process.argv.slice(2);
const target = targets[name];
if (!target) throw new Error(`There is no target ${name}.`);
const send = (message: Message) => process.send?.(message);

/** Returns the resident memory in bytes, and its peak since `forgetPeak` (Linux, proc_pid_status(5)). */
const memory = (field: 'VmRSS' | 'VmHWM'): number =>
  1024 * Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
const forgetPeak = (): void => writeFileSync('/proc/self/clear_refs', '5');

const isForOperator = (error: unknown): boolean =>
  error instanceof CommandError || (error as Error | null)?.constructor === Error;

const run = async (input: Parameters<typeof target.run>[0]): Promise<string | null> => {
  try {
    await target.run(input);
    return null;
  } catch (error) {
    return isForOperator(error) ? null : String((error as Error).stack ?? error);
  }
};

// Warms up the code that the inputs run.
for (let round = 0; round < 5; round += 1) await target.run(target.valid());
globalThis.gc?.();
const baseline = memory('VmRSS');
for (let input = Number(first); input < Number(first) + Number(count); input += 1) {
  const files = getInput(name, Number(seed), input);
  if (memory('VmRSS') > baseline + 32 * 1024 * 1024) globalThis.gc?.();
  const megabytes = Math.max(1, (target.getBytes?.(files) ?? 0) / 1e6);
  send({ kind: 'begin', input, megabytes });
  forgetPeak();
  const start = process.cpuUsage();
  const bug = await run(files);
  // CPU time, because other processes use the machine.
  const { user, system } = process.cpuUsage(start);
  send({ kind: 'end', input, megabytes, ms: (user + system) / 1000, bytes: memory('VmHWM') - baseline, bug });
}
process.disconnect?.();
