import { endpoints, type Operation } from '../../functions/endpoints.ts';
import { invoke } from '../../infra/local/gateway.ts';
import { handlers } from '../../infra/local/handlers.ts';
import { advanceClock } from '../../shared/config/clock.ts';
import { environment } from '../../shared/config/environment.ts';
import { tables } from '../../shared/store/table-definitions.ts';
import { newCaller } from '../support/api.ts';
import { callHandler } from '../support/handler-calls.ts';
import { itemSize, scannedItems } from '../support/raw-items.ts';
import { buildRequest } from './content.ts';
import { countDatabaseUse } from './database.ts';

/** The fields of responses that the benches read, and the size of the response. */
type ApiResponse = { readonly id: string; readonly status: string; readonly bytes: number };
type Send = (operation: Operation, body?: unknown, id?: string) => Promise<ApiResponse>;

const newSender = async (): Promise<Send> => {
  const apiKey = (await newCaller()).key;
  return async (operation, body, id = '') => {
    const { method, path } = endpoints[operation];
    const key = method === 'POST' && { 'Idempotency-Key': crypto.randomUUID() };
    const request = { body, headers: { 'X-API-Key': apiKey, ...key } };
    const { status, body: response, text } = await callHandler(method, path.replace('{id}', id), request, 60_000);
    if (status >= 300) throw new Error(`${operation} returned ${status}: ${text}`);
    return { ...response, bytes: Buffer.byteLength(text) };
  };
};

const create = (send: Send, lines: number, status: string, tax_date = buildRequest(1).tax_date) =>
  send('create-transaction', { ...buildRequest(lines), tax_date, status, reference_id: crypto.randomUUID() });
const credit = (send: Send, parent_transaction_id: string, tax_date = buildRequest(1).tax_date) =>
  send('create-transaction', {
    status: 'finalized',
    type: 'credit',
    parent_transaction_id,
    reference_id: crypto.randomUUID(),
    tax_date,
    line_items: [{ id: 'sku-1000', quantity: '0.5' }],
  });

/** Prepares a request, and returns the function that sends it. */
type Prepare = (send: Send, lines: number) => Promise<() => Promise<ApiResponse>>;
const direct =
  (request: (send: Send, lines: number) => Promise<ApiResponse>): Prepare =>
  async (send, lines) =>
  () =>
    request(send, lines);
const after =
  (status: string, request: (send: Send, id: string, lines: number) => Promise<ApiResponse>): Prepare =>
  async (send, lines) => {
    const { id } = await create(send, lines, status);
    return () => request(send, id, lines);
  };
const update = (status: string) => (send: Send, id: string) => send('update-transaction', { status }, id);

const requests: Readonly<Record<string, Prepare>> = {
  calculation: direct((send, lines) => send('create-calculation', buildRequest(lines))),
  'create draft': direct((send, lines) => create(send, lines, 'draft')),
  'update draft': after('draft', (send, id, lines) =>
    send('update-transaction', { line_items: buildRequest(lines, 1).line_items }, id),
  ),
  finalize: after('draft', update('finalized')),
  'create finalized': direct((send, lines) => create(send, lines, 'finalized')),
  credit: after('finalized', (send, id) => credit(send, id)),
  void: after('finalized', update('void')),
  get: after('finalized', (send, id) => send('get-transaction', undefined, id)),
  list: direct((send) => send('list-transactions')),
};
const warmUps = 60;

const { indexes } = tables.transactions;
type Items = readonly Readonly<Record<string, unknown>>[];
const getBytes = (items: Items): number => items.reduce((sum, item) => sum + itemSize(item), 0);

const listRows = (items: Items): Items =>
  indexes.flatMap(({ partition, sort, include }) => {
    const names = ['pk', 'sk', partition, sort, ...include];
    return items
      .filter((item) => item[partition] !== undefined && item[sort] !== undefined)
      .map((item) => Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name))));
  });

const stored = async () => {
  const all = await scannedItems(environment.tables.transactions);
  const responses = all.filter(({ sk }) => sk === 'I');
  const saved = getBytes(responses);
  return { items: all, table: getBytes(all) - saved, indexes: getBytes(listRows(all)), saved };
};

type Step = Readonly<
  Record<'calls' | 'writes' | 'indexWrites' | 'reads' | 'table' | 'indexes' | 'saved' | 'response', number>
>;

/** Returns the database calls, units and stored bytes per transaction of a run that changes this many transactions. */
const readStep = async (run: () => Promise<Partial<ApiResponse>>, count = 1): Promise<Step> => {
  const before = await stored();
  let response = 0;
  const use = await countDatabaseUse(async () => {
    ({ bytes: response = 0 } = await run());
  });
  const after = await stored();
  const each = (amount: number) => Math.round(amount / count);
  return {
    calls: each(use.reads + use.writes),
    writes: each(use.writeUnits),
    indexWrites: each(use.indexWriteUnits),
    reads: each(use.readUnits),
    table: each(after.table - before.table),
    indexes: each(after.indexes - before.indexes),
    saved: each(after.saved - before.saved),
    response,
  };
};

// One of three runs may need an additional call for the rate limit.
const measureLeast = async (measure: () => Promise<Step>): Promise<Step> => {
  const steps = [await measure(), await measure(), await measure()];
  return steps.reduce((least, step) => (step.writes < least.writes ? step : least));
};

const soldOn = '2026-10-15T12:00:00Z';
const period = { state: 'US-MN', period_end: '2026-10-31' };
const many = 24;

/** Closes the period of this many sales, with a credit of each or none, and marks it as filed. */
const filed = async (lines: number, sales: number, hasCredits: boolean): Promise<Step> => {
  const send = await newSender();
  for (let made = 0; made < sales; made += 1) {
    const { id } = await create(send, lines, 'finalized', soldOn);
    if (hasCredits) await credit(send, id, soldOn);
  }
  return readStep(async () => {
    let filing = await send('create-filing', period);
    while (filing.status === 'closing') filing = await send('create-filing', period);
    await send('update-filing', { status: 'filed', confirmation_number: 'c-1' }, filing.id);
    return {};
  });
};

const share = (more: Step, less: Step): Step =>
  Object.fromEntries(
    Object.entries(more).map(([name, amount]) => [name, Math.round((amount - less[name as keyof Step]) / many)]),
  ) as Step;

const draftMs = 30 * 86_400_000;
const expired = async (lines: number): Promise<Step> => {
  const send = await newSender();
  for (let made = 0; made < many; made += 1) await create(send, lines, 'draft');
  advanceClock(draftMs);
  const invocation = { functionName: 'sweep-drafts', requestId: 'bench', timeoutMs: 240_000 };
  try {
    return await readStep(async () => {
      await invoke(handlers.schedules['sweep-drafts'], {}, invocation);
      return {};
    }, many);
  } finally {
    advanceClock(-draftMs);
  }
};

/** Measures each warm request with a number of lines, a reference and an Idempotency-Key. */
export const requestSteps = async (lines: number, given?: Send): Promise<Record<string, Step>> => {
  const send = given ?? (await newSender());
  // Warms up until the caller is cached and the instance leases many requests at once.
  for (let time = 0; time < warmUps; time += 1) await send('create-calculation', buildRequest(3));
  const steps: Record<string, Step> = {};
  for (const [name, prepare] of Object.entries(requests))
    steps[name] = await measureLeast(async () => readStep(await prepare(send, lines)));
  return steps;
};

/** Measures the inputs of `npm run cost` for each step and a sale with a number of lines, on an empty database. */
export const costMeasures = async (lines: number) => {
  // Must run before other drafts exist.
  const expire = await expired(lines);
  const send = await newSender();
  const steps: Record<string, Step> = { expire, ...(await requestSteps(lines, send)) };
  const [none, sales] = [await filed(lines, 0, false), await filed(lines, many, false)];
  const credits = await filed(lines, many, true);
  steps['file sale'] = share(sales, none);
  steps['file credit'] = share(credits, sales);
  const { id } = await create(send, lines, 'finalized');
  const sale = (await stored()).items.filter((item) => item['id'] === id);
  const rows = listRows(sale).map((row) => getBytes([row]));
  const page = await send('list-transactions');
  const bytes = {
    calculation: steps['calculation']?.response ?? 0,
    head: getBytes(sale),
    row: Math.max(...rows),
    toFilingRow: Math.round(page.bytes / 25),
  };
  return { figure: 'cost_measures', lines, steps, bytes };
};
