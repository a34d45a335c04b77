/** Runs `npm run smoke -- URL` against the service, directly and behind a proxy that injects one fault at a time. */
import { describe, expect, it, vi } from 'vitest';
import { newSession, runSmoke } from '../../shared/cli/smoke/workflows.ts';
import type { TransactionRow } from '../../shared/ledger/response.ts';
import { connectClient, newCaller, startApi } from '../support/api.ts';
import { type Break, breakingProxy, inBody, type Passed, type Passing } from '../support/breaking-proxy.ts';
import { runCommand } from '../support/child-process.ts';
import { expectFailure } from '../support/run-command.ts';
import { sold } from '../support/sales.ts';

// The tests start processes; a slow machine must not fail them.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

const smoke = (args: readonly string[], key: string | null) => {
  const { LEVY_API_KEY: _, ...inherited } = process.env;
  const env = { ...inherited, ...(key !== null && { LEVY_API_KEY: key }) };
  return runCommand(['shared/cli/smoke.ts', ...args], { env });
};

type Caller = Awaited<ReturnType<typeof newCaller>>;

/** Returns the account's transactions, oldest first. */
const stored = async (caller: Caller): Promise<TransactionRow[]> =>
  (await connectClient(caller).list({ limit: '100' })).body.data.toReversed();

const listStates = (rows: readonly TransactionRow[]) =>
  rows.map(({ status, void_reason }) => `${status}: ${void_reason}`);

/** Runs the smoke test through a proxy with a fault. */
const broken = async (caller: Caller, how: Break) => {
  const proxy = await breakingProxy((await startApi()).url, how);
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const session = newSession({ url: proxy.url, key: caller.key, timeoutMs: 10_000, print });
  try {
    const outcome = await runSmoke(session);
    return { ...outcome, lines, failed: lines.filter((line) => line.startsWith('FAILED')) };
  } finally {
    proxy.close();
  }
};

// docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html: headers of a Lambda integration's
// response.
const renamedByGateway = [
  ...['Authorization', 'Connection', 'Content-Length', 'Content-MD5', 'Date', 'Max-Forwards', 'Server', 'User-Agent'],
  'WWW-Authenticate',
];
const voided = 'void: Smoke test';
const isCreate = ({ method, path }: Passing) => method === 'POST' && path === '/transactions';
/** Returns whether a request changes a transaction to a status. */
const changesTo = ({ method, path, sent }: Passing, status: string) =>
  method === 'POST' && path.startsWith('/transactions/') && sent?.['status'] === status;
/** Replaces the status in requests that change a transaction to it, so the service rejects them. */
const refusing = (status: string, isRefused: () => boolean = () => true): Break => ({
  there: (passing) => {
    if (changesTo(passing, status) && isRefused()) Object.assign(passing.sent ?? {}, { status: 'nonsense' });
  },
});

describe('npm run smoke', () => {
  it.each(['the environment', 'an argument'])(
    'passes with the key from %s and leaves four void transactions',
    async (from) => {
      const caller = await newCaller();
      const { url } = await startApi();
      const [args, key] = from === 'an argument' ? [[url, caller.key], null] : [[`${url}/`], caller.key];
      const { code, out, err } = await smoke(args, key);
      expect([code, err]).toEqual([0, '']);
      expect(out.match(/^ok +\d+ ms {2}\S/gm)).toHaveLength(12);
      expect(out).toContain('Voided 4 of 4');
      expect(out).not.toContain(caller.key);
      const rows = await stored(caller);
      expect(listStates(rows)).toEqual([voided, voided, voided, voided]);
      const prefix = /smoke_[0-9a-f-]{36}/.exec(out)?.[0];
      expect(rows.map(({ reference_id }) => reference_id)).toEqual(
        ['draft', 'estimate', 'full', 'partial'].map((name) => `${prefix}_${name}`),
      );
    },
  );

  it('passes behind a REST API of API Gateway, which renames response headers', async () => {
    const caller = await newCaller();
    const renamed: string[] = [];
    const { failure, left } = await broken(caller, {
      back: ({ headers }) => {
        for (const name of renamedByGateway) {
          const value = headers.get(name);
          if (value === null) continue;
          renamed.push(name);
          headers.set(`x-amzn-Remapped-${name}`, value);
          headers.delete(name);
        }
      },
    });
    expect([failure, left]).toEqual([null, []]);
    expect(renamed).toContain('WWW-Authenticate');
  });

  it('exits with 1 and prints the failed check', async () => {
    const { url } = await startApi();
    const { code, out, err } = await smoke([url], 'levy_nobody');
    expect([code, err]).toEqual([1, '']);
    expect(out).toMatch(
      /FAILED .*draft invoice: create a draft\n +status is 401, expected 201 \(auth_\w+: .*\), request \S+\n/,
    );
    expect(out).toMatch(/Voided 0 of 0 .*\nFailed\.\n$/);
  });

  it.each([
    ['no key', ['https://levy.example.com'], /LEVY_API_KEY/],
    ['an address without TLS', ['http://levy.example.com', 'levy_x'], /https/],
    ['a query', ['https://levy.example.com/?x=1', 'levy_x'], /without a user name, password, query or fragment/],
  ])('rejects %s', async (_, args, message) => {
    expectFailure(await smoke(args, null), message);
  });
});

/** A fault in the responses to certain requests. */
const back = (isBroken: (passing: Passing) => boolean, change: (passed: Passed) => unknown): Break => ({
  back: (passed, passing) => {
    if (isBroken(passing)) change(passed);
  },
});
const withBody = (changes: object) => (passed: Passed) => inBody(passed, (body) => Object.assign(body, changes));

const setHeader = (name: string, value: string) => (passed: Passed) => passed.headers.set(name, value);
const isContract = ({ path }: Passing) => path === '/openapi.json';
const isAnonymous = ({ headers }: Passing) => !headers['x-api-key'];
const isRead = ({ method, path }: Passing) => method === 'GET' && /^\/transactions\/txn/.test(path);
const isCreditCalculation = ({ path, sent }: Passing) =>
  path === '/calculations' && Boolean(sent?.['parent_transaction_id']);
const isFinalization = (passing: Passing) => changesTo(passing, 'finalized');
const acceptUnauthorized = (passed: Passed) =>
  passed.status === 401 && Object.assign(passed, { status: 200, text: '{"object":"list","data":[]}' });

/** Expected message, number of transactions, fault. */
const cases: readonly (readonly [RegExp, number, Break])[] = [
  [
    /Content-Type is text\/plain, expected application\/json/,
    0,
    back(isContract, setHeader('Content-Type', 'text/plain')),
  ],
  [/status is 200, expected 401/, 0, back(isAnonymous, acceptUnauthorized)],
  [/X-Content-Type-Options is missing/, 1, back(isCreate, ({ headers }) => headers.delete('X-Content-Type-Options'))],
  [/Access-Control-Allow-Origin is present/, 1, back(isCreate, setHeader('Access-Control-Allow-Origin', '*'))],
  [/Cache-Control is "public"/, 1, back(isCreate, setHeader('Cache-Control', 'public'))],
  [/status is 409, expected 201 \(conflict/, 1, { there: ({ headers }) => void delete headers['idempotency-key'] }],
  [/status is 422, expected 200/, 1, refusing('finalized')],
  [/refund_status of the sale is "none", expected "full"/, 3, back(isRead, withBody({ refund_status: 'none' }))],
  [
    /tax_amount of the credit is "3.00", expected "6.00"/,
    4,
    back(isCreditCalculation, withBody({ tax_amount: '6.00' })),
  ],
  [/the body is not JSON/, 1, back(isFinalization, (passed) => Object.assign(passed, { text: '<html>' }))],
];

describe('npm run smoke', () => {
  it.each(cases)('detects %s, and leaves only void transactions', async (message, made, how) => {
    const caller = await newCaller();
    const { failure, left, failed } = await broken(caller, how);
    expect(failure).toMatch(message);
    expect(failed).toHaveLength(1);
    expect(left).toEqual([]);
    expect(listStates(await stored(caller))).toEqual(Array.from({ length: made }, () => voided));
  });
});

describe('transactions of npm run smoke', () => {
  it('finds a transaction by its reference and voids it if the response was lost', async () => {
    const caller = await newCaller();
    const { failure, left } = await broken(caller, {
      back: (_, passing) => (isCreate(passing) && passing.sent?.type === 'credit' ? 'hang up' : undefined),
    });
    expect(failure).toMatch(/^POST \/transactions: no response \(/);
    expect(left).toEqual([]);
    const rows = await stored(caller);
    expect(rows.map(({ type }) => type)).toEqual(['sale', 'sale', 'credit']);
    expect(listStates(rows)).toEqual([voided, voided, voided]);
  });

  it('voids the transaction even if two of three void requests fail', async () => {
    const caller = await newCaller();
    let voids = 0;
    const { failure, left } = await broken(
      caller,
      refusing('void', () => ++voids % 3 !== 0),
    );
    expect([failure, left]).toEqual([null, []]);
    expect(listStates(await stored(caller))).toEqual([voided, voided, voided, voided]);
  });

  it('reports the id of a transaction that it cannot void', async () => {
    const caller = await newCaller();
    const { failure, left, lines } = await broken(caller, {
      ...refusing('void'),
      // The response reports success.
      ...back(
        (passing) => changesTo(passing, 'nonsense'),
        (passed) => Object.assign(passed, { status: 200, text: '{"status":"void"}' }),
      ),
    });
    expect(failure).toBeNull();
    const rows = await stored(caller);
    expect(left.map(({ id }) => id).sort()).toEqual(rows.map(({ id }) => id).sort());
    expect(lines.at(-1)).toContain('Voided 0 of 4');
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['finalized']));
  });

  it('voids its own transaction, and no other, if responses contain another transaction', async () => {
    const caller = await newCaller();
    const foreign = await sold(connectClient(caller), { reference_id: 'invoice_1' });
    const { failure, left } = await broken(caller, {
      back: (passed, passing) => {
        if (isCreate(passing)) passed.text = JSON.stringify(foreign);
        if (passing.path.startsWith('/transactions?')) inBody(passed, (body) => body.data?.unshift(foreign));
      },
    });
    expect(failure).toMatch(/reference_id is "invoice_1"/);
    expect(left).toEqual([]);
    expect(listStates(await stored(caller))).toEqual(['finalized: null', voided]);
  });

  it('voids its transaction if the run is stopped', async () => {
    const caller = await newCaller();
    const proxy = await breakingProxy((await startApi()).url, {});
    const print = (line: string) => void (line.includes('estimate: calculate') && session.stop());
    const session = newSession({ url: proxy.url, key: caller.key, timeoutMs: 10_000, print });
    const { failure, left } = await runSmoke(session);
    proxy.close();
    expect([failure, left]).toEqual(['The run was stopped.', []]);
    expect(listStates(await stored(caller))).toEqual([voided]);
  });
});
