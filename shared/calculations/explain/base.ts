import { decimalText } from '../../money/decimal.ts';
import { couponReducesPrice } from '../../tax/coupons.ts';
import type { TaxDocument, TaxedCharge, TaxedDocument, TaxLine } from '../../tax/document.ts';
import type { Writer } from '../figures.ts';
import type { ExplanationStep } from '../response.ts';
import { listed, namedMax, step } from './step.ts';

/** The amount of a charge without included tax. */
const chargeBase = ({ taxable, exempt }: TaxedCharge): bigint => taxable + exempt;

/** How included tax was extracted: from the charge alone, from its invoice, or as the difference to the gross. */
const extracted = (gross: bigint, taxed: TaxedCharge, { rounding }: TaxDocument, write: Writer): string => {
  const { inexact: gap, treatments } = taxed;
  const begins = ` Tax is included: ${write(gross)} less its tax is ${write(chargeBase(taxed))}`;
  const isOnInvoice = rounding === 'invoice' || treatments.some(({ rounding: { method } }) => method === 'bracket');
  if (!gap)
    return isOnInvoice
      ? `${begins}. With its share of the invoice's tax, that is the gross.`
      : `${begins}. With its tax, that is the gross.`;
  const among = gap.charges.length > 1 ? 'the gross of its invoice' : 'the gross';
  return `${begins}. No net plus its tax is exactly ${among}, ${write(gap.gross)}: the tax on ${write(gap.net)} is ${write(gap.taxOfNet)}. The tax is the difference to the gross instead, ${write(gap.gross - gap.net)}.`;
};

/** The base of a line where it differs from its amount: discounts and included tax. */
export const lineBaseSteps = (
  line: TaxLine,
  taxed: TaxedCharge,
  document: TaxDocument,
  pointer: string,
  write: Writer,
): ExplanationStep[] => {
  const isDiscounted = taxed.discount > 0n || taxed.thirdPartyDiscount > 0n;
  if (!isDiscounted && !document.taxIncluded) return [];
  const sold = line.amount - taxed.discount;
  const isReduced = taxed.thirdPartyDiscount > 0n && couponReducesPrice(line.place, document.day);
  const gross = isReduced ? sold - taxed.thirdPartyDiscount : sold;
  const own = `${decimalText(line.quantity)} for ${write(line.amount)}`;
  const shared = taxed.discount - line.discount;
  const discount =
    taxed.discount > 0n
      ? `, less the seller's discounts of ${write(taxed.discount)}${shared > 0n ? ` (${write(shared)} of it the line's share of the document's discount)` : ''}, is ${write(sold)}.`
      : '.';
  const coupon =
    taxed.thirdPartyDiscount > 0n
      ? ` Third-party discounts of ${write(taxed.thirdPartyDiscount)} ${isReduced ? `lower it to ${write(gross)}` : 'do not lower it'}.`
      : '';
  const included = document.taxIncluded ? extracted(gross, taxed, document, write) : '';
  return [step('base', pointer, `${own}${discount}${coupon}${included}`)];
};

/** Each line's share of all shipping. */
export const listShares = ({ lines, shipping }: TaxedDocument): readonly bigint[] => {
  const shares = new Array<bigint>(lines.length).fill(0n);
  for (const charge of [...lines, ...shipping])
    for (const { line, amount } of charge.shares ?? []) shares[line] = (shares[line] as bigint) + amount;
  return shares;
};

/** A charge before and after tax. `isShipping` is false for a fee of the seller. */
type ShippingAmount = { readonly amount: bigint; readonly taxed: TaxedCharge; readonly isShipping: boolean };

/** How a shipping charge is allocated to the lines that it delivers. */
export const shippingBaseStep = (
  { amount, taxed, isShipping }: ShippingAmount,
  {
    document,
    lines,
    ids,
  }: { readonly document: TaxDocument; readonly lines: readonly TaxedCharge[]; readonly ids: readonly string[] },
  pointer: string,
  write: Writer,
): ExplanationStep => {
  const shares = taxed.shares ?? [];
  const isEqual = shares.every(({ line }) => chargeBase(lines[line] as TaxedCharge) === 0n);
  const isAll = shares.length === lines.length;
  const parts =
    shares.length > 1 && shares.length <= namedMax
      ? `: ${listed(shares.map((share) => `${ids[share.line]} ${write(share.amount)}`))}`
      : '';
  const [name, belongs] = isShipping ? ['Shipping', 'it delivers'] : ['The charge', 'it is for'];
  const only = isAll ? 'the one line' : `${ids[shares[0]?.line ?? 0]}, the line that ${belongs}`;
  const among =
    shares.length > 1
      ? `${isAll ? '' : 'the '}${shares.length} lines ${isAll ? '' : `that ${belongs} `}${isEqual ? 'equally' : 'by net amount'}`
      : only;
  const gross = amount - taxed.discount;
  const less = taxed.discount > 0n ? `, less discounts of ${write(taxed.discount)}, is ${write(gross)}. It` : '';
  const included = document.taxIncluded ? extracted(gross, taxed, document, write) : '';
  return step('base', pointer, `${name} of ${write(amount)}${less} is allocated to ${among}${parts}.${included}`);
};
