import { assert } from '../base/assert.ts';
import { retryWhileStale } from '../base/contention.ts';
import { fitsResponse } from '../base/response-size.ts';
import { type Result, refuse } from '../base/result.ts';
import type { Warning } from '../calculations/response.ts';
import { buildCommit, buildExpiry, commitWithResponse } from './commit.ts';
import {
  type Caller,
  type Idempotency,
  notFound,
  otherVersion,
  type Ports,
  repeatResponse,
  responseTooLarge,
  type SavedResponse,
  saveUnchanged,
  tooLarge,
  transactionResponse,
} from './ports.ts';
import type { TransactionUpdate } from './request.ts';
import { expireStoredIfDue, isExpired, type StoredTransaction } from './transaction.ts';
import { plainFields } from './updates/changes.ts';
import { type Plan, planUpdate } from './updates/plan.ts';

type UpdateRequest = {
  readonly id: string;
  readonly update: TransactionUpdate;
  /** The versions in If-Match; `null` without the header, `'*'` for any version. */
  readonly ifMatch: readonly string[] | null;
  readonly idempotency: Idempotency | null;
  /** The warnings about the body. */
  readonly sent: readonly Warning[];
};

/**
 * Updates a transaction: reads, plans, then writes once on the condition of the version read. After a concurrent change
 * it reads and plans again, so no update is lost.
 *
 * Checks in this order: `not_found`, `precondition_failed`, then the problems of the status.
 */
export const updateTransaction = (
  request: UpdateRequest,
  caller: Caller,
  ports: Ports,
): Promise<Result<SavedResponse>> =>
  retryWhileStale(async () => {
    const { id, idempotency } = request;
    const nowMs = ports.now();
    const { stored, replay } = await ports.ledger.findWithReplay(caller.account.id, id, idempotency, nowMs);
    if (replay) return repeatResponse(replay);
    if (!stored) return refuse(notFound);
    const current = expireStoredIfDue(stored, nowMs);
    if (!isMatch(request.ifMatch, current)) return refuse(otherVersion(current.transaction.version));
    const parentId = current.transaction.parent_transaction_id;
    const isRead = parentId !== null && !isBesideTheParent(request.update);
    const parent = isRead ? await ports.ledger.find(caller.account.id, parentId) : null;
    assert(parent !== undefined, 'The sale of a credit is missing.');
    const planned = await planUpdate({
      update: request.update,
      stored: current,
      parent,
      sent: request.sent,
      account: caller.account,
      base: { settings: caller.account.settings, now: nowMs },
      loadContent: ports.loadContent,
      customers: ports.customers,
    });
    if (!planned.ok) return planned;
    if (planned.value === null)
      return saveUnchanged(caller.account.id, transactionResponse(200, current.transaction), idempotency, ports, {
        transaction: id,
        version: stored.transaction.version,
      });
    if (isExpired(stored.transaction, nowMs)) {
      // Stores the expired draft as void first, as the sweep does, then writes the change.
      await ports.ledger.commit(buildExpiry(stored, caller.account.id, nowMs));
      return 'stale';
    }
    return write(planned.value, current, parent, request, caller, ports);
  }, ports.remainingMs);

const isMatch = (ifMatch: readonly string[] | null, { transaction }: StoredTransaction): boolean =>
  ifMatch === null || ifMatch.includes('*') || ifMatch.includes(`"${transaction.version}"`);

const besideTheParent: ReadonlySet<string> = new Set(plainFields);

// These updates do not depend on a credit's parent.
const isBesideTheParent = (update: TransactionUpdate): boolean =>
  Object.entries(update).every(([field, value]) => value === undefined || besideTheParent.has(field));

const isBesideTheFigures = (fields: readonly string[]): boolean =>
  fields.every((field) => field === 'status' || besideTheParent.has(field));

const write = async (
  { next, fields }: Plan,
  before: StoredTransaction,
  parent: StoredTransaction | null,
  { idempotency }: UpdateRequest,
  caller: Caller,
  ports: Ports,
): Promise<Result<SavedResponse> | 'stale'> => {
  const isKept = isBesideTheFigures(fields);
  const response = transactionResponse(200, next.transaction);
  // Changes that keep the amounts skip this check, so every transaction can be finalized and voided.
  if (!isKept && !fitsResponse(response.body)) return refuse(responseTooLarge(next.transaction));
  const record = idempotency && { ...idempotency, response };
  const commit = buildCommit({ before, next, fields, parent }, caller.account.id, caller.credential, record);
  if (!ports.fitsItemLimit(commit.head.after, isKept ? 'kept' : 'new')) return refuse(tooLarge);
  return commitWithResponse(commit, response, ports.ledger);
};
