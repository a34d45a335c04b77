import { exponentOf, formatAmount, parseAmount } from '../../money/currency.ts';
import { calculatedTaxesOf, splitLinesAndShipping } from '../calculated-taxes.ts';
import type { CreditedCharge, StoredTransaction, Transaction } from '../transaction.ts';
import {
  type Amounts,
  type Balance,
  creditedAmounts,
  isNothing,
  leftOf,
  lineAmounts,
  minus,
  moved,
  noAmounts,
  plus,
  type Share,
  shippingAmounts,
  storedAmounts,
  zeroShare,
} from './counters.ts';

/** The remaining amounts of a sale: by line, of the shipping, and in total. */
export type Remaining = {
  readonly lines: ReadonlyMap<string, Balance>;
  readonly shipping: Balance;
  readonly total: Share;
};

/** The amounts that a credit takes from its parent. */
type CreditedAmounts = {
  readonly lines: ReadonlyMap<string, Amounts>;
  readonly shipping: Amounts;
  readonly unmatched: Share;
};

// A line id may be `constructor` or `__proto__`: only own properties count.
const ownOf = (lines: StoredTransaction['credited']['lines'], id: string): CreditedCharge | undefined =>
  Object.hasOwn(lines, id) ? lines[id] : undefined;

/** The remaining amounts of a sale after its live credits. */
export const remainingOf = ({ transaction, credited }: StoredTransaction): Remaining => {
  const exponent = exponentOf(transaction.currency);
  const balance = (whole: Amounts, stored: CreditedCharge | undefined): Balance => ({
    whole,
    credited: creditedAmounts(stored, exponent),
  });
  const calculated = splitLinesAndShipping(transaction, calculatedTaxesOf(transaction, exponent));
  const lines = new Map(
    transaction.line_items.map((line, at) => [
      line.id,
      balance(lineAmounts(line, exponent, calculated.lines[at]), ownOf(credited.lines, line.id)),
    ]),
  );
  const shipping = balance(shippingAmounts(transaction, exponent, calculated.shipping), credited.shipping);
  const { net, tax } = credited.unmatched;
  const sum = [...lines.values(), shipping].map(leftOf).reduce(plus, zeroShare);
  return {
    lines,
    shipping,
    total: minus(sum, { net: parseAmount(net, exponent), tax: parseAmount(tax, exponent) }),
  };
};

/** The parent line of a credit line: the one that it names, otherwise the one with the same id. */
export const parentLineId = (
  line: { readonly id?: string | null | undefined; readonly parent_line_item_id?: string | null | undefined },
  parent: Transaction,
): string | undefined => {
  const wanted = line.parent_line_item_id ?? line.id;
  return parent.line_items.find(({ id }) => id === wanted)?.id;
};

type Credit = Pick<StoredTransaction, 'transaction' | 'calculatedTaxes'>;

/** The amounts that a recorded credit takes from its parent: finalizing adds them to the counters, voiding removes them. */
export const creditedAmountsOf = (
  { transaction: credit, calculatedTaxes }: Credit,
  parent: Transaction,
): CreditedAmounts => {
  const exponent = exponentOf(credit.currency);
  const taxes = calculatedTaxes?.map((tax) => parseAmount(tax, exponent));
  const calculated = taxes ? splitLinesAndShipping(credit, taxes) : null;
  const lines = new Map<string, Amounts>();
  let unmatched = zeroShare;
  for (const [at, line] of credit.line_items.entries()) {
    const id = parentLineId(line, parent);
    const taken = lineAmounts(line, exponent, calculated?.lines[at]);
    if (id === undefined) unmatched = plus(unmatched, taken);
    else lines.set(id, moved(lines.get(id) ?? noAmounts, taken, 1n));
  }
  return { lines, shipping: shippingAmounts(credit, exponent, calculated?.shipping), unmatched };
};

/** The parent after a credit is finalized (`1n`) or voided (`-1n`), with new counters, refund status and version. */
export const withCredited = (
  parent: StoredTransaction,
  taken: CreditedAmounts,
  sign: 1n | -1n,
  at: string,
): StoredTransaction => {
  const exponent = exponentOf(parent.transaction.currency);
  const write = (minor: bigint) => formatAmount(minor, exponent);
  const read = ({ net, tax }: { readonly net: string; readonly tax: string }): Share => ({
    net: parseAmount(net, exponent),
    tax: parseAmount(tax, exponent),
  });
  const after = (now: CreditedCharge | undefined, by: Amounts) =>
    storedAmounts(moved(creditedAmounts(now, exponent), by, sign), exponent);
  const lines = new Map(Object.entries(parent.credited.lines));
  for (const [id, by] of taken.lines) lines.set(id, after(lines.get(id), by));
  const unmatched = read(parent.credited.unmatched);
  const credited = {
    lines: Object.fromEntries(lines),
    shipping: after(parent.credited.shipping, taken.shipping),
    unmatched: {
      net: write(unmatched.net + sign * taken.unmatched.net),
      tax: write(unmatched.tax + sign * taken.unmatched.tax),
    },
  };
  const sum = [...lines.values(), credited.shipping, credited.unmatched].map(read).reduce(plus, zeroShare);
  const counted = { ...parent, credited };
  return {
    ...counted,
    transaction: {
      ...parent.transaction,
      credited_amount: write(sum.net),
      credited_tax_amount: write(sum.tax),
      refund_status: isNothing(sum) ? 'none' : isNothing(remainingOf(counted).total) ? 'full' : 'partial',
      updated_at: at,
      version: parent.transaction.version + 1,
    },
  };
};
