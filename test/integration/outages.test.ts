import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { endpoints, type Operation } from '../../functions/endpoints.ts';
import { environment } from '../../shared/config/environment.ts';
import { database } from '../../shared/store/client/client.ts';
import { type Caller, newCaller } from '../support/api.ts';
import { cancelled, failSends, noFaults, throttled } from '../support/faults.ts';
import { callHandler } from '../support/handler-calls.ts';
import { connectClient, made, sale, sold } from '../support/sales.ts';

afterEach(() => {
  noFaults();
  database.middlewareStack.remove('hang');
});

const conflict = () => cancelled('None', 'TransactionConflict', 'None', 'None', 'None', 'None', 'None', 'None');

/** Returns the response of an invocation with this much time. */
const answerWithin = async (
  timeoutMs: number,
  { key }: Caller,
  operation: Operation,
  body: unknown,
  id = '',
  headers: Record<string, string> = {},
) => {
  const { method, path } = endpoints[operation];
  const request = { body, headers: { 'X-API-Key': key, ...headers } };
  const answer = await callHandler(method, path.replace('{id}', id), request, timeoutMs);
  const retryAfter = Number(answer.headers.get('Retry-After'));
  return { status: answer.status, code: answer.body.errors?.[0]?.code, retryAfter, body: answer.body };
};
const unavailable = { status: 503, code: 'system_service_unavailable', retryAfter: 1 };

describe('contention that lasts for the whole invocation', () => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await newCaller();
    await made(connectClient(caller).create(sale()));
  });

  it.each([
    ['conflicts of a new transaction', conflict, 'create-transaction', sale({ reference_id: 'busy' })],
    ['throttled writes', throttled, 'create-transaction', sale({ reference_id: 'busy' })],
  ] as const)('returns 503 with Retry-After, and stores nothing: %s', async (_what, error, operation, body) => {
    const seen = failSends({ error, where: 'on the way there', of: ['TransactWriteItems'] });
    expect(await answerWithin(4000, caller, operation, body)).toMatchObject(unavailable);
    expect(seen.sends).toBeGreaterThan(1);
    noFaults();
    expect((await made(connectClient(caller).list({ reference_id: 'busy' }))).data).toEqual([]);
  });

  it('returns 503 for a change, and leaves its transaction unchanged', async () => {
    const client = connectClient(caller);
    const { id } = await made(client.create(sale()));
    failSends({ error: conflict, where: 'on the way there', of: ['TransactWriteItems'] });
    const change = { status: 'finalized' };
    expect(await answerWithin(4000, caller, 'update-transaction', change, id)).toMatchObject(unavailable);
    noFaults();
    expect(await made(client.get(id))).toMatchObject({ status: 'draft', version: 1 });
  });

  it('returns 503 before the invocation times out, even for a call that hangs', async () => {
    const isOfLedger = ({ input }: { input: object }) =>
      'TableName' in input && input.TableName === environment.tables.transactions;
    database.middlewareStack.add(
      (next) => async (sent) => (isOfLedger(sent) ? new Promise<never>(() => {}) : next(sent)),
      { step: 'initialize', name: 'hang', priority: 'high' },
    );
    const answer = await answerWithin(3000, caller, 'get-transaction', undefined, 'txn_0');
    expect(answer).toMatchObject(unavailable);
  });

  it('returns 503 if concurrent changes always win', async () => {
    const { id } = await sold(connectClient(caller));
    // The read version is never the version in the table.
    database.middlewareStack.add(
      (next) => async (sent) => {
        const { TransactItems } = sent.input as { TransactItems?: { Put?: { ExpressionAttributeValues?: object } }[] };
        for (const { Put } of TransactItems ?? [])
          if (Put?.ExpressionAttributeValues && ':seen' in Put.ExpressionAttributeValues)
            Object.assign(Put.ExpressionAttributeValues, { ':seen': 0 });
        return next(sent);
      },
      { step: 'initialize', name: 'hang', priority: 'high' },
    );
    const answer = await answerWithin(4000, caller, 'update-transaction', { metadata: { a: '1' } }, id);
    database.middlewareStack.remove('hang');
    expect(answer).toMatchObject(unavailable);
    expect((await made(connectClient(caller).get(id))).version).toBe(1);
  });
});
