import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * A stand-in for the AWS CLI, for the scripts of infra/operations. It logs its arguments and runs `answers`, lines of a
 * shell script in which `$LOG` is the file of the log.
 */
export const standInAws = (answers = '') => {
  const folder = mkdtempSync(join(tmpdir(), 'levy-aws-'));
  const log = join(folder, 'aws.log');
  writeFileSync(join(folder, 'aws'), `#!/bin/bash\nLOG='${log}'\necho "$@" >> "$LOG"\n${answers}\n`);
  chmodSync(join(folder, 'aws'), 0o755);

  const start = (command: readonly string[], variables: Readonly<Record<string, string>>) => {
    writeFileSync(log, '');
    const { TABLE_TRANSACTIONS: _, TABLE_ACCOUNTS: __, TABLE_CONTENT: ___, ...inherited } = process.env;
    const path = `${folder}:${join(root, 'node_modules/.bin')}:${dirname(process.execPath)}:${process.env['PATH']}`;
    const env = { ...inherited, PATH: path, PAUSE_SECONDS: '0', AWS_REGION: 'us-east-1', ...variables };
    return spawnSync('bash', command, { cwd: root, encoding: 'utf8', env });
  };
  /** Run a script. Returns its exit code, its output, and the arguments of each AWS command. */
  const run = (script: string, args: readonly string[], variables: Readonly<Record<string, string>>) => {
    const { status, stdout, stderr } = start([`infra/operations/${script}`, ...args], variables);
    return { code: status, out: stdout, err: stderr, asked: readFileSync(log, 'utf8').split('\n').slice(0, -1) };
  };
  // Without --norc, bash could take the pipe for a network shell and read a profile that puts the real CLI first.
  /** The output of shell lines. */
  const shell = (lines: string): string => start(['--norc', '-c', lines], {}).stdout;
  return { run, shell, remove: () => rmSync(folder, { recursive: true }) };
};
