import { isSent } from '../../base/json.ts';
import { accept, type Problem, type Result, refuse } from '../../base/result.ts';
import { calculate, type Outcome } from '../../calculations/calculate.ts';
import { isReduction, mapShipping, shippingList, shippingPointer } from '../../calculations/charges.ts';
import { documentIds, echoMetadata } from '../../calculations/echo.ts';
import { listCharges, listTaxRows } from '../../calculations/figures.ts';
import type { LineItemRequest, ShippingRequest } from '../../calculations/request.ts';
import { crossFieldProblems, discountTooLarge } from '../../calculations/request-problems.ts';
import type { LineItemResponse, ShippingResponse, Warning } from '../../calculations/response.ts';
import { sum } from '../../money/allocate.ts';
import { formatAmount, minorDigits, parseAmount } from '../../money/currency.ts';
import { decimal, digits, multiply, rescale } from '../../money/decimal.ts';
import { jurisdictionCode, stateOfJurisdiction } from '../../vocabulary/jurisdiction.ts';
import type { Share, Transaction } from '../transaction.ts';
import {
  afterCredit,
  type Balance,
  chargeAmounts,
  findParentLine,
  inheritedCoupon,
  inheritedDiscount,
  minus,
  parentShipping,
  positive,
  type Reducing,
  type Remaining,
  recordedTax,
  remainingShare,
  scaleCharge,
} from './amounts.ts';
import { type CreditContext, creditOutcome, unmatchedBasis, unmatchedWarning } from './outcome.ts';
import { negativePrice, otherState, overCredit, redactedSale, unknownLine, unknownShipping } from './problems.ts';

/** The amounts of a credit line before tax. */
type Sized = {
  readonly unitPrice: string;
  readonly amount: bigint;
  readonly discount: bigint;
  readonly thirdPartyDiscount: bigint;
  readonly net: bigint;
};

/** Computes a credit line's amounts. The unit price and the discounts, prorated by amount, default to the parent line's. */
const sizeLine = (line: LineItemRequest, parent: LineItemResponse, balance: Balance, exponent: number): Sized => {
  const unitPrice = line.unit_price ?? parent.unit_price;
  const amount = multiply(decimal(line.quantity), decimal(unitPrice), exponent);
  // The discount of a reduction line (with a negative price) is the whole reduction. Its credit has the same discount.
  if (amount < 0n) return { unitPrice, amount, discount: amount, thirdPartyDiscount: 0n, net: 0n };
  const sent = (text: string | null | undefined) => (text ? rescale(decimal(text), exponent) : null);
  const isReduced = isReducedByCoupon(parent, exponent);
  const reducing: Reducing = isReduced ? ['discount', 'third_party_discount'] : ['discount'];
  const discount = sent(line.discount_amount) ?? inheritedDiscount(balance, amount, 'discount', reducing);
  const sold = amount - discount;
  const coupon = sent(line.third_party_discount_amount);
  if (!isReduced)
    return { unitPrice, amount, discount, thirdPartyDiscount: coupon ?? inheritedCoupon(balance, sold), net: sold };
  const due = coupon ?? inheritedDiscount(balance, amount, 'third_party_discount', reducing);
  // Both discounts are rounded, so together they can exceed the amount by one minor unit.
  const thirdPartyDiscount = coupon === null && due > sold && sold >= 0n ? sold : due;
  const sized = { unitPrice, amount, discount, thirdPartyDiscount, net: sold - thirdPartyDiscount };
  return sent(line.discount_amount) === null && coupon === null ? withWholeCoupon(sized, balance) : sized;
};

/**
 * Assigns the rest of the coupon to the credit that exhausts a line's net, so the credits add up to the coupon. The
 * rest of the inherited discount is the seller's. If the amount is too small for that, one minor unit of the net is
 * left for a later credit.
 */
const withWholeCoupon = (sized: Sized, { whole, credited }: Balance): Sized => {
  const { amount, discount, thirdPartyDiscount, net } = sized;
  const gross = (one: Balance['whole']) => one.net + one.discount + one.third_party_discount;
  const left = whole.third_party_discount - credited.third_party_discount;
  const inherited = discount + thirdPartyDiscount;
  const isRest = amount >= gross(whole) - gross(credited);
  if (net !== whole.net - credited.net || left < 0n || !(net > 0n || isRest)) return sized;
  if (left <= inherited) return { ...sized, thirdPartyDiscount: left, discount: inherited - left };
  return isRest ? sized : { ...sized, thirdPartyDiscount: thirdPartyDiscount + 1n, net: net - 1n };
};

/**
 * Returns the part of each line's remaining net that the buyer did not pay, because a third-party discount did not reduce
 * the price. No credit returns it.
 */
export const unpaidAmounts = ({ line_items, currency }: Transaction, balances: Remaining['charges']): bigint[] =>
  line_items.map((line) => {
    const { whole, credited } = balances.get(line.id) as Balance;
    const left = positive(whole.third_party_discount - credited.third_party_discount);
    return isReducedByCoupon(line, minorDigits(currency)) ? 0n : left;
  });

/** Whether a third-party discount reduced the price of a line under its state's rules. */
export const isReducedByCoupon = (line: LineItemResponse, exponent: number): boolean => {
  const minor = (text: string) => parseAmount(text, exponent);
  const coupon = minor(line.applied_third_party_discount_amount);
  return coupon > 0n && minor(line.amount) - minor(line.applied_discount_amount) - coupon === minor(line.net_amount);
};

/** Returns the name of a discount that exceeds the amount it reduces, or `null`. */
const excessiveDiscount = ({ amount, discount, thirdPartyDiscount }: Sized) =>
  amount < 0n
    ? null
    : amount < discount
      ? 'discount_amount'
      : amount < discount + thirdPartyDiscount
        ? 'third_party_discount_amount'
        : null;

type SentLine = Pick<
  LineItemRequest,
  'description' | 'quantity' | 'discount_amount' | 'third_party_discount_amount' | 'metadata'
> & { readonly id: string };

/**
 * Builds the recorded credit line. Product, customer and tax rows come from the parent line.
 *
 * Inherited discounts are stored as if they had been sent, including zero. Posting a calculation or finalizing a draft
 * therefore keeps these amounts, even if the inherited share has changed since.
 */
export const creditLine = (
  line: SentLine,
  parent: LineItemResponse,
  sized: Sized & Share,
  balance: Balance,
  exponent: number,
): LineItemResponse => {
  const discount = formatAmount(sized.discount, exponent);
  const thirdPartyDiscount = formatAmount(sized.thirdPartyDiscount, exponent);
  return {
    id: line.id,
    parent_line_item_id: parent.id,
    description: line.description ?? parent.description,
    product_tax_code: parent.product_tax_code,
    quantity: line.quantity,
    unit_price: sized.unitPrice,
    discount_amount: line.discount_amount ?? (sized.amount < 0n ? null : discount),
    third_party_discount_amount: line.third_party_discount_amount ?? thirdPartyDiscount,
    customer: parent.customer,
    ship_from: parent.ship_from,
    fulfillment: parent.fulfillment,
    metadata: echoMetadata(line.metadata),
    amount: formatAmount(sized.amount, exponent),
    applied_discount_amount: discount,
    applied_third_party_discount_amount: thirdPartyDiscount,
    net_amount: formatAmount(sized.net, exponent),
    ...scaleCharge(parent, balance, sized, exponent),
    address_resolution: parent.address_resolution,
    applied_exemption: parent.applied_exemption,
  };
};

/** The amounts of a credited shipping charge, in minor units. */
type SizedCharge = Share & { readonly amount: bigint; readonly discount: bigint };

/** Builds the recorded credit of a shipping charge. Its id, code, places and tax rows come from the parent. */
export const creditShipping = (
  parent: ShippingResponse,
  sized: SizedCharge,
  balance: Balance,
  exponent: number,
  sent: Pick<ShippingRequest, 'amount' | 'discount_amount'> | null = null,
): ShippingResponse => {
  const write = (minor: bigint) => formatAmount(minor, exponent);
  const isDiscounted = /[1-9]/.test(parent.applied_discount_amount);
  return {
    ...parent,
    amount: sent?.amount ?? write(sized.amount),
    discount_amount: sent?.discount_amount ?? (isDiscounted ? write(sized.discount) : parent.discount_amount),
    applied_discount_amount: write(sized.discount),
    net_amount: write(sized.net),
    ...scaleCharge(parent, balance, sized, exponent),
  };
};

/**
 * Credits the sent shipping charges. Each one credits the sale's charge with the same id, or the only charge. Its
 * discount is prorated from the sale's unless sent. Rejects an unknown charge and more than remains of a charge.
 */
const creditSentShipping = (
  { parent, request, exponent }: CreditContext,
  remaining: Remaining,
): Result<ShippingResponse | ShippingResponse[] | null> => {
  const balances = new Map(remaining.charges);
  const credited: ShippingResponse[] = [];
  for (const [index, charge] of shippingList(request.shipping).entries()) {
    const pointer = shippingPointer(request.shipping, index);
    const sold = parentShipping(charge, parent);
    const balance = sold && balances.get(sold.id);
    if (!sold || !balance) return refuse(unknownShipping(pointer, parent));
    const amount = rescale(decimal(charge.amount), exponent);
    const discount = charge.discount_amount
      ? rescale(decimal(charge.discount_amount), exponent)
      : inheritedDiscount(balance, amount);
    const net = amount - discount;
    if (net < 0n) return refuse(discountTooLarge(pointer, 'discount_amount', [amount, exponent]));
    const left = remainingShare(balance);
    if (net > left.net) return refuse(overCredit(left, parent.currency, `${pointer}/amount`, 'shipping'));
    const sized = { amount, discount, net, tax: recordedTax(net, balance) };
    const one = creditShipping(sold, sized, balance, exponent, charge);
    balances.set(sold.id, afterCredit(balance, chargeAmounts(one, exponent)));
    credited.push(one);
  }
  return accept(mapShipping(request.shipping, (_, index) => credited[index] as ShippingResponse));
};

/** The remainder of a sale's line, and the pointer of the credit line that takes from it. */
type CreditPlace = { readonly left: Share; readonly currency: string; readonly pointer: string };

/**
 * Returns the problem of a third-party discount, or `null`. A sent discount must not exceed the remaining discount of
 * the line. A discount must not be so small that the credits return more than the buyer paid.
 */
const couponProblem = (
  { third_party_discount_amount }: Pick<LineItemRequest, 'third_party_discount_amount'>,
  sold: LineItemResponse,
  { net, thirdPartyDiscount }: Sized,
  { whole, credited }: Balance,
  { left, currency, pointer }: CreditPlace,
): Problem | null => {
  const exponent = minorDigits(currency);
  const most = positive(whole.third_party_discount - credited.third_party_discount);
  const least = net - left.net + whole.third_party_discount - credited.third_party_discount;
  const refused = (exceeded: 'coupon' | 'couponLeft', limit: bigint) =>
    overCredit(left, currency, `${pointer}/third_party_discount_amount`, exceeded, formatAmount(limit, exponent));
  if (isSent(third_party_discount_amount) && thirdPartyDiscount > most) return refused('couponLeft', most);
  return !isReducedByCoupon(sold, exponent) && thirdPartyDiscount < least ? refused('coupon', least) : null;
};

/** The units that a credit takes at their original price, by line id of the sale. */
type CreditedUnits = Map<string, bigint>;

const exact = (text: string): bigint => rescale(decimal(text), digits.fraction);
const one = exact('1');

/**
 * Returns the problem of a credit line with more units than were sold, or `null`. Adds its units to the credit's total.
 *
 * At the original price, the lines of one credit can together have at most the quantity sold. At any other price, or if
 * less than one unit was sold, a quantity of 1 is always allowed, because it can stand for part of the line's amount.
 * Larger quantities are limited to the quantity sold. Across several credits, only the amounts are limited (`amounts.ts`).
 */
const unitsProblem = (
  { quantity, unit_price }: Pick<LineItemRequest, 'quantity' | 'unit_price'>,
  sold: LineItemResponse,
  credited: CreditedUnits,
  { left, currency, pointer }: CreditPlace,
): Problem | null => {
  const units = exact(quantity);
  const soldUnits = exact(sold.quantity);
  const isAtPrice = exact(unit_price ?? sold.unit_price) === exact(sold.unit_price);
  const isAmount = units === one && isSent(unit_price) && (!isAtPrice || soldUnits < one);
  const isAsSold = isAtPrice && !isAmount;
  const together = (credited.get(sold.id) ?? 0n) + units;
  if (isAsSold) credited.set(sold.id, together);
  const isTooMany = isAsSold ? together > soldUnits : units > soldUnits && !isAmount;
  return isTooMany
    ? overCredit(left, currency, `${pointer}/quantity`, 'units', `${sold.quantity} of line ${sold.id}`)
    : null;
};

type CreditedLines = {
  readonly lines: (LineItemResponse | null)[];
  readonly warnings: Warning[];
  readonly balances: Map<string, Balance>;
  readonly units: CreditedUnits;
};

/** Builds the outcome that credits the sent lines and shipping. */
export const linesOutcome = (credit: CreditContext, remaining: Remaining): Result<Outcome> => {
  const { parent, request, exponent } = credit;
  const requested = request.line_items ?? [];
  const taken = listCharges(parent).map(({ id }) => id);
  const ids = documentIds({ line_items: requested }, taken).lines;
  const balances = new Map(remaining.charges);
  const creditedLines: CreditedLines = { lines: [], warnings: [], balances, units: new Map() };
  for (const [index, line] of requested.entries()) {
    const problem = creditOneLine(creditedLines, credit, line, ids[index] as string, index);
    if (problem) return refuse(problem);
  }
  const unmatchedAt = creditedLines.lines.indexOf(null);
  if (parent.redacted_at !== undefined && unmatchedAt >= 0) return refuse(redactedSale(unmatchedAt));
  const unmatched = calculateUnmatched(credit, creditedLines, requested, ids);
  if (!unmatched.ok) return unmatched;
  const problem = stateProblem(parent, creditedLines, unmatched.value.line_items);
  if (problem) return refuse(problem);
  const shipping = creditSentShipping(credit, remaining);
  if (!shipping.ok) return shipping;
  const calculated = [...unmatched.value.line_items];
  const lines = creditedLines.lines.map((line) => line ?? (calculated.shift() as LineItemResponse));
  const credited = creditOutcome(credit, lines, shipping.value, creditedLines.warnings);
  // An unmatched line may be in a state that had no content when the sale was recorded.
  const content_releases = { ...unmatched.value.content_releases, ...credited.content_releases };
  const outcome = { ...credited, content_releases };
  const left = minus(remaining.total, sumShares(outcome, exponent));
  const { net, tax } = remaining.total;
  return left.net < sum(unpaidAmounts(parent, balances)) || left.tax < 0n
    ? refuse(
        overCredit({ net: net - sum(unpaidAmounts(parent, remaining.charges)), tax }, parent.currency, '/line_items'),
      )
    : accept(outcome);
};

/** Returns the problem of the first unmatched line in a state that the sale does not have, or `null`. */
const stateProblem = (parent: Transaction, { lines }: CreditedLines, unmatched: readonly LineItemResponse[]) => {
  const listStates = (rows: readonly { readonly jurisdiction_code: string }[]) =>
    rows.map(({ jurisdiction_code }) => jurisdictionCode(stateOfJurisdiction(jurisdiction_code)));
  const states = [...new Set(listStates(listTaxRows(parent)))].sort();
  const indexes = lines.flatMap((line, index) => (line === null ? [index] : []));
  for (const [at, { taxes }] of unmatched.entries()) {
    const other = listStates(taxes).find((state) => !states.includes(state));
    if (other !== undefined) return otherState(indexes[at] as number, other, states);
  }
  return null;
};

/** Returns the sum of a document's net amounts, which include the tax if its prices do, and its tax. */
export const sumShares = (outcome: Outcome, exponent: number): Share => ({
  net: listCharges(outcome).reduce((sum, { net_amount }) => sum + parseAmount(net_amount, exponent), 0n),
  tax: parseAmount(outcome.tax_amount, exponent),
});

// Adds a credit line, and subtracts it from the remainder of its parent line. Returns the problem, or `null`.
const creditOneLine = (
  creditedLines: CreditedLines,
  credit: CreditContext,
  line: LineItemRequest,
  id: string,
  index: number,
) => {
  const { parent, exponent } = credit;
  const pointer = `/line_items/${index}`;
  const parentLine = findParentLine(line, parent);
  if (isReduction(line.unit_price) && !isReduction(parentLine?.unit_price)) return negativePrice(index);
  if (!parentLine) {
    creditedLines.lines.push(null);
    creditedLines.warnings.push(unmatchedWarning(index));
    return null;
  }
  const balance = creditedLines.balances.get(parentLine.id) as Balance;
  const sized = sizeLine(line, parentLine, balance, exponent);
  const discount = excessiveDiscount(sized);
  if (discount) return discountTooLarge(pointer, discount, [sized.amount, exponent]);
  const left = remainingShare(balance);
  if (sized.net > left.net) {
    const credited = `The credit of ${line.quantity} of ${parentLine.quantity} units of line ${parentLine.id}, ${formatAmount(sized.net, exponent)},`;
    return overCredit(left, parent.currency, pointer, 'line', credited);
  }
  const place = { left, currency: parent.currency, pointer };
  const problem =
    couponProblem(line, parentLine, sized, balance, place) ??
    unitsProblem(line, parentLine, creditedLines.units, place);
  if (problem) return problem;
  const taken = { ...sized, tax: recordedTax(sized.net, balance) };
  const credited = creditLine({ ...line, id }, parentLine, taken, balance, exponent);
  creditedLines.balances.set(parentLine.id, afterCredit(balance, chargeAmounts(credited, exponent)));
  creditedLines.lines.push(credited);
  return null;
};

const calculateUnmatched = (
  { parent, request, context }: CreditContext,
  { lines }: CreditedLines,
  sent: readonly LineItemRequest[],
  ids: readonly string[],
): Result<Pick<Outcome, 'line_items' | 'content_releases'>> => {
  const requested = sent.map((line, index) => ({ ...line, id: ids[index] as string }));
  const unmatched = requested.filter((_, index) => lines[index] === null);
  if (unmatched.length === 0) return accept({ line_items: [], content_releases: {} });
  const [unknown, ...more] = sent.flatMap((line, index) =>
    lines[index] === null && !line.unit_price ? [unknownLine(index, line, parent)] : [],
  );
  if (unknown) return refuse(unknown, ...more);
  const basis = unmatchedBasis(parent, request);
  // Keep the order of the request, so the JSON Pointers match it.
  const places = requested.map((line, index) => (lines[index] === null ? line : null));
  const [problem, ...others] = crossFieldProblems({ ...basis, line_items: places });
  if (problem) return refuse(problem, ...others);
  return calculate({ ...basis, type: 'credit', line_items: unmatched }, context, []);
};
