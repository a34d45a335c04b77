import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Exit codes as in a shell: 128 plus the number of the signal.
const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

let isHandled = false;

/** Exits on a signal, so that `exit` handlers remove unfinished files. */
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
    // EPERM: the process exists but belongs to a different user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/**
 * Removes folders left by processes that were killed (SIGKILL). A folder with this process's id belongs to an earlier
 * process.
 */
const removeAbandoned = (): void => {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(/^levy-import-(\d+)-/.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || (pid !== process.pid && isRunning(pid))) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // The folder belongs to a different user.
    }
  }
};

/** The parent of this process's temporary folders, with one handler for each way the process can end. */
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
 * Creates a folder that is removed when this process ends, even by Ctrl-C. After SIGKILL, the next process that uses a
 * temporary folder removes it.
 */
export const temporaryFolder = (): string => mkdtempSync(join(parentFolder(), 'files-'));
