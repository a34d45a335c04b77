import { rowsOf } from '../calculations/figures.ts';
import type { TaxRowResponse } from '../calculations/response.ts';
import { exponentOf, formatAmount, parseAmount } from '../money/currency.ts';
import type { Transaction } from './transaction.ts';

/** What one jurisdiction of an open entry adds up to; amounts are decimal strings, negative for a credit. */
export type OpenAmounts = {
  readonly jurisdiction_code: string;
  readonly rate: string;
  readonly taxable_amount: string;
  readonly exempt_amount: string;
  readonly tax_amount: string;
};

/** A finalized transaction's liability in one state, waiting for a filing (interface decisions 8). */
export type OpenEntry = {
  readonly transactionId: string;
  /** `US-MI` */
  readonly state: string;
  /** `YYYY-MM`, of the tax date in UTC. */
  readonly month: string;
  readonly currency: string;
  readonly amounts: readonly OpenAmounts[];
};

const stateOf = (jurisdictionCode: string) => jurisdictionCode.split('-').slice(0, 2).join('-');

// Where nothing is collected, nothing is owed; what was over-collected is.
const isLiability = ({ taxability_reason, tax_amount }: TaxRowResponse) =>
  !['not_collecting', 'not_supported', 'not_subject_to_tax'].includes(taxability_reason) || /[1-9]/.test(tax_amount);

/** The entries that a finalized transaction posts: one for each state that taxes it. A credit's amounts are negative. */
export const openEntriesOf = (transaction: Transaction): OpenEntry[] => {
  const exponent = exponentOf(transaction.currency);
  const sign = transaction.type === 'credit' ? -1n : 1n;
  const byState = Map.groupBy(rowsOf(transaction).filter(isLiability), (row) => stateOf(row.jurisdiction_code));
  return [...byState].map(([state, rows]) => ({
    transactionId: transaction.id,
    state,
    month: transaction.tax_date.slice(0, 7),
    currency: transaction.currency,
    amounts: [...Map.groupBy(rows, (row) => `${row.jurisdiction_code} ${row.rate}`).values()].map((group) => {
      const total = (amount: (row: TaxRowResponse) => string) =>
        formatAmount(sign * group.reduce((sum, row) => sum + parseAmount(amount(row), exponent), 0n), exponent);
      return {
        jurisdiction_code: group[0]?.jurisdiction_code ?? state,
        rate: group[0]?.rate ?? '0',
        taxable_amount: total((row) => row.taxable_amount),
        exempt_amount: total((row) => row.exempt_amount),
        tax_amount: total((row) => row.tax_amount),
      };
    }),
  }));
};
