import { formatAmount } from '../../money/currency.ts';
import { decimal, rescale } from '../../money/decimal.ts';
import type { Recorded } from './holders.ts';
import type { BilledTransaction } from './request.ts';
import type { DifferentTransaction, ReconciledAmounts } from './response.ts';

/** The exact difference with the decimals of the longer operand: `"106.00"` minus `"105.5"` is `"0.50"`. */
const minus = (a: string, b: string): string => {
  const [left, right] = [decimal(a), decimal(b)];
  const scale = Math.max(left.scale, right.scale);
  return formatAmount(rescale(left, scale) - rescale(right, scale), scale);
};

const isZero = (amount: string) => !/[1-9]/.test(amount);

/** The difference of a recorded transaction from the billed amounts; `null` where both amounts are equal. */
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
