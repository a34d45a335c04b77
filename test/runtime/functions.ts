/**
 * The events of each function, and what it must answer. Functions come in an order in which each finds what earlier ones wrote.
 * The amounts are of goods for 100.00 in Michigan, which taxes 6 % and has no local taxes.
 */

import { strict as assert } from 'node:assert';
import { countTransactions } from '../../functions/count-transactions.ts';
import { endpoints } from '../../functions/endpoints.ts';
import type { Entry } from '../../infra/bundling.ts';
import { matches } from '../../infra/local/event-pattern.ts';
import type { StreamRecord } from '../../infra/local/table-stream.ts';
import { patterns } from '../../shared/events/announce.ts';
import type { Answer } from '../support/http.ts';
import type { World } from './world.ts';

export type FunctionTest = {
  readonly name: Entry;
  /** Invocations after the first one. */
  readonly warm?: number;
  /** Variables of this function only. */
  readonly environment?: (world: World) => Record<string, string>;
  /** Before an invocation; its result goes to `run`. */
  readonly prepare?: (world: World, at: number) => Promise<string>;
  /** One invocation, number `at`, with its checks. */
  readonly run: (world: World, at: number, prepared: string) => Promise<void>;
  /** More invocations, which are not measured. */
  readonly after?: (world: World) => Promise<void>;
};

/** Compare the expected fields only, so that the message is short. */
const checkFields = (value: any, fields: object) =>
  assert.deepEqual(Object.fromEntries(Object.keys(fields).map((name) => [name, value?.[name]])), fields);
/** Check the status of an answer and some of its fields. */
const check = ({ status, body, text }: Answer<any>, expected: number, fields: object = {}) => {
  assert.equal(status, expected, text.slice(0, 1000));
  checkFields(body, fields);
  return body;
};
const key = (text: string) => ({ 'Idempotency-Key': text });
const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
const html = ({ status, text, headers }: Answer) => {
  assert.equal(status, 200);
  assert.match(headers.get('Content-Type') ?? '', /^text\/html/);
  assert.match(text, /^<!doctype html>/i);
};

const taxed = { status: 'finalized', tax_amount: '6.00', total_amount: '106.00', currency: 'USD' };

const vocabulary: FunctionTest[] = [
  {
    name: 'list-product-attributes',
    run: async ({ call }) => {
      const { data } = check(await call('GET', '/product-attributes'), 200, { object: 'list', has_more: false });
      assert.ok(data.some(({ code }: { code: string }) => code === '_ATHLETIC'));
    },
  },
  {
    name: 'list-product-tax-codes',
    run: async ({ call }) => {
      const { data } = check(await call('GET', '/product-tax-codes?limit=5'), 200, { has_more: true });
      assert.equal(data.length, 5);
    },
  },
];

const transactions: FunctionTest[] = [
  {
    name: 'create-calculation',
    run: async ({ call, saleOf }) =>
      void check(await call('POST', '/calculations', { body: saleOf({}) }), 200, { tax_amount: '6.00' }),
  },
  {
    name: 'create-transaction',
    run: async ({ call, saleOf, keep, countSale }, at) => {
      const body = saleOf({ status: 'finalized', reference_id: `order-${at}` });
      const created = check(await call('POST', '/transactions', { body, headers: key(`create-${at}`) }), 201, {
        ...taxed,
        reference_id: `order-${at}`,
      });
      keep('sale', created.id);
      countSale();
    },
    after: async ({ call, saleOf, kept, countSale }) => {
      const request = { body: saleOf({ status: 'finalized', reference_id: 'once' }), headers: key('once') };
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
      const { data } = check(await call('GET', '/transactions?limit=10'), 200, { has_more: true });
      assert.equal(data.length, 10);
      const credits = check(await call('GET', '/transactions?type=credit'), 200, { has_more: false });
      assert.equal(credits.data.length, 1);
    },
  },
  {
    name: 'get-transaction',
    run: async ({ call, kept }) =>
      void check(await call('GET', `/transactions/${kept('sale')}`), 200, { ...taxed, refund_status: 'full' }),
  },
  {
    name: 'get-transaction-history',
    run: async ({ call, kept }) => {
      const { data } = check(await call('GET', `/transactions/${kept('sale')}/history`), 200);
      assert.ok(data.length >= 1);
    },
  },
  {
    name: 'update-transaction',
    prepare: async ({ seed, saleOf }) => (await seed('POST', '/transactions', { body: saleOf({}) })).id,
    run: async ({ call, countSale }, _at, id) => {
      check(await call('POST', `/transactions/${id}`, { body: { status: 'finalized' } }), 200, { ...taxed, id });
      countSale();
    },
  },
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
      const exemptions = [{ reason: 'resale', states: ['MI'] }];
      const body = { id: `customer-${at}`, name: 'A shop', exemptions };
      check(await call('POST', '/customers', { body }), 201, { id: `customer-${at}`, version: 1 });
    },
  },
  {
    name: 'list-customers',
    run: async ({ call }) => {
      const { data } = check(await call('GET', '/customers?limit=5'), 200);
      assert.equal(new Set(ids(data)).size, 5);
    },
  },
  {
    name: 'get-customer',
    run: async ({ call }) =>
      void check(await call('GET', '/customers/customer-0'), 200, { id: 'customer-0', name: 'A shop' }),
  },
  {
    name: 'update-customer',
    run: async ({ call }, at) => {
      const body = { name: `Shop ${at}` };
      check(await call('POST', '/customers/customer-0', { body }), 200, { ...body, version: at + 2 });
    },
  },
];

/** Records of the ledger's stream that match the patterns of a function, in the largest batch of the deployment. */
const batchOf = (records: readonly StreamRecord[], wanted: readonly object[], size: number) => {
  const batch = records.filter((record) => wanted.some((pattern) => matches(pattern as never, record))).slice(0, size);
  assert.ok(batch.length >= 5, `only ${batch.length} records match`);
  return batch;
};

const events: FunctionTest[] = [
  {
    name: 'count-transactions',
    run: async ({ invoke, records }) => {
      const batch = batchOf(await records(), countTransactions.patterns, 100);
      assert.equal(await invoke('count-transactions', { Records: batch }), null);
    },
  },
  {
    name: 'announce-changes',
    run: async ({ invoke, records }) => {
      const batch = batchOf(await records(), patterns, 5);
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
      assert.deepEqual(
        bus.entries.map(({ DetailType }) => DetailType),
        ['content.proposed'],
      );
    },
  },
];

const filings: FunctionTest[] = [
  {
    name: 'create-filing',
    run: async ({ call, period }) => {
      const body = { state: 'MI', period_end: period.end, dry_run: true };
      check(await call('POST', '/filings', { body }), 200, { id: null, status: 'dry_run', state: 'US-MI' });
    },
    after: async ({ call, period, keep }) => {
      const answer = await call('POST', '/filings', { body: { state: 'MI', period_end: period.end } });
      keep('filing', check(answer, 202, { status: 'closing' }).id);
    },
  },
  {
    name: 'list-filings',
    run: async ({ call, kept }) => {
      const { data } = check(await call('GET', '/filings'), 200, { has_more: false });
      assert.deepEqual(ids(data), [kept('filing')]);
    },
  },
  {
    name: 'get-filing',
    run: async ({ call, kept, period, sales }) => {
      const filing = check(await call('GET', `/filings/${kept('filing')}`), 200, {
        status: 'closed',
        period_start: period.start,
        period_end: period.end,
      });
      // The refund has the tax date of today.
      const [gross_amount, tax_amount] = [`${sales() * 100}.00`, `${sales() * 6}.00`];
      assert.equal(filing.summary.length, 1);
      checkFields(filing.summary[0], { currency: 'USD', count: sales(), gross_amount, tax_amount });
    },
  },
  {
    name: 'list-filing-exceptions',
    run: async ({ call, kept }) =>
      void check(await call('GET', `/filings/${kept('filing')}/exceptions`), 200, { object: 'list', has_more: false }),
  },
  {
    name: 'update-filing',
    run: async ({ call, kept }) => {
      const body = { status: 'filed', confirmation_number: 'MI-1' };
      const answer = await call('POST', `/filings/${kept('filing')}`, { body });
      assert.ok([200, 202].includes(answer.status), answer.text);
      checkFields(answer.body, { confirmation_number: 'MI-1' });
    },
    after: async ({ seed, kept }) =>
      checkFields(await seed('GET', `/filings/${kept('filing')}`), { status: 'filed', confirmation_number: 'MI-1' }),
  },
  {
    name: 'list-filing-periods',
    run: async ({ call, period }) => {
      const { data } = check(await call('GET', '/filing-periods'), 200);
      assert.ok(data.length >= 1);
      for (const { state, period_start } of data) assert.ok(state === 'US-MI' && period_start > period.end);
    },
  },
  {
    name: 'create-reconciliation',
    run: async ({ call }) => {
      const rows = ['order-1', 'order-2'].map((reference_id) => ({
        reference_id,
        total_amount: '106.00',
        tax_amount: '6.00',
      }));
      const body = { transactions: [...rows, { ...rows[0], reference_id: 'missing' }] };
      const { missing } = check(await call('POST', '/reconciliations', { body }), 200, {
        matched_count: 2,
        different: [],
      });
      assert.equal(missing.length, 1);
    },
  },
];

const others: FunctionTest[] = [
  {
    name: 'get-report-by-state',
    run: async ({ call, period }) => {
      const month = period.end.slice(0, 7);
      const { data } = check(await call('GET', `/reports/by-state?from=${month}&to=${month}`), 200);
      assert.deepEqual([...new Set(data.map(({ state }: { state: string }) => state))], ['US-MI']);
    },
  },
  {
    name: 'get-account',
    run: async ({ call, account }) =>
      void check(await call('GET', '/account'), 200, { object: 'account', id: account }),
  },
  {
    name: 'get-coverage',
    run: async ({ call }) => void check(await call('GET', '/coverage?state=MI'), 200),
  },
  {
    name: 'get-rates',
    run: async ({ call }) =>
      void check(await call('GET', '/rates?postal_code=48226&city=Detroit&state=MI'), 200, { combined_rate: '0.06' }),
  },
  {
    name: 'get-openapi',
    run: async ({ call }) => {
      const { openapi } = check(await call('GET', '/openapi.json', { headers: { 'X-API-Key': null } }), 200);
      assert.match(openapi, /^3\.1\./);
    },
  },
  { name: 'get-docs', run: async ({ call }) => html(await call('GET', '/docs', { headers: { 'X-API-Key': null } })) },
  {
    name: 'get-console',
    run: async ({ call }) => html(await call('GET', '/console', { headers: { 'X-API-Key': null } })),
  },
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
    // An account with a sale of the month before the last one, whose periods are due.
    prepare: ({ accountWithDuePeriod }) => accountWithDuePeriod(),
    run: async ({ invoke }) => {
      const { created, complete, failed } = (await invoke('close-periods', {})) as any;
      assert.ok(created >= 1);
      assert.deepEqual([complete, failed], [true, 0]);
    },
  },
];

const written: readonly FunctionTest[] = [
  ...vocabulary,
  ...transactions,
  ...customers,
  ...events,
  ...filings,
  ...others,
];

/** An endpoint that reads without an id needs no test of its own: its answer must be a 200 that fits the OpenAPI document. */
const plainReads: readonly FunctionTest[] = Object.values(endpoints)
  .filter(({ method, path }) => method === 'GET' && !path.includes('{'))
  .filter(({ name }) => !written.some((test) => test.name === name))
  .map(({ name, path }) => ({ name, run: async ({ call }) => void check(await call('GET', path), 200) }));

/** One test for each function. */
export const functionTests: readonly FunctionTest[] = [...written, ...plainReads];
