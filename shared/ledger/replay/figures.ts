import { accept, mapResult, type Result } from '../../base/result.ts';
import { calculate, type Outcome } from '../../calculations/calculate.ts';
import { recordedCertificates } from '../../calculations/certificates.ts';
import type { Context } from '../../calculations/document.ts';
import { restoreInput } from '../../calculations/echo.ts';
import { formatAmount, minorDigits } from '../../money/currency.ts';
import { buildCredit } from '../credits/credit.ts';
import { withRecordedTax, withSuppliedCreditTax } from '../credits/supplied-credit-tax.ts';
import { withSuppliedTax } from '../supplied-tax.ts';
import type { CreditBasis, SaleState, StoredTransaction, Transaction } from '../transaction.ts';
import { saleAsOf } from './basis.ts';
import type { ReplayTotals } from './differences.ts';

/** The stored inputs of a transaction, without `explain`, which changes no figure. */
const restoreInputs = (transaction: Transaction) => ({ ...restoreInput(transaction), explain: false });

const recorded = (outcome: Outcome, calculated: Outcome): ReplayTotals => ({
  ...outcome,
  calculated_tax_amount: calculated.tax_amount,
});

const suppliedTax = ({ tax_amount, tax_amount_source }: Transaction): string | null =>
  tax_amount_source === 'provided' ? tax_amount : null;

/** Recalculate a sale, or a credit without a sale, from its stored inputs. A supplied tax is distributed again. */
export const replaySale = ({ transaction }: StoredTransaction, context: Context): Result<ReplayTotals> => {
  const calculated = calculate(restoreInputs(transaction), context, []);
  if (!calculated.ok) return calculated;
  const taxed = withRecordedTax(calculated.value, suppliedTax(transaction), null);
  return mapResult(taxed, (outcome) => recorded(outcome, calculated.value));
};

type ReplayedCredit = {
  readonly stored: StoredTransaction;
  readonly basis: CreditBasis;
  readonly sale: StoredTransaction;
  /** The credit's context, which equals its sale's. */
  readonly context: Context;
};

/** Recompute a credit from its sale as of then. */
export const replayCredit = ({ stored, basis, sale, context }: ReplayedCredit): Result<ReplayTotals> => {
  const { transaction, creditOf: kind } = stored;
  const found = replaySaleAsOf(sale, basis.figures, context);
  if (!found.ok) return found;
  const { line_items, shipping, ...others } = restoreInputs(transaction);
  const request = kind === 'lines' ? { ...others, line_items, shipping } : others;
  const credit = buildCredit(found.value, { ...request, credit_remaining: kind === 'remaining' }, context, []);
  if (!credit.ok) return credit;
  const calculated = credit.value.outcome;
  const taxed = basis.tax
    ? retaxed(calculated, transaction.tax_amount, replaySaleAsOf(sale, basis.tax, context))
    : withRecordedTax(calculated, suppliedTax(transaction), found.value);
  return mapResult(taxed, (outcome) => recorded(outcome, calculated));
};

// The sale's tax may have been replaced while it had no live credits, which distributed it differently.
const replaySaleAsOf = (sale: StoredTransaction, state: SaleState, context: Context): Result<StoredTransaction> => {
  if (sale.transaction.tax_amount === state.tax_amount) return accept(saleAsOf(sale, state));
  const certificates = recordedCertificates(sale.transaction);
  const calculated = calculate(restoreInputs(sale.transaction), { ...context, certificates }, []);
  if (!calculated.ok) return calculated;
  const { line_items, shipping, tax_amount, total_amount } = withSuppliedTax(calculated.value, state.tax_amount);
  const transaction = { ...sale.transaction, line_items, shipping, tax_amount, total_amount };
  return accept(saleAsOf({ ...sale, transaction }, state));
};

/** Replace a credit's tax as an update does: distribute it again, even if the amount is the same. */
const retaxed = (calculated: Outcome, tax: string, sale: Result<StoredTransaction>): Result<Outcome> => {
  if (!sale.ok) return sale;
  const without = withSuppliedCreditTax(calculated, formatAmount(0n, minorDigits(calculated.currency)), sale.value);
  const before = calculated.tax_amount === tax ? without : accept(calculated);
  return before.ok ? withSuppliedCreditTax(before.value, tax, sale.value) : before;
};
