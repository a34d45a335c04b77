import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'levy-folders-'));
  vi.stubEnv('TMPDIR', folder);
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

it('removes the folders of killed processes, but not those of running ones or of others', async () => {
  const { pid: ended } = spawnSync(process.execPath, ['--version']);
  const [abandoned, used, other] = [`levy-import-${ended}-a`, `levy-import-${process.ppid}-b`, 'levy-import-c'].map(
    (name) => join(folder, name),
  ) as [string, string, string];
  for (const path of [abandoned, used, other]) mkdirSync(path);
  vi.resetModules();
  const { temporaryFolder } = await import('../../shared/cli/terminal/temporary-folder.ts');
  expect(existsSync(temporaryFolder())).toBe(true);
  expect([abandoned, used, other].map(existsSync)).toEqual([false, true, true]);
});
