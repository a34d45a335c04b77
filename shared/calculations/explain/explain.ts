import type { Release } from '../../catalog/release.ts';
import { decimalText } from '../../money/decimal.ts';
import {
  isShippingCharge,
  type TaxDocument,
  type TaxedCharge,
  type TaxedDocument,
  type TaxLine,
} from '../../tax/document.ts';
import { couponReducesPrice } from '../../tax/uncertainties.ts';
import { shippingPointer } from '../charges.ts';
import type { ReadDocument } from '../document.ts';
import { documentIds } from '../echo.ts';
import type { Writer } from '../figures.ts';
import type { LocatedLine } from '../locate-lines.ts';
import type { CalculationInput } from '../request.ts';
import type { ExplanationStep } from '../response.ts';
import { placeSteps } from './place.ts';
import { type Charge, type Invoices, releaseFinder, roundedInvoices, roundedParts, roundingStep } from './rounding.ts';
import { type Goods, rowSteps } from './row.ts';
import { listed, namedMax, step } from './step.ts';

/** The amount of a charge without included tax. */
const chargeBase = ({ taxable, exempt }: TaxedCharge): bigint => taxable + exempt;

/** How included tax was extracted: from the charge alone, from its invoice, or as the difference from the gross. */
const extracted = (gross: bigint, taxed: TaxedCharge, { rounding }: TaxDocument, write: Writer): string => {
  const { inexact: gap, treatments } = taxed;
  const begins = ` Tax is included: ${write(gross)} less its tax is ${write(chargeBase(taxed))}`;
  const isOnInvoice = rounding === 'invoice' || treatments.some(({ rounding: { method } }) => method === 'bracket');
  if (!gap)
    return isOnInvoice
      ? `${begins}. Together with its share of the invoice's tax, this equals the gross amount.`
      : `${begins}. Together with its tax, this equals the gross amount.`;
  const among = gap.charges.length > 1 ? 'the gross of its invoice' : 'the gross';
  return `${begins}. No net amount plus its tax equals ${among}, ${write(gap.gross)}: the tax on ${write(gap.net)} is ${write(gap.taxOfNet)}. The tax is instead the difference between gross and net, ${write(gap.gross - gap.net)}.`;
};

/** Explains the base of a line if it differs from its amount: discounts and included tax. */
const lineBaseSteps = (
  line: TaxLine,
  taxed: TaxedCharge,
  { document, write }: Explained,
  pointer: string,
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

/** Returns each line's share of all shipping. */
const listShares = ({ lines }: TaxedDocument): readonly bigint[] => {
  const shares = new Array<bigint>(lines.length).fill(0n);
  for (const charge of lines)
    for (const { line, amount } of charge.shares ?? []) shares[line] = (shares[line] as bigint) + amount;
  return shares;
};

/** Explains how a shipping charge is allocated to the lines that it delivers. */
const shippingBaseStep = (
  { product, amount }: TaxLine,
  taxed: TaxedCharge,
  { document, taxed: { lines }, ids, write }: Explained,
  pointer: string,
): ExplanationStep => {
  const shares = taxed.shares ?? [];
  const isEqual = shares.every(({ line }) => chargeBase(lines[line] as TaxedCharge) === 0n);
  const isAll = shares.length === document.lineItems;
  const parts =
    shares.length > 1 && shares.length <= namedMax
      ? `: ${listed(shares.map((share) => `${ids[share.line]} ${write(share.amount)}`))}`
      : '';
  const [name, belongs] = isShippingCharge(product) ? ['Shipping', 'it delivers'] : ['The charge', 'it is for'];
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

/** A calculation, from the request to the amounts. */
type Calculated = {
  readonly input: CalculationInput;
  readonly read: Pick<ReadDocument, 'document' | 'located' | 'exemptions'>;
  readonly taxed: TaxedDocument;
  readonly write: Writer;
};

/** A calculation, with the data that all of its charges share. */
type Explained = Omit<Calculated, 'read'> &
  Calculated['read'] & {
    /** The parts of each charge that are rounded together. */
    readonly parts: ReturnType<typeof roundedParts>;
    readonly charges: readonly Charge[];
    readonly findRelease: ReturnType<typeof releaseFinder>;
    readonly invoices: Invoices;
    readonly ids: readonly string[];
    /** The share of each line in all shipping. */
    readonly shares: readonly bigint[];
  };

/** Returns why the buyer of a line is exempt, as a clause; `null` if no exemption applies. */
const describeExemption = (index: number, { input, exemptions, document }: Explained): string | null => {
  const applied = exemptions[index];
  if (!applied) return null;
  const { customer_id: id, reason, certificate_number: number } = applied;
  if (reason === 'snap') return 'SNAP benefits pay for the goods (7 U.S.C. 2013(a))';
  const holder = input.line_items?.[index]?.customer?.exemption ? 'the line' : 'the document';
  const certificate =
    id === null
      ? `the ${reason} certificate of ${holder}`
      : `the ${reason} certificate ${number === null ? '' : `${number} `}of customer ${id}`;
  return `${certificate} is valid on ${document.day}`;
};

/** Returns a function that returns the price of all goods to which a rule of the release's state applies. */
const sumGoodsIn =
  (release: Release | null, { document, taxed }: Explained) =>
  (ruleId: string): bigint =>
    document.lines.reduce((sum, { place, deliveries }, index) => {
      const charge = taxed.lines[index] as TaxedCharge;
      const isInState = !deliveries && place.release?.state === release?.state;
      return isInState && charge.rows.some((row) => row.ruleId === ruleId) ? sum + chargeBase(charge) : sum;
    }, 0n);

const lineGoods = (line: TaxLine, index: number, explained: Explained): Goods => ({
  product: line.product,
  use: line.use,
  quantity: line.quantity,
  exemption: describeExemption(index, explained),
  day: explained.document.day,
  release: line.place.release,
  treatments: explained.taxed.lines[index]?.treatments ?? [],
  shipping: explained.shares[index] ?? 0n,
  sumGoods: sumGoodsIn(line.place.release, explained),
});

const goodsSteps = (line: TaxLine, index: number, explained: Explained): ExplanationStep[] => {
  const { document, taxed, write, parts } = explained;
  const pointer = `/line_items/${index}`;
  const goods = lineGoods(line, index, explained);
  const figures = taxed.lines[index] as TaxedDocument['lines'][number];
  return [
    ...lineBaseSteps(line, figures, explained, pointer),
    ...figures.rows.flatMap((row) => rowSteps(row, goods, document.exponent, pointer, write)),
    ...(parts[index] ?? []).map((charge) => roundingStep(charge, explained, pointer)),
  ];
};

const oneUnit = { units: 1n, scale: 0 };

/** Returns why the shipping into a state is exempt: the reason of the first exempt line there. */
const shippingExemption = (release: Release | null, explained: Explained): string | null => {
  const { document, exemptions } = explained;
  const index = document.lines.findIndex(({ place }, at) => place.release === release && exemptions[at]);
  return describeExemption(index, explained);
};

/** Explains a shipping charge, which can go to several states: each row has the release of its state. */
const shippingSteps = (line: TaxLine, index: number, pointer: string, explained: Explained): ExplanationStep[] => {
  const { document, taxed, write, parts, findRelease } = explained;
  const figures = taxed.lines[index] as TaxedCharge;
  const goods = (release: Release | null): Goods => ({
    product: line.product,
    use: line.use,
    quantity: oneUnit,
    exemption: shippingExemption(release, explained),
    day: document.day,
    release,
    treatments: figures.treatments,
    shipping: 0n,
    sumGoods: sumGoodsIn(release, explained),
  });
  return [
    shippingBaseStep(line, figures, explained, pointer),
    ...(parts[index] ?? []).flatMap((charge) => [
      ...charge.rows.flatMap((row) => rowSteps(row, goods(findRelease(row)), document.exponent, pointer, write)),
      roundingStep(charge, explained, pointer),
    ]),
  ];
};

const reductionText = ({ amount }: TaxLine, { write }: Explained): string =>
  `The negative price is a discount of ${write(-amount)} on other charges. The line itself has no tax.`;

const lineSteps = (line: TaxLine, index: number, explained: Explained): ExplanationStep[] => {
  const pointer = `/line_items/${index}`;
  const place = placeSteps(explained.located[index] as LocatedLine, explained.document.day, pointer);
  if (line.amount < 0n) return [step('base', pointer, reductionText(line, explained))];
  return line.deliveries
    ? shippingSteps(line, index, pointer, explained)
    : [...place, ...goodsSteps(line, index, explained)];
};

// Lambda limits a response to 6 MB, as JSON in JSON. Without steps, 1,000 lines in seven jurisdictions are 4 MB.
const stepBytesMax = 1_200_000;
const stepBytes = (one: ExplanationStep): number => Buffer.byteLength(JSON.stringify(JSON.stringify(one)));

const leftOut = (index: number, count: number): ExplanationStep =>
  step(
    'base',
    `/line_items/${index}`,
    `The steps of the last ${count - index} lines are left out, because the response would be too large. Calculate these lines in a separate request.`,
  );

/**
 * Explains how the tax of each line and of the shipping was calculated, as sentences with exact amounts: the address
 * (once for lines that share it), its jurisdictions, the base, each jurisdiction's rule and rate, the rounding. Each
 * step has its rule and citation. After 1.2 MB of steps, one step counts the remaining lines.
 */
export const explain = ({ read, ...calculated }: Calculated): ExplanationStep[] => {
  const { input, taxed } = calculated;
  const { lines, lineItems, day } = read.document;
  const parts = roundedParts(read.document, taxed);
  const charges = parts.flat();
  const explained: Explained = {
    ...calculated,
    ...read,
    parts,
    charges,
    findRelease: releaseFinder(read.document),
    invoices: roundedInvoices(charges, day),
    ids: documentIds(input).lines,
    shares: listShares(taxed),
  };
  const reported = new Set<string>();
  const steps: ExplanationStep[] = [];
  let bytes = 0;
  for (const [index, line] of lines.slice(0, lineItems).entries()) {
    if (bytes >= stepBytesMax) {
      steps.push(leftOut(index, lineItems));
      break;
    }
    for (const one of lineSteps(line, index, explained)) {
      // Lines that share the document's address would repeat its step.
      const address = one.step === 'address' ? `${one.pointer} ${one.text}` : null;
      if (address !== null && reported.has(address)) continue;
      if (address !== null) reported.add(address);
      steps.push(one);
      bytes += stepBytes(one);
    }
  }
  const explainShipping = (charge: TaxLine, index: number) =>
    shippingSteps(charge, lineItems + index, shippingPointer(input.shipping, index), explained);
  return [...steps, ...lines.slice(lineItems).flatMap(explainShipping)];
};
