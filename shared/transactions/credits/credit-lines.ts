import { metadataOf } from '../../calculations/echo.ts';
import type { LineItemRequest } from '../../calculations/request.ts';
import type { LineItemResponse } from '../../calculations/response.ts';
import { formatAmount, parseAmount } from '../../money/currency.ts';
import { decimal, divideHalfUp, multiply, rescale } from '../../money/decimal.ts';
import type { Share } from './remaining.ts';
import { recordedTax, scaleCharge } from './scale.ts';

/** How much of a line a credit's line takes, before its tax. */
export type Sized = {
  readonly unitPrice: string;
  readonly amount: bigint;
  readonly discount: bigint;
  readonly thirdPartyDiscount: bigint;
  readonly net: bigint;
};

/** Size a credit's line by its parent's: unit price and discounts (pro rata by amount) are inherited unless sent. */
export const sizeLine = (line: LineItemRequest, parent: LineItemResponse, exponent: number): Sized => {
  const unitPrice = line.unit_price ?? parent.unit_price;
  const amount = multiply(decimal(line.quantity), decimal(unitPrice), exponent);
  const whole = parseAmount(parent.amount, exponent);
  const inherited = (text: string) => (whole === 0n ? 0n : divideHalfUp(parseAmount(text, exponent) * amount, whole));
  const sent = (text: string | null | undefined, applied: string) =>
    text ? rescale(decimal(text), exponent) : inherited(applied);
  const discount = sent(line.discount_amount, parent.applied_discount_amount);
  const net = amount - discount;
  const coupon = sent(line.third_party_discount_amount, parent.applied_third_party_discount_amount);
  // Inherited ones are rounded each by itself, and may come out a cent over what is left to take them from.
  const thirdPartyDiscount = !line.third_party_discount_amount && 0n <= net && net < coupon ? net : coupon;
  return { unitPrice, amount, discount, thirdPartyDiscount, net };
};

/** The discount sent with a line that exceeds what it is taken from, or `null`. */
export const excessiveDiscount = ({ net, thirdPartyDiscount }: Sized) =>
  net < 0n ? 'discount_amount' : net < thirdPartyDiscount ? 'third_party_discount_amount' : null;

/** What a sized line takes of its parent's line: the net, and the recorded tax in proportion. */
export const shareOf = ({ net }: Sized, parent: LineItemResponse, left: Share, exponent: number): Share => ({
  net,
  tax: recordedTax(
    net,
    { net: parseAmount(parent.net_amount, exponent), tax: parseAmount(parent.tax_amount, exponent) },
    left,
  ),
});

/** A credit's line as it is recorded: product, customer and rows are the parent's. */
export const creditLine = (
  line: Pick<
    LineItemRequest,
    'description' | 'quantity' | 'discount_amount' | 'third_party_discount_amount' | 'metadata'
  >,
  id: string,
  parent: LineItemResponse,
  sized: Sized,
  taken: Share,
  left: Share,
  exponent: number,
): LineItemResponse => ({
  id,
  parent_line_item_id: parent.id,
  description: line.description ?? parent.description,
  product_tax_code: parent.product_tax_code,
  quantity: line.quantity,
  unit_price: sized.unitPrice,
  discount_amount: line.discount_amount ?? null,
  third_party_discount_amount: line.third_party_discount_amount ?? null,
  customer: parent.customer,
  ship_from: parent.ship_from,
  metadata: metadataOf(line.metadata),
  amount: formatAmount(sized.amount, exponent),
  applied_discount_amount: formatAmount(sized.discount, exponent),
  applied_third_party_discount_amount: formatAmount(sized.thirdPartyDiscount, exponent),
  net_amount: formatAmount(sized.net, exponent),
  ...scaleCharge(parent, parseAmount(parent.net_amount, exponent), { taken, left, exponent }),
  address_resolution: parent.address_resolution,
});
