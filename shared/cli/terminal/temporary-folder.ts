import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Exit codes as in a shell: 128 plus the number of the signal.
const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

let parent: string | undefined;

/** The folder of all temporary folders of this process, with one handler for each way in which the process can end. */
const parentFolder = (): string => {
  if (parent !== undefined) return parent;
  const folder = mkdtempSync(join(tmpdir(), 'levy-import-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const [signal, code] of Object.entries(codes)) process.once(signal, () => process.exit(code));
  parent = folder;
  return folder;
};

/** A new folder that is removed when this process ends, also after Ctrl-C, but not after SIGKILL. */
export const temporaryFolder = (): string => mkdtempSync(join(parentFolder(), 'files-'));
