import { tooEarlyProblem } from '../../accounts/books-open.ts';
import { invalidFormat } from '../../base/problem.ts';
import { accept, type Result, refuse } from '../../base/result.ts';
import { metadataAdvice, metadataMax } from '../../calculations/fields.ts';
import { formatAmount, minorDigits } from '../../money/currency.ts';
import { nothingCredited } from '../credits/arithmetic.ts';
import { redactedForm } from '../personal-data/fields.ts';
import { basisAfter } from '../replay/basis.ts';
import type { TransactionUpdate } from '../request.ts';
import { taxDecimalsProblem } from '../request-problems.ts';
import { snapshotSettings } from '../settings-snapshot.ts';
import type { StoredTransaction, Transaction } from '../transaction.ts';
import { figuresAfter, isOfLines, type UpdateInput } from './figures.ts';
import { updateProblems, voidReasonProblem } from './problems.ts';
import { type RequestedChanges, requestedChanges } from './requested-changes.ts';

/** The next state of a transaction, and the names of the changed fields. */
export type Plan = { readonly next: StoredTransaction; readonly fields: readonly string[] };

/**
 * Plan an update: first the edits, then the status change, as one version. `null` where
 * nothing changes. Loads content only where something is recalculated.
 */
export const planUpdate = async (input: UpdateInput): Promise<Result<Plan | null>> => {
  const { update, stored, parent, base, account } = input;
  const { transaction } = stored;
  const decimals = taxDecimalsProblem(update.tax_amount, update.currency ?? transaction.currency);
  const reason = voidReasonProblem(update, transaction);
  const [invalid, ...alsoInvalid] = [decimals, reason].filter((problem) => problem !== null);
  if (invalid) return refuse(invalid, ...alsoInvalid);
  const requested = requestedChanges(update, stored);
  const tooEarly = requested.inputs.includes('tax_date') && tooEarlyProblem('/tax_date', update.tax_date, account);
  if (tooEarly) return refuse(tooEarly);
  // The limit of keys applies to the merged metadata as well.
  if (Object.keys(requested.values.metadata ?? {}).length > metadataMax.keys)
    return refuse(invalidFormat('/metadata', 'Invalid metadata', metadataAdvice));
  const [problem, ...others] = updateProblems(update, transaction, requested);
  if (problem) return refuse(problem, ...others);
  const fields = listFields(requested);
  if (fields.length === 0) return accept(null);
  const edit = { ...input, requested };
  const figures = await figuresAfter(edit);
  if (!figures.ok) return figures;
  const { replacedReason = stored.replacedReason, ...changes } = figures.value;
  const at = new Date(base.now).toISOString();
  const status = update.status ?? transaction.status;
  const isConverted = changes.currency !== undefined && changes.currency !== transaction.currency;
  const zero = formatAmount(0n, minorDigits(changes.currency ?? transaction.currency));
  const next: Transaction = {
    ...transaction,
    ...changes,
    // Only a draft can change its currency. Nothing is credited on it, and the zeros take the new currency's decimals.
    ...(isConverted && { credited_amount: zero, credited_tax_amount: zero }),
    status,
    ...requested.values,
    updated_at: at,
    version: transaction.version + 1,
    ...(requested.status && stamps(status, at, update)),
  };
  // A credit that was edited with lines is a credit of these lines from now on.
  const creditOf = stored.creditOf !== null && isOfLines(edit) ? 'lines' : stored.creditOf;
  // Edited inputs are recalculated with the current settings; a credit keeps its sale's settings.
  const isRebased = requested.inputs.length > 0 && parent === null;
  const settingsSnapshot = isRebased ? snapshotSettings(base.settings) : stored.settingsSnapshot;
  const creditBasis = basisAfter(stored, changes, parent);
  const credited = isConverted ? nothingCredited : stored.credited;
  const internal = { ...creditBasis, credited, creditOf, settingsSnapshot, ...(replacedReason && { replacedReason }) };
  // A draft credit is recomputed from its sale, which may have the personal data.
  const kept = next.redacted_at === undefined ? next : redactedForm(next);
  return accept({ next: { ...stored, ...internal, transaction: kept }, fields });
};

const listFields = ({ inputs, values, tax, status }: RequestedChanges): string[] => [
  ...inputs,
  ...Object.keys(values),
  ...(tax ? ['tax_amount'] : []),
  ...(status ? ['status'] : []),
];

const stamps = (status: Transaction['status'], at: string, { void_reason }: TransactionUpdate): Partial<Transaction> =>
  status === 'void' ? { voided_at: at, void_reason: void_reason ?? null } : { finalized_at: at, expires_at: null };
