import type { Settings } from '../accounts/account.ts';
import { taxDateAt } from '../accounts/time-zone.ts';
import type { Problem } from '../base/problem.ts';
import { accept, type Result, refuse } from '../base/result.ts';
import type { ReleaseFor } from '../catalog/content.ts';
import type { Coverage } from '../catalog/release.ts';
import { minorDigits } from '../money/currency.ts';
import { decimal, multiply } from '../money/decimal.ts';
import type { ShippingCharge, TaxDocument, TaxLine } from '../tax/document.ts';
import { requireProduct } from '../vocabulary/product-tax-code.ts';
import { describeAmbiguity } from './ambiguity.ts';
import type { KnownCertificates } from './certificates.ts';
import { generalGoods, parseMinor, shippingList } from './charges.ts';
import { collectionExemptionFinder, type LineCollectionExemption } from './collection-exemptions.ts';
import { isShipped, shippingCode } from './deliveries.ts';
import { pricedFeeProblems } from './delivery-fees.ts';
import { type LocatedDocument, locateDocument } from './locate-document.ts';
import { distinct, type LocatedLine } from './locate-lines.ts';
import { listReductions, type Reduction } from './reductions.ts';
import type { CalculationInput } from './request.ts';
import type { AppliedExemption, Warning } from './response.ts';

const incompleteText = (coverage: Coverage, decisive: LocatedLine['decisive']): string => {
  if (coverage === 'none') return 'it is not covered';
  return decisive.some(({ lacksLocals }) => lacksLocals)
    ? 'local rates are missing'
    : 'the rates of the tax day are not on record, only those of another day';
};

/** The refusal of a place by the account's policies, or `null`. */
export const policyProblem = (
  { resolution, place, decisive, pointer, pointers }: LocatedLine,
  settings: Settings,
): Problem | null => {
  if (settings.incomplete_coverage === 'reject' && resolution.coverage !== 'complete') {
    const incomplete = decisive.find(({ resolution: { coverage } }) => coverage === resolution.coverage);
    return {
      code: 'validation_not_covered',
      title: 'Address not covered',
      detail: `${place.name}: ${incompleteText(resolution.coverage, decisive)}, and the account's incomplete_coverage policy is reject.`,
      source: { pointer: incomplete ? pointers[incomplete.at] : pointer },
    };
  }
  const ambiguous = decisive.find(({ resolution: { ambiguous: isAmbiguous } }) => isAmbiguous);
  if (settings.ambiguous_address === 'reject' && ambiguous) {
    const { why, advice } = describeAmbiguity(ambiguous);
    return {
      code: 'validation_address_unresolvable',
      title: 'Address is ambiguous',
      detail: `${ambiguous.place.name}: ${why} The account's ambiguous_address policy is reject. ${advice}`,
      source: { pointer: pointers[ambiguous.at] },
    };
  }
  return null;
};

/** The inputs of a calculation besides the request. */
export type Context = {
  readonly settings: Settings;
  readonly releaseFor: ReleaseFor;
  /** The service's time in milliseconds. */
  readonly now: number;
  /** The certificates of the buyers. Without it, only those in the request apply. */
  readonly certificates?: KnownCertificates;
};

/** A warning about the certificate of a line, by its index; `null` for one that was recorded with a transaction. */
export type CertificateWarning = { readonly line: number | null; readonly warning: Warning };

export type ReadDocument = {
  readonly document: TaxDocument;
  readonly located: readonly LocatedLine[];
  /** The places of the lines, and of shipping charges that have addresses of their own. */
  readonly places: readonly LocatedLine[];
  /** ISO instant or date that begins with the tax day: as sent, or now. */
  readonly taxDate: string;
  /** The certificate that exempts each line, or `null`. */
  readonly exemptions: readonly (AppliedExemption | null)[];
  /** Warnings about certificates that do not apply on the tax day. They matter where the line is taxed. */
  readonly certificateWarnings: readonly CertificateWarning[];
};

const warningsAbout = (
  collectionExemptions: readonly LineCollectionExemption[],
  { certificates }: Context,
): readonly CertificateWarning[] =>
  certificates && 'recorded' in certificates
    ? certificates.warnings.map((warning) => ({ line: null, warning }))
    : collectionExemptions.flatMap(({ warnings }, line) => warnings.map((warning) => ({ line, warning })));

const buildLines = (
  input: CalculationInput,
  { lines, deliveries }: LocatedDocument,
  collectionExemptions: readonly LineCollectionExemption[],
  exponent: number,
): readonly TaxLine[] =>
  (input.line_items ?? []).map((line, index): TaxLine => {
    const delivered = deliveries.ofLines.get(index);
    const product = requireProduct(line.product_tax_code ?? generalGoods);
    const quantity = decimal(line.quantity);
    return {
      product,
      quantity,
      amount: multiply(quantity, decimal(line.unit_price ?? '0'), exponent),
      discount: parseMinor(line.discount_amount, exponent),
      thirdPartyDiscount: parseMinor(line.third_party_discount_amount, exponent),
      place: (lines[index] as LocatedLine).place,
      use: line.customer?.use ?? input.customer?.use ?? null,
      collectionExemption: (collectionExemptions[index] as LineCollectionExemption).collectionExemption,
      isShipped: isShipped({ product, fulfillment: line.fulfillment ?? null }),
      ...(delivered && { deliveries: delivered }),
    };
  });

/** The reductions of each charge by all line items with a negative price. */
const reducedAmounts = (reductions: readonly Reduction[]): ReadonlyMap<number, bigint> => {
  const amounts = new Map<number, bigint>();
  for (const { parts } of reductions)
    for (const [charge, part] of parts) amounts.set(charge, (amounts.get(charge) ?? 0n) + part);
  return amounts;
};

type Charges = Pick<TaxDocument, 'lines' | 'shipping'>;

/**
 * The charges, with the amounts of line items with a negative price as discounts. Such a line item itself has a
 * discount of its whole amount, so that the amounts of the document add up. It has the product of the first charge that
 * it reduces.
 */
const withReductions = (charges: Charges, reductions: readonly Reduction[]): Charges => {
  if (reductions.length === 0) return charges;
  const all = [...charges.lines, ...charges.shipping];
  const reduced = reducedAmounts(reductions);
  const firstParts = new Map(reductions.map(({ line, parts }) => [line, [...parts.keys()][0] as number]));
  const discounted = <Of extends ShippingCharge | TaxLine>(charge: Of, index: number): Of => ({
    ...charge,
    discount: charge.discount + (reduced.get(index) ?? 0n),
  });
  return {
    lines: charges.lines.map((line, index) => {
      const first = firstParts.get(index);
      if (first === undefined) return discounted(line, index);
      return { ...line, product: (all[first] as ShippingCharge).product, discount: line.amount, isShipped: false };
    }),
    shipping: charges.shipping.map((charge, index) => discounted(charge, charges.lines.length + index)),
  };
};

// A marketplace that collects does not use the elections of its sellers.
const locatingContext = ({ collected_by }: CalculationInput, { settings, releaseFor }: Context) => ({
  settings: collected_by === 'marketplace' ? { ...settings, remote_seller_elections: [] } : settings,
  releaseFor,
});

const buildShipping = (
  { shipping }: CalculationInput,
  { deliveries }: LocatedDocument,
  exponent: number,
): readonly ShippingCharge[] =>
  shippingList(shipping).map((charge, index) => ({
    product: requireProduct(shippingCode(charge)),
    amount: parseMinor(charge.amount, exponent),
    discount: parseMinor(charge.discount_amount, exponent),
    deliveries: deliveries.ofShipping[index] ?? [],
  }));

/**
 * Convert a valid request into the tax core's document: amounts in minor units, addresses as places.
 *
 * Refusals: addresses that cannot be resolved, places that the account's policies reject, shipping charges that deliver
 * no line item, and negative prices that reduce nothing.
 */
export const readDocument = (input: CalculationInput, context: Context): Result<ReadDocument> => {
  const taxDate = input.tax_date ?? taxDateAt(context.now, context.settings.time_zone);
  const day = taxDate.slice(0, 10);
  const currency = input.currency ?? 'USD';
  const exponent = minorDigits(currency);
  const findCollectionExemption = collectionExemptionFinder(input, day, context);
  const [priced, ...morePriced] = pricedFeeProblems(input);
  if (priced) return refuse(priced, ...morePriced);
  const reductions = listReductions(input, exponent);
  if (!reductions.ok) return reductions;
  const located = locateDocument(
    input,
    reductions.value,
    locatingContext(input, context),
    day,
    findCollectionExemption,
  );
  if (!located.ok) return located;
  const { lines: locatedLines, others } = located.value;
  const collectionExemptions = locatedLines.map(({ place }, index) => findCollectionExemption(index, place));
  const { lines, shipping } = withReductions(
    {
      lines: buildLines(input, located.value, collectionExemptions, exponent),
      shipping: buildShipping(input, located.value, exponent),
    },
    reductions.value,
  );
  // Where nothing is collected, incomplete content does not matter.
  const taxed = [
    ...locatedLines.filter((_, index) => lines[index]?.collectionExemption === null),
    ...others.filter(({ collectionExemption }) => collectionExemption === null).map(({ located }) => located),
  ];
  const [problem, ...more] = distinct(taxed.flatMap((line) => policyProblem(line, context.settings) ?? []));
  if (problem) return refuse(problem, ...more);
  return accept({
    taxDate,
    located: locatedLines,
    places: [...locatedLines, ...others.map(({ located }) => located)],
    exemptions: collectionExemptions.map(({ exemption }) => exemption),
    certificateWarnings: warningsAbout(collectionExemptions, context),
    document: {
      day,
      currency,
      exponent,
      rounding: context.settings.rounding,
      taxIncluded: input.tax_included ?? false,
      passOnGeneralExcise: context.settings.pass_on_general_excise,
      discount: parseMinor(input.discount_amount, exponent),
      thirdPartyDiscount: parseMinor(input.third_party_discount_amount, exponent),
      discountsShipping: input.discount_applies_to === 'line_items_and_shipping',
      lines,
      shipping,
    },
  });
};
