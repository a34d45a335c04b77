import type { TaxDocument, TaxedDocument, TaxedLine, TaxedShipping, TaxLine } from '../../tax/document.ts';
import { shareShipping } from '../../tax/shipping-shares.ts';
import type { Writer } from '../figures.ts';
import type { ExplanationStep } from '../response.ts';
import { decimalText, listed, step } from './step.ts';

/** What a charge is taxed on, without the tax that was included. */
const baseOf = ({ taxable, exempt }: TaxedShipping): bigint => taxable + exempt;

/** How the tax was taken out of a charge: by itself, with others of its invoice, or as what no net leaves. */
const extracted = (gross: bigint, taxed: TaxedShipping, { rounding }: TaxDocument, write: Writer): string => {
  const { inexact: gap, treatments } = taxed;
  const begins = ` Tax is included: of ${write(gross)} the tax is taken out, and ${write(baseOf(taxed))} is left`;
  const isOnInvoice = rounding === 'invoice' || treatments.some(({ rounding: { method } }) => method === 'bracket');
  if (!gap)
    return isOnInvoice
      ? `${begins}, which with its share of the tax of the invoice gives the gross again.`
      : `${begins}, whose own tax gives the gross again.`;
  const among = gap.charges.length > 1 ? 'the gross of its invoice' : 'the gross';
  return `${begins}. No net was found that gives ${among}, ${write(gap.gross)}, exactly: of ${write(gap.net)} the tax is ${write(gap.taxOfNet)}. The tax is what is left of the gross instead, ${write(gap.gross - gap.net)}.`;
};

/** What a line is taxed on, where that is not its amount: discounts, and the tax that is included. */
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
      ? `, less the seller's discounts of ${write(taxed.discount)}${shared > 0n ? ` (${write(shared)} of them a share of the document's)` : ''}, is ${write(gross)}.`
      : '.';
  const coupon =
    taxed.thirdPartyDiscount > 0n
      ? ` A third party pays for ${write(taxed.thirdPartyDiscount)} of discounts, which do not lower it.`
      : '';
  const included = document.taxIncluded ? extracted(gross, taxed, document, write) : '';
  return [step('base', pointer, `${own}${discount}${coupon}${included}`)];
};

const namedMax = 10;

const isFee = ({ treatments }: TaxedLine): boolean => treatments.some(({ effect }) => effect.type === 'flat_fee');

/** Each line's share of the charge for shipping, as it was taxed. */
export const sharesOf = ({ lines, shipping }: TaxedDocument): bigint[] =>
  shareShipping(shipping ? baseOf(shipping) : 0n, lines.map(baseOf), (index) => isFee(lines[index] as TaxedLine));

/** How the charge for shipping is shared over the lines, and what of it is taxed. */
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
  return [step('base', '/shipping', `Shipping of ${write(amount)} goes to ${among}${parts}.${included}`)];
};
