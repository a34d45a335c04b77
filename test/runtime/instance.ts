import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { levyApp } from '../../infra/app.ts';
import { type Entry, entries } from '../../infra/bundling.ts';
import { pascalCase } from '../../infra/constructs.ts';
import { freePort, loopback } from '../../infra/local/settings.ts';
import { temporaryFolder } from '../../shared/cli/terminal/files.ts';
import { eventually, Failed } from '../deploy/run.ts';
import { killWithParent } from '../support/child-process.ts';
import type { Tools } from './install.ts';

/** A function as defined in the synthesized template. */
export type Deployed = {
  readonly name: Entry;
  /** The folder with the code of the function, including index.js. */
  readonly folder: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  /** The environment variables, except those that CloudFormation resolves. */
  readonly environment: Readonly<Record<string, string>>;
};

type Resource = {
  readonly Metadata: { readonly 'aws:asset:path': string };
  readonly Properties: {
    readonly Handler: string;
    readonly Runtime: string;
    readonly Timeout: number;
    readonly MemorySize: number;
    readonly Environment?: { readonly Variables: Readonly<Record<string, unknown>> };
  };
};

/** Returns every function of the default deployment, bundled by a synthesis. */
export const deployedFunctions = (): ReadonlyMap<Entry, Deployed> => {
  const outdir = temporaryFolder();
  levyApp({ outdir, context: { 'aws:cdk:enable-asset-metadata': true } }).synth();
  const { Resources } = JSON.parse(readFileSync(join(outdir, 'Levy.template.json'), 'utf8'));
  return new Map(
    entries.map((name) => {
      const { Properties, Metadata }: Resource = Resources[pascalCase(name)];
      const { Handler, Runtime, Timeout, MemorySize, Environment } = Properties;
      if (Handler !== 'index.handler' || Runtime !== 'nodejs24.x') throw new Error(`${name}: ${Handler} on ${Runtime}`);
      const variables = Object.entries(Environment?.Variables ?? {}).filter(([, value]) => typeof value === 'string');
      const folder = join(outdir, Metadata['aws:asset:path']);
      const environment = Object.fromEntries(variables) as Record<string, string>;
      return [name, { name, folder, timeoutSeconds: Timeout, memoryMegabytes: MemorySize, environment }];
    }),
  );
};

/** The measurements of one invocation: wall time, CPU time, and the peak memory of the process so far. */
export type Measured = { readonly ms: number; readonly cpu_ms: number; readonly memory_mb: number };
export type Figures = {
  readonly init: { readonly init_ms: number; readonly init_cpu_ms: number };
  readonly responses: readonly Measured[];
};
const untilListening = (url: string, child: ChildProcess, log: () => string) =>
  eventually(
    'the runtime interface emulator listens',
    30,
    // The emulator's invocation URL would invoke the function with any HTTP method, so probe a different URL.
    async () => {
      if (child.exitCode !== null) throw new Failed(`The runtime interface emulator did not start: ${log()}`);
      return fetch(new URL('/', url)).catch(() => null);
    },
    20,
  );

const getFailure = (response: unknown): string | null => {
  if (typeof response !== 'object' || response === null || !('errorType' in response)) return null;
  return JSON.stringify(response);
};

/** The environment of a function: the variables that Lambda and the deployment set, and none of this process. */
const buildEnvironment = ({ name, folder, environment, memoryMegabytes, timeoutSeconds }: Deployed) => ({
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LANG: 'en_US.UTF-8',
  TZ: ':UTC',
  AWS_REGION: 'us-east-1',
  AWS_DEFAULT_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_NAME: name,
  AWS_LAMBDA_FUNCTION_VERSION: '1',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMegabytes),
  AWS_LAMBDA_FUNCTION_TIMEOUT: String(timeoutSeconds),
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_LAMBDA_LOG_FORMAT: 'JSON',
  LAMBDA_TASK_ROOT: folder,
  _HANDLER: 'index.handler',
  ...environment,
});

/** Starts a new instance of a deployed function in AWS's runtime interface emulator, on loopback. */
export const startInstance = async (tools: Tools, deployed: Deployed, more: Record<string, string>) => {
  const [port, runtimePort] = [await freePort(0, 'PORT'), await freePort(0, 'PORT')];
  const url = `http://${loopback}:${port}/2015-03-31/functions/function/invocations`;
  const folder = temporaryFolder();
  const figuresFile = join(folder, 'figures.jsonl');
  const addresses = [
    ...['--runtime-interface-emulator-address', `${loopback}:${port}`],
    ...['--runtime-api-address', `${loopback}:${runtimePort}`],
  ];
  const child = spawn(
    tools.emulator,
    ['--log-level', 'error', ...addresses, process.execPath, tools.bootstrap, 'index.handler'],
    {
      cwd: deployed.folder,
      env: { ...buildEnvironment(deployed), ...more, TMPDIR: folder, LEVY_RUNTIME_FIGURES: figuresFile },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const ended = once(child, 'exit');
  killWithParent(child);
  let log = '';
  for (const output of [child.stdout, child.stderr]) output.on('data', (chunk: Buffer) => (log += chunk));
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    // The runtime's process then also ends, because its next runtime API call fails.
    child.kill();
    const force = setTimeout(() => child.kill('SIGKILL'), 3_000);
    await ended;
    clearTimeout(force);
  };
  await untilListening(url, child, () => log).catch(async (error) => {
    await stop();
    throw error;
  });
  return {
    /** Invokes the function with an event. Throws if it fails or times out. */
    invoke: async (event: unknown): Promise<unknown> => {
      const signal = AbortSignal.timeout((deployed.timeoutSeconds + 5) * 1000);
      const response = await fetch(url, { method: 'POST', body: JSON.stringify(event), signal });
      const text = await response.text();
      const result = text === '' ? null : JSON.parse(text);
      const failure = getFailure(result);
      if (failure !== null || !response.ok) throw new Error(`${deployed.name} failed: ${failure ?? text}\n${log}`);
      return result;
    },
    figures: (): Figures => {
      const lines = existsSync(figuresFile) ? readFileSync(figuresFile, 'utf8').trim().split('\n') : [];
      const [init, ...responses] = lines.map((line) => JSON.parse(line));
      return { init, responses };
    },
    /** The log output of the function and the runtime so far. */
    log: () => log,
    stop,
  };
};
export type Instance = Awaited<ReturnType<typeof startInstance>>;
