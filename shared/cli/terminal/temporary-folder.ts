import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// As a shell has it: 128 and the signal's number.
const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** A folder that is gone when this process is, also after Ctrl-C: `exit` comes after every end but SIGKILL. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'levy-import-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const [signal, code] of Object.entries(codes)) process.once(signal, () => process.exit(code));
  return folder;
};
