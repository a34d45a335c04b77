import { metadataOf } from '../../calculations/echo.ts';
import type { LineItemRequest } from '../../calculations/request.ts';
import type { LineItemResponse } from '../../calculations/response.ts';
import { formatAmount } from '../../money/currency.ts';
import { decimal, multiply, rescale } from '../../money/decimal.ts';
import type { Balance, Share } from './counters.ts';
import { inheritedCoupon, inheritedDiscount, scaleCharge } from './scale.ts';

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
  const sent = (text: string | null | undefined) => (text ? rescale(decimal(text), exponent) : null);
  const discount = sent(line.discount_amount) ?? inheritedDiscount(balance, amount);
  const net = amount - discount;
  const thirdPartyDiscount = sent(line.third_party_discount_amount) ?? inheritedCoupon(balance, net);
  return { unitPrice, amount, discount, thirdPartyDiscount, net };
};

/** The problem of a sent discount that exceeds its base, or `null`. */
export const excessiveDiscount = ({ net, thirdPartyDiscount }: Sized) =>
  net < 0n ? 'discount_amount' : net < thirdPartyDiscount ? 'third_party_discount_amount' : null;

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
    discount_amount: line.discount_amount ?? discount,
    third_party_discount_amount: line.third_party_discount_amount ?? thirdPartyDiscount,
    customer: parent.customer,
    ship_from: parent.ship_from,
    fulfillment: parent.fulfillment,
    metadata: metadataOf(line.metadata),
    amount: formatAmount(sized.amount, exponent),
    applied_discount_amount: discount,
    applied_third_party_discount_amount: thirdPartyDiscount,
    net_amount: formatAmount(sized.net, exponent),
    ...scaleCharge(parent, balance, taken, exponent),
    address_resolution: parent.address_resolution,
    ...(parent.applied_exemption !== undefined && { applied_exemption: parent.applied_exemption }),
  };
};
