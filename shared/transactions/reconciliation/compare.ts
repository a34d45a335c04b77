import { formatAmount } from '../../money/currency.ts';
import { decimal, rescale } from '../../money/decimal.ts';
import type { Recorded } from './holders.ts';
import type { BilledTransaction } from './request.ts';
import type { DifferentTransaction, ReconciledAmounts } from './response.ts';

/** Exact, with as many decimals as the longer one has: `"106.00"` less `"105.5"` is `"0.50"`. */
const minus = (one: string, other: string): string => {
  const [first, second] = [decimal(one), decimal(other)];
  const scale = Math.max(first.scale, second.scale);
  return formatAmount(rescale(first, scale) - rescale(second, scale), scale);
};

const isZero = (amount: string) => !/[1-9]/.test(amount);

/** How a recorded transaction differs from what was billed: `null` where both amounts are the same, to the last decimal. */
export const differenceOf = (billed: BilledTransaction, recorded: Recorded): DifferentTransaction | null => {
  const { total_amount, tax_amount } = billed;
  const difference: ReconciledAmounts = {
    total_amount: minus(recorded.total_amount, total_amount),
    tax_amount: minus(recorded.tax_amount, tax_amount),
  };
  if (isZero(difference.total_amount) && isZero(difference.tax_amount)) return null;
  return {
    reference_id: billed.reference_id,
    transaction_id: recorded.id,
    type: recorded.type,
    status: recorded.status,
    sent: { total_amount, tax_amount },
    recorded: { total_amount: recorded.total_amount, tax_amount: recorded.tax_amount },
    difference,
  };
};
