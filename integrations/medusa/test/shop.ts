import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { apiKey } from '../../core/test/levy.ts';

const cwd = fileURLToPath(new URL('shop', import.meta.url));
const medusa = fileURLToPath(new URL('../node_modules/.bin/medusa', import.meta.url));

/** The products of the shop, with prices in dollars. */
export const products = [
  { name: 'Mug', price: 26.66, code: 'GENERAL' },
  { name: 'Shirt', price: 99.99, code: 'CLOTHING.APPAREL' },
  { name: 'Rice', price: 3.33, code: 'FOOD.GROCERY' },
  { name: 'Pin', price: 0.1, code: 'GENERAL' },
  { name: 'Table', price: 249.5, code: null },
] as const;
/**
 * Products that are shipped differently. `isShipped` is whether Medusa requires shipping, and `isHeavy` whether it is by
 * freight.
 */
export const others = [
  { name: 'Card', price: 50, code: 'FEES.GIFT_CARDS', isShipped: true },
  { name: 'Course', price: 8, code: 'GENERAL', isShipped: false },
  { name: 'Voucher', price: 25, code: null, isShipped: false, isGiftCard: true },
  { name: 'Feed', price: 40, code: 'FOOD.GROCERY', isHeavy: true },
] as const;
export type ProductName = (typeof products | typeof others)[number]['name'];

export type OptionName = 'standard' | 'pickup' | 'store' | 'store-fee' | 'freight';
type Seeded = {
  readonly key: string;
  readonly region: string;
  readonly options: Readonly<Record<OptionName, string>>;
  readonly variants: Readonly<Record<ProductName, string>>;
};
const staff = { email: 'staff@shop.example', password: 'staff-password' };

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

const versions = '/usr/lib/postgresql';

/** The binaries folder of the newest PostgreSQL installed from a Debian package. */
const programs = (): string => {
  const [newest] = existsSync(versions) ? readdirSync(versions).sort((a, b) => Number(b) - Number(a)) : [];
  if (newest === undefined) throw new Error('Install PostgreSQL, such as with `apt install postgresql`.');
  return join(versions, newest, 'bin');
};

// PostgreSQL refuses to run as root.
const shell = (command: string): string => {
  const isRoot = process.getuid?.() === 0;
  const [file, args] = isRoot ? ['su', ['postgres', '-c', command]] : ['bash', ['-c', command]];
  return execFileSync(file as string, args as string[], {
    encoding: 'utf8',
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
};

/** Starts a separate PostgreSQL in a temporary folder, on loopback. */
const startPostgres = async () => {
  const bin = programs();
  const folder = shell('mktemp -d').trim();
  const port = await freePort();
  shell(`${bin}/initdb -D ${folder}/data -U levy --auth=trust -E UTF8`);
  const settings = `-c listen_addresses=127.0.0.1 -c port=${port} -c unix_socket_directories=${folder} -c fsync=off`;
  shell(`${bin}/pg_ctl -D ${folder}/data -w -l ${folder}/log -o "${settings}" start`);
  shell(`${bin}/createdb -h 127.0.0.1 -p ${port} -U levy shop`);
  return {
    url: `postgres://levy@127.0.0.1:${port}/shop`,
    /** Runs a statement. */
    sql: (statement: string) => shell(`${bin}/psql -h 127.0.0.1 -p ${port} -U levy -c "${statement}" shop`),
    stop: () => {
      shell(`${bin}/pg_ctl -D ${folder}/data -m immediate stop`);
      shell(`rm -rf ${folder}`);
    },
  };
};

type Json = Record<string, unknown>;

// Medusa resolves itself and the modules in the project folder. Files of tests start in parallel.
const linkModules = (): void => {
  for (const name of ['node_modules', 'src'])
    try {
      symlinkSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), join(cwd, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
};

/** Starts a Medusa server with the adapter, for the Levy at `url`, and a separate PostgreSQL. */
export const startShop = async (url: string, more: Record<string, string> = {}) => {
  const postgres = await startPostgres();
  const folder = mkdtempSync(join(tmpdir(), 'levy-medusa-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  const port = await freePort();
  const seedFile = join(folder, 'seeded.json');
  const { npm_lifecycle_event: _, NODE_OPTIONS: __, ...inherited } = process.env;
  const env = {
    ...inherited,
    DATABASE_URL: postgres.url,
    LEVY_URL: url,
    LEVY_API_KEY: apiKey,
    LEVY_SHOP: 'medusa',
    NODE_ENV: 'production',
    TEST_PRODUCTS: JSON.stringify([...products, ...others]),
    SEED_FILE: seedFile,
    MEDUSA_DISABLE_TELEMETRY: '1',
    PORT: String(port),
    HOST: '127.0.0.1',
    ...more,
  };
  const run = (...args: string[]) => execFileSync(medusa, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  linkModules();
  try {
    run('db:migrate');
    run('exec', './seed.js');
    run('user', '-e', staff.email, '-p', staff.password);
  } catch (error) {
    postgres.stop();
    removeFolder();
    const { stdout, stderr } = error as { stdout?: Buffer; stderr?: Buffer };
    throw new Error(`Medusa did not start: ${stdout}${stderr}`, { cause: error });
  }
  const seeded = JSON.parse(readFileSync(seedFile, 'utf8')) as Seeded;
  let output = '';
  const service = spawn(medusa, ['start', '-H', '127.0.0.1', '-p', String(port)], { cwd, env, detached: true });
  for (const stream of [service.stdout, service.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
  const base = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries++) {
    const isUp = await fetch(`${base}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) break;
    if (tries > 300 || service.exitCode !== null) throw new Error(`Medusa did not start: ${output.slice(-3000)}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const send = async <Data>(
    method: string,
    path: string,
    body: Json | null,
    headers: Record<string, string>,
  ): Promise<Data> => {
    const response = await fetch(base + path, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${path}: ${text.slice(0, 500)}`);
    return JSON.parse(text) as Data;
  };
  const { token } = await send<{ token: string }>('POST', '/auth/user/emailpass', staff, {});
  return {
    ...seeded,
    store: <Data>(method: string, path: string, body: Json | null = null) =>
      send<Data>(method, `/store${path}`, body, { 'x-publishable-api-key': seeded.key }),
    admin: <Data>(method: string, path: string, body: Json | null = null) =>
      send<Data>(method, `/admin${path}`, body, { Authorization: `Bearer ${token}` }),
    output: () => output,
    sql: postgres.sql,
    stop: async () => {
      const ended = once(service, 'exit');
      process.kill(-(service.pid as number), 'SIGKILL');
      await ended;
      postgres.stop();
      removeFolder();
    },
  };
};
export type Shop = Awaited<ReturnType<typeof startShop>>;

/** Starts a shop that ends with the test file. */
export const openShop = async (url: string, more: Record<string, string> = {}): Promise<Shop> => {
  const shop = await startShop(url, more);
  afterAll(shop.stop);
  return shop;
};
