import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const versions = '/usr/lib/postgresql';

/** The binaries folder of the newest PostgreSQL installed from a Debian package. */
const programs = (): string => {
  const [newest] = existsSync(versions) ? readdirSync(versions).sort((a, b) => Number(b) - Number(a)) : [];
  if (newest === undefined) throw new Error('Install PostgreSQL, such as with `apt install postgresql`.');
  return join(versions, newest, 'bin');
};

// PostgreSQL refuses to run as root.
const run = (command: string): string => {
  const isRoot = process.getuid?.() === 0;
  const [file, args] = isRoot ? ['su', ['postgres', '-c', command]] : ['bash', ['-c', command]];
  return execFileSync(file as string, args as string[], {
    encoding: 'utf8',
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
};

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

/** Starts a separate PostgreSQL in a temporary folder, on loopback. */
export const startPostgres = async () => {
  const bin = programs();
  const folder = run('mktemp -d').trim();
  const port = await freePort();
  run(`${bin}/initdb -D ${folder}/data -U levy --auth=trust -E UTF8`);
  const settings = `-c listen_addresses=127.0.0.1 -c port=${port} -c unix_socket_directories=${folder} -c fsync=off`;
  run(`${bin}/pg_ctl -D ${folder}/data -w -l ${folder}/log -o "${settings}" start`);
  run(`${bin}/createdb -h 127.0.0.1 -p ${port} -U levy shop`);
  return {
    url: `postgres://levy@127.0.0.1:${port}/shop`,
    /** Runs a statement. */
    sql: (statement: string) => run(`${bin}/psql -h 127.0.0.1 -p ${port} -U levy -c "${statement}" shop`),
    stop: () => {
      run(`${bin}/pg_ctl -D ${folder}/data -m immediate stop`);
      run(`rm -rf ${folder}`);
    },
  };
};
export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'levy-medusa-'));
export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });
