import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Creates a temporary folder for the files of a test file, which is removed after its tests. */
export const openFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'levy-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  /** Saves a file under exactly this name, in its own folder. Returns its path. */
  const save = async (name: string, content: string | Buffer): Promise<string> => {
    const own = join(folder, randomUUID());
    mkdirSync(own);
    await writeFile(join(own, name), content);
    return join(own, name);
  };
  return { folder, save };
};
