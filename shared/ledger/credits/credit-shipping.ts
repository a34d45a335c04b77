import { accept, type Result, refuse } from '../../base/result.ts';
import { mapShipping, shippingList, shippingPointer } from '../../calculations/charges.ts';
import { discountTooLarge } from '../../calculations/discount-problems.ts';
import type { ShippingRequest } from '../../calculations/request.ts';
import type { ShippingResponse } from '../../calculations/response.ts';
import { formatAmount } from '../../money/currency.ts';
import { decimal, rescale } from '../../money/decimal.ts';
import {
  type Balance,
  chargeAmounts,
  inheritedDiscount,
  moved,
  recordedTax,
  remainingShare,
  type Share,
  scaleCharge,
} from './arithmetic.ts';
import type { CreditContext } from './credit-request.ts';
import { overCredit, unknownShipping } from './problems.ts';
import { parentShipping, type Remaining } from './remaining.ts';

/** The amounts of a credited shipping charge before tax, in minor units. */
type Sized = { readonly amount: bigint; readonly discount: bigint; readonly net: bigint };

/** The recorded credit of a shipping charge: its id, code, places and rows are the parent's. */
export const creditShipping = (
  parent: ShippingResponse,
  { amount, discount, net }: Sized,
  taken: Share,
  balance: Balance,
  exponent: number,
  sent: Pick<ShippingRequest, 'amount' | 'discount_amount'> | null = null,
): ShippingResponse => {
  const write = (minor: bigint) => formatAmount(minor, exponent);
  const isDiscounted = /[1-9]/.test(parent.applied_discount_amount);
  return {
    ...parent,
    amount: sent?.amount ?? write(amount),
    discount_amount: sent?.discount_amount ?? (isDiscounted ? write(discount) : parent.discount_amount),
    applied_discount_amount: write(discount),
    net_amount: write(net),
    ...scaleCharge(parent, balance, taken, exponent),
  };
};

/**
 * Credit the sent shipping charges. A charge credits the one of the sale with its id, or the only one. Its discount is
 * the sale's pro rata unless sent. Refused: an unknown charge, and more than what remains of it.
 */
export const creditSentShipping = (
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
    if (net < 0n) return refuse(discountTooLarge(`${pointer}/discount_amount`, 'discount_amount'));
    const left = remainingShare(balance);
    if (net > left.net) return refuse(overCredit(left, parent.currency, `${pointer}/amount`, 'shipping'));
    const taken = { net, tax: recordedTax(net, balance) };
    const one = creditShipping(sold, { amount, discount, net }, taken, balance, exponent, charge);
    balances.set(sold.id, {
      whole: balance.whole,
      credited: moved(balance.credited, chargeAmounts(one, exponent), 1n),
    });
    credited.push(one);
  }
  return accept(mapShipping(request.shipping, (_, index) => credited[index] as ShippingResponse));
};
