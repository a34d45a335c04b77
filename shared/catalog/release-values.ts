import { decimal, decimalText, rescale } from '../money/decimal.ts';
import type { Dated } from './effective.ts';

// The values of a release that rule effects depend on: jurisdictions, rates and rounding.

/**
 * Confidence in a value, highest first. `high`: law or a revenue department; `medium-high`: a vendor's document;
 * `medium`: one secondary source; `low`: unconfirmed.
 */
export const confidences = ['high', 'medium-high', 'medium', 'low'] as const;
export type Confidence = (typeof confidences)[number];

/** The source of a value: a key of the release's `sources`. */
export type Evidence = { readonly source: string; readonly confidence: Confidence; readonly note?: string };

/** The as-of date of a published rate, and the last day on which the publisher's next rate is on time. */
export type Published = { readonly as_of: string; readonly due: string };

export type JurisdictionType = 'state' | 'county' | 'city' | 'district';
export type Jurisdiction = {
  /** `US-PA`, `US-PA-ALLEGHENY`. */
  readonly code: string;
  readonly name: string;
  readonly type: JurisdictionType;
  readonly tax_type: 'sales' | 'general_excise' | 'fee';
  /** The jurisdiction's code on the state's return. */
  readonly reporting_code?: string;
  /**
   * Distinguishes several taxes at one level (`LO` in South Carolina, `RTD` in Colorado); `combined` is all of them.
   */
  readonly kind?: string;
};

/** The maximum number of decimals of a rate: more than any enacted rate has. */
export const rateDecimals = 8;

/** The general rate of a jurisdiction, as a decimal string of a fraction (`"0.0625"`). */
export type Rate = Dated &
  Evidence & {
    readonly jurisdiction: string;
    readonly rate: string;
    /** The rate on food for home use (`shared/tax/assessment.ts`), if it differs and no rule sets a different rate. */
    readonly food_rate?: string;
    /**
     * The general and food rates for a sale from a different state, if they differ. Without `food_rate`, food is taxed
     * at this general rate.
     */
    readonly interstate?: { readonly rate: string; readonly food_rate?: string };
  };

/** The rates of a jurisdiction: general and food, for sales within the state and from other states. */
export const rateKinds = ['general', 'food', 'general_interstate', 'food_interstate'] as const;
export type RateKind = (typeof rateKinds)[number];

/** Returns the stored rate of a kind; `undefined` if it equals the general or the in-state rate. */
export const ownRateOfKind = (rate: Rate, kind: RateKind): string | undefined => {
  if (kind === 'general') return rate.rate;
  if (kind === 'food') return rate.food_rate;
  return kind === 'general_interstate' ? rate.interstate?.rate : rate.interstate?.food_rate;
};

/** Returns the rate for a kind of sale if no rule sets a different rate. */
export const rateOfKind = (rate: Rate, kind: RateKind): string => {
  const within = kind.startsWith('food') ? (rate.food_rate ?? rate.rate) : rate.rate;
  if (rate.interstate === undefined || !kind.endsWith('interstate')) return within;
  return ownRateOfKind(rate, kind) ?? rate.interstate.rate;
};

/**
 * A jurisdiction's bracket table for an invoice taxed at `rate`. Each step that the cents above the whole dollars
 * exceed adds one cent of tax. A total below `nothing_below` has no tax, and a total of exactly `nothing_below` has one
 * cent.
 */
export type Bracket = {
  readonly jurisdiction: string;
  readonly rate: string;
  readonly steps: readonly string[];
  readonly nothing_below: string | null;
};

/**
 * Returns whether a state requires the tax to be computed on the invoice total, which overrides the account's choice.
 */
export const isPerInvoice = (rounding: Rounding): boolean =>
  rounding.method === 'bracket' || rounding.per === 'invoice';

/** How a state rounds. */
export type Rounding =
  /**
   * Rounds half up on the third decimal (SSUTA section 324). The account chooses line or invoice. By line, `with_goods`
   * rounds the shipping together with its goods (`shared/tax/shipping.ts`). `per: 'invoice'` computes the tax on the
   * invoice total, regardless of the account's choice. `half: 'down'` drops exactly half a cent.
   */
  | { readonly method: 'half_up'; readonly shipping?: 'with_goods'; readonly per?: 'invoice'; readonly half?: 'down' }
  /** Applies mandatory tables to the invoice total. Jurisdictions without a table round half up. */
  | { readonly method: 'bracket'; readonly brackets: readonly Bracket[] };

/** Converts a rate to units of `10^-rateDecimals`, for exact sums and comparisons. */
export const parseUnits = (fraction: string): bigint => rescale(decimal(fraction), rateDecimals);

/** Returns the shortest decimal string of a rate: `5000000n` becomes `"0.05"`. */
export const formatFraction = (units: bigint): string => decimalText({ units, scale: rateDecimals });

/** Formats the fraction `0.09025` as `9.025%`. */
export const formatPercent = (fraction: string): string =>
  `${decimalText({ units: parseUnits(fraction), scale: rateDecimals - 2 })}%`;

// Special terms in a state's law for sales from other states (decision 0029).

/** The elections available to remote sellers: Alabama's flat tax and Texas' single local rate. */
export const remoteElections = ['simplified_sellers_use_tax', 'single_local_use_tax'] as const;
export type RemoteElection = (typeof remoteElections)[number];

/**
 * A rate that a remote seller may elect in place of the local taxes (`local`) or of all taxes of the state (`all`).
 * Each rate has a first day and ends on the last day for which the state has published it.
 */
export type ElectedRate = Dated &
  Evidence & {
    readonly policy: 'election';
    readonly election: RemoteElection;
    readonly replaces: 'local' | 'all';
    /** No location of the release contains its code, so it taxes only sales of sellers with the election. */
    readonly jurisdiction: Jurisdiction;
    /** A decimal string of a fraction (`"0.0175"`). */
    readonly rate: string;
    readonly from: string;
  };

/**
 * The local tax of a remote sale without an election. `none`: no local tax is owed. `may_differ`: the release's local
 * rates apply to sales within the state, and `note` states how the rates for remote sales differ.
 */
export type RemoteLocalTax = Dated &
  Evidence & { readonly policy: 'none' | 'may_differ'; readonly from: string; readonly note: string };

export type RemoteSaleTerms = ElectedRate | RemoteLocalTax;
