import { retryWhileStale } from '../base/contention.ts';
import { fitsResponse } from '../base/response-size.ts';
import { accept, type Problem, type Result, refuse } from '../base/result.ts';
import type { Warning } from '../calculations/response.ts';
import { lineTaxWarnings } from '../calculations/sent-warnings.ts';
import { buildCommit, commitWithResponse, type Replacement } from './commit.ts';
import { calculateWithContent } from './context.ts';
import { withoutCredit } from './credits/amounts.ts';
import { newBasis } from './credits/counters.ts';
import { withRecordedTax } from './credits/credit.ts';
import { parentNotFound } from './credits/problems.ts';
import { findOtherReducedRates, findShippedInside } from './entries/entries.ts';
import { newTransaction } from './new-transaction.ts';
import {
  type Caller,
  type CreatePorts,
  type Idempotency,
  repeatResponse,
  responseTooLarge,
  type SavedResponse,
  tooLarge,
  transactionResponse,
} from './ports.ts';
import { type TransactionRequest, taxDecimalsProblem } from './request.ts';
import { snapshotSettings } from './settings-snapshot.ts';
import { expireStoredIfDue, type NextTransaction, type StoredTransaction, type Transaction } from './transaction.ts';

type Creation = {
  readonly request: TransactionRequest;
  readonly idempotency: Idempotency | null;
  /** The warnings about the body. */
  readonly sent: readonly Warning[];
  /** The body as sent, whose taxes of line items are not recorded. */
  readonly sentBody?: unknown;
  /** A finalized transaction that the new one replaces; the API does not offer it. */
  readonly replaces?: Replaces | undefined;
};

/** The response, and the transaction that this request created; absent in a replay. */
type Created = SavedResponse & { readonly transaction?: Transaction };

/**
 * Records a sale or a credit: calculates the tax, then writes atomically.
 *
 * Rejects any request that a calculation rejects, a duplicate reference_id, a credit that its parent does not allow,
 * and a transaction that is too large to store or return. A repeated Idempotency-Key returns the first response.
 *
 * With `replaces`, the same write voids an earlier transaction. The new one takes over its reference_id and its part of
 * the sale. Rejects an earlier transaction that cannot be voided or has a different sale.
 */
export const createTransaction = (creation: Creation, caller: Caller, ports: CreatePorts): Promise<Result<Created>> =>
  // A concurrent request may have changed the parent of a credit since it was read.
  retryWhileStale(async () => {
    const { request, idempotency } = creation;
    // An empty id matches no transaction.
    const parentId = request.type === 'credit' ? (request.parent_transaction_id ?? null) : null;
    const hasParent = parentId !== null;
    const read = hasParent
      ? await ports.ledger.findWithReplay(caller.account.id, parentId, idempotency, ports.now())
      : null;
    if (read?.replay) return repeatResponse(read.replay);
    const parent = read?.stored ? expireStoredIfDue(read.stored, ports.now()) : null;
    const voided = creation.replaces ? await creation.replaces.planVoid(parent, caller, ports) : accept(null);
    if (!voided.ok) return voided;
    const replaces = voided.value;
    const left = parent && replaces ? withoutCredit(parent, replaces.before) : parent;
    const drafted = hasParent && !parent ? refuse(parentNotFound) : await draft(creation, left, caller, ports);
    const fitting = drafted.ok && !ports.fitsItemLimit(drafted.value, 'new') ? refuse(tooLarge) : drafted;
    const built = fitting.ok ? buildResponse(fitting.value) : fitting;
    if (!built.ok) return hasParent ? built : refusedOrReplayed(built, creation, caller, ports);
    const { stored, response } = built.value;
    const record = idempotency && { ...idempotency, response };
    const change = { before: null, next: stored, fields: [], parent, replaces };
    const commit = buildCommit(change, caller.account.id, caller.credential, record);
    // A finalized credit also stores what it takes from its sale.
    if (parent && !ports.fitsItemLimit(commit.head.after, 'new')) return refuse(tooLarge);
    const { post, remove } = commit.openEntries;
    if (replaces && post.length + remove.length > replacedEntriesMax) return refuse(tooManyStates);
    return commitWithResponse(commit, { ...response, transaction: stored.transaction }, ports.ledger);
  }, ports.remainingMs);

/** A transaction that a new one replaces, and the plan of its void. Only the TaxJar-compatible API replaces. */
export type Replaces = {
  readonly id: string;
  readonly planVoid: (
    parent: StoredTransaction | null,
    caller: Caller,
    ports: CreatePorts,
  ) => Promise<Result<Replacement>>;
};

// A database transaction has at most 100 writes, of which heads, audit entries and the reference take up to ten.
const replacedEntriesMax = 90;
const tooManyStates: Problem = {
  code: 'validation_body_too_large',
  title: 'Too many states',
  detail: 'The transaction has too many states to be replaced in one write. Delete it and create a new one.',
};

/** Builds the new transaction of a request. A credit takes its amounts and settings from its sale. */
const draft = async (
  { request, sent, sentBody }: Creation,
  parent: StoredTransaction | null,
  { account: { id: account, settings } }: Caller,
  ports: CreatePorts,
): Promise<Result<NextTransaction>> => {
  const supplied = request.tax_amount ?? null;
  const decimals = parent && taxDecimalsProblem(supplied, parent.transaction.currency);
  if (decimals) return refuse(decimals);
  const base = { settings, now: ports.now() };
  const calculated = await calculateWithContent(request, parent, base, { ...ports, account }, sent);
  if (!calculated.ok) return calculated;
  const { outcome, kind, exemptions } = calculated.value;
  const recorded = withRecordedTax(outcome, supplied, parent);
  if (!recorded.ok) return recorded;
  const settingsSnapshot = parent?.settingsSnapshot ?? snapshotSettings(settings);
  const shippedInside = parent ? findShippedInside(parent) : [];
  const otherReducedRates = parent ? findOtherReducedRates(parent) : [];
  const basis = {
    creditOf: kind,
    ...newBasis(parent),
    settingsSnapshot,
    ...(parent && { replacedReason: parent.replacedReason }),
    ...exemptions,
    ...(shippedInside.length > 0 && { shippedInside }),
    ...(otherReducedRates.length > 0 && { otherReducedRates }),
  };
  const warnings = [...recorded.value.warnings, ...lineTaxWarnings(sentBody, recorded.value)];
  const figures = { calculated: outcome, recorded: { ...recorded.value, warnings } };
  return accept(newTransaction(request, figures, basis, settings.draft_ttl_hours, ports));
};

const buildResponse = (stored: NextTransaction): Result<{ stored: NextTransaction; response: SavedResponse }> => {
  const response = transactionResponse(201, stored.transaction);
  return fitsResponse(response.body) ? accept({ stored, response }) : refuse(responseTooLarge(stored.transaction));
};

// Returns the saved response if the first request with this key succeeded, otherwise the refusal.
const refusedOrReplayed = async (
  refused: Result<never>,
  { idempotency }: Creation,
  { account }: Caller,
  { ledger, now }: CreatePorts,
): Promise<Result<SavedResponse>> => {
  const replay = idempotency ? await ledger.findReplay(account.id, idempotency, now()) : undefined;
  return replay ? repeatResponse(replay) : refused;
};
