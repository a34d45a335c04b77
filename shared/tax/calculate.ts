import { assert } from '../assert.ts';
import { allocate } from '../money/allocate.ts';
import type { Assessment, Treatment } from './assessment.ts';
import type { TaxDocument, TaxedDocument, TaxedLine, TaxRow } from './document.ts';
import { type Charge, roundCharges } from './round-charges.ts';
import { type Nets, type Sale, saleOf } from './sale.ts';
import { roundShippingWithGoods } from './shipping-with-goods.ts';
import { chargesOf, type Extracted, extractSale } from './tax-included.ts';
import type { Treated } from './treatment-cache.ts';
import { sum, widestBase, widestShippingBase } from './widest-base.ts';

type Discounted = { readonly discount: bigint; readonly thirdPartyDiscount: bigint; readonly net: bigint };

/**
 * Calculate the tax of a document. Pure and exact: the parts always sum to the totals.
 *
 * Seller discounts lower the base, third-party discounts do not. Each line is assessed in every jurisdiction of its place,
 * shipping is allocated to the lines, and the tax is rounded once by the rule of the state or the account.
 */
export const calculateTax = (document: TaxDocument): TaxedDocument => {
  const sale = saleOf(document);
  const discounted = discountedLines(document);
  const sent: Nets = { lines: discounted.map(({ net }) => net), shipping: document.shipping?.amount ?? 0n };
  const { nets, charges, taxes, inexact } = document.taxIncluded ? extractSale(sale, sent) : onTop(sale, sent);
  const inexactAt = (index: number | null) => inexact.find((gross) => gross.charges.includes(index)) ?? null;
  const lines = discounted.map(({ discount, thirdPartyDiscount, net }, index): TaxedLine => {
    const { assessments } = charges[index] as Charge;
    const { treatments, isHoliday } = sale.goods[index] as Treated;
    const own = taxes[index] as bigint[];
    const taxable = widestBase(assessments);
    return {
      discount,
      thirdPartyDiscount,
      net,
      taxable,
      exempt: (nets.lines[index] as bigint) - taxable,
      tax: sum(own),
      rows: rowsOf(assessments, own),
      treatments: isHoliday ? decided(treatments, assessments) : treatments,
      inexact: inexactAt(index),
    };
  });
  const delivery = charges[lines.length];
  if (!delivery) return { lines, shipping: null };
  const own = taxes.at(-1) as bigint[];
  const taxable = widestShippingBase(delivery.assessments);
  const shipping = {
    net: sent.shipping,
    taxable,
    exempt: nets.shipping - taxable,
    tax: sum(own),
    rows: rowsOf(delivery.assessments, own),
    treatments: [...new Set(sale.delivery.flatMap(({ treatments }) => treatments))],
    inexact: inexactAt(null),
  };
  return { lines, shipping };
};

/** Tax added to the prices. */
const onTop = (sale: Sale, nets: Nets): Extracted => {
  const { document } = sale;
  const charges = chargesOf(sale, nets);
  const taxes = roundShippingWithGoods(document, charges, roundCharges(document.rounding, charges));
  return { nets, charges, taxes, inexact: [] };
};

const discountedLines = ({ lines, discount, thirdPartyDiscount }: TaxDocument): Discounted[] => {
  const own = lines.map((line) => line.amount - line.discount);
  const discounts = discount > 0n ? allocate(discount, own) : null;
  const coupons = thirdPartyDiscount > 0n ? allocate(thirdPartyDiscount, own) : null;
  return lines.map((line, index) => {
    const net = (own[index] as bigint) - (discounts?.[index] ?? 0n);
    assert(net >= 0n, 'discounts never exceed what they are taken from');
    return {
      discount: line.discount + (discounts?.[index] ?? 0n),
      thirdPartyDiscount: line.thirdPartyDiscount + (coupons?.[index] ?? 0n),
      net,
    };
  });
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
