import { decimal, decimalText, rescale } from '../money/decimal.ts';
import type { Dated } from './effective.ts';

// The values of a release that rule effects depend on: jurisdictions, rates and rounding.

/** How far a value can be trusted: law or a revenue department; a vendor's document; one secondary source; unconfirmed. */
export type Confidence = 'high' | 'medium-high' | 'medium' | 'low';

/** Where a value comes from: a key of the release's `sources`. */
export type Evidence = { readonly source: string; readonly confidence: Confidence; readonly note?: string };

/** The day that a rate is published as of, and the day by which its publisher's cadence makes a newer one due. */
export type Published = {
  readonly asOf: string;
  readonly due: string;
  /** The end of `due` in UTC, in milliseconds. */
  readonly overdueMs: number;
};

export type JurisdictionType = 'state' | 'county' | 'city' | 'district';
export type Jurisdiction = {
  /** `US-PA`, `US-PA-ALLEGHENY`. */
  readonly code: string;
  readonly name: string;
  readonly type: JurisdictionType;
  readonly tax_type: 'sales' | 'general_excise' | 'fee';
  /** Its code in the state's return. */
  readonly reporting_code?: string;
  /** Which of several taxes of its level (`LO` in South Carolina, `RTD` in Colorado); `combined` is all of them. */
  readonly kind?: string;
};

/** How many decimals a rate may have: more than any enacted one. */
export const rateDecimals = 8;

/** The general rate of a jurisdiction, a fraction as a decimal string (`"0.0625"`). */
export type Rate = Dated &
  Evidence & {
    readonly jurisdiction: string;
    readonly rate: string;
    /** The rate on food for home use (`shared/tax/assessment.ts`), if it differs and no rule sets another one. */
    readonly food_rate?: string;
    /** Both rates for a sale from another state, if they differ. Without `food_rate`, food has the general rate. */
    readonly interstate?: { readonly rate: string; readonly food_rate?: string };
  };

/** The rates of a jurisdiction: general and food, within the state and from other states. */
export const rateKinds = ['general', 'food', 'general_interstate', 'food_interstate'] as const;
export type RateKind = (typeof rateKinds)[number];

/** The rate of a kind that a file has; `undefined` where it does not differ from the general one or the one within the state. */
export const ownRateOfKind = (rate: Rate, kind: RateKind): string | undefined => {
  if (kind === 'general') return rate.rate;
  if (kind === 'food') return rate.food_rate;
  return kind === 'general_interstate' ? rate.interstate?.rate : rate.interstate?.food_rate;
};

/** The rate that a sale of a kind is charged where no rule sets another one. */
export const rateOfKind = (rate: Rate, kind: RateKind): string => {
  const within = kind.startsWith('food') ? (rate.food_rate ?? rate.rate) : rate.rate;
  if (rate.interstate === undefined || !kind.endsWith('interstate')) return within;
  return ownRateOfKind(rate, kind) ?? rate.interstate.rate;
};

/**
 * A jurisdiction's table for the cents above a whole dollar of an invoice that it taxes at `rate`: one cent of tax for each
 * step below them. Totals below `nothing_below` are not taxed, and that total is taxed with one cent.
 */
export type Bracket = {
  readonly jurisdiction: string;
  readonly rate: string;
  readonly steps: readonly string[];
  readonly nothing_below: string | null;
};

/** Whether a state has the tax computed on the invoice's total: the account's choice of lines does not apply. */
export const isPerInvoice = (rounding: Rounding): boolean =>
  rounding.method === 'bracket' || rounding.per === 'invoice';

/** How a state rounds. */
export type Rounding =
  /**
   * By the third decimal, up if it is over four (SSUTA section 324); the account chooses line or invoice. By line,
   * `with_goods` rounds the shipping together with its goods (`shared/tax/shipping.ts`). `per: 'invoice'`: the
   * tax is on the total of the invoice, whatever the account chooses. `half: 'down'` drops exactly half a cent.
   */
  | {
      readonly method: 'half_up';
      readonly shipping?: 'with_goods';
      readonly per?: 'invoice';
      readonly half?: 'down';
    }
  /** Mandatory tables on the invoice's total; other jurisdictions round half up. */
  | { readonly method: 'bracket'; readonly brackets: readonly Bracket[] };

/** A rate in units of `10^-rateDecimals`, to add and compare exactly. */
export const parseUnits = (fraction: string): bigint => rescale(decimal(fraction), rateDecimals);

/** The shortest decimal string of a rate: `5000000n` is `"0.05"`. */
export const formatFraction = (units: bigint): string => decimalText({ units, scale: rateDecimals });

/** `9.025%` for the fraction `0.09025`. */
export const formatPercent = (fraction: string): string =>
  `${decimalText({ units: parseUnits(fraction), scale: rateDecimals - 2 })}%`;

// Differences of a state's law for a sale from another state (decision 0029).

/** The elections of remote sellers: Alabama's flat tax and Texas' single local rate. */
export const remoteElections = ['simplified_sellers_use_tax', 'single_local_use_tax'] as const;
export type RemoteElection = (typeof remoteElections)[number];

/**
 * A rate that a remote seller may elect: instead of the local taxes (`local`), or of all taxes of the state (`all`).
 * Every rate of an election has its own first day. It ends on the last day for which the state has published it.
 */
export type ElectedRate = Dated &
  Evidence & {
    readonly policy: 'election';
    readonly election: RemoteElection;
    readonly replaces: 'local' | 'all';
    /** Its code is in no location of the release, so that it taxes only sales of sellers with the election. */
    readonly jurisdiction: Jurisdiction;
    /** A fraction as a decimal string (`"0.0175"`). */
    readonly rate: string;
    readonly from: string;
  };

/**
 * The local tax of a remote sale without an election. `none`: no local tax is owed. `may_differ`: the local rates of the
 * release are for sales within the state, and `note` says how the rates for remote sales differ.
 */
export type RemoteLocalTax = Dated &
  Evidence & { readonly policy: 'none' | 'may_differ'; readonly from: string; readonly note: string };

export type RemoteSaleTerms = ElectedRate | RemoteLocalTax;
