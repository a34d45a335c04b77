import { echoMetadata } from '../../calculations/echo.ts';
import type { LineItemRequest } from '../../calculations/request.ts';
import type { LineItemResponse } from '../../calculations/response.ts';
import { formatAmount, parseAmount } from '../../money/currency.ts';
import { decimal, multiply, rescale } from '../../money/decimal.ts';
import type { Balance, Share } from './arithmetic.ts';
import { inheritedCoupon, inheritedDiscount, type Reducing, scaleCharge } from './arithmetic.ts';

/** The amounts of a credit line before tax. */
type Sized = {
  readonly unitPrice: string;
  readonly amount: bigint;
  readonly discount: bigint;
  readonly thirdPartyDiscount: bigint;
  readonly net: bigint;
};

/** Compute a credit line's amounts. Unit price and discounts (pro rata by amount) are the parent line's unless sent. */
export const sizeLine = (
  line: LineItemRequest,
  parent: LineItemResponse,
  balance: Balance,
  exponent: number,
): Sized => {
  const unitPrice = line.unit_price ?? parent.unit_price;
  const amount = multiply(decimal(line.quantity), decimal(unitPrice), exponent);
  // A line that a negative price reduced has the reduction as its discount, and is credited with it.
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
  // The two discounts are rounded: together they may be a cent above the amount.
  const thirdPartyDiscount = coupon === null && due > sold && sold >= 0n ? sold : due;
  const sized = { unitPrice, amount, discount, thirdPartyDiscount, net: sold - thirdPartyDiscount };
  return sent(line.discount_amount) === null && coupon === null ? withWholeCoupon(sized, balance) : sized;
};

/**
 * The credit that exhausts the net of a line takes the rest of its coupon, so that all credits add up to it. The seller's
 * discount is the remainder. Where its amount is too small for that, it leaves a cent of the net to a later credit.
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

/** Whether a third party's discount reduced the price of a line, by the rule of its state. */
export const isReducedByCoupon = (
  line: Pick<
    LineItemResponse,
    'amount' | 'applied_discount_amount' | 'applied_third_party_discount_amount' | 'net_amount'
  >,
  exponent: number,
): boolean => {
  const minor = (text: string) => parseAmount(text, exponent);
  const coupon = minor(line.applied_third_party_discount_amount);
  return coupon > 0n && minor(line.amount) - minor(line.applied_discount_amount) - coupon === minor(line.net_amount);
};

/** The problem of a sent discount that exceeds its base, or `null`. */
export const excessiveDiscount = ({ amount, discount, thirdPartyDiscount }: Sized) =>
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
 * The recorded credit line: product, customer and rows are the parent's.
 *
 * Inherited discounts are stored as if they had been sent, including zero. So posting a calculation or finalizing a draft
 * keeps these amounts, even if another share would be inherited then.
 */
export const creditLine = (
  line: SentLine,
  parent: LineItemResponse,
  sized: Sized,
  taken: Share,
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
    ...scaleCharge(parent, balance, taken, exponent),
    address_resolution: parent.address_resolution,
    applied_exemption: parent.applied_exemption,
  };
};
