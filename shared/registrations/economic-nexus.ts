/** The definitions and measuring periods of the thresholds at which a remote seller must register in a state. */

/**
 * What a threshold measures. `gross`: all sales. `retail`: without sales for resale. `taxable`: without exempt sales.
 */
export const measures = ['gross', 'retail', 'taxable'] as const;

/** The status of an account in a state, ordered from most to least urgent. */
export const nexusStatuses = ['reached', 'registered_later', 'upcoming', 'approaching', 'below', 'registered'] as const;

/**
 * A measuring period of twelve consecutive months. A period ends every `months_between_ends` months, including in the
 * month `ends_with_month`.
 */
export type MeasuringPeriod = {
  /** The state's rule in words. */
  readonly rule: string;
  readonly months_between_ends: number;
  /** The month as a number from 1 to 12. */
  readonly ends_with_month: number;
  /** Whether the current period counts before it ends. */
  readonly running_counts: boolean;
};
