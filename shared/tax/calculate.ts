import { assert } from '../assert.ts';
import { allocate } from '../money/allocate.ts';
import { type Charge, chargeOf, sum, widestBase, widestShippingBase } from './charge.ts';
import type { TaxDocument, TaxedDocument, TaxedLine, TaxedShipping, TaxLine, TaxRow } from './document.ts';
import { type Assessment, assess } from './effect.ts';
import { settle } from './settle.ts';
import { assessShipping, type ShippedLine } from './shipping.ts';
import { type Treatments, treatmentCache } from './treatment-cache.ts';

type Nets = { readonly discount: bigint; readonly thirdPartyDiscount: bigint; readonly net: bigint };

/**
 * Calculate the tax of a document: pure, exact, and the parts always sum (interface decisions 2).
 *
 * Seller discounts lower the base, third-party ones do not. Each line is assessed in every jurisdiction of its place,
 * shipping is shared over the lines, and the tax is rounded once by the rule of the state or the account.
 */
export const calculateTax = (document: TaxDocument): TaxedDocument => {
  const treatments = treatmentCache(document.day);
  const nets = netsOf(document);
  const charges = document.lines.map((line, index) =>
    assessLine(document, line, (nets[index] as Nets).net, treatments),
  );
  const shipping = document.shipping && assessShippingCharge(document, document.shipping, charges, nets, treatments);
  const taxes = settle(document, shipping ? [...charges, shipping] : charges);
  return {
    lines: charges.map((charge, index) => taxedLine(nets[index] as Nets, charge, taxes[index] as bigint[])),
    shipping: shipping && taxedCharge(document.shipping?.amount ?? 0n, shipping, taxes.at(-1) as bigint[]),
  };
};

const netsOf = ({ lines, discount, thirdPartyDiscount }: TaxDocument): Nets[] => {
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

const assessLine = (document: TaxDocument, line: TaxLine, gross: bigint, treatmentsFor: Treatments): Charge => {
  const treatments = treatmentsFor(line.place, line);
  const { exponent } = document;
  const assessAll = (net: bigint) =>
    treatments.map((treatment) => assess(treatment, { net, quantity: line.quantity, exponent }));
  return chargeOf(document, gross, { treatments, assessAll, widest: widestBase });
};

const assessShippingCharge = (
  document: TaxDocument,
  { amount, product }: NonNullable<TaxDocument['shipping']>,
  charges: readonly Charge[],
  nets: readonly Nets[],
  treatmentsFor: Treatments,
): Charge => {
  const lines: ShippedLine[] = charges.map(({ assessments }, index) => {
    const { place, use, relief } = document.lines[index] as TaxLine;
    return { net: (nets[index] as Nets).net, assessments, treatments: treatmentsFor(place, { product, use, relief }) };
  });
  const treatments = [...new Set(lines.flatMap((line) => line.treatments))];
  const assessAll = (net: bigint) => assessShipping(net, document.exponent, lines);
  return chargeOf(document, amount, { treatments, assessAll, widest: widestShippingBase });
};

const taxedLine = (
  { discount, thirdPartyDiscount, net }: Nets,
  charge: Charge,
  taxes: readonly bigint[],
): TaxedLine => {
  const { rows, treatments, taxable, exempt, tax } = taxedCharge(net, charge, taxes);
  return { discount, thirdPartyDiscount, net, rows, treatments, taxable, exempt, tax };
};

const taxedCharge = (net: bigint, charge: Charge, taxes: readonly bigint[]): TaxedShipping => {
  const { base, assessments, treatments } = charge;
  const taxable = charge.widest(assessments);
  const rows = assessments.map((assessment, index) => rowOf(assessment, taxes[index] as bigint));
  return { net, rows, treatments, taxable, exempt: base - taxable, tax: sum(taxes) };
};

const rowOf = ({ treatment, rate, reason, taxable, exempt }: Assessment, tax: bigint): TaxRow => ({
  jurisdiction: treatment.jurisdiction,
  sourcing: treatment.sourcing,
  rate: rate.text,
  reason,
  ruleId: treatment.ruleId,
  taxable,
  exempt,
  tax,
});
