import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a folder, which is removed at the end of the run. Returns its path. */
export const createFolder = (): string => mkdtempSync(join(tmpdir(), 'levy-'));

/** Saves a file under exactly this name, in its own folder. Returns its path. */
export const saveFile = (name: string, content: string | Buffer): string => {
  const path = join(createFolder(), name);
  writeFileSync(path, content);
  return path;
};
