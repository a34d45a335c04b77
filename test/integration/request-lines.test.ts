import type { ConsumedCapacity as Consumed } from '@aws-sdk/client-dynamodb';
import type { Context } from 'aws-lambda';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endpoints, type Operation } from '../../functions/endpoints.ts';
import { handlers } from '../../infra/local/handlers.ts';
import { published } from '../../shared/observability/metric.ts';
import { requestLines } from '../../shared/observability/tally.ts';
import { database } from '../../shared/store/client/client.ts';
import { anonymous, type Caller, connectClient, newCaller, newClient, startApi } from '../support/api.ts';
import { emfProblems } from '../support/embedded-metric-format.ts';
import { failSends, lostResponse, noFaults, useSdk } from '../support/faults.ts';
import { hurriedCall } from '../support/gateway.ts';
import type { ApiResponse } from '../support/http.ts';
import { metricLines } from '../support/log-watch.ts';
import { dayMs, later, made, michigan, sale, sold } from '../support/sales.ts';

published.areAll = true;

afterEach(noFaults);

type Line = ReturnType<typeof metricLines>[number];
const directive = (names: readonly string[], by?: string) => ({
  Namespace: 'Levy',
  Dimensions: [by ? [by] : []],
  Metrics: names.map((Name) => ({ Name })),
});
const duration = {
  Namespace: 'Levy',
  Dimensions: [['operation']],
  Metrics: [{ Name: 'Duration', Unit: 'Milliseconds' }],
};
const getRequestId = ({ headers }: ApiResponse) => headers.get('X-Request-Id');

/** Returns the log lines of a request by its id, because others can be written at the same time. */
const listLines = (response: ApiResponse): Line[] =>
  metricLines().filter(({ request_id }) => request_id === getRequestId(response));
const getLine = (response: ApiResponse): Line => {
  const [line, ...others] = listLines(response);
  if (!line || others.length > 0) throw new Error(`There are ${listLines(response).length} lines.`);
  return line;
};
const time = { _aws: { Timestamp: expect.any(Number), CloudWatchMetrics: expect.any(Array) } };
const used = { Duration: expect.any(Number), database_calls: expect.any(Number), database_units: expect.any(Number) };

describe('the log line of a request', () => {
  it.each(Object.keys(endpoints) as Operation[])(
    'contains the operation, the account, the status and the durations of %s',
    async (operation) => {
      const { method, path, scope } = endpoints[operation];
      const caller = await newCaller();
      const response = await caller.call(
        method,
        path.replace('{id}', 'tx_none'),
        method === 'POST' ? { body: {} } : {},
      );
      const line = getLine(response);
      expect(line).toMatchObject({ request_id: getRequestId(response), operation, status: response.status, ...used });
      expect(line['account']).toBe(scope === null ? undefined : caller.account.id);
      expect(line['code']).toBe(response.body?.errors?.[0].code);
      expect(line['_aws'].CloudWatchMetrics[0]).toEqual(duration);
      expect(line['Duration']).toBeGreaterThan(0);
    },
  );

  it('contains exactly the documented fields for a calculation and an error, in less than 600 bytes', async () => {
    const { account, call } = await newCaller();
    const buildFields = (response: ApiResponse, metrics: unknown[], fields: object) => ({
      _aws: { Timestamp: expect.any(Number), CloudWatchMetrics: [duration, ...metrics] },
      request_id: getRequestId(response),
      operation: 'create-calculation',
      status: response.status,
      account: account.id,
      ...used,
      KeyKept: 0,
      ...fields,
    });
    const calculated = await call('POST', '/calculations', { body: sale() });
    const metrics = [directive(['KeyKept', 'ContentKept']), directive(['Tax'], 'state')];
    const tax = { ContentKept: expect.any(Number), state: 'US-MI', Tax: 6 };
    expect(getLine(calculated)).toEqual(buildFields(calculated, metrics, tax));
    expect(JSON.stringify(getLine(calculated)).length).toBeLessThan(600);
    const { call: again, account: other } = await newCaller();
    const refused = await again('POST', '/calculations', { body: { line_items: 7 } });
    const { code } = refused.body.errors[0];
    const refusal = buildFields(refused, [directive(['KeyKept']), directive(['Refused'], 'code')], {
      code,
      Refused: 1,
    });
    expect(getLine(refused)).toEqual({ ...refusal, account: other.id });
  });

  it('omits the account if credentials are missing, and includes it if the request is rejected later', async () => {
    const stranger = await anonymous.call('GET', '/transactions');
    expect(getLine(stranger)).toEqual({
      ...time,
      request_id: getRequestId(stranger),
      operation: 'list-transactions',
      status: 401,
      Duration: expect.any(Number),
      database_calls: 0,
      database_units: 0,
      code: 'auth_error',
      Refused: 1,
    });
    const reader = await newCaller({ scopes: ['read'] });
    const forbidden = await reader.call('POST', '/transactions', { body: sale() });
    expect(getLine(forbidden)).toMatchObject({ status: 403, account: reader.account.id, code: 'auth_forbidden' });
    const limited = await newCaller({ settings: { rate_limit: 0 } });
    const refused = await limited.call('GET', '/coverage');
    expect(getLine(refused)).toMatchObject({ status: 429, account: limited.account.id, code: 'rate_limit_error' });
  });

  it("includes the function's name for a method that a path does not have, and none for a gateway error", async () => {
    const response = await anonymous.call('DELETE', '/transactions');
    expect(getLine(response)).toMatchObject({
      operation: 'method-not-allowed',
      status: 405,
      code: 'method_not_allowed',
    });
    const unknown = await anonymous.call('GET', '/nowhere');
    expect([unknown.status, listLines(unknown)]).toEqual([404, []]);
  });

  it('writes one line for a bug, an outage and a timeout', async () => {
    const caller = await newCaller();
    const { id } = await sold(connectClient(caller));
    const asked = (call: Caller['call'] = caller.call) => call('GET', `/transactions/${id}`);
    const failed = { operation: 'get-transaction', account: caller.account.id };
    const outage = { ...failed, status: 503, code: 'system_service_unavailable' };
    const where = { where: 'on the way there', of: ['GetItem'] } as const;
    failSends({ error: () => new TypeError('undefined is not a function'), ...where });
    const bug = await asked();
    expect(getLine(bug)).toMatchObject({ ...failed, status: 500, code: 'system_internal_error' });
    expect(bug.headers.get('X-RateLimit-Limit')).toBe('2000');
    failSends({ error: lostResponse, ...where });
    expect(getLine(await asked())).toMatchObject(outage);
    noFaults();
    useSdk();
    // The outage affects only the ledger's read, because the limiter can write a count at the same time.
    database.middlewareStack.add(
      (next, { commandName }) =>
        (sent) =>
          commandName === 'GetItemCommand' ? new Promise(() => {}) : next(sent),
      { step: 'finalizeRequest', name: 'fault' },
    );
    expect(getLine(await asked(await soon(caller)))).toMatchObject(outage);
  });

  it('counts credentials that cannot be read as an outage and not as a rejected credential', async () => {
    const unread = () => metricLines().filter(({ CredentialsUnread }) => CredentialsUnread !== undefined);
    const before = unread().length;
    await anonymous.call('GET', '/coverage', { headers: { 'X-API-Key': 'levy_none' } });
    expect(unread().length).toBe(before);
    const caller = await newCaller();
    failSends({ error: lostResponse, where: 'on the way there', of: ['GetItem'] });
    const response = await caller.call('GET', '/coverage');
    expect(unread().slice(before)).toEqual([{ ...time, CredentialsUnread: 1, error: 'TimeoutError' }]);
    expect(getLine(response)).toMatchObject({ status: 503, code: 'system_service_unavailable' });
    expect(getLine(response)).not.toHaveProperty('account');
  });

  it('contains neither the probes nor the handled refusals of the TaxJar-compatible API', async () => {
    const { key } = await newCaller();
    const { url } = await startApi();
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const ask = async (method: 'GET' | 'POST', path: string, body?: object) =>
      (await fetch(`${url}/taxjar/v2/${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      })) as never as ApiResponse;
    const rates = await ask('GET', 'rates/10001');
    expect(getLine(rates)).not.toHaveProperty('Tax');
    const line_items = [{ id: '1', quantity: 1, unit_price: 100 }];
    const taxes = await ask('POST', 'taxes', {
      to_country: 'US',
      to_state: 'NY',
      to_zip: '10001',
      shipping: 0,
      line_items,
    });
    // New York City: 8.875 %, including shipping.
    expect(getLine(taxes)).toMatchObject({ state: 'US-NY', Tax: 8.88 });
    const customer = { customer_id: 'c', name: 'C', exemption_type: 'wholesale' };
    const created = await ask('POST', 'customers', customer);
    expect([created.status, getLine(created)['code']]).toEqual([201, undefined]);
    expect(getLine(await ask('GET', 'rates/2108'))).toHaveProperty('code');
    const to = { to_country: 'US', to_state: 'NY', to_zip: '10001', shipping: 0 };
    const invalid = await ask('POST', 'taxes', { ...to, line_items: [{ quantity: 'two', unit_price: 1 }] });
    expect([invalid.status, getLine(invalid)]).toMatchObject([406, { code: 'validation_invalid_format', Refused: 1 }]);
  });

  it('writes no line if request lines are off', async () => {
    const { call } = await newCaller();
    requestLines.areOn = false;
    const response = await call('POST', '/calculations', { body: sale() });
    requestLines.areOn = true;
    expect([response.status, listLines(response)]).toEqual([200, []]);
  });
});

describe('request lines with essential metrics', () => {
  beforeEach(() => {
    published.areAll = false;
  });
  afterEach(() => {
    published.areAll = true;
  });
  const publishedBy = (response: ApiResponse) => getLine(response)['_aws'].CloudWatchMetrics;

  it('publishes only the duration of a calculation, and writes all fields in the line', async () => {
    const { call } = await newCaller();
    const calculation = await call('POST', '/calculations', { body: sale() });
    expect(publishedBy(calculation)).toEqual([duration]);
    expect(getLine(calculation)).toMatchObject({ KeyKept: 0, state: 'US-MI', Tax: 6, ...used });
  });

  it('publishes an error as a metric only if an alarm reads its code', async () => {
    const caller = await newCaller();
    const refused = await caller.call('POST', '/calculations', { body: { line_items: 7 } });
    expect(publishedBy(refused)).toEqual([duration]);
    expect(getLine(refused)).toMatchObject({ code: refused.body.errors[0].code, Refused: 1 });
    const { id } = await sold(connectClient(caller));
    failSends({ error: () => new TypeError('no'), where: 'on the way there', of: ['GetItem'] });
    const failed = await caller.call('GET', `/transactions/${id}`);
    expect(publishedBy(failed)).toEqual([duration, directive(['Refused'], 'code')]);
    expect(getLine(failed)).toMatchObject({ code: 'system_internal_error', Refused: 1 });
  });

  it('publishes a failure and a recorded transaction', async () => {
    const caller = await newCaller();
    const created = await caller.call('POST', '/transactions', { body: sale({ status: 'finalized' }) });
    expect(publishedBy(created)).toEqual([duration, directive(['Recorded'])]);
    const stranger = await newCaller();
    const before = metricLines().length;
    failSends({ error: lostResponse, where: 'on the way there', of: ['GetItem'] });
    await stranger.call('GET', '/coverage');
    const counted = metricLines()
      .slice(before)
      .flatMap((line) => line['_aws'].CloudWatchMetrics.flatMap(({ Metrics }) => Metrics));
    expect(counted).toContainEqual({ Name: 'CredentialsUnread', Unit: 'Count' });
  });
});

/** The API with a function timeout of just over half a second: functions must respond before the database does. */
const soon = (caller: Caller) =>
  hurriedCall(caller, {
    ...handlers,
    endpoints: {
      ...handlers.endpoints,
      'get-transaction': (event, context) =>
        handlers.endpoints['get-transaction'](event, { ...context, getRemainingTimeInMillis: () => 700 }),
    },
  });

describe('the counts of a line', () => {
  it('counts the calls and units that the database charged for this request alone', async () => {
    const callers = await Promise.all(Array.from({ length: 6 }, () => newCaller()));
    const sales = await Promise.all(callers.map((caller) => sold(connectClient(caller))));
    // Warm: the key is cached, and the limiter has a lease. A strongly consistent read of at most 4 KB is one unit.
    const alone = await Promise.all(callers.map((caller, at) => caller.call('GET', `/transactions/${sales[at]?.id}`)));
    for (const response of alone) expect(getLine(response)['KeyKept']).toBe(1);
    const [one] = callers as [Caller];
    const charged: number[] = [];
    useSdk();
    database.middlewareStack.add(
      (next) => async (sent) => {
        const response = await next(sent);
        const { ConsumedCapacity = [] } = response.output as { ConsumedCapacity?: Consumed | Consumed[] };
        charged.push([ConsumedCapacity].flat().reduce((sum, { CapacityUnits = Number.NaN }) => sum + CapacityUnits, 0));
        return response;
      },
      { step: 'deserialize', name: 'charge', priority: 'high' },
    );
    const response = await one.call('POST', '/transactions', { body: sale({ status: 'finalized' }) });
    database.middlewareStack.remove('charge');
    const line = getLine(response);
    expect(charged.length).toBeGreaterThan(0);
    expect(line['database_calls']).toBe(charged.length);
    expect(line['database_units']).toBe(charged.reduce((sum, units) => sum + units, 0));
    expect(line['database_units']).toBeGreaterThan(2);
    // Concurrently: a write of many units and a read of one, each with a separate count.
    const together = await Promise.all(
      callers.flatMap((caller, at) => [
        caller.call('POST', '/transactions', { body: sale({ status: 'finalized' }) }),
        caller.call('GET', `/transactions/${sales[at]?.id}`),
      ]),
    );
    for (const { operation, database_calls, database_units } of together.map(getLine)) {
      // The limiter can add one call of one unit to take a lease.
      const most = operation === 'get-transaction' ? 2 : Number(line['database_units']) + 1;
      expect(database_calls).toBeLessThanOrEqual(
        operation === 'get-transaction' ? 2 : Number(line['database_calls']) + 1,
      );
      expect(database_units).toBeLessThanOrEqual(most);
      expect(database_units).toBeGreaterThanOrEqual(1);
    }
  });

  it('counts cached and read keys and content', async () => {
    const { call } = await newCaller();
    const asked = async () => {
      const { KeyKept, ContentKept } = getLine(await call('POST', '/calculations', { body: sale() }));
      return [KeyKept, ContentKept];
    };
    await asked();
    expect(await asked()).toEqual([1, 1]);
    expect(await later(61_000, asked)).toEqual([0, 0]);
  });

  it('includes the tax of each state of a transaction, in dollars', async () => {
    const { call } = await newCaller();
    const elsewhere = { ...michigan, line1: '350 W Georgia Street', city: 'Salem', state: 'OR', postal_code: '97301' };
    const line = { product_tax_code: 'GENERAL', quantity: '1', unit_price: '0.99' };
    const body = sale({ line_items: [line, { ...line, customer: { address: elsewhere } }] });
    const response = await call('POST', '/calculations', { body });
    const [first, second, ...others] = listLines(response);
    const taxes = [first, second].map((written) => [written?.['state'], written?.['Tax']]);
    expect(Object.fromEntries(taxes)).toEqual({ 'US-MI': 0.06, 'US-OR': 0 });
    expect(Number(response.body.tax_amount)).toBe(0.06);
    expect(others).toEqual([]);
    expect(second).toEqual({
      _aws: { Timestamp: expect.any(Number), CloudWatchMetrics: [directive(['Tax'], 'state')] },
      request_id: getRequestId(response),
      state: second?.['state'],
      Tax: second?.['Tax'],
    });
  });

  it('counts a new transaction once, with its tax, but not its replay, rejection, update or a calculation', async () => {
    const { call } = await newCaller();
    const create = (body: object, headers = {}) => call('POST', '/transactions', { body, headers });
    const order = sale({ reference_id: 'order_1' });
    const once = { 'Idempotency-Key': 'once' };
    const [first, replay] = [await create(order, once), await create(order, once)];
    expect([replay.status, replay.body.id]).toEqual([201, first.body.id]);
    const taken = await create(order);
    const finalized = await call('POST', `/transactions/${first.body.id}`, { body: { status: 'finalized' } });
    const calculated = await call('POST', '/calculations', { body: sale() });
    const credit = { type: 'credit', status: 'finalized', parent_transaction_id: first.body.id };
    const [credited, over] = [await create(credit), await create(credit)];
    const euro = await call('POST', '/calculations', { body: sale({ currency: 'EUR' }) });
    const found = [first, replay, taken, finalized, calculated, credited, over, euro].map((response) => {
      const line = getLine(response);
      const isMetric = JSON.stringify(line['_aws'].CloudWatchMetrics).includes('"Recorded"');
      return [response.status, line['Recorded'], isMetric, line['Tax']];
    });
    expect(found).toEqual([
      [201, 1, true, 6],
      [201, undefined, false, undefined],
      [409, undefined, false, undefined],
      [200, undefined, false, undefined],
      [200, undefined, false, 6],
      [201, 1, true, -6],
      [409, undefined, false, undefined],
      [200, undefined, false, undefined],
    ]);
  });
});

describe('the log line of a schedule run', () => {
  const schedule = (...names: string[]) => ({
    Timestamp: expect.any(Number),
    CloudWatchMetrics: [directive(names, 'schedule')],
  });
  const run = async (name: 'sweep-drafts' | 'close-periods') => {
    const before = metricLines().length;
    const done = handlers.schedules[name]({}, { getRemainingTimeInMillis: () => 240_000 } as Context);
    const [failed] = (await Promise.allSettled([done])).map(({ status }) => status === 'rejected');
    return { failed, lines: metricLines().slice(before) };
  };
  const closed = { schedule: 'close-periods', Created: 0, Worked: 0, Finished: 0, Complete: 1, Failed: 0, ...used };

  it('counts the voided and skipped drafts of sweep-drafts, and states whether it is complete', async () => {
    const due = await later(40 * dayMs, () => run('sweep-drafts'));
    const client = await newClient();
    await made(client.create(sale()));
    await made(client.create(sale()));
    const { lines } = await later(40 * dayMs, () => run('sweep-drafts'));
    const _aws = schedule('Voided', 'Skipped', 'Complete');
    expect(due.lines).toHaveLength(1);
    expect(lines).toEqual([{ _aws, schedule: 'sweep-drafts', Voided: 2, Skipped: 0, Complete: 1, ...used }]);
    // Each draft is read and written, and the index is queried, so each takes at least one call and one unit.
    expect(lines[0]?.['database_calls']).toBeGreaterThan(4);
    expect(lines[0]?.['database_units']).toBeGreaterThan(4);
  });

  it('counts created, processed, finished and failed filings of close-periods, or only alarm metrics if metrics=essential', async () => {
    const names = ['Created', 'Worked', 'Finished', 'Complete', 'Failed'];
    expect((await run('close-periods')).lines).toEqual([{ _aws: schedule(...names), ...closed }]);
    published.areAll = false;
    const { lines } = await run('close-periods');
    published.areAll = true;
    expect(lines).toEqual([{ _aws: schedule('Complete', 'Failed'), ...closed }]);
  });

  it('writes no line for a failed run, so the alarm detects the failure', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    failSends({ error: () => new TypeError('no'), where: 'on the way there' });
    expect(await run('close-periods')).toEqual({ failed: true, lines: [] });
  });
});

afterAll(() => {
  const lines = metricLines();
  expect(lines.length).toBeGreaterThan(50);
  // CloudWatch silently drops lines that it cannot parse.
  expect(lines.flatMap((line) => emfProblems(line))).toEqual([]);
});
