import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError } from '../../infra/local/settings.ts';

const emulator = 'github.com/aws/aws-lambda-runtime-interface-emulator/cmd/aws-lambda-rie';
/**
 * The newest release tag is not a valid Go module version, so this is a commit of the main branch. Go verifies its
 * checksum.
 */
const emulatorVersion = 'v0.0.0-20261030222936-bef5c4ba774d';
const client = 'aws-lambda-ric';
const clientVersion = '4.0.2';
const clientSha512 = 'FE5Vskx7mYNnqAnWWJXUOsLp2VGgdsJsCoRLFTa8L4Yk0QVtArqR8q58yPA++QC1a73ZWJXBQ2AH31nIAv7NOQ==';

const run = (command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = process.env): string => {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: 300_000 });
  if (error && 'code' in error && error.code === 'ENOENT')
    throw new SetupError(`test:runtime needs ${command}: install it and add it to the PATH.`);
  if (status !== 0) throw new SetupError(`${command} ${args.join(' ')} failed:\n${stderr || stdout || error?.message}`);
  return stdout;
};

const installEmulator = (folder: string): void => {
  run('go', ['install', `${emulator}@${emulatorVersion}`], folder, { ...process.env, GOBIN: folder, GOFLAGS: '' });
};

/**
 * Installs only the package itself, because its single file imports no other packages. Its native addon would need
 * CMake, a C++ compiler and Node's headers; bootstrap.cjs implements the addon in JavaScript.
 */
const installClient = (folder: string): void => {
  run('npm', ['pack', `${client}@${clientVersion}`, '--ignore-scripts', '--silent'], folder);
  const archive = join(folder, `${client}-${clientVersion}.tgz`);
  const found = createHash('sha512').update(readFileSync(archive)).digest('base64');
  if (found !== clientSha512)
    throw new SetupError(`${client} ${clientVersion} has the sum ${found}, not ${clientSha512}.`);
  run('tar', ['-xzf', archive], folder);
  rmSync(archive);
  writeFileSync(join(folder, 'package', 'rapid-client.node'), '');
};

/**
 * Installs pinned versions of AWS's emulator and client below node_modules, once. Needs Go, npm and internet access.
 */
export const installTools = () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const cache = join(root, 'node_modules/.cache/levy');
  const folder = join(cache, `runtime-${emulatorVersion}-${clientVersion}`);
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    const unfinished = mkdtempSync(join(cache, 'runtime-unfinished-'));
    try {
      installEmulator(unfinished);
      installClient(unfinished);
      renameSync(unfinished, folder);
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
  }
  const bootstrap = join(folder, 'package', 'bootstrap.cjs');
  copyFileSync(fileURLToPath(new URL('bootstrap.cjs', import.meta.url)), bootstrap);
  return { emulator: join(folder, 'aws-lambda-rie'), bootstrap };
};
export type Tools = ReturnType<typeof installTools>;
