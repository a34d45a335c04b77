/** Some seeds produce longer schedules that are mostly about filings. */
export const filingsEvery = 20;
/** Operators redact transactions in schedules whose seed is a multiple of this. */
export const redactionsEvery = 3;

/**
 * The first seed of the varied schedules, which follow at the distance of those about filings: with accounts in
 * different time zones, changing registrations, several currencies, and redactions of customers.
 */
export const variedFirst = filingsEvery / 2;

/** The task of a worker process. */
export type Order = {
  /** The seeds of the schedules, from `from` (inclusive) to `from + count` (exclusive), in steps. */
  readonly from: number;
  readonly count: number;
  readonly step: number;
  /** The seeded bug; `null` for none. */
  readonly mutant: string | null;
  /** Whether to stop at the first violation. */
  readonly endsAtFirst: boolean;
  readonly traced: boolean;
};

/** A line of a worker's output. */
export type Message =
  | { readonly kind: 'progress'; readonly schedules: number }
  | { readonly kind: 'violated'; readonly seed: number; readonly violations: readonly string[] }
  | { readonly kind: 'trace'; readonly seed: number; readonly trace: readonly string[] }
  | { readonly kind: 'done'; readonly report: Report };

export type Report = {
  readonly schedules: number;
  readonly requests: number;
  readonly calls: number;
  readonly violated: number;
  readonly faults: Readonly<Record<string, number>>;
};
