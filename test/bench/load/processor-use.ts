import { readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** The text of a file of `/proc`; empty on other systems, and for a process that has ended. */
const proc = (path: string): string => {
  try {
    return readFileSync(`/proc/${path}`, 'latin1');
  } catch {
    return '';
  }
};

/** Seconds of CPU time of processes (proc(5), the fields utime and stime). */
const secondsOf = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => {
    const fields = proc(`${pid}/stat`)
      .replace(/^.*\) /, '')
      .split(' ');
    return sum + (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / ticksPerSecond;
  }, 0);

/** Seconds of CPU time until now: of this process, of those that serve, and of its other child, the emulator. */
export const processorUse = (serving: readonly number[]) => {
  const children = proc(`${process.pid}/task/${process.pid}/children`).trim().split(' ').map(Number);
  const database = secondsOf(children.filter((pid) => !serving.includes(pid)));
  return { generator: secondsOf([process.pid]), service: secondsOf(serving), database };
};
