import { calculate, type Outcome } from '../../calculations/calculate.ts';
import { crossFieldProblems } from '../../calculations/cross-field.ts';
import type { Context } from '../../calculations/document.ts';
import { inputOf } from '../../calculations/echo.ts';
import { invalidFormat, metadataAdvice, metadataMax } from '../../calculations/fields.ts';
import type { Warning } from '../../calculations/response.ts';
import { unknownFieldWarnings } from '../../calculations/warnings.ts';
import { exponentOf, parseAmount } from '../../money/currency.ts';
import { accept, type Result, refuse } from '../../result.ts';
import { type CreditRequest, creditOf } from '../credits/credit.ts';
import { takenBy, withCredited } from '../credits/remaining.ts';
import { withSuppliedCreditTax } from '../credits/supplied-credit-tax.ts';
import { taxDiffers } from '../new-transaction.ts';
import { type Ports, pinnedTo } from '../ports.ts';
import type { TransactionUpdate } from '../request.ts';
import { taxDecimalsProblem } from '../request-problems.ts';
import { withSuppliedTax } from '../supplied-tax.ts';
import type { StoredTransaction, Transaction } from '../transaction.ts';
import { changedInputs, changedMetadata, type InputField } from './changed-fields.ts';
import { type Asked, updateProblems } from './immutable.ts';

/** What an update makes of a transaction: its next state, and the names of the fields that changed. */
export type Plan = { readonly next: StoredTransaction; readonly fields: readonly string[] };

type Basis = {
  readonly context: Context;
  readonly releaseById: Ports['releaseById'];
  readonly parent: StoredTransaction | null;
};

const askedOf = (update: TransactionUpdate, transaction: Transaction): Asked => ({
  inputs: changedInputs(update, transaction),
  metadata: changedMetadata(update, transaction),
  reference: update.reference_id !== undefined && update.reference_id !== transaction.reference_id,
  tax: isTaxChanged(update, transaction),
  status: update.status !== undefined && update.status !== null && update.status !== transaction.status,
});

const isTaxChanged = ({ tax_amount }: TransactionUpdate, transaction: Transaction): boolean => {
  if (tax_amount === undefined) return false;
  if (tax_amount === null) return transaction.tax_amount_source === 'provided';
  const exponent = exponentOf(transaction.currency);
  return parseAmount(tax_amount, exponent) !== parseAmount(transaction.tax_amount, exponent);
};

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
  if (decimals) return refuse(decimals);
  const asked = askedOf(update, transaction);
  // Each update may have as many keys as the transaction may, but not beside the ones that are there.
  if (Object.keys(asked.metadata ?? {}).length > metadataMax.keys)
    return refuse(invalidFormat('/metadata', 'Invalid metadata', metadataAdvice));
  const [problem, ...others] = updateProblems(update, transaction, asked);
  if (problem) return refuse(problem, ...others);
  const fields = fieldsOf(asked);
  if (fields.length === 0) return accept(null);
  const figures = figuresAfter(update, stored, asked, basis, unknownFields);
  if (!figures.ok) return figures;
  const at = new Date(basis.context.now).toISOString();
  const status = update.status ?? transaction.status;
  const next: Transaction = {
    ...transaction,
    ...figures.value,
    status,
    reference_id: update.reference_id === undefined ? transaction.reference_id : update.reference_id,
    metadata: asked.metadata ?? transaction.metadata,
    updated_at: at,
    version: transaction.version + 1,
    ...(asked.status && stamps(status, at, update)),
  };
  // Lines that an edit gave to a credit are what it credits from now on.
  const creditOf = stored.creditOf !== null && asked.inputs.includes('line_items') ? 'lines' : stored.creditOf;
  // An edit of the inputs recalculates with the account's settings of today.
  const pinned = asked.inputs.length > 0 ? { rounding: basis.context.settings.rounding } : stored.pinned;
  return accept({ next: { ...stored, creditOf, pinned, transaction: next }, fields });
};

const fieldsOf = ({ inputs, metadata, reference, tax, status }: Asked): string[] => [
  ...inputs,
  ...(metadata ? ['metadata'] : []),
  ...(reference ? ['reference_id'] : []),
  ...(tax ? ['tax_amount'] : []),
  ...(status ? ['status'] : []),
];

const stamps = (status: Transaction['status'], at: string, { void_reason }: TransactionUpdate): Partial<Transaction> =>
  status === 'void' ? { voided_at: at, void_reason: void_reason ?? null } : { finalized_at: at, expires_at: null };

type Figures = Outcome & Pick<Transaction, 'calculated_tax_amount' | 'tax_amount_source'>;

/** The figures after the edits, or nothing where they stay: nothing is recalculated silently. */
const figuresAfter = (
  update: TransactionUpdate,
  stored: StoredTransaction,
  asked: Asked,
  basis: Basis,
  unknownFields: readonly string[],
): Result<Partial<Figures>> => {
  const { transaction } = stored;
  const isStale = stored.creditOf !== null && asked.status && update.status === 'finalized';
  if (asked.inputs.length === 0 && !asked.tax && !isStale)
    return accept({ warnings: withUnknownFields(transaction.warnings, unknownFields) });
  if (basis.parent && transaction.status === 'finalized')
    return retaxed(transaction, update.tax_amount ?? null, basis.parent, unknownFields);
  const supplied = suppliedTax(update, transaction, asked);
  const calculated = recalculate(update, stored, asked, basis, unknownFields);
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
  if (isStale && !asked.tax && asked.inputs.length === 0 && isMoved)
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
    warnings: [...outcome.warnings, ...taxWarnings(outcome, calculated.value, update, transaction, asked)],
    calculated_tax_amount: calculated.value.tax_amount,
    tax_amount_source: supplied === null ? 'calculated' : 'provided',
  });
};

// The same unknown field in every update is one warning.
const withUnknownFields = (warnings: readonly Warning[], unknownFields: readonly string[]): Warning[] => {
  const told = new Set(warnings.map(({ code, pointer }) => `${code} ${pointer}`));
  const added = unknownFieldWarnings(unknownFields).filter(({ code, pointer }) => !told.has(`${code} ${pointer}`));
  return [...warnings, ...added];
};

/**
 * Another tax of a finalized credit. What it credits stays; its tax is spread over, and bounded by, what is left of the
 * sale's without this credit itself.
 */
const retaxed = (
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

const suppliedTax = (update: TransactionUpdate, transaction: Transaction, asked: Asked): string | null => {
  if (update.tax_amount !== undefined) return update.tax_amount;
  return asked.inputs.length === 0 && transaction.tax_amount_source === 'provided' ? transaction.tax_amount : null;
};

const taxWarnings = (
  outcome: Outcome,
  calculated: Outcome,
  update: TransactionUpdate,
  transaction: Transaction,
  asked: Asked,
): Warning[] => {
  if (outcome.tax_amount !== calculated.tax_amount) return [taxDiffers(outcome.tax_amount, calculated.tax_amount)];
  const isDropped =
    asked.inputs.length > 0 && update.tax_amount === undefined && transaction.tax_amount_source === 'provided';
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

const recalculate = (
  update: TransactionUpdate,
  stored: StoredTransaction,
  asked: Asked,
  { context, releaseById, parent }: Basis,
  unknownFields: readonly string[],
): Result<Outcome> => {
  const changes = Object.fromEntries(asked.inputs.map((field) => [field, update[field]])) as Pick<
    TransactionUpdate,
    InputField
  >;
  const input = { ...inputOf(stored.transaction), ...changes };
  if (parent) {
    const credit = creditOf(
      parent,
      creditRequest(input, stored, asked),
      pinnedTo(parent.transaction, context, releaseById, parent.pinned),
      unknownFields,
    );
    return credit.ok ? accept(credit.value.outcome) : credit;
  }
  const [problem, ...others] = crossFieldProblems(input);
  if (problem) return refuse(problem, ...others);
  // Without an edit of the inputs the figures must come out as they were recorded.
  const basis = asked.inputs.length > 0 ? context : pinnedTo(stored.transaction, context, releaseById, stored.pinned);
  return calculate(input, basis, unknownFields);
};

/** A credit is asked for again as it was: all, what remains, or these lines. */
const creditRequest = (
  input: CreditRequest,
  { creditOf: kind }: StoredTransaction,
  { inputs }: Asked,
): CreditRequest => {
  if (kind === 'lines' || inputs.includes('line_items')) return input;
  const { line_items: _lines, shipping: _shipping, ...rest } = input;
  return { ...rest, credit_remaining: kind === 'remaining' };
};
