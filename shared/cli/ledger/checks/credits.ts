import { listCharges } from '../../../calculations/figures.ts';
import {
  type Amounts,
  isNothing,
  moved,
  noAmounts,
  plus,
  remainingShare,
  type Share,
  zeroShare,
} from '../../../ledger/credits/arithmetic.ts';
import { calculateRemaining, toCredited } from '../../../ledger/credits/remaining.ts';
import { creditableFaults, differing, type Fault, overCreditFaults, refundFaults } from '../../../ledger/invariants.ts';
import { isLive } from '../../../ledger/lifecycle.ts';
import type { StoredTransaction, Transaction } from '../../../ledger/transaction.ts';
import { formatAmount, minorDigits } from '../../../money/currency.ts';

/** Whether a credit has an amount above zero. */
export const hasAmounts = (credit: Transaction): boolean =>
  listCharges(credit).some(({ net_amount, tax_amount }) => /[1-9]/.test(net_amount) || /[1-9]/.test(tax_amount));

/** Check the counters of a sale against the sums of its live credits. Memory grows with the sale's lines, not its credits. */
export const checkCredits = async (
  sale: StoredTransaction,
  credits: AsyncIterable<StoredTransaction>,
): Promise<{ readonly live: number; readonly faults: readonly Fault[] }> => {
  const { transaction } = sale;
  const charges = new Map<string, Amounts>();
  let unmatched = zeroShare;
  let [live, taking] = [0, 0];
  for await (const credit of credits) {
    if (!isLive(credit.transaction)) continue;
    live += 1;
    if (hasAmounts(credit.transaction)) taking += 1;
    const taken = toCredited(credit, transaction);
    for (const [id, by] of taken.charges) charges.set(id, moved(charges.get(id) ?? noAmounts, by, 1n));
    unmatched = plus(unmatched, taken.unmatched);
  }
  return {
    live,
    faults: [...counterFaults(sale, charges, unmatched), ...creditableFaults(transaction, taking)],
  };
};

const counterFaults = (sale: StoredTransaction, charges: ReadonlyMap<string, Amounts>, unmatched: Share): Fault[] => {
  const { transaction, credited } = sale;
  const exponent = minorDigits(transaction.currency);
  const write = (minor: bigint) => formatAmount(minor, exponent);
  const total = [...charges.values(), unmatched].reduce<Share>(plus, zeroShare);
  return [
    ...differing('credited_amount', transaction.credited_amount, write(total.net)),
    ...differing('credited_tax_amount', transaction.credited_tax_amount, write(total.tax)),
    ...[...new Set([...credited.charges.keys(), ...charges.keys()])].flatMap((id) =>
      amountFaults(`credited of ${id}: `, write, credited.charges.get(id) ?? noAmounts, charges.get(id) ?? noAmounts),
    ),
    ...differing('credited without a line: net', write(credited.unmatched.net), write(unmatched.net)),
    ...differing('credited without a line: tax', write(credited.unmatched.tax), write(unmatched.tax)),
    ...boundFaults(sale, total, write),
  ];
};

const figures = ['net', 'tax', 'discount', 'third_party_discount', 'taxable', 'exempt'] as const;

/** Compare every figure of a line or a shipping charge: with net and tax alone, two errors could cancel each other out. */
const amountFaults = (name: string, write: (minor: bigint) => string, actual: Amounts, expected: Amounts): Fault[] => {
  // Before the first credit there are no rows, and after the last one is voided they are all zero.
  const valuesOf = ({ taxable, exempt, tax, calculated }: Amounts['rows'][number]) => [
    taxable,
    exempt,
    tax,
    calculated,
  ];
  const rows = (amounts: Amounts) =>
    amounts.rows.some((row) => valuesOf(row).some((minor) => minor !== 0n))
      ? amounts.rows.map((row) => valuesOf(row).map(write).join(' / ')).join(', ')
      : 'nothing';
  return [
    ...figures.flatMap((figure) => differing(`${name}${figure}`, write(actual[figure]), write(expected[figure]))),
    ...differing(`${name}rows`, rows(actual), rows(expected)),
  ];
};

/** Neither a line nor the sale is credited above its amount, and `refund_status` matches. */
const boundFaults = (sale: StoredTransaction, credited: Share, write: (minor: bigint) => string): Fault[] => {
  const { charges, total } = calculateRemaining(sale);
  const left = [
    ...[...charges].map(([id, balance]) => [id, remainingShare(balance)] as const),
    ['the sale', total] as const,
  ];
  return [...overCreditFaults(left, write), ...refundFaults(sale.transaction, isNothing(credited), isNothing(total))];
};
