import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { sale } from '../../shared/api/openapi/sample-requests.ts';
import document from '../../shared/api/openapi.json' with { type: 'json' };
import { type Code, errorStatuses } from '../../shared/base/error-codes.ts';
import { environment } from '../../shared/config/environment.ts';
import { database } from '../../shared/store/client/client.ts';
import { openEntryKey } from '../../shared/store/keys.ts';
import { anonymous, type Caller, newCaller } from '../support/api.ts';
import { closedFiling, createFiler, soldOn } from '../support/filings.ts';
import { hurriedCall } from '../support/gateway.ts';
import type { ApiResponse, Request } from '../support/http.ts';
import { buildCreditRequest } from '../support/sales.ts';
import { listProblems, schemaProblems } from './validate-response.ts';

const execute = promisify(execFile);

const event = {
  httpMethod: 'GET',
  resource: '/product-attributes',
  path: '/product-attributes',
  requestContext: { requestId: 'request_1' },
  multiValueHeaders: { 'X-API-Key': ['unknown'] },
  multiValueQueryStringParameters: null,
  body: null,
};

const script = `
  const { handler } = await import(${JSON.stringify(new URL('../../functions/list-product-attributes.ts', import.meta.url).href)});
  const context = { getRemainingTimeInMillis: () => 10_000 };
  console.log(JSON.stringify(await handler(${JSON.stringify(event)}, context)));
`;

/**
 * Runs a function with an invalid environment, such as a wrong database address, and returns its response. Uses a
 * separate process because a function reads its environment once.
 */
const responseWith = async (environment: Readonly<Record<string, string>>): Promise<ApiResponse> => {
  const { stdout } = await execute(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, NODE_OPTIONS: '', ...environment },
  });
  // The metrics collected so far are printed before the response.
  const { statusCode, headers, body } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  return { status: statusCode, headers: new Headers(headers), text: body, body: JSON.parse(body) };
};

/** Returns the response to the request of a new caller. */
const call = async (method: string, path: string, request: Request = {}): Promise<ApiResponse> =>
  (await newCaller()).call(method, path, request);

const create = (caller: Caller, body: object, headers = {}) => caller.call('POST', '/transactions', { body, headers });

/** Creates a transaction and throws if it fails. */
const created = async (caller: Caller, body: object) => {
  const response = await create(caller, body);
  expect([response.status, response.body.errors]).toEqual([201, undefined]);
  return response.body;
};

const update = (caller: Caller, { id }: { id: string }, body: object, headers = {}): Promise<ApiResponse> =>
  caller.call('POST', `/transactions/${id}`, { body, headers });

const oneOfTwo = { line_items: [{ id: 'item_1', quantity: '1' }] };

const close = (period_end: string, others: object = {}) => ({ body: { state: 'MI', period_end, ...others } });

type Recorded = Awaited<ReturnType<typeof created>>;
/** Returns the response to a request about a sale, finalized by default, of a new caller. */
const onSale = async (
  ask: (caller: Caller, recorded: Recorded) => Promise<ApiResponse>,
  change = {},
  settings = {},
) => {
  const caller = await newCaller({ settings });
  return ask(caller, await created(caller, { ...sale, status: 'finalized', ...change }));
};

/** Requests for the error codes that need more than the single request of a row in refusals.txt. */
const provocations = {
  validation_malformed_json: () => call('POST', '/calculations', { rawBody: '{' }),
  method_not_allowed: () => anonymous.call('PUT', '/transactions'),
  conflict_exceptions_not_acknowledged: async () => {
    const filer = createFiler(await newCaller());
    await soldOn(filer, '2026-10-08', '100.00', { tax_amount: '7.00' });
    const { id } = await closedFiling(filer, 'MI', '2026-10-31');
    return filer.change(id, { status: 'filed', confirmation_number: 'c' });
  },
  conflict_draft_expired: () =>
    onSale((caller, own) => update(caller, own, { status: 'finalized' }), { status: 'draft' }, { draft_ttl_hours: 0 }),
  conflict_has_credits: () =>
    onSale(async (caller, parent) => {
      await created(caller, buildCreditRequest(parent));
      return update(caller, parent, { status: 'void' });
    }),
  // Closing the period removes its open entry.
  conflict_period_closed: () =>
    onSale(async (caller, { id, currency }) => {
      const place = { transactionId: id, state: 'US-MI', month: sale.tax_date.slice(0, 7), currency };
      const Key = openEntryKey(caller.account.id, place);
      const removal = { TableName: environment.tables.transactions, Key, ReturnValues: 'ALL_OLD' } as const;
      expect((await database.send(new DeleteCommand(removal))).Attributes).toBeDefined();
      return update(caller, { id }, { status: 'void' });
    }),
  conflict_credit_stale: () =>
    onSale(async (caller, parent) => {
      const credit = await created(caller, buildCreditRequest(parent, { status: 'draft', credit_remaining: true }));
      await created(caller, buildCreditRequest(parent, oneOfTwo));
      return update(caller, credit, { status: 'finalized' });
    }),
  conflict_period_order: () =>
    onSale((caller) => caller.call('POST', '/filings', close('2026-10-31')), { tax_date: '2026-09-08' }),
  // A filing that was started and is finished by the schedule.
  conflict_return_incomplete: async () => {
    const caller = await newCaller();
    const { id } = await closedFiling(createFiler(caller), 'MI', '2026-09-30');
    return caller.call('GET', `/filings/${id}`, { headers: { Accept: 'application/xml' } });
  },
  conflict_filing_in_progress: async () => {
    const caller = await newCaller();
    const begun = await (await hurriedCall(caller))('POST', '/filings', close('2026-09-30'));
    expect([begun.status, begun.body.status]).toEqual([202, 'closing']);
    return caller.call('POST', '/filings', close('2026-10-31'));
  },
  precondition_failed: () => onSale((caller, own) => update(caller, own, { status: 'void' }, { 'If-Match': '"99"' })),
  validation_body_too_large: () => call('POST', '/calculations', { rawBody: `"${'a'.repeat(1024 * 1024)}"` }),
  validation_unsupported_media_type: () =>
    call('POST', '/calculations', { body: sale, headers: { 'Content-Type': 'text/plain' } }),
  validation_unknown_service_version: () =>
    call('GET', '/product-attributes', { headers: { 'Service-Version': 'oak.2020-01-01' } }),
  validation_not_covered: async () => {
    const body = { ...sale, customer: { address: { city: 'Lyon', country: 'FR' } } };
    return (await newCaller({ settings: { incomplete_coverage: 'reject' } })).call('POST', '/calculations', { body });
  },
  // A dry run that has no time left.
  validation_too_many_entries: async () => {
    const hurried = await hurriedCall(await newCaller());
    const response = await hurried('POST', '/filings', close('2026-10-31', { dry_run: true }));
    expect(listProblems({ method: 'POST', path: '/filings', ...response })).toEqual([]);
    return response;
  },
  idempotency_key_reused: async () => {
    const caller = await newCaller();
    const key = { 'Idempotency-Key': randomUUID() };
    await create(caller, sale, key);
    return create(caller, { ...sale, tax_date: '2026-10-07' }, key);
  },
  rate_limit_error: async () => {
    const caller = await newCaller({ settings: { rate_limit: 1 } });
    // The requests are concurrent, because on a busy machine, sequential requests can fall into different seconds.
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => caller.call('GET', '/product-attributes?limit=1')),
    );
    return responses.find(({ status }) => status === 429) ?? (responses.at(-1) as ApiResponse);
  },
  // The table does not exist, as after a failed deployment.
  system_internal_error: () => responseWith({ TABLE_ACCOUNTS: 'no-such-table' }),
  // No process listens at the database's address.
  system_service_unavailable: () => responseWith({ DYNAMODB_ENDPOINT: 'http://127.0.0.1:9' }),
} satisfies Partial<Record<Code, () => Promise<ApiResponse>>>;

/** The error codes of credentials (`isolation.test.ts`) and of the rows in refusals.txt. */
const credentialCodes = ['error', 'api_key_not_found', 'api_key_expired', 'token_invalid', 'forbidden'];
const rows = readFileSync(new URL('../fixtures/refusals.txt', import.meta.url), 'utf8');
const refusedCodes = [...rows.matchAll(/ \| ([a-z_]+)/g)].map(([, code = '']) => code);

describe('error codes', () => {
  it('each have a test', () => {
    const tested = [...Object.keys(provocations), ...credentialCodes.map((name) => `auth_${name}`), ...refusedCodes];
    expect(new Set(tested)).toEqual(new Set(Object.keys(errorStatuses)));
  });

  it.each(Object.entries(provocations))('returns %s with its documented status', async (code, provoke) => {
    const response = await provoke();
    // The first error determines the status.
    expect([response.status, response.body.errors?.[0].code]).toEqual([errorStatuses[code as Code], code]);
    expect(response.body.errors[0].meta.request_id).toBe(response.headers.get('X-Request-Id'));
  });

  it.each(['system_internal_error', 'system_service_unavailable'] as const)(
    'returns %s as its schema describes, and does not reveal its cause',
    async (code) => {
      const { status, headers, body, text } = await provocations[code]();
      expect(listProblems({ method: 'GET', path: '/product-attributes', status, headers, body })).toEqual([]);
      expect(text).not.toMatch(/no-such-table|127\.0\.0\.1|ECONNREFUSED|at .*\.ts|ResourceNotFound/);
      // The write may have succeeded before the failure.
      if (status === 503) expect(text).toContain('with the same Idempotency-Key');
    },
  );

  it('returns validation_required_field for null in an update if and only if the document does not allow null', async () => {
    const caller = await newCaller();
    const { properties } = document.components.schemas.TransactionUpdate;
    const transaction = await created(caller, sale);
    for (const [field, schema] of Object.entries(properties)) {
      const isNullable = schemaProblems(schema, null).length === 0;
      const { status, body } = await update(caller, transaction, { [field]: null });
      expect([field, status === 422 && body.errors[0].source.pointer === `/${field}`]).toEqual([field, !isNullable]);
    }
  });
});
