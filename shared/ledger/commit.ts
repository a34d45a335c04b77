import { assert } from '../base/assert.ts';
import { accept, type Result, refuse } from '../base/result.ts';
import { buildHeadChange, type HeadChange } from './audit.ts';
import {
  isCreditFor,
  type Taxed,
  toCredited,
  withCalculatedTaxes,
  withCredited,
  withoutCredit,
} from './credits/amounts.ts';
import { listLiabilityEntries, withExemptShipping, withReview, withStatesOfSale } from './entries/entries.ts';
import { type Commit, type Ledger, periodClosed, referenceTaken, repeatResponse, type SavedResponse } from './ports.ts';
import { expired, type NextTransaction, type StoredTransaction } from './transaction.ts';

/** A change to a transaction: the state before (`null` for a new one) and after, and the names of the changed fields. */
type Change = {
  readonly before: StoredTransaction | null;
  readonly next: NextTransaction;
  readonly fields: readonly string[];
  /** The parent sale, for a credit. */
  readonly parent: StoredTransaction | null;
  /** The finalized transaction that a new one replaces, before and after it becomes void. */
  readonly replaces?: Replacement | null;
};

export type Replacement = Pick<Change, 'next' | 'fields'> & { readonly before: StoredTransaction };

/** A credit to add to its parent's counters (`1n`) or remove from them (`-1n`). */
type Move = { readonly credit: Taxed; readonly sign: 1n | -1n };

/**
 * Returns the change to a parent when a credit is finalized or voided, or when its tax changes. Replacing a tax removes
 * and adds the credit in one write, as one version.
 */
export const parentAfter = (parent: StoredTransaction, moves: readonly Move[], at: string, by: string): HeadChange => {
  const moved = moves.reduce(
    (stored, { credit, sign }) => withCredited(stored, toCredited(credit, parent.transaction), sign),
    parent,
  );
  const transaction = { ...moved.transaction, updated_at: at, version: parent.transaction.version + 1 };
  const fields = ['credited_amount', 'credited_tax_amount', 'refund_status'];
  return buildHeadChange(parent, { ...moved, transaction }, by, fields);
};

/** Returns a newly finalized transaction, or one whose tax changed, with the data its open entries depend on. */
const completed = (stored: NextTransaction, sale: StoredTransaction | null): NextTransaction =>
  withReview(sale ? withStatesOfSale(withExemptShipping(withCalculatedTaxes(stored, sale), sale), sale) : stored, sale);

/**
 * Builds the atomic writes of a change: the transaction, the one that it replaces, a credit's parent sale, the open
 * entries and the idempotency record.
 */
export const buildCommit = (
  { before, next, fields, parent, replaces }: Change,
  account: string,
  by: string,
  idempotency: Commit['idempotency'],
): Commit => {
  const at = next.transaction.updated_at;
  const isTaxChanged = fields.includes('tax_amount');
  const [was, is] = [before?.transaction.status, next.transaction.status];
  // The transaction whose amounts are removed from the open entries, and the one whose amounts are added.
  const changed = before && was === 'finalized' && (is === 'void' || isTaxChanged) ? before : null;
  const removed = replaces?.before ?? changed;
  const without = parent && removed ? withoutCredit(parent, removed) : parent;
  const posted = is === 'finalized' && (was !== 'finalized' || isTaxChanged) ? completed(next, without) : null;
  const moves: Move[] = [
    ...(parent && removed && isCreditFor(removed, parent) ? [{ credit: removed, sign: -1n } as const] : []),
    ...(posted ? [{ credit: posted, sign: 1n } as const] : []),
  ];
  return {
    account,
    nowMs: Date.parse(at),
    idempotency,
    head: buildHeadChange(before, posted ?? next, by, fields),
    parent: parent && moves.length > 0 ? parentAfter(parent, moves, at, by) : null,
    ...(replaces && { replaced: buildHeadChange(replaces.before, replaces.next, by, replaces.fields) }),
    // No separate check is needed: finalizing a credit updates its sale on the condition of the sale's version.
    ...(before === null &&
      parent &&
      moves.length === 0 &&
      parent.transaction.redacted_at === undefined && { unredacted: parent.transaction.id }),
    openEntries: {
      post: posted ? listLiabilityEntries(posted) : [],
      remove: removed ? listLiabilityEntries(removed) : [],
    },
  };
};

/**
 * Stores a commit. Returns its response, or the saved response of a repeated request. Rejects a reference_id that another
 * transaction has, and the removal of open entries that moved to a filing.
 */
export const commitWithResponse = async <Response extends SavedResponse>(
  commit: Commit,
  response: Response,
  ledger: Pick<Ledger, 'commit'>,
): Promise<Result<Response | SavedResponse> | 'stale'> => {
  const committed = await ledger.commit(commit);
  switch (committed.kind) {
    case 'committed':
      return accept(response);
    case 'reference_taken':
      return refuse(referenceTaken(committed.transactionId, commit.head.after.transaction));
    case 'stale':
      return 'stale';
    case 'period_closed': {
      const { before, entry } = commit.replaced ?? commit.head;
      assert(before !== null, 'A new transaction must not remove open entries.');
      return refuse(periodClosed(before.transaction, entry.fields.includes('status') ? '/status' : '/tax_amount'));
    }
    default:
      return repeatResponse(committed);
  }
};

/**
 * Builds the write that stores an expired draft as void. Reads return it as void from its deadline.
 *
 * The time of the change is the deadline, so every writer produces the same bytes.
 */
export const buildExpiry = (stored: StoredTransaction, account: string, nowMs: number): Commit => {
  const next = { ...stored, transaction: expired(stored.transaction) };
  return {
    ...buildCommit({ before: stored, next, fields: ['status'], parent: null }, account, 'draft_expired', null),
    nowMs,
  };
};
