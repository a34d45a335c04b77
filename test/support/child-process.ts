import { type ChildProcess, spawn } from 'node:child_process';

/** Kills a child process when this process ends, even by SIGKILL, because the pipe to the watcher then closes. */
export const killWithParent = (child: ChildProcess): void => {
  const script = `process.stdin.resume().on('end', () => process.kill(${child.pid}))`;
  const watcher = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'ignore', 'ignore'] });
  watcher.stdin?.on('error', () => {});
  watcher.on('error', () => {});
  watcher.unref();
  child.once('exit', () => watcher.kill('SIGKILL'));
};
