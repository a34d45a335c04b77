import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { sale } from '../../shared/api/openapi/sample-requests.ts';
import document from '../../shared/api/openapi.json' with { type: 'json' };
import { type Code, errorStatuses } from '../../shared/base/error-codes.ts';
import { environment } from '../../shared/config/environment.ts';
import { database } from '../../shared/store/client/client.ts';
import { openEntryKey } from '../../shared/store/keys.ts';
import { newCaller, newClient } from '../support/api.ts';
import { root } from '../support/child-process.ts';
import { closedFiling, createFiler, soldOn } from '../support/filings.ts';
import { hurriedCall } from '../support/gateway.ts';
import type { ApiResponse } from '../support/http.ts';
import { buildCreditRequest, made, sold } from '../support/sales.ts';
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

/** Requests for the error codes that only the model or no other test expects, and for outages of a process. */
const provocations = {
  conflict_draft_expired: async () => {
    const client = await newClient({ settings: { draft_ttl_hours: 0 } });
    const { id } = await made(client.create(sale));
    return client.update(id, { status: 'finalized' });
  },
  conflict_has_credits: async () => {
    const client = await newClient();
    const parent = await sold(client);
    await made(client.create(buildCreditRequest(parent)));
    return client.update(parent.id, { status: 'void' });
  },
  // Closing the period removes the sale's open entry.
  conflict_period_closed: async () => {
    const client = await newClient();
    const { id, currency, tax_date } = await sold(client);
    const place = { transactionId: id, state: 'US-MI', month: tax_date.slice(0, 7), currency };
    const Key = openEntryKey(client.account.id, place);
    const removal = { TableName: environment.tables.transactions, Key, ReturnValues: 'ALL_OLD' } as const;
    expect((await database.send(new DeleteCommand(removal))).Attributes).toBeDefined();
    return client.update(id, { status: 'void' });
  },
  conflict_exceptions_not_acknowledged: async () => {
    const filer = createFiler(await newCaller());
    await soldOn(filer, '2026-10-08', '100.00', { tax_amount: '7.00' });
    const { id } = await closedFiling(filer, 'MI', '2026-10-31');
    return filer.change(id, { status: 'filed', confirmation_number: 'c' });
  },
  // A dry run that has no time left.
  validation_too_many_entries: async () => {
    const hurried = await hurriedCall(await newCaller());
    const body = { state: 'MI', period_end: '2026-10-31', dry_run: true };
    const response = await hurried('POST', '/filings', { body });
    expect(listProblems({ method: 'POST', path: '/filings', ...response })).toEqual([]);
    return response;
  },
  // The table does not exist, as after a failed deployment.
  system_internal_error: () => responseWith({ TABLE_ACCOUNTS: 'no-such-table' }),
  // No process listens at the database's address.
  system_service_unavailable: () => responseWith({ DYNAMODB_ENDPOINT: 'http://127.0.0.1:9' }),
} satisfies Partial<Record<Code, () => Promise<ApiResponse>>>;

/** The refusals in other tests and their tables, such as `404 | not_found`. */
const refusals = globSync('test/{contract,fixtures,integration,model}/**/*.{ts,txt}', { cwd: root }).flatMap((path) =>
  [...readFileSync(`${root}${path}`, 'utf8').matchAll(/\b(\d{3})(?: \|)? ([a-z_]+)/g)].map(
    ([, status, code]) => `${status} ${code}`,
  ),
);

describe('error codes', () => {
  it('each have a test', () => {
    const isTested = (code: string, status: number) => code in provocations || refusals.includes(`${status} ${code}`);
    expect(Object.entries(errorStatuses).filter(([code, status]) => !isTested(code, status))).toEqual([]);
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
    const { id } = await made(caller.call('POST', '/transactions', { body: sale }));
    for (const [field, schema] of Object.entries(properties)) {
      const isNullable = schemaProblems(schema, null).length === 0;
      const { status, body } = await caller.call('POST', `/transactions/${id}`, { body: { [field]: null } });
      expect([field, status === 422 && body.errors[0].source.pointer === `/${field}`]).toEqual([field, !isNullable]);
    }
  });
});
