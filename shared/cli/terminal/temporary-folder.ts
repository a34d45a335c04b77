import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Exit codes as in a shell: 128 plus the number of the signal.
const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

let isHandled = false;

/** Exit on a signal, so that the `exit` handlers, which remove unfinished files, run. */
export const exitOnSignals = (): void => {
  if (isHandled) return;
  isHandled = true;
  for (const [signal, code] of Object.entries(codes)) process.once(signal, () => process.exit(code));
};

let parent: string | undefined;

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** Remove the folders of processes that were ended by SIGKILL. One with the id of this process is of an earlier process. */
const removeAbandoned = (): void => {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(/^levy-import-(\d+)-/.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || (pid !== process.pid && isRunning(pid))) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // It belongs to another user.
    }
  }
};

/** The folder of all temporary folders of this process, with one handler for each way in which the process can end. */
const parentFolder = (): string => {
  if (parent !== undefined) return parent;
  removeAbandoned();
  const folder = mkdtempSync(join(tmpdir(), `levy-import-${process.pid}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  exitOnSignals();
  parent = folder;
  return folder;
};

/**
 * A new folder that is removed when this process ends, even by Ctrl-C. After SIGKILL, the next process that uses a
 * temporary folder removes it.
 */
export const temporaryFolder = (): string => mkdtempSync(join(parentFolder(), 'files-'));
