import type { Writer } from '../../calculations/figures.ts';
import { summarizeRows } from '../../calculations/figures.ts';
import { parseAmount } from '../../money/currency.ts';
import { type Charge, isLiability, type Part, type Row } from './charges.ts';
import type { EntryException, OpenAmounts, OpenEntry, OpenSplit, Posting } from './entry.ts';
import { namedExemptions } from './reasons.ts';

/** Minor units. */
type Sum = { readonly taxable: bigint; readonly exempt: bigint; readonly tax: bigint; readonly calculated: bigint } & {
  readonly parts: Readonly<Record<Part, bigint>>;
};
const parts: readonly Part[] = [...namedExemptions, 'not_covered'];
const noParts = (): Record<Part, bigint> => ({
  resale: 0n,
  customer: 0n,
  snap: 0n,
  marketplace: 0n,
  not_registered: 0n,
  not_covered: 0n,
});

const summed = (rows: readonly Row[], exponent: number): Sum => {
  const sums = { taxable: 0n, exempt: 0n, tax: 0n, calculated: 0n, parts: noParts() };
  for (const { row, calculated, part } of rows) {
    const exempt = parseAmount(row.exempt_amount, exponent);
    sums.taxable += parseAmount(row.taxable_amount, exponent);
    sums.tax += parseAmount(row.tax_amount, exponent);
    sums.calculated += calculated;
    if (part) sums.parts[part] += exempt;
    if (part !== 'not_covered') sums.exempt += exempt;
  }
  return sums;
};

export const grossOf = ({ taxable, exempt, parts: { not_covered } }: Sum) => taxable + exempt + not_covered;

const largestOf = (rows: readonly Row[], exponent: number): Sum =>
  [...Map.groupBy(rows, ({ row }) => row.jurisdiction_code).values()]
    .map((group) => summed(group, exponent))
    .reduce((largest, sum) => (grossOf(sum) > grossOf(largest) ? sum : largest));

/** The sum of the jurisdiction that represents a charge in its state. */
export const baseOf = ({ state, rows: all }: Charge, exponent: number): Sum => {
  // A fee is no sale.
  const rows = all.filter(({ row }) => row.tax_type !== 'fee');
  if (rows.length === 0) return summed([], exponent);
  const own = rows.filter(({ row }) => row.jurisdiction_code === state);
  if (own.length > 0) return summed(own, exponent);
  // On a tie, prefer the jurisdiction that collects tax.
  return largestOf(
    [...rows].sort((a, b) => Number(isLiability(b.row)) - Number(isLiability(a.row))),
    exponent,
  );
};

const splitOf = ({ parts: amounts }: Pick<Sum, 'parts'>, write: Writer): OpenSplit => {
  const { not_covered, ...exempt } = amounts;
  const named = namedExemptions.filter((reason) => exempt[reason] !== 0n);
  return {
    ...(named.length > 0 && { exempt: Object.fromEntries(named.map((reason) => [reason, write(exempt[reason])])) }),
    ...(not_covered !== 0n && { not_covered_amount: write(not_covered) }),
  };
};

/** The base of an entry: the sum of its charges. */
export const baseOfAll = (sums: readonly Sum[], write: Writer): OpenEntry['base'] => {
  const all = noParts();
  for (const part of parts) for (const sum of sums) all[part] += sum.parts[part];
  return {
    taxable_amount: write(sums.reduce((sum, { taxable }) => sum + taxable, 0n)),
    exempt_amount: write(sums.reduce((sum, { exempt }) => sum + exempt, 0n)),
    ...splitOf({ parts: all }, write),
  };
};

/**
 * The over-collected tax that a credit reverses: its whole difference, of either sign, or zero where its sale is not
 * over-collected. So the credits of a sale add up to its over-collected tax, even with supplied taxes.
 */
const overCollectedOf = (
  { calculatedTaxes, isUnderCollected }: Posting,
  { tax, calculated }: Sum,
  write: Writer,
): Pick<OpenAmounts, 'over_collected_amount'> =>
  calculatedTaxes ? { over_collected_amount: write(isUnderCollected ? 0n : tax - calculated) } : {};

/** The sums by jurisdiction and rate. */
export const amountsOf = (posting: Posting, rows: readonly Row[], exponent: number, write: Writer): OpenAmounts[] => {
  const groups = Map.groupBy(rows, ({ row }) => `${row.jurisdiction_code} ${row.rate}`);
  const taxes = rows.map(({ row }) => row);
  return summarizeRows(taxes, exponent, write).map((amounts) => {
    const sum = summed(groups.get(`${amounts.jurisdiction_code} ${amounts.rate}`) ?? [], exponent);
    return {
      ...amounts,
      exempt_amount: write(sum.exempt),
      ...splitOf(sum, write),
      ...(sum.calculated !== sum.tax && {
        calculated_tax_amount: write(sum.calculated),
        ...overCollectedOf(posting, sum, write),
      }),
    };
  });
};

/** The reasons to look at an entry before its return is sent. */
export const exceptionsOf = (
  charges: readonly Charge[],
  gross: bigint,
  exponent: number,
  write: Writer,
): EntryException[] => {
  const rows = charges.flatMap((charge) => charge.rows);
  const uncovered = charges.map((charge) =>
    charge.rows.filter(({ row, part }) => part === 'not_covered' && /[1-9]/.test(row.exempt_amount)),
  );
  // A local jurisdiction may be the only one that is not covered.
  const notCovered = uncovered.reduce(
    (sum, some) => (some.length > 0 ? sum + largestOf(some, exponent).parts.not_covered : sum),
    0n,
  );
  const differs = (sign: 1n | -1n) =>
    rows.some(({ row, calculated }) => sign * (parseAmount(row.tax_amount, exponent) - calculated) > 0n);
  return [
    ...(uncovered.some((some) => some.length > 0)
      ? [{ reason: 'not_covered', gross_amount: write(notCovered) } as const]
      : []),
    ...(differs(1n) ? [{ reason: 'over_collected', gross_amount: write(gross) } as const] : []),
    ...(differs(-1n) ? [{ reason: 'under_collected', gross_amount: write(gross) } as const] : []),
  ];
};
