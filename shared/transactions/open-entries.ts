import { summaryOfRows } from '../calculations/figures.ts';
import type { TaxRowResponse, TaxSummaryRow } from '../calculations/response.ts';
import { jurisdictionCode, stateOfJurisdiction } from '../jurisdiction.ts';
import { exponentOf, formatAmount, parseAmount } from '../money/currency.ts';
import type { Transaction } from './transaction.ts';

/** The sums of one jurisdiction in an open entry. Amounts are decimal strings, negative for a credit. */
export type OpenAmounts = Readonly<Omit<TaxSummaryRow, 'reporting_code'>> & {
  /** `null` where the content had none, or an earlier version posted the entry. */
  readonly reporting_code: string | null;
};

/**
 * The sums of the lines and the shipping of an entry, each counted once: by the state's own row, or by the jurisdiction
 * with the largest gross where the state has no tax of its own.
 */
type OpenBase = Pick<OpenAmounts, 'taxable_amount' | 'exempt_amount'>;

/** A finalized transaction's liability in one state that no filing has yet (interface decisions 8). */
export type OpenEntry = {
  readonly transactionId: string;
  /** `US-MI` */
  readonly state: string;
  /** `YYYY-MM`, of the tax date in UTC. */
  readonly month: string;
  readonly currency: string;
  /** The version of the transaction that posted it, as the condition of removing the entry. */
  readonly version: number;
  readonly base: OpenBase;
  readonly amounts: readonly OpenAmounts[];
};

/** Minor units. */
type Sum = { readonly taxable: bigint; readonly exempt: bigint; readonly tax: bigint };

// Uncollected tax is not owed. Over-collected tax is.
const isLiability = ({ taxability_reason, tax_amount }: TaxRowResponse) =>
  !['not_collecting', 'not_supported', 'not_subject_to_tax'].includes(taxability_reason) || /[1-9]/.test(tax_amount);

const summed = (rows: readonly TaxRowResponse[], exponent: number): Sum => ({
  taxable: rows.reduce((sum, row) => sum + parseAmount(row.taxable_amount, exponent), 0n),
  exempt: rows.reduce((sum, row) => sum + parseAmount(row.exempt_amount, exponent), 0n),
  tax: rows.reduce((sum, row) => sum + parseAmount(row.tax_amount, exponent), 0n),
});

const grossOf = ({ taxable, exempt }: Sum) => taxable + exempt;

/** The sum of the jurisdiction that represents a charge in its state. */
const baseOf = (state: string, rows: readonly TaxRowResponse[], exponent: number): Sum => {
  const byCode = Map.groupBy(rows, ({ jurisdiction_code }) => jurisdiction_code);
  const own = byCode.get(state);
  if (own) return summed(own, exponent);
  return [...byCode.values()]
    .map((group) => summed(group, exponent))
    .reduce((largest, sum) => (grossOf(sum) > grossOf(largest) ? sum : largest));
};

/** The open entries of a finalized transaction: one for each state that taxes it. A credit's amounts are negative. */
export const openEntriesOf = (transaction: Transaction): OpenEntry[] => {
  const exponent = exponentOf(transaction.currency);
  const sign = transaction.type === 'credit' ? -1n : 1n;
  const write = (minor: bigint) => formatAmount(sign * minor, exponent);
  const { line_items, shipping } = transaction;
  // The rows of each charge, by state.
  const charges = [...line_items, ...(shipping ? [shipping] : [])].flatMap(({ taxes }) =>
    [
      ...Map.groupBy(taxes.filter(isLiability), (row) => jurisdictionCode(stateOfJurisdiction(row.jurisdiction_code))),
    ].map(([state, rows]) => ({
      state,
      rows,
    })),
  );
  return [...Map.groupBy(charges, ({ state }) => state)].map(([state, ofState]) => {
    const bases = ofState.map(({ rows }) => baseOf(state, rows, exponent));
    return {
      transactionId: transaction.id,
      state,
      month: transaction.tax_date.slice(0, 7),
      currency: transaction.currency,
      version: transaction.version,
      base: {
        taxable_amount: write(bases.reduce((sum, { taxable }) => sum + taxable, 0n)),
        exempt_amount: write(bases.reduce((sum, { exempt }) => sum + exempt, 0n)),
      },
      amounts: summaryOfRows(
        ofState.flatMap(({ rows }) => rows),
        exponent,
        write,
      ),
    };
  });
};
