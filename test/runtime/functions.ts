/**
 * The events of each function and the expected responses. The order matters: functions use data that earlier ones
 * wrote. Amounts are for goods at 100.00 in Michigan, which taxes 6 % and has no local taxes.
 */

import { strict as assert } from 'node:assert';
import { countTransactions } from '../../functions/count-transactions.ts';
import { endpoints } from '../../functions/endpoints.ts';
import type { Entry } from '../../infra/bundling.ts';
import type { StreamRecord } from '../../infra/local/table-stream.ts';
import { matches } from '../../infra/local/table-stream.ts';
import { patterns } from '../../shared/events/announce.ts';
import type { Answer } from '../support/http.ts';
import type { World } from './world.ts';

export type FunctionTest = {
  readonly name: Entry;
  /** The number of invocations after the first. */
  readonly warm?: number;
  /** Environment variables of this function only. */
  readonly environment?: (world: World) => Record<string, string>;
  /** Runs before each invocation; its result is passed to `run`. */
  readonly prepare?: (world: World, at: number) => Promise<string>;
  /** Runs and checks invocation number `at`. */
  readonly run: (world: World, at: number, prepared: string) => Promise<void>;
  /** Additional invocations, which are not measured. */
  readonly after?: (world: World) => Promise<void>;
};

/** Compares only the expected fields, so the message is short. */
const checkFields = (value: any, fields: object) =>
  assert.deepEqual(Object.fromEntries(Object.keys(fields).map((name) => [name, value?.[name]])), fields);
/** Checks the status of a response and some of its fields. */
const check = ({ status, body, text }: Answer<any>, expected: number, fields: object = {}) => {
  assert.equal(status, expected, text.slice(0, 1000));
  checkFields(body, fields);
  return body;
};
const key = (text: string) => ({ 'Idempotency-Key': text });
const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
const page = ({ status, text, headers }: Answer) => {
  assert.equal(status, 200);
  assert.match(headers.get('Content-Type') ?? '', /^text\/html/);
  assert.match(text, /^<!doctype html>/i);
};
const anonymous = { headers: { 'X-API-Key': null } };

const taxed = { status: 'finalized', tax_amount: '6.00', total_amount: '106.00', currency: 'USD' };

type Sent = (world: World, at: number, prepared: string) => readonly [path: string, body?: object];
type Expected = object | ((body: any, world: World, at: number, prepared: string) => unknown);

/** Sends one request, expects 200 and checks the given fields. Sends GET without a body, POST with one. */
const answers = (name: Entry, sent: Sent, expected: Expected, others: Partial<FunctionTest> = {}): FunctionTest => ({
  name,
  run: async (world, at, prepared) => {
    const [path, body] = sent(world, at, prepared);
    const answer = await world.call(body ? 'POST' : 'GET', path, body && { body });
    const fields = typeof expected === 'function' ? expected(check(answer, 200), world, at, prepared) : expected;
    check(answer, 200, (fields ?? {}) as object);
  },
  ...others,
});

const transactions: FunctionTest[] = [
  answers(
    'list-product-attributes',
    () => ['/product-attributes'],
    ({ data }) => {
      assert.ok(data.some(({ code }: { code: string }) => code === '_ATHLETIC'));
      return { object: 'list', has_more: false };
    },
  ),
  answers(
    'list-product-tax-codes',
    () => ['/product-tax-codes?limit=5'],
    ({ data }) => {
      assert.equal(data.length, 5);
      return { has_more: true };
    },
  ),
  answers('create-calculation', ({ toSale }) => ['/calculations', toSale({})], { tax_amount: '6.00' }),
  {
    name: 'create-transaction',
    run: async ({ call, toSale, keep, countSale }, at) => {
      const body = toSale({ status: 'finalized', reference_id: `order-${at}` });
      const created = check(await call('POST', '/transactions', { body, headers: key(`create-${at}`) }), 201, {
        ...taxed,
        reference_id: `order-${at}`,
      });
      keep('sale', created.id);
      countSale();
    },
    after: async ({ call, toSale, kept, countSale }) => {
      const request = { body: toSale({ status: 'finalized', reference_id: 'once' }), headers: key('once') };
      const first = await call('POST', '/transactions', request);
      const again = await call('POST', '/transactions', request);
      check(first, 201, taxed);
      countSale();
      assert.deepEqual([again.status, again.text], [201, first.text]);
      assert.equal(again.headers.get('Idempotent-Replayed'), 'true');
      const other = await call('POST', '/transactions', { ...request, headers: key('twice') });
      assert.equal(check(other, 409).errors[0].code, 'conflict_duplicate_reference_id');
      const credit = { type: 'credit', status: 'finalized', parent_transaction_id: kept('sale') };
      check(await call('POST', '/transactions', { body: credit }), 201, { type: 'credit', tax_amount: '6.00' });
    },
  },
  {
    name: 'list-transactions',
    run: async ({ call }) => {
      assert.equal(check(await call('GET', '/transactions?limit=10'), 200, { has_more: true }).data.length, 10);
      const credits = check(await call('GET', '/transactions?type=credit'), 200, { has_more: false });
      assert.equal(credits.data.length, 1);
    },
  },
  answers('get-transaction', ({ kept }) => [`/transactions/${kept('sale')}`], { ...taxed, refund_status: 'full' }),
  answers(
    'get-transaction-history',
    ({ kept }) => [`/transactions/${kept('sale')}/history`],
    ({ data }) => assert.ok(data.length >= 1),
  ),
  answers(
    'update-transaction',
    (_world, _at, id) => [`/transactions/${id}`, { status: 'finalized' }],
    (_body, { countSale }, _at, id) => {
      countSale();
      return { ...taxed, id };
    },
    { prepare: async ({ seed, toSale }) => (await seed('POST', '/transactions', { body: toSale({}) })).id },
  ),
  {
    name: 'replay-transaction',
    run: async ({ call, kept }) =>
      void check(await call('POST', `/transactions/${kept('sale')}/replay`), 200, { match: true }),
  },
];

const customers: FunctionTest[] = [
  {
    name: 'create-customer',
    run: async ({ call }, at) => {
      const body = { id: `customer-${at}`, name: 'A shop', exemptions: [{ reason: 'resale', states: ['MI'] }] };
      check(await call('POST', '/customers', { body }), 201, { id: `customer-${at}`, version: 1 });
    },
  },
  answers(
    'list-customers',
    () => ['/customers?limit=5'],
    ({ data }) => assert.equal(new Set(ids(data)).size, 5),
  ),
  answers('get-customer', () => ['/customers/customer-0'], { id: 'customer-0', name: 'A shop' }),
  answers(
    'update-customer',
    (_world, at) => ['/customers/customer-0', { name: `Shop ${at}` }],
    (_body, _world, at) => ({ name: `Shop ${at}`, version: at + 2 }),
  ),
];

/**
 * Returns records of the ledger's stream that match a function's filter patterns, in the deployment's maximum batch
 * size.
 */
const getBatch = (records: readonly StreamRecord[], wanted: readonly object[], size: number) => {
  const batch = records.filter((record) => wanted.some((pattern) => matches(pattern as never, record))).slice(0, size);
  assert.ok(batch.length >= 5, `only ${batch.length} records match`);
  return batch;
};

const events: FunctionTest[] = [
  {
    name: 'count-transactions',
    run: async ({ invoke, records }) => {
      const batch = getBatch(await records(), countTransactions.patterns, 100);
      assert.equal(await invoke('count-transactions', { Records: batch }), null);
    },
  },
  {
    name: 'announce-changes',
    run: async ({ invoke, records }) => {
      const batch = getBatch(await records(), patterns, 5);
      const answered = (await invoke('announce-changes', batch)) as readonly { readonly event_type: string }[];
      assert.ok(answered.length >= batch.length);
      assert.ok(answered.some(({ event_type }) => event_type === 'transaction.finalized'));
    },
  },
  {
    name: 'update-content',
    warm: 2,
    environment: ({ publisher, bus }) => ({
      LEVY_CONTENT_MIRROR: publisher.url,
      LEVY_TEST_LOOPBACK_MIRROR: 'on',
      LEVY_RUNTIME_UNNAMED: 'on',
      EVENT_BUS: 'Levy',
      AWS_ENDPOINT_URL_EVENTBRIDGE: bus.url,
    }),
    // The second run finds no newer file.
    run: async ({ invoke, bus }) => {
      const answered = await invoke('update-content', { state: 'KS' });
      checkFields(answered, { waiting: true, activated: false, failed: false });
      const announced = bus.entries.map(({ DetailType }) => DetailType);
      assert.deepEqual(announced, ['content.proposed']);
    },
  },
];

const getFiling = ({ kept }: World, rest = '') => `/filings/${kept('filing')}${rest}`;

const filings: FunctionTest[] = [
  answers(
    'create-filing',
    ({ period }) => ['/filings', { state: 'MI', period_end: period.end, dry_run: true }],
    { id: null, status: 'dry_run', state: 'US-MI' },
    {
      after: async ({ call, period, keep }) => {
        const answer = await call('POST', '/filings', { body: { state: 'MI', period_end: period.end } });
        keep('filing', check(answer, 202, { status: 'closing' }).id);
      },
    },
  ),
  answers(
    'list-filings',
    () => ['/filings'],
    ({ data }, { kept }) => {
      assert.deepEqual(ids(data), [kept('filing')]);
      return { has_more: false };
    },
  ),
  answers(
    'get-filing',
    (world) => [getFiling(world)],
    ({ summary }, { period, sales }) => {
      // The refund's tax date is today.
      const [gross_amount, tax_amount] = [`${sales() * 100}.00`, `${sales() * 6}.00`];
      assert.equal(summary.length, 1);
      checkFields(summary[0], { currency: 'USD', count: sales(), gross_amount, tax_amount });
      return { status: 'closed', period_start: period.start, period_end: period.end };
    },
  ),
  answers('list-filing-exceptions', (world) => [getFiling(world, '/exceptions')], { object: 'list', has_more: false }),
  {
    name: 'update-filing',
    run: async (world) => {
      const answer = await world.call('POST', getFiling(world), {
        body: { status: 'filed', confirmation_number: 'MI-1' },
      });
      assert.ok([200, 202].includes(answer.status), answer.text);
      checkFields(answer.body, { confirmation_number: 'MI-1' });
    },
    after: async (world) =>
      checkFields(await world.seed('GET', getFiling(world)), { status: 'filed', confirmation_number: 'MI-1' }),
  },
  answers(
    'list-filing-periods',
    () => ['/filing-periods'],
    ({ data }, { period }) => {
      assert.ok(data.length >= 1);
      for (const { state, period_start } of data) assert.ok(state === 'US-MI' && period_start > period.end);
    },
  ),
  answers(
    'create-reconciliation',
    () => {
      const buildRow = (reference_id: string) => ({ reference_id, total_amount: '106.00', tax_amount: '6.00' });
      return ['/reconciliations', { transactions: ['order-1', 'order-2', 'missing'].map(buildRow) }];
    },
    ({ missing }) => {
      assert.equal(missing.length, 1);
      return { matched_count: 2, different: [] };
    },
  ),
];

const others: FunctionTest[] = [
  answers(
    'get-report-by-state',
    ({ period: { end } }) => [`/reports/by-state?from=${end.slice(0, 7)}&to=${end.slice(0, 7)}`],
    ({ data }) => assert.deepEqual([...new Set(data.map(({ state }: { state: string }) => state))], ['US-MI']),
  ),
  answers(
    'get-account',
    () => ['/account'],
    (_body, { account }) => ({ object: 'account', id: account }),
  ),
  answers(
    'update-account',
    (_world, at) => ['/account', { review_days: at }],
    (_body, _world, at) => ({ object: 'account', review_days: at }),
  ),
  answers(
    'taxjar',
    () => ['/taxjar/v2/taxes', { to_country: 'US', to_state: 'MI', to_zip: '48226', amount: 100, shipping: 0 }],
    ({ tax }) => assert.deepEqual([tax.amount_to_collect, tax.rate], [6, 0.06]),
  ),
  answers('update-session', () => ['/session', { action: 'start' }], { object: 'session' }),
  answers('get-coverage', () => ['/coverage?state=MI'], {}),
  answers('get-rates', () => ['/rates?postal_code=48226&city=Detroit&state=MI'], { combined_rate: '0.06' }),
  {
    name: 'get-openapi',
    run: async ({ call }) => assert.match(check(await call('GET', '/openapi.json', anonymous), 200).openapi, /^3\.1\./),
  },
  { name: 'get-docs', run: async ({ call }) => page(await call('GET', '/docs', anonymous)) },
  { name: 'get-console', run: async ({ call }) => page(await call('GET', '/console', anonymous)) },
  {
    name: 'method-not-allowed',
    run: async ({ call }) => {
      const answer = await call('DELETE', '/transactions');
      assert.equal(check(answer, 405).errors[0].code, 'method_not_allowed');
      assert.equal(answer.headers.get('Allow'), 'GET, POST');
    },
  },
  {
    name: 'sweep-drafts',
    prepare: ({ expiredDraft }) => expiredDraft(),
    run: async ({ invoke, seed }, _at, id) => {
      assert.deepEqual(await invoke('sweep-drafts', {}), { voided: 1, skipped: 0, complete: true });
      checkFields(await seed('GET', `/transactions/${id}`), { status: 'void', version: 2 });
    },
  },
  {
    name: 'close-periods',
    // Creates an account with a sale in the month before last, whose periods are due.
    prepare: ({ accountWithDuePeriod }) => accountWithDuePeriod(),
    run: async ({ invoke }) => {
      const { created, complete, failed } = (await invoke('close-periods', {})) as any;
      assert.ok(created >= 1);
      assert.deepEqual([complete, failed], [true, 0]);
    },
  },
];

const written: readonly FunctionTest[] = [...transactions, ...customers, ...events, ...filings, ...others];

/** Read endpoints without an id need no separate test: the response must be a 200 that matches the OpenAPI document. */
const plainReads: readonly FunctionTest[] = Object.values(endpoints)
  .filter(({ method, path }) => method === 'GET' && !path.includes('{'))
  .filter(({ name }) => !written.some((test) => test.name === name))
  .map(({ name, path }) => answers(name, () => [path], {}));

/** The tests, one for each function. */
export const functionTests: readonly FunctionTest[] = [...written, ...plainReads];
