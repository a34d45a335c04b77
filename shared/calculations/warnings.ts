import { rescale } from '../money/decimal.ts';
import type { Treatment } from '../tax/assessment.ts';
import type { InexactGross, Place, TaxedCharge, TaxedDocument, TaxLine } from '../tax/document.ts';
import { timesQuantity } from '../tax/effects/base.ts';
import { hasGeneralExcise } from '../tax/general-excise.ts';
import { roundingUncertainties, uncertaintiesAboutCoupons } from '../tax/uncertainties.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import {
  placeUncertainties,
  resolutionWarnings,
  ruleAloneWarnings,
  uncertaintyWarnings,
  type WarningDays,
} from './address-warnings.ts';
import { isReduction, shippingPointer } from './charges.ts';
import type { ReadDocument } from './document.ts';
import type { Writer } from './figures.ts';
import type { LocatedLine } from './locate-lines.ts';
import { notPassedOnWarnings, otherPlaceWarnings, remoteWarnings } from './rate-warnings.ts';
import type { CalculationInput } from './request.ts';
import type { Warning } from './response.ts';

const notPaid = [
  ...['FOOD.DIETARY_SUPPLEMENTS', 'FOOD.CATERING', 'FOOD.FOOD_BUNDLE', 'FOOD.VENDING_FOOD'],
  ...['BEVERAGES.BEER', 'BEVERAGES.WINE', 'BEVERAGES.SPIRITS'],
];
/** Codes whose products SNAP benefits pay for in part. */
const partlyPaid: Readonly<Record<string, string>> = {
  'AGRICULTURE.SEED_FERTILIZER_FEED': 'seeds and plants that produce food',
  'FOOD.PREPARED_FOOD': 'cold food to take home',
};

// SNAP benefits pay for food and drinks for home consumption, except alcohol and hot food, and for seeds and plants that
// produce food (7 U.S.C. 2012(k)). Products with a supplement facts label are not food.
const isEligibleFood = ({ path, attributes }: ProductTaxCode): boolean =>
  (/^(FOOD|BEVERAGES)\./.test(path) || path in partlyPaid) &&
  !notPaid.includes(path) &&
  !['_HEATED', '_SUPPLEMENT_FACTS'].some((attribute) => attributes.includes(attribute));

/** Warns about a line sent as paid with SNAP benefits whose code is not eligible, or not certainly eligible. */
const benefitsWarnings = ({ product, place }: TaxLine, pointer: string): Warning[] => {
  const paid = partlyPaid[product.path];
  if (!isEligibleFood(product)) {
    const message = `${place.name}: SNAP benefits do not pay for ${product.canonical}, which has the exemption snap. Send the code of the food, or leave the exemption out.`;
    return [{ code: 'taxability_not_established', message, pointer }];
  }
  if (paid === undefined) return [];
  const message = `${place.name}: ${product.canonical} has the exemption snap. Assumed: ${paid}, because SNAP benefits do not pay for other products with this code.`;
  return [{ code: 'taxability_assumed', message, pointer }];
};

/**
 * Warns that an exemption (or `none`) sent with a shipping charge or a fee was not used, because the buyers of its line
 * items decide.
 */
const unusedExemptionWarnings = (
  { collectionExemption, deliveries = [], place }: TaxLine,
  { tax }: TaxedCharge,
  pointer: string,
): Warning[] => {
  const isExempt = (reason: TaxLine['collectionExemption']) => reason === 'customer_exempt';
  const isUsed = deliveries.every((one) => isExempt(one.collectionExemption) === isExempt(collectionExemption));
  if (isUsed || (isExempt(collectionExemption) && tax === 0n)) return [];
  const message = `${place.name}: the exemption of a charge is ignored, because the exemption of its line items applies. Send it with these line items.`;
  return [{ code: 'taxability_assumed', message, pointer }];
};

const treatmentWarnings = ({ treatments }: TaxedCharge, pointer: string): Warning[] =>
  treatments.flatMap(({ uncertainties }) => uncertaintyWarnings(uncertainties, pointer));

// Uncertainties about the place do not matter if no tax is collected from the buyer. They matter if the place has no
// tax.
const isTaxed = ({ treatments, rows }: TaxedCharge): boolean =>
  treatments.some(({ effect }) => effect.kind !== 'collection_exemption') ||
  rows.every(({ reason }) => reason === 'not_subject_to_tax');

// No certificate is needed if no tax is charged. An exempt product can have taxed shipping. `elsewhere` is the place of a
// charge with its own address.
const isCharged = (
  index: number,
  located: readonly LocatedLine[],
  { lines }: TaxedDocument,
  elsewhere: Place | undefined,
): boolean => {
  const codes = new Set((elsewhere ?? located[index]?.place)?.jurisdictions.map(({ code }) => code));
  const isInPlace = (charge: TaxedCharge) =>
    charge.rows.some(({ jurisdiction, tax }) => tax > 0n && codes.has(jurisdiction.code));
  if (elsewhere) return isInPlace(lines[index] as TaxedCharge);
  const deliveries = lines.filter(({ shares }) => shares?.some(({ line }) => line === index));
  return (lines[index]?.tax ?? 0n) > 0n || deliveries.some(isInPlace);
};

/** Warns that a shipping charge or a fee is sold without the goods whose taxability it would follow. */
const withoutGoodsWarnings = ({ treatments, taxable }: TaxedCharge, pointer: string): Warning[] => {
  const followed = treatments.find(({ effect: { kind } }) => kind === 'follows_goods' || kind === 'any_taxable');
  if (!followed || taxable === 0n) return [];
  const message = `${followed.jurisdiction.name} taxes this charge like its goods, but the document has no goods. Levy assumed taxable goods. Send the goods in the same document.`;
  return [{ code: 'taxability_not_established', message, pointer }];
};

/** Returns the pointer of a line of the tax document by its index. */
type GetPointer = (charge: number) => string;

/** Warns that the included tax is the gross minus the net, because no net plus its tax equals the gross. */
const inexactWarning = (
  { charges, gross, net, taxOfNet }: InexactGross,
  write: Writer,
  pointer: GetPointer,
): Warning => {
  const [first = 0] = charges;
  const together = charges.length > 1 ? ` of ${charges.length} charges together` : '';
  return {
    code: 'tax_included_not_exact',
    message: `No net amount plus its tax equals the gross amount of ${write(gross)}${together}. The tax on a net amount of ${write(net)} would be ${write(taxOfNet)}; the tax charged is the difference, ${write(gross - net)}.`,
    pointer: pointer(first),
  };
};

const isFeeAlone = ({ rows }: TaxedCharge): boolean =>
  rows.every(({ jurisdiction }) => jurisdiction.tax_type === 'fee');

/** Warns about a charge whose whole gross amount is its share of the invoice's included tax. */
const baselessWarnings = ({ lines }: TaxedDocument, write: Writer, pointer: GetPointer): Warning[] =>
  lines.flatMap((charge, index) => {
    const { tax, taxable, exempt, inexact } = charge;
    if (tax === 0n || taxable + exempt > 0n || inexact || isFeeAlone(charge)) return [];
    const message = `The whole gross amount of ${write(tax)} is tax: included tax is rounded once for the invoice, which leaves no net amount.`;
    return [{ code: 'tax_included_not_exact', message, pointer: pointer(index) }];
  });

type Read = Pick<ReadDocument, 'document' | 'located' | 'places' | 'exemptions' | 'certificateWarnings'>;

/**
 * Returns warnings about the places of a document: once for the lines of one place, and about its uncertainties if a
 * line is taxed.
 */
const placeWarnings = ({ located, places }: Read, { lines }: TaxedDocument, days: WarningDays): Warning[] => {
  const reported = new Set<LocatedLine['decisive']>();
  const uncertain = new Set<LocatedLine['decisive']>();
  const warnings: Warning[] = [];
  for (const [index, place] of places.entries()) {
    const { decisive } = place;
    if (uncertain.has(decisive)) continue;
    if (!reported.has(decisive)) warnings.push(...resolutionWarnings(place, days));
    reported.add(decisive);
    const line = index < located.length ? lines[index] : undefined;
    if (line && !isTaxed(line)) continue;
    uncertain.add(decisive);
    warnings.push(...placeUncertainties(place, days), ...ruleAloneWarnings(place));
  }
  return warnings;
};

const hasItemCap = ({ effect }: Treatment): boolean => effect.itemCap !== undefined;

/** Warns if the sum of units exceeds a limit per item, but no unit does: the units of a set may count as one item. */
const setWarnings = (
  { lines, exponent }: ReadDocument['document'],
  taxed: TaxedDocument,
  write: Writer,
  pointer: GetPointer,
): Warning[] => {
  const totals = new Map<Place, bigint>();
  return taxed.lines.flatMap(({ net, treatments }, index): Warning[] => {
    const cap = treatments.find(hasItemCap)?.effect.itemCap;
    if (!cap || net <= 0n) return [];
    const line = lines[index] as TaxLine;
    const { place } = line;
    const limit = rescale(cap, exponent);
    const total = (totals.get(place) ?? 0n) + net;
    totals.set(place, total);
    if (total <= limit || (total === net && timesQuantity(cap, line, exponent) <= limit)) return [];
    const message = `${place.name}: local taxes are due on the first ${write(limit)} of an item. Assumed: these units are not one item sold as a set.`;
    return [{ code: 'taxability_assumed', message, pointer: pointer(index) }];
  });
};

/** Warns of assumptions that matter only to units above an amount. */
const largeUnitWarnings = (
  { taxable, treatments }: TaxedCharge,
  line: TaxLine,
  exponent: number,
  pointer: string,
): Warning[] =>
  treatments.flatMap(({ aboveAmount }) =>
    aboveAmount && taxable > timesQuantity(aboveAmount.amount, line, exponent)
      ? uncertaintyWarnings(aboveAmount.uncertainties, pointer)
      : [],
  );

/** Warns about the state's treatment of a third-party discount if the line is taxed. */
const couponWarnings = ({ place }: TaxLine, line: TaxedCharge, day: string, pointer: string): Warning[] =>
  isTaxed(line) && (line.taxable > 0n || line.net === 0n)
    ? uncertaintyWarnings(uncertaintiesAboutCoupons(place, day), pointer)
    : [];

/**
 * Returns the warnings of a calculation at the current time. Each message is returned once, at the first place that it
 * applies to.
 */
export const listWarnings = (
  input: CalculationInput,
  read: Read,
  taxed: TaxedDocument,
  nowMs: number,
  write: Writer,
): Warning[] => {
  const { document, located, certificateWarnings } = read;
  const seen = new Map<string, Warning>();
  const add = (warnings: readonly Warning[]) => {
    for (const warning of warnings) if (!seen.has(warning.message)) seen.set(warning.message, warning);
  };
  const { lineItems } = document;
  const lines = taxed.lines.slice(0, lineItems);
  const pointerTo: GetPointer = (charge) =>
    charge < lineItems ? `/line_items/${charge}` : shippingPointer(input.shipping, charge - lineItems);
  const uncoded = (input.line_items ?? []).findIndex(
    ({ product_tax_code, unit_price }) => !product_tax_code && !isReduction(unit_price),
  );
  if (uncoded >= 0) add([codeMissing(pointerTo(uncoded))]);
  add(placeWarnings(read, taxed, { day: document.day, nowMs }));
  const treated = new Set<readonly Treatment[]>();
  for (const [index, line] of lines.entries()) {
    const sold = document.lines[index] as TaxLine;
    const isReducing = sold.amount < 0n;
    if (isReducing) continue;
    const pointer = pointerTo(index);
    if (!treated.has(line.treatments)) add(treatmentWarnings(line, pointer));
    treated.add(line.treatments);
    add(largeUnitWarnings(line, sold, document.exponent, pointer));
    if (!line.shares) add(withoutGoodsWarnings(line, pointer));
  }
  add(otherPlaceWarnings(read, taxed, pointerTo));
  for (const [index, line] of lines.entries())
    if (line.thirdPartyDiscount > 0n)
      add(couponWarnings(document.lines[index] as TaxLine, line, document.day, pointerTo(index)));
  for (const { line, place, warning } of certificateWarnings)
    if (line === null || isCharged(line, located, taxed, place)) add([warning]);
  const exemptionPointer = (index: number) => `${pointerTo(index)}/customer/exemption`;
  for (const [index, exemption] of read.exemptions.entries())
    if (exemption?.reason === 'snap') add(benefitsWarnings(document.lines[index] as TaxLine, exemptionPointer(index)));
  for (const [index, line] of lines.entries())
    if (input.line_items?.[index]?.customer?.exemption)
      add(unusedExemptionWarnings(document.lines[index] as TaxLine, line, exemptionPointer(index)));
  for (const [index, charge] of taxed.lines.slice(lineItems).entries())
    add(treatmentWarnings(charge, pointerTo(lineItems + index)));
  for (const inexact of new Set(taxed.lines.map((charge) => charge.inexact)))
    if (inexact) add([inexactWarning(inexact, write, pointerTo)]);
  if (document.taxIncluded) add(baselessWarnings(taxed, write, pointerTo));
  if (taxed.lines.some(({ treatments }) => treatments.some(hasItemCap)))
    add(setWarnings(document, taxed, write, pointerTo));
  if (read.places.some(({ place }) => hasGeneralExcise(place.jurisdictions)))
    add(notPassedOnWarnings(document, taxed, pointerTo));
  if (read.places.some(({ remote }) => remote)) add(remoteWarnings(document, read.places, taxed, pointerTo));
  for (const { uncertainty, charge } of roundingUncertainties(document, taxed))
    add(uncertaintyWarnings([uncertainty], pointerTo(charge)));
  return [...seen.values()];
};

const codeMissing = (pointer: string): Warning => ({
  code: 'product_tax_code_missing',
  message: 'No `product_tax_code`: taxed as general tangible goods.',
  pointer,
});
