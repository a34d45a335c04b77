import { type ChildProcess, spawn } from 'node:child_process';

/** Kill a child process when this process ends in any way, SIGKILL included: the pipe to the watcher closes. */
export const killWithParent = (child: ChildProcess): void => {
  const script = `process.stdin.resume().on('end', () => process.kill(${child.pid}))`;
  const watcher = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'ignore', 'ignore'] });
  watcher.stdin?.on('error', () => {});
  watcher.on('error', () => {});
  watcher.unref();
  child.once('exit', () => watcher.kill('SIGKILL'));
};
