/** The shape of tax content: one immutable, effective-dated release for each state. */
import type { Effect } from '../tax/effects/effects.ts';
import type { AnnualPeriod, Dated } from './effective.ts';
import type {
  Evidence,
  Jurisdiction,
  JurisdictionType,
  Published,
  Rate,
  RemoteSaleTerms,
  Rounding,
} from './release-values.ts';

export type { Effect } from '../tax/effects/effects.ts';

/**
 * A taxability rule. Precedence: the most specific product code, then the most attributes, then the most specific
 * jurisdiction or place, then the latest first day.
 */
export type Rule = Dated &
  Evidence & {
    readonly id: string;
    /** The jurisdiction types to which the rule applies; `null` for all types. */
    readonly levels: readonly JurisdictionType[] | null;
    /**
     * The codes of the jurisdictions to which the rule applies (New York City); `null` for every jurisdiction of those
     * types.
     */
    readonly jurisdictions?: readonly string[] | null;
    /**
     * The five-digit ZIP ranges where the rule applies, inclusive, regardless of the jurisdiction codes in an import.
     * It does not apply to an address without a ZIP. Ranks like a rule that names jurisdictions.
     */
    readonly zips?: readonly (readonly [low: string, high: string])[] | null;
    /**
     * The counties (five-digit FIPS codes) where the rule applies, ranked like `zips`. It does not apply if the
     * address's county is unknown.
     */
    readonly counties?: readonly string[];
    /**
     * The kinds of jurisdictions (`Jurisdiction.kind`) to which the rule applies. Ranks like a rule that names
     * jurisdictions.
     */
    readonly kinds?: readonly string[];
    /** The rule applies only in season. In season, its first day is the first day of the season. */
    readonly season?: AnnualPeriod;
    /** Whether a unit's share of the shipping counts toward the rule's threshold (Rhode Island clothing). */
    readonly threshold_includes_shipping?: boolean;
    /** Product tax codes or families (`CLOTHING`). A code matches itself and all codes below it. */
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
    /** The assumption made if an order lacks a fact, and the alternative. It becomes a warning on each response. */
    readonly assumption?: string;
    /** An amount. The assumption matters only to units above it. */
    readonly assumption_above?: string;
  };

/**
 * An area with local taxes: all ZIPs in the ranges (five or nine digits, inclusive) or, without ranges, the city.
 * `alternatives` are the possible sets of local jurisdictions. With several sets, the address is ambiguous.
 */
export type Location = Dated &
  Evidence & {
    readonly zips: readonly (readonly [low: string, high: string])[];
    /** Upper case, without punctuation. */
    readonly cities: readonly string[];
    /** Limits the ZIPs to addresses of this city. Without ZIPs, the city applies only with ZIPs that list it. */
    readonly within_city?: string;
    /**
     * Cities that are known only by name take precedence over this location, and an address without a city is
     * ambiguous. A city in `within_city` is then known only by name.
     */
    readonly yields_to_city?: true;
    /** Borders cross the ZIPs, and the source lacks the taxes beyond the borders. */
    readonly crosses_borders?: true;
    /**
     * The alternatives apply to some street addresses in the ZIPs, listed in `streets` of their part. They are also
     * possible for an address that the list does not contain, in addition to the sets of its other locations.
     */
    readonly of_streets?: true;
    /**
     * The alternatives apply to some addresses in the city, but the source does not list them. They are possible for
     * every address in the city, in addition to the sets of the city's other locations. Without other locations, the
     * fallback release applies.
     */
    readonly of_addresses?: true;
    readonly alternatives: readonly (readonly string[])[];
  };

/** The street addresses of one ZIP with their local jurisdictions. */
export type Streets = {
  /** The lists of jurisdictions, with the days on which they apply. */
  readonly sets: readonly (Dated & { readonly codes: readonly string[] })[];
  /** Ranges of house numbers (`nameText`) by street name, without directions and suffix. */
  readonly names: Readonly<Record<string, string>>;
};

/** `complete`: all jurisdictions are known. `partial`: local rates are missing. */
export type Coverage = 'complete' | 'partial' | 'none';

/**
 * Where a sale within the state is taxed. `mixed`: districts at the destination, all others at the origin (California).
 * `residence`: at the buyer's address, even if the buyer picks the goods up (vehicles in Ohio).
 */
export type Sourcing = (typeof sourcingPolicies)[number];
export const sourcingPolicies = ['destination', 'origin', 'mixed', 'residence'] as const;

/**
 * A state's rule for sales within it. `ptcs` are the product tax codes or families that it is limited to, such as
 * vehicles taxed at the buyer's address; such rules precede the rule for all other products.
 */
export type SourcingSetting = Dated & Evidence & { readonly policy: Sourcing; readonly ptcs?: readonly string[] };

/**
 * How a state taxes a shipping charge that no rule matches.
 *
 * - `follows_goods`: each line's share of the shipping is taxed like the line.
 * - `any_taxable`: the whole charge is taxed if any line is taxed, even if a certificate exempts other lines.
 * - `always_taxable`: always taxed.
 * - `exempt_unless_included`: exempt, because `shipping` is stated separately; `_INCLUDED_IN_PRICE` follows the goods.
 * - `taxable_unless_avoidable`: follows the goods, unless the buyer can avoid it (`_OPTIONAL_CHARGE`).
 */
export type ShippingPolicy = (typeof shippingPolicies)[number];
export const shippingPolicies = [
  'follows_goods',
  'any_taxable',
  'always_taxable',
  'exempt_unless_included',
  'taxable_unless_avoidable',
] as const;

/**
 * Whether a discount that a third party pays, such as a manufacturer's coupon, lowers the taxable price.
 *
 * - `reduces_price`: the price after the discount is taxed, as with a seller's discount.
 * - `full_price`: the price before the discount is taxed, because the third party reimburses the seller.
 */
export type CouponPolicy = (typeof couponPolicies)[number];
export const couponPolicies = ['reduces_price', 'full_price'] as const;

/** The settings of a release, as named in its files. */
export const settingNames = ['sourcing', 'shipping', 'rounding', 'coupons'] as const;

/** A jurisdiction that the operator added. It taxes every address in its five-digit ZIPs (ranges, inclusive). */
type OwnJurisdiction = Jurisdiction & { readonly zips: readonly (readonly [low: string, high: string])[] };

/**
 * The operator's custom rules, rates and settings. They override every release in the state's chain. Each value must
 * have a first day.
 */
export type OwnRules = {
  /** Citations, by keys that start with `own:`. */
  readonly sources: Readonly<Record<string, string>>;
  readonly jurisdictions: readonly OwnJurisdiction[];
  readonly rates: readonly Rate[];
  readonly rules: readonly Rule[];
  readonly settings: Release['settings'];
};

export type Release = {
  /** `US-MI@2026-11-22.1`: the state, the release day, and a counter for that day. */
  readonly id: string;
  /** The state's jurisdiction code, `US-MI`. */
  readonly state: string;
  readonly name: string;
  readonly currency: 'USD';
  /** The first day on which values with an unknown first day apply. */
  readonly established_from: string;
  /**
   * The first day on which values with an unknown first day, and the local rates of `local`, apply as an approximation,
   * because no earlier values are on record. Absent: no approximation.
   */
  readonly approximate_from?: string;
  /** The last tax day that the release covers, or `null`. */
  readonly established_to: string | null;
  /**
   * The coverage of an address that no location contains: no local tax (`complete`), or unknown local taxes (`partial`,
   * as in imports).
   */
  readonly coverage: Exclude<Coverage, 'none'>;
  /**
   * The first day on which an import's file has every row. On earlier days, a fallback import whose files reach further
   * back takes precedence, so a file without its expired rows does not change past results. Absent: every day.
   */
  readonly complete_from?: string;
  /** When the local rates of an import were published. Absent: no local rates, or the state's publisher is unknown. */
  readonly published?: Published;
  readonly sources: Readonly<Record<string, string>>;
  readonly jurisdictions: readonly [Jurisdiction, ...Jurisdiction[]];
  readonly rates: readonly Rate[];
  readonly locations: readonly Location[];
  /** The street addresses in the ZIP that the release was loaded for. */
  readonly streets?: Streets;
  /**
   * Addresses that no location contains use the state's tables in `shared/catalog/local`. `established_from` is the
   * first day on which local rates with an unknown first day apply.
   */
  readonly local?: { readonly established_from: string };
  /** The release for addresses that this one does not cover. Set by the content loader; not stored. */
  readonly fallback?: Release;
  /** Set on a fallback: the id of the first release of the chain, which a transaction pins. */
  readonly pinnedBy?: string;
  /** The operator's custom rules. `withOwnRules` merges them into the other fields when the release is loaded. */
  readonly own?: OwnRules;
  /** The special terms for a sale from a different state. Absent: only the place of taxation differs. */
  readonly remote_sales?: readonly RemoteSaleTerms[];
  readonly rules: readonly Rule[];
  readonly settings: {
    readonly sourcing: readonly SourcingSetting[];
    readonly shipping: readonly (Dated & Evidence & { readonly policy: ShippingPolicy })[];
    readonly rounding: readonly (Dated & Evidence & { readonly policy: Rounding })[];
    readonly coupons: readonly (Dated & Evidence & { readonly policy: CouponPolicy })[];
  };
};
