import type { Outcome } from '../../calculations/calculate.ts';
import type { Warning } from '../../calculations/response.ts';
import { unknownFieldWarnings } from '../../calculations/warnings.ts';
import { accept, type Result, refuse } from '../../result.ts';
import { takenBy, withCredited } from '../credits/remaining.ts';
import { withSuppliedCreditTax } from '../credits/supplied-credit-tax.ts';
import { taxDiffers } from '../new-transaction.ts';
import type { TransactionUpdate } from '../request.ts';
import { withSuppliedTax } from '../supplied-tax.ts';
import type { StoredTransaction, Transaction } from '../transaction.ts';
import type { RequestedChanges } from './immutable.ts';
import { type Basis, recalculate } from './recalculate.ts';

type Figures = Outcome & Pick<Transaction, 'calculated_tax_amount' | 'tax_amount_source'>;

// Other credits may have reduced the remaining sale since the draft was created.
const mayBeStale = (update: TransactionUpdate, { creditOf }: StoredTransaction, requested: RequestedChanges): boolean =>
  creditOf !== null && requested.status && update.status === 'finalized';

const isRetouched = (update: TransactionUpdate, stored: StoredTransaction, requested: RequestedChanges): boolean =>
  requested.inputs.length > 0 || requested.tax || mayBeStale(update, stored, requested);

/** Whether an update recalculates, so that it needs content. */
export const isRecalculated = (
  update: TransactionUpdate,
  stored: StoredTransaction,
  requested: RequestedChanges,
  parent: StoredTransaction | null,
): boolean => isRetouched(update, stored, requested) && !(parent && stored.transaction.status === 'finalized');

/** The figures that the edits change; empty where nothing is recalculated. */
export const figuresAfter = (
  update: TransactionUpdate,
  stored: StoredTransaction,
  requested: RequestedChanges,
  basis: Basis,
  unknownFields: readonly string[],
): Result<Partial<Figures>> => {
  const { transaction } = stored;
  const isStale = mayBeStale(update, stored, requested);
  if (!isRetouched(update, stored, requested))
    return accept({ warnings: withUnknownFields(transaction.warnings, unknownFields) });
  if (basis.parent && transaction.status === 'finalized')
    return withReplacedTax(transaction, update.tax_amount ?? null, basis.parent, unknownFields);
  const supplied = suppliedTax(update, transaction, requested);
  const calculated = recalculate(update, stored, requested, basis, unknownFields);
  if (!calculated.ok) return calculated;
  const recorded =
    supplied === null
      ? accept(calculated.value)
      : basis.parent
        ? withSuppliedCreditTax(calculated.value, supplied, basis.parent)
        : accept(withSuppliedTax(calculated.value, supplied));
  if (!recorded.ok) return recorded;
  const outcome = recorded.value;
  const isMoved = outcome.tax_amount !== transaction.tax_amount || outcome.total_amount !== transaction.total_amount;
  if (isStale && !requested.tax && requested.inputs.length === 0 && isMoved)
    return refuse({
      code: 'conflict_credit_stale',
      title: 'Credit is stale',
      detail:
        'The sale was credited since, and this credit has changed: send meta.tax_amount as tax_amount, or create it again.',
      source: { pointer: '/status' },
      meta: { tax_amount: outcome.tax_amount },
    });
  return accept({
    ...outcome,
    warnings: [...outcome.warnings, ...taxWarnings(outcome, calculated.value, update, transaction, requested)],
    calculated_tax_amount: calculated.value.tax_amount,
    tax_amount_source: supplied === null ? 'calculated' : 'provided',
  });
};

// A repeated unknown field gives one warning.
const withUnknownFields = (warnings: readonly Warning[], unknownFields: readonly string[]): Warning[] => {
  const told = new Set(warnings.map(({ code, pointer }) => `${code} ${pointer}`));
  const added = unknownFieldWarnings(unknownFields).filter(({ code, pointer }) => !told.has(`${code} ${pointer}`));
  return [...warnings, ...added];
};

/**
 * Replace the tax of a finalized credit. Its lines stay; the new tax is distributed over, and bounded by, the sale's
 * remaining tax without this credit.
 */
const withReplacedTax = (
  transaction: Transaction,
  supplied: string | null,
  parent: StoredTransaction,
  unknownFields: readonly string[],
): Result<Partial<Figures>> => {
  const { calculated_tax_amount, updated_at } = transaction;
  const without = withCredited(parent, takenBy(transaction, parent.transaction), -1n, updated_at);
  const recorded = withSuppliedCreditTax(transaction, supplied ?? calculated_tax_amount, without);
  if (!recorded.ok) return recorded;
  const { tax_amount } = recorded.value;
  const others = withUnknownFields(transaction.warnings, unknownFields).filter(
    ({ code }) => code !== 'tax_amount_differs',
  );
  const differs = tax_amount === calculated_tax_amount ? [] : [taxDiffers(tax_amount, calculated_tax_amount)];
  return accept({
    ...recorded.value,
    warnings: [...others, ...differs],
    tax_amount_source: supplied === null ? 'calculated' : 'provided',
  });
};

const suppliedTax = (
  update: TransactionUpdate,
  transaction: Transaction,
  requested: RequestedChanges,
): string | null => {
  if (update.tax_amount !== undefined) return update.tax_amount;
  return requested.inputs.length === 0 && transaction.tax_amount_source === 'provided' ? transaction.tax_amount : null;
};

const taxWarnings = (
  outcome: Outcome,
  calculated: Outcome,
  update: TransactionUpdate,
  transaction: Transaction,
  requested: RequestedChanges,
): Warning[] => {
  if (outcome.tax_amount !== calculated.tax_amount) return [taxDiffers(outcome.tax_amount, calculated.tax_amount)];
  const isDropped =
    requested.inputs.length > 0 && update.tax_amount === undefined && transaction.tax_amount_source === 'provided';
  return isDropped
    ? [
        {
          code: 'tax_amount_dropped',
          message: `The edit recalculated the tax; the ${transaction.tax_amount} sent before no longer counts.`,
          pointer: '/tax_amount',
        },
      ]
    : [];
};
