import type { Outcome } from '../../calculations/calculate.ts';
import { allocate } from '../../money/allocate.ts';
import { exponentOf, parseAmount } from '../../money/currency.ts';
import { accept, type Result, refuse } from '../../result.ts';
import { withRowTaxes } from '../supplied-tax.ts';
import type { StoredTransaction } from '../transaction.ts';
import { nothing, overCredit, parentLineId, remainingOf } from './remaining.ts';

type Charge = { readonly weight: bigint; readonly rows: readonly bigint[] };

/**
 * Record the tax that was refunded instead of the computed one: spread over the credited lines by what is left of their
 * recorded tax, and bounded by it (interface decisions 5). With a unit price of zero this is a tax-only credit.
 */
export const withSuppliedCreditTax = (
  outcome: Outcome,
  supplied: string,
  parent: StoredTransaction,
): Result<Outcome> => {
  const exponent = exponentOf(outcome.currency);
  const total = parseAmount(supplied, exponent);
  if (total === parseAmount(outcome.tax_amount, exponent)) return accept(outcome);
  const charges = chargesOf(outcome, parent, exponent);
  const sum = charges.reduce((all, { weight }) => all + weight, 0n);
  // Lines that matched none took of the total what the lines themselves still show.
  const left = remainingOf(parent).total.tax;
  const bound = sum < left ? sum : left;
  if (total > bound) return refuse(overCredit({ ...nothing, tax: bound }, outcome.currency, '/tax_amount'));
  const taxes = allocate(
    total,
    charges.map(({ weight }) => weight),
  );
  const rowTaxes = charges.flatMap(({ rows }, index) => allocate(taxes[index] as bigint, rows));
  return accept(withRowTaxes(outcome, rowTaxes, null));
};

// What each credited line, and the shipping, can still carry, and how its jurisdictions share it.
const chargesOf = ({ line_items, shipping }: Outcome, parent: StoredTransaction, exponent: number): Charge[] => {
  const remaining = remainingOf(parent);
  const left = new Map(remaining.lines);
  const read = (text: string) => parseAmount(text, exponent);
  const charges = line_items.map((line): Charge => {
    const id = parentLineId(line, parent.transaction);
    const parentLine = parent.transaction.line_items.find((candidate) => candidate.id === id);
    if (!parentLine) return { weight: read(line.tax_amount), rows: line.taxes.map((row) => read(row.tax_amount)) };
    const weight = left.get(parentLine.id)?.tax ?? 0n;
    // A second line of the same parent's line finds nothing left.
    left.delete(parentLine.id);
    return { weight, rows: parentLine.taxes.map((row) => read(row.tax_amount)) };
  });
  const rows = (parent.transaction.shipping?.taxes ?? []).map((row) => read(row.tax_amount));
  return shipping ? [...charges, { weight: remaining.shipping.tax, rows }] : charges;
};
