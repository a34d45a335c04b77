import type { Settings } from '../accounts/account.ts';
import { taxDateAt } from '../accounts/time-zone.ts';
import { getOrAdd } from '../base/collections.ts';
import { accept, type Problem, type Result, refuse } from '../base/result.ts';
import type { ReleaseFor } from '../catalog/content.ts';
import type { Coverage } from '../catalog/release.ts';
import { minorDigits } from '../money/currency.ts';
import { decimal, multiply } from '../money/decimal.ts';
import type { CollectionExemption, Delivery, Place, TaxDocument, TaxLine } from '../tax/document.ts';
import { requireProduct } from '../vocabulary/product-tax-code.ts';
import { ambiguityRejected, ambiguousAddress, describeAmbiguity } from './ambiguity.ts';
import {
  buyerField,
  collectionExemptionFinder,
  deliveryExemption,
  type KnownCertificates,
  type LineCollectionExemption,
} from './certificates.ts';
import { generalGoods, isReduction, parseMinor, shippingList } from './charges.ts';
import { type Charge, deliveredLinesOfAll, isShipped, readCharges, shippingCode } from './deliveries.ts';
import { feeProblems } from './delivery-fees.ts';
import {
  addressIn,
  chooseDestination,
  chooseOrigin,
  type Destination,
  distinct,
  hasOwnDestination,
  type LocatedLine,
  type Locating,
  locateAll,
} from './locate-lines.ts';
import { listReductions, type Reduction } from './reductions.ts';
import type { CalculationInput, LineItemRequest } from './request.ts';
import type { AppliedExemption, Warning } from './response.ts';

type FindCollectionExemption = ReturnType<typeof collectionExemptionFinder>;

/** The places of a document's lines, and the lines and places to which its shipping charges deliver. */
type LocatedDocument = {
  readonly lines: readonly LocatedLine[];
  /** The deliveries of each charge, by its index among the line items and then `shipping`. */
  readonly deliveries: ReadonlyMap<number, readonly Delivery[]>;
  /** The places of shipping charges that have separate addresses. */
  readonly others: readonly {
    readonly located: LocatedLine;
    /** The id and the index of the charge. */
    readonly id: string;
    readonly charge: number;
    readonly line: number;
    readonly collectionExemption: CollectionExemption;
    readonly exemption: AppliedExemption | null;
    readonly warnings: readonly Warning[];
  }[];
};

/**
 * Returns a function that replaces the addresses of a line with the addresses of a shipping charge: the addresses of
 * its line item, or `ship_to` and `ship_from`. Returns `null` if the charge has no addresses.
 */
const ownDestination = ({ line_items, shipping }: CalculationInput, { index, pointer }: Charge) => {
  const line = line_items?.[index];
  const charge = shippingList(shipping)[index - (line_items?.length ?? 0)];
  const [field, holder] = line ? ['customer', line.customer] : ['ship_to', charge?.ship_to];
  const [to, from] = [addressIn(holder), addressIn((line ?? charge)?.ship_from)];
  if (!to && !from) return null;
  return ({ address, origin, product, pointers }: Destination): Destination => ({
    address: to ?? address,
    origin: from ?? origin,
    product,
    pointers: {
      destination: to ? `${pointer}/${field}/address` : pointers.destination,
      origin: from ? `${pointer}/ship_from/address` : pointers.origin,
    },
  });
};

/** Whether a charge of a document has separate addresses. */
export const hasOwnDestinations = (input: CalculationInput): boolean =>
  readCharges(input).charges.some((charge) => ownDestination(input, charge) !== null);

type Parcel = { readonly line: number; readonly destination: Destination | null };

/** Returns the lines that each charge delivers, with their destinations if the charge has separate addresses. */
const readParcels = (
  input: CalculationInput,
  destinations: readonly Destination[],
): Result<readonly { readonly charge: Charge; readonly parcels: readonly Parcel[] }[]> => {
  const read = readCharges(input);
  if (read.charges.length === 0) return accept([]);
  const delivered = deliveredLinesOfAll(read);
  if (!delivered.ok) return delivered;
  return accept(
    read.charges.map((charge, index) => {
      const toOwn = ownDestination(input, charge);
      const elsewhere = new Map<Destination, Destination>();
      const parcels = (delivered.value[index] as readonly number[]).map((line) => {
        const ofLine = destinations[line] as Destination;
        return { line, destination: toOwn && getOrAdd(elsewhere, ofLine, () => toOwn(ofLine)) };
      });
      return { charge, parcels };
    }),
  );
};

/**
 * Returns the index of the line item that determines the place of a negative price: the first one that it reduces. If
 * it reduces only `shipping`, the first line item without a negative price. The addresses of the negative line item are
 * ignored.
 */
const reducedLine = ({ parts }: Reduction, lines: readonly LineItemRequest[]): number => {
  const [first = 0] = parts.keys();
  return first < lines.length ? first : lines.findIndex(({ unit_price }) => !isReduction(unit_price));
};

/**
 * Finds the place of every line, and of every line that a shipping charge delivers to a separate address. A line item
 * that is a charge is located with the first line item that it is for, because the buyer's address need not be the
 * address of these goods.
 *
 * Refusals: addresses that cannot be resolved; see also `deliveredLinesOfAll`.
 */
const locateDocument = (
  input: CalculationInput,
  reductions: readonly Reduction[],
  context: Locating,
  day: string,
  getCollectionExemption: FindCollectionExemption,
): Result<LocatedDocument> => {
  const lines = input.line_items ?? [];
  // Most lines have no addresses, and share one destination: for each product if the origin is known.
  const shared = new Map<string | null, Destination>();
  const hasOrigin = chooseOrigin({}, input, context.settings) !== null;
  const own = lines.map((line, index) => {
    const choose = () => chooseDestination(input, line, index, context.settings);
    return hasOwnDestination(line)
      ? choose()
      : getOrAdd(shared, hasOrigin ? (line.product_tax_code ?? generalGoods) : null, choose);
  });
  const read = readParcels(input, own);
  if (!read.ok) return read;
  const destinations = [...own];
  for (const { charge, parcels } of read.value) {
    const [first] = parcels;
    if (first && charge.index < lines.length)
      destinations[charge.index] = first.destination ?? (own[first.line] as Destination);
  }
  for (const reduction of reductions)
    destinations[reduction.line] = destinations[reducedLine(reduction, lines)] ?? (own[reduction.line] as Destination);
  const parcels = read.value.flatMap((charge) => charge.parcels.flatMap(({ destination }) => destination ?? []));
  const located = locateAll([...destinations, ...parcels], context, day);
  if (!located.ok) return located;
  const elsewhere = located.value.slice(lines.length);
  const others: LocatedDocument['others'][number][] = [];
  const deliveries = new Map<number, readonly Delivery[]>();
  for (const { charge, parcels } of read.value) {
    const { id, index } = charge;
    const ofCharge = parcels.map(({ line, destination }): Delivery => {
      const found = (destination ? elsewhere[others.length] : located.value[line]) as LocatedLine;
      const buyer = getCollectionExemption(line, found.place, destination ? id : undefined);
      const delivery = { line, ...deliveryExemption(buyer) };
      if (destination) others.push({ ...buyer, ...delivery, located: found, charge: index, id });
      return { ...delivery, place: found.place };
    });
    deliveries.set(index, ofCharge);
  }
  return accept({ lines: located.value.slice(0, lines.length), deliveries, others });
};

const incompleteText = (coverage: Coverage, decisive: LocatedLine['decisive']): string => {
  if (coverage === 'none') return 'it is not covered';
  return decisive.some(({ lacksLocals }) => lacksLocals)
    ? 'local rates are missing'
    : 'the rates of the tax day are not on record, only rates of a different day';
};

/** Returns the refusal of a place by the account's policies, or `null`. */
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
    return ambiguousAddress(`${ambiguous.place.name}: ${why} ${ambiguityRejected} ${advice}`, pointers[ambiguous.at]);
  }
  return null;
};

/** The inputs of a calculation other than the request. */
export type Context = {
  readonly settings: Settings;
  readonly releaseFor: ReleaseFor;
  /** The current time in milliseconds. */
  readonly now: number;
  /** The certificates of the buyers. If absent, only certificates in the request apply. */
  readonly certificates?: KnownCertificates;
};

/**
 * A certificate warning with the index of its line, or of a charge with a separate `place`. `line` is `null` if a
 * transaction recorded the certificate.
 */
type CertificateWarning = { readonly line: number | null; readonly place?: Place; readonly warning: Warning };

export type ReadDocument = {
  readonly document: TaxDocument;
  readonly located: readonly LocatedLine[];
  /** The places of the lines, and of shipping charges with separate addresses. */
  readonly places: readonly LocatedLine[];
  /** ISO timestamp or date that begins with the tax date: as sent, or now. */
  readonly taxDate: string;
  /** The certificate that exempts each line, or `null`. A charge has the certificate of the lines that it is for. */
  readonly exemptions: readonly (AppliedExemption | null)[];
  /** The parts of shipping charges that have separate addresses. */
  readonly others: LocatedDocument['others'];
  /** Warnings about certificates that do not apply on the tax date. They matter only if the line is taxed. */
  readonly certificateWarnings: readonly CertificateWarning[];
};

const warningsAbout = (
  collectionExemptions: readonly LineCollectionExemption[],
  others: LocatedDocument['others'],
  { certificates }: Context,
): readonly CertificateWarning[] =>
  certificates && 'recorded' in certificates
    ? certificates.warnings.map((warning) => ({ line: null, warning }))
    : [
        ...collectionExemptions.flatMap(({ warnings }, line) => warnings.map((warning) => ({ line, warning }))),
        ...others.flatMap(({ warnings, charge, located: { place } }) =>
          warnings.map((warning) => ({ line: charge, place, warning })),
        ),
      ];

const buildLineItems = (
  input: CalculationInput,
  { lines, deliveries }: LocatedDocument,
  collectionExemptions: readonly LineCollectionExemption[],
  exponent: number,
): readonly TaxLine[] =>
  (input.line_items ?? []).map((line, index): TaxLine => {
    const delivered = deliveries.get(index);
    const product = requireProduct(line.product_tax_code ?? generalGoods);
    const quantity = decimal(line.quantity);
    return {
      product,
      quantity,
      amount: multiply(quantity, decimal(line.unit_price ?? '0'), exponent),
      discount: parseMinor(line.discount_amount, exponent),
      thirdPartyDiscount: parseMinor(line.third_party_discount_amount, exponent),
      place: (lines[index] as LocatedLine).place,
      use: buyerField('use', line.customer, input.customer),
      collectionExemption: (collectionExemptions[index] as LineCollectionExemption).collectionExemption,
      isShipped: isShipped({ product, fulfillment: line.fulfillment ?? null }),
      ...(delivered && { deliveries: delivered }),
    };
  });

/** Whether a certificate exempts a line item's part of a charge. */
export const isExempt = ({ collectionExemption }: Pick<Delivery, 'collectionExemption'>): boolean =>
  collectionExemption === 'customer_exempt';

/** Returns the certificate of each line item. A charge has the certificate of the first exempt line that it is for. */
const listExemptions = (
  { deliveries, others }: LocatedDocument,
  collectionExemptions: readonly LineCollectionExemption[],
): ReadDocument['exemptions'] =>
  collectionExemptions.map(({ exemption }, index) => {
    const delivered = deliveries.get(index);
    if (!delivered) return exemption;
    const exempt = delivered.find(isExempt);
    const own = others.find((one) => one.charge === index && isExempt(one));
    return exempt ? (own ?? (collectionExemptions[exempt.line] as LineCollectionExemption)).exemption : null;
  });

const oneUnit = decimal('1');

const buildShipping = (
  { line_items, shipping }: CalculationInput,
  { deliveries }: LocatedDocument,
  exponent: number,
): readonly TaxLine[] =>
  shippingList(shipping).map((charge, position) => {
    const own = deliveries.get((line_items?.length ?? 0) + position) as readonly Delivery[];
    return {
      product: requireProduct(shippingCode(charge)),
      quantity: oneUnit,
      amount: parseMinor(charge.amount, exponent),
      discount: parseMinor(charge.discount_amount, exponent),
      thirdPartyDiscount: 0n,
      place: (own[0] as Delivery).place,
      use: null,
      collectionExemption: null,
      isShipped: false,
      deliveries: own,
    };
  });

/** Returns the reductions of each charge by all line items with a negative price. */
const reducedAmounts = (reductions: readonly Reduction[]): ReadonlyMap<number, bigint> => {
  const amounts = new Map<number, bigint>();
  for (const { parts } of reductions)
    for (const [charge, part] of parts) amounts.set(charge, (amounts.get(charge) ?? 0n) + part);
  return amounts;
};

/**
 * Returns the lines, with the amounts of negative line items as discounts. A negative line item has a discount of its
 * whole amount, so that the amounts of the document add up. It has the product of the first charge that it reduces.
 */
const withReductions = (lines: readonly TaxLine[], reductions: readonly Reduction[]): readonly TaxLine[] => {
  if (reductions.length === 0) return lines;
  const reduced = reducedAmounts(reductions);
  const firstParts = new Map(reductions.map(({ line, parts }) => [line, [...parts.keys()][0] as number]));
  return lines.map((line, index) => {
    const first = firstParts.get(index);
    if (first === undefined) return { ...line, discount: line.discount + (reduced.get(index) ?? 0n) };
    return { ...line, product: (lines[first] as TaxLine).product, discount: line.amount, isShipped: false };
  });
};

// A collecting marketplace does not use the elections of its sellers.
const locatingContext = ({ collected_by }: CalculationInput, { settings, releaseFor }: Context) => ({
  settings: collected_by === 'marketplace' ? { ...settings, remote_seller_elections: [] } : settings,
  releaseFor,
});

/**
 * Converts a valid request into the tax core's document: amounts in minor units, addresses as places.
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
  const [priced, ...morePriced] = feeProblems(input);
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
  const goods = buildLineItems(input, located.value, collectionExemptions, exponent);
  const lines = withReductions([...goods, ...buildShipping(input, located.value, exponent)], reductions.value);
  // If no tax is collected, incomplete content does not matter.
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
    exemptions: listExemptions(located.value, collectionExemptions),
    others,
    certificateWarnings: warningsAbout(collectionExemptions, others, context),
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
      lineItems: locatedLines.length,
    },
  });
};
