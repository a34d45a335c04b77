import type { Account } from '../../accounts/account.ts';
import { dayMs, toDay } from '../../base/calendar.ts';
import { retryWhileStale } from '../../base/contention.ts';
import { type AuditEntry, auditEntry, hashState } from '../audit.ts';
import { buildExpiry } from '../commit.ts';
import { listLiabilityEntries } from '../entries/entries.ts';
import type { LiabilityEntry } from '../entries/entry.ts';
import type { ChangePorts, HeadChange, Ledger, SweepPosition } from '../ports.ts';
import { isSame } from '../same-value.ts';
import { isExpired, isLive, type StoredTransaction, type Transaction } from '../transaction.ts';
import { committedState, redactedForm } from './fields.ts';

/** An entry of a transaction, open (`filing` is `null`) or in a filing. */
type LocatedEntry = { readonly entry: LiabilityEntry; readonly filing: string | null };

/** The storage ports of a redaction, which shared/store/ledger/redaction-ports.ts implements. */
export type RedactionStore = {
  /** A transaction with its newest audit entry and the digests of the idempotency records that have its states. */
  readonly read: (
    account: string,
    id: string,
  ) => Promise<
    | {
        readonly stored: StoredTransaction;
        readonly newest: AuditEntry | undefined;
        readonly answers: readonly string[];
      }
    | undefined
  >;
  readonly locateEntries: (account: string, expected: readonly LiabilityEntry[]) => Promise<readonly LocatedEntry[]>;
  /** Remove the personal data from the saved answers that exist. */
  readonly redactAnswers: (account: string, digests: readonly string[]) => Promise<void>;
  /** Write a change and its entries, as they were read, atomically. */
  readonly commit: (
    account: string,
    change: HeadChange,
    entries: readonly { readonly before: LocatedEntry; readonly after: LiabilityEntry }[],
  ) => Promise<'committed' | 'stale'>;
};

export type RedactionPorts = Pick<ChangePorts, 'now' | 'remainingMs'> & {
  readonly store: RedactionStore;
  readonly ledger: Pick<Ledger, 'commit'>;
};

/**
 * The outcome for one transaction. `inconsistent`: its state or its newest audit entry has another hash, or an entry is
 * missing, and a redaction would hide what was changed.
 */
export type Redacted = 'redacted' | 'already' | 'unknown' | 'inconsistent';

const changedFields = (before: Transaction, after: Transaction): string[] =>
  (Object.keys(after) as (keyof Transaction)[]).filter((name) => !isSame(before[name], after[name]));

/**
 * The change that removes the personal data and the salt of a transaction. The digest of the commitments stays, so that
 * the state hash covers the same commitments.
 */
export const buildRedaction = (before: StoredTransaction, nowMs: number, by: string): HeadChange => {
  const { transaction, commitments } = before;
  const at = new Date(nowMs).toISOString();
  const redacted = { ...redactedForm(transaction), redacted_at: at };
  const next = {
    ...before,
    transaction: { ...redacted, updated_at: at, version: transaction.version + 1 },
    commitments: { digest: committedState(transaction, commitments).digest },
  };
  const entry = auditEntry({ before, after: next, at, by, fields: changedFields(transaction, redacted) });
  return { before, after: { ...next, auditHash: entry.hash }, entry };
};

// A filing that moves the entry at the same time finds another version, and reads it again.
const entryWithout = ({ document, ...entry }: LiabilityEntry, version: number): LiabilityEntry => {
  const { certificate_numbers: _, ...others } = document;
  return { ...entry, version, document: { ...others, customer_id: null } };
};

type Plan = (stored: StoredTransaction) => HeadChange | null;
type Change = { readonly account: string; readonly id: string; readonly plan: Plan; readonly attempt: number };

/** An entry that is still not found after these attempts is missing. A filing would have moved it by then. */
const entryAttempts = 5;

/**
 * The entries of a redacted transaction, each with what is left of it; `null` where a filing moves one or it is
 * missing.
 */
const entriesAfter = async (account: string, { before, after }: HeadChange, { store }: RedactionPorts) => {
  const expected = before && isLive(before.transaction) ? listLiabilityEntries(before) : [];
  const places = await store.locateEntries(account, expected);
  if (places.length !== expected.length) return null;
  const { version } = after.transaction;
  return places.map((place) => ({ before: place, after: entryWithout(place.entry, version) }));
};

/**
 * Change one transaction as an operator or a schedule, if its state is the one of its audit chain. An expired draft is
 * first stored as void.
 */
const changeOnce = async (
  { account, id, plan, attempt }: Change,
  ports: RedactionPorts,
): Promise<Redacted | 'stale'> => {
  const { store, ledger, now } = ports;
  const read = await store.read(account, id);
  if (!read) return 'unknown';
  const { stored, newest, answers } = read;
  const change = plan(stored);
  if (change === null) return 'already';
  if (isExpired(stored.transaction, now())) {
    await ledger.commit(buildExpiry(stored, account, now()));
    return 'stale';
  }
  if (newest?.hash !== stored.auditHash || newest.stateHash !== hashState(stored)) return 'inconsistent';
  const isRedaction = change.after.transaction.redacted_at !== undefined;
  if (isRedaction) await store.redactAnswers(account, answers);
  const entries = isRedaction ? await entriesAfter(account, change, ports) : [];
  if (entries === null) return attempt < entryAttempts ? 'stale' : 'inconsistent';
  return (await store.commit(account, change, entries)) === 'committed' ? 'redacted' : 'stale';
};

const changeWithRetries = (account: string, id: string, plan: Plan, ports: RedactionPorts): Promise<Redacted> => {
  let attempt = 0;
  return retryWhileStale(() => {
    attempt += 1;
    return changeOnce({ account, id, plan, attempt }, ports);
  }, ports.remainingMs);
};

/**
 * Remove the personal data of one transaction, in every status: from the transaction, its open and filed entries, its index
 * rows, and saved answers of the last day. Idempotent: after a crash, run it again.
 */
export const redactTransaction = async (
  account: string,
  id: string,
  by: string,
  ports: RedactionPorts,
): Promise<Redacted> => {
  const plan: Plan = (stored) =>
    stored.transaction.redacted_at === undefined ? buildRedaction(stored, ports.now(), by) : null;
  const outcome = await changeWithRetries(account, id, plan, ports);
  // A request that changed nothing may have saved the data as its answer meanwhile.
  if (outcome === 'redacted' || outcome === 'already')
    await ports.store.redactAnswers(account, (await ports.store.read(account, id))?.answers ?? []);
  return outcome;
};

/** The name in `by` of audit entries that the retention setting caused. */
const retentionBy = 'retention';

export type RetentionPorts = RedactionPorts & {
  /** A page of the register of accounts. */
  readonly accountIds: (
    after: string | null,
  ) => Promise<{ readonly ids: readonly string[]; readonly next: string | null }>;
  readonly findAccounts: (ids: readonly string[]) => Promise<ReadonlyMap<string, () => Account>>;
  readonly position: {
    readonly read: () => Promise<SweepPosition | null>;
    readonly move: (before: SweepPosition | null, after: SweepPosition) => Promise<boolean>;
  };
  /** The last transaction of an account up to which all are redacted; `null` before the first. */
  readonly reached: (account: string) => Promise<string | null>;
  readonly reach: (account: string, after: string) => Promise<void>;
  /** The ids after one, of transactions that were created before an instant, oldest first. */
  readonly olderIds: (
    account: string,
    after: string | null,
    beforeMs: number,
    limit: number,
  ) => Promise<readonly string[]>;
  /** No batch begins with less time left, in milliseconds. */
  readonly batchMsMax: number;
  readonly onFailure: (error: unknown) => void;
};

/** Transactions that were redacted, accounts that failed, and transactions whose state differs from their audit chain. */
export type Retained = { readonly redacted: number; readonly failed: number; readonly inconsistent: number };
type Tally = { redacted: number; failed: number; inconsistent: number };

const batchSize = 25;

/**
 * Once a day, in parts of several runs, remove the personal data of transactions that are older than the account's
 * `retain_personal_data_days`. Each account continues where its last run stopped, so a run reads nothing that is
 * redacted.
 *
 * A failing account does not stop the others. The next run starts the day over, so that the failure is reported until
 * it is fixed.
 */
export const retainPersonalData = async (ports: RetentionPorts): Promise<Retained> => {
  const tally: Tally = { redacted: 0, failed: 0, inconsistent: 0 };
  const day = toDay(ports.now());
  let position = await ports.position.read();
  while (!isTimeUp(ports) && !(position?.day === day && position.isDone)) {
    const { ids, next } = await ports.accountIds(position?.day === day ? position.after : null);
    for (const read of (await ports.findAccounts(ids)).values())
      try {
        if (!(await redactAccount(read(), tally, ports))) return tally;
      } catch (error) {
        ports.onFailure(error);
        tally.failed += 1;
      }
    const moved: SweepPosition = { day, after: next, isDone: next === null && tally.failed === 0 };
    // A concurrent run moved the position and continues from it.
    if (!(await ports.position.move(position, moved)) || next === null) break;
    position = moved;
  }
  return tally;
};

const isTimeUp = ({ remainingMs, batchMsMax }: RetentionPorts): boolean => remainingMs() <= batchMsMax;

/** Redact the old transactions of an account. `false` where the time was up before. */
const redactAccount = async ({ id, settings }: Account, tally: Tally, ports: RetentionPorts): Promise<boolean> => {
  const { retain_personal_data_days: days } = settings;
  if (days === null) return true;
  const beforeMs = ports.now() - days * dayMs;
  for (let after = await ports.reached(id); !isTimeUp(ports); ) {
    const ids = await ports.olderIds(id, after, beforeMs, batchSize);
    const last = ids.at(-1);
    if (last === undefined) return true;
    const outcomes = await Promise.all(
      ids.map((transaction) => redactTransaction(id, transaction, retentionBy, ports)),
    );
    // The account is being deleted. A position written now would never be removed.
    if (outcomes.every((outcome) => outcome === 'unknown')) return true;
    tally.redacted += outcomes.filter((outcome) => outcome === 'redacted').length;
    // `ledger verify` reports the inconsistency. A redaction would hide it.
    tally.inconsistent += outcomes.filter((outcome) => outcome === 'inconsistent').length;
    await ports.reach(id, last);
    after = last;
  }
  return false;
};
