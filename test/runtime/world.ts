/**
 * Provides the database, the account and the servers that the functions use, and a gateway in front of the function
 * under test.
 */
import { strict as assert } from 'node:assert';
import type { Entry } from '../../infra/bundling.ts';
import { createGateway } from '../../infra/local/gateway.ts';
import { handlers } from '../../infra/local/handlers.ts';
import { openStream, readRecords } from '../../infra/local/table-stream.ts';
import type { Settings } from '../../shared/accounts/account.ts';
import { environment } from '../../shared/config/environment.ts';
import { listProblems } from '../contract/validate-response.ts';
import { newCaller } from '../support/api.ts';
import { openEventBus } from '../support/event-bus-server.ts';
import { type Answer, listen, type Request, send } from '../support/http.ts';
import { openPublisherServer, smallFiles } from '../support/publisher-server.ts';
import { dayMs, later, sale } from '../support/sales.ts';
import type { Instance } from './instance.ts';

type Call = (method: string, path: string, request?: Request) => Promise<Answer<any>>;

const day = (year: number, month: number, date: number) =>
  new Date(Date.UTC(year, month, date)).toISOString().slice(0, 10);
/** Returns the calendar month this many months ago. */
const monthBefore = (months: number) => {
  const today = new Date();
  const [year, month] = [today.getUTCFullYear(), today.getUTCMonth() - months];
  return { start: day(year, month, 1), eighth: day(year, month, 8), end: day(year, month + 1, 0) };
};
const quarter = () => `${new Date().getUTCFullYear()}Q${Math.floor(new Date().getUTCMonth() / 3) + 1}`;

const registered: Partial<Settings> = {
  registrations: [{ state: 'MI', from: '2020-01-01', to: null, frequency: 'month' }],
};

/** Throws if a response does not match the OpenAPI document, which TaxJar's interface is not part of. */
const checkContract = (method: string, path: string, { status, headers, body, text }: Answer): void => {
  if (path.startsWith('/taxjar/')) return;
  const isJson = headers.get('Content-Type')?.startsWith('application/json') === true;
  const sent = isJson ? body : text;
  assert.deepEqual(listProblems({ method, path, status, headers, body: text === '' ? null : sent }), []);
};

export const openWorld = async () => {
  const stream = await openStream(environment.tables.transactions);
  const caller = await newCaller({ scopes: ['read', 'write', 'settings'], settings: registered });
  const [bus, publisher] = [await openEventBus(), await openPublisherServer([])];
  publisher.publish(smallFiles('KS', { quarter: quarter() }));
  let running: { readonly name: Entry; readonly instance: Instance } | null = null;
  const invoke = async (name: string, event: unknown): Promise<unknown> => {
    if (running?.name !== name) throw new Error(`The gateway invoked ${name}, and ${running?.name} runs.`);
    return running.instance.invoke(event);
  };
  const endpoints = Object.fromEntries(
    Object.keys(handlers.endpoints).map((name) => [name, (event: unknown) => invoke(name, event)]),
  ) as never;
  // The longest timeout of an endpoint, including a cold start on a busy machine.
  const gateway = await listen(createGateway({ handlers: { ...handlers, endpoints }, timeoutMs: 20_000 }));
  const call: Call = async (method, path, request = {}) => {
    const headers = { 'X-API-Key': caller.key, ...request.headers };
    const answer = await send(gateway.url, method, path, { ...request, headers });
    checkContract(method, path, answer);
    return answer;
  };
  const seedAs = async ({ call: own }: typeof caller, method: string, path: string, request?: Request) => {
    const answer: Answer<any> = await own(method, path as never, request);
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const period = monthBefore(1);
  const toSale = (others: object) => sale({ tax_date: period.eighth, ...others });
  const kept = new Map<string, string>();
  let sales = 0;
  return {
    bus,
    publisher,
    period,
    toSale,
    call,
    invoke,
    account: caller.account.id,
    /** Calls the service in this process, which runs the source code. */
    seed: (method: string, path: string, request?: Request) => seedAs(caller, method, path, request),
    /** Returns all records of the ledger's stream so far, in the format that Lambda delivers. */
    records: () => readRecords(stream),
    /** Stores the id of the first object with a name. */
    keep: (name: string, id: string) => void (kept.has(name) || kept.set(name, id)),
    /** Counts a finalized sale of 100.00, included in `sales`. */
    countSale: () => {
      sales += 1;
    },
    sales: () => sales,
    kept: (name: string): string => kept.get(name) ?? '',
    expiredDraft: (): Promise<string> =>
      later(-2 * dayMs, async () => (await seedAs(caller, 'POST', '/transactions', { body: toSale({}) })).id),
    accountWithDuePeriod: async (): Promise<string> => {
      const other = await newCaller({ settings: registered });
      const body = sale({ status: 'finalized', tax_date: monthBefore(2).eighth });
      return (await seedAs(other, 'POST', '/transactions', { body })).id;
    },
    /** Makes an instance the function under test. */
    use: (name: Entry, instance: Instance) => {
      running = { name, instance };
    },
    close: async () => {
      gateway.close();
      await Promise.all([bus.close(), publisher.close()]);
    },
  };
};
export type World = Awaited<ReturnType<typeof openWorld>>;
