import { invalidFormat, metadataAdvice, metadataMax } from '../../calculations/fields.ts';
import { exponentOf, formatAmount } from '../../money/currency.ts';
import { accept, type Result, refuse } from '../../result.ts';
import { pinnedOf } from '../pinned.ts';
import { basisAfter } from '../replay/basis.ts';
import type { TransactionUpdate } from '../request.ts';
import { taxDecimalsProblem } from '../request-problems.ts';
import { nothingCredited, type StoredTransaction, type Transaction } from '../transaction.ts';
import { figuresAfter } from './figures-after.ts';
import { type RequestedChanges, updateProblems } from './immutable.ts';
import { type Basis, isOfLines } from './recalculate.ts';
import { requestedChanges } from './requested-changes.ts';
import { voidReasonProblem } from './void-reason.ts';

/** What an update makes of a transaction: its next state, and the names of the fields that changed. */
export type Plan = { readonly next: StoredTransaction; readonly fields: readonly string[] };

/**
 * Decide what an update makes of a transaction: edits and a status change apply in that order, as one version
 * (interface decisions 3 and 4). Pure. `null`: nothing changes, so nothing is written.
 */
export const planUpdate = (
  update: TransactionUpdate,
  stored: StoredTransaction,
  basis: Basis,
  unknownFields: readonly string[],
): Result<Plan | null> => {
  const { transaction } = stored;
  const decimals = taxDecimalsProblem(update.tax_amount, update.currency ?? transaction.currency);
  const reason = voidReasonProblem(update, transaction);
  const [invalid, ...alsoInvalid] = [decimals, reason].filter((one) => one !== null);
  if (invalid) return refuse(invalid, ...alsoInvalid);
  const requested = requestedChanges(update, transaction);
  // Each update may have as many keys as the transaction may, but not beside the ones that are there.
  if (Object.keys(requested.metadata ?? {}).length > metadataMax.keys)
    return refuse(invalidFormat('/metadata', 'Invalid metadata', metadataAdvice));
  const [problem, ...others] = updateProblems(update, transaction, requested);
  if (problem) return refuse(problem, ...others);
  const fields = fieldsOf(requested);
  if (fields.length === 0) return accept(null);
  const figures = figuresAfter(update, stored, requested, basis, unknownFields);
  if (!figures.ok) return figures;
  const at = new Date(basis.context.now).toISOString();
  const status = update.status ?? transaction.status;
  const isConverted = figures.value.currency !== undefined && figures.value.currency !== transaction.currency;
  const zero = formatAmount(0n, exponentOf(figures.value.currency ?? transaction.currency));
  const next: Transaction = {
    ...transaction,
    ...figures.value,
    // Only a draft changes its currency, of which nothing is credited; that, too, has the currency's decimals.
    ...(isConverted && { credited_amount: zero, credited_tax_amount: zero }),
    status,
    reference_id: update.reference_id === undefined ? transaction.reference_id : update.reference_id,
    metadata: requested.metadata ?? transaction.metadata,
    updated_at: at,
    version: transaction.version + 1,
    ...(requested.status && stamps(status, at, update)),
  };
  // Lines that an edit gave to a credit are what it credits from now on.
  const creditOf = stored.creditOf !== null && isOfLines(update, stored, requested) ? 'lines' : stored.creditOf;
  // An edit of the inputs recalculates with the account's settings of today; a credit's are its sale's.
  const isRebased = requested.inputs.length > 0 && basis.parent === null;
  const pinned = isRebased ? pinnedOf(basis.context.settings) : stored.pinned;
  const creditBasis = basisAfter(stored, figures.value, basis.parent);
  const credited = isConverted ? nothingCredited(zero) : stored.credited;
  return accept({ next: { ...stored, ...creditBasis, credited, creditOf, pinned, transaction: next }, fields });
};

const fieldsOf = ({ inputs, metadata, reference, tax, status }: RequestedChanges): string[] => [
  ...inputs,
  ...(metadata ? ['metadata'] : []),
  ...(reference ? ['reference_id'] : []),
  ...(tax ? ['tax_amount'] : []),
  ...(status ? ['status'] : []),
];

const stamps = (status: Transaction['status'], at: string, { void_reason }: TransactionUpdate): Partial<Transaction> =>
  status === 'void' ? { voided_at: at, void_reason: void_reason ?? null } : { finalized_at: at, expires_at: null };
