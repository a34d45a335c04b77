/** What a worker process is asked to do. */
export type Order = {
  /** Schedules are run by these seeds: from one on, every so many, below `from + count`. */
  readonly from: number;
  readonly count: number;
  readonly step: number;
  /** Which bug the service has; `null` for none. */
  readonly mutant: string | null;
  /** In memory alone, or with the emulator beside it. */
  readonly database: 'memory' | 'both';
  readonly endsAtFirst: boolean;
  readonly traced: boolean;
};

/** What a worker tells. */
export type Told =
  | { readonly kind: 'progress'; readonly schedules: number }
  | { readonly kind: 'violated'; readonly seed: number; readonly violations: readonly string[] }
  | { readonly kind: 'trace'; readonly seed: number; readonly trace: readonly string[] }
  | ({ readonly kind: 'done' } & Report);

export type Report = {
  readonly schedules: number;
  readonly requests: number;
  readonly calls: number;
  readonly violated: number;
  readonly faults: Readonly<Record<string, number>>;
};
