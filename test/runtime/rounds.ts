/**
 * Runs the deployment test's workflow against the functions in the runtime, and sends events to the other functions.
 */
import { countTransactions } from '../../functions/count-transactions.ts';
import { createGateway } from '../../infra/local/gateway.ts';
import { handlers } from '../../infra/local/handlers.ts';
import { matches, openStream } from '../../infra/local/table-stream.ts';
import type { Settings } from '../../shared/accounts/account.ts';
import { environment } from '../../shared/config/environment.ts';
import { patterns } from '../../shared/events/announce.ts';
import { listProblems } from '../contract/validate-response.ts';
import { holds, type Run, same } from '../deploy/run.ts';
import { monthBefore } from '../deploy/stack.ts';
import * as workflow from '../deploy/workflow.ts';
import { newCaller } from '../support/api.ts';
import { listen } from '../support/http.ts';
import { openPublisherServer, smallFiles } from '../support/publisher-server.ts';
import { readRecords } from '../support/raw-items.ts';
import { dayMs, later, sale } from '../support/sales.ts';
import { openEventBus } from '../support/stand-in-aws.ts';

/** Invokes a function by its name, with an instance that is started for its first event. */
export type Invoke = (name: string, event: unknown, environment?: Record<string, string>) => Promise<any>;

type Event = { readonly httpMethod: string; readonly path: string };
type ApiResponse = { readonly statusCode: number; readonly headers: Record<string, string>; readonly body: string };

/** Compares a response with the OpenAPI document, which does not describe the TaxJar-compatible API. */
const checkContract = (
  { httpMethod: method, path }: Event,
  { statusCode: status, headers, body }: ApiResponse,
): void => {
  if (path.startsWith('/taxjar/')) return;
  const isJson = headers['Content-Type']?.startsWith('application/json') === true;
  const exchange = { method, path, status, headers: new Headers(headers), body: isJson ? JSON.parse(body) : body };
  same(`${method} ${path}`, listProblems(exchange), []);
};

/** A gateway whose functions are the deployed ones. */
const openGateway = (invoke: Invoke) => {
  const served = async (name: string, event: unknown) => {
    const response = await invoke(name, event);
    checkContract(event as Event, response);
    return response;
  };
  const endpoints = Object.fromEntries(
    Object.keys(handlers.endpoints).map((name) => [name, (event: unknown) => served(name, event)]),
  ) as never;
  // The longest timeout of an endpoint, including a cold start on a busy machine.
  return listen(createGateway({ handlers: { ...handlers, endpoints }, timeoutMs: 20_000 }));
};

const settings = (): Partial<Settings> => ({
  registrations: [{ state: 'MI', from: monthBefore(2).first, to: null, frequency: 'month' }],
});

/** The workflow of a new account, and the events of its changes. */
const round = async (url: string, stream: string, invoke: Invoke): Promise<void> => {
  const { key, call } = await newCaller({ scopes: ['read', 'write', 'settings'], settings: settings() });
  const levy = workflow.connectClient(url, key);
  await workflow.lookUp(levy);
  await workflow.taxForOrder(url, key);
  const sold = await workflow.sell(levy, 'order');
  await workflow.readBack(levy, sold);
  await workflow.sellExempt(levy);
  await workflow.file(levy);
  await workflow.refusals(url, key);
  for (const path of ['/openapi.json', '/docs'])
    same(path, (await fetch(`${url}${path}`, { signal: AbortSignal.timeout(30_000) })).status, 200);
  const records = await readRecords(stream);
  const batch = (wanted: readonly object[], size: number) =>
    records.filter((record) => wanted.some((pattern) => matches(pattern as never, record))).slice(-size);
  same('counted', await invoke('count-transactions', { Records: batch(countTransactions.patterns, 100) }), null);
  const announced: { readonly event_type: string }[] = await invoke('announce-changes', batch(patterns, 5));
  holds(announced.length >= 5, `${announced.length} events`);
  await workflow.report(levy);
  const draft = await later(-2 * dayMs, () => call('POST', '/transactions', { body: sale() }));
  same('the sweep', await invoke('sweep-drafts', {}), { voided: 1, skipped: 0, complete: true });
  same('the draft', (await call('GET', `/transactions/${draft.body.id}`)).body.status, 'void');
};

/** Closes the month before last of an account with a sale in it. */
const closeDuePeriod = async (invoke: Invoke): Promise<void> => {
  const { call } = await newCaller({ settings: settings() });
  await call('POST', '/transactions', { body: sale({ status: 'finalized', tax_date: monthBefore(2).middle }) });
  const { created, complete, failed } = await invoke('close-periods', {});
  same('the periods', [created >= 1, complete, failed], [true, true, 0]);
};

/** The first run proposes a release, and the others find no newer file. */
const updateContent = async (invoke: Invoke, rounds: number): Promise<void> => {
  const [bus, publisher] = [await openEventBus(), await openPublisherServer([])];
  const today = new Date();
  publisher.publish(
    smallFiles('KS', { quarter: `${today.getUTCFullYear()}Q${Math.floor(today.getUTCMonth() / 3) + 1}` }),
  );
  const variables = {
    LEVY_CONTENT_MIRROR: publisher.url,
    LEVY_TEST_LOOPBACK_MIRROR: 'on',
    LEVY_RUNTIME_UNNAMED: 'on',
    EVENT_BUS: 'Levy',
    AWS_ENDPOINT_URL_EVENTBRIDGE: bus.url,
  };
  for (let at = 0; at < rounds; at++) {
    const { waiting, activated, failed } = await invoke('update-content', { state: 'KS' }, variables);
    same('the update', [waiting, activated, failed], [true, false, false]);
  }
  same(
    'the event',
    bus.entries.map(({ DetailType }) => DetailType),
    ['content.proposed'],
  );
  await Promise.all([bus.close(), publisher.close()]);
};

/** Runs the workflow this many times, each with a new account. */
export const runRounds = async ({ check }: Run, invoke: Invoke, rounds: number): Promise<void> => {
  const stream = await openStream(environment.tables.transactions);
  const gateway = await openGateway(invoke);
  for (let at = 1; at <= rounds; at++)
    await check(`workflow ${at} of ${rounds}`, async () => {
      await round(gateway.url, stream, invoke);
      await closeDuePeriod(invoke);
    });
  await check('updates of content', () => updateContent(invoke, 3));
  gateway.close();
};
