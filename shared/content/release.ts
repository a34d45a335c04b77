/** The shape of tax content: one immutable, effective-dated release for each state (architecture, decision 7). */
import type { Effect } from '../tax/effects/effects.ts';

export type { Effect } from '../tax/effects/effects.ts';
export type { PlainEffect } from '../tax/effects/use-split.ts';

/** How far a value can be trusted: law or a revenue department; a vendor's document; one secondary source; unconfirmed. */
export type Confidence = 'high' | 'medium-high' | 'medium' | 'low';

/** Where a value comes from: a key of the release's `sources`. */
export type Evidence = { readonly source: string; readonly confidence: Confidence; readonly note?: string };

/**
 * The tax days (`YYYY-MM-DD`, inclusive) on which a value is in force.
 *
 * `from: null` says that the first day is not established: the value counts from the release's `established_from`, and
 * what it was before is not covered. `to: null` is open.
 */
export type Dated = { readonly from: string | null; readonly to: string | null };

/**
 * The days of each year on which a rule is in force: month and day (`06-01`), both inclusive. A season whose `to` comes
 * before its `from` goes over the new year. To include all of February, end it on `02-29`.
 */
export type Season = { readonly from: string; readonly to: string };

export type JurisdictionType = 'state' | 'county' | 'city' | 'district';
export type Jurisdiction = {
  /** `US-PA`, `US-PA-ALLEGHENY`. */
  readonly code: string;
  readonly name: string;
  readonly type: JurisdictionType;
  readonly tax_type: 'sales' | 'general_excise';
  /** The code that the state's return names it by. */
  readonly reporting_code?: string;
  /** Which of several taxes of its level it is (`LO` in South Carolina, `RTD` in Colorado); `combined` is all of them. */
  readonly kind?: string;
};

/** How many decimals a rate may have: more than any enacted one. */
export const rateDecimals = 8;

/** The general rate of a jurisdiction, a fraction as a decimal string (`"0.0625"`). */
export type Rate = Dated &
  Evidence & {
    readonly jurisdiction: string;
    readonly rate: string;
    /**
     * The rate on food for home use, if another, where no rule exempts it or has a rate of its own; SST rate files have one
     * for each jurisdiction. What is such food stands in `shared/tax/general-rate.ts`.
     */
    readonly food_rate?: string;
    /** Both rates for a sale that comes from another state, where one differs; without a `food_rate` food is at its rate. */
    readonly interstate?: { readonly rate: string; readonly food_rate?: string };
  };

/**
 * A rule of taxability, of one state.
 *
 * The most specific product code wins, then the most attributes, then the most specific jurisdiction (or ZIP), then the
 * latest first day (content notes 4.9).
 */
export type Rule = Dated &
  Evidence & {
    readonly id: string;
    /** Jurisdiction types that it binds; `null` is every one in the state. */
    readonly levels: readonly JurisdictionType[] | null;
    /** The codes of the jurisdictions that it binds (New York City); `null` is every one of those types. */
    readonly jurisdictions?: readonly string[] | null;
    /**
     * The ZIPs where it binds, ranges of five digits, inclusive: of a sale that is sourced in one of them, and never of an
     * address without a ZIP. It says which places a law names (New York City) whatever an imported file calls their
     * jurisdictions, and is as specific as naming these. Without it, or `null`, it binds everywhere in the state.
     */
    readonly zips?: readonly (readonly [low: string, high: string])[] | null;
    /**
     * The counties (five-digit FIPS codes) where it binds: of a sale that is sourced in one of them, whatever an imported
     * file calls its jurisdictions, and never of an address whose county is not known. As specific as naming jurisdictions.
     */
    readonly counties?: readonly string[];
    /** The kinds of jurisdictions that it binds (`Jurisdiction.kind`). As specific as naming jurisdictions. */
    readonly kinds?: readonly string[];
    /** Out of its season the rule does not exist. In it, it competes as a rule whose first day is that of the season. */
    readonly season?: Season;
    /**
     * Whether the unit's share of the shipping counts in the price that is compared with its threshold, and is a part of it:
     * of a `threshold_excess` the shipping has what the goods leave of the exempt amount (Rhode Island clothing).
     */
    readonly threshold_includes_shipping?: boolean;
    /** Product tax codes, or families (`CLOTHING`): a code matches when it is one of these or lies below one. */
    readonly ptcs: readonly string[];
    readonly attributes: {
      /** When not empty, the product must carry at least one of these. */
      readonly any: readonly string[];
      /** The product must carry none of these. */
      readonly none: readonly string[];
    };
    readonly effect: Effect;
  };

/**
 * An area with local taxes: every ZIP of the ranges (five or nine digits, inclusive) or, without ranges, the city.
 *
 * `alternatives` are the sets of local jurisdictions that an address there may have, beside the state. One set is an
 * answer; several say that the ZIP spans borders, so that the address is ambiguous.
 */
export type Location = Dated &
  Evidence & {
    readonly zips: readonly (readonly [low: string, high: string])[];
    /** Upper case, without punctuation. */
    readonly cities: readonly string[];
    /** Of the ZIPs only the addresses of this city, written as `cities`: a shop's table may name both at once. */
    readonly within_city?: string;
    /**
     * A city that is known by its name alone comes before this, and an address without a city is ambiguous. With
     * `within_city` that city is such a one: it is no other city's name for the ZIPs.
     */
    readonly yields_to_city?: true;
    /** Borders cross the ZIPs, and of the taxes beyond these the source says nothing. */
    readonly crosses_borders?: true;
    /** The source says nothing here beyond the state's rate: local taxes may be missing. */
    readonly lacks_locals?: true;
    /**
     * The alternatives belong to some street addresses in the ZIPs, and the release does not list which. Any address of
     * the ZIPs may have them, in addition to its other locations. Without others, they are all that is known.
     */
    readonly of_streets?: true;
    readonly alternatives: readonly (readonly string[])[];
  };

/** `complete`: the jurisdictions are all there are. `partial`: local rates are missing. */
export type Coverage = 'complete' | 'partial' | 'none';

/**
 * One jurisdiction's table for the cents above a whole dollar: as many cents of tax as there are steps below them.
 *
 * It holds for what is taxed at `rate`, on the total of an invoice. `nothing_below`: smaller totals are not taxed,
 * and just this one a cent.
 */
export type Bracket = {
  readonly jurisdiction: string;
  readonly rate: string;
  readonly steps: readonly string[];
  readonly nothing_below: string | null;
};

/** How a state rounds, and what holds for prices that include tax. */
export type Rounding = RoundingMethod & {
  /**
   * `keep_base`: where prices include tax that is rounded on the invoice, every taxed charge keeps a base of at least one
   * cent, if such bases give the gross. Without it, a charge of one cent may be all tax.
   */
  readonly tax_included?: 'keep_base';
};

type RoundingMethod =
  /**
   * The third decimal, up when it is over four (SSUTA section 324); the account chooses line or invoice. By line,
   * `shipping: 'with_goods'` rounds the shipping together with the goods that it brings (`shared/tax/shipping-with-goods.ts`);
   * without it, the shipping is rounded by itself.
   */
  | { readonly method: 'half_up'; readonly shipping?: 'with_goods' }
  /** Mandatory tables on the invoice's total; what they do not name is rounded half up there. */
  | { readonly method: 'bracket'; readonly brackets: readonly Bracket[] };

/** Where a sale within the state is taxed. `mixed`: districts at the destination, all others at the origin (California). */
export type Sourcing = 'destination' | 'origin' | 'mixed';

/**
 * How a state taxes a shipping charge that no rule names.
 *
 * - `follows_goods`: each line's share of the shipping is taxed as the line.
 * - `any_taxable`: all of it is taxed once any line is.
 * - `always_taxable`: taxed whatever it brings.
 * - `exempt_unless_included`: exempt, because an amount in `shipping` is stated separately. A charge that is
 *   `_INCLUDED_IN_PRICE` follows the goods.
 * - `taxable_unless_avoidable`: follows the goods, unless the buyer can avoid it (`_OPTIONAL_CHARGE`).
 * - `exempt_if_stated`: exempt only with `_SEPARATELY_STATED`. Releases before 2026-11-22 have it.
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
 * The editions of the local tables that a release uses: `NY@2026-11-22` is the file of that name under
 * `shared/content/local`. An edition is never edited.
 */
export type LocalTables = {
  readonly rates: string;
  readonly zips: string;
  /** The first day on which local rates whose own first day is unknown count. */
  readonly established_from: string;
};

export type Release = {
  /** `US-MI@2026-10-01.1`: the state, the day it was released, and a counter for that day. */
  readonly id: string;
  /** The state's jurisdiction code, `US-MI`. */
  readonly state: string;
  readonly name: string;
  readonly currency: 'USD';
  /** The first day on which values whose own first day is unknown count. */
  readonly established_from: string;
  /** The last tax day that the release knows, or `null`. */
  readonly established_to: string | null;
  /** What an address that no location names gets: nothing more (`complete`), or something unknown (`partial`). */
  readonly coverage: Exclude<Coverage, 'none'>;
  /**
   * `listed`: every ZIP of the state is named by a location, also one without local taxes. A ZIP that none names on a
   * tax day is then not covered, and never taxed by the state alone. What is imported from files of ZIPs is so.
   */
  readonly locals?: 'listed';
  readonly sources: Readonly<Record<string, string>>;
  readonly jurisdictions: readonly [Jurisdiction, ...Jurisdiction[]];
  readonly rates: readonly Rate[];
  readonly locations: readonly Location[];
  /** Where the local rates of addresses come from that no location names. */
  readonly local?: LocalTables;
  /** The release that answers for what this one does not name: the loader puts it here, it is stored nowhere. */
  readonly fallback?: Release;
  /** The id of the release that this one is the fallback of: a transaction pins that one. */
  readonly pinnedBy?: string;
  readonly rules: readonly Rule[];
  readonly settings: {
    readonly sourcing: readonly (Dated & Evidence & { readonly policy: Sourcing })[];
    readonly shipping: readonly (Dated & Evidence & { readonly policy: ShippingPolicy })[];
    readonly rounding: readonly (Dated & Evidence & { readonly policy: Rounding })[];
  };
};
