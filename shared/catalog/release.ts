/** The shape of tax content: one immutable, effective-dated release for each state. */
import type { Effect } from '../tax/effects/effects.ts';
import type { AnnualPeriod, Dated } from './effective.ts';
import type { Evidence, Jurisdiction, JurisdictionType, Rate, RemoteSaleTerms, Rounding } from './release-values.ts';

export type { Effect } from '../tax/effects/effects.ts';

/**
 * A rule of taxability. The most specific product code wins, then the most attributes, then the most specific
 * jurisdiction or place, then the latest first day.
 */
export type Rule = Dated &
  Evidence & {
    readonly id: string;
    /** The jurisdiction types that it binds; `null` is all of them. */
    readonly levels: readonly JurisdictionType[] | null;
    /** The codes of the jurisdictions that it binds (New York City); `null` is every jurisdiction of those types. */
    readonly jurisdictions?: readonly string[] | null;
    /**
     * The ranges of five-digit ZIPs where it binds, inclusive, whatever the codes of their jurisdictions in an import. It
     * never binds at an address without a ZIP. As specific as naming jurisdictions.
     */
    readonly zips?: readonly (readonly [low: string, high: string])[] | null;
    /** The counties (five-digit FIPS codes) where it binds, as `zips`; never at an address of unknown county. */
    readonly counties?: readonly string[];
    /** The kinds of jurisdictions that it binds (`Jurisdiction.kind`). As specific as naming jurisdictions. */
    readonly kinds?: readonly string[];
    /** Out of season the rule does not exist. In season, its first day is the first day of the season. */
    readonly season?: AnnualPeriod;
    /** Whether a unit's share of the shipping counts toward the rule's threshold (Rhode Island clothing). */
    readonly threshold_includes_shipping?: boolean;
    /** Product tax codes or families (`CLOTHING`). A code matches itself and the codes below it. */
    readonly ptcs: readonly string[];
    readonly attributes: {
      /** If not empty, the product must have at least one of these. */
      readonly any: readonly string[];
      /** The product must have each of these. */
      readonly all?: readonly string[];
      /** The product must have none of these. */
      readonly none: readonly string[];
    };
    readonly effect: Effect;
    /** The assumption where an order lacks a fact, and what applies otherwise: a warning on each answer. */
    readonly assumption?: string;
  };

/**
 * An area with local taxes: every ZIP of the ranges (five or nine digits, inclusive) or, without ranges, the city.
 * `alternatives` are the sets of local jurisdictions that an address there may have. Several make the address ambiguous.
 */
export type Location = Dated &
  Evidence & {
    readonly zips: readonly (readonly [low: string, high: string])[];
    /** Upper case, without punctuation. */
    readonly cities: readonly string[];
    /** Limits the ZIPs to addresses of this city. Without ZIPs, the city applies only with ZIPs that list it. */
    readonly within_city?: string;
    /**
     * A city that is known by its name alone takes precedence, and an address without a city is ambiguous. With
     * `within_city`, that city is such a city.
     */
    readonly yields_to_city?: true;
    /** Borders cross the ZIPs, and the source lacks the taxes beyond the borders. */
    readonly crosses_borders?: true;
    /**
     * The alternatives apply to some street addresses in the ZIPs, which `streets` of their part lists. An address that it
     * does not find may have them, in addition to the sets of its other locations.
     */
    readonly of_streets?: true;
    /**
     * The alternatives apply to some addresses of the city, and the source does not say to which: an address there may have
     * them, in addition to the sets of the city's other locations. Without other locations, the fallback release applies.
     */
    readonly of_addresses?: true;
    readonly alternatives: readonly (readonly string[])[];
  };

/** The street addresses of one ZIP with their local jurisdictions. */
export type Streets = {
  /** The lists of jurisdictions, with the days on which they apply. */
  readonly sets: readonly (Dated & { readonly codes: readonly string[] })[];
  /** By the name of the street, without directions and suffix, the ranges of house numbers (`nameText`). */
  readonly names: Readonly<Record<string, string>>;
};

/** `complete`: the jurisdictions are all there are. `partial`: local rates are missing. */
export type Coverage = 'complete' | 'partial' | 'none';

/** Where a sale within the state is taxed. `mixed`: districts at the destination, all others at the origin (California). */
export type Sourcing = 'destination' | 'origin' | 'mixed';

/**
 * How a state taxes a shipping charge that no rule names.
 *
 * - `follows_goods`: each line's share of the shipping is taxed as the line.
 * - `any_taxable`: all of it is taxed if any line is.
 * - `always_taxable`: always taxed.
 * - `exempt_unless_included`: exempt, because `shipping` is stated separately; `_INCLUDED_IN_PRICE` follows the goods.
 * - `taxable_unless_avoidable`: follows the goods, unless the buyer can avoid it (`_OPTIONAL_CHARGE`).
 * - `exempt_if_stated`: exempt only with `_SEPARATELY_STATED`.
 */
export type ShippingPolicy = (typeof shippingPolicies)[number];
export const shippingPolicies = [
  'follows_goods',
  'any_taxable',
  'always_taxable',
  'exempt_unless_included',
  'taxable_unless_avoidable',
  'exempt_if_stated',
] as const;

/**
 * Whether a discount that a third party pays, such as a manufacturer's coupon, lowers the taxable price.
 *
 * - `reduces_price`: the price after it is taxed, as after a discount of the seller.
 * - `full_price`: the price before it is taxed, because the third party pays the rest to the seller.
 */
export type CouponPolicy = (typeof couponPolicies)[number];
export const couponPolicies = ['reduces_price', 'full_price'] as const;

/** The settings of a release, as its files name them. */
export const settingNames = ['sourcing', 'shipping', 'rounding', 'coupons'] as const;

/** A jurisdiction that the operator added. It taxes every address in its five-digit ZIPs (ranges, inclusive). */
type OwnJurisdiction = Jurisdiction & { readonly zips: readonly (readonly [low: string, high: string])[] };

/**
 * The operator's own rules, rates and settings, which override every release of the state's chain. Each value has a
 * first day.
 */
export type OwnRules = {
  /** By keys that begin with `own:`. */
  readonly sources: Readonly<Record<string, string>>;
  readonly jurisdictions: readonly OwnJurisdiction[];
  readonly rates: readonly Rate[];
  readonly rules: readonly Rule[];
  readonly settings: Release['settings'];
};

export type Release = {
  /** `US-MI@2026-11-22.1`: the state, the day it was released, and a counter for that day. */
  readonly id: string;
  /** The state's jurisdiction code, `US-MI`. */
  readonly state: string;
  readonly name: string;
  readonly currency: 'USD';
  /** The first day on which values whose own first day is unknown count. */
  readonly established_from: string;
  /**
   * The first day on which these values, and the local rates of `local`, answer as an approximation: no earlier ones are
   * on record. Absent: not before they are established.
   */
  readonly approximate_from?: string;
  /** The last tax day that the release covers, or `null`. */
  readonly established_to: string | null;
  /** The coverage of an address that no location names: no local tax (`complete`), or unknown local taxes (`partial`, as in imports). */
  readonly coverage: Exclude<Coverage, 'none'>;
  /**
   * The first day on which an import's file has every row. On earlier days, a fallback import whose files reach further
   * back takes precedence, so that a file without its expired rows changes no past answer. Absent: every day.
   */
  readonly complete_from?: string;
  readonly sources: Readonly<Record<string, string>>;
  readonly jurisdictions: readonly [Jurisdiction, ...Jurisdiction[]];
  readonly rates: readonly Rate[];
  readonly locations: readonly Location[];
  /** The street addresses of the ZIP that the release is loaded for. */
  readonly streets?: Streets;
  /**
   * Addresses that no location names have the rates of the state's tables in `shared/catalog/local`. `established_from` is
   * the first day on which local rates whose own first day is unknown count.
   */
  readonly local?: { readonly established_from: string };
  /** The release for addresses that this one does not name. The content loader sets it; it is not stored. */
  readonly fallback?: Release;
  /** The id of the release that this one is a fallback of, which a transaction pins. */
  readonly pinnedBy?: string;
  /** The operator's own rules. `withOwnRules` merges them into the other fields when the release is loaded. */
  readonly own?: OwnRules;
  /** The differences for a sale from another state. Absent: none besides the place of taxation. */
  readonly remote_sales?: readonly RemoteSaleTerms[];
  readonly rules: readonly Rule[];
  readonly settings: {
    readonly sourcing: readonly (Dated & Evidence & { readonly policy: Sourcing })[];
    readonly shipping: readonly (Dated & Evidence & { readonly policy: ShippingPolicy })[];
    readonly rounding: readonly (Dated & Evidence & { readonly policy: Rounding })[];
    readonly coupons: readonly (Dated & Evidence & { readonly policy: CouponPolicy })[];
  };
};
