/** The entries of a sale that was refunded in full add up to nothing in every state, in each figure of the returns. */
import type { Transaction } from '../bodies.ts';
import type { FiledPeriod } from '../ledger.ts';
import { minor, sumOf } from '../oracle/amounts.ts';
import { same } from '../violation.ts';
import { creditsBySale } from './credits.ts';

const figures = [
  ...(['gross_amount', 'exempt_amount', 'taxable_amount', 'tax_amount'] as const),
  ...(['not_covered_amount', 'calculated_tax_amount', 'over_collected_amount'] as const),
] as const;

export const checkRefunds = (filings: readonly FiledPeriod[], transactions: readonly Transaction[]): void => {
  const credits = creditsBySale(transactions);
  for (const { id, currency, refund_status } of transactions) {
    if (refund_status !== 'full') continue;
    const family = new Set([id, ...(credits.get(id) ?? []).map((one) => one.id)]);
    for (const [state, some] of Map.groupBy(filings, (filing) => filing.state)) {
      const members = some.flatMap((filing) => filing.members.filter((one) => family.has(one.transaction_id)));
      const amounts = members.flatMap((one) => one.amounts);
      const left = figures.filter((name) => sumOf(amounts.map((one) => minor(currency, one[name]))) !== 0n);
      same(left, [], `The returns of ${state} keep something of ${id}, which is refunded in full.`, members);
    }
  }
};
