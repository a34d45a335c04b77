import { parseAmount } from '../../money/currency.ts';
import { type Amounts, mapParts, namedExemptions, type Parts } from '../sums.ts';
import { type Charge, isLiability, type Part, type Row } from './charges.ts';
import type { EntryException, JurisdictionAmounts, PostingInput } from './entry.ts';

/** Entries of credits are negative. */
export type Sign = 1n | -1n;

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

export const grossSum = ({ taxable, exempt, parts: { not_covered } }: Sum) => taxable + exempt + not_covered;

const largestRow = (rows: readonly Row[], exponent: number): Sum =>
  [...Map.groupBy(rows, ({ row }) => row.jurisdiction_code).values()]
    .map((group) => summed(group, exponent))
    .reduce((largest, sum) => (grossSum(sum) > grossSum(largest) ? sum : largest));

/** The sum of the jurisdiction that represents a charge in its state. */
export const chargeBase = ({ state, rows: all }: Charge, exponent: number): Sum => {
  // A fee is no sale.
  const rows = all.filter(({ row }) => row.tax_type !== 'fee');
  if (rows.length === 0) return summed([], exponent);
  const own = rows.filter(({ row }) => row.jurisdiction_code === state);
  if (own.length > 0) return summed(own, exponent);
  // On a tie, prefer the jurisdiction that collects tax.
  return largestRow(
    [...rows].sort((a, b) => Number(isLiability(b.row)) - Number(isLiability(a.row))),
    exponent,
  );
};

type Base = Pick<Sum, 'taxable' | 'exempt' | 'parts'>;

const amountsFrom = (
  { taxable, exempt, parts: amounts }: Base,
  taxes: Pick<Amounts, 'tax'> & Parts,
  sign: Sign,
): Amounts => {
  const named: Parts = amounts;
  return {
    taxable: sign * taxable,
    exempt: sign * exempt,
    tax: taxes.tax,
    ...mapParts((part) => sign * (named[part] ?? 0n) + (taxes[part] ?? 0n)),
  };
};

/** The base of an entry: the sum of its charges. */
export const baseOfAll = (sums: readonly Sum[], sign: Sign): Amounts => {
  const all = noParts();
  for (const part of parts) for (const sum of sums) all[part] += sum.parts[part];
  const taxable = sums.reduce((sum, one) => sum + one.taxable, 0n);
  const exempt = sums.reduce((sum, one) => sum + one.exempt, 0n);
  return amountsFrom({ taxable, exempt, parts: all }, { tax: 0n }, sign);
};

/**
 * The over-collected tax. A credit that takes its calculated tax from its sale reverses its whole difference, of either
 * sign, or zero where its sale is not over-collected. So the credits of a sale add up to its over-collected tax, also with
 * supplied taxes.
 */
const overCollected = (
  { calculatedTaxes, isUnderCollected }: PostingInput,
  tax: bigint,
  difference: bigint,
): bigint => {
  if (calculatedTaxes) return isUnderCollected ? 0n : difference;
  return (tax < 0n ? -difference : difference) > 0n ? difference : 0n;
};

/** The sums by jurisdiction and rate, in the order of their first appearance. */
export const sumByJurisdiction = (
  posting: PostingInput,
  rows: readonly Row[],
  exponent: number,
  sign: Sign,
): JurisdictionAmounts[] =>
  [...Map.groupBy(rows, ({ row }) => `${row.jurisdiction_code} ${row.rate}`).values()].map((group) => {
    const { jurisdiction_code, jurisdiction_name, jurisdiction_type, reporting_code, rate } = (group[0] as Row).row;
    const sum = summed(group, exponent);
    const [tax, difference] = [sign * sum.tax, sign * (sum.tax - sum.calculated)];
    const taxes = { tax, difference, over_collected: overCollected(posting, tax, difference) };
    return {
      jurisdiction_code,
      jurisdiction_name,
      jurisdiction_type,
      reporting_code,
      rate,
      ...amountsFrom(sum, taxes, sign),
    };
  });

/** The reasons to look at an entry before its return is sent. */
export const listExceptions = (
  charges: readonly Charge[],
  gross: bigint,
  exponent: number,
  sign: Sign,
): EntryException[] => {
  const rows = charges.flatMap((charge) => charge.rows);
  const uncovered = charges.map((charge) =>
    charge.rows.filter(({ row, part }) => part === 'not_covered' && /[1-9]/.test(row.exempt_amount)),
  );
  // A local jurisdiction may be the only one that is not covered.
  const notCovered = uncovered.reduce(
    (sum, some) => (some.length > 0 ? sum + largestRow(some, exponent).parts.not_covered : sum),
    0n,
  );
  const differs = (direction: Sign) =>
    rows.some(({ row, calculated }) => direction * (parseAmount(row.tax_amount, exponent) - calculated) > 0n);
  return [
    ...(uncovered.some((some) => some.length > 0)
      ? [{ reason: 'not_covered', gross: sign * notCovered } as const]
      : []),
    ...(differs(1n) ? [{ reason: 'over_collected', gross: sign * gross } as const] : []),
    ...(differs(-1n) ? [{ reason: 'under_collected', gross: sign * gross } as const] : []),
  ];
};
