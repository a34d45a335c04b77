import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { root } from './child-process.ts';
import { listen } from './http.ts';
import { createFolder } from './temporary-files.ts';

/** A loopback server that emulates EventBridge's PutEvents. */

type Entry = Readonly<Record<'EventBusName' | 'Source' | 'DetailType' | 'Detail', string>>;

type EventBusServer = {
  readonly url: string;
  /** The accepted entries so far, in order. */
  readonly entries: Entry[];
  /** Rejects this many entries with status 200, as EventBridge does. */
  readonly refuse: (count: number) => void;
  readonly close: () => void;
};

export const openEventBus = async (): Promise<EventBusServer> => {
  const entries: Entry[] = [];
  let refused = 0;
  const put = (entry: Entry) => {
    if (refused > 0) {
      refused -= 1;
      return { ErrorCode: 'InternalFailure', ErrorMessage: 'Try again.' };
    }
    return { EventId: `event-${entries.push(entry)}` };
  };
  const server = createServer(async (request, response) => {
    const sent = Buffer.concat(await Array.fromAsync(request)).toString('utf8');
    if (request.headers['x-amz-target'] !== 'AWSEvents.PutEvents' || !request.headers.authorization)
      return response.writeHead(400).end();
    const Entries = (JSON.parse(sent) as { readonly Entries: readonly Entry[] }).Entries.map(put);
    const FailedEntryCount = Entries.filter((entry) => 'ErrorCode' in entry).length;
    response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify({ FailedEntryCount, Entries }));
  });
  return {
    ...(await listen(server)),
    entries,
    refuse: (count) => {
      refused = count;
    },
  };
};

/**
 * Creates a fake AWS CLI for the scripts of infra/operations. It logs its arguments and runs `responses`, lines of a
 * shell script in which `$LOG` is the log file.
 */
export const standInAws = (responses = '') => {
  const folder = createFolder();
  const log = join(folder, 'aws.log');
  writeFileSync(join(folder, 'aws'), `#!/bin/bash\nLOG='${log}'\necho "$@" >> "$LOG"\n${responses}\n`);
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
  /** Runs a script that calls the tests' database, which this process serves at the same time. */
  const runWithDatabase = (script: string, args: readonly string[], variables: Readonly<Record<string, string>>) =>
    new Promise<ReturnType<typeof run>>((resolve) => {
      const command = [`infra/operations/${script}`, ...args];
      const child = execFile('bash', command, environment(variables), (_, out, err) =>
        resolve({ code: child.exitCode, out, err, asked: asked() }),
      );
    });
  /**
   * Returns the output of shell lines. Without --norc, bash could mistake the pipe for a network shell and read a profile
   * that puts the real CLI first.
   */
  const shell = (lines: string): string => spawnSync('bash', ['--norc', '-c', lines], environment({})).stdout;
  return { run, runWithDatabase, shell };
};
