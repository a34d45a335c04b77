import { listCharges, listTaxRows } from '../calculations/figures.ts';
import type { TaxRowResponse } from '../calculations/response.ts';
import { allocate } from '../money/allocate.ts';
import { parseAmount } from '../money/currency.ts';
import { decimal, digits, rescale } from '../money/decimal.ts';
import type { Transaction } from './transaction.ts';

type Taxed = Pick<Transaction, 'line_items' | 'shipping' | 'tax_amount' | 'calculated_tax_amount'>;

const rateUnits = ({ taxable_amount, rate }: TaxRowResponse, exponent: number): bigint =>
  parseAmount(taxable_amount, exponent) * rescale(decimal(rate), digits.fraction);

/**
 * The calculated tax of each row, of the lines and then of the shipping charges, in minor units. Only its sum is recorded where
 * another tax was: it is distributed in proportion to the recorded tax, or to taxable amount times rate where no tax was
 * recorded, by largest remainder. Nothing was calculated on a row that is over-collected.
 */
export const listCalculatedTaxes = (transaction: Taxed, exponent: number): bigint[] => {
  const rows = listTaxRows(transaction);
  const counts = rows.map(({ taxability_reason }) => taxability_reason !== 'over_collected');
  const weighted = (weigh: (row: TaxRowResponse) => bigint) =>
    rows.map((row, index) => (counts[index] ? weigh(row) : 0n));
  const recorded = weighted(({ tax_amount }) => parseAmount(tax_amount, exponent));
  if (transaction.tax_amount === transaction.calculated_tax_amount) return recorded;
  const total = parseAmount(transaction.calculated_tax_amount, exponent);
  const isSome = (weights: readonly bigint[]) => weights.some((weight) => weight > 0n);
  const weights = isSome(recorded) ? recorded : weighted((row) => rateUnits(row, exponent));
  if (isSome(weights)) return allocate(total, weights);
  // A fee without a rate.
  return rows.map((_, index) => (index === 0 ? total : 0n));
};

/** Split the values of all rows by the charges that they belong to: the lines and then the shipping charges. */
export const splitByCharge = <Value>(
  transaction: Pick<Transaction, 'line_items' | 'shipping'>,
  values: readonly Value[],
): readonly (readonly Value[])[] => {
  let position = 0;
  return listCharges(transaction).map(({ taxes }) => {
    const from = position;
    position += taxes.length;
    return values.slice(from, position);
  });
};
