import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFolder } from './temporary-files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Creates a fake AWS CLI for the scripts of infra/operations. It logs its arguments and runs `answers`, lines of a
 * shell script in which `$LOG` is the log file.
 */
export const standInAws = (answers = '') => {
  const folder = createFolder();
  const log = join(folder, 'aws.log');
  writeFileSync(join(folder, 'aws'), `#!/bin/bash\nLOG='${log}'\necho "$@" >> "$LOG"\n${answers}\n`);
  chmodSync(join(folder, 'aws'), 0o755);

  const environment = (variables: Readonly<Record<string, string>>) => {
    writeFileSync(log, '');
    const { TABLE_TRANSACTIONS: _, TABLE_ACCOUNTS: __, TABLE_CONTENT: ___, ...inherited } = process.env;
    const path = `${folder}:${join(root, 'node_modules/.bin')}:${dirname(process.execPath)}:${process.env['PATH']}`;
    const env = { ...inherited, PATH: path, PAUSE_SECONDS: '0', AWS_REGION: 'us-east-1', ...variables };
    return { cwd: root, encoding: 'utf8', env, maxBuffer: 2 ** 26 } as const;
  };
  const asked = () => readFileSync(log, 'utf8').split('\n').slice(0, -1);

  /** Runs a script. Returns its exit code, its output, and the arguments of each AWS command. */
  const run = (script: string, args: readonly string[], variables: Readonly<Record<string, string>>) => {
    const command = [`infra/operations/${script}`, ...args];
    const { status, stdout, stderr } = spawnSync('bash', command, environment(variables));
    return { code: status, out: stdout, err: stderr, asked: asked() };
  };
  /** Runs a script that calls the tests' database, which this process serves meanwhile. */
  const runWithDatabase = (script: string, args: readonly string[], variables: Readonly<Record<string, string>>) =>
    new Promise<ReturnType<typeof run>>((resolve) => {
      const command = [`infra/operations/${script}`, ...args];
      const child = execFile('bash', command, environment(variables), (_, out, err) =>
        resolve({ code: child.exitCode, out, err, asked: asked() }),
      );
    });
  // Without --norc, bash could mistake the pipe for a network shell and read a profile that puts the real CLI first.
  /** Returns the output of shell lines. */
  const shell = (lines: string): string => spawnSync('bash', ['--norc', '-c', lines], environment({})).stdout;
  return { run, runWithDatabase, shell };
};
