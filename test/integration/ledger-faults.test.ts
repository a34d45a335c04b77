import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { BatchGetCommandInput, BatchGetCommandOutput } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, it } from 'vitest';
import { database } from '../../shared/store/client.ts';
import { ledger } from '../../shared/store/ledger-store.ts';
import { openEntriesOf } from '../../shared/transactions/open-entries.ts';
import {
  changed,
  commitOf,
  created,
  createdMs,
  finalized,
  keyed,
  kindsOf,
  newAccount,
  voided,
} from '../support/transactions.ts';

// Emulators know no conflicts, no throttling and no lost replies; the SDK's middleware can make them.
const fault = 'fault';
afterEach(() => void database.middlewareStack.remove(fault));

/** Have the first sends end in this error: before they reach the database, or after it, when the reply is lost. */
const failFirst = (sends: number, error: () => Error, where: 'on the way there' | 'on the way back') => {
  const seen = { sends: 0 };
  database.middlewareStack.add(
    (next) => async (sent) => {
      seen.sends += 1;
      const fails = seen.sends <= sends;
      if (fails && where === 'on the way there') throw error();
      const answer = await next(sent);
      if (fails) throw error();
      return answer;
    },
    // Innermost, under the SDK's own retries.
    { step: 'finalizeRequest', name: fault, priority: 'low' },
  );
  return seen;
};

const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    message: 'Transaction cancelled.',
    $metadata: {},
    CancellationReasons: codes.map((Code) => ({ Code })),
  });
const lostReply = () => Object.assign(new Error('No reply.'), { name: 'TimeoutError' });

it('outlives a lost reply within one commit', async () => {
  const account = newAccount();
  const seen = failFirst(2, lostReply, 'on the way back');
  expect(await ledger.commit(commitOf(account, created({ reference_id: 'INV-1' })))).toEqual({ kind: 'committed' });
  expect(seen.sends).toBe(3);
  expect(await kindsOf(account)).toBe('AHR');
});

it('throws an outage where every reply is lost, and knows the commit when it comes again', async () => {
  const account = newAccount();
  const asked = commitOf(account, created({ reference_id: 'INV-1' }));
  failFirst(3, lostReply, 'on the way back');
  await expect(ledger.commit(asked)).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(await ledger.commit(asked)).toEqual({ kind: 'committed' });
  expect(await kindsOf(account)).toBe('AHR');
});

it.each(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])(
  'tries again, three times, where the database is busy: %s',
  async (code) => {
    const account = newAccount();
    const seen = failFirst(3, () => cancelled('None', code, 'None'), 'on the way there');
    expect(await ledger.commit(commitOf(account, created({ reference_id: 'INV-1' })))).toEqual({ kind: 'committed' });
    expect(seen.sends).toBe(4);
    expect(await kindsOf(account)).toBe('AHR');
  },
);

it('gives up after four tries, with an error that is answered as an outage', async () => {
  const account = newAccount();
  const seen = failFirst(4, () => cancelled('TransactionConflict', 'None'), 'on the way there');
  await expect(ledger.commit(commitOf(account, created()))).rejects.toMatchObject({ name: 'ThrottlingException' });
  expect(seen.sends).toBe(4);
  expect(await kindsOf(account)).toBe('');
});

it('finds its own commit when a conflict hides that it was written', async () => {
  const account = newAccount();
  failFirst(1, () => cancelled('TransactionConflict', 'None'), 'on the way back');
  expect(await ledger.commit(commitOf(account, created()))).toEqual({ kind: 'committed' });
  expect(await kindsOf(account)).toBe('AH');
});

it('does not blame a filing for an entry that another change may be taking back', async () => {
  const account = newAccount();
  const sale = created(finalized);
  const entries = openEntriesOf(sale.after.transaction);
  await ledger.commit(commitOf(account, sale, { openEntries: { post: entries, remove: [] } }));
  const undo = commitOf(account, changed(sale.after, voided), { openEntries: { post: [], remove: entries } });
  const seen = failFirst(
    1,
    () => cancelled('TransactionConflict', 'None', 'ConditionalCheckFailed'),
    'on the way there',
  );
  expect(await ledger.commit(undo)).toEqual({ kind: 'committed' });
  expect(seen.sends).toBe(2);
});

/** Have the first batches come back without the record, as a busy database may send them. */
const leaveUnread = (batches: number) => {
  const seen = { sends: 0 };
  database.middlewareStack.add(
    (next) => async (sent) => {
      const answer = await next(sent);
      seen.sends += 1;
      if (seen.sends > batches) return answer;
      const output = answer.output as BatchGetCommandOutput;
      const [table, read = []] = Object.entries(output.Responses ?? {})[0] ?? [''];
      const isRecord = ({ sk }: Record<string, unknown>) => sk === 'I';
      output.Responses = { [table]: read.filter((item) => !isRecord(item)) };
      const { Keys } = (sent.input as BatchGetCommandInput).RequestItems?.[table] ?? {};
      output.UnprocessedKeys = { [table]: { Keys: Keys?.filter(isRecord) } };
      return answer;
    },
    { step: 'initialize', name: fault, priority: 'high' },
  );
  return seen;
};

it('asks again for what a batch left unread', async () => {
  const account = newAccount();
  const head = created();
  const idempotency = keyed('key', 'body', {});
  await ledger.commit(commitOf(account, head, { idempotency }));
  const read = () => ledger.findWithReplay(account, head.after.transaction.id, idempotency, createdMs);
  const seen = leaveUnread(3);
  expect(await read()).toEqual({ stored: head.after, replay: { kind: 'replay', answer: idempotency.answer } });
  expect(seen.sends).toBe(4);
  database.middlewareStack.remove(fault);
  leaveUnread(5);
  await expect(read()).rejects.toMatchObject({ name: 'ThrottlingException' });
});

it('throws what is neither a refusal nor contention, at once', async () => {
  const seen = failFirst(9, () => cancelled('ValidationError', 'None'), 'on the way there');
  await expect(ledger.commit(commitOf(newAccount(), created()))).rejects.toBeInstanceOf(TransactionCanceledException);
  expect(seen.sends).toBe(1);
});
