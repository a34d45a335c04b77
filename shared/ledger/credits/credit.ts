import { accept, invalidField, type Result, refuse } from '../../base/result.ts';
import type { Outcome } from '../../calculations/calculate.ts';
import { isReduction, mapShipping } from '../../calculations/charges.ts';
import type { Context } from '../../calculations/document.ts';
import { listCharges } from '../../calculations/figures.ts';
import type { LineItemResponse, ShippingResponse, Warning } from '../../calculations/response.ts';
import { allocate, sum } from '../../money/allocate.ts';
import { formatAmount, minorDigits, parseAmount } from '../../money/currency.ts';
import { withRowTaxes, withSuppliedTax } from '../supplied-tax.ts';
import type { Share, StoredTransaction } from '../transaction.ts';
import {
  type Balance,
  calculateRemaining,
  isNothing,
  minus,
  parentIds,
  plus,
  positive,
  type Remaining,
  remainingShare,
  rowTaxes,
  zeroShare,
} from './amounts.ts';
import { creditLine, creditShipping, isReducedByCoupon, linesOutcome, sumShares, unpaidAmounts } from './lines.ts';
import {
  type CreditContext,
  type CreditRequest,
  creditOutcome,
  creditWarnings,
  refundedFeeWarnings,
} from './outcome.ts';
import { creditProblems, overCredit } from './problems.ts';

/**
 * Builds the outcome that credits the remainder of a sale. Each line with a remaining net, tax, calculated tax or coupon
 * has a quantity of one. If only shipping remains, the first line has no amount, because a request needs a line.
 */
const restOutcome = (credit: CreditContext, remaining: Remaining): Outcome => {
  const { parent, exponent } = credit;
  const balances = [...remaining.charges.values()];
  const shares = capped(balances.map(remainingShare), remaining.total, unpaidAmounts(parent, remaining.charges));
  const count = parent.line_items.length;
  const rests = parent.line_items.map((line, at) =>
    restLine(line, shares[at] as Share, balances[at] as Balance, exponent),
  );
  const left = rests.filter(({ isLeft }) => isLeft);
  const first = rests.filter((_, at) => !isReduction(parent.line_items[at]?.unit_price)).slice(0, 1);
  const lines = (left.length > 0 ? left : first).map(({ line }) => line);
  const shipping = mapShipping(parent.shipping, (charge, index) => {
    const taken = shares[count + index] as Share;
    const sized = { ...taken, amount: taken.net, discount: 0n };
    return isNothing(taken) ? null : creditShipping(charge, sized, balances[count + index] as Balance, exponent);
  });
  return creditOutcome(credit, lines, withoutNothing(shipping));
};

type Shipping = ShippingResponse | ShippingResponse[] | null;

const withoutNothing = (shipping: ShippingResponse | (ShippingResponse | null)[] | null): Shipping =>
  Array.isArray(shipping) ? shipping.filter((charge) => charge !== null) : shipping;

/** Credits the remaining amounts of a line and the rest of its coupon. */
const restLine = (parent: LineItemResponse, taken: Share, balance: Balance, exponent: number) => {
  const { whole, credited } = balance;
  const thirdPartyDiscount = positive(whole.third_party_discount - credited.third_party_discount);
  const amount = isReducedByCoupon(parent, exponent) ? taken.net + thirdPartyDiscount : taken.net;
  const sized = { ...taken, unitPrice: formatAmount(amount, exponent), amount, discount: 0n, thirdPartyDiscount };
  const sent = { ...parent, quantity: '1', discount_amount: null, third_party_discount_amount: null };
  const isLeft =
    !isNothing(taken) ||
    thirdPartyDiscount !== 0n ||
    // A fee has no net, and no tax if none was recorded.
    whole.rows.some(({ calculated }, row) => calculated > (credited.rows[row]?.calculated ?? 0n));
  return { line: creditLine(sent, parent, sized, balance, exponent), isLeft };
};

// Scales the remaining shares of the lines to the total, which unmatched credit lines have reduced. Those returned only
// what the buyer paid, so the unpaid amounts of the lines remain.
const capped = (shares: readonly Share[], total: Share, unpaid: readonly bigint[]): Share[] => {
  const paid = shares.map(({ net }, index) => net - (unpaid[index] ?? 0n));
  const nets = allocate(total.net - sum(unpaid), paid);
  const taxes = allocate(
    total.tax,
    shares.map(({ tax }) => tax),
  );
  return shares.map((_, index) => ({
    net: (nets[index] as bigint) + (unpaid[index] ?? 0n),
    tax: taxes[index] as bigint,
  }));
};

/**
 * Builds the outcome that reverses a whole sale. Each line refers to the line it reverses and includes its share of the
 * document discounts as a line discount, because a credit has no document discounts.
 */
const wholeOutcome = (credit: CreditContext): Outcome => {
  const lines = credit.parent.line_items.map((line) => ({
    ...line,
    parent_line_item_id: line.id,
    discount_amount: isReduction(line.unit_price) ? null : line.applied_discount_amount,
    third_party_discount_amount: line.applied_third_party_discount_amount,
  }));
  const shipping = mapShipping(credit.parent.shipping, (charge) => ({
    ...charge,
    discount_amount: /[1-9]/.test(charge.applied_discount_amount)
      ? charge.applied_discount_amount
      : charge.discount_amount,
  }));
  return creditOutcome(credit, lines, shipping);
};

/** The result of a credit: its amounts with the recorded tax, and the kind of request. */
export type Credit = { readonly outcome: Outcome; readonly kind: 'all' | 'remaining' | 'lines' };

/**
 * Computes a credit from the current state of its sale. Pure.
 *
 * Without lines it reverses the whole sale, or the remainder if `credit_remaining` is set. Rejects a parent that cannot
 * be credited, a changed inherited field, more than remains of a line or of the sale, and an unmatched line in a state
 * that the sale does not have.
 */
export const buildCredit = (
  parent: StoredTransaction,
  request: CreditRequest,
  context: Context,
  sent: readonly Warning[],
): Result<Credit> => {
  const [problem, ...others] = creditProblems(parent.transaction, request);
  if (problem) return refuse(problem, ...others);
  const kind = request.line_items ? 'lines' : request.credit_remaining ? 'remaining' : 'all';
  const exponent = minorDigits(parent.transaction.currency);
  const credit = { parent: parent.transaction, request, context, exponent };
  const computed = computeOutcome(kind, parent, credit);
  if (!computed.ok) return computed;
  const outcome = computed.value;
  const warnings = [
    ...sent,
    ...creditWarnings(parent.transaction, { ...request, tax_date: outcome.tax_date }),
    ...refundedFeeWarnings(outcome.line_items, request),
    ...outcome.warnings,
  ];
  return accept({ kind, outcome: { ...outcome, warnings } });
};

const computeOutcome = (kind: Credit['kind'], sale: StoredTransaction, credit: CreditContext): Result<Outcome> => {
  const remaining = calculateRemaining(sale);
  if (kind === 'lines') return linesOutcome(credit, remaining);
  if (isUntouched(remaining)) return accept(wholeOutcome(credit));
  const { credited_amount, credited_tax_amount, currency } = sale.transaction;
  // After credits of only coupons, the whole amount and tax of the sale remain.
  const isAllLeft = [credited_amount, credited_tax_amount].every((text) => parseAmount(text, credit.exponent) === 0n);
  return (kind === 'remaining' || isAllLeft) && !isNothing(remaining.total)
    ? accept(restOutcome(credit, remaining))
    : refuse(overCredit(remaining.total, currency, kind === 'all' ? '/parent_transaction_id' : '/credit_remaining'));
};

/** Whether the live credits of the sale have no amount and no coupon. */
const isUntouched = ({ charges, total }: Remaining): boolean => {
  const balances = [...charges.values()];
  const whole = balances.map((balance) => balance.whole).reduce(plus, zeroShare);
  return isNothing(minus(whole, total)) && balances.every(({ credited }) => credited.third_party_discount === 0n);
};

/** The remaining tax of a charge, and how it splits by tax row. */
type Charge = { readonly weight: bigint; readonly listRows: (tax: bigint) => bigint[] };

/**
 * Records the supplied refund tax instead of the computed one. Distributes it over the credited lines in proportion to
 * their remaining recorded tax, which is also the upper bound. With a unit price of zero, the result is a tax-only
 * credit.
 */
export const withSuppliedCreditTax = (
  outcome: Outcome,
  supplied: string,
  parent: StoredTransaction,
): Result<Outcome> => {
  const exponent = minorDigits(outcome.currency);
  const total = parseAmount(supplied, exponent);
  if (total === parseAmount(outcome.tax_amount, exponent)) return accept(outcome);
  const charges = creditedCharges(outcome, parent, exponent);
  const weights = charges.map(({ weight }) => weight);
  const sum = weights.reduce((all, weight) => all + weight, 0n);
  // Unmatched credit lines reduce the total, but not the remaining amounts of the lines.
  const left = calculateRemaining(parent).total;
  const bound = sum < left.tax ? sum : left.tax;
  if (total > bound) return refuse(overCredit({ net: left.net, tax: bound }, outcome.currency, '/tax_amount', 'tax'));
  const taxes = allocate(total, weights);
  const rows = charges.flatMap(({ listRows }, index) => listRows(taxes[index] as bigint));
  return accept(withRowTaxes(outcome, rows, null));
};

/**
 * Records the supplied tax of a sale or credit, if any, instead of the calculated one. If prices include tax, rejects a
 * tax above them.
 */
export const withRecordedTax = (
  outcome: Outcome,
  supplied: string | null,
  sale: StoredTransaction | null,
): Result<Outcome> => {
  if (supplied === null) return accept(outcome);
  if (sale) return withSuppliedCreditTax(outcome, supplied, sale);
  const exponent = minorDigits(outcome.currency);
  const { net } = sumShares(outcome, exponent);
  return outcome.tax_included && parseAmount(supplied, exponent) > net
    ? refuse(
        invalidField(
          '/tax_amount',
          `The prices include the tax and add up to ${formatAmount(net, exponent)}. Send at most this tax_amount.`,
        ),
      )
    : accept(withSuppliedTax(outcome, supplied));
};

// Returns the remaining tax of each credited line and shipping charge.
const creditedCharges = (outcome: Outcome, parent: StoredTransaction, exponent: number): Charge[] => {
  const remaining = calculateRemaining(parent);
  const ids = parentIds(outcome, parent.transaction);
  const spent = new Set<string>();
  const read = (text: string) => parseAmount(text, exponent);
  return listCharges(outcome).map((charge, at): Charge => {
    const id = ids[at];
    const balance = id === undefined ? undefined : remaining.charges.get(id);
    if (id === undefined || !balance) {
      const rows = charge.taxes.map((row) => read(row.tax_amount));
      return { weight: read(charge.tax_amount), listRows: (tax) => allocate(tax, rows) };
    }
    // A second credit line of the same sale line has no remaining tax.
    const weight = spent.has(id) ? 0n : remainingShare(balance).tax;
    spent.add(id);
    return { weight, listRows: (tax) => rowTaxes(tax, balance) };
  });
};
