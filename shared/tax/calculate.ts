import { assert } from '../assert.ts';
import { allocate } from '../money/allocate.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import type {
  Place,
  TaxDocument,
  TaxedDocument,
  TaxedLine,
  TaxedShipping,
  TaxLine,
  TaxRow,
  Treatment,
} from './document.ts';
import { type Assessment, assess } from './effect.ts';
import { roundInvoice, roundTogether } from './rounding.ts';
import { assessShipping, type ShippedLine } from './shipping.ts';
import { extractTax } from './tax-included.ts';
import { type Subject, treatmentsOf } from './treatment.ts';

/** What is assessed and rounded as one: a line, or the shipping. */
type Charge = {
  /** What it is assessed on, without tax. */
  readonly base: bigint;
  readonly widest: Widest;
  readonly treatments: readonly Treatment[];
  readonly assessments: readonly Assessment[];
  /** The tax where it is settled before rounding: the difference between a gross amount and its net. */
  readonly tax: bigint | null;
};

type Widest = (assessments: readonly Assessment[]) => bigint;
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

type Treatments = (place: Place, subject: Omit<Subject, 'day'>) => readonly Treatment[];

type Treated = Omit<Subject, 'day' | 'product'> & { readonly treatments: readonly Treatment[] };

// Lines of one place and product are treated alike; most documents have few of either. Found by the objects themselves:
// a key made of their names, for each line, would take longer than its tax.
const treatmentCache = (day: string): Treatments => {
  const places = new Map<Place, Map<ProductTaxCode, Treated[]>>();
  return (place, { product, use, relief }) => {
    const products = getOrAdd(places, place, () => new Map<ProductTaxCode, Treated[]>());
    const buyers = getOrAdd(products, product, () => []);
    for (const known of buyers) if (known.use === use && known.relief === relief) return known.treatments;
    const treatments = treatmentsOf(place, { product, day, use, relief });
    buyers.push({ use, relief, treatments });
    return treatments;
  };
};

const getOrAdd = <Key, Value>(values: Map<Key, Value>, key: Key, make: () => Value): Value => {
  const known = values.get(key);
  if (known !== undefined) return known;
  const made = make();
  values.set(key, made);
  return made;
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

const sum = (amounts: readonly bigint[]): bigint => {
  let total = 0n;
  for (const amount of amounts) total += amount;
  return total;
};

type Assessor = Pick<Charge, 'treatments' | 'widest'> & {
  readonly assessAll: (net: bigint) => readonly Assessment[];
};

const chargeOf = ({ taxIncluded }: TaxDocument, amount: bigint, assessor: Assessor): Charge => {
  const { assessAll, treatments, widest } = assessor;
  if (!taxIncluded) return { base: amount, widest, treatments, assessments: assessAll(amount), tax: null };
  const { net, tax } = extractTax(amount, (candidate) => {
    const assessments = assessAll(candidate);
    return sum(assessments.some(isBracketed) ? roundInvoice(assessments) : roundTogether(assessments));
  });
  return { base: net, widest, treatments, assessments: assessAll(net), tax };
};

const isBracketed = ({ treatment }: Assessment): boolean => treatment.rounding.method === 'bracket';

/** Round the tax of every charge: by line, or together with its state's where the account or the state says so. */
const settle = ({ rounding }: TaxDocument, charges: readonly Charge[]): bigint[][] => {
  const taxes: bigint[][] = new Array(charges.length);
  const invoices = new Map<string, { charge: number; position: number; assessment: Assessment }[]>();
  for (const [index, { assessments, tax }] of charges.entries()) {
    if (tax !== null) {
      taxes[index] = allocate(
        tax,
        assessments.map(({ taxable, rate }) => taxable * rate.units),
      );
    } else if (rounding === 'line' && !assessments.some(isBracketed)) {
      taxes[index] = roundTogether(assessments);
    } else {
      taxes[index] = new Array(assessments.length).fill(0n);
      for (const [position, assessment] of assessments.entries()) {
        const { state } = assessment.treatment;
        const invoice = invoices.get(state) ?? [];
        if (invoice.push({ charge: index, position, assessment }) === 1) invoices.set(state, invoice);
      }
    }
  }
  for (const invoice of invoices.values()) {
    const assessments = invoice.map(({ assessment }) => assessment);
    const owners = invoice.map(({ charge }) => charge);
    for (const [index, tax] of roundInvoice(assessments, owners).entries()) {
      const { charge, position } = invoice[index] as (typeof invoice)[number];
      (taxes[charge] as bigint[])[position] = tax;
    }
  }
  return taxes;
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

/** What is taxed of a line at all: its jurisdictions tax the same goods, so the widest of their bases. */
const widestBase: Widest = (assessments) => {
  let widest = 0n;
  for (const { taxable } of assessments) if (taxable > widest) widest = taxable;
  return widest;
};

/** The same for shipping, which may have several rows in one jurisdiction and lines in several states. */
const widestShippingBase: Widest = (assessments) => {
  const states = Map.groupBy(assessments, ({ treatment }) => treatment.state);
  const bases = [...states.values()].map((rows) => {
    const jurisdictions = Map.groupBy(rows, ({ treatment }) => treatment.jurisdiction.code);
    return [...jurisdictions.values()].map((parts) => sum(parts.map(({ taxable }) => taxable)));
  });
  return sum(bases.map((amounts) => amounts.reduce((one, other) => (one > other ? one : other))));
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
