import { TransactionCanceledException, TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import type { BatchGetCommandInput, BatchGetCommandOutput } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { endpoints, type Operation } from '../../functions/endpoints.ts';
import { environment } from '../../shared/config/environment.ts';
import { listLiabilityEntries } from '../../shared/ledger/entries/entries.ts';
import { headKey } from '../../shared/store/keys.ts';
import { ledger, ledgerWithin } from '../../shared/store/ledger/ledger-store.ts';
import { itemsAt } from '../../shared/store/ledger/ledger-walk.ts';
import { type Caller, connectClient, newCaller } from '../support/api.ts';
import { cancelled, failSends, intercept, noFaults, throttled } from '../support/faults.ts';
import { callHandler } from '../support/handler-calls.ts';
import { made, sale, sold } from '../support/sales.ts';
import {
  buildCommit,
  changed,
  created,
  createdMs,
  finalized,
  keyed,
  newAccount,
  readKinds,
  voided,
} from '../support/transactions.ts';

describe('ledger operations under faults', () => {
  const failFirst = (sends: number, error: () => Error, where: 'on the way there' | 'on the way back') =>
    failSends({ sends, error, where });

  it.each(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])(
    'retries contention: %s',
    async (code) => {
      const account = newAccount();
      const seen = failFirst(5, () => cancelled('None', code, 'None'), 'on the way there');
      expect(await ledger.commit(buildCommit(account, created({ reference_id: 'INV-1' })))).toEqual({
        kind: 'committed',
      });
      expect(seen.sends).toBe(6);
      expect(await readKinds(account)).toBe('AHR');
    },
  );

  /** Returns the remaining time of an invocation, in ms: enough for this many readings, and then too little. */
  const lastsFor = (looks: number) => {
    const left = { looks };
    return () => (left.looks-- > 0 ? 9000 : 1999);
  };

  it.each([
    ['before the response', 'on the way there'],
    ['after the write', 'on the way back'],
  ] as const)('retries while the transaction is in progress: %s', async (_what, where) => {
    const account = newAccount();
    const inProgress = () => new TransactionInProgressException({ message: 'In progress.', $metadata: {} });
    const seen = failFirst(3, inProgress, where);
    expect(await ledger.commit(buildCommit(account, created()))).toMatchObject({ kind: 'committed' });
    expect(seen.sends).toBe(4);
    expect(await readKinds(account)).toBe('AH');
  });

  it('reports contention, not a closed period, if a concurrent change could have removed an entry', async () => {
    const account = newAccount();
    const sale = created(finalized);
    const entries = listLiabilityEntries(sale.after);
    await ledger.commit(buildCommit(account, sale, { openEntries: { post: entries, remove: [] } }));
    const undo = buildCommit(account, changed(sale.after, voided), { openEntries: { post: [], remove: entries } });
    const seen = failFirst(
      1,
      () => cancelled('TransactionConflict', 'None', 'ConditionalCheckFailed'),
      'on the way there',
    );
    expect(await ledger.commit(undo)).toEqual({ kind: 'committed' });
    expect(seen.sends).toBe(2);
  });

  /** Returns the first batches without the record, as a busy database can. */
  const leaveUnread = (batches: number) => {
    const seen = { sends: 0 };
    intercept(async ({ input, pass }) => {
      const response = await pass();
      seen.sends += 1;
      if (seen.sends > batches) return response;
      const output = response.output as BatchGetCommandOutput;
      const [table, read = []] = Object.entries(output.Responses ?? {})[0] ?? [''];
      const isRecord = ({ sk }: Record<string, unknown>) => sk === 'I';
      output.Responses = { [table]: read.filter((item) => !isRecord(item)) };
      const { Keys } = (input as BatchGetCommandInput).RequestItems?.[table] ?? {};
      output.UnprocessedKeys = { [table]: { Keys: Keys?.filter(isRecord) } };
      return response;
    });
    return seen;
  };

  it('retries the unprocessed keys of a batch', async () => {
    const account = newAccount();
    const head = created();
    const idempotency = keyed('key', 'body', {});
    await ledger.commit(buildCommit(account, head, { idempotency }));
    const read = (from = ledger) => from.findWithReplay(account, head.after.transaction.id, idempotency, createdMs);
    const seen = leaveUnread(3);
    expect(await read()).toEqual({ stored: head.after, replay: { kind: 'replay', response: idempotency.response } });
    expect(seen.sends).toBe(4);
    noFaults();
    leaveUnread(9);
    await expect(read(ledgerWithin(lastsFor(3)))).rejects.toMatchObject({ name: 'ThrottlingException' });
  });

  it('throws other errors without a retry', async () => {
    const seen = failFirst(9, () => cancelled('ValidationError', 'None'), 'on the way there');
    await expect(ledger.commit(buildCommit(newAccount(), created()))).rejects.toBeInstanceOf(
      TransactionCanceledException,
    );
    expect(seen.sends).toBe(1);
  });
});

it('reads any number of keys, in batches that DynamoDB accepts', async () => {
  const account = newAccount();
  const heads = Array.from({ length: 104 }, () => created());
  for (const head of heads) await ledger.commit(buildCommit(account, head));
  const keys = heads.flatMap(({ after: { transaction } }) => [
    headKey(account, transaction.id),
    headKey(account, `${transaction.id}-absent`),
  ]);
  const found = await itemsAt(keys);
  const expected = heads.map(({ after }) => `T#${account}#${after.transaction.id} H`);
  expect([...found.keys()].sort()).toEqual(expected.sort());
  expect(await itemsAt([])).toEqual(new Map());
});

afterEach(noFaults);

const conflict = () => cancelled('None', 'TransactionConflict', 'None', 'None', 'None', 'None', 'None', 'None');

/** Returns the response of an invocation with this much time. */
const responseWithin = async (
  timeoutMs: number,
  { key }: Caller,
  operation: Operation,
  body: unknown,
  id = '',
  headers: Record<string, string> = {},
) => {
  const { method, path } = endpoints[operation];
  const request = { body, headers: { 'X-API-Key': key, ...headers } };
  const response = await callHandler(method, path.replace('{id}', id), request, timeoutMs);
  const retryAfter = Number(response.headers.get('Retry-After'));
  const limit = response.headers.get('X-RateLimit-Limit');
  return { status: response.status, code: response.body.errors?.[0]?.code, retryAfter, limit, body: response.body };
};
const unavailable = { status: 503, code: 'system_service_unavailable', retryAfter: 1, limit: '2000' };

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
    expect(await responseWithin(2500, caller, operation, body)).toMatchObject(unavailable);
    expect(seen.sends).toBeGreaterThan(1);
    noFaults();
    expect((await made(connectClient(caller).list({ reference_id: 'busy' }))).data).toEqual([]);
  });

  it('returns 503 before the invocation times out, even for a call that hangs', async () => {
    const isOfLedger = (input: object) => 'TableName' in input && input.TableName === environment.tables.transactions;
    intercept(({ input, pass }) => (isOfLedger(input) ? new Promise<never>(() => {}) : pass()));
    const response = await responseWithin(3000, caller, 'get-transaction', undefined, 'txn_0');
    expect(response).toMatchObject(unavailable);
  });

  it('returns 503 if concurrent changes always win', async () => {
    const { id } = await sold(connectClient(caller));
    // The read version is never the version in the table.
    intercept(async ({ input, pass }) => {
      const { TransactItems } = input as { TransactItems?: { Put?: { ExpressionAttributeValues?: object } }[] };
      for (const { Put } of TransactItems ?? [])
        if (Put?.ExpressionAttributeValues && ':seen' in Put.ExpressionAttributeValues)
          Object.assign(Put.ExpressionAttributeValues, { ':seen': 0 });
      return pass();
    });
    const response = await responseWithin(2500, caller, 'update-transaction', { metadata: { a: '1' } }, id);
    noFaults();
    expect(response).toMatchObject(unavailable);
    expect((await made(connectClient(caller).get(id))).version).toBe(1);
  });
});
