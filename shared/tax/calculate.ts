import { assert } from '../base/assert.ts';
import { allocate, sum } from '../money/allocate.ts';
import { type Assessment, type Treatment, widestBase } from './assessment.ts';
import {
  isStateFee,
  type TaxDocument,
  type TaxedCharge,
  type TaxedDocument,
  type TaxLine,
  type TaxRow,
} from './document.ts';
import { type Charge, roundCharges } from './rounding.ts';
import { type Delivered, type Nets, type Sale, shipmentShares, toSale } from './sale.ts';
import { roundShippingWithGoods } from './shipping.ts';
import { chargeInclusive, type Extracted, extractSale } from './tax-included.ts';
import type { Treated } from './treatment.ts';
import { couponReducesPrice } from './uncertainties.ts';

/** A line or shipping charge before tax. */
type Discounted = { readonly discount: bigint; readonly thirdPartyDiscount: bigint; readonly net: bigint };

/**
 * Calculates the tax on a document. Pure and exact: the parts always add up to the totals.
 *
 * Seller discounts lower the base; third-party discounts lower it only if the state's rules say so. Each line is
 * assessed in every jurisdiction of its place, each shipping charge is allocated to the lines that it delivers, and the
 * tax is rounded once, as the state or the account requires.
 */
export const calculateTax = (document: TaxDocument): TaxedDocument => {
  const sale = toSale(document);
  const discounted = discountedCharges(document);
  const sent: Nets = sale.indexes.map((index) => (discounted[index] as Discounted).net);
  const extracted = document.taxIncluded ? extractSale(sale, sent) : onTop(sale, sent);
  const shares = shipmentShares(sale, extracted.nets);
  const taxed = new Array<TaxedCharge>(discounted.length);
  for (const [position, index] of sale.indexes.entries()) {
    const shipment = position - sale.goods.length;
    // A negative array index would be looked up slowly, as a property name.
    const shared = shipment < 0 ? null : (shares[shipment] ?? null);
    taxed[index] = taxedAt(sale, extracted, position, discounted[index] as Discounted, shared);
  }
  return { lines: taxed };
};

const inexactAt = ({ inexact }: Extracted, index: number): TaxedCharge['inexact'] =>
  inexact.length === 0 ? null : (inexact.find(({ charges }) => charges.includes(index)) ?? null);

/** Returns the amounts of the goods or shipment at a position. */
const taxedAt = (
  sale: Sale,
  extracted: Extracted,
  position: number,
  { discount, thirdPartyDiscount, net }: Discounted,
  shares: TaxedCharge['shares'],
): TaxedCharge => {
  const { assessments } = extracted.charges[position] as Charge;
  const own = extracted.taxes[position] as readonly bigint[];
  const goods = sale.goods[position]?.treated;
  const taxable = goods ? widestBase(assessments) : widestShippingBase(assessments);
  return {
    discount,
    thirdPartyDiscount,
    net,
    taxable,
    exempt: (extracted.nets[position] as bigint) - taxable,
    tax: sum(own),
    rows: buildRows(assessments, own),
    treatments: goods ? decided(goods, assessments) : shippingTreatments(sale, position),
    shares,
    inexact: inexactAt(extracted, sale.indexes[position] as number),
  };
};

/** Returns the taxable amount of shipping, which can have several rows per jurisdiction and go to several states. */
const widestShippingBase = (assessments: readonly Assessment[]): bigint => {
  const states = Map.groupBy(assessments, ({ treatment }) => treatment.state);
  const bases = [...states.values()].map((rows) => {
    const jurisdictions = Map.groupBy(rows, ({ treatment }) => treatment.jurisdiction.code);
    return [...jurisdictions.values()].map((parts) => sum(parts.map(({ taxable }) => taxable)));
  });
  return sum(bases.map((amounts) => amounts.reduce((left, right) => (left > right ? left : right))));
};

/**
 * Returns the treatments that a charge follows although its line does not report them, because the charge goes to a
 * different state.
 */
const followedElsewhere = (
  { goods }: Sale,
  { position, goods: followed, shipping }: Delivered,
): readonly Treatment[] => {
  const isReported = goods[position]?.treated.treatments[0]?.state === followed.treatments[0]?.state;
  return isReported
    ? []
    : followed.treatments.filter((_, index) => {
        const kind = shipping.treatments[index]?.effect.kind;
        return kind === 'follows_goods' || kind === 'any_taxable';
      });
};

const shippingTreatments = (sale: Sale, position: number): readonly Treatment[] => {
  const delivered = sale.shipments[position - sale.goods.length] as readonly Delivered[];
  return [
    ...new Set([
      ...delivered.flatMap(({ shipping }) => shipping.treatments),
      ...delivered.flatMap((one) => followedElsewhere(sale, one)),
    ]),
  ];
};

/** Calculates tax that is added to the prices. */
const onTop = (sale: Sale, nets: Nets): Extracted => {
  const { rounding } = sale.document;
  const charges = chargeInclusive(sale, nets);
  const separate = roundCharges(rounding, charges);
  const taxes =
    sale.shipments.length === 0 ? separate : roundShippingWithGoods(rounding, sale.goods.length, charges, separate);
  return { nets, charges, taxes, inexact: [] };
};

const overDiscounted = 'a discount exceeds the amount that it reduces';

/** Returns the lines, each less its discounts and its share of the document's discounts. */
const discountedCharges = (document: TaxDocument): Discounted[] => {
  const { lines, day } = document;
  const hasCoupons =
    document.thirdPartyDiscount > 0n || lines.some(({ thirdPartyDiscount }) => thirdPartyDiscount > 0n);
  if (!hasCoupons && document.discount === 0n)
    return lines.map(({ amount, discount, thirdPartyDiscount }) => {
      assert(amount >= discount, overDiscounted);
      return { discount, thirdPartyDiscount, net: amount - discount };
    });
  const isReduced = lines.map(({ place }) => hasCoupons && couponReducesPrice(place, day));
  const isShipping = (index: number) => lines[index]?.deliveries !== undefined;
  const isGoods = (index: number) => !isShipping(index) && !isStateFee((lines[index] as TaxLine).product);
  const nets = lines.map(
    ({ amount, discount, thirdPartyDiscount }, index) =>
      amount - discount - (isReduced[index] ? thirdPartyDiscount : 0n),
  );
  const unpaid = lines.map(({ amount, discount, thirdPartyDiscount }) => amount - discount - thirdPartyDiscount);
  // A coupon limits further discounts even if it does not reduce the net: no more than the unpaid amount is left.
  const discounts = document.discountsShipping
    ? discountsOfAll(document, nets, unpaid, isGoods, isShipping)
    : allocateTo(document.discount, nets, unpaid, isGoods);
  const left = unpaid.map((amount, index) => amount - (discounts[index] as bigint));
  const coupons = allocateTo(document.thirdPartyDiscount, left, left, isGoods);
  return lines.map(({ discount, thirdPartyDiscount }, index) => {
    const coupon = coupons[index] as bigint;
    const net = (nets[index] as bigint) - (discounts[index] as bigint) - (isReduced[index] ? coupon : 0n);
    assert(net >= 0n, overDiscounted);
    return { discount: discount + (discounts[index] as bigint), thirdPartyDiscount: thirdPartyDiscount + coupon, net };
  });
};

type Counts = (index: number) => boolean;

/** Splits a document discount between goods and shipping, and then within each. */
const discountsOfAll = (
  { discount, thirdPartyDiscount }: Pick<TaxDocument, 'discount' | 'thirdPartyDiscount'>,
  nets: readonly bigint[],
  unpaid: readonly bigint[],
  isGoods: Counts,
  isShipping: Counts,
): bigint[] => {
  const sumAmounts = (amounts: readonly bigint[]) =>
    [isGoods, isShipping].map((counts) => sum(amounts.filter((_, index) => counts(index)))) as [bigint, bigint];
  const [unpaidGoods, unpaidShipping] = sumAmounts(unpaid);
  // A document coupon applies only to goods.
  const parts = allocateWithin(discount, sumAmounts(nets), [unpaidGoods - thirdPartyDiscount, unpaidShipping]);
  const ofGoods = allocateTo(parts[0] as bigint, nets, unpaid, isGoods);
  const ofShipping = allocateTo(parts[1] as bigint, nets, unpaid, isShipping);
  return ofGoods.map((part, index) => part + (ofShipping[index] as bigint));
};

/**
 * Allocates a total over the amounts for which `counts` is true, each part limited by `most`. All other amounts get 0.
 */
const allocateTo = (total: bigint, amounts: readonly bigint[], most: readonly bigint[], counts: Counts): bigint[] => {
  const allocated = new Array<bigint>(amounts.length).fill(0n);
  const indexes = [...amounts.keys()].filter(counts);
  const at = (values: readonly bigint[]) => indexes.map((index) => values[index] as bigint);
  const parts = allocateWithin(total, at(amounts), at(most));
  for (const [position, index] of indexes.entries()) allocated[index] = parts[position] as bigint;
  return allocated;
};

/** Allocates a total in proportion to the amounts, each part limited by `most`. Any excess goes to the others. */
const allocateWithin = (total: bigint, amounts: readonly bigint[], most: readonly bigint[]): bigint[] => {
  if (total === 0n) return amounts.map(() => 0n);
  const parts = allocate(total, amounts);
  const isFull = parts.map((part, index) => part > (most[index] as bigint));
  if (!isFull.includes(true)) return parts;
  assert(isFull.includes(false), overDiscounted);
  const ofFull = sum(most.filter((_, index) => isFull[index]));
  const rest = amounts.map((amount, index) => (isFull[index] ? 0n : amount));
  const room = most.map((amount, index) => (isFull[index] ? 0n : amount));
  const others = allocateWithin(total - ofFull, rest, room);
  return most.map((amount, index) => (isFull[index] ? amount : (others[index] as bigint)));
};

// During a holiday, the price determines which rule applies, and therefore which uncertainties are reported.
const decided = ({ treatments, isHoliday }: Treated, assessments: readonly Assessment[]): readonly Treatment[] =>
  isHoliday ? assessments.map(({ treatment }) => treatment) : treatments;

// A jurisdiction that exists only for a band or a fee has a row only if it charges something or there is no other row.
const isShown = ({ treatment, taxable, exact }: Assessment): boolean =>
  !treatment.isAdditional || taxable !== 0n || exact !== 0n;

const buildRows = (assessments: readonly Assessment[], taxes: readonly bigint[]): TaxRow[] => {
  const rows = assessments.map(
    ({ treatment, rate, reason, taxable, exempt, exact }, index): TaxRow => ({
      jurisdiction: treatment.jurisdiction,
      sourcing: treatment.sourcing,
      rate: rate.text,
      grossedUp: rate.grossedUp ?? null,
      reason,
      ruleId: treatment.ruleId,
      taxable,
      exempt,
      exact,
      tax: taxes[index] as bigint,
    }),
  );
  const isAlone = assessments.length === 1;
  return isAlone || assessments.every(isShown)
    ? rows
    : rows.filter((_, index) => isShown(assessments[index] as Assessment));
};
