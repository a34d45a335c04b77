import type { Outcome } from '../../calculations/calculate.ts';
import { isReduction, mapShipping } from '../../calculations/charges.ts';
import type { LineItemResponse, ShippingResponse } from '../../calculations/response.ts';
import { allocate } from '../../money/allocate.ts';
import { formatAmount } from '../../money/currency.ts';
import { type Balance, couponByNet, inheritedCoupon, isNothing, remainingShare, type Share } from './arithmetic.ts';
import { creditLine, isReducedByCoupon } from './credit-lines.ts';
import type { CreditContext } from './credit-request.ts';
import { creditShipping } from './credit-shipping.ts';
import { creditOutcome } from './outcome.ts';
import type { Remaining } from './remaining.ts';

/** The outcome that credits the remainder of a sale, each line with remaining money or coupon as a quantity of one. */
export const restOutcome = (credit: CreditContext, remaining: Remaining): Outcome => {
  const { parent, exponent } = credit;
  const balances = [...remaining.charges.values()];
  const shares = capped(balances.map(remainingShare), remaining.total);
  const count = parent.line_items.length;
  const lines = parent.line_items.flatMap((line, at) => {
    const rest = restOfLine(line, shares[at] as Share, balances[at] as Balance, exponent);
    return rest ? [rest] : [];
  });
  const shipping = mapShipping(parent.shipping, (charge, index) => {
    const taken = shares[count + index] as Share;
    const sized = { amount: taken.net, discount: 0n, net: taken.net };
    return isNothing(taken) ? null : creditShipping(charge, sized, taken, balances[count + index] as Balance, exponent);
  });
  return creditOutcome(credit, lines, withoutNothing(shipping));
};

type Shipping = ShippingResponse | ShippingResponse[] | null;

const withoutNothing = (shipping: ShippingResponse | (ShippingResponse | null)[] | null): Shipping =>
  Array.isArray(shipping) ? shipping.filter((charge) => charge !== null) : shipping;

const restOfLine = (line: LineItemResponse, taken: Share, balance: Balance, exponent: number) => {
  const isReduced = isReducedByCoupon(line, exponent);
  const thirdPartyDiscount = isReduced ? couponByNet(balance, taken.net) : inheritedCoupon(balance, taken.net);
  if (isNothing(taken) && thirdPartyDiscount === 0n) return null;
  const amount = isReduced ? taken.net + thirdPartyDiscount : taken.net;
  const unitPrice = formatAmount(amount, exponent);
  const sized = { unitPrice, amount, discount: 0n, thirdPartyDiscount, net: taken.net };
  const sent = { ...line, quantity: '1', discount_amount: null, third_party_discount_amount: null };
  return creditLine(sent, line, sized, taken, balance, exponent);
};

// Unmatched credit lines reduce the total, but not the remaining amounts of the lines.
const capped = (shares: readonly Share[], total: Share): Share[] => {
  const nets = allocate(
    total.net,
    shares.map(({ net }) => net),
  );
  const taxes = allocate(
    total.tax,
    shares.map(({ tax }) => tax),
  );
  return shares.map((_, index) => ({ net: nets[index] as bigint, tax: taxes[index] as bigint }));
};

/**
 * The outcome that reverses a whole sale. Each line names the line that it reverses, and has its share of the document
 * discounts as its own, because a credit has no document discounts.
 */
export const wholeOutcome = (credit: CreditContext): Outcome => {
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
