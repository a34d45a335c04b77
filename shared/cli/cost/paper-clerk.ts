import { createHash } from 'node:crypto';
import type { Account } from '../../accounts/account.ts';
import { newFiling } from '../../filings/begin.ts';
import type { ShardProgress, StoredFiling } from '../../filings/ledger.ts';
import type { FilingPorts } from '../../filings/ports.ts';
import { planStep } from '../../filings/steps.ts';
import { noTotals } from '../../filings/totals.ts';
import type { Result } from '../../result.ts';
import { storedSize } from '../../store/ledger/transaction-item.ts';
import { fitsItemLimit } from '../../store/ledger/transaction-room.ts';
import { createTransaction } from '../../transactions/create-transaction.ts';
import { expiryOf } from '../../transactions/expiry.ts';
import type { Answered, CreatePorts } from '../../transactions/ports.ts';
import type { TransactionRequest, TransactionUpdate } from '../../transactions/request.ts';
import { updateTransaction } from '../../transactions/update-transaction.ts';
import { context } from '../bench/four-jurisdictions.ts';
import type { AtRest, Writes } from './paper-items.ts';
import { paperLedger } from './paper-ledger.ts';
import { type Told, toldOf } from './paper-stream.ts';

/**
 * What a change takes once: write and read units, bytes at rest, what is told of it, and the bytes of its answer (0 where
 * nobody is answered).
 */
export type Step = {
  readonly writes: Writes;
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly bytes: AtRest;
  readonly told: Told;
  readonly answerBytes: number;
};

const accountOf = (id: string): Account => ({
  ...{ id, name: 'Cost', created_at: '2026-10-01T00:00:00.000Z', cursor_secret: 'none' },
  settings: context.settings,
});
const credential = 'key_01ARZ3NDEKTSV4RRFFQ69G5FAV';

const hourMs = 3_600_000;
const minuteMs = 60_000;
const pageBytes = 4096;
// What is not there is read for one unit as well.
const oneRecord = 1;

/** The read units of so many bytes, strongly consistent. */
const unitsToRead = (bytes: number): number => Math.max(1, Math.ceil(bytes / pageBytes));

/** What was accepted; nothing that is measured is refused. */
export const acceptedOf = <Value>(result: Result<Value>): Value => {
  if (!result.ok) throw new Error(`What is measured was refused: ${JSON.stringify(result.problems)}`);
  return result.value;
};

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
// As long as those of a request with an Idempotency-Key.
const idempotencyOf = (key: string) => ({ digest: sha256(key), fingerprint: sha256(`of ${key}`) });
// A ULID without chance, so that what is measured today is measured tomorrow.
const idOf = (prefix: string, number: number) => `${prefix}_01K7${sha256(String(number)).slice(0, 22).toUpperCase()}`;

const filingAt = (account: string, nowMs: number): StoredFiling => ({
  ...newFiling({
    account,
    id: idOf('fil', 0),
    state: 'US-WA',
    period: { start: '2026-10-01', end: '2026-10-31', frequency: 'month' },
    previous: null,
    askedBy: credential,
    nowMs,
  }),
  filed_by: credential,
});

const beforeMarking: ShardProgress = {
  ...{ shard: 0, phase: 'mark', isDone: false, cursor: null, version: 1 },
  entries: { moved: 0, marked: 0, reopened: 0 },
  totals: noTotals,
};

const alone: Pick<CreatePorts, 'loadContent' | 'throwContention' | 'remainingMs'> = {
  loadContent: async () => context.releaseFor,
  throwContention: () => {
    throw new Error('Nobody else writes on paper.');
  },
  remainingMs: () => hourMs,
};

/** What the work on paper shares: the account, the ledger, the time, and what was done so far. */
const paperDesk = (accountId: string) => {
  const account = accountOf(accountId);
  const paper = paperLedger();
  const inOrder: Step[] = [];
  let [nowMs, made] = [context.now, 0];
  const ports: CreatePorts = {
    ...{ ledger: paper.ledger, storedSize, fitsItemLimit, attemptsMax: 1 },
    ...alone,
    now: () => nowMs,
    newId: () => idOf('txn', made),
  };
  const known = (id: string) => paper.known(account.id, id);
  const sizesOf = (id: string) => paper.sizesOf(account.id, id);
  const unitsOf = (id: string): number => unitsToRead(sizesOf(id).head);
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  const nextNumber = (): number => {
    made += 1;
    return made;
  };

  const stepOf = (readUnits: number, answered: Answered | null): Step => {
    const { writes, units: writeUnits, bytes } = paper.lastWritten();
    pass(minuteMs);
    const answerBytes = Buffer.byteLength(answered?.answer.body ?? '');
    const step = { writes, writeUnits, readUnits, bytes, told: toldOf(writes), answerBytes };
    inOrder.push(step);
    return step;
  };
  const caller = { account, credential };
  return { caller, paper, inOrder, ports, known, sizesOf, unitsOf, pass, nextNumber, stepOf };
};
type Desk = ReturnType<typeof paperDesk>;

/** What callers ask for. */
const requests = ({ caller, ports, unitsOf, nextNumber, stepOf }: Desk) => {
  const create = async (body: TransactionRequest) => {
    const number = nextNumber();
    const parent = body.parent_transaction_id;
    const readUnits = parent ? unitsOf(parent) + oneRecord : 0;
    const request = { ...body, reference_id: `order-${100_000 + number}` };
    const creation = { request, idempotency: idempotencyOf(`create ${number}`), unknownFields: [] };
    const answered = acceptedOf(await createTransaction(creation, caller, ports));
    return { id: idOf('txn', number), step: stepOf(readUnits, answered) };
  };
  const update = async (id: string, change: TransactionUpdate): Promise<Step> => {
    const readUnits = unitsOf(id) + oneRecord;
    const idempotency = idempotencyOf(JSON.stringify(change));
    const asked = { id, update: change, ifMatch: null, idempotency, unknownFields: [] };
    return stepOf(readUnits, acceptedOf(await updateTransaction(asked, caller, ports)));
  };
  return { create, update };
};

/** What the schedules do. */
const runs = ({ caller: { account }, paper, ports, known, unitsOf, pass, stepOf }: Desk) => {
  const expire = async (id: string): Promise<Step> => {
    pass((context.settings.draft_ttl_hours + 1) * hourMs);
    const readUnits = unitsOf(id);
    await paper.ledger.commit(expiryOf(await known(id), account.id, ports.now()));
    return stepOf(readUnits, null);
  };
  // Moving entries and marking transactions are two writes, of 49 each: what one takes of both, without their progress.
  const file = async (id: string): Promise<Step> => {
    const readUnits = unitsOf(id);
    const entries = paper.openEntriesOf(id);
    const filings = { filedEntries: async () => ({ entries, next: null }) } as unknown as FilingPorts['filings'];
    const filing = filingAt(account.id, ports.now());
    const { commit } = await planStep.mark(filing, beforeMarking, entries.length, { ...ports, filings });
    paper.commitFiling({ ...commit, progress: [], take: entries });
    // The entries are queried twice, many at a time: of them at most one unit is this one's.
    return stepOf(readUnits + 1, null);
  };
  return { expire, file };
};

/** Does on paper what an account's callers and schedules do, one thing after the other, and tells what each takes. */
export const paperClerk = (accountId: string) => {
  const desk = paperDesk(accountId);
  return { ...desk, ...requests(desk), ...runs(desk) };
};
