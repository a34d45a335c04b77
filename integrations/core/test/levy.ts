import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { createClient } from '../../../shared/client/client.ts';
import { breakingProxy, type Passed, type Passing } from '../../../test/support/breaking-proxy.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
export const apiKey = 'levy_shop_test';

export type LocalLevy = Awaited<ReturnType<typeof startLevy>>;

/** Reads the transactions of an order that are not void, oldest first. */
export const readRecorded = async ({ levy }: LocalLevy, order: string) => {
  const live = [];
  for await (const row of levy.list('/transactions', { query: { limit: 100 } }))
    if (row.status !== 'void' && row.metadata?.['order'] === order) live.push(row);
  live.reverse();
  return { sales: live.filter(({ type }) => type === 'sale'), credits: live.filter(({ type }) => type === 'credit') };
};

type Addresses = { readonly url: string; readonly database: string };

const addressesIn = (service: ChildProcess): Promise<Addresses> =>
  new Promise((resolve, reject) => {
    let output = '';
    const read = (chunk: Buffer) => {
      output += chunk;
      const url = /^Levy\s+(http\S+)/m.exec(output)?.[1];
      const database = /^Database\s+(http\S+)/m.exec(output)?.[1];
      if (url && database && output.includes('Demo key')) resolve({ url, database });
    };
    service.stdout?.on('data', read);
    service.stderr?.on('data', read);
    service.once('exit', (code) => reject(new Error(`Levy ended with ${code}: ${output}`)));
  });

/** Starts a local in-memory Levy, like `npm start`, which ends with the test file. */
export const startLevy = async () => {
  const { npm_lifecycle_event: _, ...inherited } = process.env;
  const env = { ...inherited, PORT: '0', DYNAMODB_PORT: '0', DATA_DIR: '', API_KEY: apiKey, NODE_OPTIONS: '' };
  const service = spawn(`${root}node_modules/.bin/node`, ['infra/local/start.ts'], { cwd: root, env });
  const ended = once(service, 'exit');
  afterAll(async () => {
    service.kill('SIGTERM');
    await ended;
  });
  const { url, database } = await addressesIn(service);
  return {
    url,
    levy: createClient({ url, apiKey }),
    /** Moves the service's clock. */
    advance: async (seconds: number) => {
      const body = JSON.stringify({ advance_seconds: seconds });
      const headers = { 'Content-Type': 'application/json' };
      const response = await fetch(`${url}/_local/clock`, { method: 'PUT', headers, body });
      if (!response.ok) throw new Error(await response.text());
    },
    /** Changes a setting of the account, before its first request. */
    set: (assignment: string) => {
      const args = ['shared/cli/accounts.ts', 'settings', '--account', 'acct_demo', assignment];
      execFileSync(`${root}node_modules/.bin/node`, args, { cwd: root, env: { ...env, DYNAMODB_ENDPOINT: database } });
    },
  };
};

/** A fault that the proxy injects between the shop and Levy. */
export type Fault = 'none' | 'hang' | 'hang up' | 'response lost' | 409 | 422 | 429 | 500 | 503;

const codes: Readonly<Record<number, string>> = {
  409: 'conflict_in_test',
  422: 'validation_in_test',
  429: 'rate_limit_error',
  500: 'system_internal_error',
  503: 'system_service_unavailable',
};
const getError = (status: number, retryAfter: number): Passed => {
  const error = { status: String(status), code: codes[status], title: 'Fault', detail: 'A fault of the test.' };
  const headers = new Headers({ 'Content-Type': 'application/json', 'Retry-After': String(retryAfter) });
  return { status, headers, text: JSON.stringify({ errors: [error] }) };
};

/** Starts a loopback proxy that injects faults on demand, records the requests, and ends with the test file. */
export const startFaults = async (url: string) => {
  const state = {
    /** Injects a fault into the next requests that `applies` selects. */
    fault: 'none' as Fault,
    applies: (_: Passing): boolean => true,
    /** The `Retry-After` of error responses. */
    retryAfter: 0,
    seen: [] as string[],
  };
  const isOn = (passing: Passing) => state.applies(passing);
  const proxy = await breakingProxy(url, {
    there: (passing) => {
      state.seen.push(`${passing.method} ${passing.path}`);
      const { fault } = state;
      if (!isOn(passing) || fault === 'none' || fault === 'response lost') return undefined;
      if (fault === 'hang') return new Promise<never>(() => {});
      return fault === 'hang up' ? fault : getError(fault, state.retryAfter);
    },
    back: (_, passing) => (state.fault === 'response lost' && isOn(passing) ? 'hang up' : undefined),
  });
  afterAll(proxy.close);
  return { ...proxy, state };
};
