import { TransactionCanceledException, TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import type { BatchGetCommandInput, BatchGetCommandOutput } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { environment } from '../../shared/config/environment.ts';
import { listLiabilityEntries } from '../../shared/ledger/entries/entries.ts';
import { headKey } from '../../shared/store/keys.ts';
import { ledger, ledgerWithin } from '../../shared/store/ledger/ledger-store.ts';
import { itemsAt } from '../../shared/store/ledger/ledger-walk.ts';
import { newCaller } from '../support/api.ts';
import { cancelled, failSends, intercept, noFaults } from '../support/faults.ts';
import { callHandler } from '../support/handler-calls.ts';
import { getRefusal } from '../support/sales.ts';
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

  /** Leaves the record unprocessed in the first batches, as a busy database can. */
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

it('returns 503 before the invocation times out, even for a call that hangs', async () => {
  const caller = await newCaller();
  const isOfLedger = (input: object) => 'TableName' in input && input.TableName === environment.tables.transactions;
  intercept(({ input, pass }) => (isOfLedger(input) ? new Promise<never>(() => {}) : pass()));
  const request = { headers: { 'X-API-Key': caller.key } };
  const response = await callHandler('GET', '/transactions/txn_0', request, 3000);
  expect(getRefusal(response)).toBe('503 | system_service_unavailable');
  expect(['Retry-After', 'X-RateLimit-Limit'].map((name) => response.headers.get(name))).toEqual(['1', '2000']);
});
