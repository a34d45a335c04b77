import { Decimal } from 'decimal.js';
import type { Body, Book, Line, Requested } from './book.ts';
import { halfUp, least, minor, written } from './money.ts';
import { type Refusal, refusal } from './refusal.ts';
import {
  isNothing,
  matchOf,
  minus,
  nothing,
  plus,
  type Remaining,
  remainingOf,
  type Share,
  total,
} from './remaining.ts';
import { rateOf, stateOf } from './sales.ts';

/** The expected amounts of a credit line. */
export type CreditedLine = Share & { readonly parentId: string | null; readonly discount: bigint };

export type Credit = {
  readonly kind: 'all' | 'remaining' | 'lines';
  readonly lines: readonly CreditedLine[];
  readonly shipping: Share | null;
  readonly total: Share;
};

const overCredit = (currency: string, { net, tax }: Share, at: string): Refusal =>
  refusal('conflict_over_credit', at, {
    remaining_amount: written(currency, net),
    remaining_tax_amount: written(currency, tax),
  });

/** The tax of a part, in proportion to its net and rounded half up. The last part takes the remaining tax. */
const taxOf = (net: bigint, whole: Share, left: Share): bigint => {
  if (net === left.net) return left.tax;
  return net === 0n ? 0n : least(halfUp(whole.tax * net, whole.net), left.tax);
};

const fieldRefusals = (wish: Requested, sale: Body): Refusal[] => [
  ...(wish.currency && wish.currency !== sale.currency ? [refusal('validation_invalid_format', '/currency')] : []),
  ...(wish.shipping && !wish.line_items ? [refusal('validation_invalid_format', '/shipping')] : []),
  ...(wish.credit_remaining && wish.line_items ? [refusal('validation_invalid_format', '/credit_remaining')] : []),
];

/** The possible discounts of a line: the sent one, else its part by amount, rounded either way. */
export const discountsOf = (line: Line, sale: Body): readonly bigint[] => {
  const { currency } = sale;
  const parent = matchOf(line, sale);
  if (!parent || (line.discount_amount ?? null) !== null) return [minor(currency, line.discount_amount ?? '0')];
  const amount = minor(currency, line.quantity, line.unit_price ?? parent.unit_price);
  const whole = minor(currency, parent.applied_discount_amount);
  const of = minor(currency, parent.net_amount) + whole;
  if (of === 0n) return [0n];
  const floor = (whole * amount) / of;
  return floor * of === whole * amount ? [floor] : [floor, floor + 1n];
};

/** Whether a line, with the lines before it that credit the same one at its price, has more units than were sold. */
const hasTooManyUnits = (lines: readonly Line[], at: number, sale: Body): boolean => {
  const line = lines[at] as Line;
  const parent = matchOf(line, sale);
  if (!parent) return false;
  const isAtPrice = ({ unit_price }: Line) => new Decimal(unit_price ?? parent.unit_price).eq(parent.unit_price);
  if (!isAtPrice(line)) return new Decimal(line.quantity).gt(parent.quantity) && !new Decimal(line.quantity).eq(1);
  return lines
    .slice(0, at + 1)
    .filter((one) => matchOf(one, sale)?.id === parent.id && isAtPrice(one))
    .reduce((sum, { quantity }) => sum.plus(quantity), new Decimal(0))
    .gt(parent.quantity);
};

// Shipping goes where its lines go.
const statesOf = (sale: Body): string[] => sale.line_items.map((line) => stateOf(line, sale));

/** The amounts of a credit of certain lines with these discounts, at most what is left of each line and in all. */
const linesCredit = (
  wish: Requested,
  sale: Body,
  remaining: Remaining,
  discounts: readonly bigint[],
): Credit | Refusal => {
  const { currency } = sale;
  const left = new Map(remaining.lines);
  const lines: CreditedLine[] = [];
  for (const [index, line] of (wish.line_items ?? []).entries()) {
    const parent = matchOf(line, sale);
    const discount = discounts[index] as bigint;
    const net = minor(currency, line.quantity, line.unit_price ?? parent?.unit_price ?? '') - discount;
    if (!parent) {
      lines.push({ parentId: null, net, tax: rateOf(net, line, sale), discount });
      continue;
    }
    const of = left.get(parent.id) as Share;
    if (net < 0n) return refusal('validation_invalid_format', `/line_items/${index}/discount_amount`);
    if (net > of.net) return overCredit(currency, of, `/line_items/${index}`);
    if (hasTooManyUnits(wish.line_items ?? [], index, sale))
      return overCredit(currency, of, `/line_items/${index}/quantity`);
    const taken = { net, tax: taxOf(net, remaining.whole.lines.get(parent.id) as Share, of) };
    left.set(parent.id, minus(of, taken));
    lines.push({ ...taken, parentId: parent.id, discount });
  }
  const unmatched = lines.findIndex(({ parentId }) => parentId === null);
  // Their tax would need the address that was removed.
  if (sale.redacted_at !== undefined && unmatched >= 0)
    return refusal('validation_invalid_format', `/line_items/${unmatched}`);
  const other = (wish.line_items ?? []).findIndex(
    (line) => !matchOf(line, sale) && !statesOf(sale).includes(stateOf(line, sale)),
  );
  if (other >= 0) return refusal('validation_invalid_format', `/line_items/${other}`);
  const shipping = wish.shipping ? shippingCredit(minor(currency, wish.shipping.amount), sale, remaining) : null;
  if (shipping && 'code' in shipping) return shipping;
  const taken = total([...lines, shipping ?? nothing]);
  const { net, tax } = minus(remaining.total, taken);
  if (net < 0n || tax < 0n) return overCredit(currency, remaining.total, '/line_items');
  return { kind: 'lines', lines, shipping, total: taken };
};

const shippingCredit = (net: bigint, sale: Body, { whole, shipping }: Remaining): Share | Refusal =>
  !sale.shipping || net > shipping.net
    ? overCredit(sale.currency, shipping, '/shipping/amount')
    : { net, tax: taxOf(net, whole.shipping, shipping) };

/** All of a sale, or all that is left of it. Lines that matched none may have taken of what its lines still show. */
const restCredit = (kind: 'all' | 'remaining', sale: Body, { lines, shipping, total: left }: Remaining): Credit => ({
  kind,
  lines: [...lines].map(([parentId, share]) => ({ ...share, parentId, discount: 0n })),
  shipping: sale.shipping ? shipping : null,
  total: left,
});

/** The expected credit of a sale in its current state, or why it is refused. Pure. */
export const creditOf = (
  wish: Requested,
  sale: Body,
  book: Book,
  discounts: readonly bigint[],
): Credit | readonly Refusal[] => {
  const fields = fieldRefusals(wish, sale);
  if (fields.length > 0) return fields;
  const { type, status, currency } = sale;
  if (type !== 'sale' || (status !== 'finalized' && status !== 'filed'))
    return [
      refusal('conflict_parent_not_creditable', '/parent_transaction_id', { parent_type: type, parent_status: status }),
    ];
  const remaining = remainingOf(book, sale);
  if (wish.line_items) {
    const credit = linesCredit(wish, sale, remaining, discounts);
    return 'code' in credit ? [credit] : credit;
  }
  if (wish.credit_remaining)
    return isNothing(remaining.total) && !isNothing(remaining.credited)
      ? [overCredit(currency, nothing, '/credit_remaining')]
      : restCredit('remaining', sale, remaining);
  return isNothing(remaining.credited)
    ? restCredit('all', sale, remaining)
    : [overCredit(currency, remaining.total, '/parent_transaction_id')];
};

/** How much of the sale's tax a supplied one may take: what is left of the credited lines, and in all. */
export const taxRoom = (credit: Pick<Credit, 'lines' | 'shipping'>, remaining: Remaining): bigint => {
  const ids = new Set(credit.lines.map(({ parentId }) => parentId));
  const lines = [...ids].map((id) => (id === null ? nothing : (remaining.lines.get(id) as Share)));
  const unmatched = credit.lines.filter(({ parentId }) => parentId === null);
  const shares = [...lines, ...unmatched, credit.shipping ? remaining.shipping : nothing];
  return least(shares.reduce(plus, nothing).tax, remaining.total.tax);
};

/** The refusal of more tax than that, for any remaining net. */
export const overTaxed = (currency: string, room: bigint, { total: { net } }: Remaining): Refusal =>
  overCredit(currency, { net, tax: room }, '/tax_amount');
