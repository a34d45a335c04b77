import { calculate, type Outcome } from '../calculations/calculate.ts';
import { accept, type Result, refuse } from '../result.ts';
import { answerOf } from './answer.ts';
import { untilSettled } from './attempts.ts';
import { auditEntry } from './audit.ts';
import { currentContext, pinnedContext } from './context.ts';
import { parentNotFound } from './credits/admission.ts';
import { creditOf } from './credits/credit.ts';
import { parentAfter } from './credits/parent-change.ts';
import { withSuppliedCreditTax } from './credits/supplied-credit-tax.ts';
import { unmatchedInput } from './credits/unmatched.ts';
import type { Commit, Idempotency } from './ledger.ts';
import { storedAsOf } from './lifecycle.ts';
import { newTransaction } from './new-transaction.ts';
import { openEntriesOf } from './open-entries.ts';
import { pinnedOf } from './pinned.ts';
import { type Answered, answerOfReplay, type Caller, type CreatePorts, referenceTaken, tooLarge } from './ports.ts';
import { newBasis } from './replay/basis.ts';
import type { TransactionRequest } from './request.ts';
import { taxDecimalsProblem } from './request-problems.ts';
import { withSuppliedTax } from './supplied-tax.ts';
import type { StoredTransaction } from './transaction.ts';

export type Creation = {
  readonly request: TransactionRequest;
  readonly idempotency: Idempotency | null;
  readonly unknownFields: readonly string[];
};

/**
 * Record a sale or a credit (specification 4.2): calculate, then one write that holds everything.
 *
 * Refused: what a calculation refuses, `conflict_duplicate_reference_id`, a credit that its parent does not allow, and a
 * body too large to keep. A repeated request with the same Idempotency-Key is answered as the first one was.
 */
export const createTransaction = async (
  creation: Creation,
  caller: Caller,
  ports: CreatePorts,
): Promise<Result<Answered>> =>
  // The parent of a credit may have moved since it was read.
  untilSettled(() => createOnce(creation, caller, ports), ports);

const createOnce = async (
  creation: Creation,
  caller: Caller,
  ports: CreatePorts,
): Promise<Result<Answered> | 'stale'> => {
  const { request, idempotency } = creation;
  const parentId = request.type === 'credit' ? request.parent_transaction_id : null;
  const read = parentId
    ? await ports.ledger.findWithReplay(caller.account.id, parentId, idempotency, ports.now())
    : null;
  if (read?.replay) return answerOfReplay(read.replay);
  const parent = read?.stored ? storedAsOf(read.stored, ports.now()) : null;
  const drafted = parentId && !parent ? refuse(parentNotFound) : await draft(creation, parent, caller, ports);
  const fitting = drafted.ok && ports.storedSize(drafted.value) > ports.storedBytesMax ? refuse(tooLarge) : drafted;
  if (!fitting.ok) return parentId ? fitting : refusedOrReplayed(fitting, creation, caller, ports);
  const stored = fitting.value;
  const commit = commitOf(stored, parent, idempotency, caller, ports.now());
  const committed = await ports.ledger.commit(commit);
  switch (committed.kind) {
    case 'committed':
      return accept({ answer: answerOf(201, stored.transaction), isReplayed: false });
    case 'reference_taken':
      return refuse(referenceTaken(committed.transactionId));
    case 'stale':
      return 'stale';
    case 'period_closed':
      throw new Error('A new transaction removes no open entry.');
    default:
      return answerOfReplay(committed);
  }
};

// What was refused now may have been accepted when the request came first.
const refusedOrReplayed = async (
  refused: Result<never>,
  { idempotency }: Creation,
  { account }: Caller,
  { ledger, now }: CreatePorts,
): Promise<Result<Answered>> => {
  const replay = idempotency ? await ledger.findReplay(account.id, idempotency, now()) : undefined;
  return replay ? answerOfReplay(replay) : refused;
};

type Figures = {
  readonly outcome: Outcome;
  readonly calculatedTax: string;
  readonly kind: StoredTransaction['creditOf'];
};

const figuresOf = async (
  { request, unknownFields }: Creation,
  parent: StoredTransaction | null,
  { account: { settings } }: Caller,
  ports: CreatePorts,
): Promise<Result<Figures>> => {
  const around = { settings, now: ports.now() };
  const supplied = request.tax_amount ?? null;
  if (parent) {
    const decimals = taxDecimalsProblem(supplied, parent.transaction.currency);
    if (decimals) return refuse(decimals);
    const input = unmatchedInput(parent.transaction, request);
    const context = await pinnedContext(input, parent, around, ports.loadContent);
    const credit = creditOf(parent, request, context, unknownFields);
    if (!credit.ok) return credit;
    const { outcome, kind } = credit.value;
    const recorded = supplied === null ? accept(outcome) : withSuppliedCreditTax(outcome, supplied, parent);
    return recorded.ok ? accept({ outcome: recorded.value, calculatedTax: outcome.tax_amount, kind }) : recorded;
  }
  const context = await currentContext(request, around, ports.loadContent);
  const calculated = calculate(request, context, unknownFields);
  if (!calculated.ok) return calculated;
  const outcome = supplied === null ? calculated.value : withSuppliedTax(calculated.value, supplied);
  return accept({ outcome, calculatedTax: calculated.value.tax_amount, kind: null });
};

const draft = async (
  creation: Creation,
  parent: StoredTransaction | null,
  caller: Caller,
  ports: CreatePorts,
): Promise<Result<StoredTransaction>> => {
  const figures = await figuresOf(creation, parent, caller, ports);
  if (!figures.ok) return figures;
  const { outcome, calculatedTax, kind } = figures.value;
  const { settings } = caller.account;
  // A credit of a sale rests on what the sale does.
  const basis = { creditOf: kind, ...newBasis(parent), pinned: parent?.pinned ?? pinnedOf(settings) };
  return accept(newTransaction(creation.request, outcome, calculatedTax, basis, settings.draft_ttl_hours, ports));
};

const commitOf = (
  stored: StoredTransaction,
  parent: StoredTransaction | null,
  idempotency: Idempotency | null,
  { account, credential }: Caller,
  nowMs: number,
): Commit => {
  const { transaction } = stored;
  const entry = auditEntry({
    before: null,
    after: transaction,
    at: transaction.created_at,
    by: credential,
    fields: [],
  });
  const isFinal = transaction.status === 'finalized';
  return {
    account: account.id,
    nowMs,
    idempotency: idempotency && { ...idempotency, answer: answerOf(201, transaction) },
    head: { before: null, after: { ...stored, auditHash: entry.hash }, entry },
    parent:
      parent && isFinal
        ? parentAfter(parent, [{ credit: transaction, sign: 1n }], transaction.created_at, credential)
        : null,
    openEntries: { post: isFinal ? openEntriesOf(transaction) : [], remove: [] },
  };
};
