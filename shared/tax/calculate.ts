import { assert } from '../assert.ts';
import { allocate } from '../money/allocate.ts';
import type { Assessment, Treatment } from './assessment.ts';
import type { TaxDocument, TaxedCharge, TaxedDocument, TaxRow } from './document.ts';
import { type Charge, roundCharges } from './round-charges.ts';
import { type Nets, type Sale, saleOf, shipmentShares } from './sale.ts';
import { roundShippingWithGoods } from './shipping-with-goods.ts';
import { chargesOf, type Extracted, extractSale } from './tax-included.ts';
import { sum, widestBase, widestShippingBase } from './widest-base.ts';

/** A charge of the document before tax. */
type Discounted = { readonly discount: bigint; readonly thirdPartyDiscount: bigint; readonly net: bigint };

/**
 * Calculate the tax of a document. Pure and exact: the parts always sum to the totals.
 *
 * Seller discounts lower the base, third-party discounts do not. Each line is assessed in every jurisdiction of its place,
 * each shipping charge is allocated to the lines that it delivers, and the tax is rounded once by the rule of the state or
 * the account.
 */
export const calculateTax = (document: TaxDocument): TaxedDocument => {
  const sale = saleOf(document);
  const discounted = discountedCharges(document);
  const sent: Nets = sale.indexes.map((index) => (discounted[index] as Discounted).net);
  const extracted = document.taxIncluded ? extractSale(sale, sent) : onTop(sale, sent);
  const shares = shipmentShares(sale, extracted.nets);
  const taxed = new Array<TaxedCharge>(discounted.length);
  for (const [position, index] of sale.indexes.entries())
    taxed[index] = {
      ...(discounted[index] as Discounted),
      ...figuresAt(sale, extracted, position),
      shares: shares[position - sale.goods.length] ?? null,
      inexact: extracted.inexact.find(({ charges }) => charges.includes(index)) ?? null,
    };
  return { lines: taxed.slice(0, document.lines.length), shipping: taxed.slice(document.lines.length) };
};

type Figures = Pick<TaxedCharge, 'taxable' | 'exempt' | 'tax' | 'rows' | 'treatments'>;

/** The figures of the goods or the shipment at a position. */
const figuresAt = (sale: Sale, { nets, charges, taxes }: Extracted, position: number): Figures => {
  const { assessments } = charges[position] as Charge;
  const own = taxes[position] as readonly bigint[];
  const goods = sale.goods[position]?.treated;
  const taxable = goods ? widestBase(assessments) : widestShippingBase(assessments);
  return {
    taxable,
    exempt: (nets[position] as bigint) - taxable,
    tax: sum(own),
    rows: rowsOf(assessments, own),
    treatments: goods
      ? goods.isHoliday
        ? decided(goods.treatments, assessments)
        : goods.treatments
      : shippingTreatments(sale, position),
  };
};

const shippingTreatments = ({ goods, shipments }: Sale, position: number): readonly Treatment[] => {
  const delivered = shipments[position - goods.length] ?? [];
  return [...new Set(delivered.flatMap(({ shipping }) => shipping.treatments))];
};

/** Tax added to the prices. */
const onTop = (sale: Sale, nets: Nets): Extracted => {
  const { rounding } = sale.document;
  const charges = chargesOf(sale, nets);
  const taxes = roundShippingWithGoods(rounding, sale.goods.length, charges, roundCharges(rounding, charges));
  return { nets, charges, taxes, inexact: [] };
};

/** The lines and then the shipping charges, each less its discounts and its share of those of the document. */
const discountedCharges = ({ lines, shipping, ...document }: TaxDocument): Discounted[] => {
  const charges = [...lines, ...shipping.map((charge) => ({ ...charge, thirdPartyDiscount: 0n }))];
  const own = charges.map(({ amount, discount }) => amount - discount);
  const isGoods = (index: number) => index < lines.length && lines[index]?.deliveries === undefined;
  const spread = (discount: bigint, counts: (index: number) => boolean): readonly bigint[] | null =>
    discount > 0n ? allocateTo(discount, own, counts) : null;
  const discounts = spread(document.discount, (index) => document.discountsShipping || isGoods(index));
  const coupons = spread(document.thirdPartyDiscount, isGoods);
  return charges.map(({ discount, thirdPartyDiscount }, index) => {
    const net = (own[index] as bigint) - (discounts?.[index] ?? 0n);
    assert(net >= 0n, 'discounts never exceed what they are taken from');
    return {
      discount: discount + (discounts?.[index] ?? 0n),
      thirdPartyDiscount: thirdPartyDiscount + (coupons?.[index] ?? 0n),
      net,
    };
  });
};

/** Allocate a total to the amounts whose indexes count. The others get nothing. */
const allocateTo = (total: bigint, amounts: readonly bigint[], counts: (index: number) => boolean): bigint[] => {
  const indexes = [...amounts.keys()].filter(counts);
  const parts = allocate(
    total,
    indexes.map((index) => amounts[index] as bigint),
  );
  const allocated = new Array<bigint>(amounts.length).fill(0n);
  for (const [position, index] of indexes.entries()) allocated[index] = parts[position] as bigint;
  return allocated;
};

// In a holiday, the price decides which rule applies, and so which doubts.
const decided = (treatments: readonly Treatment[], assessments: readonly Assessment[]): readonly Treatment[] =>
  treatments.map((treatment, index) => assessments[index]?.treatment ?? treatment);

// A jurisdiction that exists for a band alone has a row only where it taxes something.
const rowsOf = (assessments: readonly Assessment[], taxes: readonly bigint[]): TaxRow[] => {
  const rows: TaxRow[] = [];
  for (let index = 0; index < assessments.length; index += 1) {
    const { treatment, rate, reason, taxable, exempt, exact } = assessments[index] as Assessment;
    if (treatment.isBandOnly && taxable === 0n) continue;
    rows.push({
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
    });
  }
  return rows;
};
