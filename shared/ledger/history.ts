import * as z from 'zod/mini';
import { described } from '../base/described.ts';
import { accept, type Result, refuse } from '../base/result.ts';
import type { AuditEntry } from './audit.ts';
import { buildExpiry } from './commit.ts';
import { cursorProblem, listResponse, pageLimit, readPageLimit } from './page-limit.ts';
import { committedState, type Hashed } from './personal-data/fields.ts';
import { notFound } from './ports.ts';
import type { HistoryEntry, RetrievedTransaction, TransactionHistory } from './response.ts';
import { expireIfDue, isExpired, type StoredTransaction } from './transaction.ts';

/** The query parameters of GET /transactions/{id}/history. */
export const TransactionHistoryQuery = z.object({
  limit: pageLimit(),
  starting_after: described(
    z.optional(z.string().check(z.minLength(1, 'Send the version of the last entry of the previous page.'))),
    'Returns older entries than this version: the `next_cursor` of the previous page.',
    { pattern: '^[1-9]\\d{0,9}$', examples: ['2'] },
  ),
});
export type TransactionHistoryQuery = z.infer<typeof TransactionHistoryQuery>;

/** The query parameters of GET /transactions/{id}. */
export const TransactionQuery = z.object({
  expand: described(
    z.optional(z.enum(['history'], 'Send history.')),
    '`history` returns the newest 50 changes in `history`.',
    { title: 'TransactionExpansion' },
  ),
});

type StoredHistory = { readonly stored: StoredTransaction; readonly entries: readonly AuditEntry[] };

/** Reads of audit entries, newest first. */
export type HistoryReads = {
  /** Returns a stored transaction with up to `limit` of its newest entries, in one call; `undefined` if it does not exist. */
  readonly newest: (account: string, id: string, limit: number) => Promise<StoredHistory | undefined>;
  /** Returns up to `limit` entries of a transaction, from the given version down; empty for an unknown transaction. */
  readonly from: (account: string, id: string, version: number, limit: number) => Promise<readonly AuditEntry[]>;
};

type HistoryPorts = { readonly history: HistoryReads; readonly now: () => number };

type Account = { readonly id: string };

const expandedMax = 50;

const historyEntry = (entry: AuditEntry): HistoryEntry => {
  const { version, at, by, from, to, fields, stateHash: state_hash, previousHash: previous_hash, hash } = entry;
  return { version, at, by, from, to, fields: [...fields], state_hash, previous_hash, hash };
};

/**
 * Returns the current transaction with its newest 50 audit entries, in one database call.
 *
 * Rejects an unknown id with `not_found`.
 */
export const transactionWithHistory = async (
  id: string,
  account: Account,
  ports: HistoryPorts,
): Promise<Result<RetrievedTransaction>> => {
  const found = await newest(id, expandedMax, account, ports);
  if (!found) return refuse(notFound);
  const { transaction, commitments } = found;
  const { digest } = committedState(transaction, commitments);
  const salt = 'salt' in commitments ? commitments.salt : null;
  return accept({ ...transaction, commitments: { salt, digest }, history: found.entries.map(historyEntry) });
};

/**
 * Returns a page of a transaction's audit entries, newest first, in one database call.
 *
 * The cursor is an entry's version. It cannot refer to a different history, so it needs no signature. Rejects an
 * unknown id with `not_found`, and a version without an entry with `validation_invalid_cursor`.
 */
export const transactionHistory = async (
  id: string,
  query: TransactionHistoryQuery,
  account: Account,
  ports: HistoryPorts,
): Promise<Result<TransactionHistory>> => {
  const { starting_after } = query;
  const limit = readPageLimit(query);
  if (starting_after === undefined) {
    const found = await newest(id, limit, account, ports);
    return found ? accept(page(id, found.entries)) : refuse(notFound);
  }
  // The limit on digits matches the keys of entries.
  if (!/^[1-9]\d{0,9}$/.test(starting_after)) return invalidCursor;
  const found = await older(id, Number(starting_after), limit, account, ports);
  return found.ok ? accept(page(id, found.value)) : found;
};

const invalidCursor = refuse(cursorProblem('Send the version of the last entry of the previous page.'));

/** For a draft that expired but was not swept yet, includes the entry that the sweep will write, byte for byte. */
const newest = async (
  id: string,
  limit: number,
  account: Account,
  { history, now }: HistoryPorts,
): Promise<(Hashed & { readonly entries: readonly AuditEntry[] }) | undefined> => {
  const found = await history.newest(account.id, id, limit);
  if (!found) return undefined;
  const { transaction, commitments } = found.stored;
  const nowMs = now();
  const expiry = isExpired(transaction, nowMs) ? [buildExpiry(found.stored, account.id, nowMs).head.entry] : [];
  // The call read the transaction first, so drop entries newer than that state.
  const written = found.entries.filter(({ version }) => version <= transaction.version);
  return {
    transaction: expireIfDue(transaction, nowMs),
    commitments,
    entries: [...expiry, ...written].slice(0, limit),
  };
};

const older = async (
  id: string,
  after: number,
  limit: number,
  account: Account,
  ports: HistoryPorts,
): Promise<Result<readonly AuditEntry[]>> => {
  const [first, ...others] = await ports.history.from(account.id, id, after, limit + 1);
  if (!first) return refuse(notFound);
  if (first.version === after) return accept(others);
  // A client may have received the entry of an expired draft before it was stored.
  const top = await newest(id, 1, account, ports);
  return top?.entries[0]?.version === after ? accept([first, ...others].slice(0, limit)) : invalidCursor;
};

// Versions count from 1 without gaps, so every later entry has a previous one.
const page = (id: string, entries: readonly AuditEntry[]): TransactionHistory => {
  const oldest = entries.at(-1)?.version ?? 1;
  return listResponse(`/transactions/${id}/history`, entries.map(historyEntry), oldest > 1 ? String(oldest) : null);
};
