import { isDeepStrictEqual } from 'node:util';
import { Decimal } from 'decimal.js';
import type { ApiResponse } from '../support/http.ts';
import { onlyShipping, shippingCharges } from '../support/sales.ts';
import { type Body, type Book, type Figures, type Line, listCodes, must, type Requested, same } from './book.ts';
import { getRate, getState, getSum, halfUp, isShare, least, minor, mustAddUp, sum, written } from './money.ts';
import { isRefused, type Refusal, refusal } from './refusal.ts';

/** Net and tax in minor units. */
export type Share = { readonly net: bigint; readonly tax: bigint };

export const nothing: Share = { net: 0n, tax: 0n };
const plus = (left: Share, right: Share): Share => ({ net: left.net + right.net, tax: left.tax + right.tax });
const minus = (left: Share, right: Share): Share => ({ net: left.net - right.net, tax: left.tax - right.tax });
export const isNothing = ({ net, tax }: Share): boolean => net === 0n && tax === 0n;
const total = (shares: readonly Share[]): Share => shares.reduce(plus, nothing);

/** The amounts of a sale by line, or of its credits. */
type Parts = { readonly lines: ReadonlyMap<string, Share>; readonly shipping: Share; readonly unmatched: Share };

const buildShare = (currency: string, net: string, tax: string): Share => ({
  net: minor(currency, net),
  tax: minor(currency, tax),
});
const lineShare = (currency: string, line: Body['line_items'][number]) =>
  buildShare(currency, line.net_amount, line.tax_amount);
const shippingShare = ({ currency, shipping }: Figures): Share =>
  total(shippingCharges(shipping).map(({ net_amount, tax_amount }) => buildShare(currency, net_amount, tax_amount)));

const buildParts = (sale: Body): Parts => ({
  lines: new Map(sale.line_items.map((line) => [line.id, lineShare(sale.currency, line)])),
  shipping: shippingShare(sale),
  unmatched: nothing,
});

/** The sale line that a credit line reduces. */
export const getMatch = (line: Partial<Line>, sale: Body): Body['line_items'][number] | undefined =>
  sale.line_items.find(({ id }) => id === (line.parent_line_item_id ?? line.id));

/** The amounts by which a credit reduces its sale. */
export const takenBy = (credit: Figures, sale: Body): Parts => {
  const lines = new Map<string, Share>();
  let unmatched = nothing;
  for (const line of credit.line_items) {
    const share = lineShare(credit.currency, line);
    const id = getMatch(line, sale)?.id;
    if (id === undefined) unmatched = plus(unmatched, share);
    else lines.set(id, plus(lines.get(id) ?? nothing, share));
  }
  return { lines, shipping: shippingShare(credit), unmatched };
};

const isLive = ({ status }: Body) => status === 'finalized' || status === 'filed';

/** The credits that count against a sale. */
const listLiveCredits = (book: Book, sale: Body): Body[] =>
  [...book.entries.values()]
    .map(({ body }) => body)
    .filter((body) => body.type === 'credit' && body.parent_transaction_id === sale.id && isLive(body));

type Remaining = Parts & { readonly whole: Parts; readonly total: Share; readonly credited: Share };

/** The remainder of a sale after its live credits, summed from the credits; one credit may be left out. */
export const getRemaining = (book: Book, sale: Body, without?: string): Remaining => {
  const whole = buildParts(sale);
  const taken = listLiveCredits(book, sale)
    .filter(({ id }) => id !== without)
    .map((credit) => takenBy(credit, sale));
  const left = (share: Share, getPart: (parts: Parts) => Share) => minus(share, total(taken.map(getPart)));
  const lines = new Map(
    [...whole.lines].map(([id, share]) => [id, left(share, (parts) => parts.lines.get(id) ?? nothing)]),
  );
  const shipping = left(whole.shipping, (parts) => parts.shipping);
  const unmatched = total(taken.map((parts) => parts.unmatched));
  const rest = minus(total([...lines.values(), shipping]), unmatched);
  const all = total([...whole.lines.values(), whole.shipping]);
  return { whole, lines, shipping, unmatched, total: rest, credited: minus(all, rest) };
};

/** The expected amounts of a credit line. */
type CreditedLine = Share & { readonly parentId: string | null; readonly discount: bigint };

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
const getTax = (net: bigint, whole: Share, left: Share): bigint => {
  if (net === left.net) return left.tax;
  return net === 0n ? 0n : least(halfUp(whole.tax * net, whole.net), left.tax);
};

const fieldRefusals = (wish: Requested, sale: Body): Refusal[] => [
  ...(wish.currency && wish.currency !== sale.currency ? [refusal('validation_invalid_format', '/currency')] : []),
  ...(wish.shipping && !wish.line_items ? [refusal('validation_invalid_format', '/shipping')] : []),
  ...(wish.credit_remaining && wish.line_items ? [refusal('validation_invalid_format', '/credit_remaining')] : []),
];

/** The possible discounts of a line: the discount that was sent, or else its share by amount, rounded up or down. */
export const listDiscounts = (line: Line, sale: Body): readonly bigint[] => {
  const { currency } = sale;
  const parent = getMatch(line, sale);
  if (!parent || (line.discount_amount ?? null) !== null) return [minor(currency, line.discount_amount ?? '0')];
  const amount = minor(currency, line.quantity, line.unit_price ?? parent.unit_price);
  const whole = minor(currency, parent.applied_discount_amount);
  const undiscounted = minor(currency, parent.net_amount) + whole;
  if (undiscounted === 0n) return [0n];
  const floor = (whole * amount) / undiscounted;
  return floor * undiscounted === whole * amount ? [floor] : [floor, floor + 1n];
};

/**
 * Whether a line, together with earlier lines that credit the same line at its price, has more units than were sold.
 */
const hasTooManyUnits = (lines: readonly Line[], at: number, sale: Body): boolean => {
  const line = lines[at] as Line;
  const parent = getMatch(line, sale);
  if (!parent) return false;
  const isAtPrice = ({ unit_price }: Line) => new Decimal(unit_price ?? parent.unit_price).eq(parent.unit_price);
  const isPart = new Decimal(parent.quantity).lt(1);
  const isAmount = (one: Line) =>
    new Decimal(one.quantity).eq(1) && Boolean(one.unit_price) && (!isAtPrice(one) || isPart);
  if (isAmount(line)) return false;
  if (!isAtPrice(line)) return new Decimal(line.quantity).gt(parent.quantity);
  return lines
    .slice(0, at + 1)
    .filter((one) => getMatch(one, sale)?.id === parent.id && isAtPrice(one) && !isAmount(one))
    .reduce((sum, { quantity }) => sum.plus(quantity), new Decimal(0))
    .gt(parent.quantity);
};

// Shipping is delivered to the addresses of the lines, so it adds no state.
const listStates = (sale: Body): string[] => sale.line_items.map((line) => getState(line, sale));

/**
 * Returns the amounts of a credit of certain lines with these discounts. Refuses more than the remainder of a line or
 * of the sale.
 */
const linesCredit = (
  { line_items, shipping: wanted }: Requested,
  sale: Body,
  remaining: Remaining,
  discounts: readonly bigint[],
): Credit | Refusal => {
  const { currency } = sale;
  const wishes = line_items ?? [];
  const left = new Map(remaining.lines);
  const lines: CreditedLine[] = [];
  for (const [index, line] of wishes.entries()) {
    const parent = getMatch(line, sale);
    const discount = discounts[index] as bigint;
    const net = minor(currency, line.quantity, line.unit_price ?? parent?.unit_price ?? '') - discount;
    if (!parent) {
      lines.push({ parentId: null, net, tax: getRate(net, line, sale), discount });
      continue;
    }
    const available = left.get(parent.id) as Share;
    if (net < 0n) return refusal('validation_invalid_format', `/line_items/${index}/discount_amount`);
    if (net > available.net) return overCredit(currency, available, `/line_items/${index}`);
    if (hasTooManyUnits(wishes, index, sale)) return overCredit(currency, available, `/line_items/${index}/quantity`);
    const taken = { net, tax: getTax(net, remaining.whole.lines.get(parent.id) as Share, available) };
    left.set(parent.id, minus(available, taken));
    lines.push({ ...taken, parentId: parent.id, discount });
  }
  const unmatched = lines.findIndex(({ parentId }) => parentId === null);
  // The tax of unmatched lines would require the removed address.
  if (sale.redacted_at !== undefined && unmatched >= 0)
    return refusal('validation_invalid_format', `/line_items/${unmatched}`);
  const other = wishes.findIndex((line) => !getMatch(line, sale) && !listStates(sale).includes(getState(line, sale)));
  if (other >= 0) return refusal('validation_invalid_format', `/line_items/${other}`);
  const shipping = wanted ? shippingCredit(minor(currency, wanted.amount), sale, remaining) : null;
  if (shipping && 'code' in shipping) return shipping;
  const taken = total([...lines, shipping ?? nothing]);
  const { net, tax } = minus(remaining.total, taken);
  if (net < 0n || tax < 0n) return overCredit(currency, remaining.total, '/line_items');
  return { kind: 'lines', lines, shipping, total: taken };
};

const shippingCredit = (net: bigint, sale: Body, { whole, shipping }: Remaining): Share | Refusal =>
  !sale.shipping || net > shipping.net
    ? overCredit(sale.currency, shipping, '/shipping/amount')
    : { net, tax: getTax(net, whole.shipping, shipping) };

/**
 * Returns all of a sale or its remainder. Unmatched credit lines may have reduced the total, but not the remaining
 * amounts of the lines.
 */
const restCredit = (kind: 'all' | 'remaining', sale: Body, { lines, shipping, total: left }: Remaining): Credit => ({
  kind,
  lines: [...lines].map(([parentId, share]) => ({ ...share, parentId, discount: 0n })),
  shipping: sale.shipping ? shipping : null,
  total: left,
});

/** The expected credit of a sale in its current state, or why it is refused. Pure. */
export const expectCredit = (
  wish: Requested,
  sale: Body,
  book: Book,
  discounts: readonly bigint[],
): Credit | readonly Refusal[] => {
  const fields = fieldRefusals(wish, sale);
  if (fields.length > 0) return fields;
  const { type, status, currency } = sale;
  const parent = { parent_type: type, parent_status: status };
  if (type !== 'sale' || (status !== 'finalized' && status !== 'filed'))
    return [refusal('conflict_parent_not_creditable', '/parent_transaction_id', parent)];
  const remaining = getRemaining(book, sale);
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

/** Returns the limit for a supplied tax: the remaining tax of the credited lines, and in total. */
export const taxRoom = (credit: Pick<Credit, 'lines' | 'shipping'>, remaining: Remaining): bigint => {
  const ids = new Set(credit.lines.map(({ parentId }) => parentId));
  const lines = [...ids].map((id) => (id === null ? nothing : (remaining.lines.get(id) as Share)));
  const unmatched = credit.lines.filter(({ parentId }) => parentId === null);
  const shares = [...lines, ...unmatched, credit.shipping ? remaining.shipping : nothing];
  return least(shares.reduce(plus, nothing).tax, remaining.total.tax);
};

/** Returns the refusal of a supplied tax above the limit `room`. */
export const overTaxed = (currency: string, room: bigint, { total: { net } }: Remaining): Refusal =>
  overCredit(currency, { net, tax: room }, '/tax_amount');

const isRefusal = (credit: Credit | readonly Refusal[]): credit is readonly Refusal[] => Array.isArray(credit);

const choices = (request: Requested, sale: Body): bigint[][] =>
  (request.line_items ?? []).reduce(
    (before: bigint[][], line) =>
      before.flatMap((discounts) => listDiscounts(line, sale).map((discount) => [...discounts, discount])),
    [[]],
  );

/** Returns the refusals of a credit with a supplied tax, for one choice of its discounts. */
const refusalsWith = (discounts: readonly bigint[], request: Requested, sale: Body, book: Book): readonly Refusal[] => {
  const credit = expectCredit(request, sale, book, discounts);
  if (isRefusal(credit)) return credit;
  const supplied = request.tax_amount ?? null;
  if (supplied === null || minor(sale.currency, supplied) === credit.total.tax) return [];
  const remaining = getRemaining(book, sale);
  const room = taxRoom(credit, remaining);
  return minor(sale.currency, supplied) > room ? [overTaxed(sale.currency, room, remaining)] : [];
};

/**
 * Returns why a credit must be refused, if at all. If a discount can be rounded either way, both results are accepted.
 */
export const listRefusals = (request: Requested, sale: Body, book: Book, response: ApiResponse): readonly Refusal[] => {
  const possible = choices(request, sale).map((discounts) => refusalsWith(discounts, request, sale, book));
  const matching = possible.find((reasons) =>
    reasons.length > 0 ? isRefused(response, reasons) : response.status < 300,
  );
  // A possible credit can still be refused for a different reason.
  return matching ?? possible.find((reasons) => reasons.length === 0) ?? (possible[0] as readonly Refusal[]);
};

/** Returns the credit that an accepted response must contain. Throws if a discount of the response is not possible. */
export const acceptedCredit = (body: Figures, request: Requested, sale: Body, book: Book): Credit => {
  const discounts = (request.line_items ?? []).map((line, index) => {
    const discount = minor(sale.currency, body.line_items[index]?.applied_discount_amount ?? '');
    must(listDiscounts(line, sale).includes(discount), 'An inherited discount is not its part of the line’s.');
    return discount;
  });
  const credit = expectCredit(request, sale, book, discounts);
  if (isRefusal(credit)) throw new Error(`Accepted, but must be refused: ${JSON.stringify(credit)}`);
  return credit;
};

const mustTakeLines = (body: Figures, { lines, kind }: Credit, sale: Body): void => {
  if (kind !== 'lines') return;
  const net = (line: Body['line_items'][number]) => minor(sale.currency, line.net_amount);
  const taken = body.line_items.map((line) => [net(line), getMatch(line, sale)?.id ?? null]);
  const expected = lines.map(({ net, parentId }) => [net, parentId]);
  same(taken, expected, 'The net of each line');
};

/** Checks that the tax is the recorded tax of each line, or a supplied tax distributed by the remaining tax. */
const mustTakeTax = (body: Figures, credit: Credit, sale: Body, book: Book, without?: string): void => {
  const { currency } = sale;
  const remaining = getRemaining(book, sale, without);
  const taken = takenBy(body, sale);
  const credited = [...taken.lines, [null, taken.shipping] as const];
  const left = (id: string | null): Share => (id === null ? remaining.shipping : (remaining.lines.get(id) ?? nothing));
  for (const [id, share] of credited) {
    const available = left(id);
    const isLeft = share.net <= available.net && share.tax <= available.tax && share.tax >= 0n;
    must(isLeft, `More than is left of ${id ?? 'the shipping'}.`);
  }
  if (minor(currency, body.tax_amount) !== credit.total.tax) {
    const unmatched = sum(credit.lines.filter(({ parentId }) => parentId === null).map(({ tax }) => tax));
    const weights = sum(credited.map(([id]) => (id === null && !body.shipping ? 0n : left(id).tax))) + unmatched;
    const isSpread = (id: string | null, tax: bigint) =>
      isShare(tax, minor(currency, body.tax_amount), left(id).tax, weights);
    for (const [id, { tax }] of credited)
      if (id !== null || body.shipping) must(isSpread(id, tax), 'A tax is not spread by what is left.');
    return;
  }
  // No field shows which line the unmatched lines reduce; in total they equal the remainder.
  if (credit.kind !== 'lines' && remaining.unmatched.net + remaining.unmatched.tax > 0n) return;
  for (const { parentId } of credit.lines) {
    const ofLine = credit.lines.filter((line) => line.parentId === parentId);
    if (parentId === null) continue;
    same(taken.lines.get(parentId)?.tax ?? 0n, sum(ofLine.map(({ tax }) => tax)), `The tax of ${parentId}`);
  }
  same(taken.shipping.tax, credit.shipping?.tax ?? 0n, 'The tax of the shipping');
};

/** Checks the amounts of a credit. */
export const mustHaveFigures = (body: Figures, credit: Credit, sale: Body, book: Book, without?: string): void => {
  const { currency } = sale;
  mustAddUp(body);
  mustTakeLines(body, credit, sale);
  mustTakeTax(body, credit, sale, book, without);
  const net =
    getSum(currency, body.line_items, 'net_amount') + minor(currency, onlyShipping(body.shipping)?.amount ?? '0');
  same(net, credit.total.net, 'The net of the credit');
};

/** The warnings of a credit whose request differs from its sale, or that is dated before it. */
export const differenceCodes = ({ line_items, customer }: Requested, taxDate: string, sale: Body): string[] => {
  const isOther = (sent: unknown, sold: unknown) => (sent ?? null) !== null && !isDeepStrictEqual(sent, sold);
  const pairs = (line_items ?? []).map((line) => [line, getMatch(line, sale)] as const);
  const lines = pairs.flatMap(([line, sold]) => {
    if (!sold) return [];
    const isOtherCode = isOther(line.product_tax_code, sold.product_tax_code ?? 'GENERAL');
    return [isOtherCode, isOther(line.customer, sold.customer ?? sale.customer)];
  });
  const isTaken = !line_items || pairs.some(([, sold]) => sold);
  return [
    ...[...lines, isTaken && isOther(customer, sale.customer)].filter(Boolean).map(() => 'credit_field_ignored'),
    ...(taxDate.slice(0, 10) < sale.tax_date.slice(0, 10) ? ['credit_before_sale'] : []),
  ];
};

/** Checks that an accepted response records the requested credit. Returns how it was requested. */
export const mustBeCredit = (
  body: Body,
  request: Requested,
  sale: Body,
  book: Book,
  supplied: string | null,
  warnings: readonly string[],
): Credit['kind'] => {
  const { currency } = sale;
  const credit = acceptedCredit(body, request, sale, book);
  mustHaveFigures(body, credit, sale, book);
  same(minor(currency, body.calculated_tax_amount), credit.total.tax, 'The calculated tax');
  same(minor(currency, body.tax_amount), supplied === null ? credit.total.tax : minor(currency, supplied), 'The tax');
  const unmatched = credit.lines.filter(({ parentId }) => parentId === null).map(() => 'credit_line_unmatched');
  const expected = [...differenceCodes(request, body.tax_date, sale), ...unmatched, ...warnings];
  same(listCodes(body), expected.sort(), 'The warnings');
  return credit.kind;
};
