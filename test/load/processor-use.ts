import { readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** Seconds that a process has taken of a processor (proc(5), the fields utime and stime); 0 where nobody says. */
const secondsOf = (pid: number): number => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number);
    return ((user ?? 0) + (system ?? 0)) / ticksPerSecond;
  } catch {
    return 0;
  }
};

const childrenOf = (pid: number): number[] => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
};

export type ProcessorUse = { readonly generator: number; readonly service: number; readonly database: number };

/** Seconds of processors until now: of this process, of those that serve, and of its other child, the emulator. */
export const processorUse = (serving: readonly number[]): ProcessorUse => {
  const sum = (pids: readonly number[]) => pids.reduce((seconds, pid) => seconds + secondsOf(pid), 0);
  const others = childrenOf(process.pid).filter((pid) => !serving.includes(pid));
  return { generator: secondsOf(process.pid), service: sum(serving), database: sum(others) };
};
