import { decimalText } from '../../money/decimal.ts';
import type { TaxDocument, TaxedDocument, TaxedLine, TaxedShipping, TaxLine } from '../../tax/document.ts';
import { shareShipping } from '../../tax/shipping.ts';
import type { Writer } from '../figures.ts';
import type { ExplanationStep } from '../response.ts';
import { listed, step } from './step.ts';

/** The amount of a charge without included tax. */
const baseOf = ({ taxable, exempt }: TaxedShipping): bigint => taxable + exempt;

/** How included tax was extracted: from the charge alone, from its invoice, or as the difference to the gross. */
const extracted = (gross: bigint, taxed: TaxedShipping, { rounding }: TaxDocument, write: Writer): string => {
  const { inexact: gap, treatments } = taxed;
  const begins = ` Tax is included: ${write(gross)} less its tax is ${write(baseOf(taxed))}`;
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
  taxed: TaxedLine,
  document: TaxDocument,
  pointer: string,
  write: Writer,
): ExplanationStep[] => {
  const isDiscounted = taxed.discount > 0n || taxed.thirdPartyDiscount > 0n;
  if (!isDiscounted && !document.taxIncluded) return [];
  const gross = line.amount - taxed.discount;
  const own = `${decimalText(line.quantity)} for ${write(line.amount)}`;
  const shared = taxed.discount - line.discount;
  const discount =
    taxed.discount > 0n
      ? `, less the seller's discounts of ${write(taxed.discount)}${shared > 0n ? ` (${write(shared)} of it the line's share of the document's discount)` : ''}, is ${write(gross)}.`
      : '.';
  const coupon =
    taxed.thirdPartyDiscount > 0n
      ? ` Third-party discounts of ${write(taxed.thirdPartyDiscount)} do not lower it.`
      : '';
  const included = document.taxIncluded ? extracted(gross, taxed, document, write) : '';
  return [step('base', pointer, `${own}${discount}${coupon}${included}`)];
};

const namedMax = 10;

const isFee = ({ treatments }: TaxedLine): boolean => treatments.some(({ effect }) => effect.kind === 'flat_fee');

/** Each line's share of the shipping. */
export const sharesOf = ({ lines, shipping }: TaxedDocument): bigint[] =>
  shareShipping(shipping ? baseOf(shipping) : 0n, lines.map(baseOf), (index) => isFee(lines[index] as TaxedLine));

/** How the shipping is allocated to the lines. */
export const shippingBaseSteps = (
  document: TaxDocument,
  taxed: TaxedDocument,
  ids: readonly string[],
  write: Writer,
): ExplanationStep[] => {
  const { lines, shipping } = taxed;
  if (!document.shipping || !shipping) return [];
  const { amount } = document.shipping;
  const shares = sharesOf(taxed);
  const isEqual = lines.every((line) => baseOf(line) === 0n);
  const parts =
    lines.length > 1 && lines.length <= namedMax
      ? `: ${listed(shares.map((share, index) => `${ids[index]} ${write(share)}`))}`
      : '';
  const among = lines.length > 1 ? `${lines.length} lines ${isEqual ? 'equally' : 'by net amount'}` : 'the one line';
  const included = document.taxIncluded ? extracted(amount, shipping, document, write) : '';
  return [step('base', '/shipping', `Shipping of ${write(amount)} is allocated to ${among}${parts}.${included}`)];
};
