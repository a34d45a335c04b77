import type { Outcome } from '../calculations/calculate.ts';
import { mapShipping } from '../calculations/charges.ts';
import { step } from '../calculations/explain/step.ts';
import { documentTotals, listTaxRows, writerFor } from '../calculations/figures.ts';
import type { LineItemResponse } from '../calculations/response.ts';
import { allocate, sum } from '../money/allocate.ts';
import { minorDigits, parseAmount } from '../money/currency.ts';
import type { StoredTransaction } from './transaction.ts';

/**
 * Records the collected tax instead of the calculated one.
 *
 * A fee has a fixed amount. It is recorded in full, or as 0 if the supplied tax is the calculated tax without the fees or
 * is less than the fees. The rest is distributed over lines and jurisdictions in proportion to the calculated tax, by
 * largest remainder. If no tax was calculated, the rest goes to the destination state of the largest line as
 * `over_collected`.
 */
export const withSuppliedTax = (outcome: Outcome, supplied: string): Outcome => {
  const exponent = minorDigits(outcome.currency);
  const read: Reader = (text) => parseAmount(text, exponent);
  const total = read(supplied);
  if (total === read(outcome.tax_amount)) return outcome;
  const rows = listTaxRows(outcome);
  const due = rows.map((row) => read(row.tax_amount));
  const dueFees = due.map((tax, index) => (rows[index]?.tax_type === 'fee' ? tax : 0n));
  const weights = due.map((tax, index) => tax - (dueFees[index] as bigint));
  // The supplied tax is less than the fees, and the goods have no tax.
  if (sum(weights) === 0n && total < sum(dueFees)) return withRowTaxes(outcome, allocate(total, dueFees), null);
  const isWithoutFees = total === sum(weights) || total < sum(dueFees);
  const fees = isWithoutFees ? due.map(() => 0n) : dueFees;
  const rest = total - sum(fees);
  const only = sum(weights) > 0n ? null : largestRow(outcome, read);
  const shares = only === null ? allocate(rest, weights) : weights.map((_, index) => (index === only ? rest : 0n));
  const taxes = shares.map((share, index) => share + (fees[index] as bigint));
  return withRowTaxes(outcome, taxes, only);
};

/**
 * Returns what a supplied tax replaced, for the open entries: the calculated tax of each row, and the reason for no tax
 * that `over_collected` replaced. Both are `undefined` if the calculated tax was recorded.
 */
export const replacedTax = (
  calculated: Outcome,
  recorded: Outcome,
): Pick<StoredTransaction, 'calculatedTaxes' | 'replacedReason'> => {
  if (recorded.tax_amount === calculated.tax_amount) return { calculatedTaxes: undefined, replacedReason: undefined };
  const exponent = minorDigits(calculated.currency);
  const rows = listTaxRows(calculated);
  const at = listTaxRows(recorded).findIndex(({ taxability_reason }) => taxability_reason === 'over_collected');
  return {
    calculatedTaxes: rows.map(({ tax_amount }) => parseAmount(tax_amount, exponent)),
    replacedReason: rows[at]?.taxability_reason,
  };
};

type Reader = (text: string) => bigint;

// Finds the state's row (the first one) of the line with the largest net.
const largestRow = ({ line_items }: Outcome, read: Reader): number => {
  const nets = line_items.map((line) => read(line.net_amount));
  const largest = nets.reduce((best, net, index) => (net > (nets[best] as bigint) ? index : best), 0);
  return line_items.slice(0, largest).reduce((count, { taxes }) => count + taxes.length, 0);
};

const recordedInstead = '/tax_amount';

/** Adds the recorded tax as the last step. The other steps explain the calculated tax. */
const explainedAgain = ({ explanation, tax_amount }: Outcome, recorded: string): Outcome['explanation'] =>
  explanation && [
    ...explanation.filter(({ pointer }) => pointer !== recordedInstead),
    step(
      'rounding',
      recordedInstead,
      `The recorded tax is ${recorded} instead of ${tax_amount}, distributed over the rows in proportion, by largest remainder.`,
    ),
  ];

/**
 * Replaces the taxes of all rows, in order, and every sum that includes them. `overCollected` is the index of the row
 * with tax that was not calculated.
 */
export const withRowTaxes = (outcome: Outcome, taxes: readonly bigint[], overCollected: number | null): Outcome => {
  const exponent = minorDigits(outcome.currency);
  const write = writerFor(exponent);
  let position = 0;
  const replace = <Charge extends Pick<LineItemResponse, 'taxes' | 'tax_amount'>>(charge: Charge): Charge => {
    let lineTax = 0n;
    const rows = charge.taxes.map((row) => {
      const tax = taxes[position] as bigint;
      const isOverCollected = position === overCollected && tax > 0n;
      position += 1;
      lineTax += tax;
      return {
        ...row,
        tax_amount: write(tax),
        ...(isOverCollected && { taxability_reason: 'over_collected' as const }),
      };
    });
    return { ...charge, taxes: rows, tax_amount: write(lineTax) };
  };
  const line_items = outcome.line_items.map(replace);
  const shipping = mapShipping(outcome.shipping, replace);
  const charges = { line_items, shipping, tax_included: outcome.tax_included };
  const totals = documentTotals(charges, exponent);
  return { ...outcome, ...charges, ...totals, explanation: explainedAgain(outcome, totals.tax_amount) };
};
