import type { Account } from '../../accounts/account.ts';
import { dayMs, toDay } from '../../base/calendar.ts';
import { retryWhileStale } from '../../base/contention.ts';
import { isSame } from '../../base/json.ts';
import { type AuditEntry, buildHeadChange, type HeadChange, hashState } from '../audit.ts';
import { buildExpiry } from '../commit.ts';
import { listLiabilityEntries, withoutNumbers } from '../entries/entries.ts';
import type { LiabilityEntry } from '../entries/entry.ts';
import type { AccountReads, Ledger, Ports, SweepPosition, SweepPositions } from '../ports.ts';
import { isExpired, isLive, type StoredTransaction, type Transaction } from '../transaction.ts';
import { committedState, redactedForm } from './fields.ts';

/** A liability entry of a transaction: open (`filing` is `null`) or in a filing. */
type LocatedEntry = { readonly entry: LiabilityEntry; readonly filing: string | null };

/** A transaction, its newest audit entry, and the digests of the idempotency records whose responses contain it. */
type RedactionInput = {
  readonly stored: StoredTransaction;
  readonly newest: AuditEntry | undefined;
  readonly responses: readonly string[];
};

/** The storage ports of a redaction, implemented by shared/store/ledger/redaction-ports.ts. */
export type RedactionStore = {
  readonly read: (account: string, id: string) => Promise<RedactionInput | undefined>;
  readonly locateEntries: (account: string, expected: readonly LiabilityEntry[]) => Promise<readonly LocatedEntry[]>;
  /** Removes the personal data from those saved responses that still exist. */
  readonly redactResponses: (account: string, digests: readonly string[]) => Promise<void>;
  /** Writes a change and its entries atomically, on the condition that they are as read. */
  readonly commit: (
    account: string,
    change: HeadChange,
    entries: readonly { readonly before: LocatedEntry; readonly after: LiabilityEntry }[],
  ) => Promise<'committed' | 'stale'>;
};

export type RedactionPorts = Pick<Ports, 'now' | 'remainingMs'> & {
  readonly store: RedactionStore;
  readonly ledger: Pick<Ledger, 'commit'>;
};

/**
 * The outcome for one transaction. `inconsistent`: the hash of its state or newest audit entry does not match, or an
 * entry is missing. Redacting it would hide the tampering.
 */
export type Redacted = 'redacted' | 'already' | 'unknown' | 'inconsistent';

const changedFields = (before: Transaction, after: Transaction): string[] =>
  (Object.keys(after) as (keyof Transaction)[]).filter((name) => !isSame(before[name], after[name]));

/**
 * Builds the change that removes a transaction's personal data and salt. The digest of the commitments is kept, so the
 * state hash still covers them.
 */
const buildRedaction = (before: StoredTransaction, nowMs: number, by: string): HeadChange => {
  const { transaction, commitments, exemptShipping } = before;
  const at = new Date(nowMs).toISOString();
  const redacted = { ...redactedForm(transaction), redacted_at: at };
  const next = {
    ...before,
    transaction: { ...redacted, updated_at: at, version: transaction.version + 1 },
    commitments: { digest: committedState(transaction, commitments).digest },
    ...(exemptShipping && { exemptShipping: withoutNumbers(exemptShipping) }),
  };
  return buildHeadChange(before, next, by, changedFields(transaction, redacted));
};

// Sets the new version: a filing that concurrently moves the entry fails its condition and reads the entry again.
const entryWithout = ({ document, ...entry }: LiabilityEntry, version: number): LiabilityEntry => {
  const { certificate_numbers: _, ...others } = document;
  return { ...entry, version, document: { ...others, customer_id: null } };
};

/** An entry not found after this many attempts is missing. A concurrent filing would have moved it by then. */
const entryAttempts = 5;

/** Returns the entries before and after a redaction; `null` if an entry is missing or a filing is moving it. */
const entriesAfter = async (account: string, { before, after }: HeadChange, { store }: RedactionPorts) => {
  const expected = before && isLive(before.transaction) ? listLiabilityEntries(before) : [];
  const places = await store.locateEntries(account, expected);
  if (places.length !== expected.length) return null;
  const { version } = after.transaction;
  return places.map((place) => ({ before: place, after: entryWithout(place.entry, version) }));
};

/** Redacts one transaction, if its state matches its audit chain. An expired draft is first stored as void. */
const redactOnce = async (
  account: string,
  id: string,
  by: string,
  attempt: number,
  ports: RedactionPorts,
): Promise<Redacted | 'stale'> => {
  const { store, ledger, now } = ports;
  const read = await store.read(account, id);
  if (!read) return 'unknown';
  const { stored, newest, responses } = read;
  if (stored.transaction.redacted_at !== undefined) return 'already';
  if (isExpired(stored.transaction, now())) {
    await ledger.commit(buildExpiry(stored, account, now()));
    return 'stale';
  }
  if (newest?.hash !== stored.auditHash || newest.stateHash !== hashState(stored)) return 'inconsistent';
  const change = buildRedaction(stored, now(), by);
  await store.redactResponses(account, responses);
  const entries = await entriesAfter(account, change, ports);
  if (entries === null) return attempt < entryAttempts ? 'stale' : 'inconsistent';
  return (await store.commit(account, change, entries)) === 'committed' ? 'redacted' : 'stale';
};

/**
 * Removes the personal data of one transaction in any status: from the transaction, its open and filed entries, its
 * index rows, and saved responses of the last day. Idempotent: after a crash, run it again.
 */
export const redactTransaction = async (
  account: string,
  id: string,
  by: string,
  ports: RedactionPorts,
): Promise<Redacted> => {
  let attempt = 0;
  const outcome = await retryWhileStale(() => {
    attempt += 1;
    return redactOnce(account, id, by, attempt, ports);
  }, ports.remainingMs);
  // A concurrent request that changed nothing may have saved a response with the data in the meantime.
  if (outcome === 'redacted' || outcome === 'already')
    await ports.store.redactResponses(account, (await ports.store.read(account, id))?.responses ?? []);
  return outcome;
};

/** The `by` value of audit entries caused by the retention setting. */
const retentionBy = 'retention';

export type RetentionPorts = RedactionPorts &
  AccountReads & {
    readonly position: SweepPositions;
    /**
     * Returns the account's last processed transaction: all transactions up to it are redacted. `null` if there is none
     * yet.
     */
    readonly reached: (account: string) => Promise<string | null>;
    readonly reach: (account: string, after: string) => Promise<void>;
    /** Returns ids after the given id, of transactions created before the given time, oldest first. */
    readonly olderIds: (
      account: string,
      after: string | null,
      beforeMs: number,
      limit: number,
    ) => Promise<readonly string[]>;
    /** The time reserved for one batch, in milliseconds. No batch starts with less time left. */
    readonly batchMsMax: number;
    readonly onFailure: (error: unknown) => void;
  };

/** The number of redacted transactions, failed accounts, and transactions whose state does not match their audit chain. */
type Retained = { readonly redacted: number; readonly failed: number; readonly inconsistent: number };
type Tally = { redacted: number; failed: number; inconsistent: number };

const batchSize = 25;

/**
 * Removes the personal data of transactions older than the account's `retain_personal_data_days`, once a day across
 * several runs. Each account resumes where its last run stopped, so redacted transactions are not read again.
 *
 * A failing account does not stop the others. If an account failed, the next run starts the day over, so the failure is
 * reported until it is fixed.
 */
export const retainPersonalData = async (ports: RetentionPorts): Promise<Retained> => {
  const tally: Tally = { redacted: 0, failed: 0, inconsistent: 0 };
  const day = toDay(ports.now());
  let position = await ports.position.read();
  while (!isTimeUp(ports) && !(position?.day === day && position.isDone)) {
    const { rows: ids, next } = await ports.accountIds(position?.day === day ? position.after : null);
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

/** Redacts an account's old transactions. Returns `false` if time ran out first. */
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
