import type { TaxingPlace } from '../catalog/location/place.ts';
import type { Jurisdiction } from '../catalog/release-values.ts';
import type { Decimal } from '../money/decimal.ts';
import type { ProductTaxCode } from '../vocabulary/product-tax-code.ts';
import type { GrossedUp, SourcedAt, TaxabilityReason, Treatment } from './assessment.ts';
import type { Use } from './effects/definition.ts';

/**
 * Where a sale is sourced, with the five-digit ZIP and the county (five-digit FIPS) if known. Some rules depend on
 * them.
 */
export type Sourcing = { readonly at: SourcedAt; readonly zip5: string | null; readonly county: string | null };

/** A taxing place, and how the sale is sourced there. */
export type Place = TaxingPlace & {
  /** For each jurisdiction, where the sale is sourced. */
  readonly sourcing: readonly Sourcing[];
  /** Whether the goods come from a different state or an unknown origin. Some rates depend on it. */
  readonly isInterstate: boolean;
};

/** Why no tax is collected, regardless of the product. */
export type CollectionExemption = 'not_collecting' | 'marketplace_collects' | 'customer_exempt' | null;

/** The product, buyer and day, which are the same in every jurisdiction. */
export type TaxedProduct = {
  readonly product: ProductTaxCode;
  readonly day: string;
  /** The document's currency. */
  readonly currency: string;
  readonly use: Use;
  readonly collectionExemption: CollectionExemption;
};

/** A line delivered by a shipping charge. */
export type Delivery = {
  /** The index of the line. */
  readonly line: number;
  /** Where the line's share of the charge is taxed: the line's place, unless the charge has different addresses. */
  readonly place: Place;
  readonly collectionExemption: CollectionExemption;
  /** Whether the buyer is exempt for the line only: SNAP benefits pay for the goods, but not for the charge. */
  readonly isForGoodsOnly?: boolean;
};

/** Returns whether a product is a shipping charge. */
export const isShippingCharge = ({ path }: Pick<ProductTaxCode, 'path'>): boolean => path.startsWith('SHIPPING.');

/** The product tax code of a state's retail delivery fee. */
export const retailDeliveryFee = 'FEES.RETAIL_DELIVERY_FEE';

/**
 * Returns whether a product is a state's retail delivery fee. Such a fee does not count as goods, and discounts do not
 * reduce it.
 */
export const isStateFee = ({ path }: Pick<ProductTaxCode, 'path'>): boolean => path === retailDeliveryFee;

/**
 * A line item, or a charge in `shipping`. Amounts are in minor units of the document's currency. A line with a negative
 * amount is distributed over other lines as discounts, and its net is zero.
 */
export type TaxLine = {
  readonly product: ProductTaxCode;
  readonly quantity: Decimal;
  readonly amount: bigint;
  readonly discount: bigint;
  readonly thirdPartyDiscount: bigint;
  readonly place: Place;
  readonly use: Use;
  readonly collectionExemption: CollectionExemption;
  /** Whether the goods are delivered to the buyer by a carrier or the seller. */
  readonly isShipped: boolean;
  /** For a shipping charge or a fee on goods: the lines that it delivers or is for, at least one. */
  readonly deliveries?: readonly Delivery[];
};

export type TaxDocument = {
  /** The tax day, `YYYY-MM-DD`. */
  readonly day: string;
  /** ISO 4217. Amounts in rules apply only in the state's currency. */
  readonly currency: string;
  /** Decimals of the currency's minor unit. */
  readonly exponent: number;
  readonly rounding: 'line' | 'invoice';
  readonly taxIncluded: boolean;
  /** Whether general excise taxes are charged at their highest visible rates (`general-excise.ts`). */
  readonly passOnGeneralExcise: boolean;
  /** Document-level discounts, allocated to the goods. */
  readonly discount: bigint;
  readonly thirdPartyDiscount: bigint;
  /** Whether `discount` is also allocated to the shipping charges. */
  readonly discountsShipping: boolean;
  /** The line items, then the charges in `shipping`. */
  readonly lines: readonly TaxLine[];
  /** How many of the lines are line items. */
  readonly lineItems: number;
};

/** Returns the distinct places where a document is taxed: the places of its lines and of its deliveries. */
export const listPlaces = ({ lines }: Pick<TaxDocument, 'lines'>): readonly Place[] => {
  const places = new Set<Place>();
  for (const { place, deliveries = [] } of lines) {
    places.add(place);
    for (const delivery of deliveries) places.add(delivery.place);
  }
  return [...places];
};

/** The tax of one jurisdiction on one line or shipping charge. */
export type TaxRow = {
  readonly jurisdiction: Jurisdiction;
  readonly sourcing: SourcedAt;
  /** The rate as written in the release, or a share of a visible rate. */
  readonly rate: string;
  /** The rates behind a share of a visible rate. */
  readonly grossedUp: GrossedUp | null;
  readonly reason: TaxabilityReason;
  readonly ruleId: string | null;
  readonly taxable: bigint;
  readonly exempt: bigint;
  /** The tax before rounding, in units of `10^-rateDecimals` of a minor unit. */
  readonly exact: bigint;
  readonly tax: bigint;
};

/** A taxed line or shipping charge. */
export type TaxedCharge = {
  readonly discount: bigint;
  readonly thirdPartyDiscount: bigint;
  /**
   * The taxable base before exemptions: the amount less the discounts that reduce the price, without tax. Third-party
   * discounts reduce the price only if the state's rules say so (`settings.coupons`).
   */
  readonly net: bigint;
  readonly taxable: bigint;
  readonly exempt: bigint;
  readonly tax: bigint;
  readonly rows: readonly TaxRow[];
  /** The treatments behind the rows, for warnings and explanations. */
  readonly treatments: readonly Treatment[];
  /** For a shipping charge: the share of each delivered line, without tax. */
  readonly shares: readonly Share[] | null;
  /** Set if no net amount plus its tax equals the gross amount. Charges that are rounded together share one object. */
  readonly inexact: InexactGross | null;
};

/** The share of a shipping charge that belongs to a line, in minor units. */
export type Share = { readonly line: number; readonly amount: bigint };

/**
 * Tax-inclusive prices for which no net plus its tax equals the gross. `charges` are the indexes of the lines that are
 * rounded together. Their tax is the gross less the net.
 */
export type InexactGross = {
  readonly charges: readonly number[];
  readonly gross: bigint;
  readonly net: bigint;
  /** The tax calculated on the net. */
  readonly taxOfNet: bigint;
};

/** The taxed lines of a document, in its order. */
export type TaxedDocument = { readonly lines: readonly TaxedCharge[] };
