/** The thresholds at which a remote seller must register in a state (shared/catalog/economic-nexus.json). */
import nexus from '../catalog/economic-nexus.json' with { type: 'json' };

/**
 * What a threshold measures. `gross`: all sales. `retail`: without sales for resale. `taxable`: without exempt sales.
 */
export const measures = ['gross', 'retail', 'taxable'] as const;
export type Measure = (typeof measures)[number];

/** The status of an account in a state, ordered from most to least urgent. */
export const nexusStatuses = ['reached', 'upcoming', 'approaching', 'below', 'registered'] as const;

/**
 * A measuring period of twelve consecutive months. A period ends every `months_between_ends` months, including in the
 * month `ends_with_month`.
 */
export type MeasuringPeriod = {
  /** The state's rule in words. */
  readonly rule: string;
  readonly months_between_ends: number;
  /** 1 to 12. */
  readonly ends_with_month: number;
  /** Whether the current period counts before it ends. */
  readonly running_counts: boolean;
};

export type NexusTerms = {
  /** US dollars, as a decimal string. */
  readonly sales_amount: string;
  readonly transaction_count: number | null;
  /** Whether the sales, either threshold or both thresholds must be reached. */
  readonly requires: 'sales' | 'either' | 'both';
  readonly sales_reached_at: 'over' | 'at_least';
  readonly count_reached_at: 'over' | 'at_least' | null;
  readonly measured: Measure;
  /** Whether sales through a marketplace that collects the tax count. */
  readonly includes_marketplace: boolean;
  readonly period: MeasuringPeriod;
  /** The day from which the threshold applies. */
  readonly effective_from: string;
  readonly source: string;
  readonly confidence: string;
  readonly note: string;
};

const { chart } = nexus;
const states = nexus.states as Readonly<Record<string, NexusTerms>>;

/** The terms of all states with a sales tax, by two-letter code. */
export const nexusTerms: readonly (readonly [state: string, terms: NexusTerms])[] = Object.entries(states).map(
  ([state, terms]) => [state, { ...terms, source: `${terms.source}; ${chart}` }],
);
