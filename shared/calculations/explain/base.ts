import { allocate } from '../../money/allocate.ts';
import type { TaxDocument, TaxedDocument, TaxedLine, TaxedShipping, TaxLine } from '../../tax/document.ts';
import type { Writer } from '../figures.ts';
import type { ExplanationStep } from '../response.ts';
import { decimalText, listed, step } from './step.ts';

/** What a charge is taxed on, without the tax that was included. */
const baseOf = ({ taxable, exempt }: TaxedShipping): bigint => taxable + exempt;

const extracted = (gross: bigint, net: bigint, write: Writer): string =>
  ` Tax is included: of ${write(gross)} the tax is taken out, and ${write(net)} is left, whose own tax gives the gross again.`;

/** What a line is taxed on, where that is not its amount: discounts, and the tax that is included. */
export const lineBaseSteps = (
  line: TaxLine,
  taxed: TaxedLine,
  { taxIncluded }: TaxDocument,
  pointer: string,
  write: Writer,
): ExplanationStep[] => {
  const isDiscounted = taxed.discount > 0n || taxed.thirdPartyDiscount > 0n;
  if (!isDiscounted && !taxIncluded) return [];
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
  const included = taxIncluded ? extracted(gross, baseOf(taxed), write) : '';
  return [step('base', pointer, `${own}${discount}${coupon}${included}`)];
};

const namedMax = 10;

// A fee is not shipped, unless there is nothing else.
const isFee = ({ treatments }: TaxedLine): boolean => treatments.some(({ effect }) => effect.type === 'flat_fee');

/** Each line's share of the charge for shipping: by net amount, equally where all are zero. */
export const sharesOf = ({ lines, shipping }: TaxedDocument): bigint[] => {
  const carriers = lines.some((line) => !isFee(line)) ? lines.filter((line) => !isFee(line)) : lines;
  const parts = allocate(shipping ? baseOf(shipping) : 0n, carriers.map(baseOf));
  return lines.map((line) => parts[carriers.indexOf(line)] ?? 0n);
};

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
  const included = document.taxIncluded ? extracted(amount, baseOf(shipping), write) : '';
  return [step('base', '/shipping', `Shipping of ${write(amount)} goes to ${among}${parts}.${included}`)];
};
