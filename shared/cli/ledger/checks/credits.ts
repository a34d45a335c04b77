import { exponentOf, formatAmount } from '../../../money/currency.ts';
import {
  type Amounts,
  creditedAmounts,
  moved,
  noAmounts,
  plus,
  type Share,
} from '../../../transactions/credits/counters.ts';
import { remainingOf, type Taken, takenBy } from '../../../transactions/credits/remaining.ts';
import { isLive } from '../../../transactions/lifecycle.ts';
import type { StoredTransaction, Transaction } from '../../../transactions/transaction.ts';
import { differing, type Fault } from '../finding.ts';

/** Whether a credit takes anything: one of nothing keeps its sale from nothing either. */
export const takesSomething = ({ line_items, shipping }: Transaction): boolean =>
  [
    ...line_items.flatMap((line) => [line.net_amount, line.tax_amount]),
    shipping?.amount ?? '0',
    shipping?.tax_amount ?? '0',
  ].some((amount) => /[1-9]/.test(amount));

// A client may call a line `constructor`.
const ownOf = (lines: StoredTransaction['credited']['lines'], id: string) =>
  Object.hasOwn(lines, id) ? lines[id] : undefined;

/** Adds up what the live credits of a sale took, one at a time. Memory grows with the sale's lines, not with its credits. */
export const creditsOf = (sale: StoredTransaction) => {
  const { transaction, credited } = sale;
  const exponent = exponentOf(transaction.currency);
  const lines = new Map<string, Amounts>();
  let shipping = noAmounts;
  let unmatched: Share = { net: 0n, tax: 0n };
  let live = 0;
  let taking = 0;

  const add = (taken: Taken) => {
    live += 1;
    for (const [id, by] of taken.lines) lines.set(id, moved(lines.get(id) ?? noAmounts, by, 1n));
    shipping = moved(shipping, taken.shipping, 1n);
    unmatched = plus(unmatched, taken.unmatched);
  };

  return {
    /** A transaction that names the sale as its parent. */
    see: (credit: Transaction): void => {
      if (!isLive(credit)) return;
      if (takesSomething(credit)) taking += 1;
      add(takenBy(credit, transaction));
    },
    end: (): { readonly live: number; readonly faults: readonly Fault[] } => {
      const write = (minor: bigint) => formatAmount(minor, exponent);
      const total = [...lines.values(), shipping, unmatched].reduce<Share>(plus, { net: 0n, tax: 0n });
      const counted = Object.keys(credited.lines);
      const faults = [
        ...differing('credited_amount', transaction.credited_amount, write(total.net)),
        ...differing('credited_tax_amount', transaction.credited_tax_amount, write(total.tax)),
        ...[...new Set([...counted, ...lines.keys()])].flatMap((id) =>
          amountFaults(`credited of line ${id}: `, sale, ownOf(credited.lines, id), lines.get(id) ?? noAmounts),
        ),
        ...amountFaults('credited of shipping: ', sale, credited.shipping, shipping),
        ...differing('credited without a line: net', credited.unmatched.net, write(unmatched.net)),
        ...differing('credited without a line: tax', credited.unmatched.tax, write(unmatched.tax)),
        ...boundFaults(sale, total),
      ];
      if (taking > 0 && !(transaction.type === 'sale' && isLive(transaction)))
        faults.push({
          what: `${transaction.status} ${transaction.type} with live credits`,
          actual: String(taking),
          expected: 'no live credits',
        });
      return { live, faults };
    },
  };
};

/** Every figure of a line, or of the shipping: not only its net and tax, or two errors could cancel each other out. */
const amountFaults = (
  named: string,
  { transaction }: StoredTransaction,
  stored: StoredTransaction['credited']['shipping'] | undefined,
  expected: Amounts,
): Fault[] => {
  const exponent = exponentOf(transaction.currency);
  const write = (minor: bigint) => formatAmount(minor, exponent);
  const told = creditedAmounts(stored, exponent);
  const plain = ['net', 'tax', 'discount', 'third_party_discount', 'taxable', 'exempt'] as const;
  // Before the first credit there are no rows, and after the last one is voided they are all zero.
  const rows = (amounts: Amounts) =>
    amounts.rows.some((row) => row.taxable !== 0n || row.exempt !== 0n || row.tax !== 0n)
      ? amounts.rows.map((row) => [row.taxable, row.exempt, row.tax].map(write).join(' / ')).join(', ')
      : 'nothing';
  return [
    ...plain.flatMap((name) => differing(`${named}${name}`, write(told[name]), write(expected[name]))),
    ...differing(`${named}rows`, rows(told), rows(expected)),
  ];
};

/** No line, nor the whole, is credited beyond what was sold, and `refund_status` says how much of it was. */
const boundFaults = (sale: StoredTransaction, credited: Share): Fault[] => {
  const exponent = exponentOf(sale.transaction.currency);
  const { lines, shipping, total } = remainingOf(sale);
  const balances = [
    ...[...lines].map(([id, balance]) => [`line ${id}`, balance] as const),
    ['shipping', shipping] as const,
  ];
  const left = [
    ...balances.map(
      ([named, { whole, credited: taken }]) => [named, whole.net - taken.net, whole.tax - taken.tax] as const,
    ),
    ['the sale', total.net, total.tax] as const,
  ];
  const isNone = credited.net === 0n && credited.tax === 0n;
  const isFull = total.net === 0n && total.tax === 0n;
  return [
    ...left.flatMap(([named, net, tax]) =>
      net < 0n || tax < 0n
        ? [
            {
              what: `left of ${named} after its credits`,
              actual: `${formatAmount(net, exponent)} and tax ${formatAmount(tax, exponent)}`,
              expected: 'not below zero',
            },
          ]
        : [],
    ),
    ...differing('refund_status', sale.transaction.refund_status, isNone ? 'none' : isFull ? 'full' : 'partial'),
  ];
};
