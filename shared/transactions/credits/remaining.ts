import { exponentOf, formatAmount, parseAmount } from '../../money/currency.ts';
import type { Problem } from '../../problem.ts';
import type { Credited, StoredTransaction, Transaction } from '../transaction.ts';

/** Net and tax in minor units. */
export type Share = { readonly net: bigint; readonly tax: bigint };

/** What of a sale can still be credited: by line, of the shipping, and in total (interface decisions 5). */
export type Remaining = {
  readonly lines: ReadonlyMap<string, Share>;
  readonly shipping: Share;
  readonly total: Share;
};

/** What a credit takes of its parent. */
export type Taken = { readonly lines: ReadonlyMap<string, Share>; readonly shipping: Share; readonly unmatched: Share };

export const nothing: Share = { net: 0n, tax: 0n };
export const plus = (one: Share, other: Share): Share => ({ net: one.net + other.net, tax: one.tax + other.tax });
export const minus = (one: Share, other: Share): Share => ({ net: one.net - other.net, tax: one.tax - other.tax });
export const isNothing = ({ net, tax }: Share): boolean => net === 0n && tax === 0n;

const shareReader = (exponent: number) => (net: string, tax: string) => ({
  net: parseAmount(net, exponent),
  tax: parseAmount(tax, exponent),
});

// A client may call a line `constructor` or `__proto__`: only what is the record's own counts.
const ownOf = (lines: StoredTransaction['credited']['lines'], id: string): Credited | undefined =>
  Object.hasOwn(lines, id) ? lines[id] : undefined;

/** What is left of a sale after its live credits. */
export const remainingOf = ({ transaction, credited }: StoredTransaction): Remaining => {
  const share = shareReader(exponentOf(transaction.currency));
  const left = (whole: Share, taken: Credited | undefined) =>
    taken ? minus(whole, share(taken.net, taken.tax)) : whole;
  const { line_items, shipping, shipping_amount } = transaction;
  const lines = new Map(
    line_items.map(({ id, net_amount, tax_amount }) => [
      id,
      left(share(net_amount, tax_amount), ownOf(credited.lines, id)),
    ]),
  );
  const shippingLeft = left(share(shipping_amount, shipping?.tax_amount ?? '0'), credited.shipping);
  const sum = [...lines.values(), shippingLeft].reduce(plus, nothing);
  return { lines, shipping: shippingLeft, total: left(sum, credited.unmatched) };
};

/** Which line of the parent a credit's line belongs to: the one that it names, else the one with its id. */
export const parentLineId = (
  line: { readonly id?: string | null | undefined; readonly parent_line_item_id?: string | null | undefined },
  parent: Transaction,
): string | undefined => {
  const wanted = line.parent_line_item_id ?? line.id;
  return parent.line_items.find(({ id }) => id === wanted)?.id;
};

/** What a recorded credit took of its parent: what finalizing it adds to the counters, and voiding it gives back. */
export const takenBy = (credit: Transaction, parent: Transaction): Taken => {
  const share = shareReader(exponentOf(credit.currency));
  const lines = new Map<string, Share>();
  let unmatched = nothing;
  for (const line of credit.line_items) {
    const id = parentLineId(line, parent);
    const taken = share(line.net_amount, line.tax_amount);
    if (id === undefined) unmatched = plus(unmatched, taken);
    else lines.set(id, plus(lines.get(id) ?? nothing, taken));
  }
  return { lines, shipping: share(credit.shipping_amount, credit.shipping?.tax_amount ?? '0'), unmatched };
};

/** The parent after a credit was finalized (`1n`) or voided (`-1n`): its counters, refund status and version. */
export const withCredited = (
  parent: StoredTransaction,
  taken: Taken,
  sign: 1n | -1n,
  at: string,
): StoredTransaction => {
  const exponent = exponentOf(parent.transaction.currency);
  const share = shareReader(exponent);
  const write = (minor: bigint) => formatAmount(minor, exponent);
  const moved = (now: Credited | undefined, by: Share): Credited => {
    const before = now ? share(now.net, now.tax) : nothing;
    return { net: write(before.net + sign * by.net), tax: write(before.tax + sign * by.tax) };
  };
  const lines = new Map(Object.entries(parent.credited.lines));
  for (const [id, by] of taken.lines) lines.set(id, moved(lines.get(id), by));
  const credited = {
    lines: Object.fromEntries(lines),
    shipping: moved(parent.credited.shipping, taken.shipping),
    unmatched: moved(parent.credited.unmatched, taken.unmatched),
  };
  const sum = [...lines.values(), credited.shipping, credited.unmatched]
    .map(({ net, tax }) => share(net, tax))
    .reduce(plus, nothing);
  const after = { ...parent, credited };
  return {
    ...after,
    transaction: {
      ...parent.transaction,
      credited_amount: write(sum.net),
      credited_tax_amount: write(sum.tax),
      refund_status: isNothing(sum) ? 'none' : isNothing(remainingOf(after).total) ? 'full' : 'partial',
      updated_at: at,
      version: parent.transaction.version + 1,
    },
  };
};

/** The refusal of a credit that would exceed what is left of its parent. */
export const overCredit = (remaining: Share, currency: string, pointer: string): Problem => ({
  code: 'conflict_over_credit',
  title: 'Credit exceeds the sale',
  detail: 'More would be credited than is left of the sale. Credit at most meta.remaining_amount and its tax.',
  source: { pointer },
  meta: {
    remaining_amount: formatAmount(remaining.net, exponentOf(currency)),
    remaining_tax_amount: formatAmount(remaining.tax, exponentOf(currency)),
  },
});
