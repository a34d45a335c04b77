import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { freePort } from '../../infra/local/settings.ts';
import { type Commands, root, start } from './commands.ts';
import { eventually, Failed } from './run.ts';

const folder = join(root, 'test/deploy/emulator');
const region = 'us-east-1';
export const account = '000000000000';

/** Installs the pinned emulator into test/deploy/.venv if it is missing. Returns its Python interpreter. */
export const install = async (run: Commands) => {
  const requirements = join(folder, 'requirements.txt');
  const hash = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const venv = join(root, 'test/deploy/.venv', hash);
  const python = join(venv, 'bin/python');
  if (existsSync(join(venv, 'bin/ministack'))) return { python };
  // Uses the user's proxy and mirror settings.
  const { env } = process;
  const version = await run('python3', ['-c', 'import sys; print(sys.version_info >= (3, 11))'], { env }).catch(
    () => '',
  );
  if (version.trim() !== 'True') throw new Failed('Install Python 3.11 or later with venv as `python3`.');
  await run('python3', ['-m', 'venv', '--clear', venv], { env });
  const options = ['--disable-pip-version-check', '--no-cache-dir', '--require-hashes', '--only-binary', ':all:'];
  await run(python, ['-m', 'pip', 'install', '--quiet', ...options, '-r', requirements], { env });
  return { python };
};

type Keys = Readonly<Record<string, string>>;
type ApiResponse = { readonly result?: never; readonly error?: string; readonly message?: string };

/** The environment of every process, without access to the user's AWS profiles, credentials and settings. */
const environment = (work: string, port: number): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: join(work, 'home'),
  TMPDIR: join(work, 'tmp'),
  LANG: 'C.UTF-8',
  AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
  AWS_REGION: region,
  AWS_DEFAULT_REGION: region,
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  AWS_EC2_METADATA_DISABLED: 'true',
  CDK_DISABLE_CLI_TELEMETRY: 'true',
  CDK_DISABLE_VERSION_CHECK: '1',
  CI: 'true',
});

export type Emulator = Awaited<ReturnType<typeof startEmulator>>;

/** Starts the emulator on a free loopback port, with IAM enforced. */
export const startEmulator = async (python: string, work: string) => {
  for (const name of ['home', 'tmp']) mkdirSync(join(work, name), { recursive: true });
  const port = await freePort(0, 'PORT');
  const env = environment(work, port);
  const settings = {
    AUTH: 'true',
    BIND_HOST: '127.0.0.1',
    GATEWAY_PORT: String(port),
    MINISTACK_ACCOUNT_ID: account,
    MINISTACK_REGION: region,
    // Functions run as processes, without a container engine.
    LAMBDA_EXECUTOR: 'local',
    DOCKER_HOST: 'unix:///dev/null',
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const { child, file } = start(python, [join(folder, 'emulator.py')], join(work, 'emulator.log'), {
    env: { ...env, ...settings },
    cwd: work,
  });
  child.stdout?.pipe(file);
  const at = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(5000) });
  const stubs = await eventually('the emulator responds', 60, async () => {
    if (child.exitCode !== null) throw new Failed(`The emulator ended: ${readFileSync(join(work, 'emulator.log'))}`);
    const response = await at('/_levy/stubs').catch(() => null);
    return response && ((await response.json()) as Readonly<Record<string, string>>);
  });
  const send = startCalls(python, work, env);
  /** Returns credentials of a role session, as the AWS service of the role uses them. */
  const readCredentials = async (role: string): Promise<Keys> =>
    (await at(`/_levy/credentials?role=${encodeURIComponent(role)}`)).json() as Promise<Keys>;
  const succeed = async (request: object) => {
    const { result, error, message } = await send(request);
    if (error !== undefined) throw new Failed(`${JSON.stringify(request)}: ${message}`);
    // AWS response shapes. Checks fail on missing fields.
    return result as any;
  };
  /** Calls an AWS API. Throws if the call fails. */
  const aws = (service: string, operation: string, input: object = {}) => succeed({ service, operation, input });
  /** Reads all pages of a list. */
  const list = (service: string, operation: string, input: object = {}) =>
    succeed({ service, operation, input, pages: true });
  /** Returns the error code of a call, or null if it succeeds. */
  const readError = async (service: string, operation: string, input: object, credentials?: Keys) =>
    (await send({ service, operation, input, credentials })).error ?? null;
  /** Converts the API URL of the stack's output to the emulator's URL. */
  const getAddress = (url: string): string => {
    const { hostname, pathname } = new URL(url);
    return `http://127.0.0.1:${port}/_aws/execute-api/${hostname.split('.')[0]}${pathname.replace(/\/$/, '')}`;
  };
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const endpoint = `http://127.0.0.1:${port}`;
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region, credentials }));
  return { env, stubs, documents, aws, list, readError, readCredentials, getAddress, region };
};

/** A single process makes all signed calls sequentially. */
const startCalls = (python: string, work: string, env: NodeJS.ProcessEnv) => {
  const { child } = start(python, [join(folder, 'calls.py')], join(work, 'calls.log'), { env, cwd: work });
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Failed('calls.py has no pipes.');
  const waiting: ((response: ApiResponse) => void)[] = [];
  createInterface({ input: stdout }).on('line', (line) => waiting.shift()?.(JSON.parse(line)));
  child.once('exit', () => {
    for (const one of waiting.splice(0)) one({ error: 'Ended', message: 'calls.py ended' });
  });
  return (request: object): Promise<ApiResponse> =>
    new Promise((resolve) => {
      waiting.push(resolve);
      stdin.write(`${JSON.stringify(request)}\n`);
    });
};
