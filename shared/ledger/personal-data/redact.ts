import { retryWhileStale } from '../../base/contention.ts';
import { type AuditEntry, auditEntry, hashState } from '../audit.ts';
import { buildExpiry } from '../commit.ts';
import type { LiabilityEntry } from '../entries/entry.ts';
import type { HeadChange, Ledger } from '../ledger.ts';
import { isExpired, isLive } from '../lifecycle.ts';
import { listLiabilityEntries } from '../open-entries.ts';
import type { ChangePorts } from '../ports.ts';
import { isSame } from '../same-value.ts';
import type { StoredTransaction, Transaction } from '../transaction.ts';
import { committedState } from './commitments.ts';
import { redactedForm } from './fields.ts';

/** An entry of a transaction, open (`filing` is `null`) or in a filing. */
export type LocatedEntry = { readonly entry: LiabilityEntry; readonly filing: string | null };

/** The storage ports of a redaction, which shared/store/ledger/redaction-store.ts implements. */
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
