import { accept, type Result, refuse } from '../../base/result.ts';
import type { Outcome } from '../../calculations/calculate.ts';
import { listCharges } from '../../calculations/figures.ts';
import { allocate } from '../../money/allocate.ts';
import { minorDigits, parseAmount } from '../../money/currency.ts';
import { withRowTaxes, withSuppliedTax } from '../supplied-tax.ts';
import type { StoredTransaction } from '../transaction.ts';
import { remainingShare, rowTaxes } from './arithmetic.ts';
import { overCredit } from './problems.ts';
import { calculateRemaining, parentIds } from './remaining.ts';

/** The remaining tax of a charge, and how its jurisdictions share it. */
type Charge = { readonly weight: bigint; readonly rowsOf: (tax: bigint) => bigint[] };

/**
 * Record the refunded tax instead of the computed one: distribute it over the credited lines by their remaining
 * recorded tax, which bounds it. With a unit price of zero this is a tax-only credit.
 */
export const withSuppliedCreditTax = (
  outcome: Outcome,
  supplied: string,
  parent: StoredTransaction,
): Result<Outcome> => {
  const exponent = minorDigits(outcome.currency);
  const total = parseAmount(supplied, exponent);
  if (total === parseAmount(outcome.tax_amount, exponent)) return accept(outcome);
  const charges = creditedCharges(outcome, parent, exponent);
  const sum = charges.reduce((all, { weight }) => all + weight, 0n);
  // Unmatched credit lines reduce the total, but not the remaining amounts of the lines.
  const left = calculateRemaining(parent).total;
  const bound = sum < left.tax ? sum : left.tax;
  if (total > bound) return refuse(overCredit({ net: left.net, tax: bound }, outcome.currency, '/tax_amount', 'tax'));
  const taxes = allocate(
    total,
    charges.map(({ weight }) => weight),
  );
  const rows = charges.flatMap(({ rowsOf }, index) => rowsOf(taxes[index] as bigint));
  return accept(withRowTaxes(outcome, rows, null));
};

/** Record the supplied tax of a sale or a credit, if any, instead of the calculated one. */
export const withRecordedTax = (
  outcome: Outcome,
  supplied: string | null,
  sale: StoredTransaction | null,
): Result<Outcome> => {
  if (supplied === null) return accept(outcome);
  return sale ? withSuppliedCreditTax(outcome, supplied, sale) : accept(withSuppliedTax(outcome, supplied));
};

// The remaining tax of each credited line and shipping charge.
const creditedCharges = (outcome: Outcome, parent: StoredTransaction, exponent: number): Charge[] => {
  const remaining = calculateRemaining(parent);
  const ids = parentIds(outcome, parent.transaction);
  const spent = new Set<string>();
  const read = (text: string) => parseAmount(text, exponent);
  return listCharges(outcome).map((charge, at): Charge => {
    const id = ids[at];
    const balance = id === undefined ? undefined : remaining.charges.get(id);
    if (id === undefined || !balance) {
      const rows = charge.taxes.map((row) => read(row.tax_amount));
      return { weight: read(charge.tax_amount), rowsOf: (tax) => allocate(tax, rows) };
    }
    // A second credit of the same line has nothing left.
    const weight = spent.has(id) ? 0n : remainingShare(balance).tax;
    spent.add(id);
    return { weight, rowsOf: (tax) => rowTaxes(tax, balance) };
  });
};
