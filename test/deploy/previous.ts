import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Commands, root } from './commands.ts';
import { Failed } from './run.ts';

/** Returns the version to upgrade from: the given ref, else the last release, else the last commit. */
export const previousRef = async (run: Commands, from: string | null) => {
  const git = (...args: string[]) => run('git', args, { env: process.env });
  const tag = async () => (await git('describe', '--tags', '--abbrev=0', 'HEAD^').catch(() => '')).trim();
  const ref = from ?? ((await tag()) || 'HEAD');
  const commit = await git('rev-parse', '--verify', `${ref}^{commit}`).catch(() => {
    throw new Failed(`There is no commit ${ref} in this clone. Pass --from <ref>, or fetch more commits.`);
  });
  const words = `${ref}, ${(await git('log', '-1', '--format=%h %s', commit.trim())).trim()}`;
  return { commit: commit.trim(), words };
};

/**
 * Creates a worktree of that version with its packed content. It shares the installed packages if the lock file is the
 * same.
 */
export const checkout = async (run: Commands, commit: string, work: string, env: NodeJS.ProcessEnv) => {
  const folder = join(work, 'previous');
  await run('git', ['worktree', 'add', '--detach', folder, commit], { env: process.env });
  const lock = (at: string) => readFileSync(join(at, 'package-lock.json'), 'utf8');
  if (lock(folder) === lock(root) && existsSync(join(root, 'node_modules'))) {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    await run('npm', ['run', 'pack'], { cwd: folder, env });
  } else await run('npm', ['ci'], { cwd: folder, env: process.env, seconds: 900 });
  return { folder };
};

/** Removes the worktree. Runs while commands are being stopped, so it starts none of them. */
export const removeCheckout = async (work: string): Promise<void> => {
  const folder = join(work, 'previous');
  if (existsSync(folder)) spawnSync('git', ['worktree', 'remove', '--force', folder], { cwd: root, timeout: 60_000 });
};
