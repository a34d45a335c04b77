import { exponentOf, formatAmount } from '../../../money/currency.ts';
import {
  type Amounts,
  creditedAmounts,
  isNothing,
  leftOf,
  moved,
  noAmounts,
  plus,
  type Share,
  zeroShare,
} from '../../../transactions/credits/counters.ts';
import { creditedAmountsOf, remainingOf } from '../../../transactions/credits/remaining.ts';
import { isLive } from '../../../transactions/lifecycle.ts';
import type { StoredTransaction, Transaction } from '../../../transactions/transaction.ts';
import { differing, type Fault, faultUnless } from '../finding.ts';

/** Whether a credit has an amount above zero. */
export const hasAmounts = ({ line_items, shipping }: Transaction): boolean =>
  [
    ...line_items.flatMap((line) => [line.net_amount, line.tax_amount]),
    shipping?.amount ?? '0',
    shipping?.tax_amount ?? '0',
  ].some((amount) => /[1-9]/.test(amount));

/** Check the counters of a sale against the sums of its live credits. Memory grows with the sale's lines, not its credits. */
export const checkCredits = async (
  sale: StoredTransaction,
  credits: AsyncIterable<StoredTransaction>,
): Promise<{ readonly live: number; readonly faults: readonly Fault[] }> => {
  const { transaction } = sale;
  const lines = new Map<string, Amounts>();
  let shipping = noAmounts;
  let unmatched = zeroShare;
  let [live, taking] = [0, 0];
  for await (const credit of credits) {
    if (!isLive(credit.transaction)) continue;
    live += 1;
    if (hasAmounts(credit.transaction)) taking += 1;
    const taken = creditedAmountsOf(credit, transaction);
    for (const [id, by] of taken.lines) lines.set(id, moved(lines.get(id) ?? noAmounts, by, 1n));
    shipping = moved(shipping, taken.shipping, 1n);
    unmatched = plus(unmatched, taken.unmatched);
  }
  const isCreditable = taking === 0 || (transaction.type === 'sale' && isLive(transaction));
  const what = `${transaction.status} ${transaction.type} with live credits`;
  return {
    live,
    faults: [
      ...counterFaults(sale, lines, shipping, unmatched),
      ...faultUnless(isCreditable, what, String(taking), 'no live credits'),
    ],
  };
};

const counterFaults = (
  sale: StoredTransaction,
  lines: ReadonlyMap<string, Amounts>,
  shipping: Amounts,
  unmatched: Share,
): Fault[] => {
  const { transaction, credited } = sale;
  const exponent = exponentOf(transaction.currency);
  const write = (minor: bigint) => formatAmount(minor, exponent);
  const total = [...lines.values(), shipping, unmatched].reduce<Share>(plus, zeroShare);
  // A client may call a line `constructor`.
  const stored = (id: string) => (Object.hasOwn(credited.lines, id) ? credited.lines[id] : undefined);
  return [
    ...differing('credited_amount', transaction.credited_amount, write(total.net)),
    ...differing('credited_tax_amount', transaction.credited_tax_amount, write(total.tax)),
    ...[...new Set([...Object.keys(credited.lines), ...lines.keys()])].flatMap((id) =>
      amountFaults(`credited of line ${id}: `, exponent, stored(id), lines.get(id) ?? noAmounts),
    ),
    ...amountFaults('credited of shipping: ', exponent, credited.shipping, shipping),
    ...differing('credited without a line: net', credited.unmatched.net, write(unmatched.net)),
    ...differing('credited without a line: tax', credited.unmatched.tax, write(unmatched.tax)),
    ...boundFaults(sale, total, write),
  ];
};

const figures = ['net', 'tax', 'discount', 'third_party_discount', 'taxable', 'exempt'] as const;

/** Compare every figure of a line or the shipping: with net and tax alone, two errors could cancel each other out. */
const amountFaults = (
  name: string,
  exponent: number,
  stored: StoredTransaction['credited']['shipping'] | undefined,
  expected: Amounts,
): Fault[] => {
  const write = (minor: bigint) => formatAmount(minor, exponent);
  const actual = creditedAmounts(stored, exponent);
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

/** Neither a line nor the sale is credited beyond its amount, and `refund_status` matches. */
const boundFaults = (sale: StoredTransaction, credited: Share, write: (minor: bigint) => string): Fault[] => {
  const { lines, shipping, total } = remainingOf(sale);
  const left = [
    ...[...lines].map(([id, balance]) => [`line ${id}`, leftOf(balance)] as const),
    ['shipping', leftOf(shipping)] as const,
    ['the sale', total] as const,
  ];
  const status = isNothing(credited) ? 'none' : isNothing(total) ? 'full' : 'partial';
  return [
    ...left.flatMap(([name, { net, tax }]) =>
      faultUnless(
        net >= 0n && tax >= 0n,
        `left of ${name} after its credits`,
        `${write(net)} and tax ${write(tax)}`,
        'not below zero',
      ),
    ),
    ...differing('refund_status', sale.transaction.refund_status, status),
  ];
};
